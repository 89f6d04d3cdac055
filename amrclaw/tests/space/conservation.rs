//! Totals stay what they are with fine patches in the middle of the domain, so that faces of all six kinds separate levels.

use super::common::capacity::start_with_capacity;
use super::common::{absolute_totals, take_steps};
use super::start;
use amrclaw::simulation::Simulation;

/// Drift of a total relative to `∫ |q|` at the start: the bound of two dimensions, for as many interface faces.
const TOLERANCE: f64 = 1e-13;
/// What the drift is at least without the fix: the tolerance would not be met by chance.
const WITHOUT_FIX: f64 = 1e3 * TOLERANCE;
const STEPS: usize = 20;

/// Sound: no component is zero in total.
const SOUND: &str = r#"
[solver]
name = "acoustics"
density = 1.3
bulk = 3.7
[initial]
pressure = "2 + exp(-20 * ((x - 0.3)^2 + (y - 0.6)^2 + (z - 0.5)^2))"
u = "0.5 + 0.3 * exp(-20 * ((x - 0.7)^2 + (y - 0.4)^2 + (z - 0.6)^2))"
v = "0.4"
w = "-0.3 + 0.2 * exp(-20 * ((x - 0.5)^2 + (y - 0.4)^2 + (z - 0.4)^2))"
"#;

/// A blob of dense gas in a wind, under pressure.
const GAS: &str = r#"
[solver]
name = "euler_hllc"
[initial]
density = "1 + exp(-20 * ((x - 0.4)^2 + (y - 0.6)^2 + (z - 0.5)^2))"
x_momentum = "0.3"
y_momentum = "-0.2"
z_momentum = "0.25"
energy = "3 + 2 * exp(-20 * ((x - 0.5)^2 + (y - 0.5)^2 + (z - 0.6)^2))"
"#;

/// A quantity on its way through a medium whose capacity varies, also within a coarse cell.
const CAPACITY: &str = r#"
[aux]
kappa = "1.5 + x - 0.6 * y + 0.4 * z"
[initial]
q = "0.5 + exp(-20 * ((x - 0.4)^2 + (y - 0.6)^2 + (z - 0.5)^2))"
"#;

/// Sides, ratios and sweeps; the patches move with time.
fn settings(boundary: &str, ratio: &str, split: &str) -> String {
    format!(
        r#"
[mesh]
lower = [0.0, 0.0, 0.0]
upper = [1.0, 0.9, 1.1]
cells = [13, 11, 15]
[mesh.boundary]
x = "{boundary}"
y = "{boundary}"
z = "{boundary}"
[levels]
max = 3
ratio = {ratio}
[regrid]
interval = 3
buffer = 0
max_patch_size = 8
[regrid.flag]
criterion = "user"
expression = """
max(abs(x - 0.5 - 0.1 * cos(5*t)), max(abs(y - 0.45 - 0.1 * sin(5*t)), abs(z - 0.55 - 0.12 * sin(5*t)))) < 0.09"""
[scheme]
split = "{split}"
[time]
end = 10.0
dt_initial = 0.005
cfl_desired = 0.8
[output]
format = []
"#
    )
}

/// Largest drift of the totals named, relative to `∫ |q|` at the start.
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
            let text = format!("{}{}", $solver, settings($boundary, $ratio, $split));
            assert_conserves(stringify!($name), |overrides| start(&text, overrides), &$kept);
        }
    )*};
}

// Walls push back: momentum changes, mass, energy and the total of the pressure stay.
conserves! {
    sound_periodic_4_2_unsplit: SOUND, "periodic", "[4, 2]", "unsplit", [0, 1, 2, 3];
    sound_periodic_2_4_strang: SOUND, "periodic", "[2, 4]", "strang", [0, 1, 2, 3];
    sound_walls_224_unsplit: SOUND, "wall", "[[2, 2, 4], [2, 2, 2]]", "unsplit", [0];
    gas_periodic_224_godunov: GAS, "periodic", "[[2, 2, 4], [2, 2, 2]]", "godunov", [0, 1, 2, 3, 4];
    gas_walls_2_2_unsplit: GAS, "wall", "[2, 2]", "unsplit", [0, 4];
    gas_walls_2_2_strang: GAS, "wall", "[2, 2]", "strang", [0, 4];
}

/// With a capacity function it is `∫ κ q` that stays.
#[test]
fn capacity_periodic_2_2_unsplit() {
    let text = format!("{CAPACITY}{}", settings("periodic", "[2, 2]", "unsplit"));
    assert_conserves("capacity", |overrides| start_with_capacity(&text, overrides, [1.0, -0.7, 0.6]), &[0]);
}
