//! Each feature of the physics and of the mesh by what it does to a solution: source terms, boundaries, capacity, auxiliary values,
//! criteria, limiters, precision, steps and ratios.

mod common;

use amrclaw::io::config::{Case, SolverShape};
use amrclaw::physics::{BoundaryCell, BoundaryFunction};
use amrclaw::simulation::{Precision, RunOptions, Simulation, UserFunctions};
use common::{
    absolute_totals, advance_to, case, for_each_finest_cell, l1_error, largest_difference, orders, start, start_with,
    take_steps,
};
use riemann::patch::SolverKernels;
use riemann::prelude::*;
use std::f64::consts::{PI, TAU};
use std::sync::Arc;

/// One level on the unit square, periodic, with a fixed step.
fn periodic(cells: [usize; 2], dt: f64) -> String {
    format!(
        r#"
[mesh]
cells = {cells:?}
[mesh.boundary]
x = ["periodic", "periodic"]
y = ["periodic", "periodic"]
[scheme]
limiter = "none"
[time]
end = 10.0
dt = {dt}
"#
    )
}

/// `q_t = −3 q` decays by the midpoint rule, whose error is of second order in the step: per step `(3 dt)³/6` at most.
#[test]
fn a_source_decays_exponentially() {
    let errors = [1, 2, 4].map(|n| {
        let text = format!(
            "[solver]\nname = \"advection\"\nu = 1.0\nv = 0.5\n[initial]\nq = \"2\"\n[source]\nq = \"-3 * q\"\n{}",
            periodic([9, 7], 0.04 / f64::from(n))
        );
        let mut simulation = start(&text, &["scheme.source=\"strang\""]);
        advance_to(&mut simulation, 0.4);
        l1_error(&simulation.frame(), 0, |_| 2.0 * (-1.2_f64).exp())
    });
    let found = orders(&errors);
    assert!(found.iter().all(|order| (1.9..2.2).contains(order)), "errors {errors:?}, orders {found:?}");
}

/// `q_t + q_x = −(1 + sin 2πx) q`: transport and source do not commute. Strang's splitting is of second order, Godunov's of first.
#[test]
fn splittings_have_their_orders() {
    let exact = |x: [f64; 2], t: f64| {
        let from = x[0] - t;
        let lost = t + ((TAU * from).cos() - (TAU * x[0]).cos()) / TAU;
        (2.0 + (TAU * from).sin()) * (-lost).exp()
    };
    let orders_of = |split: &str| {
        let errors = [1, 2, 4].map(|n| {
            let text = format!(
                "[solver]\nname = \"advection\"\nu = 1.0\nv = 0.0\n[initial]\nq = \"2 + sin(2 * pi * x)\"\n\
                 [source]\nq = \"-(1 + sin(2 * pi * x)) * q\"\n{}",
                periodic([96 * n, 3], 0.005 / n as f64)
            );
            let mut simulation = start(&text, &[&format!("scheme.source=\"{split}\"")]);
            advance_to(&mut simulation, 0.4);
            l1_error(&simulation.frame(), 0, |x| exact(x, 0.4))
        });
        orders(&errors)
    };
    let (strang, godunov) = (orders_of("strang"), orders_of("godunov"));
    assert!(strang.iter().all(|&order| order > 1.9), "Strang: {strang:?}");
    assert!(godunov.iter().all(|order| (0.8..1.5).contains(order)), "Godunov: {godunov:?}");
}

/// Ghost cells of a plane wave of sound that comes in at the left at an angle; exact for sound speed 2 and impedance 2.
struct PlaneWave;

const DIRECTION: [f64; 2] = [0.8, 0.6];

fn incoming(x: [f64; 2], t: f64, m: usize) -> f64 {
    let phase = x[0] * DIRECTION[0] + x[1] * DIRECTION[1] - 2.0 * t;
    (PI * phase).sin() * [1.0, 0.5 * DIRECTION[0], 0.5 * DIRECTION[1]][m]
}

impl BoundaryFunction<2> for PlaneWave {
    fn fill(&self, cell: &BoundaryCell<2>, mirror: &[f64], ghost: &mut [f64]) {
        assert_eq!(mirror.len(), 3);
        ghost.iter_mut().enumerate().for_each(|(m, value)| *value = incoming(cell.centre, cell.time, m));
    }
}

