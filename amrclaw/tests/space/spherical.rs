//! Spherical waves of sound and gas compared with radial solutions: levels and patches add little to the error of a uniform grid as fine as
//! the finest level, and the three-dimensional solution is spherical.

use super::common::{advance_to, for_each_finest_cell, l1_error};
use super::start;
use std::f64::consts::PI;

/// Overrides for one level of cells four times as fine as the coarsest.
const FINE: [&str; 1] = ["levels={max=1,ratio=[]}"];

/// Errors at time `end` in component `m` of three levels, of the uniform grid as fine as the finest, and of the coarsest alone.
fn errors(text: &str, cells: i32, end: f64, m: usize, exact: impl Fn(f64) -> f64) -> [f64; 3] {
    let fine = format!("mesh.cells={:?}", [4 * cells; 3]);
    let runs: [&[&str]; 3] = [&[], &[FINE[0], &fine], &FINE];
    runs.map(|overrides| {
        let mut simulation = start::<3>(text, overrides);
        advance_to(&mut simulation, end);
        l1_error(&simulation.frame(), m, |[x, y, z]| exact((x * x + y * y + z * z).sqrt()))
    })
}

/// r p, continued as an odd function of r, solves the one-dimensional wave equation: half of it moves inwards, half outwards, at speed 2.
#[test]
fn sound() {
    let (end, speed) = (0.1, 2.0);
    let shell = |r: f64| if (r - 0.5).abs() <= 0.2 { 1.0 + (PI * (r - 0.5) / 0.2).cos() } else { 0.0 };
    let odd = |r: f64| r * shell(r.abs());
    let exact = |r: f64| (odd(r - speed * end) + odd(r + speed * end)) / (2.0 * r);
    let found = errors(include_str!("../cases/shell_of_pressure.toml"), 14, end, 0, exact);
    let [adaptive, fine, coarse] = found;
    assert!(coarse > 5.0 * fine, "errors {found:?}");
    assert!(adaptive <= 1.1 * fine, "errors {found:?}");
}

/// Density of a radial blast at time `end`, in `cells` cells along a radius of length 1.
fn radial_gas(cells: i32, end: f64) -> Vec<f64> {
    let cells = format!("mesh.cells=[{cells}]");
    let mut simulation = start::<1>(include_str!("../cases/radial_gas.toml"), &[&cells]);
    advance_to(&mut simulation, end);
    let mut density = Vec::new();
    for_each_finest_cell(&simulation.frame(), |_, _, _, q| density.push(q[0]));
    density
}

/// Interpolates linearly between the cells' centres; constant beyond the first and the last.
fn between(values: &[f64], r: f64) -> f64 {
    let place = (r * values.len() as f64 - 0.5).clamp(0.0, values.len() as f64 - 1.0);
    let (i, part) = (place as usize, place.fract());
    values[i] * (1.0 - part) + values[(i + 1).min(values.len() - 1)] * part
}

/// Cells along a radius: 32 for each of the finest in space.
const CELLS: i32 = 1536;

/// A blast with a shock, a contact and a rarefaction: errors are of first order, also those of the radial solution.
#[test]
fn blast() {
    let end = 0.12;
    let [line, coarser_line] = [CELLS, CELLS / 2].map(|cells| radial_gas(cells, end));
    let found = errors(include_str!("../cases/ball_of_gas.toml"), 12, end, 0, |r| between(&line, r));
    let [adaptive, fine, coarse] = found;
    // Volume element of an eighth of a sphere: π/2 r² dr.
    let width = 1.0 / f64::from(CELLS);
    let ring = |r: f64| (between(&line, r) - between(&coarser_line, r)).abs() * 0.5 * PI * r * r * width;
    let own: f64 = (0..CELLS).map(|i| ring((f64::from(i) + 0.5) * width)).sum();
    assert!(own < 0.15 * fine, "the line's own error: {own:e}, errors {found:?}");
    assert!(coarse > 2.0 * fine, "errors {found:?}");
    assert!(adaptive <= 1.1 * fine, "errors {found:?}");
}
