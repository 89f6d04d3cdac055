//! Cutting patches into tiles.

use super::Tile;
use super::tuning::{EXTRA_ROWS, LANES, space_block};
use crate::abi::Pointer;
use crate::device_struct;
use crate::kernel::Grid;
use riemann::real::Precision;

device_struct! {
    /// Cells of a patch that are cut into tiles of one shape: along each axis into pieces of nearly equal length, of which the first
    /// may have one cell more than the others.
    pub struct CutCells {
        /// Number of tiles of the cells listed before.
        pub first_tile: u32,
        /// The patch.
        pub patch: u32,
        /// First cell, counted from the patch's first interior one.
        pub lo: [i32; 3],
        /// Number of cells along each axis.
        pub size: [i32; 3],
        /// Number of pieces along each axis.
        pub pieces: [i32; 3],
        /// Rows, or planes, that a block marches through for the largest tile.
        pub marched: i32,
    }
}

device_struct! {
    /// What `list_tiles` takes.
    pub struct ListTilesArgs {
        /// Cells in the order of their tiles.
        pub cells: Pointer<CutCells>,
        /// Tiles, written.
        pub tiles: Pointer<Tile>,
        /// Number of entries of `cells`.
        pub num_cells: u32,
        /// Number of tiles.
        pub num_tiles: u32,
    }
}

/// Three axes are swept at once.
pub(super) fn in_space(sweep: [bool; 3]) -> bool {
    sweep == [true; 3]
}

/// The shape of the tiles that an update takes. One block works on a tile, marching along an axis: a warp on columns of a plane, or, where
/// three axes are swept at once, a thread on each column of cells.
///
/// A warp whose tile has few columns marches through several parts of it side by side. The columns that remain besides whole warps thus
/// keep its lanes busy: otherwise patches of twenty to forty columns on each side would leave a third of them idle.
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

    /// Columns of a warp that are computed only for their neighbours.
    fn edges(self) -> i32 {
        if self.sweep[0] { 4 } else { 0 }
    }

    /// Rows, or planes, that a block marches through for a tile with so many columns and rows: a warp marches through as many parts of
    /// it side by side as fit.
    fn marched(self, columns: i32, rows: i32) -> i32 {
        let width = columns + self.edges();
        if in_space(self.sweep) || 2 * width > LANES {
            return rows;
        }
        let parts = LANES / width;
        (rows + parts - 1) / parts
    }

    /// The columns of a box in groups, each of which is cut into tiles by itself: those of whole warps; and the rest as one group, or
    /// as two, of which the first fills half a warp, if these take less time.
    fn groups(self, columns: i32, rows: i32) -> [i32; 3] {
        let (most, half) = (LANES - self.edges(), LANES / 2 - self.edges());
        let rest = if in_space(self.sweep) { 0 } else { columns % most };
        let time = |columns: i32| self.marched(columns, rows) + EXTRA_ROWS;
        let is_cut = rest > half && time(half) + time(rest - half) < time(rest);
        let first = if is_cut { half } else { rest };
        [columns - rest, first, rest - first]
    }

    /// The number of pieces of a box of this size along each axis, except the one along which tiles are marched.
    fn pieces(self, size: [i32; 3]) -> [i32; 3] {
        if in_space(self.sweep) {
            let [x, y] = cross_section(self.threads as i32, [size[0], size[1]]);
            return [x, y, 1];
        }
        let most = LANES - self.edges();
        let mut pieces = [(size[0] + most - 1) / most, size[1], size[2]];
        pieces[self.along()] = 1;
        pieces
    }
}

/// The number of pieces along x and y such that a block has a thread for each column of a piece and around it: as few pieces as possible,
/// and among these the longest along x.
fn cross_section(threads: i32, [columns, rows]: [i32; 2]) -> [i32; 2] {
    let pieces = |x: i32| {
        let most_rows = threads / ((columns + x - 1) / x + 2) - 2;
        (most_rows > 0).then(|| [x, (rows + most_rows - 1) / most_rows])
    };
    // One column and one row always fit.
    (1..=columns.max(1)).filter_map(pieces).min_by_key(|[x, y]| x * y.max(&1)).unwrap_or([columns, rows])
}

