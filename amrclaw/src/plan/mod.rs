//! Who copies what to whom: pure functions of the mesh, built at regrid, executed every step.
//!
//! A plan holds boxes and patch numbers, never values; it does not know where values live. Building it may search;
//! executing it does not.

mod ghost;
mod reflux;
mod region;
mod restrict;
mod tiles;
mod transfer;

pub use ghost::{BoundaryRegion, GhostPlan, nesting_width};
pub use reflux::{FaceSlot, RefluxPlan};
pub use region::{CopyRegion, InterpRegion};
pub use restrict::{RestrictPlan, RestrictRegion};
pub use tiles::{Tile, TilePlan};
pub use transfer::TransferPlan;

use crate::index::Level;
use crate::mesh::Hierarchy;

/// All plans of one level.
#[derive(Clone, Debug)]
pub struct LevelPlans<const D: usize> {
    /// Ghost cells of the level.
    pub ghost: GhostPlan<D>,
    /// Tiles to update, with the faces to keep for the conservation fix.
    pub tiles: TilePlan,
    /// Faces between this level and the next coarser one.
    pub reflux: Option<RefluxPlan<D>>,
    /// Cells of the next coarser level under this one.
    pub restrict: Option<RestrictPlan<D>>,
}

/// What the plans depend on besides the mesh.
#[derive(Clone, Copy, Debug)]
pub struct PlanOptions {
    /// Ghost cells on every side of a patch.
    pub num_ghost: i32,
    /// Keep fluxes for the conservation fix.
    pub conservation_fix: bool,
    /// The axes are swept one by one.
    pub split: bool,
}

/// Builds the plans of every level.
pub fn build<const D: usize>(hierarchy: &Hierarchy<D>, options: PlanOptions) -> Vec<LevelPlans<D>> {
    let levels = (0..hierarchy.num_levels()).map(|l| Level(l as u8));
    let reflux: Vec<_> = levels
        .clone()
        .map(|fine| {
            let coarse = fine.coarser().filter(|_| options.conservation_fix)?;
            Some(RefluxPlan::new(hierarchy.level(coarse), hierarchy.level(fine), hierarchy.ratio(coarse)))
        })
        .collect();
    levels
        .map(|level| {
            let mesh = hierarchy.level(level);
            let coarser = level.coarser().map(|c| (&**hierarchy.level(c), hierarchy.ratio(c)));
            let finer_reflux = reflux.get(level.index() + 1).and_then(Option::as_ref);
            let own_reflux = reflux[level.index()].as_ref();
            LevelPlans {
                ghost: GhostPlan::new(hierarchy.epoch(), mesh, coarser, options.num_ghost),
                tiles: TilePlan::new(mesh, own_reflux, finer_reflux, options.split),
                reflux: own_reflux.cloned(),
                restrict: coarser.map(|(c, ratio)| RestrictPlan::new(c, mesh, ratio)),
            }
        })
        .collect()
}
