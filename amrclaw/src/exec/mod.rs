//! Executing plans on data. Above the [`Executor`] trait nothing knows where values live. Below it [`cpu`] makes neither boxes nor plans;
//! [`gpu::resident`] makes both on its device, as [`crate::regrid`] and [`crate::plan`] do.

pub mod cpu;
pub mod gpu;
mod host_values;
pub mod on_mesh;
mod probe;
mod queries;
mod step;

pub use host_values::{HostArray, HostMemory, HostValues, PatchArray};
pub use probe::{PatchValues, Probe};
pub use queries::{CellInPatch, MemoryUse, Queries, Reduction, Usage, larger, reduce_levels};
pub use step::{
    CellPlace, ClusterMethod, Cuts, DevicePhase, DeviceUse, ExecError, FlagRegion, FlagRequest, Flagged, FlagsDone,
    HostWork, LeafMarks, LeavesMade, LevelState, LevelStates, MarkedBy, NewValues, Outcomes, RefineRequest, Refinement,
    RegridWay, StepMode, StepReport, StreamedUse,
};

use crate::index::Level;
use crate::physics::Problem;
use crate::plan::{LevelPlans, MeshChange};

/// Holds the values of all levels and carries out plans on them: a verb for each step of the method. What can be asked of the values
/// is in [`Queries`].
///
/// A level's state has a time; after a step the state before it is kept too, so that finer levels can interpolate in time. All plans
/// must be those of the mesh adopted last.
pub trait Executor<const D: usize>: Queries<D> {
    /// Adopts a new hierarchy: makes its plans, fills new levels with values, drops levels that no longer exist, and prepares what
    /// the plans need. With [`NewValues::Saved`] the change is back to the mesh of the last [`Executor::prepare_steps`].
    ///
    /// # Errors
    /// Values are invalid, or memory does not suffice. The change has its plans even then.
    fn adopt(&mut self, change: &mut MeshChange<'_, D>, values: NewValues<'_, D>) -> Result<(), ExecError>;

    /// Renews the leaves of a mesh from a file, if the executor does: [`NewValues::OfLeaves`] are then theirs.
    ///
    /// # Errors
    /// The device fails.
    fn renew_leaves(&mut self, _: &LeafMarks<'_>) -> Result<LeavesMade, ExecError> {
        Ok(LeavesMade::ByHost)
    }

    /// Fills a level's ghost cells at its own time: from the same level, the coarser level, the physical boundary.
    ///
    /// # Errors
    /// A user's function gives a value that is not finite or not allowed.
    fn fill_ghosts(&mut self, level: Level, plans: &LevelPlans<D>) -> Result<(), ExecError>;

    /// Takes one step of a level whose ghost cells are filled, and adds its part of the conservation fix to the flux registers.
    /// [`Executor::collect`] gives its outcome. `plans`: those of all levels.
    ///
    /// # Errors
    /// The device fails, or auxiliary values are invalid.
    fn advance(&mut self, level: Level, plans: &[LevelPlans<D>], dt: f64) -> Result<(), ExecError>;

    /// Prepares for steps to come: remembers the state of all levels, to return to, and takes over the values of the problem's
    /// [`ReducedParameters`](crate::physics::ReducedParameters), which are also the solver's. If `keep_admissible`, corrections are left out at
    /// faces where these would make states inadmissible: a face falls back to first order. `moved`: the problem, if it is on another mesh from a
    /// file now; there are no levels then.
    ///
    /// # Errors
    /// The device fails.
    fn prepare_steps(&mut self, keep_admissible: bool, moved: Option<&Problem<D>>) -> Result<StepMode, ExecError>;

    /// Appends the outcomes of the steps and samples since the last call, in their order; waits for them if necessary.
    ///
    /// # Errors
    /// An error since the last call in a verb that returns none.
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

    /// Recomputes time-dependent auxiliary values at the level's own time: a step leaves those of its midpoint in time. `flags`: the request for
    /// the level's flags of this time, if there is one, so that they can be computed meanwhile; ghost cells are filled.
    ///
    /// # Errors
    /// As for [`Executor::advance`].
    fn renew_aux(&mut self, level: Level, flags: Option<FlagRequest<'_, D>>) -> Result<(), ExecError>;

    /// The flags of the levels to be refined, or the boxes that the executor itself has made of them. To be called after
    /// [`Executor::renew_aux`] with the requests of all these levels and before they change.
    ///
    /// # Errors
    /// The device fails.
    fn refine(&mut self, request: RefineRequest<'_, D>) -> Result<Refinement<D>, ExecError>;
}
