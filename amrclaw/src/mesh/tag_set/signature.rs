//! Signatures: how many cells are tagged in each plane across an axis.
//!
//! Each tile is transposed first, so that planes normal to x are words too: a plane of a tile is then counted in one operation, whatever box
//! cuts it. A cut counts only the smaller half's tags.

use super::planes::{add_counts, add_short_counts, bits_of, transposed};
use super::{TagSet, Tiling, key, visit_tiles};
use crate::index::{CellBox, CellIndex};
use rayon::prelude::*;

/// Number of cells of a region above which several threads count its tags, and the rows of tiles per task.
const CELLS_FOR_THREADS: usize = 1 << 23;
const SLAB: i32 = 4;
/// Tiles that a thread prepares at least.
const TILES_AT_A_TIME: usize = 32;
/// The number in the map of tiles where there is no tile.
const NONE: u32 = u32::MAX;

/// Tags, preprocessed for counting in planes: a count then costs about one operation per plane and tile.
pub(crate) struct TagCounter<'a, const D: usize> {
    tags: &'a TagSet<D>,
    /// Every tile, in the order of the words.
    tiles: Vec<TransposedTile>,
    /// All tiles around the tags, and the number of each, if they are not too many; first axis fastest.
    span: CellBox<D>,
    numbers: Option<Vec<u32>>,
}

/// A tile's tags with rows and columns exchanged.
struct TransposedTile {
    /// A word for each plane across x, whose bit `r` belongs to row `r`.
    columns: [u64; 64],
    /// Tags in each column and in each row. In large boxes only these are read for most tiles.
    sums: [[u8; 64]; 2],
}

impl<'a, const D: usize> TagCounter<'a, D> {
    /// Passes over all tags once.
    pub fn new(tags: &'a TagSet<D>) -> Self {
        let prepared = |rows: &[u64]| {
            let mut words = [0; 64];
            words[..rows.len()].copy_from_slice(rows);
            let columns = transposed(&words);
            TransposedTile { columns, sums: [bits_of(&columns), bits_of(&words)] }
        };
        let transposed = tags.words.par_chunks(Tiling::<D>::ROWS).with_min_len(TILES_AT_A_TIME).map(prepared).collect();
        let span = tags.tiles().fold(CellBox::EMPTY, |span, (tile, _)| span.hull(&CellBox::cell(tile)));
        let mut counter = TagCounter { tags, tiles: transposed, span, numbers: None };
        let places = span.size().iter().try_fold(1usize, |places, &n| places.checked_mul(n as usize));
        if let Some(places) = places.filter(|&places| places <= 1024 + 16 * tags.tiles.all().len()) {
            let mut numbers = vec![NONE; places];
            for &(k, start) in tags.tiles.all() {
                numbers[counter.place_of(key(k))] = (start / Tiling::<D>::ROWS) as u32;
            }
            counter.numbers = Some(numbers);
        }
        counter
    }

    /// The tags that are counted.
    pub fn tags(&self) -> &'a TagSet<D> {
        self.tags
    }

    /// The cells of all tiles that hold or held a tag.
    pub fn bounds(&self) -> CellBox<D> {
        let lo = Tiling::cells_of(self.span.lo).lo;
        CellBox::new(lo, Tiling::cells_of(self.span.hi).lo).intersect(&self.tags.domain)
    }

    /// Adds the tagged cells of `region` in each plane across each axis, from `region.lo` on.
    pub fn count(&self, region: &CellBox<D>, signatures: [&mut [u32]; D]) {
        if region.volume() < CELLS_FOR_THREADS {
            return self.count_here(region, signatures);
        }
        // Cut between tiles: none is visited twice.
        let (last, extent) = (D - 1, Tiling::<D>::extent(D - 1) as i32);
        let tiles = Tiling::tiles_touching(region);
        let slabs: Vec<_> = (tiles.lo[last]..tiles.hi[last])
            .step_by(SLAB as usize)
            .map(|tile| {
                let mut slab = *region;
                slab.lo[last] = slab.lo[last].max(tile * extent);
                slab.hi[last] = slab.hi[last].min((tile + SLAB) * extent);
                slab
            })
            .collect();
        let count = |slab: &CellBox<D>| {
            let mut counts = slab.size().map(|n| vec![0; n as usize]);
            self.count_here(slab, counts.each_mut().map(Vec::as_mut_slice));
            counts
        };
        let counted: Vec<_> = slabs.par_iter().map(count).collect();
        for (slab, counts) in slabs.iter().zip(counted) {
            for d in 0..D {
                let first = (slab.lo[d] - region.lo[d]) as usize;
                signatures[d][first..].iter_mut().zip(&counts[d]).for_each(|(count, more)| *count += more);
            }
        }
    }

    fn count_here(&self, region: &CellBox<D>, mut signatures: [&mut [u32]; D]) {
        self.for_each_tile(&region.intersect(&self.tags.domain), |tile, part| {
            let first: [usize; D] = std::array::from_fn(|d| (part.lo[d] - region.lo[d]) as usize);
            let size = part.size().map(|n| n as usize);
            let TransposedTile { columns, sums } = &self.tiles[tile];
            let x = (part.lo[0] & 63) as usize;
            let is_whole = (0..D).all(|d| size[d] == Tiling::<D>::extent(d));
            let across_x = &mut signatures[0][first[0]..][..size[0]];
            match is_whole {
                true => add_short_counts(across_x, &sums[0]),
                false => add_counts(across_x, &columns[x..x + size[0]], Tiling::rows_mask(part)),
            }
            if D == 1 {
                return;
            }
            let rows = &self.tags.words[tile * Tiling::<D>::ROWS..][..Tiling::<D>::ROWS];
            let mask = Tiling::row_mask(part);
            Tiling::for_each_run(part, |run, cell| {
                let across_y = &mut signatures[1][first[1]..][..size[1]];
                match is_whole {
                    true => add_short_counts(across_y, &sums[1][run.clone()]),
                    false => add_counts(across_y, &rows[run.clone()], mask),
                }
                if D > 2 {
                    let z = (cell[2] - region.lo[2]) as usize;
                    signatures[2][z] += rows[run].iter().map(|row| (row & mask).count_ones()).sum::<u32>();
                }
            });
        });
    }

    /// Calls `visit` with the number of every tile that exists and touches `region`, and the region's part of it.
    fn for_each_tile(&self, region: &CellBox<D>, mut visit: impl FnMut(usize, &CellBox<D>)) {
        let Some(numbers) = &self.numbers else {
            return visit_tiles(&self.tags.tiles, region, |start, part| visit(start / Tiling::<D>::ROWS, part));
        };
        let touched = Tiling::tiles_touching(region).intersect(&self.span);
        if touched.is_empty() {
            return;
        }
        let mut first = touched.lo;
        loop {
            let place = self.place_of(first);
            let along = (touched.hi[0] - first[0]) as usize;
            let mut tile = first;
            for &number in numbers[place..place + along].iter() {
                if number != NONE {
                    visit(number as usize, &region.intersect(&Tiling::cells_of(tile)));
                }
                tile[0] += 1;
            }
            let Some(d) = (1..D).find(|&d| first[d] + 1 < touched.hi[d]) else { return };
            first[d] += 1;
            first[1..d].copy_from_slice(&touched.lo[1..d]);
        }
    }

    /// Place of a tile in the map of tiles.
    fn place_of(&self, tile: CellIndex<D>) -> usize {
        self.span.number_of(tile)
    }
}
