//! All plans of one level in one pass over its patches: what lies around a patch is looked up once for all of them.

use super::ghost::GhostPlan;
use super::neighbours::{Neighbours, PlanInput};
use super::of_rank::{OfRank, PlanOwners};
use super::reflux::{FaceRuns, RefluxPlan};
use super::restrict::{RestrictPlan, RestrictRegion};
use super::transfer::TransferPlan;
use crate::mesh::for_each_within;
use crate::threads::{in_parts, join};

/// Plans that see a level and the next coarser one.
#[derive(Clone, Debug)]
pub struct JoiningPlans<const D: usize> {
    /// Ghost cells of the level.
    pub ghost: GhostPlan<D>,
    /// Faces to the coarser level, if they are asked for.
    pub reflux: Option<RefluxPlan<D>>,
    /// Coarser cells under the level.
    pub restrict: Option<RestrictPlan<D>>,
    /// Where the level's values come from, if that is asked for.
    pub transfer: Option<TransferPlan<D>>,
}

/// Plans of a run of patches.
struct Part<const D: usize> {
    ghost: GhostPlan<D>,
    runs: FaceRuns<D>,
    regions: Vec<RestrictRegion<D>>,
    transfer: TransferPlan<D>,
}

impl<const D: usize> Part<D> {
    fn with_room(patches: usize) -> Self {
        Part {
            ghost: GhostPlan::with_room(patches),
            runs: FaceRuns::with_room(patches),
            regions: Vec::with_capacity(2 * patches),
            transfer: TransferPlan::with_room(patches),
        }
    }

    fn add_patch(&mut self, k: usize, input: &PlanInput<'_, D>, neighbours: &mut Neighbours<D>) {
        let enclosed = self.ghost.add_patch(k, input, neighbours);
        let Some((_, ratio)) = input.coarser else { return };
        let covered = input.mesh.patches()[k].coarse_from_fine(ratio);
        for_each_within(&neighbours.under, &covered, |image| {
            self.regions.push(RestrictRegion { target: image.patch as u32, source: k as u32, cells: image.part });
        });
        if input.conservation_fix {
            // Patches are made of whole coarse cells: where one fine cell is beside the patch, so are all under its coarse cell.
            self.runs.add_patch(k, (!enclosed).then_some(&covered), ratio, neighbours);
        }
        if input.transfer {
            self.transfer.add_patch(k, input, ratio, neighbours);
        }
    }

    /// Plans nothing for the next patch.
    fn pass_patch(&mut self, input: &PlanInput<'_, D>) {
        self.ghost.pass_patch();
        if input.coarser.is_none() {
            return;
        }
        if input.conservation_fix {
            self.runs.pass_patch();
        }
        if input.transfer {
            self.transfer.pass_patch();
        }
    }

    /// The part of one rank in what is written on the level itself.
    fn split(self, &OfRank { rank, owners: PlanOwners { own, coarser, old }, .. }: &OfRank<'_, D>) -> Self {
        let ghost = self.ghost.split(rank, own, coarser);
        let transfer = match coarser {
            Some(coarser) => self.transfer.split(rank, own, coarser, old),
            None => self.transfer,
        };
        Part { ghost, transfer, ..self }
    }
}

impl<const D: usize> JoiningPlans<D> {
    /// Plans what joins a level to itself and to the next coarser one.
    pub fn new(input: PlanInput<'_, D>) -> Self {
        Self::of(&input, None)
    }

    /// The plans of a single rank, or of one of several, which own the patches.
    pub(super) fn among(input: PlanInput<'_, D>, rank: usize, owners: Option<PlanOwners<'_>>) -> Self {
        match owners {
            None => Self::new(input),
            Some(owners) => Self::of_rank(OfRank::new(input, rank, owners)),
        }
    }

    /// The plans of one rank.
    pub(super) fn of_rank(of_rank: OfRank<'_, D>) -> Self {
        let JoiningPlans { ghost, reflux, restrict, transfer } = Self::of(&of_rank.input, Some(&of_rank));
        let OfRank { rank, owners: PlanOwners { own, coarser, .. }, .. } = of_rank;
        // What is written on the coarser level is divided where all of it is known.
        let (reflux, restrict) = join(
            || reflux.zip(coarser).map(|(plan, coarser)| plan.split(rank, own, coarser)),
            || restrict.zip(coarser).map(|(plan, coarser)| plan.split(rank, own, coarser)),
        );
        JoiningPlans { ghost, reflux, restrict, transfer }
    }

    /// Plans of all patches, or of those that have to do with a rank.
    fn of(input: &PlanInput<'_, D>, of_rank: Option<&OfRank<'_, D>>) -> Self {
        let parts = in_parts(input.mesh.patches().len(), |patches| {
            let planned = patches.clone().filter(|&k| of_rank.is_none_or(|rank| rank.owns(k))).count();
            let (mut part, mut neighbours) = (Part::with_room(planned), Neighbours::default());
            for k in patches {
                let is_near = of_rank.is_none_or(|rank| rank.is_near(k));
                if is_near {
                    neighbours.find(k, input);
                }
                match is_near && of_rank.is_none_or(|rank| rank.has_part_in(k, &neighbours)) {
                    true => part.add_patch(k, input, &mut neighbours),
                    false => part.pass_patch(input),
                }
            }
            match of_rank {
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
            Some(RefluxPlan::join(runs, coarse, ratio))
        };
        let restrict = || input.coarser.map(|(coarse, ratio)| RestrictPlan::join(&regions, coarse, ratio));
        let transfer = || input.coarser.filter(|_| input.transfer).map(|_| TransferPlan::join(transfers));
        let ((ghost, transfer), (reflux, restrict)) = join(|| join(ghost, transfer), || join(reflux, restrict));
        JoiningPlans { ghost, reflux, restrict, transfer }
    }
}

/// The plan of the faces between two levels.
#[cfg(test)]
pub(crate) fn faces_between<const D: usize>(
    coarse: &crate::mesh::LevelMesh<D>,
    mesh: &crate::mesh::LevelMesh<D>,
    ratio: crate::index::Ratio<D>,
) -> RefluxPlan<D> {
    let coarser = Some((coarse, ratio));
    let input = PlanInput { mesh, coarser, transfer: false, old: None, num_ghost: 2, conservation_fix: true };
    JoiningPlans::new(input).reflux.expect("asked for")
}
