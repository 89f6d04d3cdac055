//! Formulas of a cell and its neighbours.

use super::Formulas;

/// What is made of a value in a cell's neighbours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DerivativeKind {
    /// The partial derivative along an axis: half the difference of the two neighbours over the cells' size.
    Along(usize),
    /// The magnitude of the gradient.
    Gradient,
    /// The largest difference of the two neighbours along an axis.
    Jump,
}

/// Formulas with one result, whose quantities are those of a cell and differences of its neighbours.
#[derive(Clone, Debug)]
pub struct AroundFormulas {
    /// Values from number `num_values` on are `differences`.
    pub formulas: Formulas,
    /// Values of a cell.
    pub num_values: usize,
    /// Of which values differences are taken.
    pub differences: Vec<(DerivativeKind, AroundFormulas)>,
}
