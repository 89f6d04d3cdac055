//! What the device needs to know of new levels, made on the host before it is sent: all levels' at the same time, by any threads.

use super::builder::{TableBuilder, Tables};
use super::flags::FlagTables;
use super::store::{Sizes, Tiles};
use super::tables::{LevelTablesDraft, TransferTables};
use super::{CudaExecutor, Machine};
use crate::exec::cpu::update::Sweep;
use crate::fields::{LevelLayout, PatchLayout};
use crate::index::{CellBox, Level};
use crate::mesh::{Hierarchy, LevelMesh};
use crate::plan::{LevelPlans, TransferPlan};
use ::cuda::regions::Patch;
use ::cuda::update::{self, Taps, TileHeights, TileTable, UpdateOptions};
use rayon::prelude::*;
use riemann::patch::PACK_OVERRUN;
use riemann::real::Scalar;
use std::sync::Arc;

/// What a level to come needs of its mesh, on the host.
pub(super) struct MeshDrafts<const D: usize> {
    pub level: LevelDraft<D>,
    /// If it may be refined.
    pub flags: Option<FlagTables<D, TableBuilder>>,
}

/// Tables of its plans, on the host.
pub(super) struct PlanDrafts<const D: usize> {
    pub tables: LevelTablesDraft<D>,
    pub transfer: TransferTables<Tables>,
}

impl<const D: usize, R: Scalar, N: Machine> CudaExecutor<D, R, N> {
    /// Makes what new levels need of their meshes, all at the same time.
    pub(super) fn draft_levels(&self, hierarchy: &Hierarchy<D>, before: &Hierarchy<D>) -> Vec<Option<MeshDrafts<D>>> {
        let (sizes, sweeps, warps) = (self.sizes, &self.sweeps, self.machine.resident_warps());
        let draft = |(l, mesh): (usize, &Arc<LevelMesh<D>>)| {
            if before.levels().get(l).is_some_and(|before| Arc::ptr_eq(before, mesh)) {
                return None;
            }
            let level = || LevelDraft::new(mesh, sizes, sweeps, warps);
            let flags = || (l + 1 < hierarchy.max_levels()).then(|| FlagTables::draft(mesh));
            let (level, flags) = rayon::join(level, flags);
            Some(MeshDrafts { level, flags })
        };
        hierarchy.levels().par_iter().enumerate().with_max_len(1).map(draft).collect()
    }

    /// Makes the tables of new levels' plans, all at the same time.
    pub(super) fn draft_tables(
        &self,
        hierarchy: &Hierarchy<D>,
        plans: &[LevelPlans<D>],
        transfers: &[Option<TransferPlan<D>>],
    ) -> Vec<Option<PlanDrafts<D>>> {
        let (capacity, sides) = (self.problem.scheme.capacity >= 0, self.sides.as_ref());
        let draft = |(l, transfer): (usize, &Option<TransferPlan<D>>)| {
            let transfer = transfer.as_ref()?;
            let moved = || TransferTables::draft(transfer, hierarchy.ratio(Level(l as u8 - 1)), capacity);
            let tables = || LevelTablesDraft::new(&plans[l], hierarchy.level(Level(l as u8)), sides);
            let (tables, transfer) = rayon::join(tables, moved);
            Some(PlanDrafts { tables, transfer })
        };
        transfers.par_iter().enumerate().with_max_len(1).map(draft).collect()
    }
}

/// The patches as the device sees them, and the words of a face map.
fn patch_table<const D: usize>(layout: &LevelLayout<D>) -> (Vec<Patch>, usize) {
    let (mut first, mut word) = (0u64, 0usize);
    let place = |patch: &PatchLayout<D>| {
        let (strides, size, with_ghosts) = (patch.strides(), patch.cells.size(), patch.with_ghosts().size());
        let row = with_ghosts[0] as usize;
        let (ny, rows) = if D > 1 { (size[1], with_ghosts[1]) } else { (1, 1) };
        let entry = Patch {
            first,
            first_word: word as u32,
            row: row as i32,
            component: strides.component as i32,
            lo_x: patch.cells.lo[0],
            lo_y: if D > 1 { patch.cells.lo[1] } else { 0 },
            nx: size[0],
            ny,
            padding: 0,
        };
        first += strides.component as u64;
        word += 2 * rows as usize * row.div_ceil(32);
        entry
    };
    let patches = layout.patches.iter().map(place).collect();
    (patches, word)
}

