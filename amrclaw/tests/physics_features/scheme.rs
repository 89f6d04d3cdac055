//! Limiters and precision.

use super::common::{for_each_finest_cell, largest_difference, options, start, start_in, take_steps};
use super::periodic;
use amrclaw::simulation::{Device, Precision};

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
        let mut simulation = start_in(&text, &[], precision);
        take_steps(&mut simulation, 30);
        simulation
    };
    let (single, double) = (run(Precision::F32), run(Precision::F64));
    // A device's memory is held in large slabs.
    if options(2).device == Device::Cpu {
        assert!(2 * single.memory_bytes()[0] < 12 * double.memory_bytes()[0] / 10, "numbers take half the memory");
    }
    let difference = largest_difference(&single.frame(), &double.frame());
    assert!(difference < 1e-4, "{difference:e}");
    assert!(difference > 1e-9, "single precision is seen: {difference:e}");
}
