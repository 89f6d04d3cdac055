//! Solvers that are loaded at run time: a user's Rust file, compiled once and kept, or a library.
//!
//! [`ChosenSolver`] is whatever solver a case asks for. The interface to a library is `riemann::plugin`.

mod build;
mod built_in;
mod chosen;
mod demand;
#[cfg(all(target_os = "linux", target_pointer_width = "64", target_endian = "little"))]
mod elf;
#[cfg(unix)]
mod ends;
mod error;
mod functions;
mod inputs;
mod inverse;
mod library;
mod source;
mod toolchain;

pub(crate) use built_in::faces;
pub(crate) use chosen::values_of;
pub use chosen::{ChosenSolver, find_solver, find_solver_with};
pub use demand::NotASolver;
pub use ends::whole_program;
pub use error::PluginError;
pub use inverse::check_primitive;

/// The folder of what has been compiled.
pub use cuda::cache::folder as cache_folder;

use cuda::cache::Hash;
use riemann::plugin::Plugin;
use source::{Mesh, Wanted};
use std::path::{Path, PathBuf};

/// Loads a solver from a `.rs` file, compiling it if it has not been compiled before, or from a library.
///
/// `announce` is called with the name of the file before it is compiled.
///
/// # Errors
/// The file is missing, does not compile, is no plugin, or one for another version of this program.
pub fn load_with(path: &Path, announce: impl FnOnce()) -> Result<Plugin, PluginError> {
    load_kept(path, announce).map(|(plugin, _)| plugin)
}

/// As [`load_with`]; returns the cached library of a `.rs` file too.
fn load_kept(path: &Path, announce: impl FnOnce()) -> Result<(Plugin, Option<PathBuf>), PluginError> {
    if is_source(path) {
        let library = build::compiled(path, None, Wanted::DEFAULT, announce)?;
        Ok((library::open(&library, path)?, Some(library)))
    } else {
        Ok((library::open(path, path)?, None))
    }
}

/// Loads a solver's file, compiled for a mesh and a precision. A library has the precisions that it was compiled for, and none
/// for mapped meshes.
///
/// # Errors
/// As for [`load_with`].
fn load_for(path: &Path, wanted: Wanted) -> Result<Plugin, PluginError> {
    if !is_source(path) && wanted.mesh == Mesh::Straight {
        return library::open(path, path);
    }
    let announce = || tracing::info!(path = %path.display(), mesh = wanted.mesh.name(), "compiling the solver");
    library::open(&build::compiled(path, None, wanted, announce)?, path)
}

/// Checks a solver's file as far as possible without running code: that it exists and contains a solver, or is a library
/// that fits this program.
///
/// # Errors
/// It is missing, damaged, holds no solver, or one for another version of this program.
pub fn inspect(path: &Path) -> Result<(), PluginError> {
    if is_source(path) { build::inspect(path) } else { library::inspect(path, path).map(drop) }
}

/// A hash of everything that a solver's file is made of: its text and all that it includes, or the bytes of a library.
///
/// # Errors
/// It cannot be read.
pub fn contents(path: &Path) -> Result<String, PluginError> {
    let hash = match is_source(path) {
        true => build::contents(path)?,
        false => Hash::new().with(std::fs::read(path).map_err(PluginError::read(path))?),
    };
    Ok(hash.digits())
}

fn is_source(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "rs")
}

/// As [`load_kept`]; logs a compilation.
fn load(path: &Path) -> Result<(Plugin, Option<PathBuf>), PluginError> {
    load_kept(path, || log_compilation(path))
}

fn log_compilation(path: &Path) {
    tracing::info!(path = %path.display(), "compiling the solver");
}
