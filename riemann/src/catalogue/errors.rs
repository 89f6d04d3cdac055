//! What can be wrong with a solver's name and parameters.

use super::{ParameterInfo, SolverInfo, names};
use std::fmt;

/// One thing wrong with the choice of a solver.
#[derive(Clone, Debug, thiserror::Error)]
pub enum ParameterError {
    /// No built-in solver has this name.
    #[error("no built-in solver is called \"{name}\"{}; there are: {}", did_you_mean(*.nearest), .known.join(", "))]
    UnknownSolver {
        /// The name asked for.
        name: String,
        /// The most similar name, if one is similar.
        nearest: Option<&'static str>,
        /// All names.
        known: Vec<&'static str>,
    },
    /// The solver has no parameter of this name.
    #[error(
        "solver \"{solver}\" has no parameter \"{name}\"{}; {}",
        did_you_mean(*.nearest),
        if .known.is_empty() { "it has none".to_owned() } else { format!("it has: {}", .known.join(", ")) }
    )]
    UnknownParameter {
        /// The solver.
        solver: &'static str,
        /// The parameter given.
        name: String,
        /// The most similar parameter, if one is similar.
        nearest: Option<&'static str>,
        /// All parameters of the solver.
        known: Vec<&'static str>,
    },
    /// A parameter without default was not given.
    #[error("solver \"{solver}\" needs \"{}\", the {}: give {}", .parameter.name, .parameter.about, .parameter.check)]
    Missing {
        /// The solver.
        solver: &'static str,
        /// The parameter that is missing.
        parameter: &'static ParameterInfo,
    },
    /// A parameter's value is impossible.
    #[error("\"{}\", the {}, is {value} and must be {}", .parameter.name, .parameter.about, .parameter.check)]
    OutOfRange {
        /// The solver.
        solver: &'static str,
        /// The parameter.
        parameter: &'static ParameterInfo,
        /// Its value.
        value: f64,
    },
}

impl ParameterError {
    /// The parameter that the error is about, by which a reader of files finds the line; `None`: the solver's name.
    pub fn parameter(&self) -> Option<&str> {
        match self {
            ParameterError::UnknownSolver { .. } => None,
            ParameterError::UnknownParameter { name, .. } => Some(name),
            ParameterError::Missing { parameter, .. } | ParameterError::OutOfRange { parameter, .. } => {
                Some(parameter.name)
            }
        }
    }

    /// The error for a `name` that no solver has.
    pub(super) fn unknown_solver(name: &str) -> Self {
        let known: Vec<_> = names();
        ParameterError::UnknownSolver { name: name.to_owned(), nearest: nearest(name, &known), known }
    }

    /// The error for a `name` that no parameter of the solver has.
    pub(super) fn unknown_parameter(info: &SolverInfo, name: &str) -> Self {
        let known: Vec<_> = info.parameters.iter().map(|parameter| parameter.name).collect();
        let nearest = nearest(name, &known);
        ParameterError::UnknownParameter { solver: info.name, name: name.to_owned(), nearest, known }
    }
}

/// Everything wrong with the choice of a solver; never empty. Shown one a line.
#[derive(Clone, Debug)]
pub struct ParameterErrors(pub Vec<ParameterError>);

impl fmt::Display for ParameterErrors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, error) in self.0.iter().enumerate() {
            write!(f, "{}{error}", if i == 0 { "" } else { "\n" })?;
        }
        Ok(())
    }
}

impl std::error::Error for ParameterErrors {}

/// The end of a sentence that proposes a name.
fn did_you_mean(nearest: Option<&str>) -> String {
    nearest.map(|name| format!(" (did you mean \"{name}\"?)")).unwrap_or_default()
}

/// The candidate that `word` is most likely a slip for: the one fewest edits away, if those are at most a third of its
/// letters, or one letter; else one that continues it or that it continues.
fn nearest(word: &str, candidates: &[&'static str]) -> Option<&'static str> {
    let word = word.to_lowercase();
    candidates
        .iter()
        .copied()
        .map(|candidate| (edit_distance(&word, candidate), candidate))
        .filter(|(distance, candidate)| *distance <= (candidate.len() / 3).max(1))
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
        .or_else(|| {
            let mut related = candidates.iter().copied();
            related.find(|c| word.len() >= 3 && (c.starts_with(&word) || word.starts_with(c)))
        })
}

/// Number of letters to insert, remove or replace to turn `a` into `b` (Levenshtein's distance).
fn edit_distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, letter) in a.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, other) in b.iter().enumerate() {
            let replaced = diagonal + usize::from(letter != *other);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[b.len()]
}
