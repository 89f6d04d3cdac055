//! Cutting patches into tiles.

use super::Tile;
use super::tuning::{LANES, space_block};
use crate::compile::Precision;
use crate::kernel::Grid;

/// Three axes are swept at once.
pub(super) fn in_space(sweep: [bool; 3]) -> bool {
    sweep == [true; 3]
}

/// Which tiles the update of some axes takes. One block works on a tile, marching along an axis: a warp on columns of a plane, or, where
/// three axes are swept at once, a thread on each column of cells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TileShape {
    sweep: [bool; 3],
    threads: u32,
    /// Blocks that a multiprocessor should hold, where three axes are swept at once.
    blocks: u32,
}

impl TileShape {
    /// `sweep`: axes swept at once. `equations`: of the solver.
    pub fn new(sweep: [bool; 3], equations: usize, precision: Precision) -> Self {
        let [threads, blocks] = if in_space(sweep) { space_block(equations, precision) } else { [LANES as u32, 0] };
        TileShape { sweep, threads, blocks }
    }

    /// Threads of a block.
    pub fn threads(self) -> u32 {
        self.threads
    }

    /// Blocks that a multiprocessor should hold, where three axes are swept at once.
    pub(super) fn blocks(self) -> u32 {
        self.blocks
    }

    /// The launch for so many tiles.
    pub fn grid(self, num_tiles: u32) -> Grid {
        Grid { blocks: [num_tiles, 1, 1], threads: self.threads, shared_bytes: 0 }
    }

    /// The axis that tiles are marched along: 1 is y, 2 is z.
    pub fn along(self) -> usize {
        if self.sweep[2] { 2 } else { 1 }
    }

    /// How a box of this size is cut along each axis, into pieces of its whole height.
    fn cuts(self, size: [i32; 3]) -> [Cut; 3] {
        let along = self.along();
        if in_space(self.sweep) {
            let [x, y] = cross_section(self.threads as i32, [size[0], size[1]]);
            return [Cut::evenly(size[0], x), Cut::evenly(size[1], y), Cut::whole(size[2])];
        }
        // A warp's lanes, less those that it computes for their neighbours alone.
        let columns = if self.sweep[0] { LANES - 4 } else { LANES };
        let mut cuts = [Cut::at_every(columns, size[0]), Cut::at_every(1, size[1]), Cut::at_every(1, size[2])];
        cuts[along] = Cut::whole(size[along]);
        cuts
    }

    /// Height and number of the pieces that a box of this size is cut into across the axis that they are marched along.
    pub fn strips(self, size: [i32; 3]) -> [i32; 2] {
        [size[self.along()], self.cuts(size).iter().map(|cut| cut.count).product()]
    }
}

/// The number of pieces along x and y, all with cells around them, of which a block has a thread for each column: the fewest. Among
/// these, those that are longest along x.
fn cross_section(threads: i32, [columns, rows]: [i32; 2]) -> [i32; 2] {
    let pieces = |x: i32| {
        let most_rows = threads / (Cut::evenly(columns, x).longest() + 2) - 2;
        (most_rows > 0).then(|| [x, (rows + most_rows - 1) / most_rows])
    };
    // One column and one row always fit.
    (1..=columns.max(1)).filter_map(pieces).min_by_key(|[x, y]| x * y.max(&1)).unwrap_or([columns, rows])
}

/// How cells along an axis are cut into pieces.
#[derive(Clone, Copy, Debug)]
struct Cut {
    cells: i32,
    count: i32,
    /// Cells of a piece.
    length: i32,
    /// So many pieces, the first ones, have one cell more.
    longer: i32,
}

impl Cut {
    /// One piece.
    fn whole(cells: i32) -> Cut {
        Cut { cells, count: 1, length: cells, longer: 0 }
    }

    /// Pieces of one length, but the last.
    fn at_every(length: i32, cells: i32) -> Cut {
        Cut { cells, count: (cells + length - 1) / length, length, longer: 0 }
    }

