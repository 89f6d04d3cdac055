//! The argument of the kernel that divides tables of plans among ranks.

use super::{Chunk, FaceRun, Origin, Patch, Region};
use crate::abi::Pointer;
use crate::{device_enum, device_struct};

/// Ranks among which kernels divide plans, at most.
pub const MAX_RANKS: usize = 8;

/// Parts of all tables of a level, at most.
pub const MAX_PARTS: usize = 19;

device_enum! {
    /// Which items a part has, by who owns the patch that an item reads and the one that it writes.
    pub enum Whose {
        /// This rank owns both patches.
        Here,
        /// This rank owns the patch that is read.
        SourceHere,
        /// This rank owns the patch that is written.
        TargetHere,
        /// This rank owns the patch that is read, each other rank in turn the one that is written.
        Sent,
        /// This rank owns the patch that is written, each other rank in turn the one that is read.
        Received,
    }
}

device_enum! {
    /// The form in which the items of a part are written.
    pub enum Form {
        /// As they are.
        Unchanged,
        /// Into messages.
        Packed,
        /// Out of messages.
        Unpacked,
    }
}

device_struct! {
    /// The sizes of a part.
    pub struct PartReport {
        /// Items of the first kind; in a part unpacked from messages, items of both kinds.
        pub num_first: u32,
        /// Chunks of all items.
        pub num_chunks: u32,
        /// Cells of a chunk.
        pub chunk_cells: u32,
        /// Of runs, coarse faces of which this rank owns at least one side.
        pub num_slots: u32,
        /// Likewise fine faces.
        pub num_fine: u32,
        /// Cells from or to each rank; of a part without messages all stand at this rank's place.
        pub cells: [u32; MAX_RANKS],
        /// Chunks likewise.
        pub chunks: [u32; MAX_RANKS],
    }
}

device_struct! {
    /// A part of a plan that one rank has, and the list that it is taken from: that of a run on a single rank.
    pub struct PlanPart {
        /// The list: regions, or
        pub regions: Pointer<Region>,
        /// runs of faces.
        pub runs: Pointer<FaceRun>,
        /// Of each region, if it is outside the domain.
        pub origins: Pointer<Origin>,
        /// Owners of the patches that items of the first and of the second kind read. Runs read coarse patches and write fine ones.
        pub source_owners: [Pointer<u32>; 2],
        /// Owners of the patches that items write.
        pub target_owners: Pointer<u32>,
        /// What is written: regions,
        pub part_regions: Pointer<Region>,
        /// or runs as they are,
        pub part_runs: Pointer<FaceRun>,
        /// and the origins of regions.
        pub part_origins: Pointer<Origin>,
        /// The chunks of either.
        pub chunks: Pointer<Chunk>,
        /// The boxes that lie in messages, as patches: one for each region, or one for the faces of each rank.
        pub blocks: Pointer<Patch>,
        /// The slots of all faces, as one patch, if there is a place for it.
        pub slots: Pointer<Patch>,
        /// The sizes of all that.
        pub report: Pointer<PartReport>,
        /// Items of the two kinds in the list.
        pub num_items: [u32; 2],
        /// Which of them the part has: a [`Whose`].
        pub whose: u32,
        /// The form in which they are written: a [`Form`].
        pub form: u32,
    }
}

device_struct! {
    /// What `divide_plan` takes.
    pub struct DivideArgs {
        /// The parts, one for each block.
        pub parts: [PlanPart; MAX_PARTS],
        /// Ratio to the coarser level.
        pub ratio: [i32; 3],
        /// The rank.
        pub rank: u32,
        /// Number of all ranks.
        pub num_ranks: u32,
    }
}
