//! The snapshots that a run sends to its writer, and the writer's reports.

use super::ranks::{agreed, broadcast_from_first};
use super::snapshot::Snapshot;
use super::writer::Report;
use super::{Cause, Driver, RunFailure};
use crate::diagnose::Phase;
use crate::frames::run_json::{RunRecord, RunStatus};
use crate::frames::steps::StepRecord;
use crate::frames::vtkhdf;
use crate::index::Level;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Instant;

/// The file of the present state takes at most one part in so many of a run's time, and is replaced after so many seconds at the soonest.
const LIVE_COST: f64 = 100.0;
const LIVE_PAUSE: f64 = 0.5;

/// When the file of the present state was written last, and what that took: seconds of the run, and of the writer by the number of threads.
#[derive(Clone, Copy)]
pub(super) struct Live {
    pub since: Instant,
    pub cost: f64,
}

/// What to write of the present state.
#[derive(Clone, Copy, Default)]
pub(super) struct WriteRequest {
    /// A frame.
    pub frame: bool,
    /// The frame is one that the case asks for.
    pub due: bool,
    /// A checkpoint.
    pub checkpoint: bool,
    /// The file of the present state.
    pub live: bool,
}

impl<const D: usize> Driver<'_, D> {
    /// Sends the present state to the writer, after it has written the previous one.
    pub(super) fn write(&mut self, wish: WriteRequest) -> Result<(), Cause> {
        self.timed(|driver| {
            if wish.frame {
                driver.simulation.look(true)?;
            }
            let settled = driver.settle();
            let ranks = driver.options.comm.clone();
            agreed(&ranks, settled)?;
            let leaves_files = driver.leaves_files(wish);
            let renewed = if leaves_files { driver.simulation.renew_aux() } else { Ok(()) };
            agreed(&ranks, renewed.map_err(Cause::from))?;
            let snapshot = (leaves_files && ranks.is_first()).then(|| driver.snapshot(wish));
            if leaves_files && !ranks.is_solo() {
                let send = |driver: &mut Self, snapshot| driver.send(wish, snapshot);
                return driver.write_of_all(snapshot, send).map(drop);
            }
            let sent = driver.send(wish, snapshot);
            agreed(&ranks, sent)
        })
    }

    /// Writes the state as a frame unless it is one already.
    pub(super) fn write_last_frame(&mut self) -> Result<(), Cause> {
        let is_frame = self.frame_at == Some(self.steps());
        if is_frame { Ok(()) } else { self.write(WriteRequest { frame: true, ..WriteRequest::default() }) }
    }

    fn send(&mut self, wish: WriteRequest, snapshot: Option<Box<Snapshot<D>>>) -> Result<(), Cause> {
        // A restart does not repeat earlier rows of gauges: they must be in their files before a checkpoint exists.
        if let Err(error) = self.record_gauges() {
            self.unwritten = snapshot;
            return Err(error);
        }
        self.write_monitors(wish.frame)?;
        if wish.frame {
            self.frame_number += 1;
            self.frame_at = Some(self.steps());
        }
        if wish.checkpoint {
            self.checkpoint_clock = Instant::now();
        }
        if let (Some(files), Some(snapshot)) = (&mut self.files, snapshot) {
            files.writer.send(snapshot);
        }
        Ok(())
    }

    /// Writes the gauges' rows added since the last call.
    pub(super) fn record_gauges(&mut self) -> Result<(), Cause> {
        self.files.as_mut().map_or(Ok(()), |files| Ok(files.gauges.record(&self.simulation)?))
    }

    /// Writes the monitors' files as they are now, at a frame also those of their values at it.
    pub(super) fn write_monitors(&self, at_frame: bool) -> Result<(), Cause> {
        let frame = at_frame.then_some((self.frame_number, self.steps()));
        self.files.as_ref().map_or(Ok(()), |files| Ok(self.simulation.monitors.write(&files.folder, frame)?))
    }

    /// Adds rows of the present state to the forces' files where they are due, or to all at the end.
    pub(super) fn record_forces(&mut self, is_end: bool) -> Result<(), Cause> {
        let Some(files) = &mut self.files else { return Ok(()) };
        files.forces.record(&mut self.simulation, is_end)
    }

    /// Whether the file of the present state is due: the writer is idle, and since the last one, or another file, a hundred times what that took
    /// has passed. On the first rank alone; others hear of it.
    pub(super) fn live_is_due(&self) -> bool {
        let Live { since, cost } = self.live;
        let waited = since.elapsed().as_secs_f64();
        let is_idle = self.files.as_ref().is_some_and(|files| !files.writer.is_busy());
        self.case.output.live && is_idle && waited >= LIVE_PAUSE.max(LIVE_COST * cost)
    }

    /// Sends the present state to the writer as the file of that name.
    pub(super) fn write_live(&mut self) -> Result<(), Cause> {
        let clock = Instant::now();
        self.live = Live { since: clock, cost: 0.0 };
        let written = self.write(WriteRequest { live: true, ..WriteRequest::default() });
        self.live.cost += clock.elapsed().as_secs_f64();
        written
    }

    /// Adds a line to the list of steps; `before`: the time before the last step. With a frame, whose values are fetched anyway, the line has
    /// totals: then a collective operation.
    pub(super) fn record_step(&mut self, before: f64, with_frame: bool) {
        let (simulation, progress) = (&self.simulation, self.progress());
        let totals = if with_frame { self.by_equation(&simulation.totals()) } else { BTreeMap::new() };
        let steps = self.files.as_mut().and_then(|files| files.steps.as_mut());
        let Some(steps) = steps.filter(|steps| with_frame || steps.is_due(progress.wall_seconds)) else { return };
        let levels = || (0..progress.levels).map(|l| simulation.hierarchy().level(Level(l as u8)));
        steps.record(&StepRecord {
            step: progress.steps,
            time: progress.time,
            dt: progress.time - before,
            courant: simulation.last_courant(),
            wall: progress.wall_seconds,
            patches: levels().map(|level| level.patches().len()).collect(),
            cells: levels().map(|level| level.num_cells()).collect(),
            advanced: progress.cells_advanced,
            phases: simulation.stopwatch().seconds(),
            totals,
        });
    }

    /// Writes the record of the run so far. A collective operation.
    pub(super) fn write_record(&self, status: RunStatus, error: Option<String>) -> Result<RunRecord, Cause> {
        let record = self.record(status, error);
        let written = self.files.as_ref().map_or(Ok(()), |files| record.write(files.folder.dir()).map(drop));
        if self.case.output.live && status != RunStatus::Running {
            // Where it cannot be removed, the next run does so.
            let _ = self.files.as_ref().map(|files| std::fs::remove_file(files.folder.dir().join(vtkhdf::LIVE)));
        }
        agreed(&self.options.comm, written.map_err(Cause::from)).map(|()| record)
    }

    /// A frame that is neither kept in a format nor drawn leaves no file: values need not be fetched for it.
    fn leaves_files(&self, wish: WriteRequest) -> bool {
        let output = &self.case.output;
        wish.checkpoint || wish.live || (wish.frame && (output.png || !output.format.is_empty()))
    }

    fn snapshot(&self, wish: WriteRequest) -> Box<Snapshot<D>> {
        let mut frame = self.simulation.frame();
        frame.number = self.frame_number;
        Box::new(Snapshot {
            frame,
            remote: None,
            schedule: self.simulation.schedule_state(),
            totals_initial: self.totals_initial.clone(),
            monitors: self.simulation.monitors.state(),
            steps: self.steps(),
            as_frame: wish.frame,
            as_live: wish.live,
            due: wish.due,
            as_checkpoint: wish.checkpoint,
            last: false,
        })
    }

    /// Takes the writer's report, if it has finished a snapshot; an error if that failed.
    pub(super) fn listen(&mut self) -> Result<(), Cause> {
        let report = self.files.as_mut().and_then(|files| files.writer.poll());
        report.map_or(Ok(()), |report| self.take_report(report).map(drop))
    }

    /// Waits until everything sent to the writer is written.
    pub(super) fn settle(&mut self) -> Result<(), Cause> {
        self.settle_files().map(drop)
    }

    /// As [`Driver::settle`]; returns the files.
    pub(super) fn settle_files(&mut self) -> Result<Vec<PathBuf>, Cause> {
        let report = self.files.as_mut().and_then(|files| files.writer.wait());
        report.map_or(Ok(Vec::new()), |report| self.take_report(report))
    }

    /// Processes a report of the writer; returns the files.
    fn take_report(&mut self, report: Report<D>) -> Result<Vec<PathBuf>, Cause> {
        let Report { mut files, checkpoint, seconds, failed } = report;
        self.writer_seconds += seconds;
        self.live.cost += seconds / self.simulation.threads() as f64;
        if let Some(checkpoint) = checkpoint {
            files.push(checkpoint.clone());
            self.checkpoint = Some(checkpoint);
        }
        let Some((error, snapshot)) = failed else { return Ok(files) };
        self.kept.extend(files);
        self.unwritten = Some(snapshot);
        Err(error.into())
    }

    /// Books the time of `write` as output.
    pub(super) fn timed<T>(&mut self, write: impl FnOnce(&mut Self) -> T) -> T {
        let clock = Instant::now();
        let written = write(self);
        self.simulation.stopwatch_mut().book(Phase::Output, clock.elapsed());
        written
    }

    /// Leaves a checkpoint and a record of a run that was stopped.
    pub(super) fn interrupt(&mut self) -> RunFailure {
        let wish = WriteRequest { checkpoint: true, ..WriteRequest::default() };
        if let Err(cause) = self.write(wish).and_then(|()| {
            let settled = self.timed(Self::settle);
            agreed(&self.options.comm, settled)
        }) {
            return self.fail(cause);
        }
        if let Err(cause) = self.write_record(RunStatus::Interrupted, None) {
            return self.fail(cause);
        }
        // Only the first rank has a checkpoint to name.
        let checkpoint = self.checkpoint.clone().unwrap_or_default();
        RunFailure::Interrupted { time: self.simulation.time(), step: self.steps(), checkpoint }
    }

    /// Saves what can be saved of a run that failed.
    pub(super) fn fail(&mut self, cause: Cause) -> RunFailure {
        // Waits for the writer's current snapshot, which is written, or comes back as unwritten; its error would add nothing.
        let _ = self.settle();
        let wish = WriteRequest { frame: self.frame_at != Some(self.steps()), ..WriteRequest::default() };
        let ranks = self.options.comm.clone();
        let is_readable = broadcast_from_first(&ranks, 0).is_ok() && self.simulation.is_readable();
        if is_readable {
            // If this fails, the frame has the auxiliary values of the middle of the last step.
            let _ = self.simulation.renew_aux();
        }
        // A restart must continue from the state that could not be written, so that it writes the missing files. With several ranks that is
        // still the present state: the other ranks have their values of it.
        let unwritten = self.unwritten.take().filter(|_| ranks.is_solo() || is_readable);
        let present = || (is_readable && ranks.is_first()).then(|| self.snapshot(wish));
        let mut snapshot = unwritten.or_else(present);
        let (mut time, mut step) = (self.simulation.time(), self.steps());
        let lost = snapshot.is_none() && (ranks.is_first() || !is_readable);
        if let Some(snapshot) = &mut snapshot {
            (time, step) = (snapshot.frame.time, snapshot.steps);
            (snapshot.as_checkpoint, snapshot.last) = (true, true);
        }
        if lost {
            // The values were lost with the device: the last checkpoint holds the last good state.
            self.kept.extend(self.checkpoint.clone());
        } else {
            // If files can no longer be written, that is already why the run failed: a second error adds nothing.
            let _ = self.record_gauges();
            let send = |driver: &mut Self, snapshot: Option<Box<Snapshot<D>>>| {
                driver
                    .files
                    .as_mut()
                    .zip(snapshot)
                    .into_iter()
                    .for_each(|(files, snapshot)| files.writer.send(snapshot));
                Ok(())
            };
            let written = self.timed(|driver| match ranks.is_solo() {
                true => send(driver, snapshot).and_then(|()| driver.settle_files()),
                // All ranks take part: only the first one knows what is still to be written.
                false => driver.write_of_all(snapshot, send),
            });
            self.kept.extend(written.unwrap_or_default());
        }
        let record = self.record(RunStatus::Failed, Some(cause.to_string()));
        let mut kept = std::mem::take(&mut self.kept);
        kept.extend(self.files.as_ref().and_then(|files| record.write(files.folder.dir()).ok()));
        RunFailure::Broken { cause: Box::new(cause), time, step, kept, lost }
    }
}
