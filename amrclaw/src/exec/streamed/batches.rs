//! A level's patches in batches, and the tables that the update reads.

use crate::exec::cpu::update::SweepContext;
use crate::fields::{LevelLayout, PatchLayout};
use crate::plan::{LevelPlans, TilePlan};
use cuda::update::{Patch, PatchReport, Tap, Tile, TileTable, UpdateKernel, UpdateOptions, rows_per_tile};
use cuda::{CudaError, Device, DeviceBuffer};
use riemann::real::Scalar;
use std::cmp::Reverse;
use std::ops::Range;

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

/// One level's tables for one sweep, on the device.
pub(super) struct LevelTables {
    /// Largest first.
    pub batches: Vec<Batch>,
    pub patches: DeviceBuffer<Patch>,
    pub tiles: DeviceBuffer<Tile>,
    pub taps: DeviceBuffer<Tap>,
    /// One per patch.
    pub reports: DeviceBuffer<PatchReport>,
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

impl LevelTables {
    pub fn new<const D: usize, R: Scalar>(
        device: &Device,
        context: &SweepContext<'_, D, R>,
        plans: &LevelPlans<D>,
        (options, kernel): (&UpdateOptions, &UpdateKernel),
        batch_bytes: usize,
    ) -> Result<Self, CudaError> {
        let layout = context.layout;
        let (num_eqn, num_aux) = (context.num_eqn, context.num_aux);
        let size = |patch: &PatchLayout<D>| {
            let size = patch.cells.size();
            [size[0], size.get(1).copied().unwrap_or(1)]
        };
        let mut batches = cut(layout, [num_eqn, num_aux], R::BYTES, batch_bytes);
        let taps = taps_by_patch(&plans.tiles, context.sweep.taps, layout.patches.len());
        let rows = rows_per_tile(layout.patches.iter().map(size), options.tile_columns(), kernel.resident_warps());
        let grow = [context.sweep.grow[0], if D > 1 { context.sweep.grow[1] } else { 0 }];
        let mut table = TileTable::default();
        let mut patches = vec![None; layout.patches.len()];
        for batch in &mut batches {
            batch.tiles.start = table.tiles.len();
            for k in batch.patches.clone() {
                let patch = &layout.patches[k];
                let [columns, num_rows] = size(patch);
                let hi = [columns + grow[0], num_rows + grow[1]];
                table.add_patch(options, rows, k as u32, [grow.map(|g| -g), hi], &taps[k]);
                // Offsets count from the batch's own first number.
                let first = |components: usize, start: usize| match components {
                    0 => 0,
                    n => (patch.offset(n, patch.cells.lo) - start) as u64,
                };
                patches[k] = Some(Patch {
                    q: first(num_eqn, batch.q.start),
                    aux: first(num_aux, batch.aux.start),
                    cell: 0,
                    row: patch.strides().row as i32,
                    component: patch.component() as i32,
                    columns,
                    rows: num_rows,
                    first_word: 0,
                    padding: 0,
                });
            }
            batch.tiles.end = table.tiles.len();
        }
        let patches: Vec<Patch> = patches.into_iter().map(|patch| patch.expect("every patch is in a batch")).collect();
        let stream = device.stream()?;
        let tables = LevelTables {
            batches,
            patches: device.buffer(patches.len())?,
            tiles: device.buffer(table.tiles.len())?,
            taps: device.buffer(table.taps.len())?,
            reports: device.buffer(patches.len())?,
        };
        stream.upload(&patches, &tables.patches, 0)?;
        stream.upload(&table.tiles, &tables.tiles, 0)?;
        stream.upload(&table.taps, &tables.taps, 0)?;
        Ok(tables)
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
