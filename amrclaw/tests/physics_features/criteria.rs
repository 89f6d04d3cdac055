//! Which cells are refined.

use super::common::{advance_to, for_each_finest_cell, start};
use amrclaw::simulation::Simulation;

/// A steep front at x = 0.25 and, at some distance, a slow rise.
const STEEP_AND_FLAT: &str = include_str!("../cases/features/steep_front.toml");

/// Range along x of the cells of level 2.
fn refined(simulation: &Simulation<2>) -> [f64; 2] {
    let mut range = [f64::INFINITY, f64::NEG_INFINITY];
    for_each_finest_cell(&simulation.frame(), |level, x, dx, _| {
        if level == 1 {
            range = [range[0].min(x[0] - 0.5 * dx[0]), range[1].max(x[0] + 0.5 * dx[0])];
        }
    });
    range
}

/// Each criterion flags the front and not the slow rise, and follows it.
#[test]
fn criteria_follow_the_front() {
    let criteria: [&[&str]; 3] = [
        &["regrid.flag.criterion=\"richardson\"", "regrid.flag.tolerance=3e-4"],
        &["regrid.flag.criterion=\"difference\"", "regrid.flag.tolerance=0.2"],
        &["regrid.flag={criterion=\"user\",expression=\"abs(q - 0.05 * cos(2 * pi * x)) < 0.9\"}"],
    ];
    for criterion in criteria {
        let mut simulation = start(STEEP_AND_FLAT, criterion);
        for (t, front) in [(0.0, 0.25), (0.3, 0.55)] {
            if t > 0.0 {
                advance_to(&mut simulation, t);
            }
            let [from, to] = refined(&simulation);
            let near = from > front - 0.2 && to < front + 0.2;
            assert!(near && from < front && front < to, "{criterion:?}, t = {t}: refined from {from} to {to}");
        }
    }
}

/// Without a buffer, exactly the cells are refined where the criterion's expression is not zero.
#[test]
fn an_expression_refines_where_it_is_not_zero() {
    let overrides = [
        "regrid.flag={criterion=\"user\",expression=\"x > 0.5 && x < 0.75 && y < 0.5\"}",
        "regrid.buffer=0",
        "regrid.cutoff=1.0",
    ];
    let simulation = start(STEEP_AND_FLAT, &overrides);
    let patches = simulation.hierarchy().levels()[1].patches();
    assert_eq!(patches.len(), 1, "{patches:?}");
    assert_eq!((patches[0].lo, patches[0].hi), ([80, 0], [120, 20]));
}

/// Formulas of criteria know neighbours: tolerances of all fields are those of one number, to the cell, a derivative is the difference over
/// the distance, also beyond the sides of patches, and names and quantities may be used.
#[test]
fn criteria_know_neighbours_and_quantities() {
    let patches = |overrides: &[&str]| {
        let mut simulation = start(STEEP_AND_FLAT, &[overrides, &["regrid.max_patch_size=8"]].concat());
        advance_to(&mut simulation, 0.1);
        simulation.hierarchy().levels().iter().map(|level| level.patches().to_vec()).collect::<Vec<_>>()
    };
    let expected = patches(&["regrid.flag={tolerance=0.2}"]);
    assert!(expected[1].len() > 3, "{expected:?}");
    let front = "regrid.flag={criterion=\"user\",expression=\"front\"}";
    let table: [&[&str]; 4] = [
        &["regrid.flag={tolerance={q=0.2}}"],
        &["regrid.flag={tolerance={twice=0.4}}", "define={twice=\"2 * q\"}"],
        &["regrid.flag={criterion=\"user\",expression=\"2 * dx * abs(dx(q)) > 0.2 or 2 * dy * abs(dy(q)) > 0.2\"}"],
        &[front, "define={front=\"max(abs(2 * dx * dx(q)), abs(2 * dy * dy(q))) > limit\",limit=0.2}"],
    ];
    for overrides in table {
        assert_eq!(patches(overrides), expected, "{overrides:?}");
    }
}

/// On a mapped mesh derivatives are physical.
#[test]
fn criteria_on_mapped_meshes_know_physical_derivatives() {
    let cells = |expression: &str| {
        let flag = format!("regrid.flag={{criterion=\"user\",expression=\"{expression}\"}}");
        let mapping = "mesh.mapping={x=\"X + 0.25 * Y\",y=\"0.5 * Y\"}";
        let solver = "solver={name=\"acoustics\",density=1.0,bulk=1.0}";
        let initial = "initial={pressure=\"3 * x - 7 * y\",u=0,v=0}";
        let open = "mesh.boundary={x=\"extrapolate\",y=\"extrapolate\"}";
        let simulation = start(STEEP_AND_FLAT, &[solver, mapping, initial, open, &flag, "regrid.buffer=0"]);
        simulation.hierarchy().levels().get(1).map_or(0, |level| level.num_cells())
    };
    // Beyond the sides the pressure does not change.
    let inside = cells("X > 0.1 && X < 0.9 && Y > 0.1 && Y < 0.9");
    let all =
        "X > 0.1 && X < 0.9 && Y > 0.1 && Y < 0.9 && abs(dx(pressure) - 3) < 1e-9 && abs(dy(pressure) + 7) < 1e-9";
    assert!(inside > 0 && cells(all) == inside, "{} of {inside} cells", cells(all));
}

/// Richardson's estimate uses the step that the level takes: with four times as many steps of level 2, fewer of its cells are
/// refined.
#[test]
fn estimates_are_of_the_steps_taken() {
    let finest = |ratio_time: &str| {
        let levels = ["levels.max=3", "levels.ratio=[2,2]", ratio_time];
        let criterion = ["regrid.flag.criterion=\"richardson\"", "regrid.flag.tolerance=1e-4", "regrid.buffer=0"];
        let simulation = start(STEEP_AND_FLAT, &[levels, criterion].concat());
        simulation.hierarchy().levels().get(2).map_or(0, |level| level.num_cells())
    };
    let (usual, more) = (finest("levels.ratio_time=[2,2]"), finest("levels.ratio_time=[8,2]"));
    assert!(usual > 0 && more < usual, "{usual} and {more} cells on level 3");
}
