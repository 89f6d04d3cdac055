//! `amrclaw run`.

use crate::cli::Failure;
use crate::cli::arguments::RunArguments;
use crate::cli::progress::Display;
use crate::cli::{allocator, logging, signals, summary, terminal};
use crate::exec::ExecError;
use crate::ranks::mpi::{self, JoinError, Launch};
use crate::ranks::{Communicator, DEFAULT_TIMEOUT, Mpi, Ranks};
use crate::simulation::{self, Cause, RunError, RunFailure, RunFiles, RunOptions};
use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::thread;
use std::time::Duration;

pub fn run(arguments: &RunArguments) -> Result<(), Failure> {
    logging::begin(arguments.log.as_deref())?;
    let Some(launch) = mpi::launch() else { return run_rank(arguments, None) };
    let timeout = arguments.execution.options(arguments.device).comm_timeout;
    let process = match Mpi::join(launch, timeout.map_or(DEFAULT_TIMEOUT, Duration::from_secs)) {
        Ok(process) => Arc::new(process),
        // One process needs no library.
        Err(JoinError::NoLibrary(_)) if launch.of == Some(1) => return run_rank(arguments, None),
        Err(error) => return Err(apart(launch, &error)),
    };
    allocator::name_rank(process.rank().number);
    let told = process.clone();
    let outcome = catch_unwind(AssertUnwindSafe(|| run_rank(arguments, Some(process.clone())))).unwrap_or_else(|_| {
        let message = format!("rank {} panicked; its message stands above", told.rank().number);
        told.abort(&message);
        Err(Failure::Untold(1))
    });
    // The first rank prints it before any process leaves: a launcher may end all processes when one fails.
    let outcome = outcome.map_err(|failure| match process.rank().number {
        0 => Failure::Untold(failure.tell()),
        _ => failure.untold(),
    });
    process.leave();
    outcome
}

/// The failure of a process that cannot join as a rank. Processes other than the first wait: if the first cannot join either, it reports, and
/// the launcher ends the others.
fn apart(launch: Launch, error: &JoinError) -> Failure {
    match launch.number {
        Some(number) if number > 0 => {
            thread::sleep(Duration::from_secs(2));
            Failure::Work(format!("process {number}: {error}"))
        }
        _ => Failure::Work(error.to_string()),
    }
}

/// Runs one rank, or the whole run if there are no others.
fn run_rank(arguments: &RunArguments, process: Option<Arc<Mpi>>) -> Result<(), Failure> {
    let execution = &arguments.execution;
    let is_first = process.as_ref().is_none_or(|process| process.rank().number == 0);
    let quiet = execution.quiet || !is_first;
    // Before the first signal is only noted: reading may wait for another program, as at the end of a pipe.
    let case = execution.load(&arguments.case, &[]).map_err(|errors| errors.to_string());
    let stop = signals::stop_flag().map_err(|e| Failure::Work(format!("listening for Ctrl-C: {e}")))?;
    let comm = process.map_or(Ranks::default(), |process| Ranks::new(process, stop.clone()));
    let refused = comm.first(case.as_ref().err(), |_| 0).map_err(|lost| Failure::Work(lost.to_string()))?;
    let case = case.map_err(Failure::Input)?;
    if let Some((rank, message)) = refused {
        return Err(Failure::Input(format!("rank {rank}: {message}")));
    }
    if !quiet {
        case.remarks.iter().for_each(|remark| note!("remark: {remark}"));
    }
    let files = RunFiles {
        dir: arguments.output.clone().unwrap_or_else(|| default_output(&arguments.case.case)),
        restart: arguments.restart.clone(),
        overwrite: arguments.overwrite,
        // Printed even with --quiet: the folder may differ from the one asked for.
        remark: if is_first { |text| note!("remark: {text}") } else { |_| {} },
    };
    let mut display = Display::new(quiet);
    let options = RunOptions { stop: stop.clone(), comm, ..execution.options(arguments.device) };
    let outcome = simulation::run(&case, &options, &files, &mut |progress| {
        display.show(progress);
        if stop.load(Ordering::Relaxed) { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    display.finish();
    match outcome {
        Ok(record) => {
            if !quiet {
                terminal::show(&summary::text(&record, &record.dir));
            }
            Ok(())
        }
        Err(RunFailure::Refused(cause)) if matches!(*cause, Cause::Run(RunError::Stopped)) => {
            Err(Failure::Work("the run was interrupted before its first step; nothing has been written".to_owned()))
        }
        Err(RunFailure::Refused(cause)) if matches!(*cause, Cause::Run(RunError::Exec(ExecError::Ranks(_)))) => {
            Err(Failure::Work(cause.to_string()))
        }
        Err(RunFailure::Refused(cause)) => {
            let advice = if let Cause::Output(error) = &*cause { error.advice() } else { "" };
            Err(Failure::Input(format!("{cause}{advice}")))
        }
        Err(failure @ RunFailure::Broken { .. }) if is_solvers_fault(&failure) => {
            Err(Failure::Input(failure.to_string()))
        }
        Err(failure @ RunFailure::Broken { .. }) => Err(Failure::Work(failure.to_string())),
        Err(failure @ RunFailure::Interrupted { .. }) => {
            let message = format!("{failure}\nto continue, run the same command with --restart and this file");
            Err(Failure::Work(message))
        }
    }
}

/// The solver's file is input: a panic in it is a mistake in the input, even if it occurs late.
fn is_solvers_fault(failure: &RunFailure) -> bool {
    matches!(failure, RunFailure::Broken { cause, .. } if matches!(**cause, Cause::Run(RunError::Solver(_))))
}

/// `output/` and the name of the case: that of its folder if the file is called `case.toml`, else its own.
pub fn default_output(case: &Path) -> PathBuf {
    let stem = case.file_stem().unwrap_or_default();
    let folder = || {
        let whole = std::path::absolute(case).ok()?;
        Some(whole.parent()?.file_name()?.to_owned())
    };
    let name = if stem == "case" { folder().unwrap_or_else(|| stem.to_owned()) } else { stem.to_owned() };
    Path::new("output").join(name)
}

/// As [`default_output`], with `ending` added to the folder's name.
pub fn default_folder(case: &Path, ending: &str) -> PathBuf {
    let mut dir = default_output(case).into_os_string();
    dir.push(ending);
    dir.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An example's output folder is named after its folder, that of other cases after their file.
    #[test]
    fn output_folders_are_named_after_cases() {
        assert_eq!(default_output(Path::new("examples/swirl/case.toml")), Path::new("output/swirl"));
        assert_eq!(default_output(Path::new("a/ring.toml")), Path::new("output/ring"));
    }
}
