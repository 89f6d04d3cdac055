//! Kernels over tables of regions: what moves between patches, and what is gathered at faces between them.
//!
//! A launch covers all regions of a table, cut into chunks of nearly equal work, one a warp.

mod fix;
mod gather;
mod text;

pub use fix::{FaceMapArgs, RefluxArgs, RegisterArgs};
pub use gather::{
    BLOCKS_PER_PATCH, FLAG_THREADS, FlagArgs, FlagTile, LargestArgs, SampleArgs, SourceArgs, TotalsArgs, WIDEN_THREADS,
    WidenArgs,
};
pub use text::{CONSERVE, LIST_CHUNKS, PLAIN, REGISTERS, SOURCE, Shape};

use crate::abi::{Pointer, Real};
use crate::device_struct;

device_struct! {
    /// Where a patch lies in its level's arrays.
    pub struct Patch {
        /// Cells of all patches before, ghost cells included.
        pub first: u64,
        /// First word of the patch's part of a face map.
        pub first_word: u32,
        /// Numbers from a cell to its upper neighbour in y.
        pub row: i32,
        /// Numbers from a component to the next.
        pub component: i32,
        /// First interior cell in the level's coordinates.
        pub lo_x: i32,
        /// Likewise along y; 0 in one dimension.
        pub lo_y: i32,
        /// Interior cells along x.
        pub nx: i32,
        /// Interior cells along y; 1 in one dimension.
        pub ny: i32,
        /// Nothing.
        pub padding: i32,
    }
}

device_struct! {
    /// A box of cells that one patch receives, mostly from another one.
    pub struct Region {
        /// Patch written.
        pub target: u32,
        /// Patch read.
        pub source: u32,
        /// First cell, in the level's coordinates.
        pub x: i32,
        /// Likewise along y.
        pub y: i32,
        /// Cells along x.
        pub nx: i32,
        /// Cells along y.
        pub ny: i32,
        /// What to subtract from a cell (from the coarse cell over it, where the source is coarser) to find the source's.
        pub shift_x: i32,
        /// Likewise along y.
        pub shift_y: i32,
    }
}

device_struct! {
    /// A straight run of coarse faces at the edge of a fine patch.
    pub struct FaceRun {
        /// Coarse patch that holds the cells beside the fine patch.
        pub coarse_patch: u32,
        /// Fine patch.
        pub fine_patch: u32,
        /// Normal of the faces: 0 is x.
        pub axis: u32,
        /// Side of the faces on which the coarse cells lie: 0 is the lower one.
        pub coarse_side: u32,
        /// First coarse cell, in the fine patch's periodic image.
        pub x: i32,
        /// Likewise along y.
        pub y: i32,
        /// Coarse cells along x.
        pub nx: i32,
        /// Coarse cells along y.
        pub ny: i32,
        /// What to subtract from these cells to find them in the coarse patch.
        pub shift_x: i32,
        /// Likewise along y.
        pub shift_y: i32,
        /// Slot of the first face.
        pub first_slot: u32,
        /// Number of its first fine face.
        pub first_fine: u32,
    }
}

device_struct! {
    /// A warp's part of a region or run.
    pub struct Chunk {
        /// Number of the region.
        pub region: u32,
        /// First of its cells, counted x fastest.
        pub first: u32,
    }
}

device_struct! {
    /// How a region is cut into chunks.
    pub struct Chunked {
        /// The first of its chunks among those of all tables sent together.
        pub first_chunk: u32,
        /// Number of the region in its table.
        pub number: u32,
        /// Cells of a chunk.
        pub chunk_cells: u32,
    }
}

device_struct! {
    /// What `list_chunks` takes.
    pub struct ListArgs {
        /// Regions in the order of their chunks.
        pub regions: Pointer<Chunked>,
        /// Chunks, written.
        pub chunks: Pointer<Chunk>,
        /// Number of regions.
        pub num_regions: u32,
        /// Number of chunks.
        pub num_chunks: u32,
    }
}

