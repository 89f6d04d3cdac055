//! Runs that fail although every value is finite: growth beyond what the data explain, states that the equations do not allow.

mod common;

use amrclaw::case::Case;
use amrclaw::exec::ExecError;
use amrclaw::physics::{BoundaryCell, BoundaryFunction};
use amrclaw::plugin::ChosenSolver;
use amrclaw::simulation::{RunError, RunOptions, Simulation, UserFunctions};
use common::{bits, start, start_with, take_steps};
use riemann::prelude::*;
use std::sync::Arc;

/// Advection with downwind differences: unstable at every step size.
#[riemann::solver(equations = ["q"], waves = 1)]
pub struct Downwind {
    /// velocity
    pub u: Real,
}

#[riemann::kernels]
impl Downwind {
    fn normal(&self, axis: Axis, ql: State, qr: State) -> Normal {
        let speed = if axis == Axis::X { self.u } else { 0.0 };
        let wave = [qr[0] - ql[0]];
        Normal { waves: [wave], speeds: [speed], amdq: [speed * wave[0]], apdq: [0.0] }
    }
}

/// A bump on two levels.
const BUMP: &str = include_str!("cases/hard/bump.toml");

fn downwind(overrides: &[&str]) -> Simulation<2> {
    let solver = ChosenSolver::own_in_double(Downwind { u: 1.0 });
    let overrides: Vec<String> =
        ["solver={name='downwind'}"].iter().chain(overrides).map(|s| (*s).to_owned()).collect();
    let case = Case::from_str_with(BUMP, "a bump", &overrides, |_| Ok(solver.shape.clone())).expect("a right case");
    // A run refuses it else.
    let options = RunOptions { unchecked_solver: true, ..RunOptions::default() };
    Simulation::builder(&case).options(&options).solver(&solver).build().unwrap_or_else(|e| panic!("{e}"))
}

/// The first error within `steps` steps.
fn first_error(simulation: &mut Simulation<2>, steps: usize) -> Option<RunError> {
    (0..steps).find_map(|_| simulation.step().err())
}

/// An unstable scheme is stopped long before its values overflow; the message has the place, both values and advice.
#[test]
fn an_unstable_scheme_is_stopped() {
    let mut simulation = downwind(&[]);
    let error = first_error(&mut simulation, 200).expect("the solution grows without bound");
    let message = error.to_string();
    let RunError::Growth { equation, value, measure, .. } = error else { panic!("{message}") };
    assert_eq!(equation, "q");
    // The bump's maximum at a cell centre, at most half a fine cell away from the peak.
    assert!((1.9..=2.0).contains(&measure), "{measure}");
    assert!(value.abs() >= 1e6 * measure && value.is_finite(), "{value:e}");
    for part in
        ["q has grown to", "level ", "patch ", "cell [", "t = ", "help: ", "time.cfl_desired", "time.growth_limit"]
    {
        assert!(message.contains(part), "no \"{part}\" in\n{message}");
    }
    let steps = simulation.counts().levels[0].steps;
    let mut unwatched = downwind(&["time.growth_limit=0"]);
    take_steps(&mut unwatched, steps as usize + 4);
}

const GROWING: &str = include_str!("cases/hard/growing.toml");

/// Advection with a source term: `q_t + … = rate q`, in steps of 1/100.
fn growing(rate: f64) -> Simulation<2> {
    start(GROWING, &[&format!("source.q='{rate} * q'")])
}

/// A source may let the solution grow exponentially if the steps resolve it: by 1 + 1 + 1/2 per step, to 10²⁵. Growth by
/// 1 + 10 + 50 per step, a factor of a million within four steps, is an error.
#[test]
fn sources_may_let_the_solution_grow() {
    let mut steady = growing(100.0);
    take_steps(&mut steady, 64);
    let error = first_error(&mut growing(1000.0), 16).expect("steps of that size cannot follow such a source");
    assert!(matches!(error, RunError::Growth { .. }), "{error}");
}

