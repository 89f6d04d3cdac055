//! A ring of pressure against the radially symmetric solution, computed in one dimension on a much finer grid.
//!
//! Proves that refining only where the solution varies costs no accuracy: on three levels the error is that of the
//! uniform grid as fine as the finest level, with a fraction of its cells. A fault at the interfaces between levels
//! (time interpolation, averaging, the conservation fix, features that outrun their patches) would show as a larger error.

mod common;

use amrclaw::simulation::Simulation;
use common::{advance_to, l1_error, start};
use std::f64::consts::PI;

const DENSITY: f64 = 1.0;
const BULK: f64 = 4.0;
/// The waves, whose speed is 2, have moved by 0.28; the outer one has not reached the domain's sides yet.
const END: f64 = 0.14;

const CASE: &str = include_str!("cases/ring_of_pressure.toml");

/// Pressure at `END` in rings of equal width: the solution of p_t + K (u_r + u/r) = 0, ρ u_t + p_r = 0.
struct Radial {
    pressure: Vec<f64>,
    width: f64,
}

impl Radial {
    /// Second-order leapfrog scheme on staggered points: pressure at the rings' centres, velocity at their edges half a step
    /// earlier. u_r + u/r is (r u)_r / r. The waves do not reach the outer edge, at 1.5.
    fn solve(rings: usize) -> Radial {
        let width = 1.5 / rings as f64;
        let centre = |i: usize| (i as f64 + 0.5) * width;
        let ring = |r: f64| if (r - 0.5).abs() <= 0.1 { 1.0 + (PI * (r - 0.5) / 0.1).cos() } else { 0.0 };
        let mut pressure: Vec<f64> = (0..rings).map(|i| ring(centre(i))).collect();
        let mut velocity = vec![0.0; rings + 1];
        let steps = (END * (BULK / DENSITY).sqrt() / (0.5 * width)).ceil() as usize;
        let dt = END / steps as f64;
        for step in 0..steps {
            // The gas is at rest at time 0, so the first half step is a forward one.
            let dt_velocity = if step == 0 { 0.5 * dt } else { dt };
            for i in 1..rings {
                velocity[i] -= dt_velocity / (DENSITY * width) * (pressure[i] - pressure[i - 1]);
            }
            for i in 0..rings {
                let (inner, outer) = (i as f64 * width, (i + 1) as f64 * width);
                let divergence = (outer * velocity[i + 1] - inner * velocity[i]) / (centre(i) * width);
                pressure[i] -= dt * BULK * divergence;
            }
        }
        Radial { pressure, width }
    }

    /// Linear between the rings' centres, constant within the innermost.
    fn at(&self, radius: f64) -> f64 {
        let place = (radius / self.width - 0.5).max(0.0);
        let (i, part) = (place as usize, place.fract());
        self.pressure[i] * (1.0 - part) + self.pressure[i + 1] * part
    }
}

/// Integral of |p − p_radial| over the composite grid.
fn error(simulation: &Simulation<2>, radial: &Radial) -> f64 {
    l1_error(&simulation.frame(), 0, |[x, y]| radial.at(x.hypot(y)))
}

fn run(overrides: &[&str]) -> Simulation<2> {
    let mut simulation = start(CASE, &[&["mesh.cells=[50,50]"], overrides].concat());
    advance_to(&mut simulation, END);
    simulation
}

#[test]
fn three_levels_are_as_accurate_as_the_fine_grid() {
    let radial = Radial::solve(4000);
    let adaptive = run(&[]);
    let fine = run(&["mesh.cells=[200,200]", "levels.max=1", "levels.ratio=[]"]);
    let coarse = run(&["levels.max=1", "levels.ratio=[]"]);
    let errors = [&adaptive, &fine, &coarse].map(|simulation| error(simulation, &radial));
    let [adaptive_error, fine_error, coarse_error] = errors;
    println!("errors: {errors:?}");

    // The comparison is sharp: the one-dimensional solution's own error is negligible, and that of the coarse grid alone is large.
    let change = error(&fine, &Radial::solve(2000)) - fine_error;
    assert!(change.abs() < 0.01 * fine_error, "the radial solution's own error: {change:e} of {fine_error:e}");
    assert!(coarse_error > 3.0 * fine_error, "errors {errors:?}");

    assert!(adaptive_error <= 1.1 * fine_error, "errors {errors:?}");
    let finest = |simulation: &Simulation<2>| simulation.counts().levels.last().map_or(0, |level| level.cells);
    let (some, all) = (finest(&adaptive) as f64, finest(&fine) as f64);
    println!("finest cells advanced: {some:e} of {all:e}");
    assert!(some < 0.75 * all, "finest cells advanced: {some:e} of {all:e}");
}
