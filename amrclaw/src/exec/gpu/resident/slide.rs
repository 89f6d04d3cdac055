//! New states that overwrite old ones, with little more memory than one array takes.
//!
//! A level's array of states slides: one sweep writes it at a distance further up in memory, the next one back down. Patches are swept
//! in batches no larger than this distance. A sweep up begins with the last batch; the batch before it is then written to where the
//! last one was, which is not read any more. A sweep down begins with the first batch.
//!
//! It keeps runs in three dimensions within three times one copy of all values. Let the levels have shares 0.2, 0.3 and 0.5 of them: the coarsest
//! has two arrays, the next three, and both share two for the parts of split steps, 1.9 copies; the finest adds 2.1 halves where it slides. Without
//! sliding it would add three halves and make the shared arrays as large as its own, 3.8 copies in all instead of 3.0.

use crate::fields::{LevelLayout, PatchLayout};
use std::ops::Range;

/// Approximate number of batches of a level: the array takes the memory of one batch more.
const BATCHES: usize = 8;
/// Least number of patches in a batch for each tile that the device works on at once: then few tiles wait for others.
const PATCHES_PER_TILE: usize = 2;

/// How a level's states slide.
pub(super) struct Slide {
    /// The distance, in bytes.
    pub bytes: usize,
    /// Patches that are swept together: their states are no larger than the distance.
    pub batches: Vec<Range<usize>>,
}

impl Slide {
    /// Of a level's patches. `cell`: bytes of a cell's state.
    pub fn new<const D: usize>(layout: &LevelLayout<D>, cell: usize) -> Slide {
        let numbers = |patch: &PatchLayout<D>| if patch.is_local { patch.component() } else { 0 };
        let largest = layout.patches.iter().map(numbers).max().unwrap_or(0);
        let bytes = (cell * largest.max(layout.num_cells_with_ghosts() / BATCHES)).next_multiple_of(512);
        let mut batches: Vec<Range<usize>> = Vec::new();
        let mut room = 0;
        for (k, patch) in layout.patches.iter().enumerate() {
            let needed = cell * numbers(patch);
            match batches.last_mut() {
                Some(batch) if needed <= room => batch.end = k + 1,
                _ => {
                    batches.push(k..k + 1);
                    room = bytes;
                }
            }
            room -= needed;
        }
        Slide { bytes, batches }
    }
}

/// True if a level has enough patches to slide.
pub(super) fn is_worth_it(num_patches: usize, resident_tiles: u32) -> bool {
    num_patches >= BATCHES * PATCHES_PER_TILE * resident_tiles as usize
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::index::CellBox;
    use crate::mesh::LevelMesh;

    /// Swept up in batches from the last, or down from the first, no batch is written over states that are still to be read: its own or
    /// those of batches to come.
    #[test]
    fn nothing_is_written_over_what_is_to_be_read() {
        let domain = CellBox::new([0, 0], [300, 8]);
        let ends: Vec<i32> = (0..24).map(|k| k * 11 + k * k % 7).chain([300]).collect();
        let patches = ends.windows(2).map(|x| CellBox::new([x[0], 0], [x[1], 8])).collect();
        let layout = LevelLayout::new(&LevelMesh::new(domain, [false; 2], patches), 2);
        let Slide { bytes: way, batches: runs } = Slide::new(&layout, 3 * 8);
        assert!(runs.len() >= BATCHES && way <= layout.len(3) * 8 / 4, "{way} bytes, {} batches", runs.len());
        assert!(runs.iter().flat_map(|run| run.clone()).eq(0..layout.patches.len()));
        let bytes = |run: &Range<usize>| {
            let at = |k: usize| layout.patches[k].offset(3, layout.patches[k].with_ghosts().lo) * 8;
            let last = &layout.patches[run.end - 1];
            at(run.start)..at(run.end - 1) + last.component() * 24
        };
        let apart = |a: &Range<usize>, b: &Range<usize>| a.end <= b.start || b.end <= a.start;
        let moved = |run: &Range<usize>, by: usize| run.start + by..run.end + by;
        for (n, run) in runs.iter().enumerate() {
            let up = moved(&bytes(run), way);
            assert!(runs[..=n].iter().all(|other| apart(&up, &bytes(other))), "up, batch {n}");
            let down = bytes(run);
            assert!(runs[n..].iter().all(|other| apart(&down, &moved(&bytes(other), way))), "down, batch {n}");
        }
    }
}
