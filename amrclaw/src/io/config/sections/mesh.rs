//! `[mesh]`.

use super::AXES;
use crate::io::config::case::MeshSettings;
use crate::io::config::choice::BoundaryKind;
use crate::io::config::reader::{Reader, plural};

/// Reads `mesh.cells`, whose length is the dimension.
pub fn cells(reader: &mut Reader<'_>) -> Option<Vec<i32>> {
    reader.require("mesh.cells", "write one number of cells per axis, such as `cells = [100, 100]` under `[mesh]`")?;
    let cells = reader.integers("mesh.cells", 1)??;
    if cells.is_empty() || cells.len() > 3 {
        let message = format!("needs 1, 2 or 3 numbers, but has {}", cells.len());
        reader.wrong("mesh.cells", message, "write one number of cells per axis; their count is the dimension");
        return None;
    }
    Some(cells)
}

/// Reads the rest of the section. The corners are checked even where `cells` is wrong.
pub fn read(reader: &mut Reader<'_>, cells: Option<Vec<i32>>) -> Option<MeshSettings> {
    let dimension = cells.as_ref().map(Vec::len);
    let unit = |value| dimension.map(|d| vec![value; d]);
    let lower = reader.per_axis("mesh.lower", dimension).unwrap_or(unit(0.0));
    let upper = reader.per_axis("mesh.upper", dimension).unwrap_or(unit(1.0));
    let ordered = match (&lower, &upper) {
        (Some(lower), Some(upper)) => check_extent(reader, lower, upper),
        _ => None,
    };
    let boundary = boundary(reader, dimension);
    ordered?;
    Some(MeshSettings { lower: lower?, upper: upper?, cells: cells?, boundary: boundary? })
}

/// Notes every axis along which the domain has no extent.
fn check_extent(reader: &mut Reader<'_>, lower: &[f64], upper: &[f64]) -> Option<()> {
    let mut fine = Some(());
    for (d, (lower, upper)) in lower.iter().zip(upper).enumerate() {
        if lower >= upper || !(upper - lower).is_finite() {
            let path =
                if reader.is_present("mesh.upper") { format!("mesh.upper.{d}") } else { format!("mesh.lower.{d}") };
            let message = format!("the domain has no extent along {}: from {lower} to {upper}", AXES[d]);
            reader.wrong(&path, message, "write `mesh.upper` larger than `mesh.lower` along every axis");
            fine = None;
        }
    }
    fine
}

fn boundary(reader: &mut Reader<'_>, dimension: Option<usize>) -> Option<Vec<[BoundaryKind; 2]>> {
    let mut sides = Some(Vec::new());
    for (d, axis) in AXES.iter().enumerate() {
        let path = format!("mesh.boundary.{axis}");
        let here = axis_boundary(reader, &path);
        if dimension.is_some_and(|dimension| d >= dimension) {
            if reader.is_present(&path) {
                let axes = dimension.unwrap_or(0);
                let message = format!("the mesh has no axis {axis}: `mesh.cells` has {axes} number{}", plural(axes));
                reader.wrong(&path, message, "remove the line, or add the axis to `mesh.cells`");
                sides = None;
            }
            continue;
        }
        sides = sides.zip(here).map(|(mut sides, here)| {
            sides.push(here);
            sides
        });
    }
    sides
}

/// The conditions at the two sides of an axis; one word stands for both.
fn axis_boundary(reader: &mut Reader<'_>, path: &str) -> Option<[BoundaryKind; 2]> {
    let kinds = match reader.choices(path) {
        Some(kinds) => kinds?,
        None => vec![BoundaryKind::Extrapolate],
    };
    match kinds[..] {
        [both] => Some([both; 2]),
        [lower, upper] => {
            let paired = (lower == BoundaryKind::Periodic) == (upper == BoundaryKind::Periodic);
            let help = "write \"periodic\" for both sides or for none";
            reader.check(paired, path, "one side is periodic and the other is not", help);
            paired.then_some([lower, upper])
        }
        _ => {
            let message = format!("needs two words, lower side first, but has {}", kinds.len());
            reader.wrong(path, message, "write for example `[\"extrapolate\", \"wall\"]`");
            None
        }
    }
}
