//! All plans of one level: made immediately, or when they are first used.

use super::build::BuiltPlans;
use super::neighbours::PlanInput;
use super::rank_part::PlanOwners;
use super::{GhostPlan, PlanOptions, RefluxPlan, RestrictPlan};
use crate::index::{CellBox, Ratio};
use crate::mesh::{LevelMesh, MeshEpoch, Partition};
use std::sync::{Arc, OnceLock};

/// All plans of one level. A level that a regrid does not change keeps its plans, and what an executor has derived from them:
/// [`MeshChange`](super::MeshChange) says which.
///
/// Where a device makes the tables of plans itself, plans are made on the host only when they are used otherwise, for example for totals;
/// usually they never are.
#[derive(Clone, Debug)]
pub struct LevelPlans<const D: usize> {
    /// The mesh that the plans are for.
    pub epoch: MeshEpoch,
    /// Owners of the level's patches; `None` if there is one rank, which owns all.
    pub partition: Option<Arc<Partition>>,
    made: Arc<OnceLock<BuiltPlans<D>>>,
    source: Option<Arc<PlanSource<D>>>,
    has_faces: bool,
}

/// What the plans of a level are made from.
#[derive(Debug)]
pub(super) struct PlanSource<const D: usize> {
    pub mesh: Arc<LevelMesh<D>>,
    pub coarser: Option<(Arc<LevelMesh<D>>, Ratio<D>)>,
    /// The level before it was replaced, if values are to come from there.
    pub old: Option<Arc<LevelMesh<D>>>,
    pub options: PlanOptions,
    /// Owners of the patches of the level, of the next coarser one, and of the level before, if there are several ranks.
    pub owners: Option<Arc<Partition>>,
    pub coarser_owners: Option<Arc<Partition>>,
    pub old_owners: Option<Arc<Partition>>,
}

impl<const D: usize> PlanSource<D> {
    /// Makes the plans. `transfer`: where the level's values come from too.
    pub fn make(&self, transfer: bool) -> BuiltPlans<D> {
        let coarser = self.coarser.as_ref().map(|(mesh, ratio)| (&**mesh, *ratio));
        let PlanOptions { num_ghost, conservation_fix, rank } = self.options;
        let (mesh, old) = (&*self.mesh, self.old.as_deref());
        let input = PlanInput { mesh, coarser, transfer, old, num_ghost, conservation_fix };
        let (coarser, old) = (self.coarser_owners.as_deref(), self.old_owners.as_deref());
        let owners = self.owners.as_deref().map(|own| PlanOwners { own, coarser, old });
        BuiltPlans::among(input, rank.number, owners)
    }
}

impl<const D: usize> LevelPlans<D> {
    /// Plans that have been made.
    pub(super) fn new(epoch: MeshEpoch, partition: Option<Arc<Partition>>, plans: BuiltPlans<D>) -> Self {
        let has_faces = plans.reflux.is_some();
        LevelPlans { epoch, partition, made: Arc::new(plans.into()), source: None, has_faces }
    }

    /// Plans to be made when they are first used.
    pub(super) fn lazy(epoch: MeshEpoch, source: PlanSource<D>) -> Self {
        let has_faces = source.options.conservation_fix && source.coarser.is_some();
        LevelPlans {
            epoch,
            partition: source.owners.clone(),
            made: Arc::default(),
            source: Some(Arc::new(source)),
            has_faces,
        }
    }

    /// The same plans, valid for another epoch too.
    pub(super) fn of_epoch(&self, epoch: MeshEpoch) -> Self {
        LevelPlans { epoch, ..self.clone() }
    }

    /// True if the plans have been made; deferred plans may not have been used yet.
    pub fn are_made(&self) -> bool {
        self.made.get().is_some()
    }

    fn made(&self) -> &BuiltPlans<D> {
        if let Some(made) = self.made.get() {
            return made;
        }
        // Several threads may make the same plans at once. None waits for another: making plans is itself parallel, and a thread that
        // waited while it held a piece of that work would deadlock.
        let made = self.source.as_ref().expect("plans are made, or can be").make(false);
        self.made.get_or_init(|| made)
    }

    /// Ghost cells of the level.
    pub fn ghost(&self) -> &GhostPlan<D> {
        &self.made().ghost
    }

    /// Faces between this level and the next coarser one, if the conservation fix acts there.
    pub fn reflux(&self) -> Option<&Arc<RefluxPlan<D>>> {
        self.made().reflux.as_ref()
    }

    /// Cells of the next coarser level under this one, if there is one.
    pub fn restrict(&self) -> Option<&RestrictPlan<D>> {
        self.made().restrict.as_ref()
    }

    /// True if the conservation fix acts between this level and the next coarser one.
    pub fn has_faces(&self) -> bool {
        self.has_faces
    }

    /// True if both are the same plans.
    pub fn is_same(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.made, &other.made)
    }

    /// The parts of `cells`, all cells of a coarse patch, that the finer level does not cover.
    pub fn uncovered_cells(finer: Option<&Self>, patch: usize, cells: &CellBox<D>) -> Vec<CellBox<D>> {
        let restrict = finer.and_then(LevelPlans::restrict);
        restrict.map_or_else(|| vec![*cells], |restrict| restrict.uncovered_cells(patch, cells))
    }

    /// Asserts that the plans are for the mesh of `epoch`.
    ///
    /// # Panics
    /// If they are for another.
    pub fn assert_epoch(&self, epoch: MeshEpoch) {
        assert_eq!(self.epoch, epoch, "stale plan: rebuild at regrid");
    }
}
