//! The physical domain.

use crate::index::{CellBox, Repeats};

/// Extents of the domain and of its coarsest level.
#[derive(Clone, Debug, PartialEq)]
pub struct Domain<const D: usize> {
    /// Lower corner.
    pub lower: [f64; D],
    /// Upper corner.
    pub upper: [f64; D],
    /// Cells of the coarsest level along each axis.
    pub cells: [i32; D],
    /// How the domain repeats beyond its sides.
    pub repeats: Repeats<D>,
}

impl<const D: usize> Domain<D> {
    /// Cell size of a level that has `cells` cells along each axis.
    pub fn dx(&self, cells: [i32; D]) -> [f64; D] {
        std::array::from_fn(|d| (self.upper[d] - self.lower[d]) / f64::from(cells[d]))
    }

    /// All cells of the coarsest level.
    pub fn coarsest(&self) -> CellBox<D> {
        CellBox::new([0; D], self.cells)
    }
}