    /// So many pieces of nearly equal length.
    fn evenly(cells: i32, count: i32) -> Cut {
        let count = count.max(1);
        Cut { cells, count, length: cells / count, longer: cells % count }
    }

    /// Length of the longest.
    fn longest(self) -> i32 {
        self.length + i32::from(self.longer > 0)
    }

    /// First cell of a piece, and one past its last.
    fn piece(self, number: i32) -> [i32; 2] {
        [number, number + 1].map(|n| (n * self.length + n.min(self.longer)).min(self.cells))
    }
}

/// Cells of a patch, and how they are cut.
#[derive(Clone, Copy, Debug)]
struct CutPatch {
    patch: u32,
    lo: [i32; 3],
    cuts: [Cut; 3],
}

/// Patches of a level, cut into tiles.
#[derive(Clone, Debug)]
pub struct TileTable {
    shape: TileShape,
    patches: Vec<CutPatch>,
}

impl TileTable {
    /// No tiles, of this shape.
    pub fn new(shape: TileShape) -> Self {
        TileTable { shape, patches: Vec::new() }
    }

    /// Cuts the cells `lo .. hi` of a patch, counted from its first interior cell, into tiles of at most `height` cells along the axis
    /// that they are marched along, all of nearly the same height.
    pub fn add_patch(&mut self, height: i32, patch: u32, [lo, hi]: [[i32; 3]; 2]) {
        let size: [i32; 3] = std::array::from_fn(|d| hi[d] - lo[d]);
        let (along, mut cuts) = (self.shape.along(), self.shape.cuts(size));
        cuts[along] = Cut::evenly(size[along], (size[along] + height - 1) / height);
        self.patches.push(CutPatch { patch, lo, cuts });
    }

    /// The tiles, patch by patch.
    pub fn tiles(&self) -> Vec<Tile> {
        let mut tiles = Vec::with_capacity(self.patches.iter().map(CutPatch::num_tiles).sum());
        self.patches.iter().for_each(|patch| patch.for_each_tile(|tile| tiles.push(tile)));
        tiles
    }

    /// The tiles, the tallest first, so that blocks end together; those of one height patch by patch.
    pub fn tallest_first(&self) -> Vec<Tile> {
        let along = self.shape.along();
        let tallest = self.patches.iter().map(|patch| patch.cuts[along].longest()).max().unwrap_or(0);
        // Where the tiles of each height go, by how much lower than the tallest they are.
        let mut places = vec![0; tallest as usize + 2];
        for patch in &self.patches {
            let Cut { count, length, longer, .. } = patch.cuts[along];
            let across = patch.num_tiles() / count as usize;
            for (height, pieces) in [(length + 1, longer), (length, count - longer)].into_iter().filter(|(_, n)| *n > 0)
            {
                places[(tallest - height) as usize + 1] += pieces as usize * across;
            }
        }
        for k in 1..places.len() {
            places[k] += places[k - 1];
        }
        let mut tiles = vec![Tile { patch: 0, lo: [0; 3], size: [0; 3] }; places.last().copied().unwrap_or(0)];
        for patch in &self.patches {
            patch.for_each_tile(|tile| {
                let place = &mut places[(tallest - tile.size[along]) as usize];
                tiles[*place] = tile;
                *place += 1;
            });
        }
        tiles
    }
}

impl CutPatch {
    fn num_tiles(&self) -> usize {
        self.cuts.iter().map(|cut| cut.count as usize).product()
    }

