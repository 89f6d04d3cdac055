// tidy: long because it is the one list of all settings
//! The typed form of a case file. `docs/case-file.md` describes every key.

use super::choice::{AdjointOf, BoundaryKind, ClusterKind, Criterion, Extreme, Interpolated, Shore};
use super::error::CaseErrors;
use super::origin::Origin;
use crate::formula::Syntax;
use crate::frames::monitor::MonitorFormat;
use crate::frames::{FrameFormat, Plot};
use crate::index::Level;
use crate::physics::{AuxOutside, SourceMethod, SourceSplit, Split};
use riemann::limiter::Limiter;
use std::collections::BTreeMap;
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
    pub(super) origin: Arc<Origin>,
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

/// The case file's `[levels]`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LevelSettings {
    /// Number of levels; 1 is no refinement.
    pub max: usize,
    /// `ratio[level][axis]`: refinement between a level and the next finer one; `max − 1` entries.
    pub ratio: Vec<Vec<i32>>,
    /// Refinement in time; `max − 1` entries. `None`: the largest space ratio of each level.
    pub ratio_time: Option<Vec<i32>>,
}

/// The case file's `[regrid]`.
#[derive(Clone, Debug)]
pub struct RegridSettings {
    /// Steps of a level between regrids of the finer ones.
    pub interval: u64,
    /// Cells added around flagged cells.
    pub buffer: i32,
    /// How flagged cells are covered with patches.
    pub cluster: ClusterKind,
    /// With [`ClusterKind::BergerRigoutsos`]: least share of flagged cells in a new patch.
    pub cutoff: f64,
    /// With [`ClusterKind::Tiles`]: cells of a tile along each axis, on the flagged level.
    pub tile_size: i32,
    /// Most cells of a patch along any axis.
    pub max_patch_size: i32,
    /// Keep the totals of conserved quantities across level interfaces.
    pub conservation_fix: bool,
    /// Which cells to refine.
    pub flag: FlagSettings,
    /// Boxes in which levels are forced or forbidden.
    pub region: Vec<Region>,
}

/// The case file's `[regrid.flag]`.
#[derive(Clone, Debug)]
pub struct FlagSettings {
    /// How to find the cells to refine.
    pub criterion: Criterion,
    /// Flag above this value of the criterion.
    pub tolerance: f64,
    /// Values of fields by name, in place of `tolerance`.
    pub tolerances: Vec<(NamedExpression, f64)>,
    /// With [`Criterion::Curvature`]: the share of the tolerance above which cells are not joined.
    pub keep: f64,
    /// With [`Criterion::User`]: flag where this is not zero. `None`: the solver's own criterion.
    pub expression: Option<NamedExpression>,
    /// With [`Criterion::Adjoint`]: the adjoint problem.
    pub adjoint: Option<AdjointSettings>,
}

/// The case file's `[regrid.flag.adjoint]`.
#[derive(Clone, Debug)]
pub struct AdjointSettings {
    /// Densities of the functional by equation; equations without one are absent.
    pub functional: Vec<NamedExpression>,
    /// A state at rest, about which the equations are taken as linear; equations without one are zero there.
    pub about: Vec<NamedExpression>,
    /// A case whose solution is the adjoint one, in place of the functional.
    pub case: Option<PathBuf>,
    /// Times at which the functional counts.
    pub window: [f64; 2],
    /// Intervals between the adjoint solution's snapshots.
    pub snapshots: usize,
    /// Cells of its mesh along each axis.
    pub cells: Vec<i32>,
    /// What it is multiplied with.
    pub of: AdjointOf,
}

/// One of the case file's `[[regrid.region]]`.
#[derive(Clone, Debug, PartialEq)]
pub struct Region {
    /// The coarsest level allowed in the region: it is refined at least up to here.
    pub coarsest: Level,
    /// The finest level allowed in the region.
    pub finest: Level,
    /// Where it is.
    pub place: RegionPlace,
    /// From when to when; all time unless given.
    pub time: [f64; 2],
}

/// Where a region is.
#[derive(Clone, Debug, PartialEq)]
pub enum RegionPlace {
    /// A box in computational coordinates.
    Box {
        /// Lower corner.
        lower: Vec<f64>,
        /// Upper corner.
        upper: Vec<f64>,
    },
    /// A polygon in physical coordinates.
    Polygon {
        /// Corners of closed rings: outlines, and holes in them.
        rings: Vec<Vec<[f64; 2]>>,
        /// In space the axis along which it is extruded.
        along: usize,
        /// From where to where along that axis.
        extent: [f64; 2],
    },
}

/// The case file's `[scheme]`.
#[derive(Clone, Debug, PartialEq)]
pub struct SchemeSettings {
    /// 1 or 2.
    pub order: u8,
    /// 0: none; 1: of fluctuations; 2: of second-order corrections too.
    pub transverse: u8,
    /// In three dimensions: transverse waves are split once more, along the third axis.
    pub double_transverse: bool,
    /// Sweeps along the axes one by one, or all at once; `None`: what suits the solver, see [`ResolvedSettings`](super::ResolvedSettings).
    pub split: Option<Split>,
    /// One limiter for every wave, or one per wave.
    pub limiter: Vec<Limiter>,
    /// How source terms are split from the waves; `None`: by whether the case or its solver has any, see
    /// [`ResolvedSettings`](super::ResolvedSettings).
    pub source: Option<SourceSplit>,
    /// How the terms of `[source]` are integrated.
    pub source_method: SourceMethod,
    /// Auxiliary value that is the capacity function.
    pub capacity: Option<String>,
    /// Courant numbers at which the scheme is not stable are not refused.
    pub allow_unstable: bool,
}

