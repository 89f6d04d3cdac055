//! Running a case to its end.

use crate::case::{Case, Options, run_options};
use crate::errors;
use crate::ranks::PythonRank;
use amrclaw::exec::comm::{Communicator, Ranks};
use amrclaw::simulation::{self, Progress, RunFiles, RunOptions};
use pyo3::prelude::*;
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::Ordering;

/// Runs a case and writes its files into the folder `output`, or the next free one after it; returns the record of the run as JSON,
/// and the folder.
///
/// `watch` is called after every step of the coarsest level with time, start, end, steps, next step, levels, cells advanced
/// and seconds. A signal, or an exception that it raises, ends the run after the step. `comm` is a communicator of mpi4py whose
/// processes are the ranks of the run.
#[pyfunction]
#[pyo3(signature = (case, output, options, restart=None, overwrite=false, watch=None, comm=None))]
#[expect(clippy::too_many_arguments, reason = "they are Python's, by name")]
pub fn run(
    py: Python<'_>,
    case: &Bound<'_, Case>,
    output: PathBuf,
    options: Options<'_>,
    restart: Option<PathBuf>,
    overwrite: bool,
    watch: Option<Py<PyAny>>,
    comm: Option<Bound<'_, PyAny>>,
) -> PyResult<(String, PathBuf)> {
    let mut options = run_options(&options)?;
    let process = comm.map(|comm| PythonRank::new(&comm, options.comm_timeout)).transpose()?.map(Arc::new);
    if let Some(process) = process.clone().filter(|process| process.rank().of > 1) {
        options.comm = Ranks::new(process, options.stop.clone());
    }
    let record = run_rank(py, case, output, &options, restart, overwrite, watch);
    process.map_or(Ok(()), |process| process.leave(py))?;
    record
}

/// The part of one rank, or the whole run.
fn run_rank(
    py: Python<'_>,
    case: &Bound<'_, Case>,
    output: PathBuf,
    options: &RunOptions,
    restart: Option<PathBuf>,
    overwrite: bool,
    watch: Option<Py<PyAny>>,
) -> PyResult<(String, PathBuf)> {
    let remark = |text: &str| {
        // A remark that cannot be shown is no reason to stop.
        let _ = Python::attach(|py| py.import("warnings")?.getattr("warn")?.call1((text,)).map(drop));
    };
    let files = RunFiles { dir: output, restart, overwrite, remark };
    let case = &case.get().case;
    let mut raised = None;
    let mut show = |progress: &Progress| match Python::attach(|py| attend(py, watch.as_ref(), progress)) {
        Ok(()) => ControlFlow::Continue(()),
        Err(exception) => {
            raised = Some(exception);
            // Of several ranks all learn of it with the next step.
            options.stop.store(true, Ordering::Relaxed);
            ControlFlow::Break(())
        }
    };
    let outcome = py.detach(|| simulation::run(case, options, &files, &mut show));
    match (outcome, raised) {
        (Ok(record), None) => {
            Ok((serde_json::to_string(&record).expect("a record can be written as JSON"), record.dir))
        }
        (Err(failure), None) => Err(errors::from_run(failure)),
        // The run ended by itself in the very step in which it was to stop.
        (Ok(_), Some(exception)) => Err(exception),
        (Err(failure), Some(exception)) => {
            let failure = errors::from_run(failure);
            failure.set_cause(py, Some(exception));
            Err(failure)
        }
    }
}

/// Shows progress, and lets Python see to signals.
fn attend(py: Python<'_>, watch: Option<&Py<PyAny>>, progress: &Progress) -> PyResult<()> {
    py.check_signals()?;
    let Some(watch) = watch else { return Ok(()) };
    let Progress { time, start, end, steps, dt, levels, cells_advanced, wall_seconds } = *progress;
    watch.call1(py, (time, start, end, steps, dt, levels, cells_advanced, wall_seconds)).map(drop)
}
