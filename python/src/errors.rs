//! The program's errors as exceptions of the package, with the same text.

use amrclaw::case::CaseErrors;
use amrclaw::frames::InputError;
use amrclaw::simulation::{Cause, RunError, RunFailure};
use pyo3::prelude::*;

mod python {
    pyo3::import_exception!(amrclaw._errors, InputError);
    pyo3::import_exception!(amrclaw._errors, RunError);
    pyo3::import_exception!(amrclaw._errors, Interrupted);
}

/// The input is wrong, and nothing has been started.
pub fn refused(message: impl ToString) -> PyErr {
    python::InputError::new_err(message.to_string())
}

/// Prints, in one write, why all processes of a run end.
pub fn tell(py: Python<'_>, reason: &str) {
    let write = || py.import("sys")?.getattr("stderr")?.call_method1("write", (format!("error: {reason}\n"),));
    // Failure to print is ignored: the processes end in any case.
    let _ = write();
}

/// The work was started and failed.
pub fn broken(message: impl ToString) -> PyErr {
    python::RunError::new_err(message.to_string())
}

pub fn from_case(errors: CaseErrors) -> PyErr {
    refused(errors)
}

pub fn from_file(error: InputError) -> PyErr {
    refused(error)
}

pub fn from_step(error: RunError) -> PyErr {
    match error {
        // The solver's file is input: a panic in it is a mistake in the input, even if it occurs late.
        RunError::Case(_) | RunError::Solver(_) => refused(error),
        _ => broken(error),
    }
}

pub fn from_run(failure: RunFailure) -> PyErr {
    match failure {
        RunFailure::Refused(_) => refused(failure),
        RunFailure::Interrupted { ref checkpoint, .. } => {
            python::Interrupted::new_err((failure.to_string(), checkpoint.display().to_string()))
        }
        RunFailure::Broken { ref cause, .. } => match **cause {
            Cause::Run(RunError::Solver(_)) => refused(failure),
            _ => broken(failure),
        },
    }
}

/// The index of a level that users count from 1; an error if it does not exist.
pub fn level_index(level: usize, levels: usize) -> PyResult<usize> {
    match level.checked_sub(1) {
        Some(index) if index < levels => Ok(index),
        _ => Err(refused(format!("there is no level {level}: levels are 1 to {levels}"))),
    }
}
