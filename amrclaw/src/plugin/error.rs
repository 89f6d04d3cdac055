//! Why a solver cannot be loaded.

use cuda::cache::CacheError;
use riemann::plugin::LoadError;
use std::path::{Path, PathBuf};
use thiserror::Error;

/// Why a solver cannot be loaded.
#[derive(Debug, Error)]
pub enum PluginError {
    /// The file cannot be read.
    #[error("cannot read {}: {source}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// What the system says.
        source: std::io::Error,
    },
    /// A cached file cannot be written, found or removed.
    #[error("cannot {action} {}: {source}", path.display())]
    Io {
        /// `write`, `remove`, …
        action: &'static str,
        /// The file.
        path: PathBuf,
        /// What the system says.
        source: std::io::Error,
    },
    /// There is no compiler.
    #[error("{program} cannot be run: {source}")]
    NoToolchain {
        /// `cargo` or `rustc`.
        program: &'static str,
        /// What the system says.
        source: std::io::Error,
    },
    /// There is no usable cache folder.
    #[error(transparent)]
    Cache(#[from] CacheError),
    /// The file has no solver.
    #[error("{} holds no solver: no `#[riemann::solver(...)]` stands before a struct", path.display())]
    NoSolver {
        /// The file.
        path: PathBuf,
    },
    /// The file does not compile.
    #[error("{} does not compile:\n{}", path.display(), text.trim_end())]
    Compile {
        /// The file.
        path: PathBuf,
        /// What the compiler says.
        text: String,
    },
    /// The file, or one that it includes, is being written.
    #[error("{} changes, or a file that it includes does, while it is compiled", path.display())]
    Changing {
        /// The file.
        path: PathBuf,
    },
    /// The library cannot be loaded.
    #[error("{} cannot be loaded: {message}", path.display())]
    Library {
        /// The file.
        path: PathBuf,
        /// What the system says.
        message: String,
    },
    /// The library has no entry.
    #[error("{} is a library, but not a solver's: it has no `{}`", path.display(), riemann::plugin::ENTRY)]
    NotAPlugin {
        /// The file.
        path: PathBuf,
    },
    /// The library is a plugin of an old version, which cannot be read from the file.
    #[error("{} was built for an older version of this program: it has no `{}`", path.display(), riemann::plugin::STATEMENT)]
    Older {
        /// The file.
        path: PathBuf,
    },
    /// The library does not fit this program, or its solver cannot be made.
    #[error("{}: {source}", path.display())]
    Unfit {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        source: LoadError,
    },
}

impl PluginError {
    /// What the user can do.
    pub fn help(&self) -> &'static str {
        match self {
            PluginError::Read { .. } => "write the path of a solver's file, `.rs` or a compiled library",
            PluginError::Io { .. } => "name a folder that can be written to in AMRCLAW_CACHE",
            PluginError::NoToolchain { .. } => {
                "install Rust (https://rustup.rs), so that `cargo` and `rustc` are in PATH; or, where they are, run \
                 `amrclaw solver prepare CASE.toml` with the same cache folder; or give a compiled library"
            }
            PluginError::Cache(CacheError::NoFolder) => "set AMRCLAW_CACHE to a folder",
            PluginError::Cache(CacheError::Io { .. }) => "name a folder that can be written to in AMRCLAW_CACHE",
            PluginError::Cache(CacheError::Unsafe { .. }) => {
                "its files are loaded and run: `chmod 700` it if it is yours alone, or name another in AMRCLAW_CACHE"
            }
            PluginError::NoSolver { .. } => "`amrclaw solver new NAME` writes a file to start from",
            PluginError::Compile { .. } => "correct the file; docs/solver-guide.md explains what a solver provides",
            PluginError::Changing { .. } => "try again when its files are no longer written",
            PluginError::Library { .. } | PluginError::NotAPlugin { .. } => {
                "write the path of a solver's `.rs` file, or of a library made with `riemann::plugin!`"
            }
            PluginError::Unfit { source: LoadError::Panicked(_), .. } => "correct the solver, or its parameters",
            PluginError::Unfit { .. } | PluginError::Older { .. } => {
                "build the solver again for this program, or give its `.rs` file"
            }
        }
    }

    pub(super) fn read(path: &Path) -> impl FnOnce(std::io::Error) -> Self + use<> {
        let path = path.to_owned();
        move |source| PluginError::Read { path, source }
    }

    pub(super) fn io(action: &'static str, path: &Path) -> impl FnOnce(std::io::Error) -> Self + use<> {
        let path = path.to_owned();
        move |source| PluginError::Io { action, path, source }
    }
}
