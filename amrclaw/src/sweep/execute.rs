//! Takes the runs of a sweep one after the other.

use super::child::Ended;
use super::{Launch, Plan, PlannedRun, RunResult, RunResultStatus, Summary, SweepError, files};
use crate::io::compare::Reference;
use crate::io::run_json::{self, RunRecord, RunStatus};
use crate::io::{OutputError, check_output_dir};
use std::path::PathBuf;

/// A sweep: what is run, how, and where its files go.
#[derive(Clone, Debug)]
pub struct Sweep {
    /// The runs.
    pub plan: Plan,
    /// How each is started.
    pub launch: Launch,
    /// Text of the case with the overrides that all runs share.
    pub case_text: String,
    /// Decided the order of the runs.
    pub seed: u64,
    /// What the solutions are compared with, if they are.
    pub reference: Option<Reference>,
    /// Folder of the sweep's files; each run has one in it.
    pub dir: PathBuf,
}

/// Where a sweep stands.
#[derive(Clone, Copy, Debug)]
pub enum Notice<'a> {
    /// So many runs of an earlier attempt are kept.
    Kept(usize),
    /// A run begins.
    Begin(&'a PlannedRun),
    /// A run says where it stands.
    Progress(&'a str),
    /// A run has ended.
    End(&'a RunResult),
}

/// Takes all runs of a sweep in the plan's order; with `resume`, those that an earlier attempt did not bring to their end.
///
/// A run that fails is recorded as such, and the next one begins. After each run the sweep's files are written anew.
///
/// # Errors
/// The folder holds a sweep and `resume` is not set, or holds the sweep of something else; a file of the sweep itself
/// cannot be written.
pub fn execute(sweep: &Sweep, resume: bool, watch: &mut dyn FnMut(Notice<'_>)) -> Result<Vec<RunResult>, SweepError> {
    check_output_dir(&sweep.dir).map_err(SweepError::Folder)?;
    files::check_earlier(sweep, resume)?;
    std::fs::create_dir_all(&sweep.dir).map_err(OutputError::io("create", &sweep.dir))?;
    let mut results: Vec<RunResult> = if resume { earlier(sweep) } else { Vec::new() };
    if !results.is_empty() {
        watch(Notice::Kept(results.len()));
    }
    files::write(sweep, &results, &Summary::new(&sweep.plan, &results))?;
    for run in &sweep.plan.runs {
        if results.iter().any(|result| result.run == *run) {
            continue;
        }
        watch(Notice::Begin(run));
        let device = &sweep.plan.devices[run.device];
        let overrides = sweep.plan.overrides(run.setting);
        let folder = sweep.dir.join(&run.folder);
        let ended = sweep.launch.run(device, &overrides, &folder, &mut |line| watch(Notice::Progress(line)))?;
        let Ended { status, error, record } = ended;
        let result = RunResult { run: run.clone(), status, error, record };
        watch(Notice::End(&result));
        results.push(result);
        files::write(sweep, &results, &Summary::new(&sweep.plan, &results))?;
    }
    files::write(sweep, &results, &Summary::of(sweep, &results))?;
    Ok(results)
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
