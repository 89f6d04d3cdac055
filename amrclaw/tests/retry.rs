//! A coarse step whose Courant number is too large is taken again with a smaller step size; if that does not help, the run ends with
//! an error, and the state is that before the step.

mod common;

use amrclaw::exec::ExecError;
use amrclaw::physics::{BoundaryCell, BoundaryFunction};
use amrclaw::simulation::{RunError, Simulation, UserFunctions};
use common::{advance_to, bits, l1_error, start, start_with, take_steps};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// A plane wave of sound through three levels; sound speed 2.
const PLANE_WAVE: &str = include_str!("cases/plane_wave.toml");

fn error_of_plane_wave(simulation: &Simulation<2>) -> f64 {
    let t = simulation.time();
    l1_error(&simulation.frame(), 0, |x| (std::f64::consts::TAU * (x[0] - 2.0 * t)).sin())
}

/// A first step a thousand times too large costs one retry and no accuracy.
#[test]
fn a_far_too_large_first_step_is_taken_again() {
    let (mut careful, mut bold) = (start(PLANE_WAVE, &[]), start(PLANE_WAVE, &["time.dt_initial=20.0"]));
    let mass = bold.totals()[0];
    take_steps(&mut bold, 1);
    assert_eq!(bold.counts().retries, 1);
    assert_eq!(bold.counts().levels[0].steps, 1, "a rejected step is not counted");
    assert!(bold.time() < 0.02, "t = {} after the first step", bold.time());
    for simulation in [&mut careful, &mut bold] {
        advance_to(simulation, 0.3);
        assert!(simulation.counts().courant_max <= 0.9);
    }
    assert_eq!(careful.counts().retries, 0);
    // The coarsest level alone was advanced too far.
    let work = |s: &Simulation<2>| s.repeated().iter().map(|level| (level.steps, level.cells)).collect::<Vec<_>>();
    let cells = bold.hierarchy().level(amrclaw::index::Level::COARSEST).num_cells() as u64;
    assert_eq!(work(&bold), [(1, cells), (0, 0), (0, 0)]);
    assert_eq!(work(&careful), [(0, 0); 3]);
    let errors = [error_of_plane_wave(&careful), error_of_plane_wave(&bold)];
    assert!((errors[1] / errors[0] - 1.0).abs() < 0.1, "errors {errors:?}");
    assert!((bold.totals()[0] - mass).abs() < 1e-13, "the total pressure drifts");
}

const DEEP: &str = include_str!("cases/hard/deep_corner.toml");

/// Levels around a point that all take the steps of the coarsest one: a step that suits this is too long for each of the others by another
/// factor, and a try ends at the first that says so. Two tries more are enough at any depth, also where waves are faster the deeper they are.
#[test]
fn deep_hierarchies_need_few_tries() {
    for u in ["1", "1 / sqrt(hypot(x - 0.3, y - 0.3) + 1e-6)"] {
        let mut simulation = start(DEEP, &[&format!("aux.u_edge='{u}'")]);
        assert_eq!(simulation.hierarchy().num_levels(), 18);
        take_steps(&mut simulation, 3);
        assert_eq!(simulation.counts().retries, 2, "{u}");
    }
}

/// A fixed step size is never changed: one that is too large is an error.
#[test]
fn a_fixed_step_that_is_too_large_fails() {
    let mut simulation = start(PLANE_WAVE, &["time.dt=0.02"]);
    let before = bits(&simulation.frame());
    let error = simulation.step().expect_err("the Courant number is 1.24");
    let message = error.to_string();
    assert!(message.contains("1.240 > 0.900 on level 1"), "{message}");
    assert!(message.contains("choose a smaller time.dt"), "{message}");
    let RunError::Courant { courant, tries: 0, time: 0.0, dt: 0.02, .. } = error else { panic!("{error:?}") };
    assert!((courant - 2.0 * 0.02 * 31.0).abs() < 1e-12, "{courant}");
    assert_eq!(simulation.counts().retries, 0);
    assert!(bits(&simulation.frame()) == before, "the state has changed");
}

/// A decay dq/dt = −50 √q: the middle stage of a step larger than 0.04 gives q < 0, whose root is NaN, although the Courant
/// number is small enough.
const DECAY: &str = include_str!("cases/hard/decay_by_root.toml");

