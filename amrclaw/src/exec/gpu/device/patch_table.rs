//! A level's patches as kernels see them, and the tiles that the update cuts them into.

use super::axes;
use crate::exec::step::Sweep;
use crate::fields::{LevelLayout, PatchLayout};
use crate::index::CellBox;
use cuda::amr::tuning::TileHeights;
use cuda::amr::{CutCells, Patch, TileShape, TileTable};
use std::ops::Range;

/// The entry of another rank's patch, whose values are not here: kernels that visit every patch find no cells in it, not even ghost cells.
fn remote_entry<const D: usize>(layout: &PatchLayout<D>) -> Patch {
    let size = [2 * (layout.with_ghosts().lo[0] - layout.cells.lo[0]), 1, 1];
    Patch { first: 0, first_word: 0, inner: 0, stride: [1; 3], component: 0, lo: axes(layout.cells.lo, 0), size }
}

/// The entry of a box of cells in an array of boxes: a patch without ghost cells, behind the `before` cells of the boxes before it.
/// Kernels index all patches' cells from the first ghost cell, which here is the box's first cell.
pub(in crate::exec) fn block_entry<const D: usize>(cells: &CellBox<D>, before: usize, num_ghost: i32) -> Patch {
    let strides = PatchLayout::block(*cells, before).strides();
    Patch {
        first: before as u64,
        first_word: 0,
        inner: 0,
        stride: [1, strides.row as i32, strides.slab as i32],
        component: strides.component as i32,
        lo: axes(cells.lo.map(|lo| lo + num_ghost), 0),
        size: axes(cells.size(), 1),
    }
}

/// The table of patches for kernels, and the number of words of a face map.
pub(in crate::exec) fn patch_table<const D: usize>(layout: &LevelLayout<D>) -> (Vec<Patch>, usize) {
    let (mut first, mut word) = (0u64, 0usize);
    let place = |patch: &PatchLayout<D>| {
        if !patch.is_local {
            return remote_entry(patch);
        }
        let (strides, with_ghosts) = (patch.strides(), patch.with_ghosts());
        let inner = patch.offset(1, patch.cells.lo) - patch.offset(1, with_ghosts.lo);
        let entry = Patch {
            first,
            first_word: word as u32,
            inner: inner as i32,
            stride: [1, strides.row as i32, strides.slab as i32],
            component: strides.component as i32,
            lo: axes(patch.cells.lo, 0),
            size: axes(patch.cells.size(), 1),
        };
        first += strides.component as u64;
        let row = with_ghosts.size()[0] as usize;
        word += D * (strides.component / row) * row.div_ceil(32);
        entry
    };
    let patches = layout.patches.iter().map(place).collect();
    (patches, word)
}

/// The cells of a patch that a sweep updates, relative to its first interior cell: the lowest, and one past the highest.
fn swept<const D: usize>(cells: &CellBox<D>, sweep: &Sweep) -> [[i32; 3]; 2] {
    let size = cells.size();
    let axis = |d: usize| if d < D { [-sweep.grow[d], size[d] + sweep.grow[d]] } else { [0, 1] };
    [0, 1].map(|side| std::array::from_fn(|d| axis(d)[side]))
}

/// Cuts patches of a level into strips for the tiles of a sweep.
pub(in crate::exec) fn strip_table<const D: usize>(
    layout: &LevelLayout<D>,
    sweep: &Sweep,
    shape: TileShape,
    patches: Range<usize>,
) -> TileTable {
    let mut table = TileTable::new(shape);
    for k in patches.filter(|&k| layout.patches[k].is_local) {
        table.add_patch(k as u32, swept(&layout.patches[k].cells, sweep));
    }
    table
}

/// Cuts strips into tiles, the tallest first. `resident_tiles`: number of tiles that the device works on at once.
pub(in crate::exec) fn cut_into_tiles(mut table: TileTable, resident_tiles: u32) -> (Vec<CutCells>, u32) {
    let mut heights = TileHeights::new(table.strips(), resident_tiles);
    table.cut(|strips| heights.next(strips));
    table.sort();
    table.finish()
}
