//! Totals are conserved with fine patches in the middle of the domain, whose faces on all six sides separate levels.

use super::common::capacity::start_with_capacity;
use super::common::{absolute_totals, take_steps};
use super::start;
use amrclaw::simulation::Simulation;

/// Bound of a total's drift relative to `∫ |q|` at the start: as in two dimensions, since there are as many interface faces.
const TOLERANCE: f64 = 1e-13;
/// Least drift without the fix, which shows that the tolerance is not met by chance.
const WITHOUT_FIX: f64 = 1e3 * TOLERANCE;
const STEPS: usize = 20;

/// Sound: no component is zero in total.
const SOUND: &str = include_str!("../cases/conserved/acoustics_in_space.toml");
/// A blob of dense gas in a wind, under pressure.
const GAS: &str = include_str!("../cases/conserved/euler_in_space.toml");
/// A quantity advected through a medium whose capacity varies, also within a coarse cell.
const CAPACITY: [&str; 3] = [
    "solver={path='of the test'}",
    "aux={kappa='1.5 + x - 0.6 * y + 0.4 * z'}",
    "initial={q='0.5 + exp(-20 * ((x - 0.4)^2 + (y - 0.6)^2 + (z - 0.5)^2))'}",
];

/// Overrides for the sides of the domain, the ratios and the sweeps.
fn arranged(boundary: &str, ratio: &str, split: &str) -> Vec<String> {
    let sides = ["x", "y", "z"].map(|axis| format!("mesh.boundary.{axis}={boundary}"));
    sides.into_iter().chain([format!("levels.ratio={ratio}"), format!("scheme.split={split}")]).collect()
}

/// Largest drift of the totals of the components `kept`, relative to `∫ |q|` at the start.
fn drift(mut simulation: Simulation<3>, kept: &[usize]) -> f64 {
    let (before, scale) = (simulation.totals(), absolute_totals(&simulation.frame()));
    let meshes = [0, 1].map(|_| {
        take_steps(&mut simulation, STEPS / 2);
        let fine = simulation.hierarchy().levels()[1].clone();
        let (inner, faces) = (fine.domain().grow(-1), fine.patches().iter());
        assert!(faces.clone().all(|patch| inner.contains_box(patch)), "patches at the domain's sides: {fine:?}");
        faces.copied().collect::<Vec<_>>()
    });
    assert_eq!(simulation.hierarchy().num_levels(), 3, "the case has lost its finest level");
    assert_ne!(meshes[0], meshes[1], "the patches have not moved");
    let after = simulation.totals();
    kept.iter().map(|&m| (after[m] - before[m]).abs() / scale[m]).fold(0.0, f64::max)
}

fn assert_conserves(what: &str, start: impl Fn(&[&str]) -> Simulation<3>, kept: &[usize]) {
    let with = drift(start(&[]), kept);
    assert!(with <= TOLERANCE, "{what}: the totals drift by {with:e}");
    let without = drift(start(&["regrid.conservation_fix=false"]), kept);
    assert!(without >= WITHOUT_FIX, "{what}: without the fix the totals drift by {without:e} only");
}

macro_rules! conserves {
    ($($name:ident: $solver:ident, $boundary:literal, $ratio:literal, $split:literal, $kept:expr;)*) => {$(
        #[test]
        fn $name() {
            let arranged = arranged($boundary, $ratio, $split);
            let arranged: Vec<&str> = arranged.iter().map(String::as_str).collect();
            assert_conserves(stringify!($name), |fix| start($solver, &[&arranged, fix].concat()), &$kept);
        }
    )*};
}

// Walls exert forces: they change momentum, but not mass, energy and, for sound, the total pressure.
conserves! {
    sound_periodic_4_2_unsplit: SOUND, "periodic", "[4, 2]", "unsplit", [0, 1, 2, 3];
    sound_periodic_2_4_strang: SOUND, "periodic", "[2, 4]", "strang", [0, 1, 2, 3];
    sound_walls_224_unsplit: SOUND, "wall", "[[2, 2, 4], [2, 2, 2]]", "unsplit", [0];
    gas_periodic_224_godunov: GAS, "periodic", "[[2, 2, 4], [2, 2, 2]]", "godunov", [0, 1, 2, 3, 4];
    gas_walls_2_2_unsplit: GAS, "wall", "[2, 2]", "unsplit", [0, 4];
    gas_walls_2_2_strang: GAS, "wall", "[2, 2]", "strang", [0, 4];
}

/// With a capacity function the conserved total is `∫ κ q`.
#[test]
fn capacity_periodic_2_2_unsplit() {
    let start = |fix: &[&str]| start_with_capacity(SOUND, &[&CAPACITY, fix].concat(), [1.0, -0.7, 0.6]);
    assert_conserves("capacity", start, &[0]);
}