/// A user's boundary lets an exact wave enter, at every level's own time: it is then wherever it has come to, with an error of second
/// order. A fine patch lies on the boundary.
#[test]
fn a_users_boundary_lets_a_wave_enter() {
    let errors = [1, 2, 4].map(|n| {
        let text = format!(
            r#"
[solver]
name = "acoustics"
density = 1.0
bulk = 4.0
[mesh]
cells = [{}, {}]
[mesh.boundary]
x = ["user", "user"]
y = ["user", "user"]
[levels]
max = 2
ratio = [2]
[regrid]
interval = 100
buffer = 0
[regrid.flag]
criterion = "difference"
tolerance = 1e9
[[regrid.region]]
levels = [2, 2]
lower = [0.0, 0.26]
upper = [0.49, 0.74]
[scheme]
limiter = "none"
[time]
end = 10.0
dt = {}
[initial]
pressure = "sin(pi * (0.8 * x + 0.6 * y))"
u = "0.4 * sin(pi * (0.8 * x + 0.6 * y))"
v = "0.3 * sin(pi * (0.8 * x + 0.6 * y))"
"#,
            16 * n,
            12 * n,
            0.02 / n as f64
        );
        let mut simulation =
            start_with(&text, &[], UserFunctions { boundary: Some(Arc::new(PlaneWave)), ..UserFunctions::default() });
        // The wave crosses the domain; nothing of the initial data is left.
        advance_to(&mut simulation, 1.0);
        l1_error(&simulation.frame(), 0, |x| incoming(x, 1.0, 0))
    });
    let found = orders(&errors);
    assert!(found.iter().all(|&order| order > 1.8), "errors {errors:?}, orders {found:?}");
    assert!(errors[2] < 1e-3, "{errors:?}");
}

/// Advection of `κ q_t + u q_x = 0` along x.
#[derive(Clone)]
struct WithCapacity {
    u: f64,
}

