//! A level's patches in batches, and the tables that the update reads.

use super::fix::{FaceTable, patch_table};
use crate::exec::cpu::update::{Pass, SweepContext};
use crate::fields::{LevelLayout, PatchLayout};
use crate::plan::TilePlan;
use cuda::regions;
use cuda::update::{Patch, PatchReport, Tap, Tile, TileTable, UpdateKernel, UpdateOptions, rows_per_tile};
use cuda::{CudaError, Device, DeviceBuffer};
use rayon::prelude::*;
use riemann::real::Scalar;
use std::cmp::Reverse;
use std::ops::Range;
use std::sync::Arc;

/// Batches that a level is cut into, if they do not get too small: while the first is copied in and the last copied back, nothing
/// else is.
const BATCHES: usize = 16;
/// Bytes of q in a batch, if the level has so many: with less a copy's start-up counts.
const LEAST_BATCH_BYTES: usize = 1 << 20;

/// Patches that lie side by side in the level's arrays, and go to the device together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Batch {
    /// The patches.
    pub patches: Range<usize>,
    /// Their numbers in the level's array of states.
    pub q: Range<usize>,
    /// The same in its array of auxiliary values.
    pub aux: Range<usize>,
    /// Their tiles.
    pub tiles: Range<usize>,
}

/// Bytes of the largest batch.
#[derive(Clone, Copy, Debug)]
pub(super) struct Largest {
    /// Of states.
    pub q: usize,
    /// Of auxiliary values.
    pub aux: usize,
}

/// One level's tables for one sweep, on the device.
pub(super) struct LevelTables<const D: usize> {
    /// What they were made from; another one with other faces.
    plan: Arc<TilePlan>,
    /// Largest first.
    pub batches: Vec<Batch>,
    pub patches: DeviceBuffer<Patch>,
    pub tiles: DeviceBuffer<Tile>,
    pub taps: DeviceBuffer<Tap>,
    /// One per patch.
    pub reports: DeviceBuffer<PatchReport>,
    /// The patches as the conservation fix sees them, and its faces at the level's own edge and at the finer level's.
    pub face_patches: DeviceBuffer<regions::Patch>,
    pub own: Option<FaceTable<D>>,
    pub finer: Option<FaceTable<D>>,
}

/// A patch's numbers in an array of `components` components a cell.
fn numbers<const D: usize>(patch: &PatchLayout<D>, components: usize) -> Range<usize> {
    if components == 0 {
        return 0..0;
    }
    let start = patch.offset(components, patch.with_ghosts().lo);
    start..start + components * patch.component()
}

/// Cuts a level's patches into batches of about `batch_bytes` of states.
pub(super) fn cut<const D: usize>(
    layout: &LevelLayout<D>,
    [num_eqn, num_aux]: [usize; 2],
    bytes_of_number: usize,
    batch_bytes: usize,
) -> Vec<Batch> {
    let mut batches: Vec<Batch> = Vec::new();
    for (k, patch) in layout.patches.iter().enumerate() {
        let (q, aux) = (numbers(patch, num_eqn), numbers(patch, num_aux));
        match batches.last_mut() {
            Some(batch) if (q.end - batch.q.start) * bytes_of_number <= batch_bytes => {
                batch.patches.end = k + 1;
                (batch.q.end, batch.aux.end) = (q.end, aux.end);
            }
            _ => batches.push(Batch { patches: k..k + 1, q, aux, tiles: 0..0 }),
        }
    }
    batches.sort_by_key(|batch| Reverse(batch.q.len()));
    batches
}

/// Taps of each patch in a sweep, in the patches' order.
fn taps_by_patch(tiles: &TilePlan, list: usize, num_patches: usize) -> Vec<Vec<riemann::patch::Tap>> {
    let mut taps = vec![Vec::new(); num_patches];
    for tile in &tiles.tiles {
        taps[tile.patch as usize].extend_from_slice(&tiles.taps[tile.taps[list].clone()]);
    }
    taps
}

/// The update's tables on the host.
#[derive(Default)]
struct HostTables {
    patches: Vec<(usize, Patch)>,
    tiles: TileTable,
}

/// A patch's cells along both axes.
fn size_of_patch<const D: usize>(patch: &PatchLayout<D>) -> [i32; 2] {
    let size = patch.cells.size();
    [size[0], size.get(1).copied().unwrap_or(1)]
}

/// Makes a batch's tables. `rows`: of a tile.
fn batch_tables<const D: usize, R: Scalar>(
    context: &SweepContext<'_, D, R>,
    taps: &[Vec<riemann::patch::Tap>],
    (options, rows): (&UpdateOptions, i32),
    batch: &Batch,
) -> HostTables {
    let grow = [context.sweep.grow[0], if D > 1 { context.sweep.grow[1] } else { 0 }];
    let mut tables = HostTables::default();
    for k in batch.patches.clone() {
        let patch = &context.layout.patches[k];
        let [columns, num_rows] = size_of_patch(patch);
        let hi = [columns + grow[0], num_rows + grow[1]];
        tables.tiles.add_patch(options, rows, k as u32, [grow.map(|g| -g), hi], &taps[k]);
        // Offsets count from the batch's own first number.
        let first = |components: usize, start: usize| match components {
            0 => 0,
            n => (patch.offset(n, patch.cells.lo) - start) as u64,
        };
        let entry = Patch {
            q: first(context.num_eqn, batch.q.start),
            aux: first(context.num_aux, batch.aux.start),
            cell: 0,
            row: patch.strides().row as i32,
            component: patch.component() as i32,
            columns,
            rows: num_rows,
            first_word: 0,
            padding: 0,
        };
        tables.patches.push((k, entry));
    }
    tables
}

