//! A run restarted from a checkpoint is bitwise equal to one that never stopped.

use super::common::restarts::{CASES, assert_restarts_change_nothing};
use super::common::{case, options};
use amrclaw::simulation::Simulation;

fn check<const D: usize>(text: &str, steps: usize) {
    let (case, options) = (case(text, &[]), options(2));
    let start = || Simulation::<D>::builder(&case).options(&options).build().unwrap_or_else(|e| panic!("{e}"));
    assert_restarts_change_nothing(
        start,
        |frame, state| {
            Simulation::builder(&case).options(&options).resume(frame, state).unwrap_or_else(|e| panic!("{e}"))
        },
        steps,
    );
}

/// Everything that a step reads is either in the checkpoint or computed again; no step reads a ghost cell of an earlier step.
#[test]
fn restarts_after_every_step_change_nothing() {
    for (steps, dimensions, text) in CASES {
        match dimensions {
            1 => check::<1>(text, steps),
            _ => check::<2>(text, steps),
        }
    }
}