/// The patches as the update sees them.
fn update_table<const D: usize>(layout: &LevelLayout<D>, sizes: Sizes, table: &[Patch]) -> Vec<update::Patch> {
    let place = |(patch, entry): (&PatchLayout<D>, &Patch)| update::Patch {
        q: patch.offset(sizes.num_eqn, patch.cells.lo) as u64,
        aux: if sizes.num_aux > 0 { patch.offset(sizes.num_aux, patch.cells.lo) as u64 } else { 0 },
        cell: (patch.offset(1, patch.cells.lo) - PACK_OVERRUN) as u64,
        row: entry.row,
        component: entry.component,
        columns: entry.nx,
        rows: entry.ny,
        first_word: entry.first_word,
        padding: 0,
    };
    layout.patches.iter().zip(table).map(place).collect()
}

/// Cuts a level's patches into the tiles of a sweep.
fn tiles<const D: usize>(layout: &LevelLayout<D>, sweep: &Sweep, resident_warps: u32) -> Vec<update::Tile> {
    // Only which axes are swept matters for the tiles.
    let [x, y, _] = sweep.axes;
    let options =
        UpdateOptions { order: 2, transverse: 0, limiters: Vec::new(), capacity: None, sweep: [x, y], taps: Taps::Map };
    let grown = |cells: &CellBox<D>| {
        let size = cells.size();
        let axis = |d: usize| if d < D { [-sweep.grow[d], size[d] + sweep.grow[d]] } else { [0, 1] };
        let ([lo_x, hi_x], [lo_y, hi_y]) = (axis(0), axis(1));
        [[lo_x, lo_y], [hi_x, hi_y]]
    };
    let boxes = layout.patches.iter().map(|patch| grown(&patch.cells));
    let sizes = boxes.clone().map(|[lo, hi]| [hi[0] - lo[0], hi[1] - lo[1]]);
    let mut heights = TileHeights::new(sizes.clone(), options.tile_columns(), resident_warps);
    let mut table = TileTable::default();
    for (k, (cells, size)) in boxes.zip(sizes).enumerate() {
        table.add_patch(&options, heights.next(size), k as u32, cells, &[]);
    }
    table.sort_by_height();
    table.tiles
}

/// A level's tables before they are sent: made from the mesh alone, by any thread.
pub(super) struct LevelDraft<const D: usize> {
    pub layout: Arc<LevelLayout<D>>,
    pub builder: TableBuilder,
    /// Words of a face map.
    pub map_words: usize,
    /// Where the patches as the update sees them begin.
    pub update_patches: usize,
    pub tiles: Vec<Tiles>,
}

impl<const D: usize> LevelDraft<D> {
    pub fn new(mesh: &LevelMesh<D>, sizes: Sizes, sweeps: &[Sweep], resident_warps: u32) -> Self {
        let layout = Arc::new(LevelLayout::new(mesh, sizes.num_ghost));
        let (table, map_words) = patch_table(&layout);
        let mut builder = TableBuilder::default();
        builder.append(table.iter().copied());
        let update_patches = builder.append(update_table(&layout, sizes, &table).into_iter());
        let cut = |sweep| {
            let tiles = tiles(&layout, sweep, resident_warps);
            Tiles { start: builder.append(tiles.iter().copied()), count: tiles.len() }
        };
        let tiles = sweeps.iter().map(cut).collect();
        LevelDraft { layout, builder, map_words, update_patches, tiles }
    }
}
