//! The arguments of the kernels that read every cell of a level, or a few points: flags, sources, totals, samples.

use super::{Lattice, LevelView, Patch, PatchReport, Region, RunTable};
use crate::abi::{Pointer, Real};
use crate::device_struct;

device_struct! {
    /// A tile of flags: 64, 64 × 64 or 64 × 8 × 8 cells. Tiles are sorted, first axis fastest.
    pub struct FlagTile {
        /// Its place among all tiles: it begins at cell 64 `at[0]` of the level; 0 along missing axes.
        pub at: [i32; 3],
        /// First of the patches in it.
        pub first_part: u32,
        /// One past the last.
        pub end_part: u32,
    }
}

device_struct! {
    /// What `flag_difference` takes.
    pub struct FlagArgs {
        /// The level.
        pub view: LevelView,
        /// Tiles; a block each.
        pub tiles: Pointer<FlagTile>,
        /// Patches in the tiles.
        pub parts: Pointer<u32>,
        /// The bits, written: per tile and row two words, bit 0 the first cell.
        pub bits: Pointer<u32>,
        /// The cells that patches cover, in the same places, written.
        pub covered: Pointer<u32>,
        /// The tolerance.
        pub tolerance: f64,
    }
}

device_struct! {
    /// What `flag_function` takes.
    pub struct FlagFunctionArgs {
        /// The level.
        pub view: LevelView,
        /// Tiles; a block each.
        pub tiles: Pointer<FlagTile>,
        /// Patches in the tiles.
        pub parts: Pointer<u32>,
        /// The bits, written: per tile and row two words, bit 0 the first cell.
        pub bits: Pointer<u32>,
        /// The cells that patches cover, in the same places, written.
        pub covered: Pointer<u32>,
        /// Where the level's cells lie.
        pub level: Lattice,
        /// Time.
        pub t: f64,
        /// Numbers that the function reads.
        pub numbers: Pointer<f64>,
    }
}

device_struct! {
    /// What `join_flags` takes. The places may be the same.
    pub struct JoinFlagsArgs {
        /// Words of a rank.
        pub own: Pointer<u64>,
        /// As many of another.
        pub other: Pointer<u64>,
        /// As many, written.
        pub joined: Pointer<u64>,
        /// How many.
        pub num_words: u32,
    }
}

device_struct! {
    /// What `sample` takes.
    pub struct SampleArgs {
        /// The level.
        pub view: LevelView,
        /// One value per equation, written.
        pub out: Pointer<f64>,
        /// Weights of the cells around the point, x fastest.
        pub weights: [f64; 8],
        /// The patch.
        pub patch: u32,
        /// Lowest of these cells, counted from the patch's first.
        pub cell: [i32; 3],
    }
}

device_struct! {
    /// What `totals` takes.
    pub struct TotalsArgs {
        /// Rows of cells of their target patches.
        pub rows: Pointer<Region>,
        /// The level.
        pub view: LevelView,
        /// Per row a sum for each equation, written.
        pub sums: Pointer<f64>,
        /// Number of rows.
        pub num_rows: u32,
    }
}

device_struct! {
    /// A cell of a patch.
    pub struct CellInPatch {
        /// The patch.
        pub patch: u32,
        /// The cell, in the level's indices.
        pub cell: [i32; 3],
    }
}

device_struct! {
    /// What `gather_cells` takes.
    pub struct GatherArgs {
        /// The cells.
        pub cells: Pointer<CellInPatch>,
        /// The level.
        pub view: LevelView,
        /// Values of each, written.
        pub out: Pointer<f64>,
        /// Number of cells.
        pub num_cells: u32,
    }
}

device_struct! {
    /// What `largest` takes.
    pub struct LargestArgs {
        /// The level.
        pub view: LevelView,
        /// Per equation the bits of the largest absolute value, an `f64`, which is raised.
        pub largest: Pointer<u64>,
        /// Blocks that share a patch: see [`super::tuning::patch_blocks`].
        pub blocks_per_patch: u32,
    }
}

device_struct! {
    /// What `extremes` takes.
    pub struct ExtremesArgs {
        /// The level.
        pub view: LevelView,
        /// Boxes of cells of their target patches.
        pub boxes: Pointer<Region>,
        /// Per value of the function the largest one, as an integer of the same order, which is raised.
        pub largest: Pointer<u64>,
        /// Where the level's cells lie.
        pub level: Lattice,
        /// Time.
        pub t: f64,
        /// Blocks that share a box: see [`super::tuning::patch_blocks`].
        pub blocks_per_box: u32,
    }
}

device_struct! {
    /// The coarse cells beside a finer level in which a source acts, or states beyond the sides of a mesh from a file.
    pub struct SourceCells {
        /// Faces between two levels.
        pub table: RunTable,
        /// The coarse cells beside them, changed: states, states at the coarse step's Riemann problems, aux, positions. Beyond sides: states.
        pub cells: Pointer<Real>,
        /// Of each state beyond sides the cell in whose place the source acts; null beside a finer level.
        pub places: Pointer<u32>,
        /// Auxiliary values of the mesh's cells.
        pub aux: Pointer<Real>,
        /// Positions of the mesh's cells.
        pub centres: Pointer<Real>,
        /// Where the coarse level's cells lie, or those of the mesh.
        pub level: Lattice,
        /// Numbers between components.
        pub num_slots: u32,
        /// Positions are kept too.
        pub has_centres: u32,
    }
}

device_struct! {
    /// What `source` and `source_function` take.
    pub struct SourceArgs {
        /// Patches, each with `blocks_per_patch` blocks.
        pub patches: Pointer<Patch>,
        /// States before.
        pub from: Pointer<Real>,
        /// States after; may be the same array.
        pub to: Pointer<Real>,
        /// Auxiliary values.
        pub aux: Pointer<Real>,
        /// Physical positions of cells where a mesh is mapped, a number for each axis, or null.
        pub centres: Pointer<Real>,
        /// One per patch: marked where a value is not finite or not allowed, unless `ghosts`.
        pub reports: Pointer<PatchReport>,
        /// Where the level's cells lie.
        pub level: Lattice,
        /// Time at which the source starts to act.
        pub t: f64,
        /// How long it acts.
        pub dt: f64,
        /// The coarse cells beside the level, in which it acts too.
        pub beside: SourceCells,
        /// For each component the bits of the sides beyond which it changes its sign.
        pub signs: Pointer<u8>,
        /// What lies beyond both sides of each axis.
        pub beyond: [[i32; 2]; 3],
        /// Ghost cells outside the domain take what the cells have that they mirror. `from` is another array than `to` then.
        pub mirrors: u32,
        /// It acts on ghost cells too, outside the domain only beyond the sides of `users`; beyond periodic sides at the positions of the cells
        /// that they are images of.
        pub ghosts: u32,
        /// Blocks that share a patch: see [`super::tuning::patch_blocks`].
        pub blocks_per_patch: u32,
        /// Cells of the level along each axis.
        pub domain: [i32; 3],
        /// One bit per axis: the domain repeats along it.
        pub periodic: u32,
        /// Two bits per axis: the lower and the upper side have a user's function.
        pub users: u32,
        /// Blocks of all patches, before those of the chunks of `beside`.
        pub num_blocks: u32,
    }
}
