//! Functions of the user that are called once for a whole box of cells instead of once per row: for functions whose calls
//! are expensive, such as those of an interpreted language.

use riemann::axis::{Axis, Side};

/// A box of cells of one level.
#[derive(Clone, Copy, Debug)]
pub struct CellBlock<const D: usize> {
    /// Lower corner of the box.
    pub lower: [f64; D],
    /// Cell size along each axis.
    pub dx: [f64; D],
    /// Number of cells along each axis.
    pub size: [usize; D],
    /// Time.
    pub time: f64,
}

impl<const D: usize> CellBlock<D> {
    /// Number of cells.
    pub fn num_cells(&self) -> usize {
        self.size.iter().product()
    }
}

/// A [`CellFunction`](super::CellFunction) over boxes.
pub trait CellBlockFunction<const D: usize>: Send + Sync {
    /// Fills `out`, shape `[value, z, y, x]`, x fastest.
    fn fill(&self, block: &CellBlock<D>, out: &mut [f64]);
}

/// A [`StateFunction`](super::StateFunction) over boxes.
pub trait StateBlockFunction<const D: usize>: Send + Sync {
    /// Fills `out`, shape `[z, y, x]`, x fastest. Shapes: `state: [equation, z + 2, y + 2, x + 2]` with one ghost cell on
    /// every side, `aux: [value, z, y, x]`.
    fn fill(&self, block: &CellBlock<D>, state: &[f64], aux: &[f64], out: &mut [f64]);
}

/// A [`BoundaryFunction`](super::BoundaryFunction) over boxes.
pub trait BoundaryBlockFunction<const D: usize>: Send + Sync {
    /// Replaces the states of a box of ghost cells beyond a side of the domain. `values`, shape `[equation, z, y, x]`, hold
    /// those of their mirror images in the domain.
    fn fill(&self, block: &CellBlock<D>, axis: Axis, side: Side, values: &mut [f64]);
}
