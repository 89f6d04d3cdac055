//! Why a run cannot begin or go on.

use crate::exec::ExecError;
use crate::index::Level;
use crate::io::config::CaseErrors;
use thiserror::Error;

/// Why a simulation stopped.
#[derive(Debug, Error)]
pub enum RunError {
    /// The case is wrong: nothing was begun.
    #[error("{0}")]
    Case(#[from] CaseErrors),
    /// The Courant number stayed above its limit.
    #[error(
        "Courant number {courant:.3} > {limit:.3} on level {level}, patch {patch}, t = {time}, step {dt:e}{}",
        tries_text(*tries)
    )]
    Courant {
        /// The Courant number.
        courant: f64,
        /// Its limit, `cfl_max`.
        limit: f64,
        /// Level.
        level: Level,
        /// Patch within the level, from 0.
        patch: usize,
        /// Time at which the level's step began.
        time: f64,
        /// The level's step.
        dt: f64,
        /// How often the coarse step had been tried.
        tries: u32,
    },
    /// The executor could not go on.
    #[error("{0}")]
    Exec(#[from] ExecError),
    /// The patches of a checkpoint are not those of a mesh.
    #[error("the checkpoint is damaged: the patches of its level {level} make no mesh")]
    Damaged {
        /// Level.
        level: Level,
    },
    /// The step became so small that time stands still.
    #[error("the time step {dt:e} is too small to advance t = {time}")]
    StepTooSmall {
        /// The step.
        dt: f64,
        /// The time.
        time: f64,
    },
    /// The solver itself failed.
    #[error("the solver panicked: {0}")]
    Solver(String),
    /// Threads could not be started.
    #[error("starting {threads} threads: {message}")]
    Threads {
        /// How many.
        threads: usize,
        /// What the system says.
        message: String,
    },
}

fn tries_text(tries: u32) -> String {
    match tries {
        0 => " (the step is fixed: choose a smaller time.dt)".to_owned(),
        n => format!(" after {n} tries with smaller and smaller steps"),
    }
}
