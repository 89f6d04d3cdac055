//! Flagged cells of one level, one bit each.

mod algebra;
mod buffer;
mod build;
mod cover;
mod places;
mod planes;
mod signature;
mod tiling;
mod words;

use crate::index::{CellBox, CellIndex};
pub use buffer::buffer;
pub(crate) use build::{clear_bits, hull_of_bits};
pub(crate) use cover::TileCover;
use places::Places;
pub(crate) use planes::{has_empty_plane, jump_and_distance, strongest_bend};
pub(crate) use signature::TagCounter;
pub(crate) use tiling::Tiling;
use tiling::{key, visit_tiles};

/// Flagged cells of one level, one bit each.
///
/// Bits are packed in words along x, the words in tiles (see `Tiling`), and only tiles that hold or held a tag exist:
/// memory follows the tags and not the level's index space. Operations cost words, not cells.
#[derive(Clone)]
pub struct TagSet<const D: usize> {
    domain: CellBox<D>,
    /// Where a tile's words begin, by `tiling::key`.
    tiles: Places<D>,
    words: Vec<u64>,
}

/// `n` low bits set, `1 <= n <= 64`.
fn low_bits(n: i32) -> u64 {
    u64::MAX >> (64 - n)
}

impl<const D: usize> TagSet<D> {
    /// No tags on a level that covers `domain`.
    pub fn new(domain: CellBox<D>) -> Self {
        TagSet { domain, tiles: Places::default(), words: Vec::new() }
    }

    /// The cells that may be tagged. Whatever is inserted outside of it is left out.
    pub fn domain(&self) -> &CellBox<D> {
        &self.domain
    }

    /// Tags one cell.
    pub fn insert(&mut self, cell: CellIndex<D>) {
        self.insert_row(cell, 1);
    }

    /// Tags up to 64 cells in a row: bit `k` stands for the cell `k` cells after `start` along x.
    pub fn insert_row(&mut self, start: CellIndex<D>, bits: u64) {
        let mut row = CellBox::cell(start);
        row.hi[0] = start[0] + 64;
        let row = row.intersect(&self.domain);
        if row.is_empty() {
            return;
        }
        let bits = (bits >> (row.lo[0] - start[0])) & low_bits(row.hi[0] - row.lo[0]);
        let shift = row.lo[0] & 63;
        self.or_word(row.lo, bits << shift);
        if shift > 0 {
            let mut next = row.lo;
            next[0] += 64 - shift;
            self.or_word(next, bits >> (64 - shift));
        }
    }

    /// True if the cell is tagged.
    pub fn contains(&self, cell: CellIndex<D>) -> bool {
        let word = self.tiles.get(&key(Tiling::tile_of(cell))).map(|start| self.words[start + Tiling::row_of(cell)]);
        word.is_some_and(|w| w >> (cell[0] & 63) & 1 == 1)
    }

    /// True if no cell is tagged.
    pub fn is_empty(&self) -> bool {
        self.words.iter().all(|&w| w == 0)
    }

    /// Tagged cells.
    pub fn count(&self) -> usize {
        self.words.iter().map(|w| w.count_ones() as usize).sum()
    }

    /// The smallest box that holds all tags; empty if there are none.
    pub fn bounding_box(&self) -> CellBox<D> {
        self.bounding_box_in(&self.domain)
    }

    /// The smallest box that holds the tags of `region`; empty if there are none.
    pub fn bounding_box_in(&self, region: &CellBox<D>) -> CellBox<D> {
        let mut hull = CellBox::EMPTY;
        self.for_each_word(region, |origin, bits| {
            let mut row = CellBox::cell(origin);
            row.hi[0] = origin[0] + 64 - bits.leading_zeros() as i32;
            row.lo[0] = origin[0] + bits.trailing_zeros() as i32;
            hull = hull.hull(&row);
        });
        hull
    }

    /// All tagged cells: tile by tile, in a tile row by row. The order depends on nothing but the tags.
    pub fn iter(&self) -> impl Iterator<Item = CellIndex<D>> {
        self.tiles().flat_map(|(tile, words)| {
            let rows = Tiling::cells_of(tile);
            words.iter().enumerate().filter(|(_, bits)| **bits != 0).flat_map(move |(row, &bits)| {
                let mut cell = rows.lo;
                for d in 1..D {
                    cell[d] += (row / Tiling::<D>::stride(d) % Tiling::<D>::extent(d)) as i32;
                }
                (0..64).filter(move |k| bits >> k & 1 == 1).map(move |k| {
                    cell[0] = rows.lo[0] + k;
                    cell
                })
            })
        })
    }

    /// Tiles in order, first axis fastest, with their words. Some may hold no tag.
    pub(crate) fn tiles(&self) -> impl Iterator<Item = (CellIndex<D>, &[u64])> {
        self.tiles.all().iter().map(|&(k, start)| (key(k), &self.words[start..start + Tiling::<D>::ROWS]))
    }

    /// The words of a tile, if it exists.
    pub(crate) fn tile(&self, tile: CellIndex<D>) -> Option<&[u64]> {
        self.tiles.get(&key(tile)).map(|start| &self.words[start..start + Tiling::<D>::ROWS])
    }

    /// Adds tags to a tile, as far as they lie in the domain.
    pub(crate) fn or_tile(&mut self, tile: CellIndex<D>, bits: &[u64]) {
        let part = Tiling::cells_of(tile).intersect(&self.domain);
        if part.is_empty() || bits.iter().all(|&w| w == 0) {
            return;
        }
        let mask = Tiling::row_mask(&part);
        let words = self.tile_mut(tile);
        Tiling::for_each_row(&part, |row, _| words[row] |= bits[row] & mask);
    }

    /// Calls `visit` for every word with tags in `region`: the cell of the word's lowest bit, and the bits of the
    /// region's cells.
    pub(crate) fn for_each_word(&self, region: &CellBox<D>, mut visit: impl FnMut(CellIndex<D>, u64)) {
        visit_tiles(&self.tiles, &region.intersect(&self.domain), |start, part| {
            let mask = Tiling::row_mask(part);
            Tiling::for_each_row(part, |row, mut cell| {
                let bits = self.words[start + row] & mask;
                if bits != 0 {
                    cell[0] &= !63;
                    visit(cell, bits);
                }
            });
        });
    }

    /// Sets bits of the word that holds `cell`, which must lie in the domain if any bit is set.
    fn or_word(&mut self, cell: CellIndex<D>, bits: u64) {
        if bits != 0 {
            self.tile_mut(Tiling::tile_of(cell))[Tiling::row_of(cell)] |= bits;
        }
    }

    /// The words of a tile, which is created if it does not exist.
    fn tile_mut(&mut self, tile: CellIndex<D>) -> &mut [u64] {
        let end = self.words.len();
        let start = self.tiles.get_or_insert(key(tile), end);
        if start == end {
            self.words.resize(end + Tiling::<D>::ROWS, 0);
        }
        &mut self.words[start..start + Tiling::<D>::ROWS]
    }
}

impl<const D: usize> std::fmt::Debug for TagSet<D> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} tags in {:?} ", self.count(), self.domain)?;
        f.debug_set().entries(self.iter().take(100)).finish()
    }
}

#[cfg(test)]
mod tests;
