//! Mappings that leave the mesh straight give the same solution as the case without a mapping.

use super::case;
use super::common::{for_each_finest_cell, largest_difference, start, take_steps};
use amrclaw::simulation::Simulation;

const ACOUSTICS: &str = r#"name = "acoustics", density = 1.0, bulk = 4.0"#;
const SOUND: [(&str, &str); 3] = [("pressure", "exp(-30 * ((x - 0.4)^2 + (y - 0.55)^2))"), ("u", "0.1"), ("v", "-0.2")];
const GAS: [(&str, &str); 5] = [
    ("density", "1 + exp(-30 * ((x - 0.4)^2 + (y - 0.55)^2))"),
    ("x_momentum", "0.3"),
    ("y_momentum", "-0.2"),
    ("energy", "2.5 + exp(-30 * ((x - 0.4)^2 + (y - 0.55)^2))"),
    ("tracer", "x"),
];

const ELASTICITY: &str = r#"name = "elasticity", density = 1.3, lambda = 2.0, mu = 0.9"#;
const SOLID: [(&str, &str); 5] = [
    ("stress_xx", "0.7 * exp(-30 * ((x - 0.4)^2 + (y - 0.55)^2))"),
    ("stress_yy", "-0.3 * exp(-30 * ((x - 0.4)^2 + (y - 0.55)^2))"),
    ("stress_xy", "0.2 * exp(-30 * ((x - 0.4)^2 + (y - 0.55)^2))"),
    ("u", "0.1"),
    ("v", "-0.2"),
];

/// Runs the case with its mapping and the case without for thirty steps.
fn both(mapped: &str, straight: &str, overrides: &[&str]) -> [Simulation<2>; 2] {
    let without = straight.split("[mesh.mapping]").next().unwrap().to_owned()
        + "[levels]"
        + &straight.split("[levels]").nth(1).unwrap().replace("X - 0.5", "x - 0.5").replace("Y - 0.5", "y - 0.5");
    [mapped, &without].map(|text| {
        let mut simulation = start(text, overrides);
        take_steps(&mut simulation, 30);
        simulation
    })
}

