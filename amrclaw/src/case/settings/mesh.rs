//! Where the solution is: domain, mesh, what lies beyond and beneath.

use super::NamedExpression;
use crate::case::choice::{BoundaryKind, Interpolated, Shore};
use crate::physics::AuxOutside;
use std::path::PathBuf;
use std::sync::Arc;

/// The case file's `[mesh]`.
#[derive(Clone, Debug)]
pub struct MeshSettings {
    /// Lower corner of the domain.
    pub lower: Vec<f64>,
    /// Upper corner of the domain.
    pub upper: Vec<f64>,
    /// Cells of the coarsest level along each axis.
    pub cells: Vec<i32>,
    /// Per axis, the conditions at the lower and the upper side.
    pub boundary: Vec<[BoundaryKind; 2]>,
    /// Auxiliary values beyond sides that are neither walls nor periodic.
    pub aux_outside: AuxOutside,
    /// Physical coordinates, where the mesh is mapped.
    pub mapping: Option<MappingSettings>,
    /// The mesh from a file. The domain is then the row that `physics::row_of` gives.
    pub file: Option<MeshFile>,
}

/// The case file's `mesh.file` and what goes with it.
#[derive(Clone, Debug)]
pub struct MeshFile {
    /// The file.
    pub path: PathBuf,
    /// The mesh.
    pub mesh: Arc<unstructured::Mesh>,
    /// Of each name of its sides what lies beyond.
    pub sides: Vec<BoundaryKind>,
    /// Values there; sides by the number of their name.
    pub inflow: Vec<InflowValues>,
    /// Order, stages, gradients, limiter.
    pub scheme: unstructured::step::Scheme,
    /// What is interpolated to faces, at order 2.
    pub gradients_of: Interpolated,
    /// Where its nodes move, by axis; no formulas: nowhere.
    pub motion: Vec<NamedExpression>,
    /// Onto what new nodes of refined sides go, by the number of the side's name.
    pub curves: Vec<(usize, Vec<NamedExpression>)>,
    /// How inner nodes follow, if the formulas are those of the sides' nodes alone.
    pub follow: Option<Arc<unstructured::motion::Follow>>,
    /// The trees that its cells become, where `levels.max` lets them be refined.
    pub forest: Option<Arc<unstructured::adapt::Forest>>,
    /// The leaves that the cells of `mesh` are, where they have been refined.
    pub leaves: Option<Arc<unstructured::adapt::Leaves>>,
    /// Mean change of a step, relative to the values, at which a state is steady and the run ends.
    pub steady: Option<f64>,
}

/// The case file's `[mesh.mapping]`: physical coordinates as formulas of the computational ones, `X`, `Y` and `Z`.
#[derive(Clone, Debug)]
pub struct MappingSettings {
    /// One for each axis; with `"user"` empty until the solver's are filled in.
    pub formulas: Vec<NamedExpression>,
}

/// Values beyond a side of the domain: one of the tables within `[mesh.boundary]`.
#[derive(Clone, Debug)]
pub struct InflowValues {
    /// Name of the table.
    pub table: String,
    /// Axis and side, 0 for the lower one; `None` for all sides that have no table of their own.
    pub side: Option<(usize, usize)>,
    /// An expression per equation; in the order of the file.
    pub values: Vec<NamedExpression>,
}

/// The case file's `[ground]`.
#[derive(Clone, Debug, PartialEq)]
pub struct GroundSettings {
    /// The auxiliary value that is the height of ground; `None`: `bottom`, if the solver has it.
    pub value: Option<String>,
    /// The height of water at rest.
    pub sea_level: f64,
    /// What a cell's value is; `None`: [`Shore::Rest`] where cells are boxes.
    pub shore: Option<Shore>,
    /// Files and formulas that give the height, in place of `[aux]`.
    pub topography: Vec<Topography>,
    /// Files of displacements, with their keys.
    pub(in crate::case) motions: Vec<(String, PathBuf)>,
}

/// One of the case file's `[[topography]]`.
#[derive(Clone, Debug, PartialEq)]
pub struct Topography {
    /// A file of heights.
    pub file: Option<PathBuf>,
    /// Without a file: heights at the corners of the finest level's cells.
    pub formula: Option<NamedExpression>,
    /// The data set in an HDF5 or NetCDF-4 file.
    pub variable: Option<String>,
    /// Corners of the box that it is for.
    pub corners: [Option<Vec<f64>>; 2],
    /// Of several at a point the one with the highest number counts; of equal ones the finest file, formulas last.
    pub priority: i64,
    /// The height where a file has none.
    pub missing: Option<f64>,
    /// Heights are multiplied by this.
    pub scale: f64,
    /// The height of water at rest on it, if it is another than elsewhere.
    pub sea_level: Option<f64>,
    /// Path of the table.
    pub(in crate::case) key: String,
}
