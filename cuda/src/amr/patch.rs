//! Patches, regions of their cells and runs of faces, as tables have them; and how a table is cut into the warps' work.

use crate::abi::{Plain, Pointer, Real};
use crate::device_struct;

device_struct! {
    /// Where the cells of a level lie: `riemann::lattice::Lattice`.
    pub struct Lattice {
        /// Lower corner of the domain.
        pub lower: [f64; 3],
        /// Upper corner of the domain.
        pub upper: [f64; 3],
        /// Cells between them.
        pub cells: [f64; 3],
        /// Cell size.
        pub dx: [f64; 3],
        /// On a mesh from a file, whose cells are a row, their centroids: `[axis, cell]`.
        pub centroids: Pointer<f64>,
    }
}

impl From<riemann::lattice::Lattice> for Lattice {
    fn from(riemann::lattice::Lattice { lower, upper, cells, dx }: riemann::lattice::Lattice) -> Self {
        Lattice { lower, upper, cells, dx, centroids: Pointer::NULL }
    }
}

device_struct! {
    /// Where a patch lies in its level, and in its arrays. Arrays over axes have x first; along axes that a problem does not have a
    /// patch has one cell, cell 0.
    pub struct Patch {
        /// Cells of all patches before, ghost cells included.
        pub first: u64,
        /// First word of the patch's part of a face map.
        pub first_word: u32,
        /// Numbers from the patch's first cell, ghost cells included, to its first interior one.
        pub inner: i32,
        /// Numbers from a cell to its upper neighbour along each axis.
        pub stride: [i32; 3],
        /// Numbers from a component to the next.
        pub component: i32,
        /// First interior cell in the level's coordinates.
        pub lo: [i32; 3],
        /// Interior cells.
        pub size: [i32; 3],
    }
}

device_struct! {
    /// Values of a level, or of messages laid out like one.
    pub struct LevelView {
        /// Patches, or blocks of messages.
        pub patches: Pointer<Patch>,
        /// The state.
        pub q: Pointer<Real>,
        /// Auxiliary values; null where they are not read.
        pub aux: Pointer<Real>,
    }
}

impl LevelView {
    /// Without auxiliary values.
    pub fn of_state(patches: Pointer<Patch>, q: Pointer<Real>) -> Self {
        LevelView { patches, q, ..LevelView::ZERO }
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
        pub lo: [i32; 3],
        /// Cells along each axis.
        pub size: [i32; 3],
        /// What to subtract from a cell (from the coarse cell over it, where the source is coarser) to find the source's.
        pub shift: [i32; 3],
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
        /// Side of the faces on which the coarse cells lie, seen from the fine patch: 0 is the lower one.
        pub coarse_side: u32,
        /// First coarse cell, in the fine patch's periodic image.
        pub lo: [i32; 3],
        /// Coarse cells along each axis.
        pub size: [i32; 3],
        /// What to subtract from these cells to find them in the coarse patch.
        pub shift: [i32; 3],
        /// They are subtracted from it instead: the coarse patch is turned against the fine one.
        pub turned: u32,
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
    /// Regions, and the work of the warps on them.
    pub struct RegionTable {
        /// The regions.
        pub items: Pointer<Region>,
        /// Their chunks.
        pub chunks: Pointer<Chunk>,
        /// Number of chunks.
        pub num_chunks: u32,
        /// Cells of a chunk.
        pub chunk_cells: u32,
    }
}

device_struct! {
    /// Runs of faces between two levels, and the work of the warps on them.
    pub struct RunTable {
        /// The runs.
        pub items: Pointer<FaceRun>,
        /// Their chunks.
        pub chunks: Pointer<Chunk>,
        /// Number of chunks.
        pub num_chunks: u32,
        /// Faces of a chunk.
        pub chunk_cells: u32,
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
