//! Runs a case from its start, or from a checkpoint, to its end: frames and checkpoints when they are due, gauges, a record
//! of the run.
//!
//! What is wrong with the input is found before anything is written. When a run fails, its last good state and a record
//! of the failure are written.

mod checkpoints;
mod error;
mod frames;
mod gauges;
mod record;
mod schedule;

pub use error::{Cause, RunFailure};

use super::{RunError, RunOptions, Simulation};
use crate::diagnose::Phase;
use crate::io::config::Case;
use crate::io::run_json::{RunRecord, RunStatus};
use crate::io::{OutputError, check_output_dir};
use checkpoints::RunState;
use gauges::GaugeFiles;
use schedule::FrameTimes;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::time::Instant;

/// Where a run stands.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Progress {
    /// Time.
    pub time: f64,
    /// Time at the start of the run.
    pub start: f64,
    /// Time at its end.
    pub end: f64,
    /// Steps of the coarsest level so far.
    pub steps: u64,
    /// The next step of the coarsest level.
    pub dt: f64,
    /// Levels that have patches.
    pub levels: usize,
    /// Cells advanced by this process.
    pub cells_advanced: u64,
    /// Seconds since this process began the run.
    pub wall_seconds: f64,
}

/// Where a run's files are.
#[derive(Clone, Debug)]
pub struct RunFiles {
    /// Folder for the files written; made if need be.
    pub dir: PathBuf,
    /// Checkpoint to go on from.
    pub restart: Option<PathBuf>,
}

/// Runs a case. `watch` is called after every coarse step, and breaks to stop the run there; [`RunOptions::stop`] stops it
/// within a coarse step, too.
///
/// # Errors
/// [`RunFailure::Refused`] if the case, the checkpoint or the folder is wrong: nothing has been written then.
/// [`RunFailure::Broken`] if the run could not be brought to its end; [`RunFailure::Interrupted`] if it was stopped.
pub fn run(
    case: &Case,
    options: &RunOptions,
    files: &RunFiles,
    watch: &mut dyn FnMut(&Progress) -> ControlFlow<()>,
) -> Result<RunRecord, RunFailure> {
    // The one place where the dimension of a case becomes that of types; programs that call this need not be compiled for
    // each dimension.
    match case.dimension() {
        1 => run_in::<1>(case, options, files, watch),
        2 => run_in::<2>(case, options, files, watch),
        3 => run_in::<3>(case, options, files, watch),
        dimension => unreachable!("cases have 1, 2 or 3 dimensions, not {dimension}"),
    }
}

fn run_in<const D: usize>(
    case: &Case,
    options: &RunOptions,
    files: &RunFiles,
    watch: &mut dyn FnMut(&Progress) -> ControlFlow<()>,
) -> Result<RunRecord, RunFailure> {
    let mut driver =
        Driver::<D>::prepare(case, options, files).map_err(|cause| RunFailure::Refused(Box::new(cause)))?;
    match driver.advance(watch) {
        Ok(ControlFlow::Continue(())) => driver.finish(),
        Ok(ControlFlow::Break(())) => Err(driver.interrupt()),
        Err(cause) => Err(driver.break_off(cause)),
    }
}

/// A simulation with the files that it writes.
struct Driver<'a, const D: usize> {
    case: &'a Case,
    options: &'a RunOptions,
    dir: &'a Path,
    simulation: Simulation<D>,
    times: FrameTimes,
    /// Number of the next frame.
    frame_number: usize,
    /// Steps of the coarsest level at the last frame.
    frame_at: Option<u64>,
    gauges: GaugeFiles<D>,
    /// Files of this process, oldest first.
    checkpoints: Vec<PathBuf>,
    /// When the last checkpoint was written, or the run began.
    checkpoint_clock: Instant,
    totals_initial: Vec<f64>,
    /// The run goes on from a checkpoint.
    resumed: bool,
    /// Cells that had been advanced when this process took over.
    cells_before: u64,
}

impl<'a, const D: usize> Driver<'a, D> {
    /// Checks everything that can be wrong, then makes the folder.
    fn prepare(case: &'a Case, options: &'a RunOptions, files: &'a RunFiles) -> Result<Self, Cause> {
        let dir = files.dir.as_path();
        check_output_dir(dir)?;
        let mut times = FrameTimes::new(&case.output.frames, case.time.start, case.time.end);
        let (simulation, totals_initial, frame_number) = match &files.restart {
            None => {
                let simulation = Simulation::<D>::from_case(case, options)?;
                let totals = simulation.totals();
                (simulation, totals, 0)
            }
            Some(path) => {
                let (checkpoint, state): (_, RunState) = checkpoints::read::<D>(path)?;
                let simulation = Simulation::resume(case, options, &checkpoint.frame, &state.schedule)?;
                times.skip_to(simulation.time());
                (simulation, state.totals_initial, checkpoint.frame.number)
            }
        };
        std::fs::create_dir_all(dir).map_err(OutputError::io("create", dir))?;
        let resumed = files.restart.is_some();
        if !resumed {
            frames::remove_old(dir)?;
        }
        Ok(Driver {
            gauges: GaugeFiles::open(case, &simulation, dir, resumed)?,
            cells_before: simulation.counts().cells_total(),
            frame_at: None,
            checkpoints: Vec::new(),
            checkpoint_clock: Instant::now(),
            case,
            options,
            dir,
            simulation,
            times,
            frame_number,
            totals_initial,
            resumed,
        })
    }

