//! Values by axis as the device has them.

use crate::index::CellBox;
use cuda::amr;

/// One value an axis, as the device has them: `missing` along axes beyond the last.
pub(in crate::exec) fn axes<const D: usize, T: Copy>(values: [T; D], missing: T) -> [T; 3] {
    std::array::from_fn(|d| values.get(d).copied().unwrap_or(missing))
}

/// A box as the device has it: one cell along axes beyond the last.
pub(in crate::exec) fn box_by_axes<const D: usize>(cells: &CellBox<D>) -> amr::CellBox {
    amr::CellBox { lo: axes(cells.lo, 0), hi: axes(cells.hi, 1) }
}
