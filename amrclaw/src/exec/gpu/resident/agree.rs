//! Outcomes and errors of each rank's own patches, shared among all ranks: see [`agree`].

use super::{Machine, ResidentExecutor};
use crate::exec::step::agree;
use crate::exec::{ExecError, Outcomes};
use tracing::debug;

impl<const D: usize, N: Machine> ResidentExecutor<D, N> {
    /// Keeps the first error until it can be returned.
    pub(super) fn note<T>(&mut self, outcome: Result<T, ExecError>) {
        self.unshared.note(&self.ranks, outcome);
    }

    /// Keeps an error until the next [`Executor::collect`](crate::exec::Executor::collect), which tells it to all ranks.
    pub(super) fn defer_error(&mut self, outcome: Result<(), ExecError>) -> Result<(), ExecError> {
        self.unshared.defer(&self.ranks, outcome)
    }

    /// If the device has failed, ends the run on all ranks.
    pub(super) fn or_abort<T>(&self, outcome: Result<T, ExecError>) -> Result<T, ExecError> {
        agree::or_abort(&self.ranks, outcome)
    }

    /// All ranks agree once on how messages go from device to device.
    pub(super) fn agree_on_devices(&mut self) -> Result<(), ExecError> {
        if self.links.sends_from_device.is_none() {
            self.ranks.poll_longer();
            let all = self.ranks.gather(&[u64::from(self.ranks.reaches_devices())])?;
            self.links.sends_from_device = Some(all.iter().all(|words| words[0] != 0));
            if !self.ranks.is_solo() && !self.ranks.share_process() {
                self.find_peer_access()?;
            }
            debug!(peer_access = self.ranks.all_have_peer_access(), by_mpi = ?self.links.sends_from_device, "messages");
        }
        Ok(())
    }

    /// Collects the outcomes of steps and samples on all ranks.
    pub(super) fn collect_from_all(&mut self, outcomes: &mut Outcomes) -> Result<(), ExecError> {
        let mut own = Outcomes::default();
        self.reports.collect(&self.machine, &mut own)?;
        let checked = self.check_refused();
        self.defer_error(checked)?;
        self.unshared.collect(&self.ranks, self.sizes.num_eqn, &own, outcomes)
    }
}
