//! Which patches of a level matter to one rank among several: only these are planned, so that a rank's work does not grow with the patches
//! of other ranks, except for one test per patch.

use super::neighbours::{Neighbours, PlanInput};
use crate::index::CellBox;
use crate::mesh::{Image, LevelMesh, Partition};

/// Owners of the patches that a level's plans read or write.
#[derive(Clone, Copy)]
pub(super) struct PlanOwners<'a> {
    /// Of the level.
    pub own: &'a Partition,
    /// Of the next coarser level.
    pub coarser: Option<&'a Partition>,
    /// Of the level's patches before it was replaced.
    pub old: Option<&'a Partition>,
}

/// The input for one rank's plans of a level: its part of the solo plans.
pub(super) struct RankPart<'a, const D: usize> {
    pub input: PlanInput<'a, D>,
    pub rank: usize,
    pub owners: PlanOwners<'a>,
    /// A box around all patches that may matter to the rank.
    near: CellBox<D>,
}

impl<'a, const D: usize> RankPart<'a, D> {
    pub fn new(input: PlanInput<'a, D>, rank: usize, owners: PlanOwners<'a>) -> Self {
        let around = |mesh: &LevelMesh<D>, partition: &Partition, place: &dyn Fn(&CellBox<D>) -> CellBox<D>| {
            partition.patches_of(rank).fold(CellBox::EMPTY, |hull, k| hull.hull(&place(&mesh.patches()[k])))
        };
        let reach = input.reach();
        let mut near = around(input.mesh, owners.own, &|patch| patch.grow_by(reach));
        if let (Some((coarse, ratio)), Some(partition)) = (input.coarser, owners.coarser) {
            // The surroundings of a fine patch are rounded outward to whole coarse cells.
            let over = |patch: &CellBox<D>| patch.grow(1).fine_from_coarse(ratio).grow_by(reach);
            near = near.hull(&around(coarse, partition, &over));
        }
        if let (Some(old), Some(partition)) = (input.before(), owners.old) {
            near = near.hull(&around(old, partition, &|patch| *patch));
        }
        // Patches at a periodic side are near the opposite side too.
        let domain = input.mesh.domain();
        for d in (0..D).filter(|&d| input.mesh.periodic()[d]) {
            if near.lo[d] < domain.lo[d] || near.hi[d] > domain.hi[d] {
                (near.lo[d], near.hi[d]) = (domain.lo[d], domain.hi[d]);
                // What lies beyond a folded side is elsewhere along the other axis.
                near = if input.mesh.repeats().folded == Some(d) { domain } else { near };
            }
        }
        RankPart { input, rank, owners, near }
    }

    /// A cheap test: false for most patches that do not matter to the rank, never false for one that does.
    pub fn is_near(&self, patch: usize) -> bool {
        !self.near.intersect(&self.input.mesh.patches()[patch]).is_empty()
    }

    /// True if the rank owns a patch.
    pub fn owns(&self, patch: usize) -> bool {
        self.owners.own.owner(patch) == self.rank
    }

    /// True if items of a patch's plans read or write patches of the rank.
    pub fn has_part_in(&self, patch: usize, Neighbours { beside, under, before, .. }: &Neighbours<D>) -> bool {
        let PlanOwners { own, coarser, old } = self.owners;
        let among = |images: &[Image<D>], partition: &Partition| {
            images.iter().any(|image| partition.owner(image.patch) == self.rank)
        };
        self.owns(patch)
            || among(beside, own)
            || coarser.is_some_and(|coarser| among(under, coarser))
            || old.is_some_and(|old| among(&before.images, old))
    }
}
