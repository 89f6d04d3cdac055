//! Why a run cannot begin or go on.

use crate::exec::ExecError;
use crate::index::Level;
use crate::io::config::{Case, CaseErrors};
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
    /// The mesh is too large for the machine.
    #[error(
        "{cells} cells on {levels} level{} need at least {} of memory, and there are {}",
        if *levels == 1 { "" } else { "s" },
        bytes_text(*needed),
        bytes_text(*limit)
    )]
    Memory {
        /// Levels of the mesh.
        levels: usize,
        /// Cells of all levels.
        cells: f64,
        /// Bytes needed, at the least.
        needed: f64,
        /// Bytes that there are.
        limit: f64,
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

impl RunError {
    /// What shows while the first levels are made comes of the case's data or its mesh: at the line that says so.
    pub(super) fn in_case(self, case: &Case, equations: &[String]) -> RunError {
        let (key, help) = match &self {
            RunError::Exec(ExecError::NotFinite { equation: name, .. }) => {
                let section = if equations.contains(name) { "initial" } else { "aux" };
                (format!("{section}.{name}"), "write a formula that is a number everywhere in the domain")
            }
            RunError::Exec(ExecError::Capacity { .. }) => {
                let name = case.scheme.capacity.as_deref().unwrap_or_default();
                (format!("aux.{name}"), "write a formula that is above zero everywhere in the domain")
            }
            RunError::Memory { .. } => {
                let help = "use fewer cells or levels, or refine less: by regions or a larger tolerance";
                ("mesh.cells".to_owned(), help)
            }
            _ => return self,
        };
        case.error(&key, self.to_string(), help).into()
    }
}

fn tries_text(tries: u32) -> String {
    match tries {
        0 => " (the step is fixed: choose a smaller time.dt)".to_owned(),
        n => format!(" after {n} tries with smaller and smaller steps"),
    }
}

/// Bytes in the unit that suits them.
fn bytes_text(bytes: f64) -> String {
    let units = ["bytes", "kB", "MB", "GB", "TB", "PB", "EB"];
    let unit = ((bytes.max(1.0).log10() / 3.0) as usize).min(units.len() - 1);
    format!("{:.0} {}", bytes / 1000_f64.powi(unit as i32), units[unit])
}