impl Solver<1, 1, 1> for WithCapacity {
    const DIM: usize = 2;
    const EQUATIONS: [&'static str; 1] = ["q"];
    const AUX: [&'static str; 1] = ["kappa"];
    const WALL_NORMAL: [Option<usize>; 3] = [None; 3];

    #[inline(always)]
    fn normal<V: Real>(&self, axis: Axis, ql: [V; 1], qr: [V; 1], _: [V; 1], _: [V; 1]) -> Normal<V, 1, 1> {
        let speed = V::constant(if axis == Axis::X { self.u } else { 0.0 });
        let wave = qr[0] - ql[0];
        Normal { waves: [[wave]], speeds: [speed], amdq: [V::zero()], apdq: [speed * wave] }
    }

    #[inline(always)]
    fn transverse<V: Real>(
        &self,
        axis: Axis,
        _: Side,
        _: [V; 1],
        _: [V; 1],
        _: &TransverseAux<V, 1>,
        asdq: [V; 1],
    ) -> Transverse<V, 1> {
        let speed = V::constant(if axis == Axis::X { 0.0 } else { self.u });
        Transverse { bmasdq: [V::zero()], bpasdq: [speed * asdq[0]] }
    }
}

/// Doubling the capacity halves the speed: the same as half the velocity with capacity one, but for round-off.
#[test]
fn capacity_divides_the_speed() {
    let shape = SolverShape {
        name: "with_capacity".to_string(),
        dimension: 2,
        equations: vec!["q".to_string()],
        aux: vec!["kappa".to_string()],
        waves: 1,
        parameters: Vec::new(),
        has_source: false,
        wall: [false; 3],
    };
    let run = |u: f64, kappa: f64| {
        let text = format!(
            "[solver]\npath = \"of the test\"\n[aux]\nkappa = \"{kappa}\"\n\
             [initial]\nq = \"exp(-160 * ((x - 0.3)^2 + (y - 0.5)^2))\"\n{}",
            periodic([41, 23], 0.01)
        );
        let overrides =
            ["scheme.capacity=\"kappa\"", "scheme.limiter=\"mc\"", "levels.max=2", "regrid.flag.tolerance=0.1"];
        let overrides = overrides.map(str::to_string);
        let case = Case::from_str_with(&text, "case.toml", &overrides, |_| Ok(shape.clone()))
            .unwrap_or_else(|e| panic!("{e}"));
        let kernels = SolverKernels::new(WithCapacity { u });
        let options = RunOptions { threads: Some(2), ..RunOptions::default() };
        let simulation = Simulation::with_solver(&case, &options, &shape, &kernels, UserFunctions::default());
        let mut simulation = simulation.unwrap_or_else(|e| panic!("{e}"));
        take_steps(&mut simulation, 20);
        simulation
    };
    let (doubled, half) = (run(1.0, 2.0), run(0.5, 1.0));
    let difference = largest_difference(&doubled.frame(), &half.frame());
    assert!(difference < 1e-13, "{difference:e}");
    assert!((doubled.totals()[0] / half.totals()[0] - 2.0).abs() < 1e-13, "totals are weighted with the capacity");
    // The hump has moved by 0.1 = ½ · 0.2.
    let (mut sum, mut moment) = (0.0, 0.0);
    for_each_finest_cell(&doubled.frame(), |_, x, dx, q| {
        sum += q[0] * dx[0] * dx[1];
        moment += q[0] * x[0] * dx[0] * dx[1];
    });
    assert!((moment / sum - 0.4).abs() < 5e-3, "the hump is at x = {}", moment / sum);
}

/// At a jump of the impedance Z a wave is reflected by `(Z₂ − Z₁)/(Z₂ + Z₁)` and transmitted by `2 Z₂/(Z₁ + Z₂)`: LeVeque 2002, §9.8.
/// The auxiliary values must be in place on every level, ghost cells too: the interface crosses the fine patch.
#[test]
fn auxiliary_values_reflect_and_transmit() {
    let text = r#"
[solver]
name = "acoustics_variable"
[mesh]
lower = [-1.0, 0.0]
cells = [200, 5]
[mesh.boundary]
x = ["extrapolate", "extrapolate"]
y = ["periodic", "periodic"]
[levels]
max = 2
ratio = [2]
[regrid]
interval = 4
[regrid.flag]
tolerance = 0.02
[aux]
impedance = "if(x < 0, 1, 3)"
sound_speed = "if(x < 0, 1, 1.5)"
[time]
end = 1.0
dt_initial = 1e-3
[initial]
pressure = "if(abs(x + 0.4) < 0.2, cos(pi * (x + 0.4) / 0.4)^2, 0)"
u = "if(abs(x + 0.4) < 0.2, cos(pi * (x + 0.4) / 0.4)^2, 0)"
v = "0"
"#;
    let mut simulation = start(text, &[]);
    advance_to(&mut simulation, 0.8);
    // The hump of width 0.4 reaches the interface at t = 0.4: reflected it stands about −0.4, transmitted about 0.6.
    let (mut reflected, mut transmitted) = (0.0_f64, 0.0_f64);
    for_each_finest_cell(&simulation.frame(), |_, x, _, q| {
        let side = if x[0] < 0.0 { &mut reflected } else { &mut transmitted };
        *side = side.max(q[0]);
        assert!(q[2].abs() < 1e-12, "the wave runs along x");
    });
    // Limiters take some two hundredths of a smooth peak.
    assert!((reflected - 0.5).abs() < 0.02 && (transmitted - 1.5).abs() < 0.04, "{reflected}, {transmitted}");
}

/// A steep front at x = 0.25 and a slow rise elsewhere, with room between them.
const STEEP_AND_FLAT: &str = r#"
[solver]
name = "advection"
u = 1.0
v = 0.3
[mesh]
cells = [80, 20]
[levels]
max = 2
ratio = [2]
[regrid]
interval = 4
buffer = 2
[time]
end = 1.0
dt_initial = 5e-3
[initial]
q = "tanh(40 * (x - 0.25)) + 0.05 * cos(2 * pi * x)"
"#;

/// Range along x of the cells of level 2.
fn refined(simulation: &Simulation<2>) -> [f64; 2] {
    let mut range = [f64::INFINITY, f64::NEG_INFINITY];
    for_each_finest_cell(&simulation.frame(), |level, x, dx, _| {
        if level == 1 {
            range = [range[0].min(x[0] - 0.5 * dx[0]), range[1].max(x[0] + 0.5 * dx[0])];
        }
    });
    range
}

/// Both criteria find the front, not the slow rise, and follow it.
#[test]
fn criteria_follow_the_front() {
    let criteria: [&[&str]; 3] = [
        &["regrid.flag.criterion=\"richardson\"", "regrid.flag.tolerance=3e-4"],
        &["regrid.flag.criterion=\"difference\"", "regrid.flag.tolerance=0.2"],
        &["regrid.flag.criterion=\"user\"", "regrid.flag.expression=\"abs(q - 0.05 * cos(2 * pi * x)) < 0.9\""],
    ];
    for criterion in criteria {
        let mut simulation = start(STEEP_AND_FLAT, criterion);
        for (t, front) in [(0.0, 0.25), (0.3, 0.55)] {
            if t > 0.0 {
                advance_to(&mut simulation, t);
            }
            let [from, to] = refined(&simulation);
            let near = from > front - 0.2 && to < front + 0.2;
            assert!(near && from < front && front < to, "{criterion:?}, t = {t}: refined from {from} to {to}");
        }
    }
}

/// An expression of the criterion is asked for cell by cell: exactly the cells where it is not zero, without a buffer.
#[test]
fn an_expression_refines_where_it_is_not_zero() {
    let overrides = [
        "regrid.flag.criterion=\"user\"",
        "regrid.flag.expression=\"x > 0.5 && x < 0.75 && y < 0.5\"",
        "regrid.buffer=0",
        "regrid.cutoff=1.0",
    ];
    let simulation = start(STEEP_AND_FLAT, &overrides);
    let patches = simulation.hierarchy().levels()[1].patches();
    assert_eq!(patches.len(), 1, "{patches:?}");
    assert_eq!((patches[0].lo, patches[0].hi), ([80, 0], [120, 20]));
}

/// Sound that runs to the right has no wave of the first family: the limiter of the second alone matters.
#[test]
fn limiters_belong_to_waves() {
    let run = |limiters: [&str; 2]| {
        let text = format!(
            r#"
[solver]
name = "acoustics"
density = 1.0
bulk = 4.0
[initial]
pressure = "if(abs(x - 0.4) < 0.15, 1, 0)"
u = "if(abs(x - 0.4) < 0.15, 0.5, 0)"
v = "0"
{}"#,
            periodic([61, 3], 0.005)
        );
        let mut simulation = start(&text, &[&format!("scheme.limiter={limiters:?}")]);
        take_steps(&mut simulation, 30);
        simulation.frame()
    };
    let frame = run(["none", "superbee"]);
    assert!(largest_difference(&frame, &run(["minmod", "superbee"])) < 1e-13);
    assert!(largest_difference(&frame, &run(["superbee", "none"])) > 0.05);
    // Without a limiter the jumps overshoot, with one they do not.
    let overshoot = |limiters| {
        let mut largest: f64 = 0.0;
        for_each_finest_cell(&run(limiters), |_, _, _, q| largest = largest.max(q[0]));
        largest - 1.0
    };
    assert!(overshoot(["none", "superbee"]) < 1e-12);
    assert!(overshoot(["superbee", "none"]) > 0.05);
}

/// Gas with three levels in single precision: the same to its round-off over some hundred steps.
#[test]
fn single_precision_is_close_to_double() {
    let text = format!(
        r#"
[solver]
name = "euler"
[initial]
density = "1 + 0.5 * exp(-40 * ((x - 0.4)^2 + (y - 0.5)^2))"
x_momentum = "0.3"
y_momentum = "-0.2"
energy = "2.5 + exp(-40 * ((x - 0.4)^2 + (y - 0.5)^2))"
[levels]
max = 3
ratio = [2, 2]
[regrid]
interval = 1000
[regrid.flag]
tolerance = 0.1
{}"#,
        periodic([33, 25], 0.008)
    );
    let run = |precision| {
        let options = RunOptions { threads: Some(2), precision, ..RunOptions::default() };
        let mut simulation = Simulation::<2>::from_case(&case(&text, &[]), &options).unwrap_or_else(|e| panic!("{e}"));
        take_steps(&mut simulation, 30);
        simulation
    };
    let (single, double) = (run(Precision::F32), run(Precision::F64));
    assert!(2 * single.memory_bytes()[0] < 12 * double.memory_bytes()[0] / 10, "numbers take half the memory");
    let difference = largest_difference(&single.frame(), &double.frame());
    assert!(difference < 1e-4, "{difference:e}");
    assert!(difference > 1e-9, "single precision is seen: {difference:e}");
}

/// A blob of dense gas that drifts through three levels, periodic.
fn drifting(extra: &str) -> String {
    format!(
        r#"
[solver]
name = "euler"
[mesh]
cells = [24, 20]
[mesh.boundary]
x = ["periodic", "periodic"]
y = ["periodic", "periodic"]
[initial]
density = "1 + exp(-60 * ((x - 0.4)^2 + (y - 0.5)^2))"
x_momentum = "0.5 * (1 + exp(-60 * ((x - 0.4)^2 + (y - 0.5)^2)))"
y_momentum = "-0.3 * (1 + exp(-60 * ((x - 0.4)^2 + (y - 0.5)^2)))"
energy = "2.5 + 0.17 * (1 + exp(-60 * ((x - 0.4)^2 + (y - 0.5)^2)))"
[regrid]
interval = 3
[regrid.flag]
tolerance = 0.1
[time]
end = 1.0
dt_initial = 1e-3
{extra}"#
    )
}

/// Error of the density of [`drifting`], exact but for the periodic images, which are smaller than 1e-6.
fn drift_error(simulation: &Simulation<2>) -> f64 {
    let t = simulation.time();
    l1_error(&simulation.frame(), 0, |x| {
        1.0 + (-60.0 * ((x[0] - 0.4 - 0.5 * t).powi(2) + (x[1] - 0.5 + 0.3 * t).powi(2))).exp()
    })
}

fn assert_mass_is_kept(simulation: &Simulation<2>, before: &[f64]) {
    let scale = absolute_totals(&simulation.frame());
    for (m, (after, before)) in simulation.totals().iter().zip(before).enumerate() {
        assert!((after - before).abs() <= 1e-13 * scale[m], "equation {m}: {before} has become {after}");
    }
}

/// More substeps than the ratio in space asks for, and so many as the case says.
#[test]
fn the_ratio_in_time_is_the_cases() {
    let dt = 0.008;
    let run = |ratio_time: &str| {
        let text = drifting(&format!("dt = {dt}\n[levels]\nmax = 3\nratio = [2, 2]\nratio_time = {ratio_time}\n"));
        let mut simulation = start(&text, &[]);
        let before = simulation.totals();
        take_steps(&mut simulation, 20);
        assert_eq!(simulation.time().to_bits(), (0..20).fold(0.0, |t: f64, _| t + dt).to_bits(), "steps are fixed");
        assert_mass_is_kept(&simulation, &before);
        let steps: Vec<u64> = simulation.counts().levels.iter().map(|l| l.steps).collect();
        (steps, drift_error(&simulation))
    };
    let (usual, more) = (run("[2, 2]"), run("[3, 4]"));
    assert_eq!(usual.0, [20, 40, 80]);
    assert_eq!(more.0, [20, 60, 240]);
    assert!(more.1 < 2.0 * usual.1, "errors {} and {}", more.1, usual.1);
}

/// Other ratios along x than along y: cells have the sizes they should, the solution is better for them, and nothing is lost.
#[test]
fn ratios_may_differ_between_axes() {
    let run = |levels: &str| {
        let mut simulation = start(&drifting(levels), &[]);
        let before = simulation.totals();
        advance_to(&mut simulation, 0.3);
        assert_mass_is_kept(&simulation, &before);
        simulation
    };
    let coarse = run("");
    let fine = run("[output]\nformat = []\n[levels]\nmax = 3\nratio = [[2, 4], [4, 2]]\n");
    let frame = fine.frame();
    let sizes: Vec<[i32; 2]> = frame.levels.iter().map(|l| l.dx.map(|h| (1.0 / h).round() as i32)).collect();
    assert_eq!(sizes, [[24, 20], [48, 80], [192, 160]]);
    let errors = [drift_error(&coarse), drift_error(&fine)];
    assert!(errors[1] < 0.2 * errors[0], "errors {errors:?}");
}
