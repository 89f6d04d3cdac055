//! Checkpoints of a run, and restarting from one.

use super::remote_values::{FrameWithRemoteValues, Purpose, RemoteValues};
use super::snapshot::Snapshot;
use super::{Cause, Driver};
use crate::case::Case;
use crate::exec::ExecError;
use crate::frames::checkpoint_patches::{self, StoredCheckpoint};
use crate::frames::{Checkpoint, InputError, OutputError, RunFolder, checkpoint};
use crate::ranks::Ranks;
use crate::simulation::monitors::MonitorState;
use crate::simulation::{RunError, ScheduleState};
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

pub(super) use crate::frames::checkpoint::steps_of;

/// How many of a run's checkpoints are kept: the last one may hold a solution that has already gone wrong.
pub(super) const KEPT: usize = 2;

/// What a run knows besides the solution; stored with a checkpoint as JSON.
#[derive(Serialize, Deserialize)]
pub(super) struct RunState {
    pub schedule: ScheduleState,
    pub totals_initial: Vec<f64>,
    /// The state is also a frame that could not be written: a restart writes it first.
    #[serde(default)]
    pub frame_due: bool,
    #[serde(default)]
    pub monitors: Vec<MonitorState>,
}

/// Reads a checkpoint and the state of its run.
pub(super) fn read<const D: usize>(path: &Path) -> Result<(Checkpoint<D>, RunState), InputError> {
    let checkpoint = checkpoint_patches::read::<D>(path)?;
    let state = state_of(path, &checkpoint)?;
    Ok((checkpoint, state))
}

/// As [`read`], for one of several ranks: without the values, which each rank reads later.
pub(super) fn open<const D: usize>(path: &Path) -> Result<(StoredCheckpoint<D>, RunState), InputError> {
    let stored = StoredCheckpoint::open(path)?;
    let state = state_of(path, &stored.outline)?;
    Ok((stored, state))
}

/// The state of the run in a checkpoint.
fn state_of<const D: usize>(path: &Path, checkpoint: &Checkpoint<D>) -> Result<RunState, InputError> {
    let damaged = |reason| InputError::Damaged { path: path.to_owned(), reason };
    let state: RunState =
        serde_json::from_str(&checkpoint.schedule).map_err(|e| damaged(format!("the schedule's state: {e}")))?;
    if !checkpoint.frame.time.is_finite() || state.schedule.dt_next.is_some_and(|dt| dt <= 0.0) {
        return Err(damaged(format!("t = {}, next step {:?}", checkpoint.frame.time, state.schedule.dt_next)));
    }
    Ok(state)
}

/// Refuses a checkpoint whose values, read by the ranks in parts, are not those that were written.
pub(super) fn check_whole<const D: usize>(ranks: &Ranks, stored: &StoredCheckpoint<D>) -> Result<(), Cause> {
    let read = ranks.gather(&stored.digests()).map_err(|lost| RunError::from(ExecError::from(lost)))?;
    Ok(stored.check(&read)?)
}

/// Refuses a checkpoint whose time is outside the case's run.
pub(super) fn check_time(case: &Case, time: f64) -> Result<(), RunError> {
    let (start, end) = (case.time.start, case.time.end);
    if time < start {
        let message = format!("the checkpoint has t = {time}, before the start at {start}");
        return Err(case.error("time.start", message, "restart with the start of the run that wrote it").into());
    }
    if time > end {
        let message = format!("the checkpoint has t = {time}, after the end at {end}");
        return Err(case.error("time.end", message, "write a later end, or restart from an earlier checkpoint").into());
    }
    Ok(())
}

/// Writes a snapshot as a checkpoint; `remote` provides the values of other ranks.
pub(super) fn write<const D: usize>(
    folder: &RunFolder,
    case: &str,
    snapshot: &Snapshot<D>,
    remote: Option<&RemoteValues<D>>,
) -> Result<PathBuf, OutputError> {
    let state = RunState {
        schedule: snapshot.schedule.clone(),
        totals_initial: snapshot.totals_initial.clone(),
        frame_due: snapshot.as_frame && snapshot.due,
        monitors: snapshot.monitors.clone(),
    };
    let schedule = serde_json::to_string(&state).expect("plain numbers and lists can be written as JSON");
    let name = checkpoint::file_name(snapshot.steps);
    let path = folder.dir().join(&name);
    folder.announce(&[name])?;
    let frame = &snapshot.frame;
    match remote {
        None => checkpoint::write(&path, (frame, frame), &schedule, case)?,
        Some(remote) => {
            let values = FrameWithRemoteValues { frame, remote, purpose: Purpose::Checkpoint };
            checkpoint::write(&path, (frame, &values), &schedule, case)?;
        }
    }
    folder.complete(std::slice::from_ref(&path));
    Ok(path)
}

impl<const D: usize> Driver<'_, D> {
    /// True if a checkpoint is due, by the steps taken or by the time since the last one.
    pub(super) fn checkpoint_due(&self) -> bool {
        let (steps, minutes) = (self.case.output.checkpoint_every_steps, self.case.output.checkpoint_every_minutes);
        let waited = self.checkpoint_clock.elapsed().as_secs_f64();
        steps > 0 && self.steps().is_multiple_of(steps) || minutes > 0.0 && waited >= 60.0 * minutes
    }
}
