//! The host's part of an executor on a device, in whichever precision its numbers are: the executor is compiled once for both.

use crate::exec::cpu::CpuExecutor;
use crate::exec::cpu::failure::Searched;
use crate::exec::gpu::device::{bytes_of, bytes_of_mut};
use crate::exec::step::{HostWorks, LevelSpec};
use crate::exec::{ExecError, LevelState, Probe, StepMode, StepReport};
use crate::index::Level;
use crate::mesh::TagSet;
use crate::physics::Problem;
use crate::plan::{GhostPlan, RefluxPlan};
use crate::ranks::Ranks;
use riemann::axis::Axis;
use riemann::patch::{PACK_OVERRUN, PatchSolver};
use riemann::real::Scalar;

/// Evaluates an expression with a type's name as `f64` or `f32`.
macro_rules! in_precision {
    ($precision:expr, $real:ident => $value:expr) => {
        match $precision {
            riemann::real::Precision::F64 => {
                type $real = f64;
                $value
            }
            riemann::real::Precision::F32 => {
                type $real = f32;
                $value
            }
        }
    };
}
pub(super) use in_precision;

/// What a solver says of itself, in whichever precision.
pub(super) struct SolverFacts {
    /// For each auxiliary value the axis whose lower face it lives on.
    pub aux_face: Vec<Option<Axis>>,
    pub has_source: bool,
    /// Some quantities must be positive.
    pub has_positive: bool,
    /// Some must not be negative in data.
    pub has_nonnegative: bool,
}

impl SolverFacts {
    pub fn of<R: Scalar>(solver: &dyn PatchSolver<R>) -> Self {
        SolverFacts {
            aux_face: solver.aux_face().to_vec(),
            has_source: solver.has_source(),
            has_positive: !solver.positive().is_empty(),
            has_nonnegative: !solver.nonnegative().is_empty(),
        }
    }
}

/// The executor on the host's threads, which does what kernels cannot, on copies of levels. Arrays are the bytes of its numbers.
pub(super) trait Host<const D: usize>: Probe<D> + Send {
    fn set_ranks(&mut self, ranks: Ranks);
    fn works(&self) -> &HostWorks;
    fn take_over(&mut self, keep_admissible: bool, moved: Option<&Problem<D>>) -> StepMode;
    fn make_host_copy(&mut self, spec: LevelSpec<D>);
    fn q_of_copy(&mut self, level: Level) -> &mut [u8];
    fn aux_of_copy(&mut self, level: Level) -> &mut [u8];
    /// Makes a copy's states NaN.
    fn poison_copy(&mut self, level: Level);
    fn truncate(&mut self, first: Level);
    fn initialise_level(&mut self, spec: LevelSpec<D>) -> Result<(), ExecError>;
    fn load_level(&mut self, spec: LevelSpec<D>, state: &LevelState<D>) -> Result<(), ExecError>;
    fn fill_level_aux(&mut self, level: Level, time: f64) -> Result<(), ExecError>;
    fn check_filled(&self, level: Level) -> Result<(), ExecError>;
    fn flag_level(&mut self, level: Level, dt: f64) -> Result<TagSet<D>, ExecError>;
    fn failure_in_copy(&self, level: Level, patch: usize, cells: Searched, time: f64) -> Option<ExecError>;
    fn fill_outside_of_copy(
        &mut self,
        level: Level,
        plan: &GhostPlan<D>,
        before: Option<Vec<u8>>,
    ) -> Result<(), ExecError>;
    fn apply_source_to_copy(&mut self, level: Level, ghosts: Option<&GhostPlan<D>>, t: f64, dt: f64) -> StepReport;
    fn apply_source_in_places(&mut self, level: Level, cells_and_states: (&[u32], &mut [u8]), when: (f64, f64));
    fn advance_source_cells_of_copy(&mut self, fine: Level, plan: &RefluxPlan<D>, cells: &mut [u8], when: (f64, f64));
}

/// The numbers whose bytes these are, and `room` numbers more.
fn numbers_of<R: Scalar>(bytes: &[u8], room: usize) -> Vec<R> {
    let mut numbers = vec![R::default(); bytes.len() / R::BYTES + room];
    bytes_of_mut(&mut numbers)[..bytes.len()].copy_from_slice(bytes);
    numbers
}

impl<const D: usize, R: Scalar> Host<D> for CpuExecutor<D, R> {
    fn set_ranks(&mut self, ranks: Ranks) {
        self.set_ranks(ranks);
    }

    fn works(&self) -> &HostWorks {
        &self.host_works
    }

    fn take_over(&mut self, keep_admissible: bool, moved: Option<&Problem<D>>) -> StepMode {
        self.take_over(keep_admissible, moved)
    }

    fn make_host_copy(&mut self, spec: LevelSpec<D>) {
        self.make_host_copy(spec);
    }

    fn q_of_copy(&mut self, level: Level) -> &mut [u8] {
        bytes_of_mut(self.q_of_copy(level))
    }

    fn aux_of_copy(&mut self, level: Level) -> &mut [u8] {
        bytes_of_mut(self.aux_of_copy(level))
    }

    fn poison_copy(&mut self, level: Level) {
        self.q_of_copy(level).fill(R::from_f64(f64::NAN));
    }

    fn truncate(&mut self, first: Level) {
        self.truncate(first);
    }

    fn initialise_level(&mut self, spec: LevelSpec<D>) -> Result<(), ExecError> {
        self.initialise_level(spec)
    }

    fn load_level(&mut self, spec: LevelSpec<D>, state: &LevelState<D>) -> Result<(), ExecError> {
        self.load_level(spec, state)
    }

    fn fill_level_aux(&mut self, level: Level, time: f64) -> Result<(), ExecError> {
        self.fill_level_aux(level, time)
    }

    fn check_filled(&self, level: Level) -> Result<(), ExecError> {
        self.check_filled(level)
    }

    fn flag_level(&mut self, level: Level, dt: f64) -> Result<TagSet<D>, ExecError> {
        self.flag_level(level, dt)
    }

    fn failure_in_copy(&self, level: Level, patch: usize, cells: Searched, time: f64) -> Option<ExecError> {
        self.failure_in_copy(level, patch, cells, time)
    }

    fn fill_outside_of_copy(
        &mut self,
        level: Level,
        plan: &GhostPlan<D>,
        before: Option<Vec<u8>>,
    ) -> Result<(), ExecError> {
        self.fill_outside_of_copy(level, plan, before.map(|before| numbers_of(&before, 0)))
    }

    fn apply_source_to_copy(&mut self, level: Level, ghosts: Option<&GhostPlan<D>>, t: f64, dt: f64) -> StepReport {
        self.apply_source_to_copy(level, ghosts, t, dt)
    }

    fn apply_source_in_places(&mut self, level: Level, (cells, states): (&[u32], &mut [u8]), when: (f64, f64)) {
        let mut numbers = numbers_of(states, 0);
        self.apply_source_in_places(level, (cells, &mut numbers), when);
        states.copy_from_slice(bytes_of(&numbers));
    }

    fn advance_source_cells_of_copy(&mut self, fine: Level, plan: &RefluxPlan<D>, cells: &mut [u8], when: (f64, f64)) {
        let mut numbers = numbers_of(cells, PACK_OVERRUN);
        self.advance_source_cells_of_copy(fine, plan, &mut numbers, when);
        cells.copy_from_slice(&bytes_of(&numbers)[..cells.len()]);
    }
}
