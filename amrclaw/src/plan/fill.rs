//! Cells of a level that are copied from a level as fine, or interpolated from the next coarser one.

use super::exchange::{Exchange, Owners, Regions};
use super::patch_lists::PatchLists;
use super::region::{CopyRegion, InterpRegion};
use crate::mesh::Partition;

/// Regions of cells, sorted by the patch that is written.
#[derive(Clone, Debug, Default)]
pub struct FillPlan<const D: usize> {
    pub(super) exchange: Exchange<Regions<D>>,
    pub(super) copies: PatchLists<CopyRegion<D>>,
    pub(super) interps: PatchLists<InterpRegion<D>>,
}

impl<const D: usize> FillPlan<D> {
    /// An empty plan with capacity for `patches` patches with so many copies and interpolations each.
    pub(super) fn with_capacity(patches: usize, [copies, interps]: [usize; 2]) -> Self {
        FillPlan {
            exchange: Exchange::default(),
            copies: PatchLists::with_capacity(patches, copies),
            interps: PatchLists::with_capacity(patches, interps),
        }
    }

    /// Concatenates the plans of consecutive runs of patches.
    pub(super) fn join(parts: Vec<Self>) -> Self {
        FillPlan {
            copies: PatchLists::join(parts.iter().map(|part| &part.copies)),
            interps: PatchLists::join(parts.iter().map(|part| &part.interps)),
            exchange: Exchange::join(parts.into_iter().map(|part| part.exchange), Regions::append),
        }
    }

    /// The regions of the next patch follow.
    pub(super) fn end_patch(&mut self) {
        self.copies.end_patch();
        self.interps.end_patch();
    }

    /// The part of one rank in the plans of a run of patches. Owners: of the patches, of those that are copied from, and of the next
    /// coarser level's.
    pub(super) fn split(self, rank: usize, [own, sources, coarser]: [&Partition; 3]) -> Self {
        let mut exchange = Exchange::<Regions<D>>::default();
        let owners = Owners { rank, sources, targets: own, both: false };
        let ends = |r: &CopyRegion<D>| [r.source, r.target];
        let copies = owners.split(self.copies, &mut exchange, ends, |parcel, region| parcel.copies.push(region));
        let owners = Owners { sources: coarser, ..owners };
        let ends = |r: &InterpRegion<D>| [r.source, r.target];
        let interps = owners.split(self.interps, &mut exchange, ends, |parcel, region| parcel.interps.push(region));
        FillPlan { exchange, copies, interps }
    }

    /// Regions sent to other ranks and received from them.
    pub fn exchange(&self) -> &Exchange<Regions<D>> {
        &self.exchange
    }

    /// Number of patches.
    pub fn num_patches(&self) -> usize {
        self.copies.num_patches()
    }

    /// Copies into a patch.
    pub fn copies(&self, patch: usize) -> &[CopyRegion<D>] {
        self.copies.of(patch)
    }

    /// Interpolations into a patch from the coarser level.
    pub fn interps(&self, patch: usize) -> &[InterpRegion<D>] {
        self.interps.of(patch)
    }

    /// Copies into all patches.
    pub fn all_copies(&self) -> &PatchLists<CopyRegion<D>> {
        &self.copies
    }

    /// Interpolations into all patches.
    pub fn all_interps(&self) -> &PatchLists<InterpRegion<D>> {
        &self.interps
    }
}
