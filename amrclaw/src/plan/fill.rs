//! Cells of a level that are copied from a level as fine, or interpolated from the next coarser one.

use super::exchange::{Exchange, Owners, Regions};
use super::patch_lists::PatchLists;
use super::region::Region;
use crate::mesh::Partition;

/// Regions of cells, sorted by the patch that is written.
#[derive(Clone, Debug, Default)]
pub struct FillPlan<const D: usize> {
    /// Regions sent to other ranks and received from them.
    pub exchange: Exchange<Regions<D>>,
    /// Copies into each patch.
    pub copies: PatchLists<Region<D>>,
    /// Interpolations into each patch from the coarser level.
    pub interps: PatchLists<Region<D>>,
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
        let copies = owners.split_regions(self.copies, &mut exchange, |message, region| message.copies.push(region));
        let owners = Owners { sources: coarser, ..owners };
        let interps = owners.split_regions(self.interps, &mut exchange, |message, region| message.interps.push(region));
        FillPlan { exchange, copies, interps }
    }

    /// Number of patches.
    pub fn num_patches(&self) -> usize {
        self.copies.num_patches()
    }
}
