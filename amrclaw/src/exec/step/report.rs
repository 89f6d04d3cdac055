//! Reports and errors of executors.

use super::HostWork;
use crate::index::Level;
use crate::ranks::CommError;
use cuda::memory::PoolStatistics;
use serde::{Deserialize, Serialize};
use thiserror::Error;
use unstructured::adapt::Leaves;

/// The report of a step of a level.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StepReport {
    /// Largest Courant number over the level.
    pub courant: f64,
    /// Patch where it was found.
    pub patch: usize,
    /// The first patch that came to hold a NaN, an infinity or a state that the solver does not allow, if one did; ghost
    /// cells that a later part of the step reads count too.
    pub broken: Option<usize>,
    /// In some cell the rates of a source term change their sign within its step: see `simulation::stiffness`.
    pub reverses: bool,
}

/// Step reports and samples since the last collection, each in the order in which they were taken.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Outcomes {
    /// Steps.
    pub steps: Vec<StepReport>,
    /// Values of the samples, one per equation, sample after sample.
    pub samples: Vec<f64>,
}

impl StepReport {
    /// The report of no cells.
    pub(in crate::exec) const NONE: StepReport = StepReport { courant: 0.0, patch: 0, broken: None, reverses: false };

    /// The report of a patch, or of a part of it.
    pub(in crate::exec) fn of(courant: f64, patch: usize, finite: bool) -> StepReport {
        StepReport { courant, patch, broken: (!finite).then_some(patch), reverses: false }
    }

    /// Combines the reports of two parts of a level; the result does not depend on the order.
    pub(in crate::exec) fn or(self, other: StepReport) -> StepReport {
        let first = (self.courant, std::cmp::Reverse(self.patch)) >= (other.courant, std::cmp::Reverse(other.patch));
        let seen = if first { self } else { other };
        let broken = self.broken.into_iter().chain(other.broken).min();
        StepReport { broken, reverses: self.reverses || other.reverses, ..seen }
    }
}

impl Outcomes {
    /// Forgets everything; keeps the memory.
    pub fn clear(&mut self) {
        self.steps.clear();
        self.samples.clear();
    }

    /// Moves everything to the end of `other`.
    pub fn drain_into(&mut self, other: &mut Outcomes) {
        other.steps.append(&mut self.steps);
        other.samples.append(&mut self.samples);
    }
}

/// How an executor takes steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StepMode {
    /// It is expensive to wait for the outcome of each step: the driver then collects once per step of the coarsest level.
    pub works_ahead: bool,
    /// Faces can fall back to first order: the solver names quantities that steps can make inadmissible.
    pub can_fall_back: bool,
}

/// What a device's time is spent on: the phases of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DevicePhase {
    /// Updating patches, with what the conservation fix keeps.
    Advance,
    /// Filling ghost cells.
    Ghost,
    /// Applying the conservation fix.
    Reflux,
    /// Averaging fine levels onto coarse ones.
    Average,
    /// Flags, tables of new levels and plans, transfer.
    Regrid,
    /// Values for files.
    Output,
    /// Everything else.
    #[default]
    Other,
}

impl DevicePhase {
    /// How many there are.
    pub const COUNT: usize = 7;
}

/// What a run has used a device for.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DeviceUse {
    /// The pool of its memory.
    pub memory: PoolStatistics,
    /// The pool of pinned memory of the host.
    pub pinned: PoolStatistics,
    /// Cost of sweeps over values in the host's memory.
    pub streamed: Option<StreamedUse>,
    /// Seconds of work by [`DevicePhase`], if they were measured.
    pub phase_seconds: Option<[f64; DevicePhase::COUNT]>,
    /// What the host has computed all the same.
    pub host: Vec<HostWork>,
    /// Who has made boxes of new levels and tables of plans.
    pub regrids: Vec<RegridWay>,
}

/// Who has made the boxes of new levels, or the tables of plans.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RegridWay {
    /// `boxes` or `tables`.
    pub what: &'static str,
    /// Why the host has; `None`: the device has.
    pub because: Option<&'static str>,
    /// How often.
    pub times: u64,
}

impl DeviceUse {
    /// How often the driver was asked for memory.
    pub fn driver_allocations(&self) -> u64 {
        self.memory.driver_allocations + self.pinned.driver_allocations
    }
}

/// Cost of sweeps over values in the host's memory.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct StreamedUse {
    /// Seconds from the first copy of each sweep to the end of its last.
    pub seconds: f64,
    /// Seconds that kernels took of these.
    pub kernel_seconds: f64,
    /// Bytes copied to the device.
    pub bytes_to_device: u64,
    /// Bytes copied from it.
    pub bytes_to_host: u64,
}

/// A level's interior values on the host.
#[derive(Clone, Debug, PartialEq)]
pub struct LevelState<const D: usize> {
    /// Time of the values.
    pub time: f64,
    /// Per patch, in the mesh's order: `[equation, z, y, x]`.
    pub q: Vec<Vec<f64>>,
    /// Per patch: `[aux, z, y, x]`.
    pub aux: Vec<Vec<f64>>,
}

/// Gives the state of a level; its second argument says of which patches values are wanted.
pub type LevelStates<'a, const D: usize> = dyn Fn(Level, &dyn Fn(usize) -> bool) -> LevelState<D> + Sync + 'a;

/// Where the values of new levels come from.
#[derive(Clone, Copy)]
pub enum NewValues<'a, const D: usize> {
    /// Their own old patches where there were some, the coarser level elsewhere.
    Transferred,
    /// Exact initial data of this time.
    Initial(f64),
    /// Given states.
    Given(&'a LevelStates<'a, D>),
    /// Those of the leaves from which the executor has made the new ones.
    OfLeaves,
    /// All levels have the states again that they had at the last [`Executor::prepare_steps`](crate::exec::Executor::prepare_steps).
    Saved,
}

