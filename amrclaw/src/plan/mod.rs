//! Who copies what to whom: pure functions of the mesh, built at regrid, executed every step.
//!
//! A plan holds boxes and patch numbers, never values; it does not know where values live. Building it may search;
//! executing it does not.

mod aux_origins;
mod change;
mod exchange;
mod ghost;
mod joining;
mod neighbours;
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
pub use neighbours::PlanInput;
pub use outside::{OutsidePart, OutsideParts};
pub use patch_lists::PatchLists;
pub(crate) use patch_lists::in_parts;
pub use reflux::{FaceRun, RefluxPlan};
pub use region::{CopyRegion, InterpRegion};
pub use restrict::{RestrictPlan, RestrictRegion};
pub use transfer::TransferPlan;

use crate::index::{CellBox, Level};
use crate::mesh::{Hierarchy, MeshEpoch, Partition, Rank, Speeds};
use rayon::prelude::*;
use std::sync::Arc;

/// All plans of one level. Levels that a regrid leaves as they are keep their plans, and what an executor has made of them:
/// [`MeshChange`] tells which.
#[derive(Clone, Debug)]
pub struct LevelPlans<const D: usize> {
    /// The mesh that the plans are for.
    pub epoch: MeshEpoch,
    /// Owners of the level's patches; `None` if there is one rank, which owns all.
    pub partition: Option<Arc<Partition>>,
    /// Ghost cells of the level.
    pub ghost: Arc<GhostPlan<D>>,
    /// Faces between this level and the next coarser one.
    pub reflux: Option<Arc<RefluxPlan<D>>>,
    /// Cells of the next coarser level under this one.
    pub restrict: Option<Arc<RestrictPlan<D>>>,
}

impl<const D: usize> LevelPlans<D> {
    /// The cells of a patch of the next coarser level, all of them given, that this one does not cover.
    pub fn open_cells(finer: Option<&Self>, patch: usize, cells: &CellBox<D>) -> Vec<CellBox<D>> {
        let restrict = finer.and_then(|plans| plans.restrict.as_ref());
        restrict.map_or_else(|| vec![*cells], |restrict| restrict.open_cells(patch, cells))
    }

    /// Refuses plans of another mesh than that of `epoch`.
    ///
    /// # Panics
    /// If they are.
    pub fn assert_epoch(&self, epoch: MeshEpoch) {
        assert_eq!(self.epoch, epoch, "stale plan: rebuild at regrid");
    }
}

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
    let levels = (0..hierarchy.num_levels()).into_par_iter().with_max_len(1);
    let joined = levels.map(|l| join_to_coarser(l, hierarchy, partitions, options, before, transfer));
    joined.unzip()
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

/// The plans of a level: they see the level and the next coarser one.
fn join_to_coarser<const D: usize>(
    l: usize,
    hierarchy: &Hierarchy<D>,
    partitions: &[Option<Arc<Partition>>],
    options: PlanOptions,
    before: Option<Planned<'_, D>>,
    transfer: bool,
) -> (LevelPlans<D>, Option<TransferPlan<D>>) {
    let epoch = hierarchy.epoch();
    let (mesh, coarser) = (hierarchy.level(Level(l as u8)), Level(l as u8).coarser());
    let stayed = |level| before.is_some_and(|(old, _)| stays(level, hierarchy, old));
    if let Some((_, plans)) = before
        && stayed(l)
        && coarser.is_none_or(|coarser| stayed(coarser.index()))
    {
        return (LevelPlans { epoch, ..plans[l].clone() }, None);
    }
    let input = PlanInput {
        mesh,
        coarser: coarser.map(|c| (&**hierarchy.level(c), hierarchy.ratio(c))),
        transfer: transfer && before.is_some() && !stayed(l),
        old: before.and_then(|(old, _)| old.levels().get(l)).map(|mesh| &**mesh),
        num_ghost: options.num_ghost,
        conservation_fix: options.conservation_fix,
    };
    let partition = partitions[l].clone();
    let joined = match &partition {
        None => JoiningPlans::new(input),
        Some(own) => {
            let coarser = coarser.and_then(|coarser| partitions[coarser.index()].as_deref());
            let old = before.and_then(|(_, plans)| plans.get(l)?.partition.as_deref());
            exchange::of_rank(input, options.rank.number, exchange::PlanOwners { own, coarser, old })
        }
    };
    let JoiningPlans { ghost, reflux, restrict, transfer } = joined;
    let (ghost, reflux, restrict) = (Arc::new(ghost), reflux.map(Arc::new), restrict.map(Arc::new));
    (LevelPlans { epoch, partition, ghost, reflux, restrict }, transfer)
}
