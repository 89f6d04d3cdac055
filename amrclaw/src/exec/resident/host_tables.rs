//! What the device needs to know of new levels, made on the host before it is sent: all levels' at the same time, by any threads.

use super::flags::FlagTables;
use super::slide::{Batch, Slide, Tiles, is_worth_it, runs};
use super::{Machine, ResidentExecutor};
use crate::exec::device::{
    HostLevelTables, HostTables, LevelContext, TableBuilder, TransferTables, patch_table, tile_shape, tile_table,
};
use crate::exec::step::Sweep;
use crate::fields::LevelLayout;
use crate::index::Level;
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

/// Tables of its plans, on the host.
pub(super) struct HostPlanTables {
    pub tables: HostLevelTables,
    pub transfer: TransferTables<HostTables>,
}

impl<const D: usize, R: Scalar, N: Machine> ResidentExecutor<D, R, N> {
    /// Makes what new levels need of their meshes, all at the same time. `partitions`: owners of each level's patches.
    pub(super) fn host_tables_of_levels(
        &self,
        hierarchy: &Hierarchy<D>,
        new: &[Level],
        partitions: &[Option<Arc<Partition>>],
    ) -> Vec<Option<HostMeshTables<D>>> {
        let (sizes, sweeps, resident) = (self.sizes, &self.sweeps, self.machine.resident_tiles());
        let rank = self.ranks.rank().number;
        let make = |(l, mesh): (usize, &Arc<LevelMesh<D>>)| {
            if !new.contains(&Level(l as u8)) {
                return None;
            }
            let owners = partitions[l].clone();
            let is_here = |k| owners.as_ref().is_none_or(|owners| owners.owner(k) == rank);
            let owner = (rank, owners.clone());
            let level = || HostLevel::new(mesh, owner, sizes, sweeps, (resident, l + 1 == hierarchy.max_levels()));
            let kept = self.ranks.keeps_flags(mesh.num_cells());
            let flags = || (l + 1 < hierarchy.max_levels()).then(|| FlagTables::on_host(mesh, is_here, kept));
            let (level, flags) = rayon::join(level, flags);
            Some(HostMeshTables { level, flags })
        };
        hierarchy.levels().par_iter().enumerate().with_max_len(1).map(make).collect()
    }

    /// Makes the tables of new levels' plans, all at the same time.
    pub(super) fn host_tables_of_plans(&self, change: &MeshChange<'_, D>) -> Vec<Option<HostPlanTables>> {
        let (capacity, sides) = (self.problem.scheme.capacity >= 0, &self.sides);
        let (hierarchy, num_ghost) = (change.hierarchy(), self.sizes.num_ghost);
        let make = |(l, plans): (usize, &LevelPlans<D>)| {
            let transfer = change.transfer(l)?;
            let moved = || TransferTables::on_host(transfer, hierarchy.ratio(Level(l as u8 - 1)), capacity, num_ghost);
            let context = LevelContext { mesh: hierarchy.level(Level(l as u8)), sides, num_ghost };
            let tables = || HostLevelTables::new(plans, context);
            let (tables, transfer) = rayon::join(tables, moved);
            Some(HostPlanTables { tables, transfer })
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
