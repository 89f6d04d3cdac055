//! Executing plans on data. Above the [`Executor`] trait nothing knows where values live; below it no geometry is
//! computed.

pub mod checked;
pub mod comm;
pub mod cpu;
pub mod device;
mod host_values;
mod probe;
mod queries;
pub mod resident;
mod step;
pub mod streamed;

pub use host_values::{HostArray, HostMemory, HostValues, PatchArray};
pub use probe::{PatchValues, Probe};
pub use queries::Queries;
pub use step::{
    CellPlace, Covering, Cuts, DevicePhase, DeviceUse, ExecError, FlagRegion, FlagRequest, Flagged, FlagsDone,
    HostWork, LevelState, LevelStates, NewValues, Outcomes, RefineRequest, StepReport, StreamedUse,
};

use crate::index::{CellBox, Level};
use crate::plan::{LevelPlans, MeshChange};

/// Holds the values of all levels and carries out plans on them: a verb for each step of the method. What can be asked of the values
/// is in [`Queries`].
///
/// A level's state has a time; after a step its state before is kept too, for finer levels to interpolate in time. Plans are those
/// of the mesh adopted last, and of no other.
pub trait Executor<const D: usize>: Queries<D> {
    /// Takes over a new hierarchy: makes its plans, gives new levels their values, drops levels that are no more, and makes ready
    /// what the plans ask for.
    ///
    /// # Errors
    /// Values that are not what they must be; too little memory. The change has its plans all the same.
    fn adopt(&mut self, change: &mut MeshChange<'_, D>, values: NewValues<'_, D>) -> Result<(), ExecError>;

    /// Fills a level's ghost cells at its own time: from the same level, the coarser level, the physical boundary.
    ///
    /// # Errors
    /// What a function of the user's gives is not finite or not allowed.
    fn fill_ghosts(&mut self, level: Level, plans: &LevelPlans<D>) -> Result<(), ExecError>;

    /// Takes one step of a level whose ghost cells are filled, and gathers its part of the conservation fix. What came of
    /// it is told by [`Executor::collect`]. `plans`: those of all levels.
    ///
    /// # Errors
    /// The device's; auxiliary values that are not what they must be.
    fn advance(&mut self, level: Level, plans: &[LevelPlans<D>], dt: f64) -> Result<(), ExecError>;

    /// Appends what came of the steps and samples since the last call, in their order; waits for them if need be.
    ///
    /// # Errors
    /// What went wrong since in verbs that cannot say so.
    fn collect(&mut self, outcomes: &mut Outcomes) -> Result<(), ExecError>;

    /// Takes the values at a point, linear between cell centres, for the next [`Executor::collect`]. `patch` of `level`
    /// holds the point; ghost cells are filled.
    fn sample(&mut self, level: Level, patch: usize, position: [f64; D]);

    /// Sets a level's time, after substeps whose sum rounds differently from the coarser level's step.
    fn set_time(&mut self, level: Level, time: f64);

    /// Applies the conservation fix to the level coarser than `fine`.
    fn reflux(&mut self, fine: Level, plans: &LevelPlans<D>);

    /// Averages `fine` onto the level beneath.
    fn average_down(&mut self, fine: Level, plans: &LevelPlans<D>);

    /// Auxiliary values that change with time become those of the level's own time: a step leaves those of its middle.
    ///
    /// # Errors
    /// As for [`Executor::advance`].
    fn renew_aux(&mut self, level: Level) -> Result<(), ExecError>;

    /// Says how a level's flags will be asked for, so that they can be made meanwhile. Ghost cells are filled. From here on auxiliary
    /// values that change with time are those of the level's own time.
    ///
    /// # Errors
    /// As for [`Executor::advance`].
    fn begin_flagging(&mut self, level: Level, request: FlagRequest<'_, D>) -> Result<(), ExecError>;

    /// Boxes of all levels finer than a base level, coarser levels first, each level's in any order: those that [`crate::regrid`] makes of the
    /// flags, where the executor makes them by itself. After [`Executor::begin_flagging`] of all levels to be refined.
    ///
    /// # Errors
    /// The device's.
    fn refine(&mut self, _: RefineRequest<'_, D>) -> Result<Option<Vec<Vec<CellBox<D>>>>, ExecError> {
        Ok(None)
    }

    /// Cells of a level that the criterion wants refined, of all ranks or, where the level is large, of this one's patches, and what the
    /// executor has done with them of what is asked for: after [`Executor::begin_flagging`] and before anything else of the level changes.
    ///
    /// # Errors
    /// The device's.
    fn flag(&mut self, level: Level, dt: f64) -> Result<Flagged<D>, ExecError>;

    /// Remembers the state of all levels, to return to.
    fn save(&mut self);

    /// Returns to the state remembered. `back`: the return to the mesh that there was then.
    fn restore(&mut self, back: &MeshChange<'_, D>);
}
