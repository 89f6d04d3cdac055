//! Errors of smooth solutions shrink with the square of the cell size, for waves along general directions: only corrections together with
//! transverse waves, or Strang's sweeps, give that order.

use super::common::{advance_to, l1_error, orders};
use super::start;
use std::f64::consts::TAU;

/// Two, less the effect of higher-order errors on the coarser grid.
const ORDER: f64 = 1.9;
/// An order above this shows that something other than the scheme's error was measured.
const TOO_GOOD: f64 = 2.5;
/// Overrides for a grid of cells `n` times as fine as the coarsest, with steps in proportion.
fn grid(n: i32, dt: f64) -> [String; 2] {
    [format!("mesh.cells={:?}", [20, 19, 21].map(|cells| n * cells)), format!("time.dt={}", dt / f64::from(n))]
}

/// A fixed finer level in the middle. Its ghost cells are interpolated to second order, and limited only at extrema, in a
/// set of cells that shrinks with the cell size.
const FINE_LEVEL: [&str; 4] = [
    "levels={max=2,ratio=[2]}",
    "regrid={interval=1000,buffer=0}",
    "regrid.flag.tolerance=1e9",
    "regrid.region=[{levels=[2,2],lower=[0.3,0.25,0.4],upper=[0.7,0.6,0.85]}]",
];

/// Asserts second order between two grids, the finer one with half the cell size.
fn assert_second_order(
    text: &str,
    step: (f64, &str),
    more: &[&str],
    end: f64,
    m: usize,
    exact: impl Fn([f64; 3]) -> f64,
) {
    let (dt, split) = step;
    let errors = [1, 2].map(|n| {
        let (grid, split) = (grid(n, dt), format!("scheme.split={split}"));
        let mut simulation = start::<3>(text, &[more, &[&grid[0], &grid[1], &split]].concat());
        advance_to(&mut simulation, end);
        l1_error(&simulation.frame(), m, &exact)
    });
    let found = orders(&errors)[0];
    assert!((ORDER..TOO_GOOD).contains(&found), "{split}, component {m}: errors {errors:?}, order {found}");
}

/// Sound speed 2, impedance 2; the wave runs along (1, 5/4, −4/5), whose length is √(1 + 25/16 + 16/25).
const PLANE_WAVE: &str = include_str!("../cases/smooth/sound_in_space.toml");

/// The pressure of [`PLANE_WAVE`], and its velocity along z.
fn plane_wave(m: usize, x: [f64; 3], t: f64) -> f64 {
    let length = 3.2025_f64.sqrt();
    let pressure = (TAU * (x[0] + 1.25 * x[1] - 0.8 * x[2] - 2.0 * length * t)).sin();
    pressure * [1.0, 0.0, 0.0, -0.4 / length][m]
}

#[test]
fn acoustics_plane_wave() {
    for (split, m) in [("unsplit", 0), ("unsplit", 3), ("strang", 0)] {
        assert_second_order(PLANE_WAVE, (0.018, split), &[], 0.126, m, |x| plane_wave(m, x, 0.126));
    }
}

#[test]
fn acoustics_plane_wave_through_a_fine_level() {
    for split in ["unsplit", "strang"] {
        assert_second_order(PLANE_WAVE, (0.018, split), &FINE_LEVEL, 0.126, 0, |x| plane_wave(0, x, 0.126));
    }
}

/// A density wave, advected by the constant velocity (1, 1/2, −3/4). The constant pressure 1/10 makes sound slow, so that steps are large
/// for the advection.
const DENSITY_WAVE: &str = include_str!("../cases/smooth/gas_in_space.toml");

fn density_wave(x: [f64; 3], t: f64) -> f64 {
    1.0 + 0.2 * (TAU * (x[0] + 1.25 * x[1] - 0.8 * x[2] - 2.225 * t)).sin()
}

#[test]
fn gas_density_wave() {
    for split in ["unsplit", "strang"] {
        assert_second_order(DENSITY_WAVE, (0.03, split), &[], 0.24, 0, |x| density_wave(x, 0.24));
    }
}

#[test]
fn gas_density_wave_through_a_fine_level() {
    assert_second_order(DENSITY_WAVE, (0.03, "unsplit"), &FINE_LEVEL, 0.24, 0, |x| density_wave(x, 0.24));
}

/// A scheme of first order does not show second order.
#[test]
fn a_first_order_scheme_shows_its_order() {
    let errors = [1, 2].map(|n| {
        let [cells, dt] = grid(n, 0.018);
        let mut simulation = start::<3>(PLANE_WAVE, &["scheme.order=1", "scheme.transverse=1", &cells, &dt]);
        advance_to(&mut simulation, 0.072);
        l1_error(&simulation.frame(), 0, |x| plane_wave(0, x, 0.072))
    });
    assert!(orders(&errors)[0] < 1.3, "{errors:?}");
}
