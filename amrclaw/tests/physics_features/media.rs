//! Capacity and auxiliary values.

use super::common::capacity::start_with_capacity;
use super::common::{advance_to, for_each_finest_cell, largest_difference, start, take_steps};

const CAPACITY: &str = include_str!("../cases/features/capacity.toml");
const TWO_MEDIA: &str = include_str!("../cases/features/two_media.toml");
/// A lake at rest over a hill.
const LAKE: &str = include_str!("../cases/features/lake.toml");
const SLOPING_BOTTOM: &str = include_str!("../cases/features/sloping_bottom.toml");

/// Doubling the capacity equals halving the velocity, up to round-off.
#[test]
fn capacity_divides_the_speed() {
    let run = |u: f64, kappa: f64| {
        let aux = format!("aux={{kappa={kappa}}}");
        let overrides = ["solver={path=\"of the test\"}", "scheme.capacity=kappa", &aux];
        let mut simulation = start_with_capacity(CAPACITY, &overrides, [u, 0.0]);
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
/// The interface crosses the fine patch, so that auxiliary values must be right on every level and in ghost cells.
#[test]
fn auxiliary_values_reflect_and_transmit() {
    let mut simulation = start(TWO_MEDIA, &[]);
    advance_to(&mut simulation, 0.8);
    // The hump of width 0.4 reaches the interface at t = 0.4. Now the reflected one is near −0.4, the transmitted one near 0.6.
    let (mut reflected, mut transmitted) = (0.0_f64, 0.0_f64);
    for_each_finest_cell(&simulation.frame(), |_, x, _, q| {
        let side = if x[0] < 0.0 { &mut reflected } else { &mut transmitted };
        *side = side.max(q[0]);
        assert!(q[2].abs() < 1e-12, "the wave runs along x");
    });
    // Limiters reduce a smooth maximum by a few per cent.
    assert!((reflected - 0.5).abs() < 0.02 && (transmitted - 1.5).abs() < 0.04, "{reflected}, {transmitted}");
}

/// A lake at rest stays at rest over a bottom of any shape, up to round-off of a hundred steps: depth and bottom add up to the surface
/// only approximately.
#[test]
fn a_lake_at_rest_stays_at_rest() {
    let mut simulation = start(LAKE, &[]);
    take_steps(&mut simulation, 100);
    for_each_finest_cell(&simulation.frame(), |_, x, _, q| {
        assert!(q[1].abs() < 1e-14 && q[2].abs() < 1e-14, "at {x:?} the momentum is {}, {}", q[1], q[2]);
    });
}

/// Between walls no water is lost over a sloping bottom, which is mirrored beyond them as the water is: the total depth is conserved
/// up to round-off, at every order, by split and unsplit schemes, on one level and on three.
#[test]
fn walls_hold_the_water_over_a_sloping_bottom() {
    for overrides in [
        &["scheme.order=1"][..],
        &[],
        &["scheme.split=\"godunov\""],
        &["scheme.split=\"strang\""],
        &["levels.max=3"],
        &["levels.max=3", "scheme.split=\"strang\""],
    ] {
        let mut simulation = start(SLOPING_BOTTOM, overrides);
        let before = simulation.totals()[0];
        advance_to(&mut simulation, 0.5);
        let lost = (simulation.totals()[0] - before) / before;
        assert!(lost.abs() < 1e-13, "{overrides:?}: {lost:e} of the water is lost");
    }
}

/// Water at rest between walls over a sloping bottom stays at rest.
#[test]
fn a_lake_between_walls_stays_at_rest() {
    let between_walls = ["mesh.boundary.x=wall", "mesh.boundary.y=wall", "aux.bottom=\"0.3 * x + 0.2 * y - 1\""];
    for split in ["unsplit", "strang"] {
        let split = format!("scheme.split={split}");
        let mut simulation = start(LAKE, &[&between_walls[..], &[&split]].concat());
        take_steps(&mut simulation, 100);
        for_each_finest_cell(&simulation.frame(), |_, x, _, q| {
            assert!(q[1].abs() < 1e-14 && q[2].abs() < 1e-14, "at {x:?} the momentum is {}, {}", q[1], q[2]);
        });
    }
}
