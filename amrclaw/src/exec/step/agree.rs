//! Results for a rank's own patches, shared with all ranks: step reports, samples, errors, sums.
//!
//! All ranks then have the same data and take the same branches.

use super::{ExecError, Outcomes, StepReport};
use crate::mesh::Partition;
use crate::ranks::{Ranks, text_of, words_of};

/// Words of a step's report.
const REPORT: usize = 4;

/// What a rank alone knows until the next [`Unshared::collect`].
#[derive(Default)]
pub(in crate::exec) struct Unshared {
    /// Which of the samples were taken here.
    pub sampled: Vec<bool>,
    /// The first error.
    pub failed: Option<ExecError>,
}

/// Aborts the run on all ranks if this rank's device has failed: the others would wait for its messages.
pub(in crate::exec) fn or_abort<T>(ranks: &Ranks, outcome: Result<T, ExecError>) -> Result<T, ExecError> {
    if let Err(ExecError::Device(message)) = &outcome
        && !ranks.is_solo()
    {
        ranks.abort(&format!("rank {}: {message}", ranks.rank().number));
    }
    outcome
}

/// Makes an outcome the same on all ranks: if any rank has failed, the error of the lowest patch.
pub(in crate::exec) fn agreed(ranks: &Ranks, outcome: Result<(), ExecError>) -> Result<(), ExecError> {
    if ranks.is_solo() {
        return outcome;
    }
    let first = ranks.first(outcome.err().as_ref(), ExecError::patch)?;
    first.map_or(Ok(()), |(_, error)| Err(error))
}

impl Unshared {
    /// Keeps the first error.
    pub fn note<T>(&mut self, ranks: &Ranks, outcome: Result<T, ExecError>) {
        if let Err(error) = or_abort(ranks, outcome) {
            self.failed.get_or_insert(error);
        }
    }

    /// Keeps an error until [`Unshared::collect`] reports it on all ranks. On a single rank it is returned at once, and so is the failure of a
    /// device or of communication.
    pub fn defer(&mut self, ranks: &Ranks, outcome: Result<(), ExecError>) -> Result<(), ExecError> {
        match or_abort(ranks, outcome) {
            Err(error) if !ranks.is_solo() && !matches!(error, ExecError::Device(_) | ExecError::Ranks(_)) => {
                self.failed.get_or_insert(error);
                Ok(())
            }
            outcome => outcome,
        }
    }

    /// Returns the first error kept, if there is one.
    pub fn take(&mut self) -> Result<(), ExecError> {
        self.failed.take().map_or(Ok(()), Err)
    }

    /// Appends the step reports and samples of all ranks: each rank has a part of every step, and one rank has each sample. `own`: this rank's,
    /// with the samples that it has taken; `num_eqn`: numbers of a sample.
    pub fn collect(
        &mut self,
        ranks: &Ranks,
        num_eqn: usize,
        own: &Outcomes,
        outcomes: &mut Outcomes,
    ) -> Result<(), ExecError> {
        let Outcomes { steps, samples } = own;
        let (sampled, failed) = (std::mem::take(&mut self.sampled), self.failed.take());
        let (num_steps, num_samples) = (steps.len(), sampled.len());
        let mut words: Vec<u64> = Vec::with_capacity(REPORT * num_steps + (num_eqn + 1) * num_samples);
        for report in steps {
            let broken = report.broken.map_or(u64::MAX, |k| k as u64);
            words.extend([report.courant.to_bits(), report.patch as u64, broken, u64::from(report.reverses)]);
        }
        let mut taken = samples.chunks_exact(num_eqn);
        for is_local in sampled {
            let values = if is_local { taken.next() } else { None };
            words.push(u64::from(is_local));
            words.extend((0..num_eqn).map(|m| values.map_or(0, |values| values[m].to_bits())));
        }
        let num_words = words.len();
        let text = failed.map_or(String::new(), |error| serde_json::to_string(&error).unwrap_or_default());
        words.extend(words_of(&text));
        let all = ranks.gather(&words)?;
        let errors =
            all.iter().filter_map(|words| serde_json::from_str::<ExecError>(&text_of(&words[num_words..])).ok());
        if let Some(error) = errors.min_by_key(ExecError::patch) {
            return Err(error);
        }
        for n in 0..num_steps {
            let report = |words: &Vec<u64>| {
                let [courant, patch, broken, reverses] = std::array::from_fn(|k| words[REPORT * n + k]);
                let broken = (broken != u64::MAX).then_some(broken as usize);
                StepReport { courant: f64::from_bits(courant), patch: patch as usize, broken, reverses: reverses != 0 }
            };
            outcomes.steps.push(all.iter().map(report).fold(StepReport::NONE, StepReport::or));
        }
        for n in 0..num_samples {
            let of_rank = |words: &'_ Vec<u64>| {
                let sample = &words[REPORT * num_steps + n * (num_eqn + 1)..][..num_eqn + 1];
                (sample[0] != 0).then(|| sample[1..].iter().map(|&bits| f64::from_bits(bits)).collect::<Vec<_>>())
            };
            let values = all.iter().find_map(of_rank);
            outcomes.samples.extend(values.expect("one rank has the patch that holds the gauge"));
        }
        Ok(())
    }
}

/// Sums of all patches, each gathered from the rank that owns it.
pub(in crate::exec) fn sums_of_all(
    ranks: &Ranks,
    partition: Option<&Partition>,
    mut sums: Vec<Vec<f64>>,
) -> Vec<Vec<f64>> {
    let Some(partition) = partition else { return sums };
    let here = partition.patches_of(ranks.rank().number);
    let own: Vec<u64> = here.flat_map(|k| &sums[k]).map(|sum| sum.to_bits()).collect();
    let num_eqn = sums.first().map_or(1, Vec::len);
    let all = ranks.gather(&own).unwrap_or_default();
    for (rank, words) in all.iter().enumerate() {
        for (k, bits) in partition.patches_of(rank).zip(words.chunks_exact(num_eqn)) {
            sums[k] = bits.iter().map(|&bits| f64::from_bits(bits)).collect();
        }
    }
    sums
}
