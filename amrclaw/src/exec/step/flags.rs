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
    /// None is flagged, except where another region does not forbid it.
    pub forbids: bool,
}

/// What is to be done with a level's flags, in this order: nothing by default.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FlagRequest<'a, const D: usize> {
    /// Where they are forced and forbidden.
    pub regions: &'a [FlagRegion<D>],
    /// Cells around each flag to be tagged too, as [`crate::mesh::buffer`] has it.
    pub width: i32,
    /// Tags within this many cells (maximum norm) of a cell of the domain that the level does not cover may be dropped: they could not
    /// nest.
    pub inset: Option<i32>,
}

/// Which parts of a [`FlagRequest`] an executor has carried out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FlagsDone {
    /// The regions have been applied.
    pub regions: bool,
    /// Flags are widened by so many cells.
    pub width: i32,
    /// The tags that could not nest have been dropped.
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
pub enum ClusterMethod {
    /// By boxes that are cut.
    BergerRigoutsos(Cuts),
    /// By aligned tiles of so many cells along each axis.
    Tiles(i32),
}

/// How new levels are made from the tags of all levels from a base level on.
#[derive(Clone, Copy, Debug)]
pub struct RefineRequest<'a, const D: usize> {
    /// The present levels.
    pub hierarchy: &'a Hierarchy<D>,
    /// The finest level that stays.
    pub base: Level,
    /// The finest level that may be refined.
    pub finest: Level,
    /// Least number of cells of the next coarser level between a patch and that level's edge.
    pub nesting_width: i32,
    /// Cells tagged around the projection of boxes two levels finer.
    pub room: i32,
    /// How tags are covered.
    pub method: ClusterMethod,
    /// Most cells of a patch along any axis.
    pub max_patch_size: i32,
    /// The size of each level's step, for criteria that take one.
    pub steps: &'a [f64],
}

impl<const D: usize> RefineRequest<'_, D> {
    /// The levels to be refined, finer ones first.
    pub fn levels(&self) -> impl Iterator<Item = Level> + use<D> {
        (self.base.0..=self.finest.0).rev().map(Level)
    }

    /// The flags of all these levels, each of its level and step size.
    pub(in crate::exec) fn flags_of<E>(
        &self,
        mut flags: impl FnMut(Level, f64) -> Result<Flagged<D>, E>,
    ) -> Result<Refinement<D>, E> {
        let flagged = self.levels().map(|level| flags(level, self.steps[level.index()]));
        flagged.collect::<Result<_, E>>().map(Refinement::Flags)
    }
}

/// What an executor makes of the flags of levels.
#[derive(Debug)]
pub enum Refinement<const D: usize> {
    /// New boxes of all levels finer than the base level, coarser levels first, each level's in any order: the same as [`crate::regrid`] makes
    /// of the flags.
    Boxes(Vec<Vec<CellBox<D>>>),
    /// The flags of each level, finer levels first.
    Flags(Vec<Flagged<D>>),
}

/// Cells of a level that the criterion flags.
#[derive(Debug)]
pub struct Flagged<const D: usize> {
    /// The tags.
    pub tags: TagSet<D>,
    /// Which parts of the [`FlagRequest`] have been carried out.
    pub done: FlagsDone,
    /// True if they are those of all ranks; else only those around this rank's patches, see
    /// [`Ranks::keeps_flags`](crate::ranks::Ranks::keeps_flags).
    pub of_all: bool,
}
