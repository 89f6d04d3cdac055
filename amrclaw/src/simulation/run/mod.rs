// tidy: long because the driver of a run and its loop stand together.
//! Runs a case from its start, or from a checkpoint, to its end: frames and checkpoints when they are due, gauges, a record
//! of the run.
//!
//! Errors of the input are found before anything is written or removed. Frames and checkpoints are written by a separate thread
//! (`writer`) while the run continues. When a run fails, its last good state and a record of the failure are written.

mod checkpoints;
mod content;
mod error;
mod forces;
mod frames;
mod gauges;
mod output;
mod ranks;
mod record;
mod remote_values;
mod schedule;
mod serve;
mod snapshot;
mod worker;
mod writer;

pub use error::{Cause, RunFailure};

use super::monitors::Monitors;
use super::{RunError, RunOptions, Simulation, StepLimit};
use crate::case::Case;
use crate::exec::ExecError;
use crate::frames::run_json::{self, RunRecord, RunStatus};
use crate::frames::steps::{self, StepsWriter};
use crate::frames::{ExistingFiles, RunFolder, check_output_dir};
use crate::index::in_dimensions;
use crate::threads::in_pool;
use forces::ForceFiles;
use gauges::GaugeFiles;
use output::{Live, WriteRequest};
use ranks::{agreed, broadcast_from_first};
use schedule::FrameTimes;
use snapshot::{Files, Snapshot};
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;
use tracing::info;
use writer::Writer;

/// The progress of a run.
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
    /// What limits it.
    pub dt_limit: StepLimit,
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
    /// Folder for the files written; created if necessary. If it holds files of an earlier run, or another run is writing there, the
    /// folder is `DIR_2`, `DIR_3`, … instead: see [`RunRecord::dir`].
    pub dir: PathBuf,
    /// Checkpoint to restart from. In the checkpoint's own folder the run adds its files to those already there.
    pub restart: Option<PathBuf>,
    /// Replace the files of an earlier run in `dir`.
    pub overwrite: bool,
    /// Called with messages for the user before the run begins.
    pub remark: fn(&str),
}

impl RunFiles {
    /// A run from its start into a folder, without messages.
    pub fn new(dir: impl Into<PathBuf>) -> Self {
        RunFiles { dir: dir.into(), restart: None, overwrite: false, remark: |_| {} }
    }

    /// What to do if the folder has files of another run; `next_frame` is the number of the next frame.
    fn in_use(&self, next_frame: usize) -> ExistingFiles {
        let goes_on = |checkpoint: &PathBuf| {
            let folder = checkpoint.canonicalize().ok()?.parent()?.to_owned();
            Some(folder == self.dir.canonicalize().ok()?)
        };
        match &self.restart {
            Some(checkpoint) if goes_on(checkpoint) == Some(true) => ExistingFiles::Continue { next_frame },
            _ if self.overwrite => ExistingFiles::Replace,
            _ => ExistingFiles::UseNextFolder,
        }
    }
}

/// A callback for a run's progress, called after every step of the coarsest level on one of the run's threads; it breaks to stop the run.
pub type Watch<'a> = dyn FnMut(&Progress) -> ControlFlow<()> + Send + 'a;

/// Runs a case. `watch` may stop it between two steps of the coarsest level; [`RunOptions::stop`] stops it within one, too.
///
/// # Errors
/// [`RunFailure::Refused`] if the case, the checkpoint or the folder is wrong: nothing has been written then.
/// [`RunFailure::Broken`] if the run could not be brought to its end; [`RunFailure::Interrupted`] if it was stopped.
pub fn run(
    case: &Case,
    options: &RunOptions,
    files: &RunFiles,
    watch: &mut Watch<'_>,
) -> Result<RunRecord, RunFailure> {
    let options = &options.settled();
    let job = Job { case, options, files };
    if !options.comm.is_solo() {
        let outcome = if options.ranks.is_none_or(|ranks| ranks == 1) {
            Ok(())
        } else {
            let message = "a launcher has already started several ranks: leave --ranks out".to_owned();
            Err(Cause::RemoteValues { rank: options.comm.rank().number, message })
        };
        agreed(&options.comm, outcome).map_err(|cause| RunFailure::Refused(Box::new(cause)))?;
        return run_case(job, watch);
    }
    match options.num_ranks() {
        Ok(1) => run_case(job, watch),
        Ok(ranks) => ranks::run_on_threads(job, ranks, watch),
        Err(message) => {
            let error = RunError::from(ExecError::Device(message));
            Err(RunFailure::Refused(Box::new(error.into())))
        }
    }
}

