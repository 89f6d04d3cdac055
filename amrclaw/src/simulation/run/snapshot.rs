//! States of a run on their way into files.

use super::content::FrameContent;
use super::elsewhere::Elsewhere;
use crate::io::frame::Frame;
use crate::io::vtkhdf::Parts;
use crate::io::{FrameFormat, RunFolder};
use crate::simulation::ScheduleState;
use rayon::ThreadPool;
use std::sync::{Arc, OnceLock};

/// A state of the run, and what is to be written of it.
pub(super) struct Snapshot<const D: usize> {
    /// The solution; of several ranks the first one's part. Its number is that of the next frame.
    pub frame: Frame<D>,
    /// Where the values of the other ranks come from, until it is written.
    pub elsewhere: Option<Elsewhere<D>>,
    /// The files in which groups of ranks have written the frame's values.
    pub parts: Option<Parts>,
    pub schedule: ScheduleState,
    pub totals_initial: Vec<f64>,
    /// Steps of the coarsest level.
    pub steps: u64,
    /// Write a frame.
    pub as_frame: bool,
    /// The case asks for the frame: a restart has to write it if this run cannot.
    pub due: bool,
    /// Then write a checkpoint, which counts the frame as written.
    pub as_checkpoint: bool,
    /// The run ends here: write the checkpoint even if the frame cannot be written.
    pub last: bool,
}

/// Where and how files are written.
pub(super) struct Files {
    pub folder: Arc<RunFolder>,
    pub format: Vec<FrameFormat>,
    pub png: bool,
    /// Draws pictures on so many threads.
    pub threads: usize,
    /// Those, as soon as a picture has been drawn: the run has work for its own. `None` where they cannot be had.
    pub drawing: OnceLock<Option<ThreadPool>>,
    pub content: FrameContent,
    pub case: String,
    /// Names of checkpoints, the first to be removed first.
    pub checkpoints: Vec<String>,
}
