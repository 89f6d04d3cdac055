//! Plans of all data movement: pure functions of the mesh, built at regrid, executed in every step.
//!
//! A plan holds boxes and patch numbers, never values; it does not know where values live. Building it may search;
//! executing it does not.
//!
//! Every ghost cell is written by exactly one region. Lists are flat, one patch's items after another (`PatchLists`). Faces of the conservation
//! fix are stored as runs; single faces are listed for executors that ask. Plans of levels that a regrid does not change are kept; `MeshChange`
//! says which are new. One pass over a level's patches finds the neighbours of each, for all plans and for the transfer of values (`build`), so
//! that the cost grows with patches and not with cells or faces. Where an executor makes its own tables, plans are made only when they are asked
//! for (`MeshChange::plan_lazily`, `LevelPlans`). Each of several ranks plans its own patches and those that they interact with (`rank_part`).

mod aux_origins;
mod build;
mod change;
mod exchange;
mod fill;
mod ghost;
mod level_plans;
mod neighbours;
mod outside;
mod patch_lists;
mod rank_part;
mod reflux;
mod region;
mod restrict;
mod transfer;

pub use aux_origins::AuxOrigins;
pub use build::BuiltPlans;
#[cfg(test)]
pub(crate) use build::faces_between;
pub use change::MeshChange;
pub use exchange::{Exchange, MessageItems, Regions};
pub use fill::FillPlan;
pub use ghost::{BoundaryRegion, GhostPlan, nesting_width};
pub use level_plans::LevelPlans;
use level_plans::PlanSource;
pub use neighbours::PlanInput;
pub use outside::{OutsidePart, OutsideParts};
pub use patch_lists::PatchLists;
pub use reflux::{FaceRun, RefluxPlan};
pub use region::Region;
pub use restrict::RestrictPlan;
pub use transfer::TransferPlan;

use crate::index::Level;
use crate::mesh::{Hierarchy, Partition, Rank, Speeds};
use crate::threads::parallel_map;
use std::sync::Arc;

/// What the plans depend on besides the mesh.
#[derive(Clone, Copy, Debug)]
pub struct PlanOptions {
    /// Ghost cells on every side of a patch.
    pub num_ghost: i32,
    /// Keep fluxes for the conservation fix.
    pub conservation_fix: bool,
    /// The rank whose plans they are.
    pub rank: Rank,
}

/// A hierarchy with its plans.
pub type Planned<'a, const D: usize> = (&'a Hierarchy<D>, &'a [LevelPlans<D>]);

/// Transfers of values to the levels that are new, by level.
pub type Transfers<const D: usize> = Vec<Option<TransferPlan<D>>>;

/// Builds the plans of every level, and the transfers of values to new levels. Plans whose levels have not changed since `before`
/// are kept.
pub fn build<const D: usize>(
    hierarchy: &Hierarchy<D>,
    options: PlanOptions,
    before: Option<Planned<'_, D>>,
) -> (Vec<LevelPlans<D>>, Transfers<D>) {
    let owners = partitions(hierarchy, &Speeds::equal(options.rank.of), before);
    Planning { hierarchy, options, owners: &owners, before }.levels(true)
}

/// Owners of the patches of each level; those of levels that stay do not change.
fn partitions<const D: usize>(
    hierarchy: &Hierarchy<D>,
    speeds: &Speeds,
    before: Option<Planned<'_, D>>,
) -> Vec<Option<Arc<Partition>>> {
    if speeds.num_ranks() == 1 {
        return vec![None; hierarchy.num_levels()];
    }
    let known = |l: usize| {
        let (old, plans) = before?;
        Some((plans.get(l)?.partition.clone()?, stays(l, hierarchy, old)))
    };
    let partitions = Partition::of_levels(hierarchy.levels(), hierarchy.ratios(), speeds, known);
    partitions.into_iter().map(Some).collect()
}

/// True if a level has the patches that it had before.
fn stays<const D: usize>(level: usize, hierarchy: &Hierarchy<D>, before: &Hierarchy<D>) -> bool {
    let meshes = hierarchy.levels().get(level).zip(before.levels().get(level));
    meshes.is_some_and(|(here, then)| Arc::ptr_eq(here, then))
}

/// What the plans of a hierarchy's levels are made from. The hierarchy may have replaced another, with its plans.
#[derive(Clone, Copy)]
struct Planning<'a, const D: usize> {
    hierarchy: &'a Hierarchy<D>,
    options: PlanOptions,
    /// Owners of each level's patches, if there are several ranks.
    owners: &'a [Option<Arc<Partition>>],
    before: Option<Planned<'a, D>>,
}

impl<'a, const D: usize> Planning<'a, D> {
    /// The plans of all levels. `transfer`: plan the transfers of values to new levels too.
    fn levels(self, transfer: bool) -> (Vec<LevelPlans<D>>, Transfers<D>) {
        parallel_map(self.hierarchy.num_levels(), |l| self.level(l, transfer)).into_iter().unzip()
    }

    /// The plans of a level, which depend on the level and on the next coarser one.
    fn level(self, l: usize, transfer: bool) -> (LevelPlans<D>, Option<TransferPlan<D>>) {
        if let Some(plans) = self.plans_before(l) {
            return (plans, None);
        }
        let is_new = self.before.is_some_and(|(old, _)| !stays(l, self.hierarchy, old));
        let transfer = transfer && is_new;
        let mut joined = self.source(l, transfer).make(transfer);
        let transfer = joined.transfer.take();
        (LevelPlans::new(self.hierarchy.epoch(), self.owners[l].clone(), joined), transfer)
    }

    /// Where the values of a new level come from.
    fn transfer(self, l: usize) -> TransferPlan<D> {
        self.source(l, true).make(true).transfer.expect("asked for")
    }

    /// What the plans of a level are made from. `transfer`: where its values come from too.
    fn source(self, l: usize, transfer: bool) -> PlanSource<D> {
        let (hierarchy, coarser) = (self.hierarchy, Level(l as u8).coarser());
        let before = self.before.filter(|_| transfer);
        PlanSource {
            mesh: hierarchy.level(Level(l as u8)).clone(),
            coarser: coarser.map(|c| (hierarchy.level(c).clone(), hierarchy.ratio(c))),
            old: before.and_then(|(old, _)| old.levels().get(l).cloned()),
            options: self.options,
            owners: self.owners[l].clone(),
            coarser_owners: coarser.and_then(|c| self.owners[c.index()].clone()),
            old_owners: before.and_then(|(_, plans)| plans.get(l)?.partition.clone()),
        }
    }

    /// The previous plans of a level, if neither its patches nor those of the next coarser level have changed.
    fn plans_before(self, l: usize) -> Option<LevelPlans<D>> {
        let (old, plans) = self.before?;
        let stay = |level| stays(level, self.hierarchy, old);
        let same = stay(l) && Level(l as u8).coarser().is_none_or(|coarser| stay(coarser.index()));
        same.then(|| plans[l].of_epoch(self.hierarchy.epoch()))
    }

    /// The plans of a level, to be made when they are first used.
    fn lazy(self, l: usize) -> LevelPlans<D> {
        let made = || LevelPlans::lazy(self.hierarchy.epoch(), self.source(l, false));
        self.plans_before(l).unwrap_or_else(made)
    }
}
