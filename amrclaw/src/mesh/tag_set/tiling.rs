//! How a level's index space is cut into tiles of bits.

use super::places::Places;
use crate::index::{CellBox, CellIndex};
use std::ops::Range;

/// Tiles of 64, 64 × 64 or 64 × 8 × 8 cells: one word for each row of 64 cells along x.
///
/// Tiles are counted like cells, from index 0 of the level, and need not line up with the domain's sides.
pub(crate) struct Tiling<const D: usize>;

impl<const D: usize> Tiling<D> {
    /// Binary logarithm of a tile's cells along each axis.
    const LOG2: [u32; D] = {
        assert!(1 <= D && D <= 3, "tags have one, two or three dimensions");
        let mut log2 = [6; D];
        let mut d = 1;
        while d < D {
            log2[d] = if D == 2 { 6 } else { 3 };
            d += 1;
        }
        log2
    };

    /// Rows, and so words, in a tile.
    pub const ROWS: usize = if D == 1 { 1 } else { 64 };

    /// Cells of a tile along `axis`.
    pub const fn extent(axis: usize) -> usize {
        1 << Self::LOG2[axis]
    }

    /// Distance in words between neighbours along `axis`, for the axes across a row.
    pub const fn stride(axis: usize) -> usize {
        if axis <= 1 { 1 } else { 1 << Self::LOG2[1] }
    }

    /// The tile that holds a cell.
    pub fn tile_of(cell: CellIndex<D>) -> CellIndex<D> {
        std::array::from_fn(|d| cell[d] >> Self::LOG2[d])
    }

    /// The cells of a tile.
    pub fn cells_of(tile: CellIndex<D>) -> CellBox<D> {
        CellBox::new(
            std::array::from_fn(|d| tile[d] << Self::LOG2[d]),
            std::array::from_fn(|d| (tile[d] + 1) << Self::LOG2[d]),
        )
    }

    /// The tiles that share a cell with `region`, as a box of tiles.
    pub fn tiles_touching(region: &CellBox<D>) -> CellBox<D> {
        if region.is_empty() {
            return CellBox::EMPTY;
        }
        CellBox::new(Self::tile_of(region.lo), Self::tile_of(region.hi.map(|x| x - 1)).map(|x| x + 1))
    }

    /// Bits of a word that belong to `part`, a piece of one tile.
    pub fn row_mask(part: &CellBox<D>) -> u64 {
        let cells = (part.hi[0] - part.lo[0]) as u32;
        (u64::MAX >> (64 - cells)) << (part.lo[0] & 63)
    }

    /// Rows of `part`, a piece of one tile, as bits.
    pub fn rows_mask(part: &CellBox<D>) -> u64 {
        let mut mask = 1;
        for d in 1..D {
            // Bits of the first `size` rows along this axis, as far apart as neighbours are.
            let stride = Self::stride(d);
            let size = (part.hi[d] - part.lo[d]) as usize;
            let neighbours = (u64::MAX / (u64::MAX >> (64 - stride))) & (u64::MAX >> (64 - size * stride));
            mask = (mask * neighbours) << ((part.lo[d] as usize & (Self::extent(d) - 1)) * stride);
        }
        mask
    }

    /// Word of the row through `cell`, counted within its tile.
    pub fn row_of(cell: CellIndex<D>) -> usize {
        (1..D).map(|d| (cell[d] as usize & (Self::extent(d) - 1)) * Self::stride(d)).sum()
    }

    /// Calls `visit` with the words, counted within the tile, and the first cell of rows of `part`, a piece of one tile,
    /// that lie one after another: all of them in the plane, a plane's in space.
    pub fn for_each_run(part: &CellBox<D>, mut visit: impl FnMut(Range<usize>, CellIndex<D>)) {
        let along = if D > 1 { (part.hi[1] - part.lo[1]) as usize } else { 1 };
        let mut cell = part.lo;
        for z in if D > 2 { part.lo[2]..part.hi[2] } else { 0..1 } {
            if D > 2 {
                cell[2] = z;
            }
            let first = Self::row_of(cell);
            visit(first..first + along, cell);
        }
    }

    /// Calls `visit` with the word, counted within the tile, and the first cell of every row of `part`, a piece of
    /// one tile.
    pub fn for_each_row(part: &CellBox<D>, mut visit: impl FnMut(usize, CellIndex<D>)) {
        let range = |d: usize| if d < D { part.lo[d]..part.hi[d] } else { 0..1 };
        let mut cell = part.lo;
        for z in range(2) {
            if D > 2 {
                cell[2] = z;
            }
            for y in range(1) {
                if D > 1 {
                    cell[1] = y;
                }
                visit(Self::row_of(cell), cell);
            }
        }
    }
}

/// A tile's place in the order of tiles, first axis fastest; its own inverse.
pub(super) fn key<const D: usize>(mut tile: CellIndex<D>) -> [i32; D] {
    tile.reverse();
    tile
}

/// Calls `visit` with the first word of every tile that exists and touches `region`, and the region's part of it.
///
/// Skips along the sorted tiles, so that neither a large region with few tiles nor a small one among many is slow.
pub(super) fn visit_tiles<const D: usize>(
    tiles: &Places<D>,
    region: &CellBox<D>,
    mut visit: impl FnMut(usize, &CellBox<D>),
) {
    let span = Tiling::tiles_touching(region);
    if span.is_empty() {
        return;
    }
    let last = key(span.hi.map(|x| x - 1));
    let mut next = Some(span.lo);
    while let Some(first) = next.take() {
        for &(k, start) in tiles.starting_at(&key(first)).iter().take_while(|(k, _)| *k <= last) {
            let tile = key(k);
            if !span.contains(tile) {
                next = next_in_span(tile, &span);
                break;
            }
            visit(start, &region.intersect(&Tiling::cells_of(tile)));
        }
    }
}

/// The first tile after `tile` that lies in `span`, first axis fastest; none if there is none.
fn next_in_span<const D: usize>(tile: CellIndex<D>, span: &CellBox<D>) -> Option<CellIndex<D>> {
    let mut next = tile;
    for d in (0..D).rev() {
        if next[d] < span.lo[d] {
            next[..=d].copy_from_slice(&span.lo[..=d]);
            return Some(next);
        }
        if next[d] >= span.hi[d] {
            return advance(next, d + 1, span);
        }
    }
    advance(next, 0, span)
}

/// The next tile of `span` that differs from `tile` along an axis not before `axis`.
fn advance<const D: usize>(mut tile: CellIndex<D>, axis: usize, span: &CellBox<D>) -> Option<CellIndex<D>> {
    let d = (axis..D).find(|&d| tile[d] + 1 < span.hi[d])?;
    tile[d] += 1;
    tile[..d].copy_from_slice(&span.lo[..d]);
    Some(tile)
}