impl CutCells {
    fn num_tiles(&self) -> u32 {
        self.pieces.iter().product::<i32>() as u32
    }

    /// First cell of a piece along an axis, and its number of cells.
    fn piece(&self, axis: usize, number: i32) -> [i32; 2] {
        let (length, longer) = (self.size[axis] / self.pieces[axis], self.size[axis] % self.pieces[axis]);
        [self.lo[axis] + number * length + number.min(longer), length + i32::from(number < longer)]
    }

    /// A tile, x fastest.
    fn tile(&self, number: i32) -> Tile {
        let [x, y, _] = self.pieces;
        let [x, y, z] = [number % x, number / x % y, number / (x * y)];
        let pieces = [self.piece(0, x), self.piece(1, y), self.piece(2, z)];
        Tile { patch: self.patch, lo: pieces.map(|piece| piece[0]), size: pieces.map(|piece| piece[1]) }
    }
}

/// Patches of a level, cut into tiles.
#[derive(Clone, Debug)]
pub struct TileTable {
    shape: TileShape,
    cells: Vec<CutCells>,
}

impl TileTable {
    /// No tiles, of this shape.
    pub fn new(shape: TileShape) -> Self {
        TileTable { shape, cells: Vec::new() }
    }

    /// Cuts the cells `lo .. hi` of a patch, counted from its first interior cell, into strips of their whole height.
    pub fn add_patch(&mut self, patch: u32, [mut lo, hi]: [[i32; 3]; 2]) {
        let (shape, along) = (self.shape, self.shape.along());
        let mut size: [i32; 3] = std::array::from_fn(|d| hi[d] - lo[d]);
        for columns in shape.groups(size[0], size[along]).into_iter().filter(|&columns| columns > 0) {
            size[0] = columns;
            let pieces = shape.pieces(size);
            let marched = shape.marched((columns + pieces[0] - 1) / pieces[0], size[along]);
            self.cells.push(CutCells { first_tile: 0, patch, lo, size, pieces, marched });
            lo[0] += columns;
        }
    }

    /// The strips before they are cut: for each group the rows, or planes, that a block marches through for one strip, and the number
    /// of strips.
    pub fn strips(&self) -> impl Iterator<Item = [i32; 2]> {
        self.cells.iter().map(|cells| [cells.marched, cells.num_tiles() as i32])
    }

    /// Cuts strips into tiles, those of a patch with the same number of rows into tiles of nearly the same height. `most_rows`: the
    /// most rows that a block marches through, for these strips; see [`TileTable::strips`].
    pub fn cut(&mut self, mut most_rows: impl FnMut([i32; 2]) -> i32) {
        let along = self.shape.along();
        for cells in &mut self.cells {
            let most_rows = most_rows([cells.marched, cells.num_tiles() as i32]);
            if cells.marched <= most_rows {
                continue;
            }
            let pieces = (cells.marched + most_rows - 1) / most_rows;
            cells.marched = (cells.marched + pieces - 1) / pieces;
            cells.pieces[along] = pieces;
        }
    }

    /// Sorts tiles by the rows to march through, most first, so that blocks end together; the order is otherwise kept.
    pub fn sort(&mut self) {
        let most = self.cells.iter().map(|cells| cells.marched).max().unwrap_or(0);
        // First place of the tiles of each height, by how much lower than the tallest they are.
        let mut places = vec![0; most as usize + 2];
        self.cells.iter().for_each(|cells| places[(most - cells.marched) as usize + 1] += 1);
        for k in 1..places.len() {
            places[k] += places[k - 1];
        }
        let mut sorted = self.cells.clone();
        for cells in &self.cells {
            let place = &mut places[(most - cells.marched) as usize];
            sorted[*place] = *cells;
            *place += 1;
        }
        self.cells = sorted;
    }

