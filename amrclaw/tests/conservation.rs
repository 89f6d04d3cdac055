//! Totals over the composite grid are conserved: with the conservation fix on, the flux that leaves a coarse cell is the one
//! that enters the fine cells beside it, and regridding changes no total.
//!
//! Proved for acoustics, the Euler equations and shallow water, periodic and between walls, ratios 2 and 4, unsplit and split sweeps, a
//! capacity function, patches of odd sizes, over a hundred coarse steps with a regrid every three. Every
//! case also runs with the fix off, to show that fluxes do cross its interfaces.

mod common;

use amrclaw::simulation::Simulation;
use common::capacity::start_with_capacity;
use common::{absolute_totals, start, take_steps};

/// Bound of a total's drift relative to `∫ |q|` at the start: some 10⁴ interface faces each round to 1e-16 of the state, with either
/// sign, in a hundred steps.
const TOLERANCE: f64 = 1e-13;
/// Least drift without the fix, which shows that the tolerance is not met by chance.
const WITHOUT_FIX: f64 = 1e3 * TOLERANCE;
const STEPS: usize = 100;

const ACOUSTICS: &str = include_str!("cases/conserved/acoustics.toml");
const EULER: &str = include_str!("cases/conserved/euler.toml");
const SHALLOW_WATER: &str = include_str!("cases/conserved/shallow_water.toml");

/// Overrides for the domain's boundary conditions, the ratios and the sweeps.
fn arranged(boundary: &str, ratio: &str, split: &str) -> Vec<String> {
    let sides = ["x", "y"].map(|axis| format!("mesh.boundary.{axis}={boundary}"));
    sides.into_iter().chain([format!("levels.ratio={ratio}"), format!("scheme.split={split}")]).collect()
}

/// Largest drift of the totals of the equations `kept`, relative to `∫ |q|` at the start.
fn drift(mut simulation: Simulation<2>, kept: &[usize]) -> f64 {
    let (before, scale) = (simulation.totals(), absolute_totals(&simulation.frame()));
    let meshes = [0, 1].map(|n| {
        take_steps(&mut simulation, [STEPS / 2, STEPS - STEPS / 2][n]);
        simulation.hierarchy().levels().iter().map(|level| level.patches().to_vec()).collect::<Vec<_>>()
    });
    assert_eq!(meshes[1].len(), 3, "the case has lost its finest level");
    assert_ne!(meshes[0], meshes[1], "the patches have not moved");
    assert!(simulation.counts().regrids > 30);
    let after = simulation.totals();
    kept.iter().map(|&m| (after[m] - before[m]).abs() / scale[m]).fold(0.0, f64::max)
}

fn assert_conserves(text: &str, boundary: &str, ratio: &str, split: &str, kept: &[usize]) {
    let arranged = arranged(boundary, ratio, split);
    let mut overrides: Vec<&str> = arranged.iter().map(String::as_str).collect();
    let what = format!("{boundary}, ratio {ratio}, {split}");
    let with = drift(start(text, &overrides), kept);
    assert!(with <= TOLERANCE, "{what}: the totals drift by {with:e}");
    overrides.push("regrid.conservation_fix=false");
    let without = drift(start(text, &overrides), kept);
    assert!(without >= WITHOUT_FIX, "{what}: without the fix the totals drift by {without:e} only");
}

macro_rules! conserves {
    ($($name:ident: $solver:ident, $boundary:literal, $ratio:literal, $split:literal, $kept:expr;)*) => {$(
        #[test]
        fn $name() {
            assert_conserves($solver, $boundary, $ratio, $split, &$kept);
        }
    )*};
}

conserves! {
    acoustics_periodic_2_2_unsplit: ACOUSTICS, "periodic", "[2, 2]", "unsplit", [0, 1, 2];
    acoustics_periodic_2_4_unsplit: ACOUSTICS, "periodic", "[2, 4]", "unsplit", [0, 1, 2];
    acoustics_periodic_4_2_strang: ACOUSTICS, "periodic", "[4, 2]", "strang", [0, 1, 2];
    acoustics_periodic_2_2_godunov: ACOUSTICS, "periodic", "[2, 2]", "godunov", [0, 1, 2];
    euler_periodic_2_2_unsplit: EULER, "periodic", "[2, 2]", "unsplit", [0, 1, 2, 3];
    euler_periodic_2_4_godunov: EULER, "periodic", "[2, 4]", "godunov", [0, 1, 2, 3];
    euler_periodic_anisotropic_strang: EULER, "periodic", "[[2, 4], [2, 2]]", "strang", [0, 1, 2, 3];
    euler_periodic_one_axis_unsplit: EULER, "periodic", "[[2, 1], [1, 2]]", "unsplit", [0, 1, 2, 3];
    shallow_water_periodic_2_4_unsplit: SHALLOW_WATER, "periodic", "[2, 4]", "unsplit", [0, 1, 2];
    shallow_water_periodic_4_4_unsplit: SHALLOW_WATER, "periodic", "[4, 4]", "unsplit", [0, 1, 2];
    shallow_water_periodic_2_2_strang: SHALLOW_WATER, "periodic", "[2, 2]", "strang", [0, 1, 2];
}

// Walls exert forces: they change momentum, but neither mass nor energy. Linear acoustics conserves the total pressure, which is K times
// the reduction of volume.
conserves! {
    acoustics_walls_2_4_unsplit: ACOUSTICS, "wall", "[2, 4]", "unsplit", [0];
    acoustics_walls_2_2_strang: ACOUSTICS, "wall", "[2, 2]", "strang", [0];
    euler_walls_2_2_unsplit: EULER, "wall", "[2, 2]", "unsplit", [0, 3];
    euler_walls_2_2_godunov: EULER, "wall", "[2, 2]", "godunov", [0, 3];
    shallow_water_walls_4_2_unsplit: SHALLOW_WATER, "wall", "[4, 2]", "unsplit", [0];
    shallow_water_walls_2_4_godunov: SHALLOW_WATER, "wall", "[2, 4]", "godunov", [0];
}

/// With a capacity function, which varies within coarse cells too, the conserved total is `∫ κ q`.
#[test]
fn capacity_periodic_2_4_unsplit() {
    let overrides = [
        "solver={path=\"of the test\"}",
        "levels.ratio=[2, 4]",
        "aux={kappa=\"1.5 + x - 0.6 * y\"}",
        "initial={q=\"0.5 + exp(-60 * ((x - 0.3)^2 + (y - 0.6)^2))\"}",
    ];
    let run = |fix: &str| {
        let overrides = [&overrides[..], &[fix]].concat();
        drift(start_with_capacity(ACOUSTICS, &overrides, [1.0, -0.7]), &[0])
    };
    let (with, without) = (run("regrid.conservation_fix=true"), run("regrid.conservation_fix=false"));
    assert!(with <= TOLERANCE, "the total drifts by {with:e}");
    assert!(without >= WITHOUT_FIX, "without the fix the total drifts by {without:e} only");
}
