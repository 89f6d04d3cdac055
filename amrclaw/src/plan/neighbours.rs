//! The neighbours of the patches of a level: searched once for all plans.

use crate::index::{CellBox, Ratio, Shift};
use crate::mesh::{Cover, Image, LevelMesh};

/// A level that gets plans, and what these depend on.
#[derive(Clone, Copy, Debug)]
pub struct PlanInput<'a, const D: usize> {
    /// The level.
    pub mesh: &'a LevelMesh<D>,
    /// The next coarser level, and the ratio to it.
    pub coarser: Option<(&'a LevelMesh<D>, Ratio<D>)>,
    /// Plan the transfer of values to the level.
    pub transfer: bool,
    /// The level before it was replaced, if there was one.
    pub old: Option<&'a LevelMesh<D>>,
    /// Ghost cells on every side of a patch.
    pub num_ghost: i32,
    /// Find the faces of the conservation fix.
    pub conservation_fix: bool,
}

impl<'a, const D: usize> PlanInput<'a, D> {
    /// The level before it was replaced, if values are to come from there.
    pub(super) fn before(&self) -> Option<&'a LevelMesh<D>> {
        self.old.filter(|_| self.transfer)
    }

    /// The distance along each axis within which other patches matter for a patch's plans.
    pub(super) fn reach(&self) -> [i32; D] {
        let ratio = self.coarser.map_or(Ratio::uniform(1), |(_, ratio)| ratio);
        ratio.0.map(|r| r.max(self.num_ghost))
    }
}

/// The neighbours of one patch.
#[derive(Default)]
pub(super) struct Neighbours<const D: usize> {
    /// Other patches of its level, and its own periodic images.
    pub beside: Vec<Image<D>>,
    /// Patches of the coarser level under the patch and its surroundings.
    pub under: Vec<Image<D>>,
    /// How the old level covers the patch.
    pub before: Cover<D>,
    /// Reused memory for searches among these.
    pub cover: Cover<D>,
    /// Reused memory for boxes around a patch.
    pub rim: Vec<CellBox<D>>,
}

impl<const D: usize> Neighbours<D> {
    pub fn find(&mut self, k: usize, input: &PlanInput<'_, D>) {
        let patch = &input.mesh.patches()[k];
        let reach = patch.grow_by(input.reach());
        self.beside.clear();
        input.mesh.for_each_image(&reach, |image| {
            if image.patch != k || image.shift != Shift::NONE {
                self.beside.push(image);
            }
        });
        if let Some((coarse, ratio)) = input.coarser {
            self.under.clear();
            coarse.for_each_image(&reach.coarse_from_fine(ratio), |image| self.under.push(image));
        }
        if let Some(old) = input.before() {
            self.before.find(old, patch);
        }
    }
}
