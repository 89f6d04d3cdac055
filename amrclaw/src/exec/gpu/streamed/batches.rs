//! A level's patches in batches, and the tables that kernels read.

use crate::exec::gpu::device::strip_table;
use crate::exec::step::LevelSweep;
use crate::fields::{LevelLayout, PatchLayout};
use crate::threads::parallel_map;
use cuda::amr::tuning::rows_per_tile;
use cuda::amr::{Patch, Tile, TileShape};
use riemann::real::Scalar;
use std::cmp::Reverse;
use std::ops::Range;

/// Patches that are adjacent in the level's arrays and are copied to the device together.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Batch {
    /// The patches.
    pub patches: Range<usize>,
    /// Their range in the level's array of states.
    pub q: Range<usize>,
    /// Their range in its array of auxiliary values.
    pub aux: Range<usize>,
    /// Their tiles.
    pub tiles: Range<usize>,
    /// Their cells, ghost cells included.
    pub cells: Range<usize>,
    /// Their words of a map of faces.
    pub words: Range<usize>,
}

impl Batch {
    /// Words of its map of faces without the slots: bits, a base for each word of bits, and the number of faces.
    pub fn map_words(&self) -> usize {
        2 * self.words.len() + 1
    }
}

/// Bytes that a lane needs for the largest batch.
#[derive(Clone, Copy, Debug)]
pub(super) struct LaneBytes {
    /// Of states.
    pub q: usize,
    /// Of auxiliary values.
    pub aux: usize,
    /// Of a map's words.
    pub words: usize,
    /// Of its slots.
    pub slots: usize,
}

/// A patch's numbers in an array of `components` components a cell.
fn numbers<const D: usize>(patch: &PatchLayout<D>, components: usize) -> Range<usize> {
    if components == 0 {
        return 0..0;
    }
    let start = patch.offset(components, patch.with_ghosts().lo);
    start..start + components * patch.component()
}

/// Cuts a level's patches into batches of about `batch_bytes` of states.
pub(super) fn cut<const D: usize>(
    layout: &LevelLayout<D>,
    [num_eqn, num_aux]: [usize; 2],
    bytes_of_number: usize,
    batch_bytes: usize,
) -> Vec<Batch> {
    let mut batches: Vec<Batch> = Vec::new();
    for (k, patch) in layout.here() {
        let (q, aux) = (numbers(patch, num_eqn), numbers(patch, num_aux));
        match batches.last_mut() {
            Some(batch) if (q.end - batch.q.start) * bytes_of_number <= batch_bytes => {
                batch.patches.end = k + 1;
                (batch.q.end, batch.aux.end) = (q.end, aux.end);
            }
            _ => batches.push(Batch { patches: k..k + 1, q, aux, ..Batch::default() }),
        }
    }
    batches.sort_by_key(|batch| Reverse(batch.q.len()));
    batches
}

/// Gives batches their places in arrays of one number a cell, and in a map of faces of so many words.
pub(super) fn place(batches: &mut [Batch], patches: &[Patch], num_words: usize) {
    for batch in batches {
        let (first, last) = (&patches[batch.patches.start], &patches[batch.patches.end - 1]);
        batch.cells = first.first as usize..last.first as usize + last.component as usize;
        // Patches of other ranks have no place.
        let next = patches[batch.patches.end..].iter().find(|patch| patch.component > 0);
        let end = next.map_or(num_words, |patch| patch.first_word as usize);
        batch.words = first.first_word as usize..end;
    }
}

/// Cuts all batches' patches into tiles, and gives each batch its own. `resident_tiles`: that the device works on at once.
pub(super) fn tiles_of_batches<const D: usize, R: Scalar>(
    context: &LevelSweep<'_, D, R>,
    (shape, resident_tiles): (TileShape, u32),
    batches: &mut [Batch],
) -> Vec<Tile> {
    let strips = |batch: &Batch| strip_table(context.layout, &context.sweep, shape, batch.patches.clone());
    // The device mostly has one batch to work on at a time.
    let rows = batches.first().map_or(1, |largest| rows_per_tile(strips(largest).strips(), resident_tiles));
    let cut = |n: usize| {
        let mut table = strips(&batches[n]);
        table.cut(|_| rows);
        table.tiles()
    };
    let made: Vec<Vec<Tile>> = parallel_map(batches.len(), cut);
    let mut start = 0;
    for (batch, tiles) in batches.iter_mut().zip(&made) {
        batch.tiles = start..start + tiles.len();
        start += tiles.len();
    }
    made.concat()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exec::gpu::device::patch_table;
    use crate::index::CellBox;
    use crate::mesh::LevelMesh;

    /// Batches hold each patch once, without gaps in memory, the largest first, and no more than they may unless a single
    /// patch is larger.
    #[test]
    fn batches_hold_every_patch_once() {
        let domain = CellBox::new([0, 0], [40, 30]);
        let patches = vec![
            CellBox::new([0, 0], [7, 5]),
            CellBox::new([7, 0], [9, 30]),
            CellBox::new([9, 0], [40, 30]),
            CellBox::new([0, 5], [7, 9]),
            CellBox::new([0, 9], [7, 30]),
        ];
        let mesh = LevelMesh::new(domain, [false, false], patches);
        let layout = LevelLayout::new(&mesh, 2);
        for batch_bytes in [0, 5_000, 20_000, 1 << 20] {
            let mut batches = cut(&layout, [3, 2], 8, batch_bytes);
            let (table, num_words) = patch_table(&layout);
            place(&mut batches, &table, num_words);
            for places in [|batch: &Batch| batch.cells.clone(), |batch: &Batch| batch.words.clone()] {
                let mut places: Vec<_> = batches.iter().map(places).collect();
                places.sort_by_key(|range| range.start);
                assert!(places[0].start == 0 && places.windows(2).all(|pair| pair[0].end == pair[1].start));
            }
            assert!(batches.iter().all(|batch| batch.q.len() == 3 * batch.cells.len()));
            let mut covered: Vec<usize> = batches.iter().flat_map(|batch| batch.patches.clone()).collect();
            covered.sort_unstable();
            assert_eq!(covered, (0..5).collect::<Vec<_>>());
            assert!(batches.windows(2).all(|pair| pair[0].q.len() >= pair[1].q.len()));
            for batch in &batches {
                let patches = &layout.patches[batch.patches.clone()];
                assert_eq!(batch.q.len(), patches.iter().map(|p| 3 * p.component()).sum::<usize>());
                assert_eq!(batch.aux.len(), patches.iter().map(|p| 2 * p.component()).sum::<usize>());
                assert!(patches.len() == 1 || batch.q.len() * 8 <= batch_bytes);
            }
        }
    }
}
