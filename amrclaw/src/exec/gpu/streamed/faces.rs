//! The faces of the conservation fix, divided into the work of each batch.

use super::batches::Batch;
use super::lane::Lane;
use super::lane_buffers::sent;
use crate::exec::gpu::device::{face_run, pointer};
use crate::plan::RefluxPlan;
use cuda::CudaError;
use cuda::amr::{Chunk, RunTable};
use std::ops::Range;
use std::sync::Arc;

/// Faces of a warp.
const CHUNK: usize = 32;

/// Faces between two levels, seen from one of them and divided into the work of each batch.
pub(super) struct FaceTable<const D: usize, L: Lane> {
    pub plan: Arc<RefluxPlan<D>>,
    runs: L::Memory,
    chunks: L::Memory,
    of_batch: Vec<Range<usize>>,
}

impl<const D: usize, L: Lane> FaceTable<D, L> {
    /// `fine`: the batches are those of the finer of the plan's two levels. `is_local`: whether this rank has the values of a patch of
    /// that level.
    pub fn new(
        lane: &L,
        plan: &Arc<RefluxPlan<D>>,
        batches: &[Batch],
        (fine, is_local): (bool, impl Fn(usize) -> bool),
    ) -> Result<Self, CudaError> {
        let num_patches = batches.iter().map(|batch| batch.patches.end).max().unwrap_or(0);
        let mut batch_of_patch = vec![0; num_patches];
        for (n, batch) in batches.iter().enumerate() {
            batch_of_patch[batch.patches.clone()].fill(n);
        }
        let mut runs = Vec::with_capacity(plan.runs.all().len());
        let mut chunks = vec![Vec::new(); batches.len()];
        for (number, run) in plan.runs.all().iter().enumerate() {
            let (run, faces) = face_run(run);
            let patch = if fine { run.fine_patch } else { run.coarse_patch };
            let patch = patch as usize;
            runs.push(run);
            if !is_local(patch) {
                continue;
            }
            let chunk = |first| Chunk { region: number as u32, first: first as u32 };
            chunks[batch_of_patch[patch]].extend((0..faces).step_by(CHUNK).map(chunk));
        }
        let mut start = 0;
        let range = |chunks: &Vec<Chunk>| {
            start += chunks.len();
            start - chunks.len()..start
        };
        let of_batch = chunks.iter().map(range).collect();
        let chunks = chunks.concat();
        Ok(FaceTable { plan: plan.clone(), runs: sent(lane, &runs)?, chunks: sent(lane, &chunks)?, of_batch })
    }

    /// All runs, with the work on the faces of a batch.
    pub fn runs(&self, batch: usize) -> RunTable {
        let Range { start, end } = self.of_batch[batch];
        RunTable {
            items: pointer::<_, L>(&self.runs, 0),
            chunks: pointer::<_, L>(&self.chunks, start * size_of::<Chunk>()),
            num_chunks: (end - start) as u32,
            chunk_cells: CHUNK as u32,
        }
    }

    /// True if a batch has any of the faces.
    pub fn has_faces(&self, batch: usize) -> bool {
        !self.of_batch[batch].is_empty()
    }
}