/// With the identity as mapping every rotation multiplies by one and adds zero: values are bitwise equal, on cells whose corners are binary
/// fractions. With several levels sums are weighted with areas, in another order; at walls the reflected transverse waves are twice those that
/// enter instead of a splitting of their own: these cases differ by round-off of thirty steps. (At clamped and free sides that splitting is
/// another, since waves there are no mirror images.)
#[test]
fn the_identity_changes_nothing() {
    let all = [(ACOUSTICS, &SOUND[..]), (r#"name = "euler_tracer""#, &GAS), (ELASTICITY, &SOLID)];
    for boundary in ["\"extrapolate\"", "\"wall\"", "\"periodic\"", "\"clamped\"", "\"free\""] {
        let mesh = format!("cells = [32, 16]\nboundary = {{ x = {boundary}, y = {boundary} }}");
        let of_solid = boundary.contains("clamped") || boundary.contains("free");
        for (solver, state) in &all[if of_solid { 2 } else { 0 }..] {
            let text = case(solver, &mesh, ["X", "Y"], state);
            for (levels, allowed) in [("levels.max=1", 0.0), ("levels.max=3", 1e-14)] {
                for split in ["strang", "godunov", "unsplit"].iter().take(if of_solid { 2 } else { 3 }) {
                    let has_transverse_walls = boundary.contains("wall") && *split == "unsplit";
                    let allowed: f64 = if has_transverse_walls { 1e-14 } else { allowed };
                    let [mapped, straight] = both(&text, &text, &[levels, &format!("scheme.split={split}")]);
                    let difference = largest_difference(&mapped.frame(), &straight.frame());
                    assert!(difference <= allowed, "{solver}, {boundary}, {levels}, {split}: {difference:e}");
                }
            }
        }
    }
}

/// Richardson's estimate, whose coarsened cells have a geometry of their own, flags the same cells as without the mapping, for the identity
/// and for a stretching. The pulse leaves its patches, so that they are regridded.
#[test]
fn richardson_flags_the_same_cells() {
    let criterion = "regrid.flag={criterion=\"richardson\",tolerance=1e-4}";
    for boundary in ["\"extrapolate\"", "\"wall\"", "\"periodic\""] {
        let mesh = format!("cells = [32, 16]\nboundary = {{ x = {boundary}, y = {boundary} }}");
        let text = case(ACOUSTICS, &mesh, ["X", "Y"], &SOUND);
        let [mapped, straight] = both(&text, &text, &[criterion]);
        assert_eq!(mapped.hierarchy().levels().len(), 3, "{boundary}");
        let boxes = [&mapped, &straight].map(|simulation| {
            simulation.hierarchy().levels().iter().map(|level| level.patches().to_vec()).collect::<Vec<_>>()
        });
        assert_eq!(boxes[0], boxes[1], "{boundary}");
        let difference = largest_difference(&mapped.frame(), &straight.frame());
        assert!(difference <= 1e-14, "{boundary}: {difference:e}");
    }
}

/// On a rotated mesh the solution is that of the straight mesh with rotated velocities, up to round-off of thirty steps. On one level only:
/// interpolation between levels limits slopes by component, which does not commute with rotation.
#[test]
fn a_turned_grid_gives_the_turned_result() {
    let (c, s) = (0.8_f64, 0.6_f64);
    let turned = [("pressure", "exp(-30 * ((x - 0.08)^2 + (y - 0.44)^2))"), ("u", "0.2"), ("v", "-0.1")];
    // The centre (0.08, 0.44) and the velocity (0.2, −0.1) are (0.328, 0.304) and (0.1, −0.2) in the mesh's own axes.
    let straight = [("pressure", "exp(-30 * ((x - 0.328)^2 + (y - 0.304)^2))"), ("u", "0.1"), ("v", "-0.2")];
    let mesh = "cells = [25, 20]\nboundary = { x = \"wall\" }";
    let map = ["0.8 * X - 0.6 * Y", "0.6 * X + 0.8 * Y"];
    let texts = [&turned, &straight].map(|state| case(ACOUSTICS, mesh, map, state));
    let states = |simulation: &Simulation<2>| {
        let mut states = Vec::new();
        for_each_finest_cell(&simulation.frame(), |_, _, _, q| states.push([q[0], q[1], q[2]]));
        states
    };
    for split in ["scheme.split=unsplit", "scheme.split=strang"] {
        let [mapped, straight] = both(&texts[0], &texts[1], &["levels.max=1", split]);
        let (mapped, straight) = (states(&mapped), states(&straight));
        assert_eq!(mapped.len(), straight.len());
        for ([p, u, v], [p0, u0, v0]) in mapped.into_iter().zip(straight) {
            let error = (p - p0).abs().max((c * u + s * v - u0).abs()).max((c * v - s * u - v0).abs());
            assert!(error <= 1e-12, "{error:e}");
        }
    }
}

/// The same for a solid, whose stress turns as a tensor, between walls and between sides of solids.
#[test]
fn a_turned_solid_gives_the_turned_result() {
    let (c, s) = (0.8_f64, 0.6_f64);
    let turned_by = |c: f64, s: f64, [xx, yy, xy]: [f64; 3]| {
        let twice = 2.0 * c * s * xy;
        [c * c * xx - twice + s * s * yy, s * s * xx + twice + c * c * yy, c * s * (xx - yy) + (c * c - s * s) * xy]
    };
    let state = |stress: [f64; 3], [x, y]: [f64; 2], [u, v]: [f64; 2]| -> Vec<(&str, String)> {
        let names = ["stress_xx", "stress_yy", "stress_xy"].into_iter().zip(stress);
        let pulse = |(name, part)| (name, format!("{part} * exp(-30 * ((x - {x})^2 + (y - {y})^2))"));
        names.map(pulse).chain([("u", u.to_string()), ("v", v.to_string())]).collect()
    };
    let stress = [0.7, -0.3, 0.2];
    let initial =
        [state(turned_by(c, s, stress), [0.08, 0.44], [0.2, -0.1]), state(stress, [0.328, 0.304], [0.1, -0.2])];
    let map = ["0.8 * X - 0.6 * Y", "0.6 * X + 0.8 * Y"];
    let texts = |sides: &str| {
        initial.each_ref().map(|state| {
            let state: Vec<(&str, &str)> = state.iter().map(|(name, value)| (*name, value.as_str())).collect();
            case(ELASTICITY, &format!("cells = [25, 20]\nboundary = {{ {sides} }}"), map, &state)
        })
    };
    let states = |simulation: &Simulation<2>| {
        let mut states = Vec::new();
        for_each_finest_cell(&simulation.frame(), |_, _, _, q| states.push([q[0], q[1], q[2], q[3], q[4]]));
        states
    };
    let walls = "x = \"wall\", y = \"wall\"";
    let of_solid = "x = [\"clamped\", \"free\"], y = [\"free\", \"clamped\"]";
    for (split, sides) in
        [("scheme.split=unsplit", walls), ("scheme.split=strang", walls), ("scheme.split=strang", of_solid)]
    {
        let texts = texts(sides);
        let [mapped, straight] = both(&texts[0], &texts[1], &["levels.max=1", split]);
        for ([xx, yy, xy, u, v], expected) in states(&mapped).into_iter().zip(states(&straight)) {
            let [xx, yy, xy] = turned_by(c, -s, [xx, yy, xy]);
            let found = [xx, yy, xy, c * u + s * v, c * v - s * u];
            let error = found.iter().zip(&expected).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
            assert!(error <= 1e-12, "{split}: {error:e}");
        }
    }
}

/// A mesh stretched along its axes gives the solution of a straight mesh with cells of that size, up to round-off of thirty steps.
#[test]
fn a_stretched_grid_has_longer_cells() {
    let mapped = case(ACOUSTICS, "cells = [25, 20]", ["2 * X", "0.7 * Y"], &SOUND);
    let straight = case(ACOUSTICS, "cells = [25, 20]\nupper = [2.0, 0.7]", ["X", "Y"], &SOUND);
    let straight =
        straight.replace("hypot(X - 0.5 - ", "hypot(0.5 * x - 0.5 - ").replace("Y - 0.5 - ", "y / 0.7 - 0.5 - ");
    let [mapped, straight] = both(&mapped, &straight, &[]);
    let difference = largest_difference(&mapped.frame(), &straight.frame());
    assert!(difference <= 1e-12, "{difference:e}");
}
