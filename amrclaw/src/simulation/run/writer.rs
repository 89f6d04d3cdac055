//! Writes snapshots as frames and as checkpoints, while the run goes on.

use super::checkpoints::{self, KEPT};
use super::content::FrameContent;
use super::frames;
use super::snapshot::{Files, Snapshot};
use super::worker::Worker;
use crate::io::config::Case;
use crate::io::{OutputError, RunFolder};
use crate::simulation::RunError;
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};
use std::time::Instant;
use tracing::{info, warn};

/// Threads that draw at most: a picture is done before more have started.
const MOST_THREADS: usize = 16;

/// What has come of a snapshot.
pub(super) struct Report<const D: usize> {
    /// Files of the frame.
    pub files: Vec<PathBuf>,
    pub checkpoint: Option<PathBuf>,
    pub seconds: f64,
    /// Why something was not written, and the snapshot with what is still to be written of it.
    pub failed: Option<(OutputError, Box<Snapshot<D>>)>,
}

/// The thread that writes.
pub(super) type Writer<const D: usize> = Worker<Box<Snapshot<D>>, Report<D>>;

impl Files {
    /// Those of a case. `checkpoints` are the names of those that an earlier process of this run left, before it was restarted after
    /// so many steps. Pictures are drawn on `threads`, or on [`MOST_THREADS`].
    pub fn new(
        case: &Case,
        folder: Arc<RunFolder>,
        (mut checkpoints, steps): (Vec<String>, u64),
        threads: usize,
    ) -> Self {
        // Later ones are of steps that are taken again.
        checkpoints.sort_by_key(|name| checkpoints::steps_of(name).map(|n| (n <= steps, n)));
        let output = &case.output;
        Files {
            folder,
            format: output.format.clone(),
            png: output.png,
            threads: threads.min(MOST_THREADS),
            drawing: OnceLock::new(),
            content: FrameContent::of(case),
            case: case.text(),
            checkpoints,
        }
    }

    /// Starts the thread.
    ///
    /// # Errors
    /// The system has no thread to give.
    pub fn start<const D: usize>(mut self) -> Result<Writer<D>, RunError> {
        let work = move |snapshot: Box<Snapshot<D>>| self.write(snapshot);
        Worker::start("writer", work).map_err(|e| RunError::Threads { threads: 1, message: e.to_string() })
    }

    /// The frame comes first: a checkpoint that counts it as written must not be there without it.
    fn write<const D: usize>(&mut self, mut snapshot: Box<Snapshot<D>>) -> Report<D> {
        let clock = Instant::now();
        let (mut files, mut checkpoint, mut error) = (Vec::new(), None, None);
        let elsewhere = snapshot.elsewhere.take();
        if snapshot.as_frame {
            match frames::write(self, &mut snapshot.frame, elsewhere.as_ref(), snapshot.parts.as_ref()) {
                Ok(written) => {
                    info!(number = snapshot.frame.number, time = snapshot.frame.time, "frame written");
                    files = written;
                    snapshot.frame.number += 1;
                    (snapshot.as_frame, snapshot.due) = (false, false);
                }
                Err(reason) => error = Some(reason),
            }
        }
        if snapshot.as_checkpoint && (error.is_none() || snapshot.last) {
            match checkpoints::write(&self.folder, &self.case, &snapshot, elsewhere.as_ref()) {
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
