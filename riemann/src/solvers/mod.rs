//! The built-in Riemann solvers, one PDE a file.
//!
//! Each file opens with the PDE, its variables, its source and *Holds* lines: properties that `tests/holds.rs` checks on
//! random states. [`crate::catalogue`] finds the solvers by name.

mod acoustics;

pub use acoustics::Acoustics;

use crate::axis::Axis;

/// Components of a vector quantity stored after one scalar, `[scalar, x, y, …]`: the one normal to a face of `axis`, and
/// the one along it.
#[inline(always)]
const fn normal_and_transverse(axis: Axis) -> (usize, usize) {
    (axis.index() + 1, axis.transverse_2d().index() + 1)
}
