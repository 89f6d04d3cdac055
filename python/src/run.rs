//! Running a case to its end.

use crate::case::{Case, Options, run_options};
use crate::errors;
use crate::functions::{Functions, Raised};
use crate::ranks::PythonRank;
use amrclaw::case;
use amrclaw::frames::run_json::RunRecord;
use amrclaw::ranks::{Communicator, Ranks};
use amrclaw::simulation::{self, Progress, RunFailure, RunFiles, RunOptions};
use pyo3::exceptions::PyKeyboardInterrupt;
use pyo3::prelude::*;
use std::ops::ControlFlow;
use std::panic::resume_unwind;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::Duration;

/// Interval at which Python handles signals during a step.
const SIGNAL_INTERVAL: Duration = Duration::from_millis(100);

/// Runs a case and writes its files into the folder `output`, or the next free one after it; returns the record of the run as JSON,
/// and the folder.
///
/// An exception in one of the `functions` ends the run in the step, and is raised here as one of `watch` is.
/// `watch` is called after every step of the coarsest level with time, start, end, steps, next step, levels, cells advanced
/// and seconds. An exception that it raises ends the run after the step, and is raised here with a note of the checkpoint; a signal ends
/// the run within the step. `comm` is a communicator of mpi4py whose processes are the ranks of the run.
#[pyfunction]
#[pyo3(signature = (case, output, options, functions, restart=None, overwrite=false, watch=None, comm=None))]
#[expect(clippy::too_many_arguments, reason = "they are Python's, by name")]
pub fn run(
    py: Python<'_>,
    case: &Bound<'_, Case>,
    output: PathBuf,
    options: Options<'_>,
    functions: Functions,
    restart: Option<PathBuf>,
    overwrite: bool,
    watch: Option<Py<PyAny>>,
    comm: Option<Bound<'_, PyAny>>,
) -> PyResult<(String, PathBuf)> {
    let mut options = run_options(&options)?;
    let raised = Raised::stopping(options.stop.clone());
    options.functions = functions.of(case.get(), &raised);
    let process = comm.map(|comm| PythonRank::new(&comm, options.comm_timeout)).transpose()?.map(Arc::new);
    if let Some(process) = process.clone().filter(|process| process.rank().of > 1) {
        options.comm = Ranks::new(process, options.stop.clone());
    }
    let record = run_rank(py, case, (output, restart, overwrite), &options, watch, &raised);
    process.map_or(Ok(()), |process| process.leave(py))?;
    record
}

/// Runs one rank, or the whole run if there are no others.
fn run_rank(
    py: Python<'_>,
    case: &Bound<'_, Case>,
    (dir, restart, overwrite): (PathBuf, Option<PathBuf>, bool),
    options: &RunOptions,
    watch: Option<Py<PyAny>>,
    functions: &Raised,
) -> PyResult<(String, PathBuf)> {
    let remark = |text: &str| {
        // Failure to show a remark is ignored.
        let _ = Python::attach(|py| py.import("warnings")?.getattr("warn")?.call1((text,)).map(drop));
    };
    let files = RunFiles { dir, restart, overwrite, remark };
    let case = &case.get().case;
    let (outcome, raised) = py.detach(|| run_beside(case, options, &files, watch.as_ref()));
    match (outcome, functions.take().or(raised)) {
        (Ok(record), None) => {
            Ok((serde_json::to_string(&record).expect("a record can be written as JSON"), record.dir))
        }
        (Err(failure), None) => Err(errors::from_run(failure)),
        // The run reached its end in the step in which it was to stop.
        (Ok(_), Some(exception)) => Err(exception),
        (Err(failure), Some(exception)) if exception.is_instance_of::<PyKeyboardInterrupt>(py) => {
            let failure = errors::from_run(failure);
            failure.set_cause(py, Some(exception));
            Err(failure)
        }
        (Err(failure), Some(exception)) => {
            // Before Python 3.11 exceptions have no notes: the checkpoint is then found in the folder only.
            let _ = exception.value(py).call_method1("add_note", (failure.to_string(),));
            Err(exception)
        }
    }
}

/// Runs a case on another thread, while this one, Python's, handles signals and calls `watch`. Also returns the exception that ended the
/// run.
fn run_beside(
    case: &case::Case,
    options: &RunOptions,
    files: &RunFiles,
    watch: Option<&Py<PyAny>>,
) -> (Result<RunRecord, RunFailure>, Option<PyErr>) {
    let (tell, told) = mpsc::channel::<Progress>();
    let (answer, answers) = mpsc::channel();
    thread::scope(|scope| {
        let mut hand_over = move |progress: &Progress| {
            // After an exception the receiver is gone.
            let answered = tell.send(*progress).ok().and_then(|()| answers.recv().ok());
            answered.unwrap_or(ControlFlow::Break(()))
        };
        let run = scope.spawn(move || simulation::run(case, options, files, &mut hand_over));
        let mut raised = None;
        loop {
            let progress = match told.recv_timeout(SIGNAL_INTERVAL) {
                Ok(progress) => Some(progress),
                Err(RecvTimeoutError::Timeout) => None,
                Err(RecvTimeoutError::Disconnected) => break,
            };
            if let Err(exception) = Python::attach(|py| attend(py, watch, progress.as_ref())) {
                raised = Some(exception);
                // With several ranks, the next step passes this on to all of them.
                options.stop.store(true, Ordering::Relaxed);
                break;
            }
            if progress.is_some() && answer.send(ControlFlow::Continue(())).is_err() {
                break;
            }
        }
        drop(answer);
        (run.join().unwrap_or_else(|panic| resume_unwind(panic)), raised)
    })
}

/// Lets Python handle signals, and shows progress.
fn attend(py: Python<'_>, watch: Option<&Py<PyAny>>, progress: Option<&Progress>) -> PyResult<()> {
    py.check_signals()?;
    let Some((watch, progress)) = watch.zip(progress) else { return Ok(()) };
    let Progress { time, start, end, steps, dt, levels, cells_advanced, wall_seconds, .. } = *progress;
    watch.call1(py, (time, start, end, steps, dt, levels, cells_advanced, wall_seconds)).map(drop)
}
