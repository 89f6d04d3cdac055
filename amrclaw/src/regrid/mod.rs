//! Regridding: flag → buffer → cluster → nest, from the finest level that may be refined down to the base level.
//!
//! Berger & Oliger 1984 (doi:10.1016/0021-9991(84)90073-1), Berger & Colella 1989 (doi:10.1016/0021-9991(89)90035-1),
//! Berger & Rigoutsos 1991 (doi:10.1109/21.120081).
//!
//! Executors report which parts of a request for flags they have done (regions, widening, inset, in this order); the rest is done here. This code
//! is the reference for boxes that a device makes. Boxes depend neither on the number of threads nor on that of ranks.

mod cluster;
pub mod nest;
mod region;
mod shape;
mod tiles;

pub use crate::mesh::buffer;
pub use cluster::{ClusterParams, HALVED_BELOW, cluster, divide_among_ranks, redistribute_tags};
pub use region::{RefinementRegion, RegionPlace, flag_regions};
pub use shape::Shape;
pub use tiles::tiles;

use crate::exec::{
    ClusterMethod, Cuts, ExecError, Executor, FlagRegion, FlagRequest, Flagged, RefineRequest, Refinement,
};
use crate::index::{CellBox, Level};
use crate::mesh::{Hierarchy, Partition, Rank, TagSet};
use crate::plan::LevelPlans;
use crate::ranks::{MessageHeader, MessageKind, Ranks};
use nest::LevelNesting;
use std::time::Instant;
use tracing::debug;

/// How tags are covered with boxes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Clustering {
    /// By [`cluster`].
    BergerRigoutsos(ClusterParams),
    /// By [`tiles`] of so many cells along each axis.
    Tiles(i32),
}

impl Clustering {
    /// Disjoint boxes that hold all tags, in cells of the tags' level, in an order that depends on the tags alone.
    pub fn boxes<const D: usize>(&self, tags: &TagSet<D>) -> Vec<CellBox<D>> {
        match self {
            Clustering::BergerRigoutsos(params) => cluster(tags, params),
            Clustering::Tiles(size) => tiles(tags, *size),
        }
    }

    /// The same choice, for a request to an executor.
    pub fn method(&self) -> ClusterMethod {
        match *self {
            Clustering::BergerRigoutsos(ClusterParams { cutoff, min_size }) => {
                ClusterMethod::BergerRigoutsos(Cuts { cutoff, halved_below: HALVED_BELOW, min_size })
            }
            Clustering::Tiles(size) => ClusterMethod::Tiles(size),
        }
    }
}

/// How levels are made.
#[derive(Clone, Debug)]
pub struct RegridOptions<const D: usize> {
    /// Cells added around flagged cells.
    pub buffer: i32,
    /// Clustering.
    pub cluster: Clustering,
    /// Most cells of a patch along any axis.
    pub max_patch_size: i32,
    /// Fewest cells of the next coarser level between a patch and that level's edge.
    pub nesting_width: i32,
    /// Where levels are forced or forbidden.
    pub regions: Vec<RefinementRegion<D>>,
}

/// Time and step sizes at a regrid.
#[derive(Clone, Copy, Debug)]
pub struct RegridTime<'a> {
    /// Time of the base level and all finer ones.
    pub time: f64,
    /// The coarsest level whose ghost cells are still to be filled, among the levels at `time`: the base level and finer ones, and
    /// coarser ones from the level whose step is next.
    pub unfilled: Level,
    /// Step of the coarsest level.
    pub dt: f64,
    /// Steps of each finer level during one step of the next coarser level.
    pub time_ratios: &'a [u32],
}

/// New boxes of all levels finer than `base`, coarser levels first. A collective operation: all ranks get the same boxes, in any order
/// within a level.
pub fn finer_boxes<const D: usize>(
    base: Level,
    hierarchy: &Hierarchy<D>,
    exec: &mut dyn Executor<D>,
    ranks: &Ranks,
    plans: &[LevelPlans<D>],
    options: &RegridOptions<D>,
    at: RegridTime<'_>,
) -> Result<Vec<Vec<CellBox<D>>>, ExecError> {
    let finest = hierarchy.finest().index().min(hierarchy.max_levels() - 2);
    let regions: Vec<Vec<FlagRegion<D>>> =
        (0..=finest).map(|l| region::flag_regions(&options.regions, hierarchy, Level(l as u8), at.time)).collect();
    // Regions act on flags before they are widened.
    let request = |level: Level| {
        let inset = Some(options.nesting_width).filter(|_| level == base);
        FlagRequest { regions: &regions[level.index()], width: options.buffer, inset }
    };
    // Coarser levels first: the slopes that fill a level's ghost cells read ghost cells of the next coarser level. The ghost cells of
    // levels coarser than the base are from before the last averaging down.
    for l in at.unfilled.index()..=finest {
        exec.fill_ghosts(Level(l as u8), &plans[l])?;
    }
    let step = |l: usize| at.dt / at.time_ratios[..l].iter().copied().map(f64::from).product::<f64>();
    let refine = RefineRequest {
        hierarchy,
        base,
        finest: Level(finest as u8),
        nesting_width: options.nesting_width,
        room: ROOM_TO_MOVE + options.buffer,
        method: options.cluster.method(),
        max_patch_size: options.max_patch_size,
        steps: &(0..=finest).map(step).collect::<Vec<_>>(),
    };
    for level in refine.levels() {
        exec.renew_aux(level, Some(request(level)))?;
    }
    let flags = match exec.refine(refine)? {
        Refinement::Boxes(boxes) => return Ok(boxes),
        Refinement::Flags(flags) => flags,
    };
    let mut finer: Vec<Vec<CellBox<D>>> = Vec::new();
    for (level, mut flagged) in refine.levels().zip(flags) {
        let clock = Instant::now();
        let partition = plans[level.index()].partition.as_deref().filter(|_| !flagged.of_all);
        complete(&mut flagged, request(level), hierarchy, level, |patch| {
            Partition::owns(partition, ranks.rank().number, patch)
        });
        let over = Refined { level, base, hierarchy, finer: finer.first().map_or(&[], Vec::as_slice), options };
        let boxes = match partition {
            None => over.boxes(over.nested(flagged, over.finer)),
            Some(partition) => over.boxes_of_ranks(flagged, partition, ranks)?,
        };
        debug!(%level, boxes = boxes.len(), clustered = ?clock.elapsed());
        finer.insert(0, boxes);
    }
    Ok(finer)
}