const NOTHING: &str = include_str!("cases/hard/pulse_into_nothing.toml");

/// An inflow pulse that rises from 10⁻²⁰, into a domain whose values are zero.
struct Pulse;

impl BoundaryFunction<2> for Pulse {
    fn fill(&self, cell: &BoundaryCell<2>, _: &[f64], ghost: &mut [f64]) {
        ghost[0] = (-((cell.time - 0.7) / 0.1).powi(2)).exp();
    }
}

#[test]
fn a_pulse_into_nothing_is_no_alarm() {
    let sides = "mesh.boundary={x=['user','extrapolate'],y='periodic'}";
    let user = UserFunctions { boundary: Some(Arc::new(Pulse)), ..UserFunctions::default() };
    let mut simulation = start_with(NOTHING, &[sides], user);
    common::advance_to(&mut simulation, 1.0);
}

/// Two halves of a gas that move apart faster than sound.
const TORN: &str = include_str!("cases/hard/torn_gas.toml");

const ROE: &str = "solver.name=euler";

/// A source that takes more energy than there is.
const DRAIN: &str = "source.energy='-1e5'";

/// A step that gives a negative pressure or density is rejected: the message has the value, its place and the solver to use instead.
/// The state stays that before the step.
#[test]
fn a_negative_pressure_is_named() {
    let mut simulation = start(TORN, &[ROE, DRAIN]);
    let (mut before, mut error) = (bits(&simulation.frame()), None);
    while error.is_none() && simulation.time() < 0.1 {
        before = bits(&simulation.frame());
        error = simulation.step().err();
    }
    let error = error.expect("energy comes to an end");
    let message = error.to_string();
    let RunError::Inadmissible { cause, .. } = error else { panic!("{message}") };
    let ExecError::Inadmissible { value, positive: true, .. } = *cause else { panic!("{message}") };
    assert!(value <= 0.0, "{value}");
    for part in ["level 1, patch 0, cell [", "t = ", "it must be positive", "help: ", "euler_hllc"] {
        assert!(message.contains(part), "no \"{part}\" in\n{message}");
    }
    assert!(bits(&simulation.frame()) == before, "the state is not that before the step");
}

/// A user's boundary that gives a negative density: an error that names it, before anything is computed with it.
struct Nothing;

impl BoundaryFunction<2> for Nothing {
    fn fill(&self, _: &BoundaryCell<2>, mirror: &[f64], ghost: &mut [f64]) {
        ghost.copy_from_slice(mirror);
        ghost[0] = -0.5;
    }
}

#[test]
fn an_inadmissible_boundary_is_named() {
    let user = UserFunctions { boundary: Some(Arc::new(Nothing)), ..UserFunctions::default() };
    let mut simulation = start_with(TORN, &[ROE, "mesh.boundary.x=['user','extrapolate']"], user);
    let message = simulation.step().expect_err("there is no such gas").to_string();
    assert!(message.contains("density is -0.5 on level 1, patch 0, ghost cell [-2, "), "{message}");
}

/// Where the step shrinks until the run cannot end, the message names the least depth and its place: a film that is pushed moves as fast as it is
/// thin, and the largest depth says nothing.
#[test]
fn a_collapse_names_the_least_depth() {
    let text = "
        solver = { name = 'shallow_water', gravity = 1.0 }
        mesh = { cells = [8, 4] }
        time = { end = 1e3, dt_initial = 1e-7 }
        initial = { depth = 'if(x > 0.6, if(x > 0.7, 1, 1e-8), 1)', x_momentum = '0', y_momentum = '0' }
        source = { x_momentum = 'if(x > 0.6, if(x > 0.7, 0, 1e9), 0)' }
        [output]
        format = []
        ";
    let mut simulation: Simulation<2> = start(text, &[]);
    let error = first_error(&mut simulation, 200).expect("the step collapses").to_string();
    assert!(
        error.contains("the time step has decreased")
            && error.contains("depth, at most 1.0000")
            && error.contains("at first, is least there: "),
        "{error}"
    );
}
