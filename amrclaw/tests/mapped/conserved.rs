//! Totals over three levels are conserved between walls and across seams: the face vectors of a cell sum to zero, those of fine
//! faces to that of the coarse face, and areas of fine cells to that of the coarse cell.

use super::common::{absolute_totals, start, take_steps};
use super::{SMOOTH, case};

const GAS: [(&str, &str); 4] = [
    ("density", "1 + exp(-20 * ((x - 0.4)^2 + (y - 0.5)^2))"),
    ("x_momentum", "0.3 * (1 + exp(-20 * ((x - 0.4)^2 + (y - 0.5)^2)))"),
    ("y_momentum", "0"),
    (
        "energy",
        "2.5 + 2 * exp(-20 * ((x - 0.3)^2 + (y - 0.6)^2)) + 0.045 * (1 + exp(-20 * ((x - 0.4)^2 + (y - 0.5)^2)))",
    ),
];

/// The relative drift of the totals of density, energy and, if `momentum` is conserved, momentum.
fn drift(mesh: &str, map: [&str; 2], momentum: bool, overrides: &[&str]) -> f64 {
    let mut simulation = start(&case(r#"name = "euler""#, mesh, map, &GAS), overrides);
    let (before, scale) = (simulation.totals(), absolute_totals(&simulation.frame()));
    take_steps(&mut simulation, 60);
    assert_eq!(simulation.hierarchy().levels().len(), 3);
    let after = simulation.totals();
    let kept: &[usize] = if momentum { &[0, 1, 2, 3] } else { &[0, 3] };
    kept.iter().map(|&m| (after[m] - before[m]).abs() / scale[0].max(scale[m])).fold(0.0, f64::max)
}

/// Totals are conserved on three levels. Bound: some thousand faces between levels round to 1e-16 of the state, with either sign, in each of
/// sixty steps. Curved walls reflect transverse waves too.
#[test]
fn totals_stay_on_three_levels() {
    let periodic = "cells = [19, 15]\nboundary = { x = \"periodic\", y = \"periodic\" }";
    let annulus = "cells = [16, 48]\nboundary = { x = \"wall\", y = \"periodic\" }";
    let ring = ["(0.4 + X) * cos(2*pi*Y)", "(0.4 + X) * sin(2*pi*Y)"];
    let walls = "cells = [24, 16]\nboundary = { x = \"wall\", y = \"wall\" }";
    let ramp = ["X", "Y + max(X - 0.5, 0) * 0.3 * (1 - Y)"];
    let bent = ["X + 0.1 * sin(2*pi*Y)", "Y - 0.15 * cos(2*pi*X)"];
    let smooth =
        [("periodic", periodic, SMOOTH), ("ring", annulus, ring), ("ramp", walls, ramp), ("bent", walls, bent)];
    for (name, mesh, map) in smooth {
        for ratio in ["levels.ratio=[2,2]", "levels.ratio=[4,2]"] {
            let momentum = name == "periodic";
            let with = drift(mesh, map, momentum, &[ratio]);
            assert!(with <= 1e-13, "{name}, {ratio}: the totals drift by {with:e}");
            let without = drift(mesh, map, momentum, &[ratio, "regrid.conservation_fix=false"]);
            assert!(without >= 1e-10, "{name}, {ratio}: without the fix by {without:e} only");
        }
    }
}

/// No force acts on a solid at free sides, and no work is done at clamped ones: on curved cells too, with transverse waves that are reflected
/// there, the totals of velocities, of stresses, stay. Bound as above; by a wrong reflection they drift by 1e-3.
#[test]
fn sides_of_a_solid_keep_totals() {
    let pulse = |part: f64| format!("{part} * exp(-30 * ((x - 0.4)^2 + (y - 0.55)^2))");
    let parts = [("stress_xx", 0.7), ("stress_yy", -0.3), ("stress_xy", 0.2), ("u", 0.4), ("v", -0.3)];
    let state = parts.map(|(name, part)| (name, pulse(part)));
    let state = state.each_ref().map(|(name, value)| (*name, value.as_str()));
    let solid = r#"name = "elasticity", density = 1.3, lambda = 2.0, mu = 0.9"#;
    let bent = ["X + 0.1 * sin(2*pi*Y)", "Y - 0.15 * cos(2*pi*X)"];
    for (side, kept) in [("free", 3..5), ("clamped", 0..3)] {
        let mesh = format!("cells = [24, 16]\nboundary = {{ x = \"{side}\", y = \"{side}\" }}");
        let mut simulation = start(&case(solid, &mesh, bent, &state), &[]);
        let before = simulation.totals();
        take_steps(&mut simulation, 40);
        assert_eq!(simulation.hierarchy().levels().len(), 3);
        let after = simulation.totals();
        for m in kept {
            assert!((after[m] - before[m]).abs() < 1e-13, "{side}, {m}: {} becomes {}", before[m], after[m]);
        }
    }
}

/// Interpolated values are shifted so that each coarse cell keeps its total. Where cells grow fast that would make a depth negative: then all
/// fine cells get the coarse cell's depth, and the total stays, to the round-off of the largest depths.
#[test]
fn new_patches_keep_depths_and_totals() {
    let mut simulation = start(include_str!("../cases/mapped/steep_depth.toml"), &[]);
    let before = simulation.totals()[0];
    take_steps(&mut simulation, 2);
    let frame = simulation.frame();
    assert_eq!(frame.levels.len(), 2);
    let depths = frame.levels.iter().flat_map(|level| &level.patches).flat_map(|patch| &patch.q[..patch.q.len() / 3]);
    let least = depths.copied().fold(f64::INFINITY, f64::min);
    assert!(least > 0.0, "{least:e}");
    assert!((simulation.totals()[0] - before).abs() < 1e-14 * before);
}

/// Steps that fall back to first order at some faces keep the totals of mass and energy in a closed box: both sides of such a face, and the
/// fix, see the same flux. Bound as above.
#[test]
fn totals_stay_where_steps_fall_back() {
    let stretched = "mesh.mapping={x='X + 0.2 * X * X',y='Y + 0.1 * Y * Y'}";
    for solver in ["solver.name=euler", "solver.name=euler_hllc"] {
        for overrides in
            [&["levels.ratio=[[2,4]]"][..], &["levels={max=3,ratio=[2,2]}"], &["scheme.split='strang'", stretched]]
        {
            let overrides = [overrides, &[solver]].concat();
            let mut simulation = start(include_str!("../cases/hard/cold_box.toml"), &overrides);
            let before = simulation.totals();
            take_steps(&mut simulation, 20);
            assert!(simulation.counts().fallback.repeated > 0, "{overrides:?}");
            for m in [0, 3] {
                let drift = (simulation.totals()[m] - before[m]).abs() / before[m];
                assert!(drift < 1e-13, "{overrides:?}: {drift:e}");
            }
        }
    }
}