/// Does the part of a flag request that the executor has not done, except for the inset.
fn complete<const D: usize>(
    flagged: &mut Flagged<D>,
    request: FlagRequest<'_, D>,
    hierarchy: &Hierarchy<D>,
    level: Level,
    is_own: impl Fn(usize) -> bool,
) {
    if !flagged.done.regions {
        region::apply(request.regions, hierarchy.level(level), is_own, &mut flagged.tags);
    }
    if flagged.done.width < request.width {
        flagged.tags = buffer(&flagged.tags, request.width - flagged.done.width, hierarchy.domain().repeats);
    }
}

/// Cells of the level to be refined that are added around the boxes two levels finer. Nesting does not require them: they
/// let that finest level follow its features when it is regridded alone, inside the level between.
const ROOM_TO_MOVE: i32 = 1;

/// A level that is to be refined.
struct Refined<'a, const D: usize> {
    level: Level,
    base: Level,
    hierarchy: &'a Hierarchy<D>,
    /// The new boxes two levels finer.
    finer: &'a [CellBox<D>],
    options: &'a RegridOptions<D>,
}

impl<const D: usize> Refined<'_, D> {
    fn nesting(&self) -> LevelNesting<'_, D> {
        let ratios = &self.hierarchy.ratios()[self.base.index()..self.level.index()];
        LevelNesting::new(self.hierarchy.level(self.base), ratios, self.options.nesting_width)
    }

    /// The tags that nest, with those under `finer` added: all boxes two levels finer, or a rank's share of them.
    fn nested(&self, Flagged { mut tags, done, .. }: Flagged<D>, finer: &[CellBox<D>]) -> TagSet<D> {
        let &Refined { level, hierarchy, options, .. } = self;
        if !finer.is_empty() {
            // Tags beneath finer boxes are widened like flags.
            let room = ROOM_TO_MOVE + options.buffer;
            let ratios = [hierarchy.ratio(level), hierarchy.ratio(level.finer())];
            nest::project(finer, ratios, options.nesting_width, room, &mut tags, hierarchy.domain().repeats);
        }
        // Tags added beneath finer boxes may not nest.
        if !done.inset || !finer.is_empty() {
            self.nesting().clip(&mut tags);
        }
        tags
    }

    /// Boxes of the next finer level over tags that nest.
    fn boxes(&self, tags: TagSet<D>) -> Vec<CellBox<D>> {
        let (ratio, nesting) = (self.hierarchy.ratio(self.level), self.nesting());
        let boxes = self.options.cluster.boxes(&tags);
        let boxes = match nesting.nests_all() {
            true => boxes,
            false => nest::enforce(&boxes, &tags, |cells| nesting.nests(cells)),
        };
        let largest = ratio.0.map(|r| (self.options.max_patch_size / r).max(1));
        let boxes = nest::split_to_size(&boxes, largest);
        boxes.iter().map(|cells| cells.fine_from_coarse(ratio)).collect()
    }

    /// As [`Refined::boxes`] for the tags of all ranks: each rank makes a part of the boxes, and all ranks gather them.
    fn boxes_of_ranks(
        &self,
        flagged: Flagged<D>,
        partition: &Partition,
        ranks: &Ranks,
    ) -> Result<Vec<CellBox<D>>, ExecError> {
        let Rank { number, of } = ranks.rank();
        let header = MessageHeader { kind: MessageKind::Flags, level: self.level.0, epoch: self.hierarchy.epoch().0 };
        let share = |part: usize| part * self.finer.len() / of;
        let tags = self.nested(flagged, &self.finer[share(number)..share(number + 1)]);
        let tags = cluster::redistribute_tags(tags, self.hierarchy.level(self.level), partition, ranks, header)?;
        let params = match &self.options.cluster {
            Clustering::BergerRigoutsos(params) => Some(params),
            // One rank needs all tiles to decide which of them form one box.
            Clustering::Tiles(_) => None,
        };
        let own = self.boxes(cluster::divide_among_ranks(tags, params, ranks, header)?);
        let all = ranks.gather(&cluster::boxes_to_words(&own))?;
        Ok(all.iter().flat_map(|words| cluster::boxes_from_words(words)).collect())
    }
}
