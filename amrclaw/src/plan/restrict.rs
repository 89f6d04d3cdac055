//! Averaging down: which fine cells replace which coarse cells.

use super::patch_lists::PatchLists;
use crate::index::{CellBox, Ratio};
use crate::mesh::LevelMesh;

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
}

impl<const D: usize> RestrictPlan<D> {
    /// Sorts the regions of runs of fine patches by the patches of `coarse`.
    pub(super) fn join(parts: &[Vec<RestrictRegion<D>>], coarse: &LevelMesh<D>, ratio: Ratio<D>) -> Self {
        let regions = parts.iter().flatten();
        RestrictPlan { ratio, regions: PatchLists::sorted(regions, coarse.patches().len(), |r| r.target) }
    }

    /// Number of coarse patches.
    pub fn num_patches(&self) -> usize {
        self.regions.num_patches()
    }

    /// Regions of a coarse patch.
    pub fn regions(&self, patch: usize) -> &[RestrictRegion<D>] {
        self.regions.of(patch)
    }

    /// The cells of a coarse patch, all of them given, that the fine level does not cover.
    pub fn open_cells(&self, patch: usize, cells: &CellBox<D>) -> Vec<CellBox<D>> {
        cells.outside_all(self.regions(patch).iter().map(|region| &region.cells))
    }

    /// Regions of all coarse patches.
    pub fn all_regions(&self) -> &PatchLists<RestrictRegion<D>> {
        &self.regions
    }
}
