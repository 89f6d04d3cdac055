//! Reads the sections of a case file, one file each.

mod fields;
mod levels;
mod mesh;
mod output;
mod regrid;
mod scheme;
mod solver;
mod time;

pub(super) use mesh::SIDES;

use super::case::{Case, SolverChoice};
use super::origin::Origin;
use super::reader::Reader;
use super::shape::{SolverProblem, SolverShape};
use std::sync::Arc;

/// `x`, `y`, `z`.
pub(super) const AXES: [&str; 3] = ["x", "y", "z"];

/// Reads everything, and checks it against the solver if there is a way to find it.
///
/// Where the reader notes a mistake, the case holds a stand-in and must not be used.
pub(super) fn read(
    reader: &mut Reader<'_>,
    origin: &Arc<Origin>,
    find: Option<impl FnOnce(&SolverChoice) -> Result<SolverShape, SolverProblem>>,
) -> Case {
    reader.check_keys();
    let solver = solver::read(reader);
    let dimension = mesh::dimension(reader);
    let solver = SolverChoice { dimension, ..solver };
    let mesh = mesh::read(reader, dimension);
    let levels = levels::read(reader, &mesh, dimension);
    let regrid = regrid::read(reader, &mesh, dimension, &levels);
    let time = time::read(reader);
    let output = output::read(reader, &time, &levels, dimension);
    let mut case = Case {
        gauge: output::gauges(reader, &mesh, dimension),
        scheme: scheme::read(reader),
        initial: fields::initial(reader),
        aux: fields::cell_data(reader, "aux"),
        source: fields::table(reader, "source"),
        inflow: mesh::inflow(reader, dimension),
        fields: output::fields(reader),
        solver,
        mesh,
        levels,
        regrid,
        time,
        output,
        remarks: Vec::new(),
        origin: origin.clone(),
    };
    if let Some(shape) = find.and_then(|find| solver::find(reader, &case.solver, find)) {
        super::check::check(reader, &case, dimension, &shape);
    }
    case.remarks = std::mem::take(&mut reader.remarks);
    case
}
