//! Reads the sections of a case file, one file each.

mod fields;
mod levels;
mod mesh;
mod output;
mod regrid;
mod scheme;
mod solver;
mod time;

use super::case::{Case, SolverChoice};
use super::check::{self, Parts};
use super::origin::Origin;
use super::reader::Reader;
use super::shape::{SolverProblem, SolverShape};
use std::sync::Arc;

/// Reads everything, and checks it against the solver if there is a way to find it; `None` if anything is wrong.
pub(super) fn read(
    reader: &mut Reader<'_>,
    origin: &Arc<Origin>,
    find: Option<impl FnOnce(&SolverChoice) -> Result<SolverShape, SolverProblem>>,
) -> Option<Case> {
    reader.check_keys();
    let solver = solver::read(reader);
    let cells = mesh::cells(reader);
    let dimension = cells.as_ref().map(Vec::len);
    let mesh = mesh::read(reader, cells);
    let levels = levels::read(reader, mesh.as_ref());
    let regrid = regrid::read(reader, dimension, mesh.as_ref(), levels.as_ref());
    let initial = fields::initial(reader);
    let aux = fields::cell_data(reader, "aux");
    let source = fields::table(reader, "source");
    let scheme = scheme::read(reader);
    let time = time::read(reader);
    let output = output::read(reader, time.as_ref());
    let gauge = output::gauges(reader, dimension, mesh.as_ref());
    let shape = find.zip(solver.as_ref()).and_then(|(find, solver)| solver::find(reader, solver, find));
    if let Some(shape) = shape {
        let parts = Parts {
            solver: solver.as_ref(),
            mesh: mesh.as_ref(),
            dimension,
            scheme: scheme.as_ref(),
            initial: initial.as_ref(),
            aux: aux.as_ref(),
            source: source.as_deref(),
            flag: regrid.as_ref().and_then(|regrid| regrid.flag.expression.as_ref()),
        };
        check::check(reader, &parts, &shape);
    }
    Some(Case {
        solver: solver?,
        mesh: mesh?,
        levels: levels?,
        regrid: regrid?,
        scheme: scheme?,
        time: time?,
        initial: initial?,
        aux: aux?,
        source: source?,
        output: output?,
        gauge: gauge?,
        origin: origin.clone(),
    })
}

/// `x`, `y`, `z`.
pub(super) const AXES: [&str; 3] = ["x", "y", "z"];
