//! Reads the sections of a case file, one file each.

mod adjoint;
pub(super) mod fields;
mod ground;
mod idle;
mod levels;
mod mapping;
mod mesh;
mod mesh_file;
mod monitor;
mod output;
mod plot;
mod region;
mod regrid;
mod ruled;
mod scheme;
mod solver;
mod time;

pub(super) use mesh::SIDES;
pub(super) use solver::find as find_solver;

use super::origin::Origin;
use super::reader::Reader;
use super::settings::{CaseSettings, OutputSettings, SolverChoice};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// `x`, `y`, `z`.
pub(super) const AXES: [&str; 3] = ["x", "y", "z"];

/// Reads everything that does not depend on the solver; returns the settings and the case's dimension, if it is known.
///
/// Where the reader notes a mistake, the settings hold a placeholder and must not be used.
pub(super) fn read(reader: &mut Reader<'_>, origin: &Arc<Origin>) -> (CaseSettings, Option<usize>) {
    reader.check_keys();
    let solver = solver::read(reader);
    let file = mesh_file::read(reader);
    let dimension = match &file {
        Some(file) => Some(file.mesh.dim),
        None if reader.is_present("mesh.file") => None,
        None => mesh::dimension(reader),
    };
    let solver = SolverChoice { dimension, ..solver };
    let mut mesh = mesh::read(reader, dimension, file);
    let levels = levels::read(reader, &mesh, dimension);
    let time = time::read(reader);
    let regrid = regrid::read(reader, &mesh, dimension, (&levels, &time));
    let output = output::read(reader, &time, &levels, dimension);
    let output = OutputSettings { forces: output::forces(reader, &mesh), ..output };
    let mut settings = CaseSettings {
        gauge: output::gauges(reader, &mesh, dimension),
        monitor: monitor::read(reader, &mesh, dimension),
        plot: plot::read(reader, &mesh, dimension),
        scheme: scheme::read(reader),
        reduce: fields::table(reader, "reduce"),
        define: fields::table(reader, "define"),
        initial: fields::initial(reader),
        data: fields::data_files(reader, dimension),
        primitive: fields::table(reader, fields::PRIMITIVE),
        aux: fields::cell_data(reader, "aux"),
        source: fields::cell_data(reader, "source"),
        ground: ground::read(reader, dimension),
        inflow: match &mut mesh.file {
            Some(file) => std::mem::take(&mut file.inflow),
            None => mesh::inflow(reader, dimension),
        },
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
    if settings.mesh.file.is_none() {
        idle::remark(reader, &settings, dimension);
    }
    settings.remarks = std::mem::take(&mut reader.remarks);
    (settings, dimension)
}

/// A relative path in the case file counts from that file's folder; in an override, from where the program runs.
fn path_from_case(reader: &Reader<'_>, key: &str, text: &str) -> PathBuf {
    let place = reader.origin.place(key);
    let file = &reader.origin.sources[0];
    match (place, Path::new(&file.name).parent()) {
        (Some(place), Some(folder)) if place.source == 0 => folder.join(text),
        _ => PathBuf::from(text),
    }
}
