//! What can be asked of the values that an executor holds.

use super::{DeviceUse, ExecError, HostMemory, HostValues, LevelState};
use crate::index::Level;
use crate::plan::LevelPlans;
use unstructured::adapt::Leaves;

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

/// What an executor has used so far.
#[derive(Clone, Debug, PartialEq)]
pub struct Usage {
    /// Memory for values.
    pub memory: MemoryUse,
    /// What a device has been used for; `None` where there is none.
    pub device: Option<DeviceUse>,
}

/// What is made of the values of a level, and then of levels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reduction {
    /// Sum of each equation over the cells of all ranks that finer levels do not cover, times cell volume (and capacity).
    Totals,
    /// The largest of each of the problem's [`extremes`](crate::physics::Problem::extremes) in this rank's cells that finer levels do not cover; NaN
    /// if there is one, −∞ without cells.
    Extremes,
    /// The largest absolute value of each equation in this rank's own cells, whatever covers them; NaN is passed over.
    Largest,
}

impl Reduction {
    /// Joins the values of another level to those so far, of which there are none at first.
    pub(in crate::exec) fn join(self, of_level: &[f64], values: &mut Vec<f64>) {
        if values.is_empty() {
            values.resize(of_level.len(), if self == Reduction::Extremes { f64::NEG_INFINITY } else { 0.0 });
        }
        for (value, &other) in values.iter_mut().zip(of_level) {
            *value = match self {
                Reduction::Totals => *value + other,
                Reduction::Extremes => larger(*value, other),
                Reduction::Largest => value.max(other),
            };
        }
    }
}

/// Reduces the values of all levels, whose plans these are. Of [`Reduction::Totals`] integrals over the composite grid: the finest cells at
/// each place.
///
/// # Errors
/// As for [`Queries::reduce`].
pub fn reduce_levels<const D: usize>(
    exec: &(impl Queries<D> + ?Sized),
    what: Reduction,
    plans: &[LevelPlans<D>],
    values: &mut Vec<f64>,
) -> Result<(), ExecError> {
    values.clear();
    (0..plans.len()).try_for_each(|l| exec.reduce(what, Level(l as u8), plans.get(l + 1), values))
}

/// A patch of a level, and a cell of it.
pub type CellInPatch<const D: usize> = (usize, [i32; D]);

/// Queries of the values of all levels, and of the memory that holds them. No query changes a value.
pub trait Queries<const D: usize>: Send + Sync {
    /// The error of the last step of a level, whose result on `patch` is invalid: the first cell that holds a NaN, an infinity or a
    /// state that the solver does not allow, in the step's input, ghost cells included, then in its intermediate states, then in its result.
    fn find_failure(&self, level: Level, patch: usize) -> ExecError;

    /// The leaves that the executor has made, if it has.
    ///
    /// # Errors
    /// The device fails.
    fn leaves(&self) -> Result<Option<Leaves>, ExecError> {
        Ok(None)
    }

    /// A copy of a level's interior on the host.
    fn snapshot(&self, level: Level) -> LevelState<D>;

    /// The values of cells of this rank's patches of a level: of each those of all equations, then the auxiliary values.
    ///
    /// # Errors
    /// The device fails.
    fn values_in_cells(&self, level: Level, cells: &[CellInPatch<D>]) -> Result<Vec<f64>, ExecError>;

    /// The present values of a level where they lie; `None` if that is not the host's memory.
    fn host_values(&self, _level: Level) -> Option<HostValues<'_, D>> {
        None
    }

    /// Gives away the memory that [`Queries::host_values`] has shown, to a caller that still reads it; the level continues with
    /// a copy. The values stay in place as long as the returned memory is kept.
    fn take_values(&mut self, _level: Level) -> Option<HostMemory> {
        None
    }

    /// Reduces a level's values, and joins the result to `values` of other levels, empty at first. A sum is NaN if its device has failed.
    ///
    /// # Errors
    /// The device fails.
    fn reduce(
        &self,
        what: Reduction,
        level: Level,
        finer: Option<&LevelPlans<D>>,
        values: &mut Vec<f64>,
    ) -> Result<(), ExecError>;

    /// What has been used. Waits for a device whose times are measured.
    fn usage(&self) -> Usage;
}

/// The larger of two numbers; NaN if one is.
pub fn larger(a: f64, b: f64) -> f64 {
    if a.is_nan() || a > b { a } else { b }
}
