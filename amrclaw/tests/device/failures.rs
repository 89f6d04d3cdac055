//! Runs that fail on the CPU fail on a device with the same error: same step, same place, same message.

use super::common::{bits, start};
use super::start_on_both;
use amrclaw::simulation::{Simulation, UserFunctions};

/// Two halves of a gas that move apart faster than sound.
const TORN: &str = include_str!("../cases/hard/torn_gas.toml");

/// Advection whose solution grows by a source.
const GROWING: &str = include_str!("../cases/hard/growing.toml");

/// Takes steps until the first error; returns its message, and the state then.
fn failure(mut simulation: Simulation<2>) -> (String, Vec<u64>) {
    let error = (0..60).find_map(|_| simulation.step().err()).expect("the run fails");
    (error.to_string(), bits(&simulation.frame()))
}

#[test]
fn failures_are_those_of_the_cpu() {
    // Takes more energy than there is.
    let drained = ["source.energy='-1e5'", "scheme={split='strang'}", "levels.max=2", "regrid.flag.tolerance=0.5"];
    // Grows by a factor of 61 per step.
    let fast = ["source.q='1000 * q'"];
    for (text, overrides) in [(TORN, &drained[..]), (GROWING, &fast)] {
        let expected = failure(start(text, overrides));
        for found in start_on_both(text, overrides, UserFunctions::<2>::default).map(failure) {
            assert_eq!(expected.0, found.0);
            assert!(expected.1 == found.1, "the states differ after: {}", found.0);
        }
    }
}
