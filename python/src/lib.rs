//! The native part of the Python package `amrclaw`: cases, runs, simulations and frames, whose values are numpy arrays without
//! copies. The interface for users is written in Python, in `package/amrclaw`.

mod arrays;
mod case;
mod catalogue;
mod errors;
mod frame;
mod functions;
mod patch_index;
mod ranks;
mod run;
mod simulation;

use amrclaw::cli::{self, Allocator};
use amrclaw::plugin;
use pyo3::prelude::*;
use std::ffi::OsString;
use std::path::PathBuf;

#[global_allocator]
static ALLOCATOR: Allocator = Allocator;

/// Obeys a command line, whose first word is the program's name, and returns the exit code. `own`: the command that starts Python with it.
#[pyfunction]
fn command(py: Python<'_>, arguments: Vec<OsString>, own: Vec<OsString>) -> u8 {
    py.detach(|| cli::main(arguments, &own))
}

/// Where what has been compiled, or cannot be kept elsewhere, is kept.
#[pyfunction]
fn cache_folder() -> PyResult<PathBuf> {
    plugin::cache_folder().map_err(|error| errors::refused(error.to_string()))
}

/// Native part of the package `amrclaw`.
#[pymodule]
mod _amrclaw {
    #[pymodule_export]
    use crate::case::{Case, run_option_names};
    #[pymodule_export]
    use crate::catalogue::{BuiltInSolver, built_in_solvers};
    #[pymodule_export]
    use crate::frame::{Frame, list_frames, read_frame, saved_page};
    #[pymodule_export]
    use crate::patch_index::PatchIndex;
    #[pymodule_export]
    use crate::ranks::is_one_of_several;
    #[pymodule_export]
    use crate::run::run;
    #[pymodule_export]
    use crate::simulation::Simulation;
    #[pymodule_export]
    use crate::{cache_folder, command};

    #[pymodule_export]
    const VERSION: &str = env!("CARGO_PKG_VERSION");
}