/// A step that gives NaN is taken again with half its size; if no retry is allowed, the error names the place,
/// and the state is that before the step.
#[test]
fn a_step_that_is_no_number_is_halved() {
    let mut simulation = start(DECAY, &[]);
    take_steps(&mut simulation, 1);
    assert_eq!((simulation.counts().retries, simulation.time()), (1, 0.03));
    for fixed in ["time.max_retries=0", "time.dt=0.06"] {
        let mut simulation = start(DECAY, &[fixed]);
        let before = bits(&simulation.frame());
        let error = simulation.step().expect_err("the first try leaves the numbers");
        assert!(matches!(error, RunError::Exec(ExecError::NotFinite { .. })), "{error:?}");
        assert!(error.to_string().contains("q is NaN on level 1, patch 0, cell"), "{error}");
        assert!(bits(&simulation.frame()) == before, "the state has changed");
    }
}

/// Burgers' equation, a bump on three levels.
const FED: &str = include_str!("cases/hard/open_bump.toml");

/// The override for a user boundary on the left.
const FED_FROM_LEFT: &str = "mesh.boundary.x=['user','extrapolate']";

/// A boundary whose wave speed grows with every call, so that no step is small enough.
struct EverFaster {
    asked: AtomicU64,
}

impl BoundaryFunction<2> for EverFaster {
    fn fill(&self, _: &BoundaryCell<2>, _: &[f64], ghost: &mut [f64]) {
        let fills = self.asked.fetch_add(1, Ordering::Relaxed) as f64 / (2.0 * 23.0);
        ghost[0] = 100.0 * 4_f64.powf(fills);
    }
}

/// After as many retries as the case allows the run ends with an error, and the state is that before the step.
#[test]
fn tries_are_bounded_and_the_state_is_restored() {
    let boundary = Arc::new(EverFaster { asked: AtomicU64::new(0) });
    let mut simulation = start_with(
        FED,
        &[FED_FROM_LEFT, "levels.max=1"],
        UserFunctions { boundary: Some(boundary), ..UserFunctions::default() },
    );
    let state = |s: &Simulation<2>| (bits(&s.frame()), s.time(), s.totals(), s.counts().clone(), s.dt_next());
    let before = state(&simulation);
    let error = simulation.step().expect_err("every try meets faster waves");
    let RunError::Courant { tries, .. } = error else { panic!("{error:?}") };
    assert_eq!(tries, 4, "the first try and three more");
    assert!(error.to_string().contains("after 4 tries with decreasing steps"), "{error}");
    assert!(state(&simulation) == before, "the state is not that before the step");
}

/// A boundary that becomes fast at a time that falls inside a coarse step.
struct FastFrom {
    time: f64,
    speed: f64,
}

impl BoundaryFunction<2> for FastFrom {
    fn fill(&self, cell: &BoundaryCell<2>, _: &[f64], ghost: &mut [f64]) {
        ghost[0] = if cell.time >= self.time { self.speed } else { 1.0 };
    }
}

/// A case fed by [`FastFrom`], with a fine patch at that boundary.
fn fed(time: f64, overrides: &[&str]) -> Simulation<2> {
    let patch = "regrid.region=[{levels=[3,3],lower=[0.0,0.21],upper=[0.11,0.77]}]";
    let overrides = [&[FED_FROM_LEFT, patch], overrides].concat();
    let boundary = Arc::new(FastFrom { time, speed: 40.0 });
    start_with(FED, &overrides, UserFunctions { boundary: Some(boundary), ..UserFunctions::default() })
}

fn patches(simulation: &Simulation<2>) -> Vec<Vec<amrclaw::index::CellBox<2>>> {
    simulation.hierarchy().levels().iter().map(|level| level.patches().to_vec()).collect()
}

