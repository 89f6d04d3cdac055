//! The typed form of a case file. `docs/case-file.md` describes every key.

mod mesh;
mod output;
mod regrid;
mod steps;

pub use mesh::{GroundSettings, InflowValues, MappingSettings, MeshFile, MeshSettings, Topography};
pub use output::{ForceSettings, FrameSchedule, GaugeSettings, MonitorSettings, OutputSettings, PlotSettings};
pub use regrid::{AdjointSettings, FlagSettings, LevelSettings, Region, RegionPlace, RegridSettings};
pub use steps::{SchemeSettings, TimeSettings};

use super::choice::{AdjointOf, Criterion};
use super::error::CaseErrors;
use super::origin::Origin;
use crate::formula::Syntax;
use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

/// A problem and how to solve it, as in the case file; not yet checked against the solver, unlike [`Case`](super::Case).
///
/// Vectors over axes have as many entries as `mesh.cells`: the dimension.
#[derive(Clone, Debug)]
pub struct CaseSettings {
    /// Which Riemann solver, and its parameters.
    pub solver: SolverChoice,
    /// The domain and its coarsest grid.
    pub mesh: MeshSettings,
    /// How many levels, and the ratios between them.
    pub levels: LevelSettings,
    /// When and where to refine.
    pub regrid: RegridSettings,
    /// The numerical scheme.
    pub scheme: SchemeSettings,
    /// Start, end and time steps.
    pub time: TimeSettings,
    /// Parameters of the solver by formulas of the whole solution, in place of their values from the first step on.
    pub reduce: Vec<NamedExpression>,
    /// Names that formulas may use.
    pub define: Vec<NamedExpression>,
    /// The solution at the start.
    pub initial: CellData,
    /// Files that give initial data, auxiliary values and inflow.
    pub data: Vec<DataFile>,
    /// Primitive variables at the start, in place of `initial`.
    pub primitive: Vec<NamedExpression>,
    /// Auxiliary values.
    pub aux: CellData,
    /// The height of ground among the auxiliary values.
    pub ground: GroundSettings,
    /// Values at sides of the domain, by formulas.
    pub inflow: Vec<InflowValues>,
    /// Source terms dq/dt by equation; equations without one are absent.
    pub source: CellData,
    /// What to write and when.
    pub output: OutputSettings,
    /// Further fields of frames and gauges.
    pub fields: Vec<NamedExpression>,
    /// Points whose values are recorded every step.
    pub gauge: Vec<GaugeSettings>,
    /// Points at which largest and smallest values and first times are recorded.
    pub monitor: Vec<MonitorSettings>,
    /// Pictures of frames.
    pub plot: Vec<PlotSettings>,
    /// Remarks for the user: what was read differently from what is written, or has no effect.
    pub remarks: Vec<String>,
    pub(in crate::case) origin: Arc<Origin>,
}

impl CaseSettings {
    /// Number of space dimensions: 1, 2 or 3.
    pub fn dimension(&self) -> usize {
        self.mesh.cells.len()
    }

    /// Whether the mesh is mapped and Riemann problems are solved in the frames of its faces. If it is mapped and they are not,
    /// the solver's own auxiliary values, among them the capacity that the case names, describe the geometry.
    pub fn solves_in_frames(&self) -> bool {
        self.mesh.mapping.is_some() && self.scheme.capacity.is_none()
    }

    /// Whether Richardson's estimate decides where to refine.
    pub fn estimates_errors(&self) -> bool {
        let of_adjoint = self.regrid.flag.adjoint.as_ref().is_some_and(|adjoint| adjoint.of == AdjointOf::Error);
        self.regrid.flag.criterion == Criterion::Richardson || of_adjoint
    }

    /// Name and text of each output field.
    pub fn output_fields(&self) -> Vec<(String, String)> {
        self.fields.iter().map(|field| (field.name.clone(), field.text.clone())).collect()
    }

    /// The case file's name.
    pub fn file(&self) -> &str {
        &self.origin.sources[0].name
    }

    /// The case file's text, followed by the overrides as comments.
    pub fn text(&self) -> String {
        let mut sources = self.origin.sources.iter();
        let file = sources.next().map_or_else(String::new, |source| source.text.clone());
        sources.fold(file, |text, source| format!("{text}\n# --set {}", source.text))
    }

    /// A mistake that is found only later, such as a value that the solver refuses, reported at the line of `key`.
    pub fn error(&self, key: &str, message: impl Into<String>, help: impl Into<String>) -> CaseErrors {
        let error = self.origin.error(key, message.into(), help.into());
        CaseErrors::one(self.file(), error)
    }
}

/// The case file's `[solver]`.
#[derive(Clone, Debug, PartialEq)]
pub struct SolverChoice {
    /// Where the solver comes from.
    pub from: SolverFrom,
    /// The mesh's number of dimensions, if it is known: selects one of the solver's forms.
    pub dimension: Option<usize>,
    /// The solver's own parameters, by name.
    pub parameters: BTreeMap<String, f64>,
}

/// Where a solver comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SolverFrom {
    /// A built-in solver's name.
    Name(String),
    /// A solver's source or library. A relative path in the case file counts from that file's folder.
    Path(PathBuf),
}

/// As it is written.
impl fmt::Display for SolverFrom {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SolverFrom::Name(name) => f.write_str(name),
            SolverFrom::Path(path) => path.display().fmt(f),
        }
    }
}

/// Values of cells: the case file's `[initial]`, `[aux]` and `[source]`.
#[derive(Clone, Debug)]
pub enum CellData {
    /// From the solver's or program's own function.
    User,
    /// An expression per value; in the order of the file.
    Expressions(Vec<NamedExpression>),
}

impl CellData {
    /// The case has any.
    pub fn is_given(&self) -> bool {
        !matches!(self, CellData::Expressions(fields) if fields.is_empty())
    }
}

/// A file whose numbers are the values of an equation, inside the domain or beyond a side, or of an auxiliary value.
#[derive(Clone, Debug, PartialEq)]
pub struct DataFile {
    /// The name that stands for its numbers in formulas.
    pub(in crate::case) name: String,
    /// A `.npy` file, or one of HDF5 or NetCDF-4.
    pub path: PathBuf,
    /// The data set in it.
    pub variable: Option<String>,
    /// The lower corner of the box that the numbers cover; that of the domain if it is not given.
    pub lower: Option<Vec<f64>>,
    /// The upper corner.
    pub upper: Option<Vec<f64>>,
    /// The times of its first axis.
    pub times: Option<Vec<f64>>,
    /// Of inflow at one side, that side's axis.
    pub side: Option<usize>,
    /// It gives initial data.
    pub is_initial: bool,
    /// Path of the key it was read from.
    pub(in crate::case) key: String,
}

/// An expression and the equation or auxiliary value it belongs to. Its names are looked up when the case is
/// checked against its solver.
#[derive(Clone, Debug, PartialEq)]
pub struct NamedExpression {
    /// Equation or auxiliary value.
    pub name: String,
    /// The text.
    pub text: String,
    /// The parsed text.
    pub syntax: Syntax,
    /// Path of the key it was read from.
    pub(in crate::case) key: String,
}
