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
