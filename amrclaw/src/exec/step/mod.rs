//! What the executors share of a step, wherever values are stored: its sweeps, its report, and which array holds which state.

pub(super) mod agree;
mod aux_origins;
mod bytes;
mod flags;
mod host_work;
mod level_spec;
mod report;
mod states;
mod sweep;

pub(super) use aux_origins::{aux_origins, levels_with_aux};
pub(super) use bytes::{bytes_of, bytes_of_mut};
pub use flags::{ClusterMethod, Cuts, FlagRegion, FlagRequest, Flagged, FlagsDone, RefineRequest, Refinement};
pub use host_work::HostWork;
pub(super) use host_work::HostWorks;
pub(super) use level_spec::LevelSpec;
pub use report::{
    CellPlace, DevicePhase, DeviceUse, ExecError, LeafMarks, LeavesMade, LevelState, LevelStates, MarkedBy, NewValues,
    Outcomes, RegridWay, StepMode, StepReport, StreamedUse,
};
pub(super) use states::{Rollback, States};
pub(super) use sweep::{
    Computes, FirstHalf, LevelCells, LevelSweep, Pass, Sweep, SweepEngine, SweepFunctions, axis_bits,
    share_of_first_half, source_after_waves, stages_left, sweeps, swept_scheme,
};