/// The case file's `[time]`.
#[derive(Clone, Debug, PartialEq)]
pub struct TimeSettings {
    /// Start.
    pub start: f64,
    /// End.
    pub end: f64,
    /// First step of the coarsest level.
    pub dt_initial: f64,
    /// Longest step of the coarsest level, if the case limits it.
    pub dt_max: Option<f64>,
    /// Courant number that steps aim for; `None`: one at which the scheme is stable, see [`ResolvedSettings`](super::ResolvedSettings).
    pub cfl_desired: Option<f64>,
    /// Courant number above which a step is taken again; `None`: one at which the scheme is stable, see
    /// [`ResolvedSettings`](super::ResolvedSettings).
    pub cfl_max: Option<f64>,
    /// Fixed step of the coarsest level.
    pub dt: Option<f64>,
    /// Most steps of the coarsest level.
    pub max_steps: Option<u64>,
    /// How often a step may be taken again.
    pub max_retries: u32,
    /// Growth of the solution at which the run fails; 0 for no limit.
    pub growth_limit: f64,
    /// The run ends where this is not zero.
    pub stop_when: Option<NamedExpression>,
    /// Steps of the coarsest level between looks at it.
    pub stop_every: u64,
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
    pub(super) motions: Vec<(String, PathBuf)>,
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
    pub(super) key: String,
}

/// A file whose numbers are the values of an equation, inside the domain or beyond a side, or of an auxiliary value.
#[derive(Clone, Debug, PartialEq)]
pub struct DataFile {
    /// The name that stands for its numbers in formulas.
    pub(super) name: String,
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
    pub(super) key: String,
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
    pub(super) key: String,
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

/// The case file's `[output]`.
#[derive(Clone, Debug, PartialEq)]
pub struct OutputSettings {
    /// Formats to write; none at all is allowed.
    pub format: Vec<FrameFormat>,
    /// When to write frames.
    pub frames: FrameSchedule,
    /// Coarsest-level steps between checkpoints; 0 for none.
    pub checkpoint_every_steps: u64,
    /// Minutes between checkpoints; 0 for none.
    pub checkpoint_every_minutes: f64,
    /// Write auxiliary values too.
    pub aux: bool,
    /// Draw a picture of each frame.
    pub png: bool,
    /// Keep the present state in a file between frames.
    pub live: bool,
    /// Formulas times the outward normal, summed over sides of a mesh from a file.
    pub forces: Vec<ForceSettings>,
}

/// A table `[output.forces.NAME]`.
#[derive(Clone, Debug, PartialEq)]
pub struct ForceSettings {
    /// NAME, after which the file is named.
    pub name: String,
    /// The side of the mesh; NAME unless the case says another.
    pub side: String,
    /// Steps between rows.
    pub every_steps: u64,
    /// What is multiplied by the normal.
    pub value: NamedExpression,
}

/// When frames are written.
#[derive(Clone, Debug, PartialEq)]
pub enum FrameSchedule {
    /// At these times, ascending.
    Times(Vec<f64>),
    /// At the start, and this many times at equal intervals up to the end.
    Count(u64),
    /// At the start, after every so many steps of the coarsest level, and at the end.
    EverySteps(u64),
}

/// One of the case file's `[[gauge]]`.
#[derive(Clone, Debug, PartialEq)]
pub struct GaugeSettings {
    /// Name of the gauge and of its file.
    pub name: String,
    /// Where it stands.
    pub position: Vec<f64>,
}

/// One of the case file's `[[monitor]]`.
#[derive(Clone, Debug, PartialEq)]
pub struct MonitorSettings {
    /// Its name, and that of its file.
    pub name: String,
    /// Numbers of points along the axes of their lattice, x first; one number for points on a line or in a list.
    pub shape: Vec<usize>,
    /// Positions of the points, x of the lattice fastest, one coordinate for each axis.
    pub points: Vec<f64>,
    /// Steps of the coarsest level between looks.
    pub every_steps: u64,
    /// The first and the last time of a look.
    pub time: [f64; 2],
    /// The format of its files.
    pub format: MonitorFormat,
    /// What is recorded.
    pub values: Vec<(Extreme, NamedExpression)>,
}

/// One of the case file's `[[plot]]`.
#[derive(Clone, Debug, PartialEq)]
pub struct PlotSettings {
    /// What is drawn; none for what [`Case::plots`](super::Case::plots) chooses.
    pub fields: Vec<NamedExpression>,
    /// Components of arrows.
    pub vectors: Vec<NamedExpression>,
    /// Where land is drawn.
    pub land: Option<NamedExpression>,
    /// All else.
    pub plot: Plot,
}

impl CaseSettings {
    /// Number of space dimensions: 1, 2 or 3.
    pub fn dimension(&self) -> usize {
        self.mesh.cells.len()
    }

    /// Whether the mesh is mapped and Riemann problems are solved in the frames of its faces. If it is mapped and they are not, the
    /// solver's own auxiliary values, among them the capacity that the case names, describe the geometry.
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

impl FrameSchedule {
    /// The times of frames in `start ..= end`; `None` if frames are written by number of steps.
    pub fn times(&self, start: f64, end: f64) -> Option<Vec<f64>> {
        match self {
            FrameSchedule::Times(times) => Some(times.clone()),
            FrameSchedule::Count(count) => {
                let at = |n: u64| if n == *count { end } else { start + (end - start) * (n as f64 / *count as f64) };
                Some((0..=*count).map(at).collect())
            }
            FrameSchedule::EverySteps(_) => None,
        }
    }
}