/// What a rank runs.
#[derive(Clone, Copy)]
struct Job<'a> {
    case: &'a Case,
    options: &'a RunOptions,
    files: &'a RunFiles,
}

/// Runs one rank.
fn run_case(job: Job<'_>, watch: &mut Watch<'_>) -> Result<RunRecord, RunFailure> {
    // The only place where the dimension of a case becomes a const parameter; callers need not be compiled for each
    // dimension.
    in_dimensions!(job.case.dimension(), D => run_in::<D>(job, watch))
}

fn run_in<const D: usize>(job: Job<'_>, watch: &mut Watch<'_>) -> Result<RunRecord, RunFailure> {
    let alike = ranks::check_alike(job);
    let prepared = alike.and_then(|()| agreed(&job.options.comm, Driver::<D>::prepare(job)));
    let mut driver = prepared.map_err(|cause| RunFailure::Refused(Box::new(cause)))?;
    // All steps run on one thread of the pool: otherwise each step would wait until a pool thread wakes up.
    let threads = driver.simulation.crew.threads.clone();
    match in_pool(&threads, || driver.advance(watch)) {
        Ok(ControlFlow::Continue(())) => driver.finish(),
        Ok(ControlFlow::Break(())) => Err(driver.interrupt()),
        Err(cause) => Err(driver.fail(cause)),
    }
}

/// A simulation with the files that it writes.
struct Driver<'a, const D: usize> {
    case: &'a Case,
    options: &'a RunOptions,
    simulation: Simulation<D>,
    times: FrameTimes,
    /// The state at the start is a frame.
    begins_with_frame: bool,
    /// Number of the next frame.
    frame_number: usize,
    /// Steps of the coarsest level at the last frame.
    frame_at: Option<u64>,
    /// Open on the first rank only.
    files: Option<OpenFiles<D>>,
    /// Seconds that the writer has worked.
    writer_seconds: f64,
    /// The snapshot that the writer could not write.
    unwritten: Option<Box<Snapshot<D>>>,
    /// Files to list if the run fails.
    kept: Vec<PathBuf>,
    /// The last one of this process.
    checkpoint: Option<PathBuf>,
    /// When the last checkpoint was due, or the run began.
    checkpoint_clock: Instant,
    live: Live,
    totals_initial: Vec<f64>,
    /// The key that has ended the run before its time.
    stopped_by: Option<&'static str>,
    /// Cells that had been advanced when this process took over.
    cells_before: u64,
    /// The folder of the files.
    dir: PathBuf,
}

/// What all ranks do after a step.
struct Due {
    /// Write a checkpoint.
    checkpoint: bool,
    /// Stop here.
    ends: bool,
    /// Replace the file of the present state.
    live: bool,
}

/// The files of a run, open.
struct OpenFiles<const D: usize> {
    gauges: GaugeFiles<D>,
    forces: ForceFiles<D>,
    /// From the beginning of the run on.
    steps: Option<StepsWriter>,
    writer: Writer<D>,
    /// The lock on the folder; declared after the writer, so that the writer is dropped first.
    folder: Arc<RunFolder>,
}

impl<const D: usize> OpenFiles<D> {
    /// Opens all files. `next_frame` is the number of the next frame.
    fn open(case: &Case, files: &RunFiles, simulation: &Simulation<D>, next_frame: usize) -> Result<Self, Cause> {
        let existing = files.in_use(next_frame);
        let goes_on = matches!(existing, ExistingFiles::Continue { .. });
        let folder = Arc::new(RunFolder::claim(&files.dir, existing)?);
        let gauges = GaugeFiles::open(case, simulation, folder.dir(), goes_on)?;
        let forces = ForceFiles::open(case, simulation, folder.dir(), goes_on)?;
        let steps = simulation.counts().levels[0].steps;
        let earlier = if goes_on { folder.checkpoints()? } else { Vec::new() };
        let writer = Files::new(case, folder.clone(), (earlier, steps), simulation.crew.threads.current_num_threads())
            .start()?;
        if folder.dir() != files.dir {
            let (named, taken) = (files.dir.display(), folder.dir().display());
            (files.remark)(&format!("{named} contains files of another run; this run writes to {taken}"));
        }
        Ok(OpenFiles { gauges, forces, steps: None, writer, folder })
    }