/// If a substep of the finest level is rejected after a regrid, patches and values are bitwise equal to those before the coarse step.
/// A second run whose boundary stays slow shows that the step does change the mesh.
#[test]
fn a_rejected_regrid_is_undone() {
    let fixed = ["time.dt=0.012"];
    let (mut simulation, mut twin) = (fed(0.012 * 5.1, &fixed), fed(f64::INFINITY, &fixed));
    for s in [&mut simulation, &mut twin] {
        take_steps(s, 5);
    }
    let before = (bits(&simulation.frame()), patches(&simulation), simulation.totals(), simulation.counts().clone());
    let error = simulation.step().expect_err("the boundary becomes fast");
    let RunError::Courant { level, time, .. } = error else { panic!("{error:?}") };
    assert!(level.index() == 2 && time > 0.06 && time < 0.072, "level {level}, t = {time}");
    assert!(patches(&simulation) == before.1, "the patches are not those before the step");
    assert!(bits(&simulation.frame()) == before.0, "the values are not those before the step");
    assert_eq!((simulation.totals(), simulation.counts()), (before.2, &before.3));
    take_steps(&mut twin, 1);
    assert!(patches(&twin) != before.1, "the step does not change the mesh");
}

/// After such a rejection the run continues with smaller steps; two runs are bitwise equal.
#[test]
fn a_run_goes_on_after_a_rejected_regrid() {
    let run = || {
        let mut simulation = fed(0.06, &["time.dt_initial=0.012", "time.max_retries=10"]);
        advance_to(&mut simulation, 0.1);
        assert!(simulation.counts().retries > 0, "nothing has been rejected");
        assert!(simulation.counts().courant_max <= 0.9);
        assert_eq!(simulation.time(), 0.1);
        bits(&simulation.frame())
    };
    assert!(run() == run(), "two runs differ");
}

/// Moving gas with a millionth of the density around it: near vacuum.
const NEAR_VACUUM: &str = r#"
[solver]
name = "euler"
[mesh]
cells = [18, 16]
[mesh.boundary]
x = ["periodic", "periodic"]
y = ["extrapolate", "extrapolate"]
[levels]
max = 3
ratio = [2, 2]
[regrid]
interval = 1
[regrid.flag]
tolerance = 0.01
[scheme]
split = "strang"
order = 2
limiter = "mc"
[time]
end = 0.05
[initial]
density = "if(hypot(x - 0.5, y - 0.5) < 0.18, 1e-6, 1e-3)"
x_momentum = "if(hypot(x - 0.5, y - 0.5) < 0.18, 1e-6, 1e-3) * if(y < 0.41, 4.82, 2.11)"
y_momentum = "if(hypot(x - 0.5, y - 0.5) < 0.18, 1e-6, 1e-3) * if(x < 0.74, -3.98, -3.45)"
energy = "if(x - y < 0.46, 1e-6, 100) / 0.4 + 0.5 * if(hypot(x - 0.5, y - 0.5) < 0.18, 1e-6, 1e-3) * (if(y < 0.41, 4.82, 2.11)^2 + if(x < 0.74, -3.98, -3.45)^2)"
"#;

/// An inadmissible value may arise in a ghost cell that only a later sweep reads, and never reach a cell of the patch itself. That too makes a
/// step fall back to first order, in ghost cells as in the cells that they stand for: then it succeeds.
#[test]
fn what_breaks_between_sweeps_falls_back() {
    let mut simulation = start(NEAR_VACUUM, &[]);
    while simulation.counts().fallback.repeated == 0 {
        assert!(simulation.time() < 0.05, "no step falls back");
        take_steps(&mut simulation, 1);
    }
}

/// A boundary that gives NaN from some time on.
struct BrokenFrom(f64);

impl BoundaryFunction<2> for BrokenFrom {
    fn fill(&self, cell: &BoundaryCell<2>, _: &[f64], ghost: &mut [f64]) {
        ghost[0] = if cell.time >= self.0 { f64::NAN } else { 1.0 };
    }
}

/// The message names the ghost cell that the step read, not the cells beside it whose values became NaN.
#[test]
fn a_boundary_that_is_no_number_is_named() {
    let user = UserFunctions { boundary: Some(Arc::new(BrokenFrom(0.02))), ..UserFunctions::default() };
    let mut simulation = start_with(FED, &[FED_FROM_LEFT, "levels.max=1", "time.dt=0.01"], user);
    take_steps(&mut simulation, 2);
    let message = simulation.step().expect_err("the boundary gives no number").to_string();
    assert!(message.contains("q is NaN on level 1, patch 0, ghost cell [-2, "), "{message}");
}
