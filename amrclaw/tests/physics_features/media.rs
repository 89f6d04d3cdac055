//! Capacity and auxiliary values.

use super::common::capacity::start_with_capacity;
use super::common::{advance_to, for_each_finest_cell, largest_difference, start, take_steps};
use super::periodic;

/// Doubling the capacity halves the speed: the same as half the velocity with capacity one, but for round-off.
#[test]
fn capacity_divides_the_speed() {
    let run = |u: f64, kappa: f64| {
        let text = format!(
            "[aux]\nkappa = \"{kappa}\"\n\
             [initial]\nq = \"exp(-160 * ((x - 0.3)^2 + (y - 0.5)^2))\"\n{}",
            periodic([41, 23], 0.01)
        );
        let overrides = ["scheme.limiter=\"mc\"", "levels.max=2", "regrid.flag.tolerance=0.1"];
        let mut simulation = start_with_capacity(&text, &overrides, [u, 0.0]);
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

/// A lake at rest stays so over a bottom of any shape, through both sweeps, corrections and transverse parts: round-off of depths
/// that add up to the surface only nearly, in a hundred steps.
#[test]
fn a_lake_at_rest_stays_at_rest() {
    let text = format!(
        "[solver]\nname = \"shallow_water_bathymetry\"\n\
         [aux]\nbottom = \"0.8 * exp(-30 * ((x - 0.6)^2 + (y - 0.4)^2)) - 1\"\n\
         [initial]\ndepth = \"-bottom\"\nx_momentum = \"0\"\ny_momentum = \"0\"\n{}",
        periodic([37, 23], 0.003)
    );
    let mut simulation = start(&text, &["scheme.limiter=\"mc\""]);
    take_steps(&mut simulation, 100);
    for_each_finest_cell(&simulation.frame(), |_, x, _, q| {
        assert!(q[1].abs() < 1e-14 && q[2].abs() < 1e-14, "at {x:?} the momentum is {}, {}", q[1], q[2]);
    });
}

/// Between walls no water is lost over a sloping bottom, which continues beyond them as the water does: depths add up to what they were,
/// to round-off, at every order, however the axes are swept, on one level and on three.
#[test]
fn walls_hold_the_water_over_a_sloping_bottom() {
    let text = r#"
[solver]
name = "shallow_water_bathymetry"
gravity = 1.0
[mesh]
cells = [40, 8]
[mesh.boundary]
x = "wall"
y = "wall"
[regrid.flag]
tolerance = 0.02
[time]
end = 0.5
[aux]
bottom = "0.3 * x + 0.1 * y - 1"
[initial]
depth = "1 - 0.3 * x + 0.1 * sin(6 * x)"
x_momentum = "0"
y_momentum = "0"
"#;
    for overrides in [
        &["scheme.order=1"][..],
        &[],
        &["scheme.split=\"godunov\""],
        &["scheme.split=\"strang\""],
        &["levels.max=3"],
        &["levels.max=3", "scheme.split=\"strang\""],
    ] {
        let mut simulation = start(text, overrides);
        let before = simulation.totals()[0];
        advance_to(&mut simulation, 0.5);
        let lost = (simulation.totals()[0] - before) / before;
        assert!(lost.abs() < 1e-13, "{overrides:?}: {lost:e} of the water is lost");
    }
}

/// And where the water is at rest between walls, it stays at rest.
#[test]
fn a_lake_between_walls_stays_at_rest() {
    let text = format!(
        "[solver]\nname = \"shallow_water_bathymetry\"\n[aux]\nbottom = \"0.3 * x + 0.2 * y - 1\"\n\
         [initial]\ndepth = \"-bottom\"\nx_momentum = \"0\"\ny_momentum = \"0\"\n{}",
        periodic([37, 23], 0.003)
    );
    let walls = ["mesh.boundary.x=\"wall\"", "mesh.boundary.y=\"wall\""];
    for split in ["unsplit", "strang"] {
        let split = format!("scheme.split=\"{split}\"");
        let mut simulation = start(&text, &[&walls[..], &["scheme.limiter=\"mc\"", &split]].concat());
        take_steps(&mut simulation, 100);
        for_each_finest_cell(&simulation.frame(), |_, x, _, q| {
            assert!(q[1].abs() < 1e-14 && q[2].abs() < 1e-14, "at {x:?} the momentum is {}, {}", q[1], q[2]);
        });
    }
}
