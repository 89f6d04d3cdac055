//! What changes the speed of kernels and never a result: sizes of blocks and chunks, warps that a multiprocessor should hold, and the
//! height of the update's tiles. Each tile computes a few rows beyond its own, which favours tall tiles; but the device waits for the last
//! tile, which favours short ones.

use riemann::device_source::DeviceSource;
use riemann::real::Precision;
use std::ops::RangeInclusive;

/// Lanes of a warp.
pub const LANES: i32 = 32;

/// Threads of a block where a warp takes a chunk, or a thread an item.
pub const THREADS: u32 = 128;

/// Warps that a table should give work to.
pub const CHUNK_WARPS: usize = 1 << 14;

/// Cells of a chunk in a table of so many cells: whole turns of a warp.
pub fn chunk_cells(total: usize) -> u32 {
    (total / CHUNK_WARPS).next_multiple_of(32).clamp(32, 1024) as u32
}

/// Most chunks of a table of so many items and cells: each item may end with a smaller chunk.
pub fn most_chunks(items: usize, cells: usize) -> usize {
    items + (cells / 32).min(2 * CHUNK_WARPS) + cells / 1024
}

/// Threads that number the faces of a patch, by dimensions.
pub const NUMBER_THREADS: [u32; 3] = [32, 256, 512];

/// Threads that flag a tile.
pub const FLAG_THREADS: u32 = 512;

/// Threads of a block whose sums of leaves wait for those of blocks before.
pub const LEAVES_THREADS: u32 = 512;

/// Threads that widen a tile's flags, by dimensions: one for each row of the tile and of its neighbours across x, in whole warps.
pub const WIDEN_THREADS: [u32; 3] = [32, 192, 576];

/// Threads of a block that clusters tags.
pub const CLUSTER_THREADS: u32 = 512;

/// Threads of a block that plans a patch: a warp for each level with patches near it.
pub const PLAN_THREADS: u32 = 3 * LANES as u32;

/// Threads of a block that adds up a column of counts.
pub const SUM_THREADS: u32 = 256;

/// Threads of a block that extracts a part of a list of items: it reads the whole list.
pub const DIVIDE_THREADS: u32 = 1024;

/// Planes of a candidate for which a block has memory: its signatures.
pub const BLOCK_PLANES: usize = 5120;

/// Most cells of a plane, each of which may hold a tag: the rank of a cut has 29 bits for the largest second difference.
pub const MAX_PLANE_CELLS: usize = 1 << 26;

/// Aligned tiles along a Morton curve, a bit each, for which a level is given memory.
pub const MAX_TILES: u128 = 1 << 27;

/// Least number of blocks for each patch where there is no table of chunks.
const BLOCKS_PER_PATCH: u32 = 8;

/// Blocks that a level should be given then: more than a device runs at once.
const BLOCKS_PER_LEVEL: usize = 1 << 12;

/// Number of blocks for each of `patches` patches with `cells` cells together: each thread has about one cell, up to as many threads as a
/// device can use.
pub fn patch_blocks(patches: usize, cells: usize) -> u32 {
    let blocks = cells.div_ceil(THREADS as usize).min(BLOCKS_PER_LEVEL);
    (blocks.div_ceil(patches.max(1)) as u32).max(BLOCKS_PER_PATCH)
}

/// Warps that a multiprocessor should hold at once: more of them hide more latency, until registers spill.
pub(super) fn warps_per_multiprocessor(solver: &DeviceSource, precision: Precision) -> u32 {
    // Numbers that a lane keeps from row to row, about.
    let kept = solver.equations * (12 + 2 * solver.waves) + 4 * solver.aux;
    match precision {
        Precision::F64 if kept <= 48 => 16,
        Precision::F64 => 8,
        Precision::F32 if kept <= 48 => 28,
        Precision::F32 if kept <= 80 => 16,
        Precision::F32 => 12,
    }
}

/// Threads that a multiprocessor has where three axes are updated at once, with many values in registers and with fewer: each then has all
/// 255 registers, or 168. Spilled values cost more than missing warps.
const SPACE_THREADS: [u32; 2] = [256, 384];
/// Threads of a block then, in order of preference. Each has a column; those of the columns around the tile compute for their neighbours
/// only, so that large blocks are good.
const SPACE_BLOCKS: [&[u32]; 2] = [&[256, 128, 64], &[352, 192, 128, 64]];
/// Bytes of shared memory that a block has by default.
const SHARED_BYTES: usize = 48 << 10;
/// Vectors that a column passes to its neighbours at a time.
const PASSED: usize = 4;