    /// The cut cells in the order of their tiles, and the number of tiles.
    pub fn finish(mut self) -> (Vec<CutCells>, u32) {
        let mut num_tiles = 0;
        for cells in &mut self.cells {
            cells.first_tile = num_tiles;
            num_tiles += cells.num_tiles();
        }
        (self.cells, num_tiles)
    }

    /// The tiles.
    pub fn tiles(&self) -> Vec<Tile> {
        let tiles = |cells: &CutCells| (0..cells.num_tiles() as i32).map(|k| cells.tile(k)).collect::<Vec<_>>();
        self.cells.iter().flat_map(tiles).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shape(sweep: [bool; 3]) -> TileShape {
        TileShape::new(sweep, 4, Precision::F64)
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
            table.add_patch(7, [lo, hi]);
            let strips: Vec<_> = table.strips().collect();
            table.cut(|_| 16);
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
            assert_eq!(tiles.len() as i32, strips.iter().map(|[rows, count]| count * ((rows + 15) / 16)).sum::<i32>());
        }
    }

    /// A block for any number of equations has a thread for a column and each of those around it.
    #[test]
    fn every_solver_has_threads() {
        for (equations, precision) in [(1, Precision::F32), (9, Precision::F64), (40, Precision::F64)] {
            let shape = TileShape::new([true; 3], equations, precision);
            assert!((32..=352).contains(&shape.threads()) && shape.threads().is_multiple_of(32));
        }
    }

    /// Columns that are left over keep lanes busy: a warp marches up several parts of a tile, whose rows are those of the tile together;
    /// what is left over is cut in two where the parts of both are marched up sooner, which low ones are not.
    #[test]
    fn few_columns_are_marched_up_in_parts() {
        let table = |sweep, size| {
            let mut table = TileTable::new(shape(sweep));
            table.add_patch(0, [[0; 3], size]);
            table
        };
        let strips = |sweep, size| table(sweep, size).strips().collect::<Vec<_>>();
        let cases = [
            ([56, 60, 1], vec![[60, 2]]),
            ([35, 60, 1], vec![[60, 1], [30, 1]]),
            ([16, 60, 1], vec![[30, 1], [15, 1]]),
            ([16, 12, 1], vec![[12, 1]]),
            ([25, 60, 1], vec![[60, 1]]),
            ([1, 60, 1], vec![[10, 1]]),
        ];
        for (size, expected) in cases {
            assert_eq!(strips([true, true, false], size), expected, "{size:?}");
        }
        assert_eq!(strips([false, true, false], [40, 60, 3]), [[60, 3], [15, 3]]);
        assert_eq!(strips([true; 3], [3, 9, 60]).len(), 1);
        let mut table = table([true, true, false], [35, 60, 1]);
        table.cut(|_| 8);
        let rows_of = |x: i32| table.tiles().iter().filter(|tile| tile.lo[0] == x).map(|tile| tile.size[1]).max();
        assert_eq!([rows_of(0), rows_of(28)], [Some(8), Some(15)]);
    }

    /// A patch is cut into tiles whose heights differ by one row at most, those that are marched up for longest come first, and none is lost.
    #[test]
    fn tiles_are_of_like_height_and_sorted() {
        let mut table = TileTable::new(shape([true, true, false]));
        for (k, rows) in [33, 72, 5].into_iter().enumerate() {
            table.add_patch(k as u32, [[0; 3], [56, rows, 1]]);
        }
        table.cut(|_| 32);
        let tiles = table.tiles();
        let heights =
            |patch| -> Vec<i32> { tiles.iter().filter(|tile| tile.patch == patch).map(|tile| tile.size[1]).collect() };
        assert_eq!((heights(0), heights(1), heights(2)), (vec![17, 17, 16, 16], vec![24; 6], vec![5, 5]));
        table.sort();
        let order: Vec<u32> = table.tiles().iter().map(|tile| tile.patch).collect();
        assert_eq!(order, [[1; 6].as_slice(), &[0; 4], &[2; 2]].concat());
        let (cells, num_tiles) = table.finish();
        assert_eq!((cells.iter().map(|cells| cells.first_tile).collect::<Vec<_>>(), num_tiles), (vec![0, 6, 10], 12));
    }
}
