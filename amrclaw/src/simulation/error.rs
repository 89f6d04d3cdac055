//! Why a run cannot begin or go on.

use crate::case::{Case, CaseErrors};
use crate::exec::{CellPlace, ExecError};
use crate::index::Level;
use crate::physics::UnstableMode;
use crate::plugin::NotASolver;
use riemann::parameters::ParameterCheck;
use thiserror::Error;

/// Why a simulation stopped.
#[derive(Debug, Error)]
pub enum RunError {
    /// The case is wrong: nothing was begun.
    #[error("{0}")]
    Case(#[from] CaseErrors),
    /// The Courant number stayed above its limit.
    #[error(
        "Courant number {} on level {level}, patch {patch}, t = {time}, step {dt:e}{}",
        told_apart(3, |n| [format!("{courant:.n$}"), format!("{limit:.n$}")]).join(" > "),
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
    /// The values to go on from cannot be read.
    #[error("{0}")]
    Values(std::io::Error),
    /// The solution is no longer admissible for its equations.
    #[error("{cause}\n  help: {help}")]
    Inadmissible {
        /// Which state, and where.
        cause: Box<ExecError>,
        /// What to do.
        help: String,
    },
    /// The solution grows beyond any bound from its data.
    #[error(
        "{equation} has grown to {value:e} on {place}; {}, and all other quantities have grown as \
         much\n  help: {GROWTH_HELP}",
        measure_text(*measure, *steps)
    )]
    Growth {
        /// The equation's quantity that has grown most.
        equation: String,
        /// Its value.
        value: f64,
        /// The size relative to which growth is measured.
        measure: f64,
        /// How many steps of the coarsest level ago that was.
        steps: u64,
        /// Where.
        place: Box<CellPlace>,
    },
    /// Steps of a source term are unstable.
    #[error(
        "steps of {dt:e} are unstable for the source term: its Jacobian has the eigenvalue {}, whose mode they multiply by {:.3} \
         each time, on {place}\n  help: {help}",
        eigenvalue_text(mode.eigenvalue), mode.factor
    )]
    StiffSource {
        /// The mode that grows most.
        mode: UnstableMode,
        /// How long the source acts in a step.
        dt: f64,
        /// Where.
        place: Box<CellPlace>,
        /// What to write.
        help: String,
    },
    /// The step became so small that the run cannot come to its end.
    #[error(
        "the time step has decreased from {longest:e} to {dt:e}; {equation}, at most {measure:e} at first, \
         is {}{value:e} on {place}\n  help: {GROWTH_HELP}",
        if *is_least { "least there: " } else { "" }
    )]
    StepCollapse {
        /// The step.
        dt: f64,
        /// The longest step.
        longest: f64,
        /// An equation's quantity.
        equation: String,
        /// Its value.
        value: f64,
        /// The size relative to which growth is measured.
        measure: f64,
        /// It is the least: where little is left, waves are fastest. Else the largest.
        is_least: bool,
        /// Where it is that.
        place: Box<CellPlace>,
    },
    /// The patches of a checkpoint do not form a valid mesh.
    #[error("the checkpoint is damaged: the patches of its level {level} do not form a valid mesh")]
    Damaged {
        /// Level.
        level: Level,
    },
    /// The mesh is too large for the machine.
    #[error(
        "{cells} cells on {levels} level{} need at least {}",
        if *levels == 1 { "" } else { "s" },
        told_apart(0, |n| [bytes_text(*needed, n), bytes_text(*limit, n)]).join(" of memory, but only ") + " are available"
    )]
    Memory {
        /// Levels of the mesh.
        levels: usize,
        /// Cells of all levels.
        cells: f64,
        /// Bytes needed, at the least.
        needed: f64,
        /// Bytes available.
        limit: f64,
    },
    /// A value that decides whether the run ends is no number.
    #[error(
        "a value of time.stop_when is not a number at t = {time}\n  help: write formulas that are numbers in every cell"
    )]
    NoStopValue {
        /// The time.
        time: f64,
    },
    /// A parameter that is computed of the solution has an impossible value.
    #[error(
        "reduce.{name}: the parameter is {value} at t = {time}, but must be {check}\n  help: write a formula that is"
    )]
    Parameter {
        /// The parameter.
        name: String,
        /// Its value.
        value: f64,
        /// Which values are possible.
        check: ParameterCheck,
        /// The time.
        time: f64,
    },
    /// The step became so small that time stands still.
    #[error("the time step {dt:e} is too small to advance t = {time}")]
    StepTooSmall {
        /// The step.
        dt: f64,
        /// The time.
        time: f64,
    },
    /// Somebody asked the simulation to stop ([`crate::simulation::RunOptions::stop`]).
    #[error("asked to stop")]
    Stopped,
    /// A simulation stepped by the caller must have one rank.
    #[error("a simulation advanced step by step has one rank: leave `ranks` out, or run the whole case")]
    Ranks,
    /// The solver is none.
    #[error(transparent)]
    NotASolver(#[from] NotASolver),
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
    /// Adds help to the error about an inadmissible state.
    pub(super) fn with_help(self, solver: &str) -> RunError {
        let RunError::Exec(cause @ ExecError::Inadmissible { .. }) = self else { return self };
        let help = match solver {
            "euler" | "euler_tracer" => {
                "use the solver \"euler_hllc\", lower `time.cfl_desired`, use a limiter such as \"minmod\", or \
                 `scheme.order = 1`"
            }
            _ => "lower `time.cfl_desired`, use a limiter such as \"minmod\", or `scheme.order = 1`",
        };
        RunError::Inadmissible { cause: Box::new(cause), help: help.to_owned() }
    }

    /// Converts an error from building the initial levels into one of the case, at the line of the data or of the mesh that caused it.
    pub(super) fn in_case(self, case: &Case, equations: &[String], aux: &[String]) -> RunError {
        let (key, help) = match &self {
            // The initial data do not fill ghost cells outside the domain: their values come from the boundary conditions.
            RunError::Exec(ExecError::NotFinite { equation: name, place, .. })
                if place.ghost && equations.contains(name) =>
            {
                match super::inflow::side_of(case, &place.centre) {
                    Some((axis, side)) => {
                        let help = "write inflow formulas that have finite values at all times";
                        (case.inflow_key(axis, side, name), help)
                    }
                    None => ("mesh.boundary".to_owned(), "give boundary values that are finite at all times"),
                }
            }
            RunError::Exec(ExecError::NotFinite { equation: name, .. }) => {
                let section = if equations.contains(name) { "initial" } else { "aux" };
                (format!("{section}.{name}"), "write a formula that is a number everywhere in the domain")
            }
            RunError::Exec(ExecError::Inadmissible { quantity, positive, .. }) => {
                let wanted = if *positive { "is positive" } else { "is not negative" };
                let help = format!("write formulas whose {quantity} {wanted} everywhere in the domain");
                let key = match quantity {
                    name if equations.contains(name) => format!("initial.{name}"),
                    name if aux.contains(name) => format!("aux.{name}"),
                    // A quantity computed from several equations.
                    _ => "initial".to_owned(),
                };
                return case.error(&key, self.to_string(), help).into();
            }
            RunError::Exec(ExecError::Auxiliary { name: None, .. })
                if case.mesh.mapping.is_some() && case.scheme.capacity.is_none() =>
            {
                let help = "the mapping folds there: write formulas that keep the order of the nodes on every level";
                ("mesh.mapping".to_owned(), help)
            }
            RunError::Exec(ExecError::Auxiliary { place, .. }) if place.ghost => {
                let help = "write \"nearest\", or formulas that are above zero beyond the domain's sides too";
                ("mesh.boundary.aux".to_owned(), help)
            }
            RunError::Exec(ExecError::Auxiliary { name, .. }) => {
                let name = name.as_ref().or(case.scheme.capacity.as_ref()).map_or("", String::as_str);
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

/// What to do about a solution that grows.
const GROWTH_HELP: &str = "the scheme is unstable, or the solver produces inadmissible states: lower \
                           `time.cfl_desired`, use `scheme.transverse = 2` or `scheme.split = \"strang\"`, a limiter \
                           such as \"minmod\", or a solver that keeps states positive; if this growth is real, \
                           raise `time.growth_limit`, or set it to 0";

fn measure_text(measure: f64, steps: u64) -> String {
    format!("it was at most {measure:e} before the last {steps} steps of the coarsest level")
}

fn eigenvalue_text([re, im]: [f64; 2]) -> String {
    if im == 0.0 { format!("{re:.4e}") } else { format!("{re:.4e} ± {:.4e} i", im.abs()) }
}

/// Two different numbers as text, with as many decimals as show it, from `least` on.
fn told_apart(least: usize, text: impl Fn(usize) -> [String; 2]) -> [String; 2] {
    (least..least + 16).map(&text).find(|[a, b]| a != b).unwrap_or_else(|| text(least))
}

fn tries_text(tries: u32) -> String {
    match tries {
        0 => " (the step is fixed: choose a smaller time.dt)".to_owned(),
        n => format!(" after {n} tries with decreasing steps"),
    }
}

/// Bytes in the unit that suits them, with so many decimals.
fn bytes_text(bytes: f64, decimals: usize) -> String {
    let units = ["bytes", "kB", "MB", "GB", "TB", "PB", "EB"];
    let unit = ((bytes.max(1.0).log10() / 3.0) as usize).min(units.len() - 1);
    format!("{:.decimals$} {}", bytes / 1000_f64.powi(unit as i32), units[unit])
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Numbers that are compared differ in the message, however little they do.
    #[test]
    fn messages_do_not_contradict_themselves() {
        let courant = |courant| RunError::Courant {
            courant,
            limit: 1.0,
            level: Level::COARSEST,
            patch: 0,
            time: 0.5,
            dt: 0.1,
            tries: 1,
        };
        assert!(courant(1.0000021).to_string().starts_with("Courant number 1.000002 > 1.000000 on"));
        assert!(courant(1.25).to_string().starts_with("Courant number 1.250 > 1.000 on"));
        let memory = |needed| RunError::Memory { levels: 1, cells: 9.0, needed, limit: 12.1e9 }.to_string();
        assert!(memory(12.3e9).contains("at least 12.3 GB of memory, but only 12.1 GB are available"));
        assert!(memory(14e9).contains("at least 14 GB of memory, but only 12 GB are available"));
    }
}
