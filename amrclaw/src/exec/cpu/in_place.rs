//! Updating patches of several tiles in place, although tiles read cells that were updated before them.
//!
//! Tiles are updated in order, first axis fastest. Later tiles read the last rows and columns of a tile: these keep their old states in the
//! array until the patch is done, while their new states wait in a buffer.
//!
//! Where threads share whole patches evenly, the finest level is updated in place: it has the present state and the one to return to. Coarser
//! levels have a third array, since finer ones interpolate between their last two states.

use super::scratch::Scratch;
use super::tile::{Block, Tile};
use super::tiles::TilePlan;
use super::update::TileSweep;
use crate::exec::StepReport;
use crate::fields::Shared;
use crate::threads::parallel_reduce;
use riemann::patch::Strides;
use riemann::real::Scalar;

/// Calls `each` with every row of the blocks of a patch and its part of `aside`, in order.
fn each_row<R: Scalar>(
    (values, start, strides): (Shared<'_, R>, usize, Strides),
    num_eqn: usize,
    blocks: [Block; 2],
    aside: &mut [R],
    each: impl Fn(&mut [R], &mut [R]),
) {
    let mut rest = aside;
    for [lo, hi] in blocks {
        let len = (hi[0] - lo[0]) as usize;
        for m in 0..num_eqn {
            for [z, y] in (lo[2]..hi[2]).flat_map(|z| (lo[1]..hi[1]).map(move |y| [z, y])) {
                let at = (start + m * strides.component).strict_add_signed(strides.offset([lo[0], y, z]));
                let (mine, others) = std::mem::take(&mut rest).split_at_mut(len);
                // SAFETY: one thread alone works on a patch.
                each(unsafe { values.row_mut(at, len) }, mine);
                rest = others;
            }
        }
    }
}

impl<const D: usize, R: Scalar> TileSweep<'_, D, R> {
    /// Updates all patches of the level, new states in the place of old ones.
    pub fn update_in_place(&self, plan: &TilePlan, scratch: &Scratch<R>, aside: &Scratch<R>) -> StepReport {
        let update = |n: usize| {
            let tiles = plan.turns.tiles_of(n).iter().map(|&tile| &plan.tiles[tile as usize]);
            self.update_patch(tiles, plan, &mut scratch.mine(), &mut aside.mine())
        };
        parallel_reduce(plan.turns.num_patches(), update, StepReport::NONE, StepReport::or)
    }

    fn update_patch<'t>(
        &self,
        tiles: impl Iterator<Item = &'t Tile> + Clone,
        plan: &TilePlan,
        scratch: &mut [R],
        aside: &mut [R],
    ) -> StepReport {
        let num_eqn = self.level.num_eqn;
        let mut report = StepReport::NONE;
        let mut used = 0;
        for tile in tiles.clone() {
            let (place, size) = self.place_of(tile);
            let count = num_eqn * tile.num_read_later(size);
            let mine = &mut aside[used..used + count];
            used += count;
            each_row(place, num_eqn, tile.read_later(size), mine, |row, mine| mine.copy_from_slice(row));
            report = self.update_tile(tile, plan, scratch).or(report);
            each_row(place, num_eqn, tile.read_later(size), mine, <[R]>::swap_with_slice);
        }
        used = 0;
        for tile in tiles {
            let (place, size) = self.place_of(tile);
            let count = num_eqn * tile.num_read_later(size);
            let mine = &mut aside[used..used + count];
            used += count;
            each_row(place, num_eqn, tile.read_later(size), mine, |row, mine| row.copy_from_slice(mine));
        }
        report
    }

    /// Where the new states of a tile's patch lie, and the patch's size.
    fn place_of(&self, tile: &Tile) -> ((Shared<'_, R>, usize, Strides), [i32; 3]) {
        let patch = &self.level.layout.patches[tile.patch as usize];
        let start = patch.offset(self.level.num_eqn, patch.cells.lo);
        let size = patch.cells.size();
        let size = std::array::from_fn(|d| size.get(d).copied().unwrap_or(1));
        ((self.level.output, start, patch.strides()), size)
    }
}

#[cfg(test)]
mod tests {
    use super::super::tile::READ_BEYOND;
    use super::*;
    use crate::fields::LevelLayout;
    use crate::index::CellBox;
    use crate::mesh::LevelMesh;

    /// The buffer holds what later tiles read: the cells of a tile that lie within two of a later tile. Checked cell by cell on a patch
    /// of 2 × 3 tiles, the last ones narrow.
    #[test]
    fn what_later_tiles_read_is_put_aside() {
        let domain = CellBox::new([0, 0, 0], [67, 33, 3]);
        let mesh = LevelMesh::new(domain, [false; 3], vec![domain]);
        let plan = TilePlan::new(&LevelLayout::new(&mesh, 2), None, None, false, 1);
        assert!(plan.whole_patches && plan.turns.tiles_of(0).len() == 6);
        let inside = |cell: [i32; 3], [lo, hi]: Block, by: i32| {
            (0..2).all(|d| lo[d] - by <= cell[d] && cell[d] < hi[d] + by) && lo[2] <= cell[2] && cell[2] < hi[2]
        };
        let tiles: Vec<_> = plan.turns.tiles_of(0).iter().map(|&n| &plan.tiles[n as usize]).collect();
        let mut count = 0;
        for (n, tile) in tiles.iter().enumerate() {
            let blocks = tile.read_later([67, 33, 3]);
            for cell in CellBox::new(tile.lo, tile.hi).cells() {
                let later = tiles[n + 1..].iter().any(|t| inside(cell, [t.lo, t.hi], READ_BEYOND));
                let aside = blocks.iter().filter(|&&block| inside(cell, block, 0)).count();
                assert_eq!(aside, usize::from(later), "{cell:?} of tile {n}");
                count += aside;
            }
        }
        assert_eq!(plan.turns.most_buffered, count);
    }
}
