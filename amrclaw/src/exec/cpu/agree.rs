//! What ranks tell one another of their own patches: see [`agree`].

use super::CpuExecutor;
use super::store::LevelStore;
use crate::exec::comm::{CommError, expanded, run_lengths};
use crate::exec::step::agree;
use crate::exec::{ExecError, Outcomes};
use crate::index::CellBox;
use riemann::real::Scalar;

impl<const D: usize, R: Scalar> CpuExecutor<D, R> {
    /// Keeps an error for all ranks to hear of with the next [`CpuExecutor::collect_from_all`]; a single rank is told at once.
    pub(super) fn or_later(&mut self, outcome: Result<(), ExecError>) -> Result<(), ExecError> {
        agree::or_later(&self.ranks, &mut self.failed, outcome)
    }

    /// The same outcome on all ranks: that of the first one that failed, if one did.
    pub(super) fn agreed(&self, outcome: Result<(), ExecError>) -> Result<(), ExecError> {
        agree::agreed(&self.ranks, outcome)
    }

    /// What came of steps and samples on all ranks.
    pub(super) fn collect_from_all(&mut self, outcomes: &mut Outcomes) -> Result<(), ExecError> {
        let own = agree::Untold {
            outcomes: std::mem::take(&mut self.outcomes),
            sampled: std::mem::take(&mut self.sampled),
            failed: self.failed.take(),
        };
        agree::collect(&self.ranks, self.solver.equations().len(), own, outcomes)
    }

    /// The bitmaps of all patches, one after another in the mesh's order, from those that are here.
    pub(super) fn bitmaps_of_all(&self, store: &LevelStore<D, R>, own: Vec<u64>) -> Result<Vec<u64>, CommError> {
        let Some(partition) = &store.partition else { return Ok(own) };
        let all = self.ranks.gather(&run_lengths(&own))?;
        let mut bitmaps: Vec<Vec<u64>> = all.iter().map(|runs| expanded(runs).unwrap_or_default()).collect();
        bitmaps.iter_mut().for_each(|words| words.reverse());
        let words_of = |cells: &CellBox<D>| {
            let size = cells.size();
            (size[0] as usize).div_ceil(64) * (cells.volume() / size[0] as usize)
        };
        let mut words = Vec::new();
        for (k, patch) in store.mesh.patches().iter().enumerate() {
            let from = &mut bitmaps[partition.owner(k)];
            words.extend(from.drain(from.len().saturating_sub(words_of(patch))..).rev());
        }
        Ok(words)
    }
}
