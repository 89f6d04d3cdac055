//! What the kernels take that make tables of plans.

use super::{CellBox, Chunk, ClusterState, FaceRun, Origin, Region};
use crate::abi::Pointer;
use crate::device_struct;

device_struct! {
    /// The patches of a level.
    pub struct PlanLevel {
        /// Their boxes, in the order of their first cells, the last axis first.
        pub boxes: Pointer<CellBox>,
        /// What kernels have found of them, as long as the host does not know it.
        pub found: Pointer<ClusterState>,
        /// Number of patches, or of places for those that have been found; 0 where there is no level.
        pub num_boxes: u32,
        /// Most cells of one along the last axis.
        pub tallest: i32,
        /// All cells that the level could have; from cell 0 on.
        pub domain: CellBox,
    }
}

device_struct! {
    /// A table to be written.
    pub struct PlanTable {
        /// Its regions.
        pub regions: Pointer<Region>,
        /// Their chunks.
        pub chunks: Pointer<Chunk>,
        /// Cells of a chunk.
        pub chunk_cells: u32,
        /// Nothing.
        pub padding: u32,
    }
}

/// What is counted of each patch: see `kernels/plan.cuh`.
pub const PLAN_COLUMNS: usize = 19;

/// What is counted, by the place of the sum.
#[derive(Clone, Copy, Debug)]
pub enum PlanColumn {
    /// Ghost cells copied, in regions.
    Copies,
    /// Interpolated.
    Interps,
    /// Those outside the domain that have copied values.
    OutsideCopies,
    /// And interpolated ones.
    OutsideInterps,
    /// Coarse cells under patches.
    Averages,
    /// Runs of faces.
    Runs,
    /// Cells that the level had before.
    Moved,
    /// Cells that it had not.
    New,
    /// Number of kinds: chunks of each follow.
    Kinds,
    /// Faces of coarse cells.
    Faces = 16,
    /// Faces of fine ones.
    FineFaces,
    /// Chunks of coarse cells under new ones.
    NewCoarse,
}

device_struct! {
    /// What `count_plan`, `sum_plan` and `write_plan` take.
    pub struct PlanArgs {
        /// The level.
        pub level: PlanLevel,
        /// The next coarser one.
        pub coarse: PlanLevel,
        /// The level before it was replaced, if values are transferred from there.
        pub old: PlanLevel,
        /// By column and place of a patch: counts, then their sums over the patches before.
        pub counts: Pointer<u32>,
        /// By patch, lane and column: what the patch's lanes before it have counted.
        pub lanes: Pointer<u32>,
        /// By column: the sums over all patches.
        pub totals: Pointer<u32>,
        /// Raised where there is no room for something, or the level is not nested in the coarser one.
        pub failed: Pointer<u32>,
        /// Where ghost cells outside the domain have their values from.
        pub origins: Pointer<Origin>,
        /// Runs of faces.
        pub face_runs: Pointer<FaceRun>,
        /// Ghost cells: copies, interpolations, the same outside the domain.
        pub ghost: PlanTable,
        /// Coarse cells under the level's patches.
        pub averages: PlanTable,
        /// Of runs the chunks alone.
        pub runs: PlanTable,
        /// New values: copies, interpolations.
        pub values: PlanTable,
        /// Coarse cells under interpolated new values.
        pub new_coarse: PlanTable,
        /// Not 0 along axes along which the domain repeats.
        pub periodic: [u32; 3],
        /// What the lower and the upper side across each axis show: 0 what lies at the other side, 1 the nearest cell, 2 the mirror image, 3
        /// the same with what is normal turned around.
        pub beyond: [[u32; 2]; 3],
        /// Ratio to the coarser level.
        pub ratio: [i32; 3],
        /// Faces of the conservation fix are wanted.
        pub keeps_faces: u32,
        /// Where values of new patches come from is wanted.
        pub transfers: u32,
        /// Coarse cells under new ones are.
        pub conserves: u32,
        /// Ghost cells outside the domain are filled when those inside are, each patch's from its own.
        pub outside_last: u32,
        /// Places for patches.
        pub room: u32,
        /// Nothing.
        pub padding: u32,
    }
}
