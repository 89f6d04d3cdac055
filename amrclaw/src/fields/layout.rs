//! Positions of the patches' values in a level's array.
//!
//! Shape of a patch: `[component, z, y, x]`, x fastest, ghost cells included. All patches of a level lie in one array,
//! one after another, with padding at both ends that vector packs may overrun.

use crate::index::{CellBox, CellIndex};
use crate::mesh::LevelMesh;
use riemann::patch::{PACK_OVERRUN, Strides};

/// Place of one patch in its level's arrays.
#[derive(Clone, Copy, Debug)]
pub struct PatchLayout<const D: usize> {
    /// Interior cells.
    pub cells: CellBox<D>,
    /// Cells of all previous patches in the array, ghost cells included.
    cells_before: usize,
    /// Cells along each axis, ghost cells included.
    extent: [usize; D],
    num_ghost: i32,
    /// This rank holds the values; otherwise another rank does, and the patch has no place in the array.
    pub is_local: bool,
}

impl<const D: usize> PatchLayout<D> {
    /// A box of cells without ghost cells in an array of such boxes, after `cells_before` cells of others.
    pub fn block(cells: CellBox<D>, cells_before: usize) -> Self {
        let extent = cells.size().map(|n| n as usize);
        PatchLayout { cells, cells_before, extent, num_ghost: 0, is_local: true }
    }

    /// Interior and ghost cells.
    pub fn with_ghosts(&self) -> CellBox<D> {
        self.cells.grow(self.num_ghost)
    }

    /// Strides of the patch.
    pub fn strides(&self) -> Strides {
        let row = self.extent[0];
        let slab = row * self.extent.get(1).copied().unwrap_or(1);
        let component = self.extent.iter().product();
        Strides { row: if D > 1 { row } else { component }, slab: if D > 2 { slab } else { component }, component }
    }

    /// Position of component 0 of a cell, interior or ghost, in an array of `num_components` components a cell.
    #[inline]
    pub fn offset(&self, num_components: usize, cell: CellIndex<D>) -> usize {
        debug_assert!(self.is_local, "the values of {:?} are another rank's", self.cells);
        debug_assert!(self.with_ghosts().contains(cell), "{cell:?} in {:?}", self.with_ghosts());
        let mut offset = 0;
        for d in (0..D).rev() {
            offset = offset * self.extent[d] + (cell[d] - self.cells.lo[d] + self.num_ghost) as usize;
        }
        PACK_OVERRUN + self.cells_before * num_components + offset
    }

    /// Distance from one component to the next.
    #[inline]
    pub fn component(&self) -> usize {
        self.extent.iter().product()
    }
}

/// Places of all patches of a level.
#[derive(Clone, Debug)]
pub struct LevelLayout<const D: usize> {
    /// One entry per patch, in the mesh's order.
    pub patches: Vec<PatchLayout<D>>,
    cells: usize,
}

impl<const D: usize> LevelLayout<D> {
    /// Lays out a level with `num_ghost` ghost cells on every side of a patch.
    pub fn new(mesh: &LevelMesh<D>, num_ghost: i32) -> Self {
        Self::of_part(mesh, num_ghost, |_| true)
    }

    /// As [`LevelLayout::new`], with places only for the patches for which `is_local` is true.
    pub fn of_part(mesh: &LevelMesh<D>, num_ghost: i32, is_local: impl Fn(usize) -> bool) -> Self {
        let mut cells = 0;
        let place = |(k, &patch): (usize, &CellBox<D>)| {
            let extent = patch.grow(num_ghost).size().map(|n| n as usize);
            let layout = PatchLayout { cells: patch, cells_before: cells, extent, num_ghost, is_local: is_local(k) };
            cells += if layout.is_local { extent.iter().product::<usize>() } else { 0 };
            layout
        };
        let patches = mesh.patches().iter().enumerate().map(place).collect();
        LevelLayout { patches, cells }
    }

    /// The patches that are here, with their numbers.
    pub fn here(&self) -> impl Iterator<Item = (usize, &PatchLayout<D>)> {
        self.patches.iter().enumerate().filter(|(_, patch)| patch.is_local)
    }

    /// Length of an array with `num_components` components per cell.
    pub fn len(&self, num_components: usize) -> usize {
        self.cells * num_components + 2 * PACK_OVERRUN
    }

    /// Components per cell of an array of length `len`: the inverse of [`LevelLayout::len`].
    pub fn num_components(&self, len: usize) -> usize {
        len.saturating_sub(2 * PACK_OVERRUN) / self.cells.max(1)
    }

    /// Cells of all patches that have places, ghost cells included.
    pub fn num_cells_with_ghosts(&self) -> usize {
        self.cells
    }
}
