//! A constant state stays constant: the jumps are zero at all faces, whatever their normals.

use super::common::{for_each_finest_cell, start, take_steps};
use super::{SMOOTH, case};

const EULER: &str = r#"name = "euler""#;
const ACOUSTICS: &str = r#"name = "acoustics", density = 1.0, bulk = 4.0"#;
const SHALLOW: &str = r#"name = "shallow_water""#;
const MESH: &str = "cells = [19, 15]";

/// Moves nodes at random by up to two tenths of the finest cells, which are 1/76 by 1/60.
const ROUGH: [&str; 2] = [
    "X + 0.005 * (mod(sin(127 * X + 311 * Y) * 43758.5, 1) - 0.5)",
    "Y + 0.006 * (mod(sin(269 * X + 183 * Y) * 43758.5, 1) - 0.5)",
];

/// The largest deviation from the state at the start after twenty coarse steps on three levels.
fn deviation(solver: &str, map: [&str; 2], state: &[(&str, &str)]) -> f64 {
    let mut simulation = start(&case(solver, MESH, map, state), &[]);
    take_steps(&mut simulation, 20);
    assert_eq!(simulation.hierarchy().levels().len(), 3);
    let wanted: Vec<f64> = state.iter().map(|(_, value)| value.parse().unwrap()).collect();
    let mut largest = 0.0_f64;
    for_each_finest_cell(&simulation.frame(), |_, _, _, q| {
        q.iter().zip(&wanted).for_each(|(value, wanted)| largest = largest.max((value - wanted).abs()));
    });
    largest
}

/// Bound: states of size one round to 1e-16 in each of twenty steps, in averaging down and in the conservation fix.
#[test]
fn a_constant_state_stays_constant() {
    for map in [SMOOTH, ROUGH] {
        let gas = [("density", "1"), ("x_momentum", "0.7"), ("y_momentum", "-0.4"), ("energy", "2.825")];
        let sound = [("pressure", "1"), ("u", "0.7"), ("v", "-0.4")];
        let water = [("depth", "1"), ("x_momentum", "0.7"), ("y_momentum", "-0.4")];
        for (solver, state) in [(EULER, &gas[..]), (ACOUSTICS, &sound), (SHALLOW, &water)] {
            let found = deviation(solver, map, state);
            assert!(found <= 1e-13, "{solver} on {map:?}: {found:e}");
        }
    }
}

/// Richardson's estimate measures the error of the solution alone: for a constant state on curved cells it is the round-off of a step, although
/// cells twice as large have other faces.
#[test]
fn a_constant_state_has_no_error_to_estimate() {
    let text = case(ACOUSTICS, "cells = [20, 16]", SMOOTH, &[("pressure", "1"), ("u", "0.7"), ("v", "-0.4")]);
    let mut simulation = start(&text, &["regrid.flag={criterion=\"richardson\",tolerance=1e-13}"]);
    take_steps(&mut simulation, 6);
    assert_eq!(simulation.hierarchy().levels().len(), 1);
}
