//! The tables that kernels read of a level, for one sweep.

use super::batches::{Batch, LaneBytes, cut, place, tiles_of_batches};
use super::faces::FaceTable;
use super::lane::Lane;
use crate::exec::gpu::device::{patch_table, pointer, sent};
use crate::exec::step::{LevelSweep, Pass};
use crate::fields::LevelLayout;
use cuda::CudaError;
use cuda::abi::Pointer;
use cuda::amr::{Patch, PatchReport, Tile, TileShape};
use riemann::real::Scalar;

/// Batches that a level is cut into, if they do not get too small: nothing overlaps with the copy of the first one in and of the last one
/// back.
const BATCHES: usize = 16;
/// Least bytes of q in a batch, if the level has as many: in smaller ones the latency of a copy matters.
const LEAST_BATCH_BYTES: usize = 1 << 20;

/// One level's tables for one sweep, on the device.
pub(super) struct LevelTables<const D: usize, L: Lane> {
    /// Largest first.
    pub batches: Vec<Batch>,
    pub num_patches: usize,
    patches: L::Memory,
    tiles: L::Memory,
    /// One per patch.
    pub reports: L::Memory,
    /// Faces of the conservation fix at the level's own edge and at the finer level's.
    pub faces: [Option<FaceTable<D, L>>; 2],
}

/// A level's batches and its patches. `batch_bytes`: most bytes of q in a batch.
pub(super) fn batches_of<const D: usize>(
    layout: &LevelLayout<D>,
    components: [usize; 2],
    bytes_of_number: usize,
    batch_bytes: usize,
) -> (Vec<Batch>, Vec<Patch>) {
    let even = layout.len(components[0]) * bytes_of_number / BATCHES;
    let batch_bytes = even.max(LEAST_BATCH_BYTES).min(batch_bytes);
    let mut batches = cut(layout, components, bytes_of_number, batch_bytes);
    let (patches, num_words) = patch_table(layout);
    place(&mut batches, &patches, num_words);
    (batches, patches)
}

impl<const D: usize, L: Lane> LevelTables<D, L> {
    /// `tiles`: of the update, and how many the device works on at once. `batch_bytes`: most bytes of q in a batch.
    pub fn new<R: Scalar>(
        lane: &L,
        context: &LevelSweep<'_, D, R>,
        pass: &Pass<'_, D>,
        tiles: (TileShape, u32),
        batch_bytes: usize,
    ) -> Result<Self, CudaError> {
        let (layout, components) = (context.layout, [context.num_eqn, context.num_aux]);
        let (mut batches, patches) = batches_of(layout, components, R::BYTES, batch_bytes);
        let tiles = tiles_of_batches(context, tiles, &mut batches);
        let [own, finer] = pass.faces();
        let faces = |plan: Option<_>, fine| {
            let is_local = |patch: usize| layout.patches[patch].is_local;
            plan.map(|plan| FaceTable::new(lane, plan, &batches, (fine, is_local))).transpose()
        };
        let faces = [faces(own, true)?, faces(finer, false)?];
        Ok(LevelTables {
            num_patches: patches.len(),
            patches: sent(lane, &patches)?,
            tiles: sent(lane, &tiles)?,
            reports: lane.allocate(patches.len() * size_of::<PatchReport>())?,
            faces,
            batches,
        })
    }

    /// The level's patches from one on.
    pub fn patches(&self, first: usize) -> Pointer<Patch> {
        pointer::<_, L>(&self.patches, first * size_of::<Patch>())
    }

    /// The tiles from one on.
    pub fn tiles(&self, first: usize) -> Pointer<Tile> {
        pointer::<_, L>(&self.tiles, first * size_of::<Tile>())
    }

    /// The reports of the patches from one on.
    pub fn reports(&self, first: usize) -> Pointer<PatchReport> {
        pointer::<_, L>(&self.reports, first * size_of::<PatchReport>())
    }

    /// Faces that the sweeps keep: fine ones at the level's own edge, then coarse ones at the finer level's.
    pub fn num_kept(&self) -> usize {
        self.first_coarse() + self.faces[1].as_ref().map_or(0, |faces| faces.plan.num_slots)
    }

    /// Number of the first coarse one.
    pub fn first_coarse(&self) -> usize {
        self.faces[0].as_ref().map_or(0, |faces| faces.plan.num_fine)
    }

    /// True if a sweep of a batch keeps anything.
    pub fn keeps(&self, batch: usize) -> bool {
        self.faces.iter().flatten().any(|faces| faces.has_faces(batch))
    }

    /// Bytes that a lane needs.
    pub fn largest(&self, bytes_of_number: usize) -> LaneBytes {
        let largest = |len: fn(&Batch) -> usize| self.batches.iter().map(len).max().unwrap_or(0);
        let keeps = self.faces.iter().any(Option::is_some);
        let of_map = |numbers: usize| if keeps { numbers * size_of::<u32>() } else { 0 };
        LaneBytes {
            q: largest(|batch| batch.q.len()) * bytes_of_number,
            aux: largest(|batch| batch.aux.len()) * bytes_of_number,
            words: of_map(largest(Batch::map_words)),
            slots: of_map(self.num_kept().min(D * largest(|batch| batch.cells.len()))),
        }
    }
}
