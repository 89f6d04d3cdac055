//! All plans of one level in one pass over its patches: what lies around a patch is looked up once for all of them.

use super::around::{Around, LevelSight};
use super::ghost::GhostPlan;
use super::patch_lists::in_parts;
use super::reflux::{FaceRuns, RefluxPlan};
use super::restrict::{RestrictPlan, RestrictRegion};
use super::transfer::TransferPlan;
use crate::mesh::for_each_within;

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

    fn add_patch(&mut self, k: usize, sight: &LevelSight<'_, D>, around: &mut Around<D>) {
        around.find(k, sight);
        let enclosed = self.ghost.add_patch(k, sight, around);
        let Some((_, ratio)) = sight.coarser else { return };
        let covered = sight.mesh.patches()[k].coarse_from_fine(ratio);
        for_each_within(&around.under, &covered, |image| {
            self.regions.push(RestrictRegion { target: image.patch as u32, source: k as u32, cells: image.part });
        });
        if sight.conservation_fix {
            // Patches are made of whole coarse cells: where one fine cell is beside the patch, so are all under its coarse cell.
            self.runs.add_patch(k, (!enclosed).then_some(&covered), ratio, around);
        }
        if sight.transfer {
            self.transfer.add_patch(k, sight, ratio, around);
        }
    }
}

impl<const D: usize> JoiningPlans<D> {
    /// Plans what joins a level to itself and to the next coarser one.
    pub fn new(sight: LevelSight<'_, D>) -> Self {
        let parts = in_parts(sight.mesh.patches().len(), |patches| {
            let (mut part, mut around) = (Part::with_room(patches.len()), Around::default());
            patches.for_each(|k| part.add_patch(k, &sight, &mut around));
            part
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
            let (coarse, ratio) = sight.coarser.filter(|_| sight.conservation_fix)?;
            Some(RefluxPlan::join(runs, coarse, ratio))
        };
        let restrict = || sight.coarser.map(|(coarse, ratio)| RestrictPlan::join(&regions, coarse, ratio));
        let transfer = || sight.coarser.filter(|_| sight.transfer).map(|_| TransferPlan::join(transfers));
        let ((ghost, transfer), (reflux, restrict)) =
            rayon::join(|| rayon::join(ghost, transfer), || rayon::join(reflux, restrict));
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
    let sight = LevelSight { mesh, coarser, transfer: false, old: None, num_ghost: 2, conservation_fix: true };
    JoiningPlans::new(sight).reflux.expect("asked for")
}