    /// Prepares the folder, and gives the series' files their final names. `resumed`: the step after which the run goes on in its folder.
    fn begin(&mut self, resumed: Option<u64>, monitors: &[String]) -> Result<(), Cause> {
        self.folder.begin()?;
        let once = [run_json::FILE_NAME, steps::FILE_NAME].map(str::to_owned).to_vec();
        self.folder.announce(&[self.gauges.names(), self.forces.names(), monitors.to_vec(), once].concat())?;
        self.steps = Some(StepsWriter::open(self.folder.dir(), resumed)?);
        self.forces.show()?;
        Ok(self.gauges.show()?)
    }
}

impl<'a, const D: usize> Driver<'a, D> {
    /// Checks everything that can be wrong and opens all files.
    fn prepare(Job { case, options, files }: Job<'a>) -> Result<Self, Cause> {
        let is_first = options.comm.is_first();
        agreed(&options.comm, if is_first { check_output_dir(&files.dir).map_err(Cause::from) } else { Ok(()) })?;
        let mut times = FrameTimes::new(&case.output.frames, case.time.start, case.time.end);
        let (mut simulation, totals_initial, frame_number, begins_with_frame, monitors) = match &files.restart {
            None => {
                let simulation = Simulation::<D>::builder(case).options(options).build()?;
                let (totals, due) = (simulation.totals(), times.due_at_start(simulation.time()));
                (simulation, totals, 0, due, Vec::new())
            }
            Some(path) if !options.comm.is_solo() => {
                let opened = checkpoints::open::<D>(path).map_err(Cause::from);
                let (stored, state) = agreed(&options.comm, opened)?;
                ranks::check_same_checkpoint(&options.comm, &stored)?;
                let frame = &stored.outline.frame;
                checkpoints::check_time(case, frame.time)?;
                let resumed = Simulation::builder(case).options(options).resume_from(frame, &stored, &state.schedule);
                let simulation = agreed(&options.comm, resumed.map_err(Cause::from))?;
                checkpoints::check_whole(&options.comm, &stored)?;
                times.skip_to(simulation.time());
                (simulation, state.totals_initial, frame.number, state.frame_due, state.monitors)
            }
            Some(path) => {
                let (checkpoint, state) = checkpoints::read::<D>(path)?;
                checkpoints::check_time(case, checkpoint.frame.time)?;
                let simulation = Simulation::builder(case).options(options);
                let simulation = simulation.resume(&checkpoint.frame, &state.schedule)?;
                times.skip_to(simulation.time());
                (simulation, state.totals_initial, checkpoint.frame.number, state.frame_due, state.monitors)
            }
        };
        simulation.monitors = Monitors::new(case, &simulation, &monitors)?;
        let open = || OpenFiles::open(case, files, &simulation, frame_number);
        let mut open_files = agreed(&options.comm, is_first.then(open).transpose())?;
        let goes_on = matches!(files.in_use(frame_number), ExistingFiles::Continue { .. });
        let resumed = goes_on.then(|| simulation.counts().levels[0].steps);
        open_files.as_mut().map_or(Ok(()), |files| files.begin(resumed, &simulation.monitors.names()))?;
        let driver = Driver {
            dir: open_files.as_ref().map_or(&*files.dir, |files| files.folder.dir()).to_owned(),
            cells_before: simulation.counts().cells_total(),
            case,
            options,
            simulation,
            times,
            begins_with_frame,
            frame_number,
            frame_at: None,
            files: open_files,
            writer_seconds: 0.0,
            unwritten: None,
            kept: Vec::new(),
            checkpoint: None,
            checkpoint_clock: Instant::now(),
            live: Live { since: Instant::now(), cost: 0.0 },
            totals_initial,
            stopped_by: None,
        };
        driver.write_record(RunStatus::Running, None)?;
        Ok(driver)
    }

