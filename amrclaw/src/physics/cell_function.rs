//! Functions of position that fill cells: initial data, auxiliary values, exact solutions.

use super::{CellBlockFunction, Portable};
use crate::mesh::position;

/// A row of cells along x.
#[derive(Clone, Copy, Debug)]
pub struct CellRow<const D: usize> {
    /// Lower corner of the row's first cell.
    pub lower: [f64; D],
    /// Cell size along each axis.
    pub dx: [f64; D],
    /// Number of cells.
    pub len: usize,
    /// Time.
    pub time: f64,
}

impl<const D: usize> CellRow<D> {
    /// Centre of cell `i` of the row.
    pub fn centre(&self, i: usize) -> [f64; D] {
        std::array::from_fn(|d| {
            let cells = if d == 0 { i as f64 + 0.5 } else { 0.5 };
            position(self.lower[d], cells, self.dx[d])
        })
    }
}

/// Values per cell as a function of position and time.
pub trait CellFunction<const D: usize>: Send + Sync {
    /// Number of values per cell.
    fn num_values(&self) -> usize;

    /// True if the values change with time.
    fn depends_on_time(&self) -> bool {
        false
    }

    /// True if a cell has the same values, bit for bit, at all times and in whatever row or block it is asked for: they need not be computed
    /// again where a level had them before it was replaced.
    fn depends_on_cell_alone(&self) -> bool {
        false
    }

    /// True if there is the geometry of mapped cells among the values: that of a larger cell is no mean of those of smaller ones.
    fn has_geometry(&self) -> bool {
        false
    }

    /// Fills `out[value * row.len + cell]`.
    fn fill_row(&self, row: &CellRow<D>, out: &mut [f64]);

    /// The same function over boxes, if it would rather be asked so.
    fn by_block(&self) -> Option<&dyn CellBlockFunction<D>> {
        None
    }

    /// The same function in two steps, if it gains by that where it is asked for the same cells at other times.
    fn in_steps(&self) -> Option<&dyn CellSteps<D>> {
        None
    }

    /// The same function in a form that a device can compute, if there is one. It knows of the cell where it lies, and the time.
    fn portable(&self) -> Option<Portable> {
        None
    }
}

/// A [`CellFunction`] in two steps: numbers of a row that do not change with time, to be kept as long as there are its cells, and the
/// values from them. The values are those of [`CellFunction::fill_row`] to the bit.
pub trait CellSteps<const D: usize>: Send + Sync {
    /// How many numbers there are to keep of a row of so many cells.
    fn kept_len(&self, cells: usize) -> usize;

    /// Fills the numbers to be kept of a row, the same at all times of it.
    fn fill_kept(&self, row: &CellRow<D>, kept: &mut [f64]);

    /// Fills `out[value * row.len + cell]` from what [`CellSteps::fill_kept`] gave for the same row at any time.
    fn fill_row_from(&self, row: &CellRow<D>, kept: &[f64], out: &mut [f64]);
}
