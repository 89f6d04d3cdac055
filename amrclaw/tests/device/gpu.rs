//! Tests that need a real GPU: every solver on both executors, in all precisions. `AMRCLAW_TEST_GPU=1 … -- --include-ignored`

use super::common::{advance_to, bits, case, take_steps};
use super::formulas::{IN_A_PLANE, IN_SPACE, ON_A_LINE, Row, drift};
use super::machines::Gpu;
use super::space;
use super::table::{CASES, arranged, with_walls};
use amrclaw::case::{Case, SolverFormulas, SolverShape};
use amrclaw::frames::frame::Frame;
use amrclaw::physics::{BoundaryCell, BoundaryFunction};
use amrclaw::plugin::ChosenSolver;
use amrclaw::simulation::{Device, Precision, RunOptions, Simulation, UserFunctions};
use riemann::patch::SolverKernels;
use riemann::prelude::*;
use std::sync::Arc;

const DEVICES: [Device; 2] = [Device::Cuda, Device::CudaStreamed];
/// Coarse steps, with a regrid every second one.
const STEPS: usize = 8;

/// Options without fused multiply-adds.
fn plain(device: Device) -> RunOptions {
    RunOptions { threads: Some(2), device, no_fused: true, ..RunOptions::default() }
}

fn start(text: &str, overrides: &[&str], options: &RunOptions) -> Simulation<2> {
    let simulation = Simulation::builder(&case(text, overrides)).options(options).build();
    simulation.unwrap_or_else(|e| panic!("{}: {e}\n{text}", options.device.name()))
}

/// Takes steps on the CPU and on both device executors, and asserts that everything is bitwise equal.
fn same_bits<const D: usize>(what: &str, steps: usize, start: impl Fn(&RunOptions) -> Simulation<D>) {
    let mut cpu = start(&plain(Device::Cpu));
    take_steps(&mut cpu, steps);
    let expected = bits(&cpu.frame());
    for device in DEVICES {
        let what = format!("{what} on {}", device.name());
        let mut found = start(&plain(device));
        take_steps(&mut found, steps);
        assert_eq!(cpu.counts(), found.counts(), "{what}");
        let values = bits(&found.frame());
        let different = expected.iter().zip(&values).filter(|(a, b)| a != b).count();
        assert_eq!((different, expected.len()), (0, values.len()), "{what}: bits");
        assert_eq!(cpu.totals(), found.totals(), "{what}: totals");
        assert_eq!(cpu.dt_next().to_bits(), found.dt_next().to_bits(), "{what}: next step");
        for (a, b) in cpu.gauges().iter().zip(found.gauges()) {
            assert!(a.len() >= steps && a.samples().eq(b.samples()), "{what}: gauges");
        }
    }
}

/// Largest difference between two frames on the same patches, relative to the largest value of each component.
fn relative_difference(a: &Frame<2>, b: &Frame<2>) -> f64 {
    let mut found = vec![[0.0f64; 2]; a.equations.len()];
    assert_eq!(a.levels.len(), b.levels.len());
    for (a, b) in a.levels.iter().zip(&b.levels) {
        assert_eq!(a.patches.len(), b.patches.len());
        for (a, b) in a.patches.iter().zip(&b.patches) {
            assert_eq!(a.cells, b.cells, "other patches");
            let volume = a.cells.volume();
            for (k, (x, y)) in a.q.iter().zip(&b.q).enumerate() {
                let [difference, size] = &mut found[k / volume];
                *difference = difference.max((x - y).abs());
                *size = size.max(x.abs());
            }
        }
    }
    // A component that is only round-off, such as momentum along the other axis, is measured relative to the largest of all.
    let scale = found.iter().fold(0.0f64, |scale, [_, size]| scale.max(*size));
    found.iter().map(|[difference, size]| difference / size.max(1e-3 * scale)).fold(0.0, f64::max)
}

/// Bound for fused operations in `f64`, which differ by round-off: each of 32 steps of the finest level adds a few units in the last
/// place, 1e-16, which limiters and nonlinear speeds amplify; the largest difference seen on an H200 is 8e-15.
const FUSED: f64 = 1e-13;
/// The same for `f32` on both, whose unit in the last place is 6e-8; the largest difference seen is 5e-6.
const SINGLE: f64 = 2e-5;

