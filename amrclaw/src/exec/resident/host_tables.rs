//! What the device needs to know of new levels, made on the host before it is sent: all levels' at the same time, by any threads.

use super::flags::FlagTables;
use super::slide::{Batch, Slide, Tiles, is_worth_it, runs};
use super::{Machine, ResidentExecutor};
use crate::exec::device::{
    DeviceBoxes, HostLevelTables, HostTables, LevelContext, LevelTables, Queue, TableBuilder, TransferTables,
    patch_table, tile_shape, tile_table,
};
use crate::exec::step::Sweep;
use crate::fields::LevelLayout;
use crate::index::{CellBox, Level};
use crate::mesh::{Hierarchy, LevelMesh, Partition};
use crate::plan::{LevelPlans, MeshChange};
use cuda::compile::Precision;
use rayon::prelude::*;
use riemann::real::Scalar;
use std::ops::Range;
use std::sync::Arc;

/// Sizes of a level's arrays.
#[derive(Clone, Copy)]
pub(super) struct Sizes {
    pub num_ghost: i32,
    pub num_eqn: usize,
    pub num_aux: usize,
    /// Bytes of a number.
    pub number: usize,
    pub precision: Precision,
}

/// What a level to come needs of its mesh, on the host.
pub(super) struct HostMeshTables<const D: usize> {
    pub level: HostLevel<D>,
    /// If it may be refined.
    pub flags: Option<FlagTables<D, TableBuilder>>,
}

/// The same of boxes that are to be a level's patches, made before the levels are.
pub(super) struct EarlyTables<const D: usize> {
    patches: Vec<CellBox<D>>,
    tables: HostMeshTables<D>,
}

/// Tables of its plans: on the host, or made by the device.
pub(super) enum PlanTables<N: Machine> {
    Host(HostLevelTables, TransferTables<HostTables>),
    Device(LevelTables<N>, TransferTables<N::Memory>),
}

/// Tables of a new level's plans, and its boxes if these have been sent.
pub(super) type NewLevelTables<N> = (PlanTables<N>, Option<DeviceBoxes<<N as Queue>::Memory>>);

impl<const D: usize, R: Scalar, N: Machine> ResidentExecutor<D, R, N> {
    /// Makes what new levels need of their meshes, all at the same time. `partitions`: owners of each level's patches; `early`: what has
    /// been made before.
    pub(super) fn host_tables_of_levels(
        &self,
        hierarchy: &Hierarchy<D>,
        new: &[Level],
        partitions: &[Option<Arc<Partition>>],
        mut early: Vec<Option<EarlyTables<D>>>,
    ) -> Vec<Option<HostMeshTables<D>>> {
        early.resize_with(hierarchy.num_levels(), || None);
        let make = |((l, mesh), early): ((usize, &Arc<LevelMesh<D>>), Option<EarlyTables<D>>)| {
            if !new.contains(&Level(l as u8)) {
                return None;
            }
            let early = early.filter(|early| early.patches == mesh.patches()).map(|early| early.tables);
            Some(early.unwrap_or_else(|| self.host_tables_of_level(mesh, Level(l as u8), partitions[l].clone())))
        };
        hierarchy.levels().par_iter().enumerate().zip(early).with_max_len(1).map(make).collect()
    }

    /// Makes what a level needs of its mesh.
    fn host_tables_of_level(
        &self,
        mesh: &LevelMesh<D>,
        level: Level,
        partition: Option<Arc<Partition>>,
    ) -> HostMeshTables<D> {
        let (sizes, sweeps, resident) = (self.sizes, &self.sweeps, self.machine.resident_tiles());
        let (rank, is_finest) = (self.ranks.rank().number, level.index() == self.ratios.len());
        let owners = partition.clone();
        let is_here = |k| owners.as_ref().is_none_or(|owners| owners.owner(k) == rank);
        let kept = self.ranks.keeps_flags(mesh.num_cells());
        let (level, flags) = rayon::join(
            || HostLevel::new(mesh, (rank, partition), sizes, sweeps, (resident, is_finest)),
            || (!is_finest).then(|| FlagTables::on_host(mesh, is_here, kept)),
        );
        HostMeshTables { level, flags }
    }

