//! Values by axis in the device's arrays, which always have three.

use crate::index::CellBox;
use crate::mesh::LevelMesh;
use cuda::amr;

/// One value for each of the device's three axes: `missing` for those beyond the problem's last.
pub(in crate::exec) fn axes<const D: usize, T: Copy>(values: [T; D], missing: T) -> [T; 3] {
    std::array::from_fn(|d| values.get(d).copied().unwrap_or(missing))
}

/// A box along the device's three axes: one cell thick along those beyond the problem's last.
pub(in crate::exec) fn box_by_axes<const D: usize>(cells: &CellBox<D>) -> amr::CellBox {
    amr::CellBox { lo: axes(cells.lo, 0), hi: axes(cells.hi, 1) }
}

/// One bit for each axis along which the domain repeats, and after three bits one for that whose sides are folded.
pub(in crate::exec) fn periodic_bits<const D: usize>(mesh: &LevelMesh<D>) -> u32 {
    let repeats = mesh.repeats();
    let bits = |d: usize| u32::from(repeats.axes[d]) << d | u32::from(repeats.folded == Some(d)) << (3 + d);
    (0..D).map(bits).sum()
}
