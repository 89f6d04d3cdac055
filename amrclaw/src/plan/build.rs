//! All plans of one level in one pass over its patches: the neighbours of a patch are searched once for all plans.

use super::ghost::GhostPlan;
use super::neighbours::{Neighbours, PlanInput};
use super::rank_part::{PlanOwners, RankPart};
use super::reflux::{FaceRuns, RefluxPlan};
use super::region::Region;
use super::restrict::RestrictPlan;
use super::transfer::TransferPlan;
use crate::index::Shift;
use crate::mesh::for_each_within;
use crate::threads::{join, parallel_chunks};
use std::sync::Arc;

/// Plans that depend on a level and on the next coarser one.
#[derive(Clone, Debug)]
pub struct BuiltPlans<const D: usize> {
    /// Ghost cells of the level.
    pub ghost: GhostPlan<D>,
    /// Faces to the coarser level, if they are asked for.
    pub reflux: Option<Arc<RefluxPlan<D>>>,
    /// Coarser cells under the level.
    pub restrict: Option<RestrictPlan<D>>,
    /// Where the level's values come from, if that is asked for.
    pub transfer: Option<TransferPlan<D>>,
}

/// Plans of a run of patches.
struct Part<const D: usize> {
    ghost: GhostPlan<D>,
    runs: FaceRuns<D>,
    regions: Vec<Region<D>>,
    transfer: TransferPlan<D>,
}

impl<const D: usize> Part<D> {
    fn with_capacity(patches: usize) -> Self {
        Part {
            ghost: GhostPlan::with_capacity(patches),
            runs: FaceRuns::with_capacity(patches),
            regions: Vec::with_capacity(2 * patches),
            transfer: TransferPlan::with_capacity(patches, [6, 4]),
        }
    }

    fn add_patch(&mut self, k: usize, input: &PlanInput<'_, D>, neighbours: &mut Neighbours<D>) {
        let enclosed = self.ghost.add_patch(k, input, neighbours);
        let Some((_, ratio)) = input.coarser else { return };
        let covered = input.mesh.patches()[k].coarse_from_fine(ratio);
        for_each_within(&neighbours.under, &covered, |image| {
            let (target, source) = (image.patch as u32, k as u32);
            self.regions.push(Region { target, source, cells: image.part, shift: Shift::NONE });
        });
        if input.conservation_fix {
            // Patches consist of whole coarse cells: if ghost cells are all covered, so is every coarse cell beside the patch.
            self.runs.add_patch(k, (!enclosed).then_some(&covered), ratio, neighbours);
        }
        if input.transfer {
            self.transfer.add_new_patch(k, input, ratio, neighbours);
        }
    }

    /// Plans nothing for the next patch.
    fn skip_patch(&mut self, input: &PlanInput<'_, D>) {
        self.ghost.skip_patch();
        if input.coarser.is_none() {
            return;
        }
        if input.conservation_fix {
            self.runs.skip_patch();
        }
        if input.transfer {
            self.transfer.end_patch();
        }
    }

    /// One rank's part of the plans that write on the level itself.
    fn split(self, &RankPart { rank, owners: PlanOwners { own, coarser, old }, .. }: &RankPart<'_, D>) -> Self {
        let ghost = self.ghost.split(rank, own, coarser);
        let transfer = match coarser {
            Some(coarser) => self.transfer.split(rank, [own, old.unwrap_or(own), coarser]),
            None => self.transfer,
        };
        Part { ghost, transfer, ..self }
    }
}

impl<const D: usize> BuiltPlans<D> {
    /// The plans between a level and itself, and between it and the next coarser one.
    pub fn new(input: PlanInput<'_, D>) -> Self {
        Self::of(&input, None)
    }

    /// The plans of a single rank, or of `rank` if `owners` are given.
    pub(super) fn among(input: PlanInput<'_, D>, rank: usize, owners: Option<PlanOwners<'_>>) -> Self {
        match owners {
            None => Self::new(input),
            Some(owners) => Self::rank_part(RankPart::new(input, rank, owners)),
        }
    }

    /// The plans of one rank.
    pub(super) fn rank_part(rank_part: RankPart<'_, D>) -> Self {
        let BuiltPlans { ghost, reflux, restrict, transfer } = Self::of(&rank_part.input, Some(&rank_part));
        let RankPart { rank, owners: PlanOwners { own, coarser, .. }, .. } = rank_part;
        // Plans that write on the coarser level are split after their parts have been joined.
        let (reflux, restrict) = join(
            || {
                reflux
                    .zip(coarser)
                    .map(|(plan, coarser)| Arc::new(Arc::unwrap_or_clone(plan).split(rank, own, coarser)))
            },
            || restrict.zip(coarser).map(|(plan, coarser)| plan.split(rank, own, coarser)),
        );
        BuiltPlans { ghost, reflux, restrict, transfer }
    }

    /// Plans of all patches, or of those that involve a rank's patches.
    fn of(input: &PlanInput<'_, D>, rank_part: Option<&RankPart<'_, D>>) -> Self {
        let parts = parallel_chunks(input.mesh.patches().len(), |patches| {
            let planned = patches.clone().filter(|&k| rank_part.is_none_or(|rank| rank.owns(k))).count();
            let (mut part, mut neighbours) = (Part::with_capacity(planned), Neighbours::default());
            for k in patches {
                let is_near = rank_part.is_none_or(|rank| rank.is_near(k));
                if is_near {
                    neighbours.find(k, input);
                }
                match is_near && rank_part.is_none_or(|rank| rank.has_part_in(k, &neighbours)) {
                    true => part.add_patch(k, input, &mut neighbours),
                    false => part.skip_patch(input),
                }
            }
            match rank_part {
                Some(rank) => part.split(rank),
                None => part,
            }
        });
        let (mut ghosts, mut runs, mut regions, mut transfers) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        for part in parts {
            ghosts.push(part.ghost);
            runs.push(part.runs);
            regions.push(part.regions);
            transfers.push(part.transfer);
        }
        let ghost = || GhostPlan::join(ghosts);
        let reflux = || {
            let (coarse, ratio) = input.coarser.filter(|_| input.conservation_fix)?;
            Some(Arc::new(RefluxPlan::join(runs, coarse, ratio)))
        };
        let restrict = || input.coarser.map(|(coarse, ratio)| RestrictPlan::join(&regions, coarse, ratio));
        let transfer = || input.coarser.filter(|_| input.transfer).map(|_| TransferPlan::join(transfers));
        let ((ghost, transfer), (reflux, restrict)) = join(|| join(ghost, transfer), || join(reflux, restrict));
        BuiltPlans { ghost, reflux, restrict, transfer }
    }
}

/// The plan of the faces between two levels.
#[cfg(test)]
pub(crate) fn faces_between<const D: usize>(
    coarse: &crate::mesh::LevelMesh<D>,
    mesh: &crate::mesh::LevelMesh<D>,
    ratio: crate::index::Ratio<D>,
) -> Arc<RefluxPlan<D>> {
    let coarser = Some((coarse, ratio));
    let input = PlanInput { mesh, coarser, transfer: false, old: None, num_ghost: 2, conservation_fix: true };
    BuiltPlans::new(input).reflux.expect("asked for")
}