/// Threads of a block that updates a tile in space, and blocks that a multiprocessor should hold.
pub(super) fn space_block(equations: usize, precision: Precision) -> [u32; 2] {
    let bytes = if precision == Precision::F64 { 8 } else { 4 };
    // A column of one equation in double precision keeps as few values as one of several in single.
    let row = usize::from(precision == Precision::F32 || equations == 1);
    let fits = |threads: &&u32| PASSED * equations * bytes * **threads as usize <= SHARED_BYTES;
    let threads = SPACE_BLOCKS[row].iter().find(fits).map_or(LANES as u32, |&threads| threads);
    [threads, SPACE_THREADS[row] / threads]
}

/// Rows that a warp marches through beyond those of its tile, about: some below it and some above.
pub(super) const EXTRA_ROWS: i32 = 4;
/// The part of the last tiles' time that the device waits for: measured on an H200, by heights from 16 to 128.
const TAIL: f64 = 0.8;
/// Heights that are tried: all tiles', and the least of three.
const HEIGHTS: RangeInclusive<i32> = 4..=128;
const LEAST_HEIGHTS: RangeInclusive<i32> = 8..=32;
/// Fractions of a level's cells in tiles of the full height, and of half of it; the rest gets a quarter.
const SHARES: [f64; 2] = [0.6, 0.25];

/// The strips of a level, which are cut into tiles, by their height.
struct Strips {
    /// Number of strips that are taller than each height.
    taller: Vec<u64>,
    rows: f64,
    /// Tiles that the device works on at once.
    resident: f64,
}

impl Strips {
    fn new(strips: impl Iterator<Item = [i32; 2]>, resident_tiles: u32) -> Strips {
        let mut counts: Vec<u64> = Vec::new();
        for [height, count] in strips {
            let height = height as usize;
            if counts.len() <= height {
                counts.resize(height + 1, 0);
            }
            counts[height] += count as u64;
        }
        let rows = counts.iter().enumerate().map(|(height, count)| height as u64 * count).sum::<u64>() as f64;
        let mut above = 0;
        for count in counts.iter_mut().rev() {
            above += std::mem::replace(count, above);
        }
        Strips { taller: counts, rows, resident: f64::from(resident_tiles.max(1)) }
    }

    /// Number of tiles of at most so many rows: the n-th tile of a strip begins where those before it end.
    fn tiles(&self, rows: i32) -> f64 {
        self.taller.iter().step_by(rows as usize).sum::<u64>() as f64
    }

    /// Time of a level, in rows of a warp, where tiles have one height.
    fn time(&self, rows: i32) -> f64 {
        let tiles = self.tiles(rows);
        if tiles <= self.resident {
            return f64::from(rows + EXTRA_ROWS);
        }
        (self.rows + f64::from(EXTRA_ROWS) * tiles) / self.resident + TAIL * f64::from(rows)
    }

    /// Time of a level, in rows of a warp, where tiles come in three heights.
    fn graded_time(&self, rows: i32) -> f64 {
        let [whole, half] = SHARES;
        let shares = [(rows, whole), (rows / 2, half), (rows / 4, 1.0 - whole - half)];
        let tiles: f64 = shares.iter().map(|&(rows, share)| share * self.tiles(rows)).sum();
        let tail = TAIL * f64::from(rows / 4);
        ((self.rows + f64::from(EXTRA_ROWS) * tiles) / self.resident + tail).max(f64::from(rows + EXTRA_ROWS))
    }
}

fn best(candidates: impl Iterator<Item = i32>, time: impl Fn(i32) -> f64) -> (i32, f64) {
    let timed = candidates.map(|rows| (rows, time(rows)));
    timed.min_by(|a, b| a.1.total_cmp(&b.1)).expect("there are candidates")
}

/// Most rows, or planes, of a tile with which strips take the least time on a device that runs `resident_tiles` tiles at once, if all tiles
/// have the same height. `strips`: rows and number of the strips of one width, see [`super::TileTable::strips`].
pub fn rows_per_tile(strips: impl Iterator<Item = [i32; 2]>, resident_tiles: u32) -> i32 {
    let strips = Strips::new(strips, resident_tiles);
    best(HEIGHTS, |rows| strips.time(rows)).0
}

