//! Regridding: flag → buffer → cluster → nest, from the finest level that may be refined down to the base level.
//!
//! Berger & Oliger 1984 (doi:10.1016/0021-9991(84)90073-1), Berger & Colella 1989 (doi:10.1016/0021-9991(89)90035-1),
//! Berger & Rigoutsos 1991 (doi:10.1109/21.120081).

mod cluster;
pub mod nest;
mod region;
mod tiles;

pub use crate::mesh::buffer;
pub use cluster::{ClusterParams, HALVED_BELOW, cluster};
pub use region::RefinementRegion;
pub use tiles::tiles;

use crate::exec::{ExecError, Executor, FlagRequest, Flagged};
use crate::index::{CellBox, Level};
use crate::mesh::{Hierarchy, TagSet};
use crate::plan::LevelPlans;
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
    /// Cells of the next coarser level that lie at least between a patch and that level's edge.
    pub nesting_width: i32,
    /// Boxes in which levels are forced or forbidden.
    pub regions: Vec<RefinementRegion<D>>,
}

/// Time and last step of the levels at hand, for criteria that need them.
#[derive(Clone, Copy, Debug)]
pub struct RegridTime<'a> {
    /// Time of the base level and all finer ones.
    pub time: f64,
    /// The coarsest level at that time: the base level, or a coarser one whose step is next.
    pub coarsest: Level,
    /// Step of the coarsest level.
    pub dt: f64,
    /// Steps of each finer level in one of the next coarser.
    pub time_ratios: &'a [u32],
}

/// Boxes of all levels finer than `base`, coarser levels first; `base` and coarser levels stay as they are.
pub fn finer_boxes<const D: usize>(
    base: Level,
    hierarchy: &Hierarchy<D>,
    exec: &mut dyn Executor<D>,
    plans: &[LevelPlans<D>],
    options: &RegridOptions<D>,
    at: RegridTime<'_>,
) -> Result<Vec<Vec<CellBox<D>>>, ExecError> {
    let finest = hierarchy.finest().index().min(hierarchy.max_levels() - 2);
    let mut finer: Vec<Vec<CellBox<D>>> = Vec::new();
    let levels = (base.index()..=finest).rev().map(|l| Level(l as u8));
    // Regions act on flags before they are widened.
    let regions = |level| region::active(&options.regions, hierarchy, level, at.time);
    let request = |level| match regions(level).is_empty() {
        true => FlagRequest { width: options.buffer, inset: Some(options.nesting_width).filter(|_| level == base) },
        false => FlagRequest::default(),
    };
    // Coarser levels first: slopes between a level's cells, which fill the next finer one's ghost cells, read its own. Those of levels
    // coarser than the base are of the time before the last averages.
    for l in at.coarsest.index()..=finest {
        exec.fill_ghosts(Level(l as u8), &plans[l])?;
    }
    for level in levels.clone() {
        exec.begin_flagging(level, request(level))?;
    }
    for level in levels {
        let dt = at.dt / at.time_ratios[..level.index()].iter().copied().map(f64::from).product::<f64>();
        let clock = Instant::now();
        let mut flagged = exec.flag(level, dt, request(level))?;
        let regions = regions(level);
        if !regions.is_empty() {
            region::apply(&regions, hierarchy.level(level), level, &mut flagged.tags);
            flagged.tags = buffer(&flagged.tags, options.buffer, hierarchy.domain().periodic);
        }
        let flags = clock.elapsed();
        let boxes = boxes_over(level, base, hierarchy, flagged, finer.first().map_or(&[], Vec::as_slice), options);
        debug!(%level, boxes = boxes.len(), ?flags, clustered = ?clock.elapsed() - flags);
        finer.insert(0, boxes);
    }
    Ok(finer)
}

/// Cells of the level to be refined that are added around what lies two levels finer. Nesting does not ask for them:
/// they give that level room to follow its features when it is regridded alone, inside the level between.
const ROOM_TO_MOVE: i32 = 1;

/// Boxes of the level finer than `level` over its tags, which are widened, and under `finer`, the boxes two levels finer.
fn boxes_over<const D: usize>(
    level: Level,
    base: Level,
    hierarchy: &Hierarchy<D>,
    Flagged { mut tags, inset }: Flagged<D>,
    finer: &[CellBox<D>],
    options: &RegridOptions<D>,
) -> Vec<CellBox<D>> {
    let ratio = hierarchy.ratio(level);
    let periodic = hierarchy.domain().periodic;
    let width = options.nesting_width;
    if !finer.is_empty() {
        // What lies beneath finer boxes is widened like flags.
        let room = ROOM_TO_MOVE + options.buffer;
        nest::project(finer, [ratio, hierarchy.ratio(level.finer())], width, room, &mut tags, periodic);
    }
    let nesting = LevelNesting::new(hierarchy.level(base), &hierarchy.ratios()[base.index()..level.index()], width);
    // What finer boxes have added may not nest.
    if !inset || !finer.is_empty() {
        nesting.clip(&mut tags);
    }
    let boxes = options.cluster.boxes(&tags);
    let boxes = match nesting.nests_all() {
        true => boxes,
        false => nest::enforce(&boxes, &tags, |cells| nesting.nests(cells)),
    };
    let largest = ratio.0.map(|r| (options.max_patch_size / r).max(1));
    let boxes = nest::split_to_size(&boxes, largest);
    boxes.iter().map(|cells| cells.fine_from_coarse(ratio)).collect()
}