device_struct! {
    /// What `fill` takes.
    pub struct FillArgs {
        /// Copies first, then interpolations; then likewise those of cells outside the domain, which have the values of cells inside.
        pub regions: Pointer<Region>,
        /// Work of the warps.
        pub chunks: Pointer<Chunk>,
        /// Patches written.
        pub target_patches: Pointer<Patch>,
        /// Patches copied from.
        pub source_patches: Pointer<Patch>,
        /// Patches interpolated from.
        pub coarse_patches: Pointer<Patch>,
        /// Array written.
        pub target: Pointer<Real>,
        /// Array copied from.
        pub source: Pointer<Real>,
        /// Coarse array at its earlier time.
        pub coarse_old: Pointer<Real>,
        /// Coarse array at its later time.
        pub coarse_new: Pointer<Real>,
        /// Weight of the later time.
        pub alpha: f64,
        /// Number of chunks.
        pub num_chunks: u32,
        /// Cells of a chunk.
        pub chunk_cells: u32,
        /// Regions that are copies.
        pub num_copies: u32,
        /// Slopes may reach over two cells: ghost cells, not new patches.
        pub wide: u32,
        /// Fine cells in a coarse one along x.
        pub ratio_x: i32,
        /// Likewise along y.
        pub ratio_y: i32,
        /// Regions of cells inside the domain.
        pub num_inside: u32,
        /// Copies among the others.
        pub num_outside_copies: u32,
        /// Cells of the domain along x.
        pub cells_x: i32,
        /// Likewise along y.
        pub cells_y: i32,
        /// [`BOUNDARY_EXTRAPOLATE`], [`BOUNDARY_WALL`] or [`BOUNDARY_PERIODIC`] at the lower end of x.
        pub lower_x: u32,
        /// Likewise at the upper end.
        pub upper_x: u32,
        /// Likewise at the lower end of y.
        pub lower_y: u32,
        /// Likewise at the upper end.
        pub upper_y: u32,
        /// Component that changes its sign at walls across x, or −1.
        pub normal_x: i32,
        /// Likewise across y.
        pub normal_y: i32,
    }
}

/// Ghost cells take the nearest cell's state.
pub const BOUNDARY_EXTRAPOLATE: u32 = 0;
/// Ghost cells mirror the states inside.
pub const BOUNDARY_WALL: u32 = 1;
/// Nothing to do.
pub const BOUNDARY_PERIODIC: u32 = 2;

device_struct! {
    /// What `average_down` takes.
    pub struct AverageArgs {
        /// Coarse cells.
        pub regions: Pointer<Region>,
        /// Work of the warps.
        pub chunks: Pointer<Chunk>,
        /// Coarse patches.
        pub coarse_patches: Pointer<Patch>,
        /// Fine patches.
        pub fine_patches: Pointer<Patch>,
        /// Coarse array, written.
        pub coarse: Pointer<Real>,
        /// Fine array.
        pub fine: Pointer<Real>,
        /// Coarse aux.
        pub coarse_aux: Pointer<Real>,
        /// Fine aux.
        pub fine_aux: Pointer<Real>,
        /// One over the fine cells in a coarse one.
        pub weight: f64,
        /// Number of chunks.
        pub num_chunks: u32,
        /// Cells of a chunk.
        pub chunk_cells: u32,
        /// Fine cells in a coarse one along x.
        pub ratio_x: i32,
        /// Likewise along y.
        pub ratio_y: i32,
    }
}

device_struct! {
    /// What `conserve` takes.
    pub struct ConserveArgs {
        /// Coarse cells whose fine cells were interpolated: target is the fine patch, source the coarse one.
        pub regions: Pointer<Region>,
        /// Work of the warps.
        pub chunks: Pointer<Chunk>,
        /// Coarse patches.
        pub coarse_patches: Pointer<Patch>,
        /// Fine patches.
        pub fine_patches: Pointer<Patch>,
        /// Coarse array.
        pub coarse: Pointer<Real>,
        /// Fine array, changed.
        pub fine: Pointer<Real>,
        /// Coarse aux.
        pub coarse_aux: Pointer<Real>,
        /// Fine aux.
        pub fine_aux: Pointer<Real>,
        /// Number of chunks.
        pub num_chunks: u32,
        /// Cells of a chunk.
        pub chunk_cells: u32,
        /// Fine cells in a coarse one along x.
        pub ratio_x: i32,
        /// Likewise along y.
        pub ratio_y: i32,
    }
}
