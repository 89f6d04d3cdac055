//! What the kernels take that look at every cell of a level, or at a few points: flags, sources, totals, samples.

use super::{Patch, Region};
use crate::abi::{Pointer, Real};
use crate::device_struct;
use crate::update::PatchReport;

device_struct! {
    /// A tile of flags: 64 × 64 cells, 64 cells in one dimension. Tiles are sorted by row, then by column.
    pub struct FlagTile {
        /// Its column: it begins at cell 64 `x` of the level.
        pub x: i32,
        /// Its row; 0 in one dimension.
        pub y: i32,
        /// First of the patches in it.
        pub first_part: u32,
        /// One past the last.
        pub end_part: u32,
        /// The first tile that is not before this one's lower left neighbour.
        pub below: u32,
        /// The first tile that is not before this one's upper left neighbour.
        pub above: u32,
    }
}

device_struct! {
    /// What `flag_difference` takes.
    pub struct FlagArgs {
        /// Patches.
        pub patches: Pointer<Patch>,
        /// Tiles; a block each.
        pub tiles: Pointer<FlagTile>,
        /// Patches in the tiles.
        pub parts: Pointer<u32>,
        /// The bits, written: per tile and row two words, bit 0 the first cell.
        pub bits: Pointer<u32>,
        /// Likewise for the cells that patches cover.
        pub covered: Pointer<u32>,
        /// The array.
        pub q: Pointer<Real>,
        /// The tolerance.
        pub tolerance: f64,
    }
}

device_struct! {
    /// What `flag_widen` takes.
    pub struct WidenArgs {
        /// Tiles; a block each.
        pub tiles: Pointer<FlagTile>,
        /// Flags: a word of 64 bits per tile and row.
        pub flags: Pointer<u64>,
        /// Likewise, the cells that patches cover.
        pub covered: Pointer<u64>,
        /// Likewise, written.
        pub tags: Pointer<u64>,
        /// Number of tiles.
        pub num_tiles: u32,
        /// Cells to widen by, at most 64.
        pub width: i32,
        /// Cells to keep away from those that no patch covers, at most 64; below 0 where uncovered cells do not matter.
        pub inset: i32,
        /// Cells of the domain along x.
        pub cells_x: i32,
        /// Likewise along y; 1 in one dimension.
        pub cells_y: i32,
        /// Nothing.
        pub padding: u32,
    }
}

/// Threads that flag a tile.
pub const FLAG_THREADS: u32 = 512;

/// Threads that widen a tile's flags: one for each row of it and of the tiles below and above.
pub const WIDEN_THREADS: u32 = 192;

/// Blocks that share a patch where there is no table of chunks.
pub const BLOCKS_PER_PATCH: u32 = 8;

device_struct! {
    /// What `sample` takes.
    pub struct SampleArgs {
        /// Patches.
        pub patches: Pointer<Patch>,
        /// The array.
        pub q: Pointer<Real>,
        /// One value per equation, written.
        pub out: Pointer<f64>,
        /// Weight of the lowest cell.
        pub weight_0: f64,
        /// Of its upper neighbour in x.
        pub weight_1: f64,
        /// Of its upper neighbour in y.
        pub weight_2: f64,
        /// Of the highest cell.
        pub weight_3: f64,
        /// The patch.
        pub patch: u32,
        /// Lowest of the cells around the point, counted from the patch's first.
        pub x: i32,
        /// Likewise along y.
        pub y: i32,
        /// Nothing.
        pub padding: i32,
    }
}

device_struct! {
    /// What `totals` takes.
    pub struct TotalsArgs {
        /// Rows of cells of their target patches.
        pub rows: Pointer<Region>,
        /// Patches.
        pub patches: Pointer<Patch>,
        /// The array.
        pub q: Pointer<Real>,
        /// Aux.
        pub aux: Pointer<Real>,
        /// Per row a sum for each equation, written.
        pub sums: Pointer<f64>,
        /// Number of rows.
        pub num_rows: u32,
        /// Nothing.
        pub padding: u32,
    }
}

device_struct! {
    /// What `largest` takes.
    pub struct LargestArgs {
        /// Patches; [`BLOCKS_PER_PATCH`] blocks each.
        pub patches: Pointer<Patch>,
        /// The array.
        pub q: Pointer<Real>,
        /// Per equation the bits of the largest absolute value, an `f64`; zero before the launch.
        pub largest: Pointer<u64>,
    }
}

device_struct! {
    /// What `source` takes.
    pub struct SourceArgs {
        /// Patches; [`BLOCKS_PER_PATCH`] blocks each.
        pub patches: Pointer<Patch>,
        /// States before.
        pub from: Pointer<Real>,
        /// States after; may be the same array.
        pub to: Pointer<Real>,
        /// Auxiliary values.
        pub aux: Pointer<Real>,
        /// One per patch: whether all is finite.
        pub reports: Pointer<PatchReport>,
        /// Lower end of the domain along x.
        pub lower_x: f64,
        /// Likewise along y.
        pub lower_y: f64,
        /// Cell size along x.
        pub dx: f64,
        /// Likewise along y.
        pub dy: f64,
        /// Time at which the source starts to act.
        pub t: f64,
        /// How long it acts.
        pub dt: f64,
        /// It acts on ghost cells too.
        pub ghosts: u32,
        /// Nothing.
        pub padding: u32,
    }
}
