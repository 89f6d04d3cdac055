//! Who copies what to whom: pure functions of the mesh, built at regrid, executed every step.
//!
//! A plan holds boxes and patch numbers, never values; it does not know where values live. Building it may search;
//! executing it does not.

mod aux_origins;
mod change;
mod exchange;
mod ghost;
mod joining;
mod level_plans;
mod neighbours;
mod of_rank;
mod outside;
mod patch_lists;
mod reflux;
mod region;
mod restrict;
mod transfer;

pub use aux_origins::AuxOrigins;
pub use change::MeshChange;
pub use exchange::{Exchange, Parcel, Regions};
pub use ghost::{BoundaryRegion, GhostPlan, nesting_width};
pub use joining::JoiningPlans;
#[cfg(test)]
pub(crate) use joining::faces_between;
pub use level_plans::LevelPlans;
use level_plans::PlanSource;
pub use neighbours::PlanInput;
use of_rank::PlanOwners;
pub use outside::{OutsidePart, OutsideParts};
pub use patch_lists::PatchLists;
pub use reflux::{FaceRun, RefluxPlan};
pub use region::{CopyRegion, InterpRegion};
pub use restrict::{RestrictPlan, RestrictRegion};
pub use transfer::TransferPlan;

use crate::index::Level;
use crate::mesh::{Hierarchy, Partition, Rank, Speeds};
use crate::threads::map_in_turn;
use std::sync::Arc;

/// What the plans depend on besides the mesh.
#[derive(Clone, Copy, Debug)]
pub struct PlanOptions {
    /// Ghost cells on every side of a patch.
    pub num_ghost: i32,
    /// Keep fluxes for the conservation fix.
    pub conservation_fix: bool,
    /// Whose plans they are.
    pub rank: Rank,
}

/// A hierarchy with its plans.
pub type Planned<'a, const D: usize> = (&'a Hierarchy<D>, &'a [LevelPlans<D>]);

/// Transfers of values to the levels that are new, by level.
pub type Transfers<const D: usize> = Vec<Option<TransferPlan<D>>>;

/// Builds the plans of every level; those whose levels are still the ones of `before` are taken over from there, and to the
/// others their values are transferred.
pub fn build<const D: usize>(
    hierarchy: &Hierarchy<D>,
    options: PlanOptions,
    before: Option<Planned<'_, D>>,
) -> (Vec<LevelPlans<D>>, Transfers<D>) {
    let partitions = partitions(hierarchy, &Speeds::equal(options.rank.of), before);
    build_levels(hierarchy, (options, &partitions), before, true)
}

/// The work of [`build`] among these owners. `transfer`: plan where the values of new levels come from.
fn build_levels<const D: usize>(
    hierarchy: &Hierarchy<D>,
    (options, partitions): (PlanOptions, &[Option<Arc<Partition>>]),
    before: Option<Planned<'_, D>>,
    transfer: bool,
) -> (Vec<LevelPlans<D>>, Transfers<D>) {
    let join = |l| join_to_coarser(l, hierarchy, partitions, options, before, transfer);
    map_in_turn(hierarchy.num_levels(), join).into_iter().unzip()
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

/// What a level's plans depend on, of a hierarchy that may have taken the place of another.
fn input_of<'a, const D: usize>(
    l: usize,
    hierarchy: &'a Hierarchy<D>,
    options: PlanOptions,
    before: Option<Planned<'a, D>>,
    transfer: bool,
) -> PlanInput<'a, D> {
    let coarser = Level(l as u8).coarser();
    PlanInput {
        mesh: hierarchy.level(Level(l as u8)),
        coarser: coarser.map(|c| (&**hierarchy.level(c), hierarchy.ratio(c))),
        transfer,
        old: before.and_then(|(old, _)| old.levels().get(l)).map(|mesh| &**mesh),
        num_ghost: options.num_ghost,
        conservation_fix: options.conservation_fix,
    }
}

/// The plans that a level has had, if neither it nor the next coarser one has other patches than before.
fn plans_before<const D: usize>(
    l: usize,
    hierarchy: &Hierarchy<D>,
    before: Option<Planned<'_, D>>,
) -> Option<LevelPlans<D>> {
    let (old, plans) = before?;
    let stay = |level| stays(level, hierarchy, old);
    let same = stay(l) && Level(l as u8).coarser().is_none_or(|coarser| stay(coarser.index()));
    same.then(|| plans[l].of_epoch(hierarchy.epoch()))
}

/// The plans of a level, to be made when they are asked for.
fn plans_when_asked<const D: usize>(
    l: usize,
    hierarchy: &Hierarchy<D>,
    (options, partitions): (PlanOptions, &[Option<Arc<Partition>>]),
    before: Option<Planned<'_, D>>,
) -> LevelPlans<D> {
    let source = || {
        let coarser = Level(l as u8).coarser();
        PlanSource {
            mesh: hierarchy.level(Level(l as u8)).clone(),
            coarser: coarser.map(|c| (hierarchy.level(c).clone(), hierarchy.ratio(c))),
            num_ghost: options.num_ghost,
            conservation_fix: options.conservation_fix,
            rank: options.rank.number,
            owners: partitions[l].clone(),
            coarser_owners: coarser.and_then(|c| partitions[c.index()].clone()),
        }
    };
    plans_before(l, hierarchy, before).unwrap_or_else(|| LevelPlans::when_asked(hierarchy.epoch(), source()))
}

/// Where the values of a new level come from.
fn plan_transfer<const D: usize>(
    l: usize,
    hierarchy: &Hierarchy<D>,
    (options, partitions): (PlanOptions, &[Option<Arc<Partition>>]),
    before: Option<Planned<'_, D>>,
) -> TransferPlan<D> {
    let input = input_of(l, hierarchy, options, before, true);
    JoiningPlans::among(input, options.rank.number, owners_of(l, partitions, before)).transfer.expect("asked for")
}

/// Owners of the patches that plans of a level have to do with, if there are several ranks.
fn owners_of<'a, const D: usize>(
    l: usize,
    partitions: &'a [Option<Arc<Partition>>],
    before: Option<Planned<'a, D>>,
) -> Option<PlanOwners<'a>> {
    let coarser = Level(l as u8).coarser().and_then(|coarser| partitions[coarser.index()].as_deref());
    let old = before.and_then(|(_, plans)| plans.get(l)?.partition.as_deref());
    partitions[l].as_deref().map(|own| PlanOwners { own, coarser, old })
}

/// The plans of a level: they see the level and the next coarser one.
fn join_to_coarser<const D: usize>(
    l: usize,
    hierarchy: &Hierarchy<D>,
    partitions: &[Option<Arc<Partition>>],
    options: PlanOptions,
    before: Option<Planned<'_, D>>,
    transfer: bool,
) -> (LevelPlans<D>, Option<TransferPlan<D>>) {
    if let Some(plans) = plans_before(l, hierarchy, before) {
        return (plans, None);
    }
    let is_new = before.is_some_and(|(old, _)| !stays(l, hierarchy, old));
    let input = input_of(l, hierarchy, options, before, transfer && is_new);
    let mut joined = JoiningPlans::among(input, options.rank.number, owners_of(l, partitions, before));
    let JoiningPlans { transfer, .. } = &mut joined;
    let transfer = transfer.take();
    (LevelPlans::new(hierarchy.epoch(), partitions[l].clone(), joined), transfer)
}
