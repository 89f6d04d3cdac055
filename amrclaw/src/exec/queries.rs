//! What can be asked of the values that an executor holds.

use super::{DeviceUse, ExecError, HostMemory, HostValues, HostWork, LevelState};
use crate::index::Level;
use crate::plan::LevelPlans;

/// Memory for values.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MemoryUse {
    /// Bytes held on the host and on the device.
    pub held: [usize; 2],
    /// The most so far.
    pub peak: [usize; 2],
    /// Bytes of one copy of the states of all levels, ghost cells included.
    pub states: usize,
    /// Number of times that memory had to be allocated.
    pub allocations: u64,
}

/// Queries of the values of all levels, and of the memory that holds them. No query changes a value.
pub trait Queries<const D: usize>: Send + Sync {
    /// True if it is expensive to wait for the outcome of each step: the driver then collects once per step of the coarsest level.
    fn works_ahead(&self) -> bool {
        false
    }

    /// The error of the last step of a level, whose result on `patch` is invalid: the first cell that holds a NaN, an infinity or a
    /// state that the solver does not allow, in the step's input, ghost cells included, then in its intermediate states, then in its result.
    fn find_failure(&self, level: Level, patch: usize) -> ExecError;

    /// False if the values are lost because their device has failed.
    fn is_readable(&self) -> bool {
        true
    }

    /// A copy of a level's interior on the host.
    fn snapshot(&self, level: Level) -> LevelState<D>;

    /// The present values of a level where they lie; `None` if that is not the host's memory.
    fn host_values(&self, _level: Level) -> Option<HostValues<'_, D>> {
        None
    }

    /// Gives away the memory that [`Queries::host_values`] has shown, to a caller that still reads it; the level continues with
    /// a copy. The values stay in place as long as the returned memory is kept.
    fn take_values(&mut self, _level: Level) -> Option<HostMemory> {
        None
    }

    /// Sum of each equation over a level's cells that finer levels do not cover, times cell volume (and capacity).
    fn totals(&self, level: Level, finer: Option<&LevelPlans<D>>) -> Vec<f64>;

    /// Integral of each equation over the composite grid: the finest cells at each place, weighted with the capacity. `plans`: those of
    /// all levels.
    fn composite_totals(&self, plans: &[LevelPlans<D>]) -> Vec<f64> {
        let mut totals: Vec<f64> = Vec::new();
        for l in 0..plans.len() {
            let part = self.totals(Level(l as u8), plans.get(l + 1));
            totals.resize(part.len(), 0.0);
            totals.iter_mut().zip(part).for_each(|(total, part)| *total += part);
        }
        totals
    }

    /// The largest of each of the problem's [`extremes`](crate::physics::Problem::extremes) in this rank's cells of a level that finer levels do
    /// not cover; NaN if there is one, −∞ without cells.
    ///
    /// # Errors
    /// The device fails.
    fn extremes(&self, level: Level, finer: Option<&LevelPlans<D>>) -> Result<Vec<f64>, ExecError>;

    /// Raises `largest` to the largest absolute value of each equation over all levels' own cells; NaN is passed over.
    ///
    /// # Errors
    /// The device fails.
    fn raise_to_largest(&self, largest: &mut [f64]) -> Result<(), ExecError>;

    /// The memory held for values.
    fn memory(&self) -> MemoryUse;

    /// What a device has been used for; `None` where there is none.
    fn device_use(&self) -> Option<DeviceUse> {
        None
    }

    /// What the host has computed although a device takes the steps; empty without a device.
    fn host_work(&self) -> Vec<HostWork> {
        Vec::new()
    }
}

/// The larger of two numbers; NaN if one is.
pub fn larger(a: f64, b: f64) -> f64 {
    if a.is_nan() || a > b { a } else { b }
}

/// Raises each number to the other's; NaN if one is.
pub fn raise(most: &mut [f64], values: &[f64]) {
    most.iter_mut().zip(values).for_each(|(most, &value)| *most = larger(*most, value));
}
