//! The arguments of the kernels that make new boxes from tags.

use super::FlagTile;
use crate::abi::Pointer;
use crate::device_struct;

device_struct! {
    /// Cells `lo[d] <= i[d] < hi[d]`; cell 0 along axes that a problem does not have.
    pub struct CellBox {
        /// First cell.
        pub lo: [i32; 3],
        /// One past the last.
        pub hi: [i32; 3],
    }
}

device_struct! {
    /// Where the tiles of a level's tags are.
    pub struct TileMap {
        /// The numbers of the tiles of a box that encloses all, x fastest; the largest number where there is no tile.
        pub numbers: Pointer<u32>,
        /// The tiles.
        pub tiles: Pointer<FlagTile>,
        /// First tile of the box.
        pub lo: [i32; 3],
        /// Its tiles along each axis.
        pub size: [i32; 3],
        /// All cells that the level could have; from cell 0 on.
        pub domain: CellBox,
        /// Along periodic axes 1.
        pub periodic: [u32; 3],
        /// Number of tiles.
        pub num_tiles: u32,
    }
}

device_struct! {
    /// What `flag_widen` takes.
    pub struct WidenArgs {
        /// Tiles; a block each.
        pub map: TileMap,
        /// Flags: a word of 64 bits per tile and row.
        pub flags: Pointer<u64>,
        /// The cells that patches cover, in the same places.
        pub covered: Pointer<u64>,
        /// The tags, in the same places, written.
        pub tags: Pointer<u64>,
        /// Cells to widen by, at most a tile's shortest side.
        pub width: i32,
        /// Cells to keep away from those that no patch covers, at most a tile's shortest side; below 0 where uncovered cells do not matter.
        pub inset: i32,
    }
}

device_struct! {
    /// Cells in which flags are forced or forbidden.
    pub struct FlagRegion {
        /// The cells.
        pub cells: CellBox,
        /// 1 if all of them that patches cover are flagged.
        pub forces: u32,
        /// 1 if none is flagged, except where another region does not forbid it.
        pub forbids: u32,
    }
}

device_struct! {
    /// What `flag_regions` takes.
    pub struct FlagRegionsArgs {
        /// Tiles.
        pub map: TileMap,
        /// Flags: a word of 64 bits per tile and row, changed.
        pub flags: Pointer<u64>,
        /// The cells that patches cover, in the same places.
        pub covered: Pointer<u64>,
        /// Boxes of regions: those that touch a plane of the map's tiles across the last axis, for one plane after another.
        pub regions: Pointer<FlagRegion>,
        /// Where those of each plane begin, and the end.
        pub starts: Pointer<u32>,
    }
}

device_struct! {
    /// A tile's tags as words of planes across x, and as words of rows.
    pub struct TurnedTile {
        /// A word for each plane across x, whose bit `r` belongs to row `r`; then one for each row, zero where a tile has none.
        pub lines: [u64; 128],
        /// Tags of each of them.
        pub counts: [u8; 128],
    }
}

device_struct! {
    /// A box that is still to be cut or kept.
    pub struct Candidate {
        /// Along each axis its first cell and one past its last, each in the lower half; in the upper the run of the kernel that it is there for.
        pub ends: [u64; 6],
    }
}

device_struct! {
    /// Progress of the clustering of a level. Words that blocks change and read all the time lie far apart, so that blocks do not wait
    /// for one another.
    pub struct ClusterState {
        /// Candidates that blocks have taken or wait for.
        pub taken: u32,
        /// Nothing.
        pub apart: [u32; 31],
        /// Candidates put into the queue.
        pub added: u32,
        /// Nothing.
        pub apart_again: [u32; 31],
        /// Candidates that are not finished.
        pub pending: u32,
        /// Nothing.
        pub and_again: [u32; 31],
        /// Boxes that are not cut further.
        pub accepted: u32,
        /// Boxes that nest and are no larger than a patch.
        pub nested: u32,
        /// Not 0 if there was too little room: boxes are then missing.
        pub failed: u32,
        /// Most cells of a nested box along the last axis.
        pub tallest: u32,
    }
}

device_struct! {
    /// What `turn_tags` takes.
    pub struct TurnArgs {
        /// Tiles of the tags.
        pub map: TileMap,
        /// Words of the tags, by tile and row.
        pub words: Pointer<u64>,
        /// The tiles turned around, written.
        pub turned: Pointer<TurnedTile>,
        /// Number of tags in each plane of all cells, one axis after another; the kernel adds to zeros.
        pub planes: Pointer<u32>,
        /// Initialised by the kernel.
        pub state: Pointer<ClusterState>,
        /// Its first candidate is written.
        pub queue: Pointer<Candidate>,
        /// The cells of all tiles in the domain.
        pub bounds: CellBox,
        /// A number that no run of `cluster` has had in this queue.
        pub run: u32,
    }
}