    fn steps(&self) -> u64 {
        self.simulation.counts().levels[0].steps
    }

    /// Takes steps to the end of the run, and writes what is due on the way.
    fn advance(&mut self, watch: &mut dyn FnMut(&Progress) -> ControlFlow<()>) -> Result<ControlFlow<()>, Cause> {
        if !self.resumed && self.times.due_at_start(self.simulation.time()) {
            self.write_frame()?;
        }
        let end = self.case.time.end;
        while self.simulation.time() < end {
            if self.case.time.max_steps.is_some_and(|most| self.steps() >= most) {
                self.simulation.check_growth()?;
                self.write_last_frame()?;
                break;
            }
            match self.simulation.step_to(self.times.limit()) {
                Err(RunError::Stopped) => return Ok(ControlFlow::Break(())),
                taken => taken?,
            }
            if self.times.due(self.simulation.time(), self.steps()) {
                self.write_frame()?;
            }
            if self.checkpoint_due() {
                self.timed(Self::write_checkpoint)?;
            }
            if watch(&self.progress()).is_break() && self.simulation.time() < end {
                return Ok(ControlFlow::Break(()));
            }
        }
        Ok(ControlFlow::Continue(()))
    }

    fn progress(&self) -> Progress {
        Progress {
            time: self.simulation.time(),
            start: self.case.time.start,
            end: self.case.time.end,
            steps: self.steps(),
            dt: self.simulation.dt_next(),
            levels: self.simulation.hierarchy().num_levels(),
            cells_advanced: self.simulation.counts().cells_total() - self.cells_before,
            wall_seconds: self.simulation.stopwatch().wall_seconds(),
        }
    }

    /// Books the time of writing files.
    fn timed<T>(&mut self, write: impl FnOnce(&mut Self) -> Result<T, OutputError>) -> Result<T, OutputError> {
        let clock = Instant::now();
        let written = write(self);
        self.simulation.stopwatch_mut().book(Phase::Output, clock.elapsed());
        written
    }

    /// The record of a run that came to its end.
    fn finish(mut self) -> Result<RunRecord, RunFailure> {
        if let Err(cause) = self.finish_gauges() {
            return Err(self.break_off(cause));
        }
        let record = self.record(RunStatus::Done, None);
        match record.write(self.dir) {
            Ok(_) => Ok(record),
            Err(e) => Err(self.break_off(e.into())),
        }
    }

    /// Writes the gauges' last rows, that of the final state included.
    fn finish_gauges(&mut self) -> Result<(), Cause> {
        self.simulation.record_present_state()?;
        Ok(self.gauges.record(&self.simulation)?)
    }

    /// Leaves a checkpoint and a record of a run that was stopped.
    fn interrupt(&mut self) -> RunFailure {
        let checkpoint = match self.timed(Self::write_checkpoint) {
            Ok(checkpoint) => checkpoint,
            Err(e) => return self.break_off(e.into()),
        };
        if let Err(e) = self.record(RunStatus::Interrupted, None).write(self.dir) {
            return self.break_off(e.into());
        }
        RunFailure::Interrupted { time: self.simulation.time(), step: self.steps(), checkpoint }
    }

    /// Saves what can be saved of a run that failed.
    fn break_off(&mut self, cause: Cause) -> RunFailure {
        let mut kept = Vec::new();
        let lost = !self.simulation.is_readable();
        if !lost {
            // Where files can no longer be written, that is why the run failed: there is nothing to add then.
            kept.extend(self.write_last_frame().unwrap_or_default());
            kept.extend(self.write_checkpoint());
        } else {
            // The device took the values with it: the last checkpoint holds the last good state.
            kept.extend(self.checkpoints.last().cloned());
        }
        let record = self.record(RunStatus::Failed, Some(cause.to_string()));
        kept.extend(record.write(self.dir));
        RunFailure::Broken { cause: Box::new(cause), time: self.simulation.time(), step: self.steps(), kept, lost }
    }
}
