//! `amrclaw run`.

use crate::Failure;
use crate::arguments::RunArguments;
use crate::progress::Display;
use crate::{logging, signals, summary, terminal};
use amrclaw::exec::ExecError;
use amrclaw::io::OutputError;
use amrclaw::simulation::{self, Cause, RunError, RunFailure, RunFiles, RunOptions};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;

pub fn run(arguments: &RunArguments) -> Result<(), Failure> {
    logging::begin(arguments.log.as_deref())?;
    let execution = &arguments.execution;
    let case = execution.load(&arguments.case, &[]).map_err(|errors| Failure::Input(errors.to_string()))?;
    if !execution.quiet {
        case.remarks.iter().for_each(|remark| note!("remark: {remark}"));
    }
    let files = RunFiles {
        dir: arguments.output.clone().unwrap_or_else(|| default_output(&arguments.case.case)),
        restart: arguments.restart.clone(),
        overwrite: arguments.overwrite,
        remark: if execution.quiet { |_| {} } else { |text| note!("remark: {text}") },
    };
    let stop = signals::stop_flag().map_err(|e| Failure::Work(format!("listening for Ctrl-C: {e}")))?;
    let mut display = Display::new(execution.quiet);
    let options = RunOptions { stop: stop.clone(), ..execution.options(arguments.device) };
    let outcome = simulation::run(&case, &options, &files, &mut |progress| {
        display.show(progress);
        if stop.load(Ordering::Relaxed) { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    display.finish();
    match outcome {
        Ok(record) => {
            if !execution.quiet {
                terminal::show(&summary::text(&record, &case, &record.dir));
            }
            Ok(())
        }
        Err(RunFailure::Refused(cause)) if matches!(*cause, Cause::Output(OutputError::Io { .. })) => {
            Err(Failure::Input(format!("{cause}\nwrite the path of a folder that can be written to: --output DIR")))
        }
        Err(RunFailure::Refused(cause)) if matches!(*cause, Cause::Run(RunError::Stopped)) => {
            Err(Failure::Work("the run was interrupted before its first step; nothing has been written".to_owned()))
        }
        Err(RunFailure::Refused(cause)) if matches!(*cause, Cause::Run(RunError::Exec(ExecError::Ranks(_)))) => {
            Err(Failure::Work(cause.to_string()))
        }
        Err(failure @ RunFailure::Refused(_)) => Err(Failure::Input(failure.to_string())),
        Err(failure @ RunFailure::Broken { .. }) if is_solvers_fault(&failure) => {
            Err(Failure::Input(failure.to_string()))
        }
        Err(failure @ RunFailure::Broken { .. }) => Err(Failure::Work(failure.to_string())),
        Err(failure @ RunFailure::Interrupted { .. }) => {
            let message = format!("{failure}\nto go on, run the same command with --restart and this file");
            Err(Failure::Work(message))
        }
    }
}

/// The solver's file is input: a panic in it is a mistake there, even if it shows only later.
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

#[cfg(test)]
mod tests {
    use super::*;

    /// Examples are told apart by their folders, other cases by their files.
    #[test]
    fn output_folders_are_named_after_cases() {
        assert_eq!(default_output(Path::new("examples/swirl/case.toml")), Path::new("output/swirl"));
        assert_eq!(default_output(Path::new("a/ring.toml")), Path::new("output/ring"));
    }
}
