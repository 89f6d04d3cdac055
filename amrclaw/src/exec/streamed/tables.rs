//! The tables that kernels read of a level, for one sweep.

use super::batches::{Batch, Largest, cut, place, tiles_of_batches};
use super::faces::FaceTable;
use crate::exec::device::patch_table;
use crate::exec::step::{LevelSweep, Pass};
use cuda::amr::{Patch, PatchReport, Tile, TileShape};
use cuda::{CudaError, Device, DeviceBuffer};
use riemann::real::Scalar;

/// Batches that a level is cut into, if they do not get too small: while the first is copied in and the last copied back, nothing
/// else is.
const BATCHES: usize = 16;
/// Bytes of q in a batch, if the level has so many: with less a copy's start-up counts.
const LEAST_BATCH_BYTES: usize = 1 << 20;

/// One level's tables for one sweep, on the device.
pub(super) struct LevelTables<const D: usize> {
    /// Largest first.
    pub batches: Vec<Batch>,
    pub patches: DeviceBuffer<Patch>,
    pub tiles: DeviceBuffer<Tile>,
    /// One per patch.
    pub reports: DeviceBuffer<PatchReport>,
    /// Faces of the conservation fix at the level's own edge and at the finer level's.
    pub faces: [Option<FaceTable<D>>; 2],
}

impl<const D: usize> LevelTables<D> {
    /// `tiles`: of the update, and how many the device works on at once. `batch_bytes`: of q in a batch at most.
    pub fn new<R: Scalar>(
        device: &Device,
        context: &LevelSweep<'_, D, R>,
        pass: &Pass<'_, D>,
        tiles: (TileShape, u32),
        batch_bytes: usize,
    ) -> Result<Self, CudaError> {
        let layout = context.layout;
        let even = layout.len(context.num_eqn) * R::BYTES / BATCHES;
        let batch_bytes = even.max(LEAST_BATCH_BYTES).min(batch_bytes);
        let mut batches = cut(layout, [context.num_eqn, context.num_aux], R::BYTES, batch_bytes);
        let (patches, num_words) = patch_table(layout);
        place(&mut batches, &patches, num_words);
        let tiles = tiles_of_batches(context, tiles, &mut batches);
        let stream = device.stream()?;
        let [own, finer] = pass.faces();
        let faces = |plan: Option<_>, fine| {
            let is_here = |patch: usize| layout.patches[patch].is_here;
            plan.map(|plan| FaceTable::new((device, &stream), plan, &batches, (fine, is_here))).transpose()
        };
        let faces = [faces(own, true)?, faces(finer, false)?];
        let tables = LevelTables {
            patches: device.buffer(patches.len())?,
            tiles: device.buffer(tiles.len())?,
            reports: device.buffer(patches.len())?,
            faces,
            batches,
        };
        stream.upload(&patches, &tables.patches, 0)?;
        stream.upload(&tiles, &tables.tiles, 0)?;
        Ok(tables)
    }

    /// Faces that the sweeps keep: fine ones at the level's own edge, then coarse ones at the finer level's.
    pub fn num_kept(&self) -> usize {
        self.first_coarse() + self.faces[1].as_ref().map_or(0, |faces| faces.plan.num_slots())
    }

    /// Number of the first coarse one.
    pub fn first_coarse(&self) -> usize {
        self.faces[0].as_ref().map_or(0, |faces| faces.plan.num_fine())
    }

    /// True if a sweep of a batch keeps anything.
    pub fn keeps(&self, batch: usize) -> bool {
        self.faces.iter().flatten().any(|faces| faces.has_faces(batch))
    }

    /// Room that a lane needs.
    pub fn largest(&self, bytes_of_number: usize) -> Largest {
        let largest = |len: fn(&Batch) -> usize| self.batches.iter().map(len).max().unwrap_or(0);
        let keeps = self.faces.iter().any(Option::is_some);
        let of_map = |numbers: usize| if keeps { numbers * size_of::<u32>() } else { 0 };
        Largest {
            q: largest(|batch| batch.q.len()) * bytes_of_number,
            aux: largest(|batch| batch.aux.len()) * bytes_of_number,
            words: of_map(largest(Batch::map_words)),
            slots: of_map(self.num_kept().min(D * largest(|batch| batch.cells.len()))),
        }
    }
}
