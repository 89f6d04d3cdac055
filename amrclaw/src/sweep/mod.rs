//! Sweeps: one case run with many settings, on one or several devices, each run in a process and a folder of its own.
//!
//! [`Plan`] lists the runs in their order, [`execute`] executes them and updates `sweep.csv`, `sweep.json` and `report.html`
//! after each, [`Summary`] takes the medians over repeats.

mod child;
mod execute;
mod files;
mod foreign;
mod plan;
mod report;
mod result;
mod vary;

pub use child::{Ended, Launch};
pub use execute::{Notice, Sweep, execute};
pub use files::{CSV_NAME, JSON_NAME, REPORT_NAME};
pub(crate) use foreign::{check_run_folder, refuse_foreign};
pub use plan::{Plan, PlannedRun, Setting};
pub use report::page;
pub use result::{Best, Medians, RunResult, RunResultStatus, Summary};
pub use vary::Vary;

use crate::frames::{InputError, OutputError};
use std::path::PathBuf;

/// Why a sweep cannot begin or continue.
#[derive(Debug, thiserror::Error)]
pub enum SweepError {
    /// The varied keys or values are invalid.
    #[error("{0}")]
    Vary(String),
    /// The folder holds a sweep already.
    #[error("{} contains a sweep; continue it with --resume, or choose another folder with --output", .0.display())]
    Exists(PathBuf),
    /// The folder holds a sweep of another case or with other arguments.
    #[error(
        "{} contains a sweep with other {what}, whose runs cannot be compared: choose another folder with --output",
        dir.display()
    )]
    Differs {
        /// The folder.
        dir: PathBuf,
        /// What differs.
        what: &'static str,
    },
    /// A run failed on which others depend.
    #[error("{what}: {reason}")]
    Run {
        /// Which run.
        what: String,
        /// Why it failed.
        reason: String,
    },
    /// The folder cannot be written to, or a file there must not be replaced; nothing was begun.
    #[error("{}{}", .0, .0.advice())]
    Folder(OutputError),
    /// A file could not be written.
    #[error(transparent)]
    Output(#[from] OutputError),
    /// A file could not be read.
    #[error(transparent)]
    Input(#[from] InputError),
    /// The program could not be started again for a run.
    #[error("cannot start {}: {source}", program.display())]
    Start {
        /// The program.
        program: PathBuf,
        /// The operating system's reason.
        source: std::io::Error,
    },
}
