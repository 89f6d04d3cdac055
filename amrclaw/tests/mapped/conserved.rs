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