fn solver_agrees(name: &str) {
    let (_, text) = *CASES.iter().find(|(other, _)| *other == name).expect("it is in the table");
    let arrangements = [
        (if with_walls(name) { "wall" } else { "extrapolate" }, "[2, 2]", "unsplit"),
        ("extrapolate", "[[2, 4], [4, 2]]", "strang"),
        ("periodic", "[4, 2]", "godunov"),
    ];
    for (boundary, ratio, split) in arrangements {
        let overrides = arranged(boundary, ratio, split);
        let what = format!("{name}, {boundary}, {ratio}, {split}");
        same_bits::<2>(&what, STEPS, |options| start(text, &overrides.each_ref().map(String::as_str), options));
    }
    let overrides = arranged("extrapolate", "[2, 2]", "unsplit");
    for (precision, tolerance) in [(Precision::F64, FUSED), (Precision::F32, SINGLE)] {
        let run = |device| {
            let options = RunOptions { threads: Some(2), device, precision, ..RunOptions::default() };
            let mut simulation = start(text, &overrides.each_ref().map(String::as_str), &options);
            take_steps(&mut simulation, STEPS);
            simulation.frame()
        };
        let cpu = run(Device::Cpu);
        for device in DEVICES {
            let found = run(device);
            let difference = relative_difference(&cpu, &found);
            println!("{name:25} {:14} {} fused: differs by {difference:.1e}", device.name(), precision.name());
            assert!(difference <= tolerance, "{name}, {}, {}: {difference:e}", device.name(), precision.name());
            assert_eq!(bits(&found), bits(&run(device)), "{name}, {}: a second run differs", device.name());
        }
    }
}

macro_rules! solvers_agree {
    ($($name:ident)*) => {$(
        #[test]
        #[ignore = "needs a GPU"]
        fn $name() {
            solver_agrees(stringify!($name));
        }
    )*

        /// Every built-in solver is in the table but those whose kernels are compiled on demand.
        #[test]
        fn all_solvers_are_in_the_table() {
            let named = [$(stringify!($name)),*];
            for info in riemann::catalogue::all().iter().filter(|info| !info.on_demand) {
                assert!(named.contains(&info.name) && CASES.iter().any(|(name, _)| *name == info.name), "{}", info.name);
            }
        }
    };
}

solvers_agree! {
    acoustics acoustics_variable advection advection_edge advection_mapped advection_reaction burgers elasticity euler euler_hllc
    euler_strong_shocks euler_tracer p_system shallow_water shallow_water_bathymetry traffic
}

/// Three dimensions, which have update kernels of their own.
#[test]
#[ignore = "needs a GPU"]
fn space_agrees() {
    for (text, overrides) in space::CASES {
        same_bits::<3>(&format!("{overrides:?}"), STEPS, |options| {
            Simulation::builder(&case(text, overrides))
                .options(options)
                .build()
                .unwrap_or_else(|e| panic!("{e}\n{text}"))
        });
    }
}

/// Criteria that the host evaluates, other orders and limiters, a rejected step, source terms of the case file.
#[test]
#[ignore = "needs a GPU"]
fn options_of_cases_agree() {
    let (_, sound) = CASES[0];
    let walls = arranged("wall", "[2, 2]", "unsplit");
    let table: &[&[&str]] = &[
        &["regrid.flag.criterion=\"richardson\"", "regrid.flag.tolerance=1e-3"],
        &["regrid.flag.criterion=\"user\"", "regrid.flag.expression=\"pressure > 0.4 + 0.1 * x\""],
        &["scheme.order=1", "scheme.transverse=0", "time.cfl_desired=0.4"],
        &["scheme.transverse=1", "scheme.limiter=[\"superbee\",\"minmod\"]"],
        &["time.dt_initial=3.0"],
        &["source.pressure=\"-2 * pressure * x\"", "scheme.source=\"strang\""],
        &["source.u=\"0.3 * pressure\"", "scheme.source=\"godunov\"", "scheme.split=\"strang\""],
        &["regrid.conservation_fix=false"],
        &["levels.max=1", "levels.ratio=[]"],
    ];
    for overrides in table {
        let all = walls.iter().map(String::as_str).chain(overrides.iter().copied()).collect::<Vec<_>>();
        same_bits::<2>(&format!("{overrides:?}"), STEPS, |options| start(sound, &all, options));
    }
}

