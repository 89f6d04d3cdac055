//! Regridding: where the values of a new level come from.

use super::exchange::{Exchange, Owners, Regions};
use super::neighbours::{Neighbours, PlanInput};
use super::patch_lists::PatchLists;
use super::region::{CopyRegion, InterpRegion, interpolations};
use crate::index::Ratio;
use crate::mesh::Partition;

/// Sources of a new level's cells: the old level where there was one, the coarser level elsewhere.
///
/// Invariant: every interior cell of the new level is written by exactly one region.
#[derive(Clone, Debug, Default)]
pub struct TransferPlan<const D: usize> {
    exchange: Exchange<Regions<D>>,
    copies: PatchLists<CopyRegion<D>>,
    interps: PatchLists<InterpRegion<D>>,
}

impl<const D: usize> TransferPlan<D> {
    /// An empty plan with capacity for `patches` patches with a typical number of sources.
    pub(super) fn with_capacity(patches: usize) -> Self {
        TransferPlan {
            exchange: Exchange::default(),
            copies: PatchLists::with_capacity(patches, 6),
            interps: PatchLists::with_capacity(patches, 4),
        }
    }

    /// Concatenates the plans of consecutive runs of patches.
    pub(super) fn join(parts: Vec<Self>) -> Self {
        TransferPlan {
            copies: PatchLists::join(parts.iter().map(|part| &part.copies)),
            interps: PatchLists::join(parts.iter().map(|part| &part.interps)),
            exchange: Exchange::join(parts.into_iter().map(|part| part.exchange), Regions::append),
        }
    }

    /// Plans the filling of the next patch.
    pub(super) fn add_patch(
        &mut self,
        k: usize,
        input: &PlanInput<'_, D>,
        ratio: Ratio<D>,
        neighbours: &Neighbours<D>,
    ) {
        let (target, patch) = (k as u32, &input.mesh.patches()[k]);
        let Neighbours { before, under, .. } = neighbours;
        if input.old.is_some() {
            for image in &before.images {
                let source = image.patch as u32;
                self.copies.push(CopyRegion { target, source, cells: image.part, shift: image.shift });
            }
            before.open.iter().for_each(|cells| interpolations(under, ratio, target, cells, &mut self.interps));
        } else {
            interpolations(under, ratio, target, patch, &mut self.interps);
        }
        self.skip_patch();
    }

    /// Plans nothing for the next patch.
    pub(super) fn skip_patch(&mut self) {
        self.copies.end_patch();
        self.interps.end_patch();
    }

    /// The part of one rank in the plans of a run of patches. `own`: owners of the new patches; `coarser`: of the next coarser level's;
    /// `old`: of the level's before, if there were any.
    pub(super) fn split(self, rank: usize, own: &Partition, coarser: &Partition, old: Option<&Partition>) -> Self {
        let mut exchange = Exchange::<Regions<D>>::default();
        let owners = Owners { rank, sources: old.unwrap_or(own), targets: own, both: false };
        let ends = |r: &CopyRegion<D>| [r.source, r.target];
        let copies = owners.split(self.copies, &mut exchange, ends, |parcel, region| parcel.copies.push(region));
        let owners = Owners { sources: coarser, ..owners };
        let ends = |r: &InterpRegion<D>| [r.source, r.target];
        let interps = owners.split(self.interps, &mut exchange, ends, |parcel, region| parcel.interps.push(region));
        TransferPlan { exchange, copies, interps }
    }

    /// Regions whose values are sent to other ranks or received from them.
    pub fn exchange(&self) -> &Exchange<Regions<D>> {
        &self.exchange
    }

    /// Number of new patches.
    pub fn num_patches(&self) -> usize {
        self.copies.num_patches()
    }

    /// Copies into a new patch from the old level.
    pub fn copies(&self, patch: usize) -> &[CopyRegion<D>] {
        self.copies.of(patch)
    }

    /// Interpolations into a new patch from the coarser level.
    pub fn interps(&self, patch: usize) -> &[InterpRegion<D>] {
        self.interps.of(patch)
    }

    /// Copies into all new patches.
    pub fn all_copies(&self) -> &PatchLists<CopyRegion<D>> {
        &self.copies
    }

    /// Interpolations into all new patches.
    pub fn all_interps(&self) -> &PatchLists<InterpRegion<D>> {
        &self.interps
    }
}

#[cfg(test)]
mod tests {
    use super::super::build::BuiltPlans;
    use super::*;
    use crate::index::CellBox;
    use crate::mesh::LevelMesh;

    /// Every new cell has one source; cells that were refined before keep their values.
    #[test]
    fn every_new_cell_has_one_source() {
        let ratio = Ratio([4, 2]);
        let domain = CellBox::new([0, 0], [9, 7]);
        let fine_domain = domain.fine_from_coarse(ratio);
        let coarse = LevelMesh::new(domain, [true, false], vec![domain]);
        let at = |lo, hi| CellBox::new(lo, hi).fine_from_coarse(ratio);
        let old = LevelMesh::new(fine_domain, [true, false], vec![at([1, 1], [5, 4])]);
        let new = LevelMesh::new(fine_domain, [true, false], vec![at([3, 2], [8, 6]), at([0, 0], [2, 2])]);
        let (coarser, old_level) = (Some((&coarse, ratio)), Some(&old));
        let input =
            PlanInput { mesh: &new, coarser, transfer: true, old: old_level, num_ghost: 2, conservation_fix: false };
        let plan = BuiltPlans::new(input).transfer.expect("asked for");
        for (k, patch) in new.patches().iter().enumerate() {
            for cell in patch.cells() {
                let copies = plan.copies(k).iter().filter(|r| r.cells.contains(cell)).count();
                let interps = plan.interps(k).iter().filter(|r| r.cells.contains(cell)).count();
                let kept = usize::from(old.patches()[0].contains(cell));
                assert_eq!((copies, interps), (kept, 1 - kept), "{cell:?}");
            }
        }
    }
}
