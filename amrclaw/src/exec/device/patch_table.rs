//! A level's patches as kernels see them, and the tiles that the update cuts them into.

use super::axes;
use crate::exec::step::Sweep;
use crate::fields::{LevelLayout, PatchLayout};
use crate::index::CellBox;
use cuda::amr::tuning::TileHeights;
use cuda::amr::{Patch, Tile, TileTable, UpdateOptions};
use std::ops::Range;

/// The patches as the device sees them, and the words of a face map.
pub(in crate::exec) fn patch_table<const D: usize>(layout: &LevelLayout<D>) -> (Vec<Patch>, usize) {
    let (mut first, mut word) = (0u64, 0usize);
    let place = |patch: &PatchLayout<D>| {
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

/// What a sweep updates of patches, counted from each one's first cell: lowest cell, and one past the highest, of x and y.
pub(in crate::exec) fn swept<const D: usize>(cells: &CellBox<D>, sweep: &Sweep) -> [[i32; 2]; 2] {
    let size = cells.size();
    let axis = |d: usize| if d < D { [-sweep.grow[d], size[d] + sweep.grow[d]] } else { [0, 1] };
    let ([lo_x, hi_x], [lo_y, hi_y]) = (axis(0), axis(1));
    [[lo_x, lo_y], [hi_x, hi_y]]
}

/// What tiles depend on of the update's options: which axes are swept.
pub(in crate::exec) fn tile_options(sweep: &Sweep) -> UpdateOptions {
    let [x, y, _] = sweep.axes;
    UpdateOptions { order: 2, transverse: 0, limiters: Vec::new(), capacity: None, sweep: [x, y], keeps_faces: true }
}

/// Cuts patches of a level into the tiles of a sweep, the tallest first. `resident_warps`: that the device runs at once.
pub(in crate::exec) fn tile_table<const D: usize>(
    layout: &LevelLayout<D>,
    sweep: &Sweep,
    patches: Range<usize>,
    resident_warps: u32,
) -> Vec<Tile> {
    let options = tile_options(sweep);
    let boxes = layout.patches[patches.clone()].iter().map(|patch| swept(&patch.cells, sweep));
    let sizes = boxes.clone().map(|[lo, hi]| [hi[0] - lo[0], hi[1] - lo[1]]);
    let mut heights = TileHeights::new(sizes.clone(), options.tile_columns(), resident_warps);
    let mut table = TileTable::default();
    for (k, (cells, size)) in patches.zip(boxes.zip(sizes)) {
        table.add_patch(&options, heights.next(size), k as u32, cells);
    }
    table.sort_by_height();
    table.tiles
}
