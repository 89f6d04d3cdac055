//! What the kernel takes that divides tables of plans among ranks.

use super::{Chunk, FaceRun, Origin, Patch, Region};
use crate::abi::Pointer;
use crate::device_struct;

/// Ranks among which kernels divide plans, at most.
pub const MOST_RANKS: usize = 8;

/// Parts of all tables of a level, at most.
pub const MOST_PARTS: usize = 19;

/// Which items a part has, by who owns the patch that an item reads and the one that it writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Whose {
    /// This rank owns both.
    Here,
    /// It owns what is read.
    SourceHere,
    /// It owns what is written.
    TargetHere,
    /// It owns what is read, each other rank in turn what is written.
    Sent,
    /// It owns what is written, each other rank in turn what is read.
    Received,
}

/// What the items of a part are written as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// As they are.
    Unchanged,
    /// Into messages.
    Packed,
    /// Out of messages.
    Unpacked,
}

device_struct! {
    /// How large a part is.
    pub struct PartReport {
        /// Items of the first kind; of messages that are unpacked items of both.
        pub num_first: u32,
        /// Chunks of all items.
        pub num_chunks: u32,
        /// Cells of a chunk.
        pub chunk_cells: u32,
        /// Of runs, faces of coarse cells that have an owner here on either side.
        pub num_slots: u32,
        /// And of fine ones.
        pub num_fine: u32,
        /// Nothing.
        pub padding: u32,
        /// Cells from or to each rank; of a part that does not cross at this rank's place.
        pub cells: [u32; MOST_RANKS],
        /// Chunks likewise.
        pub chunks: [u32; MOST_RANKS],
    }
}

device_struct! {
    /// A part of a plan that one rank has, and the list of the single rank that it is taken from.
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
        /// How large all that is.
        pub report: Pointer<PartReport>,
        /// Items of the two kinds in the list.
        pub num_items: [u32; 2],
        /// Which of them: a [`Whose`].
        pub whose: u32,
        /// As what: a [`Form`].
        pub form: u32,
    }
}

device_struct! {
    /// What `divide_plan` takes.
    pub struct DivideArgs {
        /// The parts, one for each block.
        pub parts: [PlanPart; MOST_PARTS],
        /// Ratio to the coarser level.
        pub ratio: [i32; 3],
        /// The rank.
        pub rank: u32,
        /// Number of all ranks.
        pub num_ranks: u32,
        /// Nothing.
        pub padding: u32,
    }
}