    fn steps(&self) -> u64 {
        self.simulation.counts().levels[0].steps
    }

    /// Takes steps to the end of the run, and writes frames and checkpoints when they are due.
    fn advance(&mut self, watch: &mut Watch<'_>) -> Result<ControlFlow<()>, Cause> {
        if self.begins_with_frame {
            self.write(WriteRequest { frame: true, due: true, ..WriteRequest::default() })?;
        }
        self.record_forces(false)?;
        self.simulation.look(false)?;
        let end = self.case.time.end;
        while self.simulation.time() < end {
            if self.case.time.max_steps.is_some_and(|most| self.steps() >= most) {
                self.end_early("time.max_steps")?;
                break;
            }
            let before = self.simulation.time();
            self.simulation.keep_for_look();
            match self.simulation.step_to(self.times.limit()) {
                Err(RunError::Stopped) => return Ok(ControlFlow::Break(())),
                taken => taken?,
            }
            let is_due = self.times.due(self.simulation.time(), self.steps());
            self.record_step(before, is_due);
            self.record_forces(false)?;
            self.simulation.look(false)?;
            let Due { checkpoint, ends, live } = self.decide(watch)?;
            let wish = WriteRequest { frame: is_due, due: is_due, checkpoint, live: false };
            if wish.frame || wish.checkpoint {
                self.write(wish)?;
            } else if live {
                self.write_live()?;
            }
            if self.simulation.time() < end && self.simulation.stops()? {
                info!(time = self.simulation.time(), steps = self.steps(), "time.stop_when holds: the run ends");
                self.end_early("time.stop_when")?;
                break;
            }
            let taken = self.simulation.time() - before;
            if self.simulation.is_steady(taken) && self.simulation.time() < end {
                self.end_early("scheme.steady")?;
                break;
            }
            if ends && self.simulation.time() < end {
                return Ok(ControlFlow::Break(()));
            }
        }
        Ok(ControlFlow::Continue(()))
    }

    /// Ends the run before its time, because of a key of the case, with a frame.
    fn end_early(&mut self, key: &'static str) -> Result<(), Cause> {
        self.stopped_by = Some(key);
        self.simulation.check_growth()?;
        self.write_last_frame()
    }

    /// With several ranks the first rank's clock and `watch` decide.
    fn decide(&mut self, watch: &mut Watch<'_>) -> Result<Due, Cause> {
        let heard = self.listen();
        agreed(&self.options.comm, heard)?;
        let ends = watch(&self.progress()).is_break();
        let said = [self.checkpoint_due(), ends, self.live_is_due()].map(u64::from);
        let said = broadcast_from_first(&self.options.comm, said[0] | said[1] << 1 | said[2] << 2)?;
        Ok(Due { checkpoint: said & 1 != 0, ends: said & 2 != 0, live: said & 4 != 0 })
    }

    fn progress(&self) -> Progress {
        Progress {
            time: self.simulation.time(),
            start: self.case.time.start,
            end: self.case.time.end,
            steps: self.steps(),
            dt: self.simulation.dt_next(),
            dt_limit: self.simulation.dt_limit(),
            levels: self.simulation.hierarchy().num_levels(),
            cells_advanced: self.simulation.counts().cells_total() - self.cells_before,
            wall_seconds: self.simulation.stopwatch().wall_seconds(),
        }
    }

    /// Finishes a run that reached its end, and returns its record.
    fn finish(mut self) -> Result<RunRecord, RunFailure> {
        if let Err(cause) = self.finish_files() {
            return Err(self.fail(cause));
        }
        self.write_record(RunStatus::Done, None).map_err(|cause| self.fail(cause))
    }

    /// Writes the gauges' last rows, that of the final state included, and waits for the last frame.
    fn finish_files(&mut self) -> Result<(), Cause> {
        self.simulation.record_present_state()?;
        self.record_forces(true)?;
        self.simulation.look(true)?;
        let monitored = self.write_monitors(false);
        agreed(&self.options.comm, monitored)?;
        // The record contains totals.
        self.simulation.renew_aux()?;
        let recorded = self.record_gauges();
        let settled = self.timed(Self::settle);
        agreed(&self.options.comm, recorded.and(settled))
    }
}
