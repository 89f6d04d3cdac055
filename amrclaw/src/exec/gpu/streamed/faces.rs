//! The faces of the conservation fix, divided into the work of each batch.

use super::batches::Batch;
use super::lane::Lane;
use crate::exec::gpu::device::{HostTables, Table, TableBuilder, face_run};
use crate::plan::RefluxPlan;
use cuda::CudaError;
use cuda::amr::RunTable;
use std::sync::Arc;

/// Faces between two levels, seen from one of them and divided into the work of each batch.
pub(super) struct FaceTable<const D: usize, L: Lane> {
    pub plan: Arc<RefluxPlan<D>>,
    memory: L::Memory,
    of_batch: Vec<Table>,
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
        let mut runs = vec![Vec::new(); batches.len()];
        for run in plan.runs.all() {
            let patch = if fine { run.fine_patch } else { run.coarse_patch } as usize;
            if is_local(patch) {
                runs[batch_of_patch[patch]].push(face_run(run));
            }
        }
        let mut builder = TableBuilder::default();
        let of_batch: Vec<Table> = runs.into_iter().map(|runs| builder.table(runs.into_iter())).collect();
        let (memory, [place]) = HostTables::send([&builder.done()], lane)?;
        // Other lanes read what a kernel of this one has listed.
        lane.wait()?;
        let of_batch = of_batch.into_iter().map(|table| table.at(place)).collect();
        Ok(FaceTable { plan: plan.clone(), memory, of_batch })
    }

    /// The runs of a batch.
    pub fn runs(&self, batch: usize) -> RunTable {
        self.of_batch[batch].runs::<L>(&self.memory)
    }

    /// True if a batch has any of the faces.
    pub fn has_faces(&self, batch: usize) -> bool {
        self.of_batch[batch].num_chunks > 0
    }
}
