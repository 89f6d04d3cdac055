//! Writes snapshots as frames and as checkpoints while the run continues.
//!
//! A separate thread, which receives one snapshot at a time through a channel. A checkpoint is written after the frame that it counts as
//! written.

use super::checkpoints::{self, KEPT};
use super::content::FrameContent;
use super::frames;
use super::snapshot::{Files, Snapshot};
use super::worker::Worker;
use crate::case::Case;
use crate::frames::{OutputError, RunFolder};
use crate::simulation::RunError;
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};
use std::time::Instant;
use tracing::{info, warn};

/// Most threads for drawing: a picture is finished before more threads have started.
const MAX_THREADS: usize = 16;

/// The writer's report on a snapshot.
pub(super) struct Report<const D: usize> {
    /// Files of the frame.
    pub files: Vec<PathBuf>,
    pub checkpoint: Option<PathBuf>,
    pub seconds: f64,
    /// The error, and the snapshot with what is still to be written.
    pub failed: Option<(OutputError, Box<Snapshot<D>>)>,
}

/// The thread that writes.
pub(super) type Writer<const D: usize> = Worker<Box<Snapshot<D>>, Report<D>>;

impl Files {
    /// The files of a case. `checkpoints`: names of checkpoints from an earlier process of this run; `steps`: the steps after which it was
    /// restarted. Pictures are drawn on `threads` threads, at most [`MAX_THREADS`].
    pub fn new(
        case: &Case,
        folder: Arc<RunFolder>,
        (mut checkpoints, steps): (Vec<String>, u64),
        threads: usize,
    ) -> Self {
        // Checkpoints of later steps sort first and are removed first: those steps are taken again.
        checkpoints.sort_by_key(|name| checkpoints::steps_of(name).map(|n| (n <= steps, n)));
        let output = &case.output;
        Files {
            folder,
            format: output.format.clone(),
            png: output.png,
            threads: threads.min(MAX_THREADS),
            drawing: OnceLock::new(),
            content: FrameContent::of(case),
            case: case.text(),
            checkpoints,
        }
    }

    /// Starts the thread.
    ///
    /// # Errors
    /// The system cannot start a thread.
    pub fn start<const D: usize>(mut self) -> Result<Writer<D>, RunError> {
        let work = move |snapshot: Box<Snapshot<D>>| self.write(snapshot);
        Worker::start("writer", work).map_err(|e| RunError::Threads { threads: 1, message: e.to_string() })
    }

    /// Writes the frame first: a checkpoint in which it counts as written must not exist without it.
    fn write<const D: usize>(&mut self, mut snapshot: Box<Snapshot<D>>) -> Report<D> {
        let clock = Instant::now();
        let (mut files, mut checkpoint, mut error) = (Vec::new(), None, None);
        let remote = snapshot.remote.take();
        if snapshot.as_frame {
            match frames::write(self, &mut snapshot.frame, remote.as_ref()) {
                Ok(written) => {
                    info!(number = snapshot.frame.number, time = snapshot.frame.time, "frame written");
                    files = written;
                    snapshot.frame.number += 1;
                    (snapshot.as_frame, snapshot.due) = (false, false);
                }
                Err(reason) => error = Some(reason),
            }
        }
        if std::mem::take(&mut snapshot.as_live) {
            // A run does not fail for it.
            if let Err(error) = frames::write_live(self, &mut snapshot.frame, remote.as_ref()) {
                warn!(%error, "the present state could not be written");
            }
        }
        if snapshot.as_checkpoint && (error.is_none() || snapshot.last) {
            match checkpoints::write(&self.folder, &self.case, &snapshot, remote.as_ref()) {
                Ok(path) => {
                    info!(file = %path.display(), "checkpoint written");
                    snapshot.as_checkpoint = false;
                    self.keep_last(&path);
                    checkpoint = Some(path);
                }
                Err(reason) => error = error.or(Some(reason)),
            }
        }
        let failed = error.map(|error| (error, snapshot));
        Report { files, checkpoint, seconds: clock.elapsed().as_secs_f64(), failed }
    }

    /// Removes the oldest checkpoints of the run, now that there is a new one.
    fn keep_last(&mut self, new: &std::path::Path) {
        let name = new.file_name().unwrap_or_default().to_string_lossy().into_owned();
        self.checkpoints.retain(|old| *old != name);
        self.checkpoints.push(name);
        while self.checkpoints.len() > KEPT {
            let oldest = self.folder.dir().join(self.checkpoints.remove(0));
            if let Err(error) = std::fs::remove_file(&oldest) {
                warn!(file = %oldest.display(), %error, "an old checkpoint could not be removed");
            }
        }
    }
}
