//! Errors of smooth solutions shrink with the square of the cell size.
//!
//! Proved without limiters, on periodic domains whose cells are not square, for waves oblique to the grid: only the second-order
//! corrections together with the transverse terms (or Strang's sweeps) give that order.

mod common;

use common::{advance_to, l1_error, orders, start};
use std::f64::consts::{PI, TAU};

/// Two, less the effect of higher-order errors on the coarsest grid.
const ORDER: f64 = 1.9;
const STRANG: &str = "scheme.split=strang";

/// Overrides for a grid and its time step, which is proportional to the cell size and half the largest stable one.
fn grid(n: i32, dt: f64) -> [String; 2] {
    [format!("mesh.cells={:?}", [24 * n, 40 * n]), format!("time.dt={}", dt / f64::from(n))]
}

/// L1 errors of one component on three grids, each with half the cell size of the one before.
fn errors(text: &str, overrides: &[&str], end: f64, m: usize, exact: impl Fn([f64; 2]) -> f64) -> [f64; 3] {
    [1, 2, 4].map(|n| {
        let grid = grid(n, 0.005);
        let mut simulation = start(text, &[overrides, &grid.each_ref().map(String::as_str)].concat());
        advance_to(&mut simulation, end);
        l1_error(&simulation.frame(), m, &exact)
    })
}

fn assert_second_order(errors: [f64; 3]) {
    let found = orders(&errors);
    assert!(found.iter().all(|&order| order >= ORDER), "errors {errors:?}, orders {found:?}");
    // An order above two and a half shows that something other than the scheme's error was measured.
    assert!(found.iter().all(|&order| order <= 2.5), "errors {errors:?}, orders {found:?}");
}

/// Sound speed 2, impedance 2; the wave vector is 2π (1, 2).
const PLANE_WAVE: &str = include_str!("cases/smooth/sound.toml");

/// The exact solution of [`PLANE_WAVE`].
fn plane_wave(m: usize, x: [f64; 2], t: f64) -> f64 {
    let pressure = (TAU * (x[0] + 2.0 * x[1]) - TAU * 5_f64.sqrt() * 2.0 * t).sin();
    pressure * [1.0, 0.5 / 5_f64.sqrt(), 1.0 / 5_f64.sqrt()][m]
}

/// Sound oblique to the grid, in pressure and both velocities.
#[test]
fn acoustics_plane_wave() {
    for m in 0..3 {
        assert_second_order(errors(PLANE_WAVE, &[], 0.2, m, |x| plane_wave(m, x, 0.2)));
    }
}

#[test]
fn acoustics_plane_wave_strang() {
    for m in 0..3 {
        assert_second_order(errors(PLANE_WAVE, &[STRANG], 0.2, m, |x| plane_wave(m, x, 0.2)));
    }
}

/// The same through fixed patches of two finer levels is of second order too: ghost cells are interpolated to second order, and limited
/// only at extrema, in a set of cells that shrinks with the cell size.
#[test]
fn acoustics_plane_wave_through_fine_patches() {
    let patches = [
        "levels={max=3,ratio=[2,2]}",
        "regrid={interval=1000,buffer=0}",
        "regrid.flag={criterion='difference',tolerance=1e9}",
        "regrid.region=[{levels=[2,2],lower=[0.251,0.251],upper=[0.749,0.749]},\
         {levels=[3,3],lower=[0.418,0.401],upper=[0.582,0.599]}]",
    ];
    assert_second_order(errors(PLANE_WAVE, &patches, 0.1, 0, |x| plane_wave(0, x, 0.1)));
}

/// A density wave, advected by the constant velocity (1, 1/2) at the constant pressure 1.
const DENSITY_WAVE: &str = include_str!("cases/smooth/gas.toml");

fn density_wave(x: [f64; 2], t: f64) -> f64 {
    1.0 + 0.2 * (2.0 * PI * (x[0] + x[1] - 1.5 * t)).sin()
}

#[test]
fn euler_density_wave() {
    assert_second_order(errors(DENSITY_WAVE, &[], 0.2, 0, |x| density_wave(x, 0.2)));
}

#[test]
fn euler_density_wave_strang() {
    assert_second_order(errors(DENSITY_WAVE, &[STRANG], 0.2, 0, |x| density_wave(x, 0.2)));
}

/// Schemes of first order show an order of about one: Godunov's method, and second-order corrections without transverse terms.
#[test]
fn first_order_schemes_show_their_order() {
    let unstable = ["scheme.order=2", "scheme.transverse=0", "scheme.allow_unstable=true"];
    for overrides in [&["scheme.order=1", "scheme.transverse=1"][..], &unstable] {
        let errors = [2, 4, 8].map(|n| {
            let grid = grid(n, 0.004);
            let mut simulation = start(PLANE_WAVE, &[overrides, &grid.each_ref().map(String::as_str)].concat());
            advance_to(&mut simulation, 0.05);
            l1_error(&simulation.frame(), 0, |x| plane_wave(0, x, 0.05))
        });
        let found = orders(&errors);
        assert!(found.iter().all(|order| (0.8..1.3).contains(order)), "{overrides:?}: errors {errors:?}, {found:?}");
    }
}