/// Heights of the tiles of a level's patches, in rows or planes: tall ones for the first patches, and short ones for the last, with
/// which the device ends, where there are more tiles than it runs at once.
#[derive(Clone, Debug)]
pub struct TileHeights {
    rows: [i32; 3],
    /// Rows of the strips that get the first height, the second one.
    shares: [i64; 2],
}

impl TileHeights {
    /// The heights that take the least time: see [`rows_per_tile`].
    pub fn new(strips: impl Iterator<Item = [i32; 2]>, resident_tiles: u32) -> Self {
        let strips = Strips::new(strips, resident_tiles);
        let all = strips.rows;
        let (rows, time) = best(HEIGHTS, |rows| strips.time(rows));
        let (tallest, graded_time) = best(LEAST_HEIGHTS.map(|least| 4 * least), |rows| strips.graded_time(rows));
        if time <= graded_time {
            return TileHeights { rows: [rows; 3], shares: [all as i64, 0] };
        }
        TileHeights { rows: [tallest, tallest / 2, tallest / 4], shares: SHARES.map(|share| (share * all) as i64) }
    }

    /// Most rows of a tile in the next patch, which has `count` strips of this height.
    pub fn next(&mut self, [height, count]: [i32; 2]) -> i32 {
        let class = self.shares.iter().position(|&left| left > 0).unwrap_or(2);
        if let Some(left) = self.shares.get_mut(class) {
            *left -= i64::from(height) * i64::from(count);
        }
        self.rows[class]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// However cells are shared out among items, there are no more chunks than room is made for.
    #[test]
    fn chunks_have_room() {
        for cells in [0, 1, 31, 33, 500_000, 1 << 19, (1 << 19) + 1, 600_000, 1 << 24, (1 << 24) + 1, 1 << 26] {
            for items in [1, 7, 1000, 100_000] {
                let of_item = |k: usize| cells * (k + 1) / items - cells * k / items;
                let chunks: usize = (0..items).map(|k| of_item(k).div_ceil(chunk_cells(cells) as usize)).sum();
                assert!(chunks <= most_chunks(items, cells), "{cells} cells, {items} items: {chunks} chunks");
            }
        }
    }

    /// Where there are many tiles, they are tall; where there are few, strips are cut so that every warp has one, into the shortest
    /// that leave none waiting.
    #[test]
    fn tiles_are_as_tall_as_is_good() {
        let strips = |n: i32| [n, (n + 27) / 28];
        let rows = |patches: usize, n: i32| rows_per_tile(std::iter::repeat_n(strips(n), patches), 1584);
        assert!(rows(256, 256) >= 32, "{}", rows(256, 256));
        // 40 strips of 37 tiles; of 43 with a row less, 1720, some would wait.
        assert_eq!(rows(4, 256), 7);
    }

    /// Few patches are shared by many blocks, so that each thread has a cell; many patches by the least number.
    #[test]
    fn cells_of_few_patches_have_a_thread_each() {
        assert_eq!(patch_blocks(50, 50 * 68 * 68), 37);
        assert_eq!(patch_blocks(1, 4096 * 4096), 4096);
        assert_eq!((patch_blocks(2000, 2000 * 32 * 32), patch_blocks(0, 0)), (8, 8));
    }

    /// Where each warp has one tile, all have one height; where there are many, most cells are in tall tiles and the last ones
    /// in short ones.
    #[test]
    fn the_last_of_many_tiles_are_short() {
        let heights = |patches: usize, n: i32| {
            let strips = std::iter::repeat_n([n, (n + 27) / 28], patches);
            let mut heights = TileHeights::new(strips.clone(), 1584);
            strips.map(|strips| heights.next(strips)).collect::<Vec<_>>()
        };
        let few = heights(16, 250);
        assert!(few.iter().all(|rows| *rows == few[0]) && 16 * 9 * 250_usize.div_ceil(few[0] as usize) <= 1584);
        let many = heights(585, 72);
        let (first, last) = (many[0], many[584]);
        assert!(first == 4 * last && many.is_sorted_by_key(|rows| -rows), "{first}, {last}");
        let tall = many.iter().filter(|rows| **rows == first).count();
        assert!((345..=360).contains(&tall), "{tall}");
    }
}
