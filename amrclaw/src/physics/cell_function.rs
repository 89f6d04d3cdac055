//! Functions of position that fill cells: initial data, auxiliary values, exact solutions.

use super::{CellBlockFunction, CellRow, DeviceForm};

/// Values per cell as a function of position and time.
pub trait CellFunction<const D: usize>: Send + Sync {
    /// Number of values per cell.
    fn num_values(&self) -> usize;

    /// True if the values change with time.
    fn depends_on_time(&self) -> bool {
        false
    }

    /// Where values change with time, the times between which they do: before the first and from the second on they stay the same.
    fn changes_within(&self) -> [f64; 2] {
        [f64::NEG_INFINITY, f64::INFINITY]
    }

    /// True if the values are the same at two times and between them.
    fn stays(&self, from: f64, to: f64) -> bool {
        let [begin, end] = self.changes_within();
        !self.depends_on_time() || from == to || (from < begin && to < begin) || (from >= end && to >= end)
    }

    /// True if a cell's values are the same, bit for bit, in any row or block: after a regrid, values that the old level had and that stay
    /// are copied instead of computed again.
    fn depends_on_cell_alone(&self) -> bool {
        false
    }

    /// True if the values include the geometry of mapped cells: a coarse cell's geometry is not the mean of that of its fine cells.
    fn has_geometry(&self) -> bool {
        false
    }

    /// Fills `out[value * row.len + cell]`.
    fn fill_row(&self, row: &CellRow<D>, out: &mut [f64]);

    /// The same function over boxes, if it prefers to be called so.
    fn by_block(&self) -> Option<&dyn CellBlockFunction<D>> {
        None
    }

    /// The same function in two steps, if that saves work when it is called for the same cells at other times.
    fn in_steps(&self) -> Option<&dyn CachedCellFunction<D>> {
        None
    }

    /// The same function in a form that a device can compute, if there is one. It depends on the cell's position and the time.
    fn device_form(&self) -> Option<DeviceForm> {
        None
    }
}

/// A [`CellFunction`] or [`StateFunction`](super::StateFunction) in two steps: first numbers of a row that depend on position only and are
/// kept as long as the row's cells exist, then the values from these numbers. The values are those of `fill_row`, bit for bit.
pub trait CachedCellFunction<const D: usize>: Send + Sync {
    /// How many numbers are kept for a row of `cells` cells.
    fn cache_len(&self, cells: usize) -> usize;

    /// Fills the numbers to keep for a row, which are the same at all times and for all states.
    fn fill_kept(&self, row: &CellRow<D>, kept: &mut [f64]);

    /// Fills `out[value * row.len + cell]` from what [`CachedCellFunction::fill_kept`] gave for the same row. `values`: for a function of the
    /// state, `state[equation * row.len + cell]` and `aux[value * row.len + cell]`, else nothing.
    fn fill_row_from(&self, row: &CellRow<D>, kept: &[f64], values: [&[f64]; 2], out: &mut [f64]);
}
