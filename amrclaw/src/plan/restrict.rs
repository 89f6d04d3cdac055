//! Averaging down: which fine cells replace which coarse cells.

use super::exchange::{Exchange, Owners};
use super::patch_lists::PatchLists;
use crate::index::{CellBox, Ratio};
use crate::mesh::{LevelMesh, Partition};

/// Coarse cells of one patch that lie under one fine patch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RestrictRegion<const D: usize> {
    /// Coarse patch.
    pub target: u32,
    /// Fine patch.
    pub source: u32,
    /// Coarse cells.
    pub cells: CellBox<D>,
}

/// All coarse cells under a fine level, sorted by coarse patch.
#[derive(Clone, Debug)]
pub struct RestrictPlan<const D: usize> {
    /// Ratio between the levels.
    pub ratio: Ratio<D>,
    regions: PatchLists<RestrictRegion<D>>,
    exchange: Exchange<Vec<RestrictRegion<D>>>,
}

impl<const D: usize> RestrictPlan<D> {
    /// Sorts the regions of runs of fine patches by the patches of `coarse`.
    pub(super) fn join(parts: &[Vec<RestrictRegion<D>>], coarse: &LevelMesh<D>, ratio: Ratio<D>) -> Self {
        let regions = parts.iter().flatten();
        let regions = PatchLists::sorted(regions, coarse.patches().len(), |r| r.target);
        RestrictPlan { ratio, regions, exchange: Exchange::default() }
    }

    /// One rank's part. `fine`, `coarse`: owners of the levels' patches.
    pub(super) fn split(self, rank: usize, fine: &Partition, coarse: &Partition) -> Self {
        let mut exchange = Exchange::<Vec<_>>::default();
        let owners = Owners { rank, sources: fine, targets: coarse, both: false };
        let regions = owners.split(self.regions, &mut exchange, |r| [r.source, r.target], |parcel, r| parcel.push(r));
        RestrictPlan { ratio: self.ratio, regions, exchange }
    }

    /// Coarse cells whose averages are sent to other ranks or received from them.
    pub fn exchange(&self) -> &Exchange<Vec<RestrictRegion<D>>> {
        &self.exchange
    }

    /// Number of coarse patches.
    pub fn num_patches(&self) -> usize {
        self.regions.num_patches()
    }

    /// Regions of a coarse patch.
    pub fn regions(&self, patch: usize) -> &[RestrictRegion<D>] {
        self.regions.of(patch)
    }

    /// The parts of `cells`, all cells of a coarse patch, that the fine level does not cover.
    pub fn uncovered_cells(&self, patch: usize, cells: &CellBox<D>) -> Vec<CellBox<D>> {
        if self.exchange.received.is_empty() {
            return cells.outside_all(self.regions(patch).iter().map(|region| &region.cells));
        }
        let received = self.exchange.received.iter().flat_map(|parcel| &parcel.items);
        let received = received.filter(|region| region.target as usize == patch);
        let mut covered: Vec<_> = self.regions(patch).iter().chain(received).collect();
        // In the order of the solo plan, so that sums over the open cells give the same bits.
        covered.sort_by_key(|region| region.source);
        cells.outside_all(covered.into_iter().map(|region| &region.cells))
    }

    /// Regions of all coarse patches.
    pub fn all_regions(&self) -> &PatchLists<RestrictRegion<D>> {
        &self.regions
    }
}
