//! Outcomes and errors of each rank's own patches, shared among all ranks: see [`agree`].

use super::{Machine, ResidentExecutor};
use crate::exec::step::agree;
use crate::exec::{ExecError, Outcomes};
use riemann::real::Scalar;
use tracing::debug;

impl<const D: usize, R: Scalar, N: Machine> ResidentExecutor<D, R, N> {
    /// Keeps the first error until it can be returned.
    pub(super) fn note<T>(&mut self, outcome: Result<T, ExecError>) {
        if let Err(error) = self.or_abort(outcome) {
            self.failed.get_or_insert(error);
        }
    }

    /// Keeps an error until the next [`Executor::collect`], which tells it to all ranks. On a single rank it is returned at once, and so is
    /// the failure of a device or of communication.
    pub(super) fn defer_error(&mut self, outcome: Result<(), ExecError>) -> Result<(), ExecError> {
        match outcome {
            Err(ExecError::Device(_) | ExecError::Ranks(_)) => outcome,
            outcome => agree::defer_error(&self.ranks, &mut self.failed, outcome),
        }
    }

    /// If the device has failed, ends the run on all ranks.
    pub(super) fn or_abort<T>(&self, outcome: Result<T, ExecError>) -> Result<T, ExecError> {
        agree::or_abort(&self.ranks, outcome)
    }

    /// All ranks agree once on how messages go from device to device.
    pub(super) fn agree_on_devices(&mut self) -> Result<(), ExecError> {
        if self.ranks.is_solo() || self.has_agreed {
            return Ok(());
        }
        self.ranks.poll_longer();
        let all = self.ranks.gather(&[u64::from(self.ranks.reaches_devices())])?;
        self.sends_from_device = all.iter().all(|told| told[0] != 0);
        if !self.ranks.share_process() {
            self.find_peer_access()?;
        }
        self.has_agreed = true;
        debug!(all_have_peer_access = self.ranks.all_have_peer_access(), self.sends_from_device, "messages");
        Ok(())
    }

    /// Collects the outcomes of steps and samples on all ranks.
    pub(super) fn collect_from_all(&mut self, outcomes: &mut Outcomes) -> Result<(), ExecError> {
        let mut own = Outcomes::default();
        self.reports.collect(&self.machine, &mut own)?;
        let checked = self.check_boundaries();
        self.defer_error(checked)?;
        let num_eqn = self.sizes.num_eqn;
        let (sampled, mut rest) = (std::mem::take(&mut self.sampled), own.samples.chunks_exact(num_eqn));
        let nothing = vec![0.0; num_eqn];
        let values = |&is_local: &bool| if is_local { rest.next().unwrap_or(&nothing) } else { &nothing }.to_vec();
        let samples = sampled.iter().flat_map(values).collect();
        let (outcomes_here, failed) = (Outcomes { steps: own.steps, samples }, self.failed.take());
        agree::collect(
            &self.ranks,
            num_eqn,
            agree::UnsharedOutcomes { outcomes: outcomes_here, sampled, failed },
            outcomes,
        )
    }
}