/// How leaves are marked: those of a mesh from a file, to be divided or joined.
#[derive(Clone, Copy)]
pub struct LeafMarks<'a> {
    /// By these quantities, behind which come the formulas of [`OnMesh::marked_by`](crate::physics::OnMesh): tolerances in leaves, and in those that
    /// are not joined. `None` where only the host can mark.
    pub fields: Option<&'a [(usize, [f64; 2])]>,
    /// What of them.
    pub by: MarkedBy,
    /// Leaves around marked ones that are marked too.
    pub buffer: i32,
    /// The finest level.
    pub finest: u32,
    /// The leaves, where the executor has made none since it was put on the mesh.
    pub leaves: &'a Leaves,
}

/// What of fields marks leaves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MarkedBy {
    /// Differences of neighbours.
    Differences,
    /// Curvature.
    Curvature,
    /// Values that are not zero.
    Values,
}

/// Who has renewed leaves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LeavesMade {
    /// Nobody: the host has to.
    ByHost,
    /// The leaves stay as they are.
    Same,
    /// The executor has so many new ones, and adopts next a level of them.
    New(usize),
}

impl<const D: usize> NewValues<'_, D> {
    /// True if they are transferred, as a plan says.
    pub fn are_transferred(&self) -> bool {
        matches!(self, NewValues::Transferred)
    }
}

/// A place in the solution, for messages.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CellPlace {
    /// Level.
    pub level: Level,
    /// Patch within the level, from 0.
    pub patch: usize,
    /// Cell in the level's index space.
    pub cell: Vec<i32>,
    /// It is one of the patch's ghost cells.
    pub ghost: bool,
    /// Cell's centre.
    pub centre: Vec<f64>,
    /// Time.
    pub time: f64,
}

impl std::fmt::Display for CellPlace {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let CellPlace { level, patch, cell, ghost, centre, time } = self;
        let kind = if *ghost { "ghost cell" } else { "cell" };
        write!(f, "level {level}, patch {patch}, {kind} {cell:?} at {centre:?}, t = {time}")
    }
}

/// Why an executor could not go on.
#[derive(Clone, Debug, Error, PartialEq, Serialize, Deserialize)]
pub enum ExecError {
    /// The ranks cannot go on together.
    #[error(transparent)]
    Ranks(#[from] CommError),
    /// A mesh that moves would have a cell that is none.
    #[error("{0}")]
    Folded(String),
    /// A state became NaN or infinite.
    #[error("{equation} is {value} on {place}")]
    NotFinite {
        /// Name of the equation's quantity.
        equation: String,
        /// The value found.
        #[serde(with = "as_bits")]
        value: f64,
        /// Where.
        place: CellPlace,
    },
    /// A state is not one that the equations allow.
    #[error("{quantity} is {value} on {place}: it must {}", if *positive { "be positive" } else { "not be negative" })]
    Inadmissible {
        /// The quantity that the solver checks.
        quantity: String,
        /// Its value.
        #[serde(with = "as_bits")]
        value: f64,
        /// It must be positive; else it must not be negative.
        positive: bool,
        /// Where.
        place: CellPlace,
    },
    /// A value became NaN, infinite or inadmissible in a part of a step whose values are gone.
    #[error(
        "a value became NaN, infinite or inadmissible on level {level}, patch {patch}, in the step to t = {time}, in \
         an intermediate state that is not kept"
    )]
    LostWithinStep {
        /// Level.
        level: Level,
        /// Patch within the level, from 0.
        patch: usize,
        /// Time at the end of the step.
        time: f64,
    },
    /// The device failed, or has too little memory.
    #[error("{0}")]
    Device(String),
    /// An auxiliary value that must be positive is zero, negative or not finite.
    #[error("{} is {value} on {place}: it must be positive", name.as_deref().unwrap_or("the capacity"))]
    Auxiliary {
        /// Its name; `None`: it is the capacity.
        name: Option<String>,
        /// The value found.
        #[serde(with = "as_bits")]
        value: f64,
        /// Where.
        place: CellPlace,
    },
}

impl ExecError {
    /// The patch that the error is about; of several errors that of the lowest patch is reported.
    pub(in crate::exec) fn patch(&self) -> usize {
        match self {
            ExecError::NotFinite { place, .. }
            | ExecError::Inadmissible { place, .. }
            | ExecError::Auxiliary { place, .. } => place.patch,
            ExecError::LostWithinStep { patch, .. } => *patch,
            ExecError::Ranks(_) | ExecError::Device(_) | ExecError::Folded(_) => 0,
        }
    }

    /// The same error, with the patch that it names replaced by its number in the level: `numbers` lists those checked.
    pub(in crate::exec) fn of_patches(mut self, numbers: &[usize]) -> Self {
        match &mut self {
            ExecError::NotFinite { place, .. }
            | ExecError::Inadmissible { place, .. }
            | ExecError::Auxiliary { place, .. } => place.patch = numbers[place.patch],
            ExecError::LostWithinStep { patch, .. } => *patch = numbers[*patch],
            ExecError::Ranks(_) | ExecError::Device(_) | ExecError::Folded(_) => {}
        }
        self
    }
}

/// Numbers as their bits: JSON knows no NaN and no infinity.
mod as_bits {
    use serde::{Deserialize, Deserializer, Serializer};

    #[allow(clippy::trivially_copy_pass_by_ref, reason = "the form that serde asks for")]
    pub fn serialize<S: Serializer>(value: &f64, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_u64(value.to_bits())
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<f64, D::Error> {
        Ok(f64::from_bits(u64::deserialize(deserializer)?))
    }
}