    /// Calls `visit` with each tile, x fastest.
    fn for_each_tile(&self, mut visit: impl FnMut(Tile)) {
        let mut tile = Tile { patch: self.patch, lo: self.lo, size: [0; 3] };
        let take = |tile: &mut Tile, d: usize, number: i32| {
            let [first, end] = self.cuts[d].piece(number);
            (tile.lo[d], tile.size[d]) = (self.lo[d] + first, end - first);
        };
        for z in 0..self.cuts[2].count {
            take(&mut tile, 2, z);
            for y in 0..self.cuts[1].count {
                take(&mut tile, 1, y);
                for x in 0..self.cuts[0].count {
                    take(&mut tile, 0, x);
                    visit(tile);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shape(sweep: [bool; 3]) -> TileShape {
        TileShape::new(sweep, 4, Precision::Double)
    }

    /// Each cell is in one tile, in one plane where tiles are those of planes; a block has threads enough for a tile and the columns
    /// around it; and strips are as many as they are said to be.
    #[test]
    fn tiles_cover_everything_once() {
        let table = [
            ([true, true, false], [0, 0, 0], [57, 35, 1]),
            ([false, true, false], [-2, 0, 0], [61, 33, 1]),
            ([true, false, false], [0, -2, 0], [28, 7, 1]),
            ([true, false, false], [0, -4, -2], [30, 7, 6]),
            ([false, true, false], [0, 0, -2], [64, 9, 5]),
            ([false, false, true], [0, 0, 0], [33, 3, 40]),
            ([true; 3], [0; 3], [64, 64, 64]),
            ([true; 3], [0; 3], [3, 200, 17]),
            ([true; 3], [0; 3], [1, 1, 1]),
        ];
        for (sweep, lo, hi) in table {
            let shape = shape(sweep);
            let mut table = TileTable::new(shape);
            table.add_patch(16, 7, [lo, hi]);
            let tiles = table.tiles();
            let mut covered = std::collections::HashSet::new();
            for Tile { lo, size, .. } in &tiles {
                if in_space(sweep) {
                    assert!((size[0] + 2) * (size[1] + 2) <= shape.threads() as i32, "{size:?}");
                } else {
                    assert!(size[0] <= 32 && size[3 - shape.along()] == 1, "{size:?}");
                }
                for z in lo[2]..lo[2] + size[2] {
                    for y in lo[1]..lo[1] + size[1] {
                        assert!((lo[0]..lo[0] + size[0]).all(|x| covered.insert([x, y, z])));
                    }
                }
            }
            let size: [i32; 3] = std::array::from_fn(|d| hi[d] - lo[d]);
            assert_eq!(covered.len() as i32, size.iter().product());
            let [height, count] = shape.strips(size);
            assert_eq!(tiles.len() as i32, count * ((height + 15) / 16));
        }
    }

    /// A block for any number of equations has room for a column and those around it.
    #[test]
    fn every_solver_has_threads() {
        for (equations, precision) in [(1, Precision::Single), (9, Precision::Double), (40, Precision::Double)] {
            let shape = TileShape::new([true; 3], equations, precision);
            assert!((32..=352).contains(&shape.threads()) && shape.threads().is_multiple_of(32));
        }
    }

    /// A patch is cut into tiles whose heights differ by one row at most, the tallest tiles come first, and none is lost.
    #[test]
    fn tiles_are_of_like_height_and_sorted() {
        let mut table = TileTable::new(shape([true, true, false]));
        for (k, rows) in [33, 72, 5].into_iter().enumerate() {
            table.add_patch(32, k as u32, [[0; 3], [40, rows, 1]]);
        }
        let (tiles, sorted) = (table.tiles(), table.tallest_first());
        let heights =
            |patch| -> Vec<i32> { tiles.iter().filter(|tile| tile.patch == patch).map(|tile| tile.size[1]).collect() };
        assert_eq!((heights(0), heights(1), heights(2)), (vec![17, 17, 16, 16], vec![24; 6], vec![5, 5]));
        let key = |tile: &Tile| (-tile.size[1], tile.patch, tile.lo[1], tile.lo[0], tile.size[0]);
        let mut expected: Vec<_> = tiles.iter().map(key).collect();
        expected.sort_unstable();
        assert_eq!(sorted.iter().map(key).collect::<Vec<_>>(), expected);
    }
}
