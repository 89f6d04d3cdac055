//! Tag sets built in one pass, on all threads.

use super::cover::place_in;
use super::{Places, TagSet, Tiling, key, low_bits};
use crate::index::{CellBox, CellIndex};
use crate::mesh::LevelMesh;
use crate::threads::join;
use rayon::prelude::*;

/// Fewest tiles per thread.
const TILES_AT_A_TIME: usize = 8;
/// Number of pieces, one per box and tile that it touches, above which several threads pay: a piece takes some forty nanoseconds.
const PIECES_FOR_THREADS: usize = 1 << 13;

impl<const D: usize> TagSet<D> {
    /// A set made tile by tile: `fill` writes the words of a tile, which are zero. Tiles may be given in any order and
    /// more than once; tags outside the domain are left out.
    pub(crate) fn from_tiles(
        domain: CellBox<D>,
        mut tiles: Vec<CellIndex<D>>,
        fill: &(dyn Fn(CellIndex<D>, &mut [u64]) + Sync),
    ) -> Self {
        let rows = Tiling::<D>::ROWS;
        tiles.retain(|&tile| Tiling::cells_of(tile).intersects(&domain));
        let tiles = sorted_once(tiles);
        let mut words = vec![0; tiles.len() * rows];
        words.par_chunks_mut(rows).zip(&tiles).with_min_len(TILES_AT_A_TIME).for_each(|(words, &tile)| {
            fill(tile, words);
            let cells = Tiling::cells_of(tile);
            let part = cells.intersect(&domain);
            if part != cells {
                let mut inside = [0; 64];
                set_bits(&part, &mut inside);
                words.iter_mut().zip(inside).for_each(|(word, mask)| *word &= mask);
            }
        });
        let tagged = |start: &usize| words[*start..start + rows].iter().any(|&w| w != 0);
        let starts = (0..).step_by(rows);
        let tiles = tiles.into_iter().map(key).zip(starts).filter(|(_, start)| tagged(start));
        TagSet { domain, tiles: Places::from_sorted(tiles), words }
    }

    /// Changes the set tile by tile: `change` gets the tile's cells in the domain and its words, and may only remove tags.
    pub(crate) fn change_tiles(&mut self, change: impl Fn(&CellBox<D>, &mut [u64]) + Sync) {
        self.parts().into_par_iter().with_min_len(TILES_AT_A_TIME).for_each(|(cells, words)| change(&cells, words));
    }

    /// Tags every cell of some boxes.
    pub fn insert_boxes(&mut self, boxes: &[CellBox<D>]) {
        let domain = self.domain;
        let inside = boxes.iter().map(|b| b.intersect(&domain));
        let spans = inside.clone().map(|b| Tiling::tiles_touching(&b));
        let around = spans.clone().fold(CellBox::EMPTY, |hull, span| hull.hull(&span));
        let pieces: usize = spans.clone().map(|span| span.volume()).sum();
        let volume = around.size().iter().try_fold(1usize, |volume, &n| volume.checked_mul(n as usize));
        if pieces > PIECES_FOR_THREADS || volume.is_none_or(|volume| volume > 1024 + 16 * pieces) {
            for tile in sorted_once(spans.flat_map(|span| span.cells()).collect()) {
                self.tile_mut(tile);
            }
            return insert_into(&mut self.parts(), boxes);
        }
        let mut starts = vec![None; around.volume()];
        for &(k, start) in self.tiles.all().iter().filter(|(k, _)| around.contains(key(*k))) {
            starts[place_in(&around, key(k))] = Some(start);
        }
        let mut added = Vec::new();
        for (part, span) in inside.zip(spans) {
            for tile in span.cells() {
                let start = *starts[place_in(&around, tile)].get_or_insert_with(|| {
                    let end = self.words.len();
                    self.words.resize(end + Tiling::<D>::ROWS, 0);
                    added.push((key(tile), end));
                    end
                });
                let words = &mut self.words[start..start + Tiling::<D>::ROWS];
                set_bits(&part.intersect(&Tiling::cells_of(tile)), words);
            }
        }
        self.tiles.add(added);
    }

    /// The cells of every tile in the domain, and its words, in the order of the words.
    pub(super) fn parts(&mut self) -> Vec<(CellBox<D>, &mut [u64])> {
        let mut tiles: Vec<_> = self.tiles.all().iter().map(|&(k, start)| (start, key(k))).collect();
        tiles.sort_unstable();
        let mut rest = &mut self.words[..];
        let mut end = 0;
        let mut parts = Vec::with_capacity(tiles.len());
        for (start, tile) in tiles {
            let (words, after) = std::mem::take(&mut rest)[start - end..].split_at_mut(Tiling::<D>::ROWS);
            (rest, end) = (after, start + Tiling::<D>::ROWS);
            parts.push((Tiling::cells_of(tile).intersect(&self.domain), words));
        }
        parts
    }

    /// Tags of a level from the bitmaps of its patches, or of those for which `is_given` is true, in the mesh's order.
    ///
    /// Shape of each bitmap: `[nz, ny, ⌈nx / 64⌉]` words, x fastest; bit `k` of a row's word `w` is cell `64 w + k`
    /// counted from the patch's first. Bits past a row's end are ignored.
    pub fn from_bitmaps(mesh: &LevelMesh<D>, is_given: impl Fn(usize) -> bool, words: &[u64]) -> Self {
        let mut starts = Vec::with_capacity(mesh.patches().len());
        let mut tiles = Vec::new();
        let mut end = 0;
        for (k, patch) in mesh.patches().iter().enumerate() {
            let start = is_given(k).then_some(end);
            starts.push(start);
            if start.is_some() {
                end += bitmap_len(patch);
                tiles.extend(Tiling::tiles_touching(patch).cells());
            }
        }
        assert_eq!(words.len(), end, "bitmaps of {} patches have the wrong length", starts.iter().flatten().count());
        TagSet::from_tiles(mesh.domain(), tiles, &|tile, found| {
            mesh.for_each_image(&Tiling::cells_of(tile).intersect(&mesh.domain()), |image| {
                if let Some(start) = starts[image.patch] {
                    add_bitmap(&mesh.patches()[image.patch], &words[start..], &image.part, found);
                }
            });
        })
    }
}

