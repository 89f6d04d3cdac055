//! Averaging down: which fine cells replace which coarse cells.

use super::exchange::{Exchange, Owners};
use super::patch_lists::PatchLists;
use super::region::Region;
use crate::index::{CellBox, Ratio};
use crate::mesh::{LevelMesh, Partition};

/// All coarse cells under a fine level, sorted by coarse patch.
#[derive(Clone, Debug)]
pub struct RestrictPlan<const D: usize> {
    /// Ratio between the levels.
    pub ratio: Ratio<D>,
    /// Coarse cells of a patch that lie under one fine patch, their source.
    pub regions: PatchLists<Region<D>>,
    /// Coarse cells whose averages are sent to other ranks or received from them.
    pub exchange: Exchange<Vec<Region<D>>>,
}

impl<const D: usize> RestrictPlan<D> {
    /// Sorts the regions of runs of fine patches by the patches of `coarse`.
    pub(super) fn join(parts: &[Vec<Region<D>>], coarse: &LevelMesh<D>, ratio: Ratio<D>) -> Self {
        let regions = parts.iter().flatten();
        let regions = PatchLists::sorted(regions, coarse.patches().len(), |r| r.target);
        RestrictPlan { ratio, regions, exchange: Exchange::default() }
    }

    /// One rank's part. `fine`, `coarse`: owners of the levels' patches.
    pub(super) fn split(self, rank: usize, fine: &Partition, coarse: &Partition) -> Self {
        let mut exchange = Exchange::<Vec<_>>::default();
        let owners = Owners { rank, sources: fine, targets: coarse, both: false };
        let regions = owners.split_regions(self.regions, &mut exchange, |message, region| message.push(region));
        RestrictPlan { ratio: self.ratio, regions, exchange }
    }

    /// The parts of `cells`, all cells of a coarse patch, that the fine level does not cover.
    pub fn uncovered_cells(&self, patch: usize, cells: &CellBox<D>) -> Vec<CellBox<D>> {
        if self.exchange.received.is_empty() {
            return cells.outside_all(self.regions.of(patch).iter().map(|region| &region.cells));
        }
        let received = self.exchange.received.iter().flat_map(|message| &message.items);
        let received = received.filter(|region| region.target as usize == patch);
        let mut covered: Vec<_> = self.regions.of(patch).iter().chain(received).collect();
        // In the order of the solo plan, so that sums over the open cells give the same bits.
        covered.sort_by_key(|region| region.source);
        cells.outside_all(covered.into_iter().map(|region| &region.cells))
    }
}
