//! Executing plans on data. Above the [`Executor`] trait nothing knows where values live; below it no geometry is
//! computed.

pub mod cpu;
pub mod device;
mod host_values;
pub mod resident;
mod step;
pub mod streamed;

pub use host_values::{HostArray, HostMemory, HostValues, PatchArray};
pub use step::{CellPlace, DeviceUse, ExecError, FlagRequest, Flagged, LevelState, Outcomes, StepReport, StreamedUse};

use crate::index::Level;
use crate::mesh::{Hierarchy, MeshEpoch};
use crate::plan::{LevelPlans, TransferPlan};

/// Holds the values of all levels and carries out plans on them.
///
/// A level's state has a time; after a step its state before is kept too, for finer levels to interpolate in time.
pub trait Executor<const D: usize>: Send + Sync {
    /// Gives a level patches and exact initial data, in place of what it held. Finer levels are dropped.
    fn initialise(&mut self, hierarchy: &Hierarchy<D>, level: Level, time: f64) -> Result<(), ExecError>;

    /// Shows the levels to come, those of `hierarchy` that `before` does not have, while plans for them are made on other
    /// threads. [`Executor::prepare`] follows.
    fn prepare_levels(&mut self, _hierarchy: &Hierarchy<D>, _before: &Hierarchy<D>) {}

    /// Shows what is to come: the plans of a new hierarchy, and the transfers to its new levels, coarsest level first. What
    /// follows is a [`Executor::transfer`] for each of these.
    fn prepare(&mut self, _hierarchy: &Hierarchy<D>, _plans: &[LevelPlans<D>], _transfers: &[Option<TransferPlan<D>>]) {
    }

    /// Gives a level new patches, whose values come from its own old ones and from the coarser level.
    fn transfer(&mut self, hierarchy: &Hierarchy<D>, level: Level, plan: &TransferPlan<D>) -> Result<(), ExecError>;

    /// Drops the levels from `first` on.
    fn truncate(&mut self, first: Level);

    /// From now on plans of this epoch are right, and no others.
    fn set_epoch(&mut self, epoch: MeshEpoch);

    /// Makes room for the fluxes that the plans keep; called once the levels are those of new plans.
    fn make_room(&mut self, plans: &[LevelPlans<D>]);

    /// Fills a level's ghost cells at its own time: from the same level, the coarser level, the physical boundary.
    fn fill_ghosts(&mut self, level: Level, plans: &LevelPlans<D>) -> Result<(), ExecError>;

    /// Takes one step of a level whose ghost cells are filled, and gathers its part of the conservation fix. What came of
    /// it is told by [`Executor::collect`]. `plans`: those of all levels.
    fn advance(&mut self, level: Level, plans: &[LevelPlans<D>], dt: f64) -> Result<(), ExecError>;

    /// True if it is dear to wait for what came of each step: the driver then asks once per step of the coarsest level.
    fn works_ahead(&self) -> bool {
        false
    }

    /// Appends what came of the steps and samples since the last call, in their order; waits for them if need be.
    fn collect(&mut self, outcomes: &mut Outcomes) -> Result<(), ExecError>;

    /// What went wrong in the step of a level that was taken last, which broke `patch`: the first cell that holds a NaN, an
    /// infinity or a state that the solver does not allow in what the step read, ghost cells included, then in what its parts left, then in its outcome.
    fn find_failure(&self, level: Level, patch: usize) -> ExecError;

    /// Sets a level's time, after substeps whose sum rounds differently from the coarser level's step.
    fn set_time(&mut self, level: Level, time: f64);

    /// Applies the conservation fix to the level coarser than `fine`.
    fn reflux(&mut self, fine: Level, plans: &LevelPlans<D>);

    /// Averages `fine` onto the level beneath.
    fn average_down(&mut self, fine: Level, plans: &LevelPlans<D>);

    /// Says how a level's flags will be asked for, so that they can be made meanwhile. Ghost cells are filled. From here on auxiliary
    /// values that change with time are those of the level's own time.
    fn begin_flagging(&mut self, _level: Level, _request: FlagRequest) -> Result<(), ExecError> {
        Ok(())
    }

    /// Cells of a level that the criterion wants refined, and those around them: after [`Executor::begin_flagging`] and before
    /// anything else of the level changes.
    fn flag(&mut self, level: Level, dt: f64, request: FlagRequest) -> Result<Flagged<D>, ExecError>;

    /// Remembers the state of all levels, to return to.
    fn save(&mut self);

    /// Returns to the state remembered.
    fn restore(&mut self);

    /// False if the values are lost: their device has failed, and will not answer any more.
    fn is_readable(&self) -> bool {
        true
    }

    /// A copy of a level's interior on the host.
    fn snapshot(&self, level: Level) -> LevelState<D>;

    /// The present values of a level where they lie; `None` if that is not the host's memory.
    fn host_values(&self, _level: Level) -> Option<HostValues<'_, D>> {
        None
    }

    /// Gives the memory that [`Executor::host_values`] showed away, to someone who still looks at it; the level goes on with
    /// a copy. The values stay where they are as long as the memory given away is kept.
    fn part_with_values(&mut self, _level: Level) -> Option<HostMemory> {
        None
    }

    /// Puts interior values in place: the inverse of [`Executor::snapshot`].
    fn load(&mut self, hierarchy: &Hierarchy<D>, level: Level, state: &LevelState<D>) -> Result<(), ExecError>;

    /// Takes the values at a point, linear between cell centres, for the next [`Executor::collect`]. `patch` of `level`
    /// holds the point; ghost cells are filled.
    fn sample(&mut self, level: Level, patch: usize, position: [f64; D]);

    /// Sum of each equation over a level's cells that finer levels do not cover, times cell volume (and capacity).
    fn totals(&self, level: Level, finer: Option<&LevelPlans<D>>) -> Vec<f64>;

    /// Raises `largest` to the largest absolute value of each equation over a level's own cells; NaN is passed over.
    fn raise_to_largest(&self, level: Level, largest: &mut [f64]) -> Result<(), ExecError>;

    /// Bytes of memory held on the host and on the device.
    fn memory_bytes(&self) -> [usize; 2];

    /// Number of times that memory had to be allocated for values.
    fn allocations(&self) -> u64;

    /// What a device has been used for; `None` where there is none.
    fn device_use(&self) -> Option<DeviceUse> {
        None
    }
}
