//! Checkpoints of a run, and going on from one.

use super::Driver;
use crate::io::{Checkpoint, InputError, OutputError, checkpoint};
use crate::simulation::ScheduleState;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use std::time::Instant;
use tracing::{info, warn};

/// How many of a run's checkpoints are kept: the last one may hold a solution that has already gone wrong.
const KEPT: usize = 2;

/// What a run knows besides the solution; stored with a checkpoint as JSON.
#[derive(Serialize, Deserialize)]
pub(super) struct RunState {
    pub schedule: ScheduleState,
    pub totals_initial: Vec<f64>,
}

/// Name of the checkpoint after so many steps of the coarsest level.
fn file_name(steps: u64) -> String {
    format!("checkpoint_{steps:06}.h5")
}

/// Reads a checkpoint and what the run knew.
pub(super) fn read<const D: usize>(path: &Path) -> Result<(Checkpoint<D>, RunState), InputError> {
    let checkpoint = checkpoint::read::<D>(path)?;
    let damaged = |reason| InputError::Damaged { path: path.to_owned(), reason };
    let state: RunState =
        serde_json::from_str(&checkpoint.schedule).map_err(|e| damaged(format!("the schedule's state: {e}")))?;
    if !checkpoint.frame.time.is_finite() || state.schedule.dt_next.is_some_and(|dt| dt <= 0.0) {
        return Err(damaged(format!("t = {}, next step {:?}", checkpoint.frame.time, state.schedule.dt_next)));
    }
    Ok((checkpoint, state))
}

impl<const D: usize> Driver<'_, D> {
    /// True if a checkpoint is due, by the steps taken or by the time since the last one.
    pub(super) fn checkpoint_due(&self) -> bool {
        let (steps, minutes) = (self.case.output.checkpoint_every_steps, self.case.output.checkpoint_every_minutes);
        let waited = self.checkpoint_clock.elapsed().as_secs_f64();
        steps > 0 && self.steps().is_multiple_of(steps) || minutes > 0.0 && waited >= 60.0 * minutes
    }

    /// Writes a checkpoint of the state, and removes the oldest one of this run if there are enough.
    pub(super) fn write_checkpoint(&mut self) -> Result<PathBuf, OutputError> {
        let steps = self.steps();
        let path = self.dir.join(file_name(steps));
        let mut frame = self.simulation.frame();
        frame.number = self.frame_number;
        let state =
            RunState { schedule: self.simulation.schedule_state(), totals_initial: self.totals_initial.clone() };
        let schedule = serde_json::to_string(&state).expect("plain numbers and lists can be written as JSON");
        // Rows of gauges that a restart does not take again must be on disk before the checkpoint is.
        self.gauges.record(&self.simulation)?;
        checkpoint::write(&path, &Checkpoint { frame, schedule, case: self.case.text() })?;
        info!(file = %path.display(), "checkpoint written");
        self.checkpoint_clock = Instant::now();
        self.checkpoints.retain(|old| *old != path);
        self.checkpoints.push(path.clone());
        if self.checkpoints.len() > KEPT {
            let oldest = self.checkpoints.remove(0);
            if let Err(error) = std::fs::remove_file(&oldest) {
                warn!(file = %oldest.display(), %error, "an old checkpoint could not be removed");
            }
        }
        Ok(path)
    }
}