/// Makes the update's tables, and gives each batch its tiles.
fn update_tables<const D: usize, R: Scalar>(
    context: &SweepContext<'_, D, R>,
    tiles: &TilePlan,
    (options, kernel): (&UpdateOptions, &UpdateKernel),
    batches: &mut [Batch],
) -> (Vec<Patch>, TileTable) {
    let patches = &context.layout.patches;
    let taps = taps_by_patch(tiles, context.sweep.taps, patches.len());
    // The device has one batch at a time to work on, mostly.
    let largest = batches.first().map_or(0..0, |batch| batch.patches.clone());
    let sizes = patches[largest].iter().map(size_of_patch);
    let rows = rows_per_tile(sizes, options.tile_columns(), kernel.resident_warps());
    let make = |batch: &Batch| batch_tables(context, &taps, (options, rows), batch);
    let made: Vec<HostTables> = batches.par_iter().with_max_len(1).map(make).collect();
    let (mut table, mut entries) = (TileTable::default(), Vec::with_capacity(patches.len()));
    for (batch, made) in batches.iter_mut().zip(made) {
        let start = table.tiles.len();
        table.append(&made.tiles);
        batch.tiles = start..table.tiles.len();
        entries.extend(made.patches);
    }
    entries.sort_unstable_by_key(|(k, _)| *k);
    (entries.into_iter().map(|(_, patch)| patch).collect(), table)
}

impl<const D: usize> LevelTables<D> {
    /// `batch_bytes`: of q in a batch at most.
    pub fn new<R: Scalar>(
        device: &Device,
        context: &SweepContext<'_, D, R>,
        pass: &Pass<'_, D>,
        update: (&UpdateOptions, &UpdateKernel),
        batch_bytes: usize,
    ) -> Result<Self, CudaError> {
        let (layout, plan) = (context.layout, &pass.plans[pass.level].tiles);
        let even = layout.len(context.num_eqn) * R::BYTES / BATCHES;
        let batch_bytes = even.max(LEAST_BATCH_BYTES).min(batch_bytes);
        let mut batches = cut(layout, [context.num_eqn, context.num_aux], R::BYTES, batch_bytes);
        let (patches, tiles) = update_tables(context, plan, update, &mut batches);
        let stream = device.stream()?;
        let faces = |level: usize, fine: bool| {
            let plan = pass.plans.get(level).and_then(|plans| plans.reflux.as_ref());
            plan.map(|plan| FaceTable::new((device, &stream), plan, &batches, fine)).transpose()
        };
        let tables = LevelTables {
            plan: plan.clone(),
            patches: device.buffer(patches.len())?,
            tiles: device.buffer(tiles.tiles.len())?,
            taps: device.buffer(tiles.taps.len())?,
            reports: device.buffer(patches.len())?,
            face_patches: device.buffer(patches.len())?,
            own: faces(pass.level, true)?,
            finer: faces(pass.level + 1, false)?,
            batches,
        };
        stream.upload(&patches, &tables.patches, 0)?;
        stream.upload(&tiles.tiles, &tables.tiles, 0)?;
        stream.upload(&tiles.taps, &tables.taps, 0)?;
        stream.upload(&patch_table(layout), &tables.face_patches, 0)?;
        Ok(tables)
    }

    /// True if these are the tables of such plans.
    pub fn are_of(&self, pass: &Pass<'_, D>) -> bool {
        Arc::ptr_eq(&self.plan, &pass.plans[pass.level].tiles)
    }

    /// Room that a lane needs.
    pub fn largest(&self, bytes_of_number: usize) -> Largest {
        let largest = |len: fn(&Batch) -> usize| self.batches.iter().map(len).max().unwrap_or(0) * bytes_of_number;
        Largest { q: largest(|batch| batch.q.len()), aux: largest(|batch| batch.aux.len()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::index::CellBox;
    use crate::mesh::LevelMesh;

    /// Batches hold each patch once, without gaps in memory, the largest first, and no more than they may unless a single
    /// patch is larger.
    #[test]
    fn batches_hold_every_patch_once() {
        let domain = CellBox::new([0, 0], [40, 30]);
        let patches = vec![
            CellBox::new([0, 0], [7, 5]),
            CellBox::new([7, 0], [9, 30]),
            CellBox::new([9, 0], [40, 30]),
            CellBox::new([0, 5], [7, 9]),
            CellBox::new([0, 9], [7, 30]),
        ];
        let mesh = LevelMesh::new(domain, [false, false], patches);
        let layout = LevelLayout::new(&mesh, 2);
        for batch_bytes in [0, 5_000, 20_000, 1 << 20] {
            let batches = cut(&layout, [3, 2], 8, batch_bytes);
            let mut covered: Vec<usize> = batches.iter().flat_map(|batch| batch.patches.clone()).collect();
            covered.sort_unstable();
            assert_eq!(covered, (0..5).collect::<Vec<_>>());
            assert!(batches.windows(2).all(|pair| pair[0].q.len() >= pair[1].q.len()));
            for batch in &batches {
                let patches = &layout.patches[batch.patches.clone()];
                assert_eq!(batch.q.len(), patches.iter().map(|p| 3 * p.component()).sum::<usize>());
                assert_eq!(batch.aux.len(), patches.iter().map(|p| 2 * p.component()).sum::<usize>());
                assert!(patches.len() == 1 || batch.q.len() * 8 <= batch_bytes);
            }
        }
    }
}
