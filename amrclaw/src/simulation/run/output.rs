//! What a run hands to its writer, and what the writer reports back.

use super::snapshot::Snapshot;
use super::writer::Report;
use super::{Cause, Driver, RunFailure};
use crate::diagnose::Phase;
use crate::io::run_json::RunStatus;
use std::path::PathBuf;
use std::time::Instant;

/// What to write of the present state.
#[derive(Clone, Copy, Default)]
pub(super) struct Wish {
    /// A frame.
    pub frame: bool,
    /// The frame is one that the case asks for.
    pub due: bool,
    /// A checkpoint.
    pub checkpoint: bool,
}

impl<const D: usize> Driver<'_, D> {
    /// Hands the present state to the writer, as soon as it has written the one before.
    pub(super) fn write(&mut self, wish: Wish) -> Result<(), Cause> {
        self.timed(|driver| {
            driver.settle()?;
            driver.send(wish)
        })
    }

    /// Writes the state as a frame unless it is one already.
    pub(super) fn write_last_frame(&mut self) -> Result<(), Cause> {
        let is_frame = self.frame_at == Some(self.steps());
        if is_frame { Ok(()) } else { self.write(Wish { frame: true, ..Wish::default() }) }
    }

    fn send(&mut self, wish: Wish) -> Result<(), Cause> {
        let snapshot = self.leaves_files(wish).then(|| self.snapshot(wish));
        // Rows of gauges that a restart does not take again must be in their files before a checkpoint is there.
        if let Err(error) = self.gauges.record(&self.simulation) {
            self.unwritten = snapshot;
            return Err(error.into());
        }
        if wish.frame {
            self.frame_number += 1;
            self.frame_at = Some(self.steps());
        }
        if wish.checkpoint {
            self.checkpoint_clock = Instant::now();
        }
        if let Some(snapshot) = snapshot {
            self.writer.send(snapshot);
        }
        Ok(())
    }

    /// A frame that is neither kept in a format nor drawn leaves no file: values need not be fetched for it.
    fn leaves_files(&self, wish: Wish) -> bool {
        let output = &self.case.output;
        wish.checkpoint || (wish.frame && (output.png || !output.format.is_empty()))
    }

    fn snapshot(&self, wish: Wish) -> Box<Snapshot<D>> {
        let mut frame = self.simulation.frame();
        frame.number = self.frame_number;
        Box::new(Snapshot {
            frame,
            schedule: self.simulation.schedule_state(),
            totals_initial: self.totals_initial.clone(),
            steps: self.steps(),
            as_frame: wish.frame,
            due: wish.due,
            as_checkpoint: wish.checkpoint,
            last: false,
        })
    }

    /// Asks whether the writer has come to an end, well or not.
    pub(super) fn listen(&mut self) -> Result<(), Cause> {
        self.writer.poll().map_or(Ok(()), |report| self.take_report(report).map(drop))
    }

    /// Waits until everything that was handed to the writer is written.
    pub(super) fn settle(&mut self) -> Result<(), Cause> {
        self.writer.wait().map_or(Ok(()), |report| self.take_report(report).map(drop))
    }

    /// Takes note of what the writer did; returns the files.
    fn take_report(&mut self, report: Report<D>) -> Result<Vec<PathBuf>, Cause> {
        let Report { mut files, checkpoint, seconds, failed } = report;
        self.writer_seconds += seconds;
        if let Some(checkpoint) = checkpoint {
            files.push(checkpoint.clone());
            self.checkpoint = Some(checkpoint);
        }
        let Some((error, snapshot)) = failed else { return Ok(files) };
        self.kept.extend(files);
        self.unwritten = Some(snapshot);
        Err(error.into())
    }

    /// Books the time that the run waits for its files.
    pub(super) fn timed<T>(&mut self, write: impl FnOnce(&mut Self) -> T) -> T {
        let clock = Instant::now();
        let written = write(self);
        self.simulation.stopwatch_mut().book(Phase::Output, clock.elapsed());
        written
    }

    /// Leaves a checkpoint and a record of a run that was stopped.
    pub(super) fn interrupt(&mut self) -> RunFailure {
        let wish = Wish { checkpoint: true, ..Wish::default() };
        if let Err(cause) = self.write(wish).and_then(|()| self.timed(Self::settle)) {
            return self.break_off(cause);
        }
        if let Err(e) = self.record(RunStatus::Interrupted, None).write(self.folder.dir()) {
            return self.break_off(e.into());
        }
        let checkpoint = self.checkpoint.clone().expect("the writer has written one");
        RunFailure::Interrupted { time: self.simulation.time(), step: self.steps(), checkpoint }
    }

    /// Saves what can be saved of a run that failed.
    pub(super) fn break_off(&mut self, cause: Cause) -> RunFailure {
        // What the writer is about counts as written, or comes back as unwritten; why it failed adds nothing then.
        let _ = self.settle();
        let readable = self.simulation.is_readable();
        let present =
            |driver: &Self| driver.snapshot(Wish { frame: driver.frame_at != Some(driver.steps()), ..Wish::default() });
        // A state that could not be written is the one to go on from: a restart then writes what is missing.
        let snapshot = self.unwritten.take().or_else(|| readable.then(|| present(self)));
        let (mut time, mut step) = (self.simulation.time(), self.steps());
        let lost = snapshot.is_none();
        if let Some(mut snapshot) = snapshot {
            (time, step) = (snapshot.frame.time, snapshot.steps);
            (snapshot.as_checkpoint, snapshot.last) = (true, true);
            // Where files can no longer be written, that is why the run failed: there is nothing to add then.
            let _ = self.gauges.record(&self.simulation);
            self.writer.send(snapshot);
            let report = self.timed(|driver| driver.writer.wait());
            let written = report.map(|report| self.take_report(report));
            self.kept.extend(written.and_then(Result::ok).unwrap_or_default());
        } else {
            // The device took the values with it: the last checkpoint holds the last good state.
            self.kept.extend(self.checkpoint.clone());
        }
        let record = self.record(RunStatus::Failed, Some(cause.to_string()));
        let mut kept = std::mem::take(&mut self.kept);
        kept.extend(record.write(self.folder.dir()));
        RunFailure::Broken { cause: Box::new(cause), time, step, kept, lost }
    }
}
