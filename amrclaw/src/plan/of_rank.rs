//! Which patches of a level have to do with one rank among several: only they are planned, so that a rank's work does not grow with what
//! others own, but for a look at every box.

use super::neighbours::{Neighbours, PlanInput};
use crate::index::CellBox;
use crate::mesh::{Image, LevelMesh, Partition};

/// Owners of the patches that plans of a level have to do with.
#[derive(Clone, Copy)]
pub(super) struct PlanOwners<'a> {
    /// Of the level.
    pub own: &'a Partition,
    /// Of the next coarser level.
    pub coarser: Option<&'a Partition>,
    /// Of the level before it was replaced.
    pub old: Option<&'a Partition>,
}

/// A level that gets the plans of one rank: its part of those that a single rank has.
pub(super) struct OfRank<'a, const D: usize> {
    pub input: PlanInput<'a, D>,
    pub rank: usize,
    pub owners: PlanOwners<'a>,
    /// Around all patches that may have to do with the rank.
    near: CellBox<D>,
}

impl<'a, const D: usize> OfRank<'a, D> {
    pub fn new(input: PlanInput<'a, D>, rank: usize, owners: PlanOwners<'a>) -> Self {
        let around = |mesh: &LevelMesh<D>, partition: &Partition, place: &dyn Fn(&CellBox<D>) -> CellBox<D>| {
            partition.patches_of(rank).fold(CellBox::EMPTY, |hull, k| hull.hull(&place(&mesh.patches()[k])))
        };
        let reach = input.reach();
        let mut near = around(input.mesh, owners.own, &|patch| patch.grow_by(reach));
        if let (Some((coarse, ratio)), Some(partition)) = (input.coarser, owners.coarser) {
            // What is around a fine patch is rounded to whole coarse cells.
            let over = |patch: &CellBox<D>| patch.grow(1).fine_from_coarse(ratio).grow_by(reach);
            near = near.hull(&around(coarse, partition, &over));
        }
        if let (Some(old), Some(partition)) = (input.before(), owners.old) {
            near = near.hull(&around(old, partition, &|patch| *patch));
        }
        // What lies at a periodic side is near the other one too.
        let domain = input.mesh.domain();
        for d in (0..D).filter(|&d| input.mesh.periodic()[d]) {
            if near.lo[d] < domain.lo[d] || near.hi[d] > domain.hi[d] {
                (near.lo[d], near.hi[d]) = (domain.lo[d], domain.hi[d]);
            }
        }
        OfRank { input, rank, owners, near }
    }

    /// False of most patches that have nothing to do with the rank.
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
