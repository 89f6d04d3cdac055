//! Results for a rank's own patches, shared with all ranks: see [`agree`].

use super::CpuExecutor;
use crate::exec::comm::{CommError, Phase, RunLengths};
use crate::exec::step::agree;
use crate::exec::{ExecError, Outcomes};
use crate::index::{CellBox, Level};
use riemann::real::Scalar;

impl<const D: usize, R: Scalar> CpuExecutor<D, R> {
    /// Keeps an error until the next [`CpuExecutor::collect_from_all`] reports it on all ranks; a single rank returns it at once.
    pub(super) fn defer_error(&mut self, outcome: Result<(), ExecError>) -> Result<(), ExecError> {
        agree::defer_error(&self.ranks, &mut self.failed, outcome)
    }

    /// Makes an outcome the same on all ranks: if any rank has failed, the error of the lowest patch.
    pub(super) fn agreed(&self, outcome: Result<(), ExecError>) -> Result<(), ExecError> {
        agree::agreed(&self.ranks, outcome)
    }

    /// Collects the step reports and samples of all ranks.
    pub(super) fn collect_from_all(&mut self, outcomes: &mut Outcomes) -> Result<(), ExecError> {
        let own = agree::UnsharedOutcomes {
            outcomes: std::mem::take(&mut self.outcomes),
            sampled: std::mem::take(&mut self.sampled),
            failed: self.failed.take(),
        };
        agree::collect(&self.ranks, self.solver.equations().len(), own, outcomes)
    }

    /// The bitmaps of all patches, one after another in the mesh's order, gathered from the ranks. `own`: those of this rank's patches.
    pub(super) fn bitmaps_of_all(&self, level: Level, own: Vec<u64>) -> Result<Vec<u64>, CommError> {
        let store = &self.levels[level.index()];
        let Some(partition) = &store.partition else { return Ok(own) };
        let words_of = |cells: &CellBox<D>| {
            let size = cells.size();
            (size[0] as usize).div_ceil(64) * (cells.volume() / size[0] as usize)
        };
        let patches =
            || store.mesh.patches().iter().enumerate().map(|(k, patch)| (partition.owner(k), words_of(patch)));
        let all = self.ranks.gather_runs(self.header(Phase::Flags, level), RunLengths::new(&own))?;
        let mut counts = vec![0; all.len()];
        patches().for_each(|(owner, count)| counts[owner] += count);
        let bitmaps: Vec<Vec<u64>> = (all.iter().zip(&counts))
            .map(|(runs, &count)| {
                let mut words = vec![0; count];
                RunLengths::join(std::slice::from_ref(runs), &mut words);
                words
            })
            .collect();
        let mut rest: Vec<&[u64]> = bitmaps.iter().map(Vec::as_slice).collect();
        let mut words = Vec::with_capacity(counts.iter().sum());
        for (owner, count) in patches() {
            let (these, after) = rest[owner].split_at(count);
            words.extend_from_slice(these);
            rest[owner] = after;
        }
        Ok(words)
    }
}