/// The tiles sorted and without duplicates. Tiles that lie close together are marked in a map of their bounding box instead of being
/// compared.
fn sorted_once<const D: usize>(mut tiles: Vec<CellIndex<D>>) -> Vec<CellIndex<D>> {
    let around = tiles.iter().fold(CellBox::EMPTY, |hull, &tile| hull.hull(&CellBox::cell(tile)));
    let size = around.size();
    let volume = size.iter().try_fold(1usize, |volume, &n| volume.checked_mul(n as usize));
    if volume.is_none_or(|volume| volume > 16 * tiles.len()) {
        tiles.sort_unstable_by_key(|&tile| key(tile));
        tiles.dedup();
        return tiles;
    }
    let mut is_there = vec![false; around.volume()];
    for tile in tiles {
        is_there[place_in(&around, tile)] = true;
    }
    around.cells().zip(is_there).filter_map(|(tile, is)| is.then_some(tile)).collect()
}

/// Tags the cells of boxes in tiles, recursively halved among threads.
fn insert_into<const D: usize>(tiles: &mut [(CellBox<D>, &mut [u64])], boxes: &[CellBox<D>]) {
    if tiles.len() <= TILES_AT_A_TIME {
        for (cells, words) in tiles {
            let parts = boxes.iter().map(|b| b.intersect(cells)).filter(|part| !part.is_empty());
            parts.for_each(|part| set_bits(&part, words));
        }
        return;
    }
    let insert = |tiles: &mut [(CellBox<D>, &mut [u64])]| {
        let around = tiles.iter().fold(CellBox::EMPTY, |around, (cells, _)| around.hull(cells));
        let near: Vec<_> = boxes.iter().filter(|b| b.intersects(&around)).copied().collect();
        insert_into(tiles, &near);
    };
    let (some, others) = tiles.split_at_mut(tiles.len() / 2);
    join(|| insert(some), || insert(others));
}

/// Sets the bits of `part`, cells of a tile.
pub(crate) fn set_bits<const D: usize>(part: &CellBox<D>, tile: &mut [u64]) {
    let mask = Tiling::row_mask(part);
    Tiling::for_each_run(part, |rows, _| tile[rows].iter_mut().for_each(|word| *word |= mask));
}

/// Clears the bits of `part`, cells of a tile.
pub(crate) fn clear_bits<const D: usize>(part: &CellBox<D>, tile: &mut [u64]) {
    let mask = Tiling::row_mask(part);
    Tiling::for_each_run(part, |rows, _| tile[rows].iter_mut().for_each(|word| *word &= !mask));
}

/// The smallest box around the bits set in a tile, one of whose cells is `cell`.
pub(crate) fn hull_of_bits<const D: usize>(cell: CellIndex<D>, tile: &[u64]) -> CellBox<D> {
    let (mut columns, mut rows) = (0, 0);
    for (row, &word) in tile.iter().enumerate() {
        columns |= word;
        rows |= u64::from(word != 0) << row;
    }
    if columns == 0 {
        return CellBox::EMPTY;
    }
    let first = Tiling::cells_of(Tiling::tile_of(cell)).lo;
    let mut hull = CellBox::new(first, first);
    for d in 0..D {
        let (stride, mut bits) = if d == 0 { (1, columns) } else { (Tiling::<D>::stride(d) as u32, rows) };
        if d > 0 && d + 1 < D {
            // Superposes the rows of all planes across the last axis.
            bits = (0..Tiling::<D>::extent(d + 1)).fold(0, |all, z| all | rows >> (z * Tiling::<D>::stride(d + 1)));
            bits &= low_bits(Tiling::<D>::extent(d) as i32);
        }
        hull.lo[d] += (bits.trailing_zeros() / stride) as i32;
        hull.hi[d] += ((63 - bits.leading_zeros()) / stride + 1) as i32;
    }
    hull
}

/// Words in the bitmap of a patch.
fn bitmap_len<const D: usize>(patch: &CellBox<D>) -> usize {
    let size = patch.size();
    (size[0] as usize).div_ceil(64) * size[1..].iter().map(|&n| n as usize).product::<usize>()
}

/// Adds the bits of `part`, cells of both a patch and a tile, to the tile's words.
fn add_bitmap<const D: usize>(patch: &CellBox<D>, bitmap: &[u64], part: &CellBox<D>, tile: &mut [u64]) {
    let size = patch.size();
    let words_per_row = (size[0] as usize).div_ceil(64);
    let first = part.lo[0] - patch.lo[0];
    let (word, shift) = (first as usize / 64, first as u32 % 64);
    let (mask, place) = (low_bits(part.hi[0] - part.lo[0]), part.lo[0] & 63);
    Tiling::for_each_row(part, |row, cell| {
        let line = (1..D).rev().fold(0, |line, d| line * size[d] as usize + (cell[d] - patch.lo[d]) as usize);
        let words = &bitmap[line * words_per_row..][..words_per_row];
        let low = words[word] >> shift;
        let high = if shift > 0 { words.get(word + 1).map_or(0, |w| w << (64 - shift)) } else { 0 };
        tile[row] |= ((low | high) & mask) << place;
    });
}
