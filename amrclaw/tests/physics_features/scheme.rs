//! Limiters and precision.

use super::common::{for_each_finest_cell, largest_difference, options, start, start_in, take_steps};
use amrclaw::simulation::{Device, Precision};

const TO_THE_RIGHT: &str = include_str!("../cases/features/sound_to_the_right.toml");
const DENSE_GAS: &str = include_str!("../cases/features/dense_gas.toml");

/// Sound that moves to the right has no wave of the first family, so that only the second family's limiter has an effect.
#[test]
fn limiters_belong_to_waves() {
    let run = |limiters: [&str; 2]| {
        let mut simulation = start(TO_THE_RIGHT, &[&format!("scheme.limiter={limiters:?}")]);
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

/// Gas on three levels in single precision equals double precision, up to the round-off of some hundred steps.
#[test]
fn single_precision_is_close_to_double() {
    let run = |precision| {
        let mut simulation = start_in(DENSE_GAS, &[], precision);
        take_steps(&mut simulation, 30);
        simulation
    };
    let (single, double) = (run(Precision::F32), run(Precision::F64));
    // On the CPU only: devices allocate memory in large slabs.
    if options(2).device == Device::Cpu {
        assert!(2 * single.memory().held[0] < 12 * double.memory().held[0] / 10, "numbers take half the memory");
    }
    let difference = largest_difference(&single.frame(), &double.frame());
    assert!(difference < 1e-4, "{difference:e}");
    assert!(difference > 1e-9, "single precision is seen: {difference:e}");
}
