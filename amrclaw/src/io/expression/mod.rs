//! Formulas in the case file: initial data, auxiliary values, source terms, refinement criteria.
//!
//! An expression is parsed to a [`Syntax`] tree, its names are looked up among those that its place offers
//! ([`Names`]), and the result is a flat [`Expression`] program that fills whole rows of cells. `docs/case-file.md`
//! describes the language. Arithmetic is plain `f64` in the order in which it is written.

mod cells;
mod compile;
mod evaluate;
mod function;
mod syntax;
mod token;

pub use cells::{ExpressionCells, RowExpressions, cell_names};
pub use compile::{Expression, Names};
pub use evaluate::{Input, Scratch};
pub use syntax::Syntax;

use std::ops::Range;

/// What is wrong with an expression, and where.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{message}; {help}")]
pub struct ExpressionError {
    /// Bytes of the text that are wrong; empty at the place where something is missing.
    pub span: Range<usize>,
    /// What is wrong.
    pub message: String,
    /// What to write instead.
    pub help: String,
}

impl ExpressionError {
    fn new(span: Range<usize>, message: impl Into<String>, help: impl Into<String>) -> Self {
        ExpressionError { span, message: message.into(), help: help.into() }
    }
}

/// The word among `known` that `word` is most likely a misspelling of.
pub(crate) fn nearest<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let lower = word.to_lowercase();
    known
        .into_iter()
        .map(|k| (strsim::damerau_levenshtein(&lower, &k.to_lowercase()), k))
        // A third of the letters may be wrong; more is a different word.
        .filter(|(distance, k)| *distance <= k.chars().count().max(word.chars().count()).div_ceil(3))
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, k)| k)
}
