//! Totals over the composite grid stay what they are: with the conservation fix on, the flux that leaves a coarse cell is the one
//! that enters the fine cells beside it, and regridding neither makes nor loses anything.
//!
//! Proved for every conservation law built in, periodic and between walls, ratios 2 and 4, unsplit and split sweeps, a
//! capacity function, patches of odd sizes, over at least a hundred coarse steps with a regrid every three. Every
//! case is run with the fix off too, to show that its interfaces are crossed by something.

mod common;

use amrclaw::simulation::Simulation;
use common::capacity::start_with_capacity;
use common::{absolute_totals, start, take_steps};

/// Drift of a total relative to `∫ |q|` at the start. Each of some 10⁴ interface faces rounds at 1e-16 of the state, with either sign,
/// a hundred times.
const TOLERANCE: f64 = 1e-13;
/// What the drift is at least without the fix: the tolerance would not be met by chance.
const WITHOUT_FIX: f64 = 1e3 * TOLERANCE;
const STEPS: usize = 100;

/// Sound: pressure and both velocities are not zero in total nor in the mean of their sizes.
const ACOUSTICS: &str = r#"
[solver]
name = "acoustics"
density = 1.3
bulk = 3.7
[initial]
pressure = "2 + exp(-60 * ((x - 0.3)^2 + (y - 0.6)^2))"
u = "0.5 + 0.3 * exp(-60 * ((x - 0.7)^2 + (y - 0.4)^2))"
v = "0.4"
"#;

/// A blob of dense gas in a wind, under pressure.
const EULER: &str = r#"
[solver]
name = "euler"
[initial]
density = "1 + exp(-60 * ((x - 0.3)^2 + (y - 0.6)^2))"
x_momentum = "0.6 * (1 + exp(-60 * ((x - 0.3)^2 + (y - 0.6)^2)))"
y_momentum = "-0.4 * (1 + exp(-60 * ((x - 0.3)^2 + (y - 0.6)^2)))"
energy = "2.5 + 2 * exp(-60 * ((x - 0.4)^2 + (y - 0.5)^2)) + 0.26 * (1 + exp(-60 * ((x - 0.3)^2 + (y - 0.6)^2)))"
"#;

/// A hump of water in a current.
const SHALLOW_WATER: &str = r#"
[solver]
name = "shallow_water"
gravity = 1.0
[initial]
depth = "1 + 0.6 * exp(-60 * ((x - 0.3)^2 + (y - 0.6)^2))"
x_momentum = "0.3"
y_momentum = "-0.2"
"#;

/// The domain, its sides, three levels and the sweeps.
fn settings(boundary: &str, ratio: &str, split: &str) -> String {
    format!(
        r#"
[mesh]
lower = [0.0, 0.0]
upper = [1.0, 0.9]
cells = [19, 15]
[mesh.boundary]
x = ["{boundary}", "{boundary}"]
y = ["{boundary}", "{boundary}"]
[levels]
max = 3
ratio = {ratio}
[regrid]
interval = 3
buffer = 1
max_patch_size = 20
[regrid.flag]
criterion = "user"
expression = "hypot(x - 0.5 - 0.27 * cos(5 * t), y - 0.45 - 0.24 * sin(5 * t)) < 0.13"
[scheme]
split = "{split}"
limiter = "mc"
[time]
end = 10.0
dt_initial = 0.002
cfl_desired = 0.8
[output]
format = []
"#
    )
}

/// Largest drift of the totals named, relative to `∫ |q|` at the start.
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

fn assert_conserves(solver: &str, boundary: &str, ratio: &str, split: &str, kept: &[usize]) {
    let text = format!("{solver}{}", settings(boundary, ratio, split));
    let what = format!("{boundary}, ratio {ratio}, {split}");
    let with = drift(start(&text, &[]), kept);
    assert!(with <= TOLERANCE, "{what}: the totals drift by {with:e}");
    let without = drift(start(&text, &["regrid.conservation_fix=false"]), kept);
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
    shallow_water_periodic_2_4_unsplit: SHALLOW_WATER, "periodic", "[2, 4]", "unsplit", [0, 1, 2];
    shallow_water_periodic_4_4_unsplit: SHALLOW_WATER, "periodic", "[4, 4]", "unsplit", [0, 1, 2];
    shallow_water_periodic_2_2_strang: SHALLOW_WATER, "periodic", "[2, 2]", "strang", [0, 1, 2];
}

// Walls push back: momentum changes, mass and energy stay. Linear acoustics keeps the total of the pressure, which is K times
// the volume that has been squeezed.
conserves! {
    acoustics_walls_2_4_unsplit: ACOUSTICS, "wall", "[2, 4]", "unsplit", [0];
    acoustics_walls_2_2_strang: ACOUSTICS, "wall", "[2, 2]", "strang", [0];
    euler_walls_2_2_unsplit: EULER, "wall", "[2, 2]", "unsplit", [0, 3];
    euler_walls_2_2_godunov: EULER, "wall", "[2, 2]", "godunov", [0, 3];
    shallow_water_walls_4_2_unsplit: SHALLOW_WATER, "wall", "[4, 2]", "unsplit", [0];
    shallow_water_walls_2_4_godunov: SHALLOW_WATER, "wall", "[2, 4]", "godunov", [0];
}

/// With a capacity function that varies, also within a coarse cell, `∫ κ q` is what stays.
#[test]
fn capacity_periodic_2_4_unsplit() {
    let text = format!(
        "{}{}",
        r#"
[aux]
kappa = "1.5 + x - 0.6 * y"
[initial]
q = "0.5 + exp(-60 * ((x - 0.3)^2 + (y - 0.6)^2))"
"#,
        settings("periodic", "[2, 4]", "unsplit")
    );
    let run =
        |fix: &str| drift(start_with_capacity(&text, &[&format!("regrid.conservation_fix={fix}")], [1.0, -0.7]), &[0]);
    let (with, without) = (run("true"), run("false"));
    assert!(with <= TOLERANCE, "the total drifts by {with:e}");
    assert!(without >= WITHOUT_FIX, "without the fix the total drifts by {without:e} only");
}