/// Formulas of all kinds and a solver's own functions, which kernels compute.
#[test]
#[ignore = "needs a GPU"]
fn formulas_agree() {
    fn all<const D: usize>(rows: &[Row]) {
        for (text, overrides) in rows {
            same_bits::<D>(&format!("{overrides:?}"), STEPS, |options| {
                let simulation = Simulation::builder(&case(text, overrides)).options(options).build();
                simulation.unwrap_or_else(|e| panic!("{overrides:?}: {e}"))
            });
        }
    }
    all::<1>(&ON_A_LINE);
    all::<2>(&IN_A_PLANE);
    all::<3>(&IN_SPACE);
    same_bits::<2>("a solver's functions", STEPS, |options| drift(options, None));
}

/// Waves that come in at a side.
struct Inflow;

impl BoundaryFunction<2> for Inflow {
    fn fill(&self, cell: &BoundaryCell<2>, mirror: &[f64], ghost: &mut [f64]) {
        ghost[0] = 0.5 * mirror[0] + cell.centre[1] + cell.time;
    }
}

#[test]
#[ignore = "needs a GPU"]
fn boundaries_of_the_users_agree() {
    let (_, sound) = CASES[0];
    let case = case(sound, &["mesh.boundary.x=[\"user\",\"wall\"]", "mesh.boundary.y=\"extrapolate\""]);
    same_bits::<2>("inflow", STEPS, |options| {
        let user = UserFunctions { boundary: Some(Arc::new(Inflow)), ..UserFunctions::default() };
        Simulation::builder(&case).options(options).functions(user).build().unwrap_or_else(|e| panic!("{e}"))
    });
}

/// Burgers' equation in one dimension.
#[riemann::solver(title = "Burgers' equation along a line", dim = 1, equations = ["q"], waves = 1)]
pub struct Line {}

#[riemann::kernels]
impl Line {
    fn normal(&self, ql: State, qr: State) -> Normal {
        let jump = qr[0] - ql[0];
        let speed = 0.5 * (ql[0] + qr[0]);
        let down = speed.min(0.0) * jump;
        let up = speed.max(0.0) * jump;
        Normal { waves: [[jump]], speeds: [speed], amdq: [down], apdq: [up] }
    }
}

const PULSE: &str = include_str!("../cases/features/pulse_on_a_line.toml");

#[test]
#[ignore = "needs a GPU"]
fn one_dimension_agrees() {
    let shape = SolverShape {
        name: "line".to_string(),
        dimension: 1,
        equations: vec!["q".to_string()],
        aux: Vec::new(),
        positive: Vec::new(),
        waves: 1,
        parameters: Vec::new(),
        has_transverse: false,
        has_source: false,
        of_time: false,
        groups: Vec::new(),
        aux_groups: Vec::new(),
        directions: true,
        looks_beside: false,
        fwaves: false,
        formulas: SolverFormulas::default(),
    };
    let own = ["solver={path='of the test'}", "initial.q='0.5 + exp(-300 * (x - 0.4)^2)'"].map(str::to_owned);
    let case = Case::from_str_with(PULSE, "case.toml", &own, |_| Ok(shape.clone())).unwrap_or_else(|e| panic!("{e}"));
    let solver = ChosenSolver::of_kernels(shape, SolverKernels::new(Line {}));
    same_bits::<1>("one dimension", 3 * STEPS, |options| {
        let simulation = Simulation::builder(&case).options(options).solver(&solver).build();
        simulation.unwrap_or_else(|e| panic!("{e}"))
    });
}

