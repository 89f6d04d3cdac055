//! What one rank knows of its own patches, told to all: reports of steps, values of gauges, failures, flags, sums.
//!
//! All ranks then know the same, and go the same way.

use super::CpuExecutor;
use super::store::LevelStore;
use crate::exec::comm::{CommError, expanded, run_lengths, text_of, words_of};
use crate::exec::{ExecError, Outcomes, StepReport};
use crate::index::CellBox;
use riemann::real::Scalar;

/// Words of a step's report.
const REPORT: usize = 3;

impl<const D: usize, R: Scalar> CpuExecutor<D, R> {
    /// Keeps an error for all ranks to hear of with the next [`CpuExecutor::collect_from_all`]; a single rank is told at once.
    pub(super) fn or_later(&mut self, outcome: Result<(), ExecError>) -> Result<(), ExecError> {
        match outcome {
            Err(error) if !self.ranks.is_solo() => {
                self.failed.get_or_insert(error);
                Ok(())
            }
            outcome => outcome,
        }
    }

    /// The same outcome on all ranks: that of the first one that failed, if one did.
    pub(super) fn agreed(&self, outcome: Result<(), ExecError>) -> Result<(), ExecError> {
        if self.ranks.is_solo() {
            return outcome;
        }
        let first = self.ranks.first(outcome.err().as_ref(), ExecError::patch)?;
        first.map_or(Ok(()), |(_, error)| Err(error))
    }

    /// What came of steps and samples on all ranks: each has a part of every step, and one has each sample.
    pub(super) fn collect_from_all(&mut self, outcomes: &mut Outcomes) -> Result<(), ExecError> {
        let num_eqn = self.solver.equations().len();
        let Outcomes { steps, samples } = std::mem::take(&mut self.outcomes);
        let mut words: Vec<u64> = Vec::with_capacity(REPORT * steps.len() + samples.len());
        for report in &steps {
            words.extend([report.courant.to_bits(), report.patch as u64, report.broken.map_or(u64::MAX, |k| k as u64)]);
        }
        for (values, is_here) in samples.chunks_exact(num_eqn).zip(self.sampled.drain(..)) {
            words.push(u64::from(is_here));
            words.extend(values.iter().map(|value| value.to_bits()));
        }
        let told = words.len();
        let error = self.failed.take();
        let text = error.map_or(String::new(), |error| serde_json::to_string(&error).unwrap_or_default());
        words.extend(words_of(&text));
        let all = self.ranks.gather(&words)?;
        let errors = all.iter().filter_map(|words| serde_json::from_str::<ExecError>(&text_of(&words[told..])).ok());
        if let Some(error) = errors.min_by_key(ExecError::patch) {
            return Err(error);
        }
        for n in 0..steps.len() {
            let report = |words: &Vec<u64>| {
                let [courant, patch, broken] = std::array::from_fn(|k| words[REPORT * n + k]);
                let broken = (broken != u64::MAX).then_some(broken as usize);
                StepReport { courant: f64::from_bits(courant), patch: patch as usize, broken }
            };
            outcomes.steps.push(all.iter().map(report).fold(StepReport::NONE, StepReport::or));
        }
        let samples = |words: &Vec<u64>, n: usize| -> Option<Vec<f64>> {
            let sample = &words[REPORT * steps.len() + n * (num_eqn + 1)..][..num_eqn + 1];
            (sample[0] != 0).then(|| sample[1..].iter().map(|&bits| f64::from_bits(bits)).collect())
        };
        for n in 0..(told - REPORT * steps.len()) / (num_eqn + 1) {
            let values = all.iter().find_map(|words| samples(words, n));
            outcomes.samples.extend(values.expect("one rank has the patch that holds the gauge"));
        }
        Ok(())
    }

    /// Sums of all patches, each from the rank that has it.
    pub(super) fn sums_of_all(&self, store: &LevelStore<D, R>, mut sums: Vec<Vec<f64>>) -> Vec<Vec<f64>> {
        let Some(partition) = &store.partition else { return sums };
        let own: Vec<u64> = store.layout.here().flat_map(|(k, _)| &sums[k]).map(|sum| sum.to_bits()).collect();
        let all = self.ranks.gather(&own).unwrap_or_default();
        for (rank, words) in all.iter().enumerate() {
            for (k, bits) in partition.patches_of(rank).zip(words.chunks_exact(store.num_eqn)) {
                sums[k] = bits.iter().map(|&bits| f64::from_bits(bits)).collect();
            }
        }
        sums
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
