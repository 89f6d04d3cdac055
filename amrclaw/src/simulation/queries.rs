//! What a simulation tells of itself: times, counts, memory.

use super::{Gauge, Simulation, StepLimit};
use crate::diagnose::{Counts, LevelCounts, Stopwatch};
use crate::exec::{DeviceUse, HostWork, MemoryUse};
use crate::mesh::Hierarchy;

impl<const D: usize> Simulation<D> {
    /// Time.
    pub fn time(&self) -> f64 {
        self.time
    }

    /// Time at the start.
    pub fn start(&self) -> f64 {
        self.settings.start
    }

    /// The step that the next coarse step will try.
    pub fn dt_next(&self) -> f64 {
        self.next.dt
    }

    /// The longest step that the coarsest level may take, and whether the case gives it; `None` without a limit.
    pub fn dt_max(&self) -> Option<(f64, bool)> {
        self.next.limits.longest.is_finite().then_some((self.next.limits.longest, self.next.limits.is_given))
    }

    /// What limits the step that the next coarse step will try.
    pub fn dt_limit(&self) -> StepLimit {
        self.next.limited_by
    }

    /// The mesh.
    pub fn hierarchy(&self) -> &Hierarchy<D> {
        &self.hierarchy
    }

    /// Steps, cells and patches so far.
    pub fn counts(&self) -> &Counts {
        &self.work.counts
    }

    /// Largest Courant number of the last step of the coarsest level, its finer levels' steps included.
    pub fn last_courant(&self) -> f64 {
        self.work.last_courant
    }

    /// Work on each level's steps that were taken again, which [`Simulation::counts`] leaves out: those of rejected steps of the coarsest
    /// level, and those that a device was ordered to take by a wrong expectation.
    pub fn repeated(&self) -> &[LevelCounts] {
        &self.work.repeated
    }

    /// Time spent so far.
    pub fn stopwatch(&self) -> &Stopwatch {
        &self.work.stopwatch
    }

    /// Time spent so far, for callers that book their own time.
    pub fn stopwatch_mut(&mut self) -> &mut Stopwatch {
        &mut self.work.stopwatch
    }

    /// The gauges.
    pub fn gauges(&self) -> &[Gauge<D>] {
        &self.gauges
    }

    /// Names of the equations' quantities.
    pub fn equations(&self) -> &[String] {
        &self.names.equations
    }

    /// Names of the auxiliary values.
    pub fn aux(&self) -> &[String] {
        &self.names.aux
    }

    /// Number of threads.
    pub fn threads(&self) -> usize {
        self.crew.threads.current_num_threads()
    }

    /// Memory for values.
    pub fn memory(&self) -> MemoryUse {
        self.exec.usage().memory
    }

    /// Largest number of bytes so far of one copy of the states of all levels, ghost cells included.
    pub fn most_state_bytes(&self) -> usize {
        self.work.most_state_bytes
    }

    /// What a device has been used for; `None` without one.
    pub fn device_use(&self) -> Option<DeviceUse> {
        self.exec.usage().device
    }

    /// Work that the host has done although a device takes the steps.
    pub fn host_work(&self) -> Vec<HostWork> {
        self.device_use().map_or_else(Vec::new, |device| device.host)
    }
}
