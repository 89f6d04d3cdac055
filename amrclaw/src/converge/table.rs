//! The errors of a study as text, as CSV and as a picture.

use super::Resolution;
use crate::compare::Norms;
use crate::picture::{Figure, Line, chart};
use std::fmt::Write;

/// Selects one of the norms.
type Measure = fn(&Norms) -> f64;

/// The norms by name.
const NORMS: [(&str, Measure); 3] = [("L1", |n| n.l1), ("L2", |n| n.l2), ("max", |n| n.max)];
/// Pixels of the picture's plot.
const PICTURE: usize = 800;

/// Names of the equations' quantities with errors.
fn equations(resolutions: &[Resolution]) -> Vec<&str> {
    resolutions.first().map_or(Vec::new(), |first| first.errors.iter().map(|(name, _)| name.as_str()).collect())
}

/// The observed order of convergence from errors on two meshes with so many cells along an axis.
fn order(coarse: (f64, f64), fine: (f64, f64)) -> Option<f64> {
    let order = || (coarse.1 / fine.1).log2() / (fine.0 / coarse.0).log2();
    (coarse.1 > 0.0 && fine.1 > 0.0).then(order).filter(|order| order.is_finite())
}

/// Errors of an equation mesh by mesh; the last mesh has none if it is the reference.
fn of<'a>(resolutions: &'a [Resolution], equation: &'a str) -> impl Iterator<Item = (&'a Resolution, Norms)> {
    resolutions.iter().filter_map(move |resolution| {
        let found = resolution.errors.iter().find(|(name, _)| name == equation)?;
        Some((resolution, found.1))
    })
}

/// The table for a terminal: per equation one line for each mesh, with errors and orders.
pub fn text(resolutions: &[Resolution]) -> String {
    let mut out = String::new();
    let width = resolutions.iter().map(|r| r.mesh.describe().chars().count()).max().unwrap_or(0).max(5);
    // Writing to a string cannot fail, here and below.
    for equation in equations(resolutions) {
        let _ = write!(out, "{equation}\n{:>width$}", "cells");
        for (name, _) in NORMS {
            let _ = write!(out, "{name:>13} order");
        }
        let _ = writeln!(out, "{:>11}", "wall s");
        let mut before: Option<(f64, Norms)> = None;
        for (resolution, norms) in of(resolutions, equation) {
            let along = resolution.mesh.along;
            let _ = write!(out, "{:>width$}", resolution.mesh.describe());
            for (_, value) in NORMS {
                let order = before.and_then(|(n, before)| order((n, value(&before)), (along, value(&norms))));
                let order = order.map_or_else(|| "–".to_owned(), |order| format!("{order:.2}"));
                let _ = write!(out, "{:13.4e} {order:>5}", value(&norms));
            }
            let _ = writeln!(out, "{:11.3}", resolution.record.wall_seconds);
            before = Some((along, norms));
        }
        out.push('\n');
    }
    out
}

/// First line of the table as CSV.
pub(super) const CSV_HEAD: &str = "equation,cells,cells_advanced,wall_seconds,L1,L1_order,L2,L2_order,max,max_order\n";

/// One row per equation and mesh.
pub fn csv(resolutions: &[Resolution]) -> String {
    let mut out = CSV_HEAD.to_owned();
    for equation in equations(resolutions) {
        let mut before: Option<(f64, Norms)> = None;
        for (resolution, norms) in of(resolutions, equation) {
            let along = resolution.mesh.along;
            let cells: Vec<String> = resolution.mesh.cells.iter().map(i32::to_string).collect();
            let record = &resolution.record;
            let _ = write!(out, "{equation},{},", cells.join("x"));
            let _ = write!(out, "{},{}", record.cells_advanced_total, record.wall_seconds);
            for (_, value) in NORMS {
                let order = before.and_then(|(n, before)| order((n, value(&before)), (along, value(&norms))));
                let order = order.map_or_else(String::new, |order| order.to_string());
                let _ = write!(out, ",{:e},{order}", value(&norms));
            }
            out.push('\n');
            before = Some((along, norms));
        }
    }
    out
}

/// Errors in L1 over the cells along an axis, a line per equation, with lines of first and second order; `None` if all errors
/// are zero.
pub fn picture(resolutions: &[Resolution], title: &str) -> Option<Figure> {
    let line = |equation: &str| Line {
        label: format!("{equation}, L1"),
        points: of(resolutions, equation).map(|(r, norms)| (r.mesh.along, norms.l1)).collect(),
    };
    let lines: Vec<Line> = equations(resolutions).into_iter().map(line).collect();
    chart(title, "cells along x on the coarsest level", &lines, &[1.0, 2.0], PICTURE)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::converge::StudyMesh;
    use crate::frames::run_json::RunRecord;

    /// Errors that fall by four show the order two, in text and in CSV; a mesh without errors has no row.
    #[test]
    fn orders_are_those_of_the_errors() {
        let resolution = |n: i32, e: Option<f64>| Resolution {
            mesh: StudyMesh { cells: vec![n, 2 * n], file: None, along: f64::from(n) },
            errors: e
                .map(|e| ("q".to_owned(), Norms { l1: e, l2: 2.0 * e, max: 3.0, range: 1.0 }))
                .into_iter()
                .collect(),
            record: RunRecord { wall_seconds: 0.5, ..RunRecord::default() },
        };
        let study = [resolution(10, Some(0.04)), resolution(20, Some(0.01)), resolution(40, None)];
        let lines: Vec<String> = text(&study).lines().map(str::to_owned).collect();
        assert_eq!(lines.len(), 5, "{lines:?}");
        assert!(lines[2].contains("10 × 20") && lines[2].contains("4.0000e-2     –"), "{}", lines[2]);
        assert!(lines[3].contains("1.0000e-2  2.00") && lines[3].contains("3.0000e0  0.00"), "{}", lines[3]);
        let rows: Vec<String> = csv(&study).lines().map(str::to_owned).collect();
        assert_eq!(rows[2], "q,20x40,0,0.5,1e-2,2,2e-2,2,3e0,0");
        assert_eq!(rows.len(), 3);
        assert!(picture(&study, "title").is_some());
        assert!(picture(&[resolution(10, Some(0.0))], "title").is_none());
    }
}
