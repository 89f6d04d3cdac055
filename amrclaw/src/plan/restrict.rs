//! Averaging down: which fine cells replace which coarse cells.

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
    regions: Vec<RestrictRegion<D>>,
    /// End of each coarse patch's regions.
    ends: Vec<usize>,
}

impl<const D: usize> RestrictPlan<D> {
    /// Plans the averaging of `fine` onto `coarse`.
    pub fn new(coarse: &LevelMesh<D>, fine: &LevelMesh<D>, ratio: Ratio<D>) -> Self {
        let mut regions = Vec::new();
        for (source, patch) in fine.patches().iter().enumerate() {
            for image in coarse.images(&patch.coarse_from_fine(ratio)) {
                regions.push(RestrictRegion { target: image.patch as u32, source: source as u32, cells: image.part });
            }
        }
        regions.sort_by_key(|r| r.target);
        let ends = (0..coarse.patches().len()).map(|k| regions.partition_point(|r| r.target as usize <= k)).collect();
        RestrictPlan { ratio, regions, ends }
    }

    /// Number of coarse patches.
    pub fn num_patches(&self) -> usize {
        self.ends.len()
    }

    /// Regions of a coarse patch.
    pub fn regions(&self, patch: usize) -> &[RestrictRegion<D>] {
        let start = if patch == 0 { 0 } else { self.ends[patch - 1] };
        &self.regions[start..self.ends[patch]]
    }
}
