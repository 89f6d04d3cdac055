// tidy: long because it is one table of formulas
//! Formulas of cases are computed by kernels, not by the host, with results bitwise equal to the CPU's.

use super::common::{bits, case, options, take_steps};
use super::{emulated, start_on_both};
use amrclaw::case::Case;
use amrclaw::physics::{CellFunction, CellRow, StateFunction};
use amrclaw::plugin::ChosenSolver;
use amrclaw::simulation::{MakeExecutor, RunOptions, Simulation, UserFunctions};
use riemann::prelude::*;
use std::sync::Arc;

/// A case and overrides.
pub type Row = (&'static str, &'static [&'static str]);

const LINE: &str = include_str!("../cases/gas_on_a_line.toml");
const PLANE: &str = include_str!("../cases/sound.toml");
const FLOW: &str = include_str!("../cases/swirl.toml");
const MAPPED: &str = include_str!("../cases/solvers/advection_mapped.toml");
const SPACE: &str = include_str!("../cases/sound_in_space.toml");

/// Initial data in two and in three dimensions.
const RING: &str = "initial.pressure='if(abs(r - 0.4) <= 0.2, 1 - 25 * (r - 0.4)^2, 0)'";
const BALL: &str = "initial.pressure='max(0, 1 - 9 * ((x - 0.2)^2 + (y - 0.5)^2 + (z - 0.9)^2))'";
/// Few cells, since emulation in three dimensions is slow.
const FEW: &str = "mesh.cells=[7,6,6]";
const BLOCK: &str = "initial.q='if(x < 0.5, 1, y)'";

/// Criterion, sources and inflow on a line.
pub const ON_A_LINE: [Row; 7] = [
    (
        LINE,
        &[
            "mesh.boundary={x=['inflow','wall']}",
            "mesh.boundary.inflow={density='density + t',x_momentum='0.3 + dx * x_momentum',energy='energy + t / (2 - x)'}",
        ],
    ),
    (LINE, &["regrid.flag={criterion='user',expression='abs(density - 0.5) < 0.45 && x > 2 * dx'}"]),
    (LINE, &["regrid.flag={criterion='difference',tolerance={pressure=0.1,u=0.05}}"]),
    // Derivatives within patches, and such as only the host computes.
    (LINE, &["solver.gamma=1.4", "reduce={gamma='1.4 + 1e-3 * tanh(max(dx(density)) + min(dx(dx(energy * x))))'}"]),
    (LINE, &["time.stop_when='max(dx(dx(dx(dx(density))))) < 0'"]),
    (
        LINE,
        &[
            "source.density='if(x_lower > 0.5, -0.3 * density / (1 + x), min(t, 0.1))'",
            "source.energy='-max(0.1, x_momentum^2 / density, sign(x - 0.4)) + floor(8 * x) / 16 - ceil(x) * 1e-3'",
            "scheme.source='strang'",
        ],
    ),
    // Three equations that depend on one another and on time, so that elimination needs its pivots.
    (
        LINE,
        &[
            "source.density='-30 * (density - 0.1 * energy) + 0.1 * sin(t)'",
            "source.x_momentum='40 * (density - 1) * x_momentum - 900 * x_momentum * abs(x_momentum)'",
            "source.energy='-max(0, energy - 2)^1.5 * 1e3 + 10 * (density - 0.1 * energy) + 0.1 * hypot(x_momentum, t)'",
            "scheme={source='strang',source_method='implicit'}",
        ],
    ),
];

/// All kinds of formulas in two dimensions; auxiliary values in cells and on faces, and beyond every kind of boundary.
pub const IN_A_PLANE: [Row; 11] = [
    // A parameter that follows the solution in every kind of formula that steps compute.
    (
        include_str!("../cases/restart/reduced.toml"),
        &[
            "mesh.boundary.inflow={pressure='0.1 * sin(bulk * y) * pressure',u='u / bulk',v='v'}",
            "regrid.flag={criterion='user',expression='grad(pressure * bulk) > 4 || abs(u) * bulk > 1.5'}",
            "scheme={source='strang',source_method='implicit'}",
            "time.stop_when='min(x_lower * pressure - bulk * v) < -0.2 || max(sqrt(y * y + t)) > 2'",
        ],
    ),
    // Elementary functions in every kind of formula.
    (
        FLOW,
        &[
            "initial.q='exp(-9 * hypot(x - 0.4, y - 0.5)^1.5) + 0.1 * atan2(y - 0.5, x - 0.3)'",
            "aux.v_edge='0.3 * sin(pi * x) * tanh(1 + t) + 0.01 * log(1 + x_upper) + 0.001 * cbrt(x - 0.3) * asinh(expm1(y)) * log1p(atanh(0.5 * x)) * acosh(1 + t)'",
            "source.q='-q * cosh(sin(3 * x)) * 1.1^(x - y) + 0.1 * acos(x - 0.5) * asin(0.3)'",
            "scheme.source='strang'",
            "regrid.flag={criterion='user',expression='abs(atan(q) - 0.4) < 0.3 + 0.1 * tan(y) * sinh(x) + exp(-t)'}",
        ],
    ),
    (FLOW, &[BLOCK, "source.q='-300 * q * (q - 0.3) * (q - 1 - 0.1 * t)'", "scheme.source_method='implicit'"]),
    // The values in corner ghost cells depend on the functions of both axes.
    (
        PLANE,
        &[
            RING,
            "mesh.boundary={x=['inflow','wall'],y=['extrapolate','inflow']}",
            "mesh.boundary.inflow={pressure='0.5 * pressure + y * t - 0.1 * x',u='-u',v='v + x_lower * dy'}",
            "mesh.boundary.x_lower={pressure='pressure + t * r',u='0.2 * y_upper',v='0.1 * y'}",
            "source.v='-v * (1 + x + t)'",
            "scheme={split='strang',source='strang'}",
        ],
    ),
    // Derivatives of neighbours, and of neighbours' neighbours across corners; quantities of the solver.
    (
        PLANE,
        &[
            RING,
            "regrid.flag={criterion='user',expression='grad(pressure * x) > 1 or abs(dx(dy(v) + speed)) > 5 + vorticity'}",
            "source.u='0.3 * pressure / (density + bulk * dy)'",
            "scheme.source='godunov'",
            "scheme.split='strang'",
        ],
    ),
    (
        PLANE,
        &[
            RING,
            "regrid.flag={criterion='adjoint',tolerance=0.02,adjoint={functional={pressure='x',v='r < 0.5'},snapshots=7,cells=[9,7]}}",
        ],
    ),
    (FLOW, &[BLOCK, "regrid.flag={criterion='user',expression='grad(q * (2 + u_edge * t)) > 0.4 && dy(v_edge) < 9'}"]),
    (
        PLANE,
        &[
            RING,
            "regrid.flag={criterion='user',expression='pressure - 0.3 * r > 0.1 * mod(7 * y, 1)'}",
            "source.pressure='-2 * pressure * x_upper + u^3'",
            "source.v='!(x > y) - 0.5 * heaviside(y)'",
            "scheme.source='strang'",
        ],
    ),
    (
        FLOW,
        &[
            BLOCK,
            "aux.u_edge='(1 - t) * (0.5 - y) * (1 + x_lower)'",
            "aux.v_edge='0.3 * (x - 0.5) * (y_lower + t / 3)'",
            "regrid.flag={criterion='user',expression='abs(q - 0.5) < 0.45 || u_edge > 0.9'}",
        ],
    ),
    (
        PLANE,
        &[
            RING,
            "solver={name='acoustics_variable'}",
            "aux.impedance='if(x + 0.3 * y < 0.5, 1, 2.3 + t)'",
            "aux.sound_speed='max(0.6, 1 - abs(x))'",
            "mesh.boundary={aux='position',x=['wall','extrapolate'],y=['extrapolate','wall']}",
            "scheme.split='strang'",
        ],
    ),
    (
        MAPPED,
        &[
            "initial.q='if((x - 0.4)^2 + (y - 0.5)^2 < 0.05, 1, 0)'",
            "aux.capacity='1.5 + 0.5 * x - 0.6 * y'",
            "aux.u_edge='0.7 - 0.4 * t'",
        ],
    ),
];

/// Criterion, sources, media and inflow in three dimensions.
pub const IN_SPACE: [Row; 4] = [
    (
        SPACE,
        &[
            BALL,
            FEW,
            "mesh.boundary={x=['extrapolate','inflow'],y=['inflow','wall'],z=['periodic','periodic']}",
            "mesh.boundary.inflow={pressure='pressure + t * z',u='u - 0.1 * y_lower',v='v',w='-w + x * dz'}",
            "solver={name='acoustics_variable'}",
            "aux.impedance='if(x + 0.3 * z < 0.5, 1, 2.3 * (1 + t))'",
            "aux.sound_speed='if(x + 0.3 * z < 0.5, 1, 0.6)'",
            "scheme.limiter='mc'",
        ],
    ),
    (SPACE, &[BALL, FEW, "regrid.flag={criterion='adjoint',tolerance=0.02,adjoint={functional={w='x'},snapshots=2}}"]),
    (
        SPACE,
        &[
            BALL,
            FEW,
            "regrid.flag={criterion='user',expression='pressure > 0.2 && z_lower > 0.1 * (1 + t)'}",
            "reduce={bulk='3 + 0.01 * max(grad(pressure * z) - dz(dy(w)))'}",
        ],
    ),
    (
        SPACE,
        &[
            BALL,
            FEW,
            "regrid.flag={criterion='difference',tolerance={pressure=0.3,speed=0.1}}",
            "source.pressure='-pressure * z_upper * sqrt(abs(y)) + 0 * r'",
            "source.w='u * v - z'",
            "scheme.source='strang'",
        ],
    ),
];

/// Asserts that both device executors are bitwise equal to the CPU after `steps`; returns what the host has computed for each of them.
fn compare<const D: usize>((text, overrides): &Row, steps: usize) -> [Vec<&'static str>; 2] {
    let mut cpu =
        Simulation::<D>::builder(&case(text, overrides)).options(&options(2)).build().unwrap_or_else(|e| panic!("{e}"));
    let devices = start_on_both::<D>(text, overrides, UserFunctions::default);
    devices
        .iter()
        .for_each(|device| assert!(bits(&cpu.frame()) == bits(&device.frame()), "{overrides:?}: bits at the start"));
    take_steps(&mut cpu, steps);
    assert!(cpu.counts().regrids > 0 && cpu.hierarchy().levels().len() == 3, "{overrides:?}");
    devices.map(|mut device| {
        take_steps(&mut device, steps);
        assert!(bits(&cpu.frame()) == bits(&device.frame()), "{overrides:?}: bits");
        assert_eq!(cpu.counts().regrids, device.counts().regrids, "{overrides:?}");
        assert_eq!(cpu.totals(), device.totals(), "{overrides:?}");
        assert_eq!(cpu.stops().expect("a number"), device.stops().expect("a number"), "{overrides:?}");
        device.host_work().iter().map(|work| work.what).collect()
    })
}

/// Asserts that the host computes nothing, except flags, boundary values and, where sides are not periodic, the first half of Strang's sources for
/// the streamed executor, whose values are in host memory.
fn compare_all<const D: usize>(table: &[Row], steps: usize) {
    for row in table {
        let [resident, streamed] = compare::<D>(row, steps);
        let has = |key: &str| row.1.iter().any(|text| text.contains(key));
        let by_host = if has("dx(dx(dx(") { &["extremes"][..] } else { &[] };
        assert!(resident == by_host, "{:?}: {resident:?}", row.1);
        let left = [
            ("boundaries", has("inflow=")),
            ("flags", has("criterion='user'") || has("criterion='adjoint'") || has("tolerance={")),
            ("source", has("source='strang'") && !has("mesh.boundary={x='periodic',y='periodic'}")),
        ];
        let left: Vec<_> = left.into_iter().filter(|(_, has)| *has).map(|(what, _)| what).collect();
        assert!(streamed == left, "{:?}: {streamed:?}", row.1);
    }
}

#[test]
fn formulas_on_a_line_are_computed_by_kernels() {
    compare_all::<1>(&ON_A_LINE, 4);
}

#[test]
fn formulas_in_a_plane_are_computed_by_kernels() {
    compare_all::<2>(&IN_A_PLANE, 4);
}

#[test]
fn formulas_in_space_are_computed_by_kernels() {
    compare_all::<3>(&IN_SPACE, 3);
}

/// Advection with initial data, auxiliary values, boundary values and criterion in the solver.
#[riemann::solver(title = "advection with sides and a criterion of its own", equations = ["q"], aux = ["drive"], waves = 1)]
pub struct Drift {
    /// speed along x
    pub speed: Real,
}

#[riemann::kernels]
impl Drift {
    fn normal(&self, axis: Axis, ql: State, qr: State, aux_r: Aux) -> Normal {
        let jump = qr[0] - ql[0];
        let speed = match axis {
            Axis::X => self.speed * aux_r[0],
            Axis::Y => 0.5,
            Axis::Z => 0.25,
        };
        Normal { waves: [[jump]], speeds: [speed], amdq: [0.0], apdq: [speed * jump] }
    }

    fn boundary(&self, axis: Axis, side: Side, x: [Real; 3], t: Real, mirror: State) -> State {
        let wave = match axis {
            Axis::X => x[1] + t,
            Axis::Y => x[0] * t,
            Axis::Z => 0.0,
        };
        let sign = match side {
            Side::Lower => 0.3,
            Side::Upper => -0.1,
        };
        [0.5 * mirror[0] + sign * wave]
    }

    fn initial(&self, cell: &Cell) -> State {
        let [x, y, _] = cell.centre;
        if x * x + y * y < 0.25 { [1.0] } else { [0.0 * self.speed] }
    }

    fn aux_values(&self, cell: &Cell) -> Aux {
        let [x, y, _] = cell.centre;
        [0.8 + 0.1 * (x * self.speed - y).sin()]
    }

    fn flag(&self, x: [Real; 3], t: Real, q: State, below: [State; 3], above: [State; 3]) -> bool {
        let steep = (above[0][0] - below[0][0]).abs() + (above[1][0] - below[1][0]).abs() > 0.05;
        (q[0] - 0.5).abs() < 0.45 && x[0] + t > 0.1 && steep
    }
}

/// A run of the solver on an executor.
pub fn drift(options: &RunOptions, make: Option<MakeExecutor<'_, 2>>) -> Simulation<2> {
    let own = [
        "solver={path='of the test'}",
        "mesh.boundary={x='user',y=['wall','user']}",
        "initial='user'",
        "aux='user'",
        "regrid.flag={criterion='user'}",
        "gauge=[]",
        "scheme={}",
    ];
    let chosen = ChosenSolver::own_in_double(Drift { speed: 0.8 });
    let own = own.map(|text| text.replace("'wall'", "'extrapolate'"));
    let case = Case::from_str_with(PLANE, "case.toml", &own, |_| Ok(chosen.shape.clone()));
    let case = case.unwrap_or_else(|e| panic!("{e}"));
    let builder = Simulation::builder(&case).options(options).solver(&chosen);
    let builder = match make {
        Some(make) => builder.executor(make),
        None => builder,
    };
    builder.build().unwrap_or_else(|e| panic!("{e}"))
}

/// A solver's own initial data, auxiliary values, boundary values and criterion are computed by kernels too.
#[test]
fn functions_of_a_solver_are_computed_by_kernels() {
    let mut cpu = drift(&options(2), None);
    let mut device = drift(&options(2), Some(&emulated));
    take_steps(&mut cpu, 6);
    take_steps(&mut device, 6);
    assert!(cpu.hierarchy().levels().len() == 3 && bits(&cpu.frame()) == bits(&device.frame()));
    assert_eq!(device.host_work(), []);
}

/// The error that ends a run on the CPU; devices must give the same.
fn fails_alike<const D: usize>(text: &str, overrides: &[&str]) -> String {
    let error = |mut simulation: Simulation<D>| {
        (0..60).find_map(|_| simulation.step().err()).expect("the run fails").to_string()
    };
    let cpu = Simulation::<D>::builder(&case(text, overrides)).options(&options(2)).build();
    let expected = error(cpu.unwrap_or_else(|e| panic!("{e}")));
    for device in start_on_both::<D>(text, overrides, UserFunctions::default) {
        assert_eq!(expected, error(device));
    }
    expected
}

/// Inflow that is NaN, or that the solver does not allow, gives the CPU's error.
#[test]
fn inflow_is_refused_as_by_the_cpu() {
    for density in ["if(t > 0.01, sqrt(0 - t), 1)", "1 - 100 * t"] {
        let inflow = format!("mesh.boundary.inflow={{density='{density}',x_momentum='0',energy='2'}}");
        let error = fails_alike::<1>(LINE, &["mesh.boundary={x=['inflow','wall']}", &inflow, "levels={max=1}"]);
        assert!(error.contains("density is "), "{error}");
    }
}

/// Auxiliary values that must be positive are checked whenever they change: a negative impedance would give finite states.
#[test]
fn auxiliary_values_are_refused_as_by_the_cpu() {
    // The last one fails first in ghost cells, which have values of their own positions.
    for (impedance, speed, named) in [
        ("1 - 400 * t * r", "1", "impedance is -"),
        ("1", "if(t > 0.002 && r > 0.5, 0, 1)", "sound_speed is 0 on"),
        ("1.33 - x - 20 * t", "1", "ghost cell [34, "),
    ] {
        let aux = format!("aux={{impedance='{impedance}',sound_speed='{speed}'}}");
        let media = [RING, "solver={name='acoustics_variable'}", &aux, "gauge=[]", "mesh.boundary.aux='position'"];
        let error = fails_alike::<2>(PLANE, &[&media[..], &["time.dt_initial=1e-3", "time.dt_max=1e-3"]].concat());
        assert!(error.contains(named) && error.contains("it must be positive"), "{error}");
    }
}

/// Sources that are too stiff for explicit steps are refused with the CPU's error, whether the first look finds them or the steps themselves.
#[test]
fn stiff_sources_are_refused_as_by_the_cpu() {
    for source in ["source.pressure='-1e4 * pressure'", "source.pressure='-if(t > 0.1, 1e4, 1) * pressure'"] {
        let error = fails_alike::<2>(PLANE, &[RING, source, "levels={max=1}", "gauge=[]"]);
        assert!(error.contains("eigenvalue"), "{error}");
    }
}

/// Initial data in Rust.
struct Ramp;

impl CellFunction<2> for Ramp {
    fn num_values(&self) -> usize {
        1
    }

    fn fill_row(&self, row: &CellRow<2>, out: &mut [f64]) {
        (0..row.len).for_each(|i| out[i] = f64::from(u8::from(row.centre(i)[0] < 0.5)));
    }
}

/// A source in Rust.
struct Decay;

impl StateFunction<2> for Decay {
    fn num_values(&self) -> usize {
        1
    }

    fn fill_row(&self, _: &CellRow<2>, state: &[f64], _: &[f64], out: &mut [f64]) {
        out.iter_mut().zip(state).for_each(|(rate, q)| *rate = -0.5 * q);
    }
}

/// Functions in Rust are computed by the host, and reported as its work.
#[test]
fn rust_is_computed_by_the_host() {
    let user =
        || UserFunctions { initial: Some(Arc::new(Ramp)), source: Some(Arc::new(Decay)), ..UserFunctions::default() };
    let overrides = ["initial='user'"];
    let cpu = Simulation::builder(&case(FLOW, &overrides)).options(&options(2)).functions(user()).build();
    let mut cpu = cpu.unwrap_or_else(|e| panic!("{e}"));
    take_steps(&mut cpu, 4);
    assert!(cpu.host_work().is_empty());
    for mut device in start_on_both::<2>(FLOW, &overrides, user) {
        take_steps(&mut device, 4);
        assert!(bits(&cpu.frame()) == bits(&device.frame()));
        let work = device.host_work();
        assert_eq!(work.iter().map(|work| work.what).collect::<Vec<_>>(), ["initial data", "source"]);
        assert!(work.iter().all(|work| work.times > 0 && work.cells > 0));
    }
}
