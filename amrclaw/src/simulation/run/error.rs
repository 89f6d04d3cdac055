//! Errors of a run.

use crate::frames::{InputError, OutputError};
use crate::simulation::RunError;
use std::path::PathBuf;
use thiserror::Error;

/// Why a run did not begin, or did not reach its end.
#[derive(Debug, Error)]
pub enum Cause {
    /// The case, or the solution.
    #[error(transparent)]
    Run(#[from] RunError),
    /// A file could not be written.
    #[error(transparent)]
    Output(#[from] OutputError),
    /// Another rank failed.
    #[error("rank {rank}: {message}")]
    RemoteValues {
        /// The rank.
        rank: usize,
        /// Its error message.
        message: String,
    },
    /// A file could not be read.
    #[error(transparent)]
    Input(#[from] InputError),
}

/// A run that did not reach its end.
#[derive(Debug, Error)]
pub enum RunFailure {
    /// The input is wrong: nothing was begun, nothing written.
    #[error("{0}")]
    Refused(Box<Cause>),
    /// The run began and failed.
    #[error("the run failed after step {step}, t = {time}: {cause}{}", kept_text(kept, *lost))]
    Broken {
        /// Why.
        cause: Box<Cause>,
        /// Time of the last good state.
        time: f64,
        /// Steps of the coarsest level taken.
        step: u64,
        /// Files that hold the last good state, and the record of the run.
        kept: Vec<PathBuf>,
        /// The values were lost with their device, or with a rank: the last checkpoint, if there is one, is the last good state.
        lost: bool,
    },
    /// The user stopped the run.
    #[error(
        "the run was interrupted after step {step}, t = {time}; its checkpoint:\n  {}",
        checkpoint.display()
    )]
    Interrupted {
        /// Time of the state.
        time: f64,
        /// Steps of the coarsest level taken.
        step: u64,
        /// The checkpoint that holds it.
        checkpoint: PathBuf,
    },
}

fn kept_text(kept: &[PathBuf], lost: bool) -> String {
    let what = match (lost, kept) {
        (false, []) => return String::new(),
        (false, _) => "the last good state and the record of the run:",
        (true, [] | [_]) => "the values were lost before the first checkpoint; the record of the run:",
        (true, _) => "the values were lost; its last checkpoint and the record of the run:",
    };
    let files: String = kept.iter().map(|path| format!("\n  {}", path.display())).collect();
    format!("\n{what}{files}")
}
