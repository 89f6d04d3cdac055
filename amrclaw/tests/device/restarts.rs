//! Restarts on the device.

use super::common::case;
use super::common::restarts::{CASES, assert_restarts_change_nothing};
use super::{emulated, start_emulated};
use amrclaw::simulation::{RunOptions, Simulation, UserFunctions};

fn check<const D: usize>(text: &str, steps: usize) {
    let (case, options) = (case(text, &[]), RunOptions { threads: Some(2), ..RunOptions::default() });
    assert_restarts_change_nothing(
        || start_emulated::<D>(text, &[], UserFunctions::default()),
        |frame, state| {
            let resumed = Simulation::builder(&case).options(&options).executor(&emulated).resume(frame, state);
            resumed.unwrap_or_else(|e| panic!("{e}"))
        },
        steps,
    );
}

/// As on the CPU, restarts from frame and schedule are bitwise equal to uninterrupted runs.
#[test]
fn restarts_on_the_device_change_nothing() {
    for (steps, dimensions, text) in CASES {
        match dimensions {
            1 => check::<1>(text, steps),
            _ => check::<2>(text, steps),
        }
    }
}
