//! Formulas in the case file: initial data, auxiliary values, source terms, refinement criteria.
//!
//! An expression is parsed to a [`Syntax`] tree, its names are looked up among those available in its context
//! ([`Names`]), and the result is a flat [`Expression`] program that fills whole rows of cells. `docs/case-file.md`
//! describes the language. Arithmetic is plain `f64` in the order in which it is written.

mod boundary;
mod cells;
mod compile;
mod definitions;
mod derivative;
mod evaluate;
mod function;
mod graph;
mod ground;
mod ground_by_capacity;
mod height_grid;
mod mapping;
mod motion;
mod program;
mod reduction;
mod row_split;
mod rows;
mod samples;
mod source;
mod split;
mod steps;
mod syntax;
mod token;

pub use boundary::ExpressionBoundary;
pub use cells::{ExpressionCells, Given, RowExpressions};
pub use compile::{Expression, Names};
pub use definitions::{Definitions, Head};
pub use derivative::{Derivative, DerivativeKind, derivative_name};
pub use evaluate::Input;
pub use ground::{GroundFormula, GroundSums, KnownGround};
pub use ground_by_capacity::GroundByCapacity;
pub use height_grid::{GroundGrids, HeightGrid, common, outside};
pub use mapping::{ExpressionMap, compile_on_mesh, physical_names, straight_name};
pub use motion::{Motion, MovingGround};
pub use reduction::{Reduction, ReductionKind, reduction_name};
pub use rows::cell_names;
pub use samples::Samples;
pub use source::SourceExpressions;
pub use syntax::Syntax;

use std::ops::Range;

/// What is wrong with an expression, and where.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{message}; {help}")]
pub struct ExpressionError {
    /// Byte range of the mistake in the text; empty where something is missing.
    pub span: Range<usize>,
    /// What is wrong.
    pub message: String,
    /// What to write instead.
    pub help: String,
    /// A name is not known.
    pub is_unknown_name: bool,
}

impl ExpressionError {
    pub(crate) fn new(span: Range<usize>, message: impl Into<String>, help: impl Into<String>) -> Self {
        ExpressionError { span, message: message.into(), help: help.into(), is_unknown_name: false }
    }
}

/// The word in `known` that `word` most likely misspells or abbreviates.
pub(crate) fn nearest<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let lower = word.to_lowercase();
    let known: Vec<&str> = known.into_iter().collect();
    let length = |k: &str| k.chars().count().max(word.chars().count());
    let misspelt = known
        .iter()
        .map(|k| (strsim::damerau_levenshtein(&lower, &k.to_lowercase()), *k))
        // A third of the letters may be wrong, but not all of them; more is a different word.
        .filter(|(distance, k)| *distance <= length(k).div_ceil(3) && *distance < length(k))
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, k)| k);
    misspelt.or_else(|| known.into_iter().find(|k| lower.len() >= 3 && k.to_lowercase().starts_with(&lower)))
}

/// Every name that the language itself knows, in three dimensions.
pub(crate) fn reserved_names() -> Vec<String> {
    let functions = function::FUNCTIONS.iter().map(|f| f.name.to_string());
    let constants = function::CONSTANTS.iter().map(|(name, _)| (*name).to_string());
    let words = ["and", "or", "not", "grad"].map(str::to_string);
    functions.chain(constants).chain(words).chain(cell_names(3)).collect()
}

/// True if formulas can hold `name` and do not take it for something else.
pub(crate) fn is_free_name(name: &str) -> bool {
    let plain = name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    plain
        && !name.is_empty()
        && !name.starts_with(|c: char| c.is_ascii_digit())
        && !reserved_names().iter().any(|n| n == name)
}

#[cfg(test)]
mod tests;
