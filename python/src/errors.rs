//! The program's errors as exceptions of the package, with the same text.

use amrclaw::io::InputError;
use amrclaw::io::config::CaseErrors;
use amrclaw::simulation::{Cause, RunError, RunFailure};
use pyo3::prelude::*;

mod python {
    pyo3::import_exception!(amrclaw._errors, InputError);
    pyo3::import_exception!(amrclaw._errors, RunError);
    pyo3::import_exception!(amrclaw._errors, Interrupted);
}

/// What the user gave is wrong; nothing has been begun.
pub fn refused(message: impl ToString) -> PyErr {
    python::InputError::new_err(message.to_string())
}

/// Says in one piece why all processes of a run end.
pub fn tell(py: Python<'_>, reason: &str) {
    let write = || py.import("sys")?.getattr("stderr")?.call_method1("write", (format!("error: {reason}\n"),));
    // What cannot be shown is no reason to go on.
    let _ = write();
}

/// The work could not be brought to its end.
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
        // The solver's file is input: a panic in it is a mistake there, even if it shows only later.
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

/// A level counted from 1, as users do; an error if there are not so many.
pub fn level_index(level: usize, levels: usize) -> PyResult<usize> {
    match level.checked_sub(1) {
        Some(index) if index < levels => Ok(index),
        _ => Err(refused(format!("there is no level {level}: levels are 1 to {levels}"))),
    }
}