device_struct! {
    /// What `cluster` and `cluster_long` take.
    pub struct ClusterArgs {
        /// Tiles of the tags.
        pub map: TileMap,
        /// The tiles turned around.
        pub turned: Pointer<TurnedTile>,
        /// Number of tags in each plane; zeros after the kernel.
        pub planes: Pointer<u32>,
        /// The state that `turn_tags` has initialised.
        pub state: Pointer<ClusterState>,
        /// Candidates.
        pub queue: Pointer<Candidate>,
        /// Boxes, written.
        pub boxes: Pointer<CellBox>,
        /// Memory of each block for signatures, if they are not in shared memory.
        pub scratch: Pointer<u32>,
        /// Smallest accepted efficiency.
        pub cutoff: f64,
        /// Efficiency below which boxes without holes and edges are halved.
        pub halved_below: f64,
        /// Fewest cells on either side of a cut that does not go through a plane without tags.
        pub min_size: i32,
        /// Number of candidates and of boxes that there is room for.
        pub room: u32,
        /// Planes of all cells, along all axes.
        pub num_planes: u32,
        /// Words of a block's memory there: two counts for each plane, then a bit for each.
        pub scratch_words: u32,
        /// As for `turn_tags`.
        pub run: u32,
    }
}

device_struct! {
    /// What `mark_tiles` takes.
    pub struct MarkTilesArgs {
        /// Tiles of the tags.
        pub map: TileMap,
        /// Words of the tags, by tile and row.
        pub words: Pointer<u64>,
        /// A bit for each aligned tile, along the Morton curve; zero before the kernel.
        pub marks: Pointer<u64>,
        /// Cells of an aligned tile along each axis.
        pub size: i32,
    }
}

device_struct! {
    /// What `join_tiles` takes.
    pub struct JoinTilesArgs {
        /// Number of boxes; zero before the first launch.
        pub state: Pointer<ClusterState>,
        /// Boxes, written.
        pub boxes: Pointer<CellBox>,
        /// A bit for each full node of `2^level` tiles.
        pub marks: Pointer<u64>,
        /// A bit for each full word of these, written.
        pub full: Pointer<u32>,
        /// All cells that the tags' level could have; from cell 0 on.
        pub domain: CellBox,
        /// Cells of an aligned tile along each axis.
        pub size: i32,
        /// Level of the nodes in the curve's tree.
        pub level: i32,
        /// Words of marks.
        pub num_words: u32,
        /// Boxes that there is room for.
        pub room: u32,
    }
}

/// Levels from a base level to the finest that may be refined, at most.
pub const MAX_LEVELS: usize = 16;

device_struct! {
    /// What `nest` and `clip_tags` take.
    pub struct NestArgs {
        /// Tiles of the tags.
        pub map: TileMap,
        /// Tiles of the base level.
        pub base: TileMap,
        /// Words of the tags, by tile and row; changed by `clip_tags`.
        pub words: Pointer<u64>,
        /// The cells that the base level covers, by its tiles and rows.
        pub covered: Pointer<u64>,
        /// Number of boxes.
        pub state: Pointer<ClusterState>,
        /// Clustered boxes.
        pub boxes: Pointer<CellBox>,
        /// Boxes of the new level, written.
        pub nested: Pointer<CellBox>,
        /// Ratios from the base level to the next finer one, and on to that of the tags.
        pub between: [[i32; 3]; MAX_LEVELS],
        /// Ratio from the level of the tags to the new one.
        pub ratio: [i32; 3],
        /// Most cells of a box along each axis, in those of the tags' level.
        pub largest: [i32; 3],
        /// Number of ratios.
        pub num_between: u32,
        /// Nesting width.
        pub width: i32,
        /// Boxes that there is room for.
        pub room: u32,
        /// Every box nests.
        pub nests_all: u32,
    }
}

device_struct! {
    /// What `sort_boxes` takes.
    pub struct SortArgs {
        /// Number of boxes.
        pub state: Pointer<ClusterState>,
        /// Boxes in any order.
        pub boxes: Pointer<CellBox>,
        /// Boxes in order, written.
        pub sorted: Pointer<CellBox>,
        /// A copy of the first of them, kept as long as the level has these patches.
        pub patches: Pointer<CellBox>,
        /// Boxes that there is room for.
        pub room: u32,
        /// Patches that there is room for.
        pub room_for_patches: u32,
    }
}

device_struct! {
    /// What `project_boxes` takes.
    pub struct ProjectArgs {
        /// Tiles of the tags.
        pub map: TileMap,
        /// Words of the tags, by tile and row, changed.
        pub words: Pointer<u64>,
        /// Number of boxes; marked as failed if tags lie where there is no tile.
        pub finer: Pointer<ClusterState>,
        /// Boxes two levels finer.
        pub boxes: Pointer<CellBox>,
        /// Ratio from the tags' level to the next finer one, and from there on.
        pub ratio: [i32; 3],
        /// Likewise the next.
        pub ratio_fine: [i32; 3],
        /// Nesting width.
        pub width: i32,
        /// Cells of the tags' level that are tagged around, as room to move and as buffer.
        pub around: i32,
        /// Boxes that there is room for.
        pub room: u32,
    }
}
