//! Access to ghost cells for checks, through the host.

use super::{Machine, ResidentExecutor};
use crate::exec::{ExecError, Flagged, PatchValues, Probe};
use crate::index::Level;

impl<const D: usize, N: Machine> Probe<D> for ResidentExecutor<D, N> {
    fn with_ghosts(&self, level: Level) -> Vec<PatchValues<D>> {
        self.fetch_level(level).expect("the device answers");
        self.host.lock().with_ghosts(level)
    }

    fn poison_ghosts(&mut self, level: Level) {
        self.fetch_level(level).expect("the device answers");
        let host = self.host.get_mut();
        host.poison_ghosts(level);
        let q = self.levels[level.index()].q();
        self.machine.upload(host.q_of_copy(level), q, 0).expect("the device answers");
    }

    fn flags(&mut self, level: Level, dt: f64) -> Result<Flagged<D>, ExecError> {
        self.flag_level(level, dt)
    }

    fn poison_new_arrays(&mut self) {
        self.host.get_mut().poison_new_arrays();
    }
}