    /// The same for a level that a single rank is going to have, of its boxes, which are in order.
    pub(super) fn early_tables(&self, hierarchy: &Hierarchy<D>, level: Level, boxes: &[CellBox<D>]) -> EarlyTables<D> {
        let mesh = LevelMesh::new(hierarchy.domain_box(level), hierarchy.domain().periodic, boxes.to_vec());
        EarlyTables { patches: boxes.to_vec(), tables: self.host_tables_of_level(&mesh, level, None) }
    }

    /// Makes the tables of new levels' plans, all at the same time.
    pub(super) fn host_tables_of_plans(&self, change: &MeshChange<'_, D>) -> Vec<Option<NewLevelTables<N>>> {
        let (capacity, sides) = (self.problem.scheme.capacity >= 0, &self.sides);
        let (hierarchy, num_ghost) = (change.hierarchy(), self.sizes.num_ghost);
        let make = |(l, plans): (usize, &LevelPlans<D>)| {
            let transfer = change.transfer(l)?;
            let moved = || TransferTables::on_host(transfer, hierarchy.ratio(Level(l as u8 - 1)), capacity, num_ghost);
            let context = LevelContext { mesh: hierarchy.level(Level(l as u8)), sides, num_ghost };
            let tables = || HostLevelTables::new(plans, context);
            let (tables, transfer) = rayon::join(tables, moved);
            Some((PlanTables::Host(tables, transfer), None))
        };
        change.plans().par_iter().enumerate().with_max_len(1).map(make).collect()
    }
}

/// A level's tables before they are sent: made from the mesh alone, by any thread.
pub(super) struct HostLevel<const D: usize> {
    pub layout: Arc<LevelLayout<D>>,
    /// Owners of the patches, if there are several ranks.
    pub partition: Option<Arc<Partition>>,
    pub builder: TableBuilder,
    /// Words of a face map.
    pub map_words: usize,
    /// Of all patches, by sweep.
    pub tiles: Vec<Tiles>,
    pub slide: Option<Slide>,
}

impl<const D: usize> HostLevel<D> {
    /// `resident_tiles`: that the device works on at once; `finest`: no level can be finer, so that nobody reads the state before a step.
    pub fn new(
        mesh: &LevelMesh<D>,
        (rank, partition): (usize, Option<Arc<Partition>>),
        sizes: Sizes,
        sweeps: &[Sweep],
        (resident_tiles, finest): (u32, bool),
    ) -> Self {
        let is_here = |k| Partition::owns(partition.as_deref(), rank, k);
        let layout = Arc::new(LevelLayout::of_part(mesh, sizes.num_ghost, is_here));
        let (table, map_words) = patch_table(&layout);
        let mut builder = TableBuilder::default();
        builder.append_all(&table);
        let mut cut = |patches: Range<usize>| -> Vec<Tiles> {
            let of_sweep = |sweep| {
                let shape = tile_shape(sweep, sizes.num_eqn, sizes.precision);
                let tiles = tile_table(&layout, sweep, shape, patches.clone(), resident_tiles);
                Tiles { start: builder.append_all(&tiles), count: tiles.len() }
            };
            sweeps.iter().map(of_sweep).collect()
        };
        let num_patches = layout.patches.len();
        let tiles = cut(0..num_patches);
        let slide = (finest && is_worth_it(layout.here().count(), resident_tiles)).then(|| {
            let (bytes, runs) = runs(&layout, sizes.num_eqn * sizes.number);
            let batch = |patches: Range<usize>| Batch { tiles: cut(patches.clone()), patches };
            Slide { bytes, batches: runs.into_iter().map(batch).collect() }
        });
        HostLevel { layout, partition, builder, map_words, tiles, slide }
    }
}
