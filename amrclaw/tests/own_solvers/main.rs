//! Solvers as users write them, without `transverse`, run with the default scheme and Courant number. Solutions are bounded, conserved and
//! finite.

#[path = "../common/mod.rs"]
mod common;

mod decay;
mod kpp;
mod orszag_tang;
mod positions;
mod rotating_water;
mod street_grid;
mod two_sounds;
mod wing;

use amrclaw::case::Case;
use amrclaw::frames::frame::Frame;
use amrclaw::plugin::ChosenSolver;
use amrclaw::simulation::{RunError, RunOptions, Simulation};

/// A case for the test's solver.
fn case_of(solver: &ChosenSolver, text: &str, overrides: &[&str]) -> Case {
    let overrides: Vec<String> = overrides.iter().map(|o| (*o).to_string()).collect();
    let text = format!("[solver]\npath = \"of the test\"\n{text}");
    let case = Case::from_str_with(&text, "case.toml", &overrides, |_| Ok(solver.shape.clone()));
    case.unwrap_or_else(|e| panic!("{e}"))
}

/// A simulation of a case with the test's solver.
fn begin<const D: usize>(solver: &ChosenSolver, text: &str, overrides: &[&str]) -> Result<Simulation<D>, RunError> {
    let case = case_of(solver, text, overrides);
    let options = RunOptions { threads: Some(2), ..RunOptions::default() };
    Simulation::builder(&case).options(&options).solver(solver).build()
}

/// The simulation at a time, and the totals at the start.
fn run_to(solver: &ChosenSolver, text: &str, time: f64) -> (Simulation<2>, Vec<f64>) {
    let mut simulation = begin(solver, text, &[]).unwrap_or_else(|e| panic!("{e}"));
    let totals = simulation.totals();
    simulation.advance_to(time).unwrap_or_else(|e| panic!("{e}"));
    (simulation, totals)
}

/// Least and largest value of an equation.
fn range(frame: &Frame<2>, m: usize) -> [f64; 2] {
    let mut range = [f64::INFINITY, f64::NEG_INFINITY];
    common::for_each_finest_cell(frame, |_, _, _, q| range = [range[0].min(q[m]), range[1].max(q[m])]);
    assert!(range.iter().all(|value| value.is_finite()), "{range:?}");
    range
}

/// Asserts that the totals of these components are those at the start, up to round-off, which grows with the number of sums.
#[track_caller]
fn assert_conserved(simulation: &Simulation<2>, before: &[f64], equations: &[usize]) {
    let after = simulation.totals();
    let scale = before.iter().fold(1.0, |scale: f64, total| scale.max(total.abs()));
    for &m in equations {
        let drift = (after[m] - before[m]).abs() / scale;
        assert!(drift < 1e-12, "equation {m}: {} became {}", before[m], after[m]);
    }
}
