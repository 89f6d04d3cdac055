//! Solvers that are loaded at run time: a user's Rust file, compiled once and kept, or a library.
//!
//! [`load`] takes either; [`ChosenSolver`] is whatever solver a case asks for. The interface to the library is
//! `riemann::plugin`.

mod build;
mod cache;
mod chosen;
mod error;
mod functions;
mod library;
mod source;
mod toolchain;

pub use chosen::{ChosenSolver, find_solver};
pub use error::PluginError;

use riemann::plugin::Plugin;
use std::path::Path;

/// Loads a solver from a `.rs` file, compiling it if it has not been compiled before, or from a library.
///
/// `announce` is called with the name of the file before it is compiled.
///
/// # Errors
/// The file is missing, does not compile, is no plugin, or one for another version of this program.
pub fn load_with(path: &Path, announce: impl FnOnce()) -> Result<Plugin, PluginError> {
    if path.extension().is_some_and(|extension| extension == "rs") {
        library::open(&build::compiled(path, announce)?, path)
    } else {
        library::open(path, path)
    }
}

/// As [`load_with`], noting a compilation in the log.
///
/// # Errors
/// Likewise.
pub fn load(path: &Path) -> Result<Plugin, PluginError> {
    load_with(path, || tracing::info!(path = %path.display(), "compiling the solver"))
}
