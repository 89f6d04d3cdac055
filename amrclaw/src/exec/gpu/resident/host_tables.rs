//! Tables of new levels that the host makes before anything is sent, in parallel for all levels.

use super::{Machine, ResidentExecutor};
use crate::exec::gpu::device::{
    DeviceBoxes, HostLevelTables, HostTables, LevelContext, LevelTables, Queue, TransferTables, patch_table,
};
use crate::fields::LevelLayout;
use crate::index::Level;
use crate::mesh::{Hierarchy, LevelMesh, Partition};
use crate::physics::Problem;
use crate::plan::{MeshChange, TransferPlan};
use crate::threads::{join, parallel_map};
use cuda::abi::{Pointer, Real};
use cuda::amr::Patch;
use riemann::patch::{PACK_OVERRUN, PatchSolver};
use riemann::real::Precision;
use riemann::real::Scalar;
use std::sync::Arc;

/// Sizes of a level's arrays.
#[derive(Clone, Copy)]
pub(super) struct Sizes {
    pub num_ghost: i32,
    pub num_eqn: usize,
    pub num_aux: usize,
    /// The solver has transfer variables.
    pub transfers: bool,
    /// Components of messages with values that are interpolated between levels.
    pub sent: usize,
    /// New patches are to keep what coarse cells held.
    pub keeps_means: bool,
    /// Components per face of the fix's sums, of these and the coarse cells of all sweeps, of these and the allowances, and of these and the
    /// cells for sources.
    pub register: [usize; 4],
    /// Bytes of a number.
    pub number: usize,
    pub precision: Precision,
}

impl Sizes {
    pub fn of<const D: usize, R: Scalar>(problem: &Problem<D>, solver: &dyn PatchSolver<R>) -> Self {
        let (num_eqn, num_aux) = (solver.equations().len(), solver.aux().len());
        let cells = num_eqn + problem.split.sweeps::<D>().len() * (num_eqn + num_aux);
        let centres = if problem.own_source_at.is_some() { D } else { 0 };
        let sourced = if problem.applies_sources(solver.has_source()) { 2 * num_eqn + num_aux + centres } else { 0 };
        let transfers = solver.transfers();
        let allowed = cells + transfers.map_or(0, <[usize]>::len);
        Sizes {
            transfers: transfers.is_some(),
            sent: num_eqn + transfers.map_or(0, |kept| kept.len().max(1)),
            keeps_means: transfers.is_some() || problem.scheme.capacity >= 0,
            num_ghost: problem.num_ghost(),
            num_eqn,
            num_aux,
            register: [num_eqn, cells, allowed, allowed + sourced],
            number: R::BYTES,
            precision: Precision::of::<R>(),
        }
    }

    /// The first cell's number in an array of a mesh from a file, whose one patch has no ghost cells.
    pub fn first_cell(&self, array: Pointer<Real>) -> Pointer<Real> {
        let room = (PACK_OVERRUN * self.number) as u64;
        if array.address() == 0 { Pointer::NULL } else { Pointer::new(array.address() + room) }
    }
}

/// Tables of a new level's plans: on the host, or made by the device.
pub(super) enum PlanTables<N: Machine> {
    Host(HostLevelTables, TransferTables<HostTables>),
    Device(LevelTables<N>, TransferTables<N::Memory>),
}

/// Tables of a new level's plans, and its boxes if these have been sent.
pub(super) type NewLevelTables<N> = (PlanTables<N>, Option<DeviceBoxes<<N as Queue>::Memory>>);

impl<const D: usize, N: Machine> ResidentExecutor<D, N> {
    /// Derives what new levels need from their meshes, in parallel. `partitions`: owners of each level's patches.
    pub(super) fn host_levels(
        &self,
        hierarchy: &Hierarchy<D>,
        new: &[Level],
        partitions: &[Option<Arc<Partition>>],
    ) -> Vec<Option<HostLevel<D>>> {
        let make = |l: usize| {
            let level = Level(l as u8);
            new.contains(&level).then(|| self.host_level(hierarchy.level(level), partitions[l].clone()))
        };
        parallel_map(hierarchy.num_levels(), make)
    }

    /// Derives what a level needs from its mesh.
    pub(super) fn host_level(&self, mesh: &LevelMesh<D>, partition: Option<Arc<Partition>>) -> HostLevel<D> {
        let is_local = |k| Partition::owns(partition.as_deref(), self.ranks.rank().number, k);
        let layout = Arc::new(LevelLayout::of_part(mesh, self.sizes.num_ghost, is_local));
        let (patches, map_words) = patch_table(&layout);
        HostLevel { layout, partition, patches, map_words }
    }

    /// Makes the tables of new levels' plans, in parallel.
    pub(super) fn host_tables_of_plans(&self, change: &MeshChange<'_, D>) -> Vec<Option<NewLevelTables<N>>> {
        let make = |l: usize| Some((self.host_tables_of_plan(change, l, change.transfer(l)?), None));
        parallel_map(change.plans().len(), make)
    }

    /// The same of one level.
    pub(super) fn host_tables_of_plan(
        &self,
        change: &MeshChange<'_, D>,
        l: usize,
        transfer: &TransferPlan<D>,
    ) -> PlanTables<N> {
        let (context, ratio) = (self.context(change.hierarchy().level(Level(l as u8))), self.ratios[l - 1]);
        let moved = || TransferTables::on_host(transfer, ratio, self.sizes.keeps_means, self.sizes.num_ghost);
        let (tables, transfer) = join(|| HostLevelTables::new(&change.plans()[l], context), moved);
        PlanTables::Host(tables, transfer)
    }

    /// What the tables of a level depend on besides its plans.
    pub(super) fn context<'a>(&'a self, mesh: &'a LevelMesh<D>) -> LevelContext<'a, D> {
        LevelContext { mesh, sides: &self.sides, num_ghost: self.sizes.num_ghost }
    }
}

/// What a new level needs that follows from its mesh alone, before anything is sent.
pub(super) struct HostLevel<const D: usize> {
    pub layout: Arc<LevelLayout<D>>,
    /// Owners of the patches, if there are several ranks.
    pub partition: Option<Arc<Partition>>,
    pub patches: Vec<Patch>,
    /// Words of a face map.
    pub map_words: usize,
}
