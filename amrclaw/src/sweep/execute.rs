//! Takes the runs of a sweep: one after the other, or at the same time on several GPUs.

use super::child::Ended;
use super::{Launch, Plan, PlannedRun, RunResult, RunResultStatus, Summary, SweepError, check_run_folder, files};
use crate::compare::Reference;
use crate::frames::run_json::{self, RunRecord, RunStatus};
use crate::frames::{OutputError, check_output_dir};
use crate::simulation::Device;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Sender, channel};

/// A sweep: what is run, how, and where its files go.
#[derive(Clone, Debug)]
pub struct Sweep {
    /// The runs.
    pub plan: Plan,
    /// How each is started.
    pub launch: Launch,
    /// Text of the case with the overrides that all runs share.
    pub case_text: String,
    /// Numbers of the GPUs among which runs on GPUs are distributed, one run at a time on each; if empty, runs are sequential.
    pub gpus: Vec<usize>,
    /// The seed of the order of the runs.
    pub seed: u64,
    /// What the solutions are compared with, if they are.
    pub reference: Option<Reference>,
    /// Folder of the sweep's files; each run has one in it.
    pub dir: PathBuf,
}

/// A notice of a sweep's progress.
#[derive(Clone, Copy, Debug)]
pub enum Notice<'a> {
    /// Number of runs kept from an earlier attempt.
    Kept(usize),
    /// A run begins.
    Begin(&'a PlannedRun),
    /// A line of a run's progress.
    Progress(&'a str),
    /// A run has ended.
    End(&'a RunResult),
}

/// Executes all runs of a sweep in the plan's order, each on the next free GPU; with `resume`, only those that an earlier attempt did not
/// finish.
///
/// A run that fails is recorded as such, and the next one begins. The sweep's files are rewritten after each run.
///
/// # Errors
/// The folder holds a sweep and `resume` is not set, or holds the sweep of something else, or files of another program; a file
/// of the sweep itself cannot be written.
pub fn execute(sweep: &Sweep, resume: bool, watch: &mut dyn FnMut(Notice<'_>)) -> Result<Vec<RunResult>, SweepError> {
    check_output_dir(&sweep.dir).map_err(SweepError::Folder)?;
    files::check_earlier(sweep, resume)?;
    let mut results: Vec<RunResult> = if resume { earlier(sweep) } else { Vec::new() };
    let is_open = |run: &&PlannedRun| !results.iter().any(|result| result.run == **run);
    let open: Vec<&PlannedRun> = sweep.plan.runs.iter().filter(is_open).collect();
    open.iter().try_for_each(|run| check_run_folder(&sweep.dir.join(&run.folder)))?;
    std::fs::create_dir_all(&sweep.dir).map_err(OutputError::io("create", &sweep.dir))?;
    if !results.is_empty() {
        watch(Notice::Kept(results.len()));
    }
    files::write(sweep, &results, &Summary::new(&sweep.plan, &results))?;
    let (next, (told, heard)) = (AtomicUsize::new(0), channel());
    std::thread::scope(|scope| {
        // One thread per GPU takes the next run; without GPUs a single thread takes all runs.
        for gpu in gpus(sweep) {
            let (told, open, next) = (told.clone(), &open, &next);
            scope.spawn(move || take_runs(sweep, gpu, open, next, &told));
        }
        drop(told);
        for news in heard {
            match news {
                RunEvent::Begins(run) => watch(Notice::Begin(run)),
                RunEvent::Says(line) => watch(Notice::Progress(&line)),
                RunEvent::Ended(run, ended) => {
                    let Ended { status, error, record } = (*ended)?;
                    let result = RunResult { run: run.clone(), status, error, record };
                    watch(Notice::End(&result));
                    results.push(result);
                    files::write(sweep, &results, &Summary::new(&sweep.plan, &results))?;
                }
            }
        }
        Ok::<_, SweepError>(())
    })?;
    files::write(sweep, &results, &Summary::of(sweep, &results))?;
    Ok(results)
}

/// A message from a thread that executes runs.
enum RunEvent<'a> {
    Begins(&'a PlannedRun),
    Says(String),
    Ended(&'a PlannedRun, Box<Result<Ended, SweepError>>),
}

/// The GPUs among which runs are distributed; a single `None` if none are named.
fn gpus(sweep: &Sweep) -> Vec<Option<usize>> {
    if sweep.gpus.is_empty() { vec![None] } else { sweep.gpus.iter().copied().map(Some).collect() }
}

/// Executes one run after another, until there are no more or the receiver is gone.
fn take_runs<'a>(
    sweep: &Sweep,
    gpu: Option<usize>,
    runs: &[&'a PlannedRun],
    next: &AtomicUsize,
    told: &Sender<RunEvent<'a>>,
) {
    while let Some(&run) = runs.get(next.fetch_add(1, Ordering::Relaxed)) {
        let device = &sweep.plan.devices[run.device];
        let launch = match gpu.filter(|_| device != Device::Cpu.name()) {
            Some(number) => sweep.launch.on_gpu(number),
            None => sweep.launch.clone(),
        };
        if told.send(RunEvent::Begins(run)).is_err() {
            return;
        }
        let (overrides, folder) = (sweep.plan.overrides(run.setting), sweep.dir.join(&run.folder));
        let ended = launch.run(device, &overrides, &folder, &mut |line| {
            // A run continues to its end even if the receiver is gone.
            let _ = told.send(RunEvent::Says(line.to_owned()));
        });
        if told.send(RunEvent::Ended(run, Box::new(ended))).is_err() {
            return;
        }
    }
}

/// The runs of an earlier attempt that reached their end.
fn earlier(sweep: &Sweep) -> Vec<RunResult> {
    let done = |run: &PlannedRun| {
        let path = sweep.dir.join(&run.folder).join(run_json::FILE_NAME);
        let record = RunRecord::read(&path).ok().filter(|record| record.status == RunStatus::Done)?;
        Some(RunResult { run: run.clone(), status: RunResultStatus::Done, error: String::new(), record: Some(record) })
    };
    sweep.plan.runs.iter().filter_map(done).collect()
}
