//! What a regrid asks executors for: flags, and boxes made of them.

use crate::index::{CellBox, Level};
use crate::mesh::{Hierarchy, TagSet};

/// Cells of a level in which flags are forced or forbidden.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FlagRegion<const D: usize> {
    /// The cells.
    pub cells: CellBox<D>,
    /// All that patches cover are flagged.
    pub forces: bool,
    /// None is, but where another region does not forbid it.
    pub forbids: bool,
}

/// What is to be done with a level's flags, in this order: nothing by default.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FlagRequest<'a, const D: usize> {
    /// Where they are forced and forbidden.
    pub regions: &'a [FlagRegion<D>],
    /// Cells around each flag to be tagged too, as [`crate::mesh::buffer`] has it.
    pub width: i32,
    /// Then tags within so many cells (maximum norm) of a cell of the domain that the level does not cover are of no use.
    pub inset: Option<i32>,
}

/// What an executor has done of it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FlagsDone {
    /// Regions have acted.
    pub regions: bool,
    /// Flags are widened by so many cells.
    pub width: i32,
    /// There are no tags that are of no use.
    pub inset: bool,
}

/// How boxes are cut, see [`crate::regrid::cluster`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cuts {
    /// Smallest accepted efficiency of a box, tagged cells over all its cells.
    pub cutoff: f64,
    /// Efficiency below which boxes without holes and edges are halved.
    pub halved_below: f64,
    /// Fewest cells on either side of a cut that does not go through a plane without tags.
    pub min_size: i32,
}

/// How tags are covered with boxes, see [`crate::regrid::Clustering`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Covering {
    /// By boxes that are cut.
    BergerRigoutsos(Cuts),
    /// By aligned tiles of so many cells along each axis.
    Tiles(i32),
}

/// What new levels are to be made like, of the tags of all levels from a base level on.
#[derive(Clone, Copy, Debug)]
pub struct RefineRequest<'a, const D: usize> {
    /// The levels at hand.
    pub hierarchy: &'a Hierarchy<D>,
    /// The finest level that stays.
    pub base: Level,
    /// The finest level that may be refined.
    pub finest: Level,
    /// Cells of the next coarser level that lie at least between a patch and that level's edge.
    pub nesting_width: i32,
    /// Cells tagged around what lies beneath the boxes two levels finer.
    pub room: i32,
    /// How tags are covered.
    pub covering: Covering,
    /// Most cells of a patch along any axis.
    pub max_patch_size: i32,
}

/// Tags of a level.
#[derive(Debug)]
pub struct Flagged<const D: usize> {
    /// The tags.
    pub tags: TagSet<D>,
    /// What has been done of what was asked for.
    pub done: FlagsDone,
    /// True if they are those of all ranks; else those around the patches of this one, see [`Ranks::keeps_flags`](crate::exec::comm::Ranks::keeps_flags).
    pub of_all: bool,
}
