//! Formulas that solutions are compared with must have a value in every cell.

use super::{CompareError, cell_means};
use crate::case::Case;
use crate::formula::{Names, RowExpressions, cell_names, compile_on_mesh};
use crate::frames::derived::FormulaError;
use crate::index::{CellBox, CellIndex, in_dimensions};
use crate::mesh::Geometry;
use crate::physics::CellRow;

/// Checks that these pairs of an equation's name and a formula have a finite mean in every cell of the case's coarsest level at the end
/// time. Where the number of steps is limited, the time of the comparison is not known yet, and nothing is checked.
///
/// # Errors
/// A formula is wrong, or has no value in a cell.
pub fn check_finite(case: &Case, formulas: &[(String, String)]) -> Result<(), CompareError> {
    if case.time.max_steps.is_some() {
        return Ok(());
    }
    in_dimensions!(case.dimension(), D => check_in::<D>(case, formulas))
}

fn check_in<const D: usize>(case: &Case, formulas: &[(String, String)]) -> Result<(), CompareError> {
    let cells: CellIndex<D> = std::array::from_fn(|d| case.mesh.cells[d]);
    let [lower, upper] = [&case.mesh.lower, &case.mesh.upper].map(|corner| std::array::from_fn(|d| corner[d]));
    let mapping = case.mapping::<D>().filter(|_| case.mesh.file.is_none());
    let geometry = Geometry::new(lower, upper, cells);
    let on_mesh = case.mesh_in_time().map(|in_time| {
        in_time.set_time(case.time.end);
        in_time.now()
    });
    let names = Names { variables: cell_names(D), constants: case.vocabulary().constants, ..Names::default() };
    for (name, text) in formulas {
        let exact = compile_on_mesh(text, &case.mapping_texts(), &names);
        let exact = RowExpressions::<D>::new(vec![exact.map_err(|errors| FormulaError::first(text, errors))?]);
        if let Some(mesh) = &on_mesh {
            for at in &mesh.centroid {
                at_centroid((name, text), &exact, std::array::from_fn(|d| at[d]), case.time.end)?;
            }
            continue;
        }
        // Row by row, since all means of a large mesh would take much memory.
        for first in CellBox::new([0; D], cells).rows() {
            let mut end = first.map(|i| i + 1);
            end[0] = cells[0];
            let row = CellBox::new(first, end);
            let means = cell_means((geometry, mapping.as_deref()), &row, &exact, case.time.end);
            if let Some((mean, cell)) = means.iter().zip(row.cells()).find(|(mean, _)| !mean.is_finite()) {
                return Err(not_finite((name, text), *mean, geometry.centre(cell), case.time.end));
            }
        }
    }
    Ok(())
}

/// The value at the centroid of a cell of a mesh from a file, which is the mean up to second order.
///
/// # Errors
/// It is not finite.
pub(super) fn at_centroid<const D: usize>(
    named: (&str, &str),
    exact: &RowExpressions<D>,
    centroid: [f64; D],
    time: f64,
) -> Result<f64, CompareError> {
    let mut value = [0.0];
    exact.evaluate(&CellRow::point(centroid, [0.0; D], time), &[], &mut value);
    if value[0].is_finite() { Ok(value[0]) } else { Err(not_finite(named, value[0], centroid, time)) }
}

/// Says which formula has no value, and in which cell.
pub(super) fn not_finite<const D: usize>(
    (name, text): (&str, &str),
    value: f64,
    centre: [f64; D],
    time: f64,
) -> CompareError {
    let place: Vec<String> =
        ["x", "y", "z"].iter().zip(centre).map(|(axis, position)| format!("{axis} = {position}")).collect();
    CompareError::NotFinite(format!("`{name} = {text}` is {value} in the cell at {}, t = {time}", place.join(", ")))
}