/// Random cases that the emulator checks too, more of them.
macro_rules! random_cases_agree {
    ($($name:ident = $module:ident::$compare:ident)*) => {$(
        #[test]
        #[ignore = "needs a GPU"]
        fn $name() {
            super::$module::$compare::<Gpu>();
        }
    )*};
}

random_cases_agree! {
    random_tags_on_a_line_agree = flags::compare_on_a_line
    random_tags_in_a_plane_agree = flags::compare_in_a_plane
    random_tags_in_space_agree = flags::compare_in_space
    random_boxes_on_a_line_agree = refine::compare_on_a_line
    random_boxes_in_a_plane_agree = refine::compare_in_a_plane
    random_boxes_in_space_agree = refine::compare_in_space
    boxes_with_many_parts_in_a_plane_agree = refine::compare_many_parts_in_a_plane
    boxes_with_many_parts_in_space_agree = refine::compare_many_parts_in_space
    random_tables_on_a_line_agree = plans::compare_on_a_line
    random_tables_in_a_plane_agree = plans::compare_in_a_plane
    random_tables_in_space_agree = plans::compare_in_space
    levels_without_room_agree = plans::compare_levels_without_room
}

/// A smaller run of the paper's benchmark, which regrids often.
fn benchmark(device: Device, device_memory: Option<u64>) -> Result<Simulation<2>, String> {
    let text = include_str!("../../../examples/acoustics_radial/case.toml");
    let options = RunOptions { threads: Some(4), device_memory, ..plain(device) };
    let overrides = ["mesh.cells=[150,150]", "regrid.interval=2", "output.format=[]"];
    Simulation::builder(&case(text, &overrides)).options(&options).build().map_err(|e| e.to_string())
}

/// After the third regrid of each level, neither device memory nor pinned memory is allocated from the driver any more, although
/// patches change.
#[test]
#[ignore = "needs a GPU"]
fn drivers_are_asked_for_no_memory_after_some_regrids() {
    for device in DEVICES {
        let mut simulation = benchmark(device, None).unwrap_or_else(|e| panic!("{e}"));
        while simulation.counts().regrids < 6 {
            take_steps(&mut simulation, 1);
        }
        let used = |simulation: &Simulation<2>| simulation.device_use().expect("it runs on a device");
        let before = used(&simulation).driver_allocations();
        let regrids = simulation.counts().regrids;
        take_steps(&mut simulation, 20);
        let after = used(&simulation);
        assert!(simulation.counts().regrids > regrids + 10);
        println!("{}: {before} requests to the driver by then; {after:?}", device.name());
        assert_eq!(after.driver_allocations(), before, "{}", device.name());
    }
}

/// The streamed executor works with less device memory than the problem's values take; the resident one ends with an error that says
/// how much it needs and what to do.
#[test]
#[ignore = "needs a GPU"]
fn little_memory_is_enough_for_streaming() {
    let mut cpu = benchmark(Device::Cpu, None).unwrap_or_else(|e| panic!("{e}"));
    advance_to(&mut cpu, 0.1);
    for limit in [8_000_000, 12_000_000] {
        let mut streamed = benchmark(Device::CudaStreamed, Some(limit)).unwrap_or_else(|e| panic!("{limit}: {e}"));
        advance_to(&mut streamed, 0.1);
        let [host, device] = streamed.memory().held;
        println!("{host} bytes on the host, {device} on the device, limit {limit}");
        assert!(device as u64 <= limit && host as u64 > 2 * limit, "{host} and {device} bytes with {limit}");
        assert!(bits(&cpu.frame()) == bits(&streamed.frame()), "{limit}: other bits");
    }
    let error = benchmark(Device::Cuda, Some(8_000_000)).err().unwrap_or_else(|| {
        let mut simulation = benchmark(Device::Cuda, Some(8_000_000)).unwrap_or_else(|e| panic!("{e}"));
        simulation.advance_to(0.1).expect_err("the values are larger").to_string()
    });
    println!("{error}");
    for part in ["out of device memory", "bytes are needed", "the limit is 8000000", "--device cuda-streamed"] {
        assert!(error.contains(part), "{error}");
    }
}
