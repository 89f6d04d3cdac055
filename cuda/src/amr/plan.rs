//! The arguments of the kernels that make tables of plans.

use super::{CellBox, Chunk, ClusterState, FaceRun, Origin, Region};
use crate::abi::Pointer;
use crate::{device_enum, device_struct};

device_struct! {
    /// The patches of a level.
    pub struct PlanLevel {
        /// Their boxes, in the order of their first cells, the last axis first.
        pub boxes: Pointer<CellBox>,
        /// Their number as kernels have found it, as long as the host does not know it.
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
    }
}

device_enum! {
    /// What is counted for each patch: the index of its column.
    pub enum PlanColumn {
        /// Regions of ghost cells that are copied.
        Copies,
        /// Regions of ghost cells that are interpolated.
        Interps,
        /// Regions of ghost cells outside the domain whose origins are copied.
        OutsideCopies,
        /// Regions of ghost cells outside the domain whose origins are interpolated.
        OutsideInterps,
        /// Coarse cells under patches.
        Averages,
        /// Runs of faces.
        Runs,
        /// Regions of cells that the level had before.
        Moved,
        /// Regions of cells that it did not have.
        New,
        /// Number of kinds, whose chunks follow.
        Kinds,
        /// Faces of coarse cells.
        Faces = 16,
        /// Faces of fine ones.
        FineFaces,
        /// Chunks of coarse cells under new ones.
        NewCoarse,
        /// Number of columns.
        All,
    }
}

/// Number of counts for each patch.
pub const PLAN_COLUMNS: usize = PlanColumn::All as usize;

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
        /// Raised where a table is too small, or the level is not nested in the coarser one.
        pub failed: Pointer<u32>,
        /// Where ghost cells outside the domain have their values from.
        pub origins: Pointer<Origin>,
        /// Runs of faces.
        pub face_runs: Pointer<FaceRun>,
        /// Ghost cells: copies, interpolations, the same outside the domain.
        pub ghost: PlanTable,
        /// Coarse cells under the level's patches.
        pub averages: PlanTable,
        /// Chunks of the runs; these themselves are in `face_runs`.
        pub runs: PlanTable,
        /// New values: copies, interpolations.
        pub values: PlanTable,
        /// Coarse cells under interpolated new values.
        pub new_coarse: PlanTable,
        /// Not 0 along axes along which the domain repeats.
        pub periodic: [u32; 3],
        /// The rules beyond the lower and the upper side across each axis: see `kernels/outside.cuh`.
        pub beyond: [[i32; 2]; 3],
        /// Ratio to the coarser level.
        pub ratio: [i32; 3],
        /// Faces of the conservation fix are wanted.
        pub keeps_faces: u32,
        /// The origins of values of new patches are wanted.
        pub transfers: u32,
        /// Coarse cells under new ones are wanted.
        pub conserves: u32,
        /// Ghost cells outside the domain are filled after those inside, each patch's from its own cells.
        pub outside_last: u32,
        /// Number of patches that tables have places for.
        pub room: u32,
    }
}
