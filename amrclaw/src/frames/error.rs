//! What can go wrong with files, always with the file's name.

use std::io;
use std::path::{Path, PathBuf};

/// A file could not be written.
#[derive(Debug, thiserror::Error)]
pub enum OutputError {
    /// The operating system refused: disk full, not writable, no such folder, ...
    #[error("cannot {action} {}: {source}", path.display())]
    Io {
        /// What was tried: "write", "create", "rename", ...
        action: &'static str,
        /// The file or folder.
        path: PathBuf,
        /// The operating system's reason.
        source: io::Error,
    },
    /// The frame cannot be stored in the format asked for.
    #[error("cannot write {}: {reason}", path.display())]
    Unsupported {
        /// The file that would have been written.
        path: PathBuf,
        /// Why not, and what to use instead.
        reason: String,
    },
    /// Another run writes to the folder.
    #[error("another run is writing to {}; wait until it ends, or choose another folder with --output", .0.display())]
    Busy(PathBuf),
    /// A file of another program is where one of the run's files would go.
    #[error(
        "{} already exists, but no earlier run wrote it: move it away, or choose another folder with --output",
        .0.display()
    )]
    Foreign(PathBuf),
    /// There is no free folder of that name.
    #[error("{} and all folders numbered after it are in use; choose another folder with --output", .0.display())]
    ExistingFiles(PathBuf),
    /// A file to be continued is not what it should be.
    #[error(transparent)]
    Input(#[from] InputError),
}

impl OutputError {
    /// Wraps the operating system's error with what was tried and on which file.
    pub fn io(action: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self {
        move |source| OutputError::Io { action, path: path.to_owned(), source }
    }

    /// What to do about it, on a line of its own; empty where the message says it.
    pub fn advice(&self) -> &'static str {
        match self {
            OutputError::Io { source, .. } if is_limit_of_files(source) => {
                "\nallow more open files, for example by `ulimit -n 8192`: each gauge keeps one open"
            }
            OutputError::Io { .. } => "\nchoose a writable folder with --output DIR",
            _ => "",
        }
    }
}

/// True if the process, or the system, has as many files open as it may.
fn is_limit_of_files(error: &io::Error) -> bool {
    #[cfg(unix)]
    return matches!(error.raw_os_error(), Some(libc::EMFILE | libc::ENFILE));
    #[cfg(not(unix))]
    return false;
}

/// A file could not be read back.
#[derive(Debug, thiserror::Error)]
pub enum InputError {
    /// The operating system refused.
    #[error("cannot read {}: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// The operating system's reason.
        source: io::Error,
    },
    /// The file is of another kind.
    #[error("{} is not {expected}: {reason}", path.display())]
    Kind {
        /// The file.
        path: PathBuf,
        /// What it should be, with its article: "a checkpoint".
        expected: &'static str,
        /// What is missing.
        reason: String,
    },
    /// The file is of the right kind, but was written by another version of this program.
    #[error("{} has format version {found}, but this program reads version {expected}", path.display())]
    Version {
        /// The file.
        path: PathBuf,
        /// The version that the file states.
        found: i64,
        /// The version that this program writes and reads.
        expected: i64,
    },
    /// The file holds a problem of another dimension than the one asked for.
    #[error("{} holds a {found}D solution, not a {expected}D one", path.display())]
    Dimension {
        /// The file.
        path: PathBuf,
        /// The file's dimension.
        found: usize,
        /// The dimension asked for.
        expected: usize,
    },
    /// The file is cut off or otherwise damaged.
    #[error("{} is damaged or truncated: {reason}", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What does not fit.
        reason: String,
    },
}

impl InputError {
    /// Wraps the operating system's error with the file's name.
    pub fn io(path: &Path) -> impl FnOnce(io::Error) -> Self {
        move |source| InputError::Io { path: path.to_owned(), source }
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    /// Another folder does not help where too many files are open.
    #[test]
    fn advice_depends_on_the_systems_reason() {
        let refused = |reason| OutputError::io("write", Path::new("gauge_a.csv"))(io::Error::from_raw_os_error(reason));
        assert!(refused(libc::EMFILE).advice().contains("ulimit -n"));
        assert!(refused(libc::EACCES).advice().contains("--output"));
    }
}
