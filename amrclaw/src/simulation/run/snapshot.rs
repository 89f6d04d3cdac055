//! States of a run that are to be written.

use super::content::FrameContent;
use super::remote_values::RemoteValues;
use crate::frames::frame::Frame;
use crate::frames::{FrameFormat, RunFolder};
use crate::simulation::ScheduleState;
use crate::simulation::monitors::MonitorState;
use rayon::ThreadPool;
use std::sync::{Arc, OnceLock};

/// A state of the run, and which files to write of it.
pub(super) struct Snapshot<const D: usize> {
    /// The solution; with several ranks, that on the first rank's patches. Its number is that of the next frame.
    pub frame: Frame<D>,
    /// The source of the other ranks' values, until the snapshot is written.
    pub remote: Option<RemoteValues<D>>,
    pub schedule: ScheduleState,
    pub totals_initial: Vec<f64>,
    pub monitors: Vec<MonitorState>,
    /// Steps of the coarsest level.
    pub steps: u64,
    /// Write a frame.
    pub as_frame: bool,
    /// Write the file of the present state.
    pub as_live: bool,
    /// The case asks for the frame: a restart has to write it if this run cannot.
    pub due: bool,
    /// After that write a checkpoint, in which the frame counts as written.
    pub as_checkpoint: bool,
    /// The run ends here: write the checkpoint even if the frame cannot be written.
    pub last: bool,
}

/// Where and how files are written.
pub(super) struct Files {
    pub folder: Arc<RunFolder>,
    pub format: Vec<FrameFormat>,
    pub png: bool,
    /// Number of threads that draw pictures.
    pub threads: usize,
    /// The pool of these threads, created with the first picture; the run needs its own pool. `None` if they could not be started.
    pub drawing: OnceLock<Option<ThreadPool>>,
    pub content: FrameContent,
    pub case: String,
    /// Names of checkpoints, in the order in which they are removed.
    pub checkpoints: Vec<String>,
}
