// tidy: long because each verb of the executor is here
//! The executor on a GPU: all levels' values live in the device's memory; the host keeps integers.
//!
//! Each verb is one launch over a table of regions, which is made when a level's plans are new. The host waits for the
//! device at a regrid, for boxes or flags, and once per step of the coarsest level, for the Courant numbers.
//!
//! The host does what kernels do not: the user's functions that they cannot compute; Richardson's estimate; the search for a value that is
//! not finite; snapshots. A level is copied to the host for these and, where they change it, back: correct, but slow.
//!
//! The arithmetic is that of the CPU executor, operation by operation: without fused multiply-adds, results agree to the bit.

mod advance;
mod agree;
mod boundaries;
mod branch;
mod cover_tags;
mod device_times;
mod early_counts;
mod exchange;
mod extremes;
mod fill;
mod flags;
mod functions;
mod gather;
mod gpu_machine;
mod host_tables;
mod initial;
mod join_flags;
mod leaves;
mod levels;
mod mesh_tables;
mod message_buffers;
mod motion;
mod motion_tables;
mod on_mesh;
mod plans;
mod precision;
mod probe;
mod reads;
mod refine;
mod shared_buffer;
mod source;
mod springs;
mod store;
mod strategy;
mod synchronize;
mod tiles;

pub use gpu_machine::GpuMachine;

use super::device::{CaseFunctions, Machine, Sides};
use crate::exec::cpu::CpuExecutor;
use crate::exec::cpu::host_copy::Host;
use crate::exec::step::agree::{Unshared, agreed};
use crate::exec::step::{Rollback, Sweep, levels_with_aux, sweeps};
use crate::exec::{
    CellInPatch, DevicePhase, DeviceUse, ExecError, Executor, FlagRequest, LeafMarks, LeavesMade, LevelState,
    MemoryUse, NewValues, Outcomes, Queries, Reduction, RefineRequest, Refinement, StepMode, Usage,
};
use crate::index::{Level, Ratio};
use crate::mesh::MeshEpoch;
use crate::physics::{Problem, SideSigns};
use crate::plan::{LevelPlans, MeshChange};
use crate::ranks::Ranks;
use cover_tags::ClusterMemory;
use cuda::CudaError;
use early_counts::EarlyCounts;
use gather::Reports;
use host_tables::Sizes;
use leaves::DeviceLeaves;
use levels::Replacement;
use message_buffers::Links;
use on_mesh::DeviceMesh;
use parking_lot::Mutex;
use precision::{SolverFacts, in_precision};
use riemann::patch::PatchSolver;
use riemann::real::Scalar;
use std::sync::Arc;
use std::time::Instant;
use store::DeviceLevel;
use strategy::Ways;
use tracing::debug;
use unstructured::adapt::Leaves;

/// Values of all levels in a device's memory.
pub struct ResidentExecutor<const D: usize, N: Machine> {
    /// Dropped first, which waits for the reads of other ranks' memory.
    machine: N,
    /// Does what only the host can do.
    host: Mutex<Box<dyn Host<D>>>,
    problem: Problem<D>,
    facts: SolverFacts,
    /// The problem's functions that kernels compute.
    functions: CaseFunctions,
    small: SmallTables<N::Memory>,
    /// Sides of the domain.
    sides: Sides<D>,
    sizes: Sizes,
    ratios: Vec<Ratio<D>>,
    split: SplitStep<N>,
    levels: Vec<DeviceLevel<D, N>>,
    /// Levels replaced since the last [`Executor::prepare_steps`].
    rollback: Rollback<DeviceLevel<D, N>>,
    /// The mesh from a file, if the problem is on one.
    on_mesh: Option<DeviceMesh<N>>,
    /// Its leaves, once kernels renew them.
    leaves: Option<Box<DeviceLeaves<N>>>,
    epoch: MeshEpoch,
    reports: Reports<N>,
    /// This rank, and the others.
    ranks: Ranks,
    links: Links<N>,
    regrids: Regrids<D, N>,
    /// What other ranks do not know yet of this one, and the first error of a verb that returns none.
    unshared: Unshared,
}

/// Small arrays in a device's memory.
struct SmallTables<M> {
    /// The bits of [`SideSigns`].
    signs: M,
    /// Numbers that the criterion reads.
    flag_numbers: M,
    /// A word that kernels set if a function gives an invalid value.
    refused: M,
}

/// The parts of a step.
struct SplitStep<N: Machine> {
    sweeps: Vec<Sweep>,
    /// States between them, and their bytes.
    stage: [Option<(N::Memory, usize)>; 3],
}

/// What regrids keep.
struct Regrids<const D: usize, N: Machine> {
    /// Memory for clustering, from the first time that the device makes boxes.
    cluster_memory: Option<ClusterMemory<N::Memory>>,
    /// Plans of the newest boxes, whose items are being counted.
    early_counts: Option<EarlyCounts<D, N>>,
    /// Buffer for the joined flags of all ranks.
    flag_words: Vec<u64>,
    /// Which ways they have gone.
    ways: Ways,
}

impl From<CudaError> for ExecError {
    fn from(error: CudaError) -> Self {
        let mut message = error.to_string();
        let mut cause = std::error::Error::source(&error);
        while let Some(error) = cause {
            message += &format!(": {error}");
            cause = error.source();
        }
        ExecError::Device(message)
    }
}

impl<const D: usize, N: Machine> ResidentExecutor<D, N> {
    /// An executor on a machine whose kernels are those of `solver` and `problem`. `threads`: of the host, in whose pool
    /// it must then be called.
    ///
    /// # Errors
    /// If there is not enough memory.
    pub fn new<R: Scalar>(
        machine: N,
        problem: Problem<D>,
        solver: Arc<dyn PatchSolver<R>>,
        ratios: Vec<Ratio<D>>,
        threads: usize,
    ) -> Result<Self, ExecError> {
        let sizes = Sizes::of(&problem, solver.as_ref());
        let bits = SideSigns::new(&problem.boundary, solver.groups(), sizes.num_eqn);
        let signs = machine.allocate(sizes.num_eqn)?;
        machine.upload(bits.bits(), &signs, 0)?;
        let text = solver.device_source();
        let functions = text.map_or_else(CaseFunctions::default, |text| CaseFunctions::of(&problem, &text));
        Ok(ResidentExecutor {
            split: SplitStep { sweeps: sweeps::<D>(problem.split, problem.looks_beside), stage: [None, None, None] },
            small: SmallTables {
                signs,
                flag_numbers: functions.send_flag_numbers(&machine)?,
                refused: machine.allocate(size_of::<u32>())?,
            },
            functions,
            sides: Sides::of(&problem),
            rollback: Rollback::new(ratios.len() + 1),
            levels: Vec::new(),
            on_mesh: DeviceMesh::of::<D, R>(&machine, &problem, sizes.num_eqn)?,
            leaves: None,
            epoch: MeshEpoch::default(),
            reports: Reports::new(&machine, sizes.num_eqn)?,
            ranks: Ranks::default(),
            links: Links::new(Ranks::default()),
            regrids: Regrids {
                cluster_memory: None,
                early_counts: None,
                flag_words: Vec::new(),
                ways: Ways::default(),
            },
            unshared: Unshared::default(),
            facts: SolverFacts::of(solver.as_ref()),
            host: Mutex::new(Box::new(CpuExecutor::new(problem.clone(), solver, ratios.clone(), threads))),
            machine,
            problem,
            sizes,
            ratios,
        })
    }

    /// The same for one of several ranks, which has the values of its own patches alone.
    pub fn on_rank(mut self, ranks: Ranks) -> Self {
        // What the host does, it does for this rank.
        self.host.get_mut().set_ranks(ranks.clone());
        ResidentExecutor { links: Links::new(ranks.clone()), ranks, ..self }
    }
}

impl<const D: usize, N: Machine> ResidentExecutor<D, N> {
    /// Goes on without values with the problem on another mesh from a file.
    fn put_on(&mut self, problem: &Problem<D>) -> Result<(), ExecError> {
        let springs = self.on_mesh.take().and_then(DeviceMesh::into_springs);
        let (machine, num_eqn) = (&self.machine, self.sizes.num_eqn);
        let mesh = in_precision!(self.sizes.precision, R => DeviceMesh::of::<D, R>(machine, problem, num_eqn))?;
        self.on_mesh = mesh.map(|mesh| mesh.with_springs(springs));
        self.leaves = None;
        self.levels.clear();
        self.rollback = Rollback::new(self.ratios.len() + 1);
        self.problem = problem.clone();
        Ok(())
    }

    /// Returns to the saved states. `back`: the change to their mesh.
    fn restore(&mut self, back: &MeshChange<'_, D>) {
        let forgotten = self.reports.forget(&self.machine).map_err(ExecError::from);
        self.note(forgotten);
        self.unshared.sampled.clear();
        self.rollback.restore(&mut self.levels, |store| store.states.restore());
        self.begin_change(back);
        let outcome = self.make_fix(back, false);
        self.note(outcome);
    }
}

impl<const D: usize, N: Machine> Executor<D> for ResidentExecutor<D, N> {
    fn adopt(&mut self, change: &mut MeshChange<'_, D>, values: NewValues<'_, D>) -> Result<(), ExecError> {
        self.machine.enter(DevicePhase::Regrid);
        if matches!(values, NewValues::Saved) {
            self.restore(change);
            return Ok(());
        }
        let clock = Instant::now();
        let moved = values.are_transferred();
        self.agree_on_devices()?;
        let new = self.plan_change(change, moved);
        let new = self.or_abort(new)?;
        let planned = clock.elapsed();
        self.begin_change(change);
        let placed = if moved { self.place_levels(change, new) } else { Ok(Vec::new()) };
        let replaced = self.or_abort(placed)?;
        let filled = self.fill_new_levels(change, values, &replaced);
        let filled = agreed(&self.ranks, self.or_abort(filled));
        if filled.is_ok() {
            let outcome = self.make_fix(change, moved);
            self.note(outcome);
        }
        // Old levels are dropped only when the device's work has been enqueued.
        let replaced = replaced.into_iter().filter_map(|Replacement { level, old, .. }| Some((level, old?)));
        replaced.for_each(|(level, old)| self.retire_level(level.index(), old));
        filled?;
        self.truncate(change.hierarchy().finest().finer());
        debug!(?planned, filled = ?clock.elapsed() - planned, "adopted");
        Ok(())
    }

    fn renew_leaves(&mut self, marks: &LeafMarks<'_>) -> Result<LeavesMade, ExecError> {
        self.machine.enter(DevicePhase::Regrid);
        let made = self.renew_leaves_by_kernels(marks);
        self.or_abort(made)
    }

    fn fill_ghosts(&mut self, level: Level, plans: &LevelPlans<D>) -> Result<(), ExecError> {
        plans.assert_epoch(self.epoch);
        self.machine.enter(DevicePhase::Ghost);
        let (time, transfers) = (self.levels[level.index()].states.time, self.sizes.transfers);
        let refreshed = levels_with_aux(level, transfers).try_for_each(|level| self.refresh_aux(level, time));
        self.defer_error(refreshed)?;
        let filled = self.fill_level(level, plans);
        let filled = self.or_abort(filled);
        self.defer_error(filled)
    }

    fn advance(&mut self, level: Level, plans: &[LevelPlans<D>], dt: f64) -> Result<(), ExecError> {
        plans[level.index()].assert_epoch(self.epoch);
        self.machine.enter(DevicePhase::Advance);
        let advanced = self.advance_level(level, plans, dt);
        self.or_abort(advanced)
    }

    fn collect(&mut self, outcomes: &mut Outcomes) -> Result<(), ExecError> {
        self.machine.enter(DevicePhase::Regrid);
        let expected = self.expect_flags();
        self.or_abort(expected)?;
        self.machine.enter(DevicePhase::Other);
        if !self.ranks.is_solo() {
            let collected = self.collect_from_all(outcomes);
            return self.or_abort(collected);
        }
        self.unshared.take()?;
        self.reports.collect(&self.machine, outcomes)?;
        self.check_refused()
    }

    fn prepare_steps(&mut self, keep_admissible: bool, moved: Option<&Problem<D>>) -> Result<StepMode, ExecError> {
        moved.map_or(Ok(()), |problem| self.put_on(problem))?;
        self.problem.keep_admissible(keep_admissible);
        let mode = self.host.get_mut().take_over(keep_admissible, moved);
        self.rollback.begin(self.levels.len()).for_each(drop);
        self.levels.iter_mut().for_each(|store| store.states.save());
        if let Some(reduced) = &self.problem.reduced {
            let parameters: Vec<f64> = reduced.values().collect();
            self.or_abort(self.machine.set_parameters(&parameters).map_err(ExecError::from))?;
        }
        Ok(StepMode { works_ahead: true, ..mode })
    }

    fn set_time(&mut self, level: Level, time: f64) {
        self.levels[level.index()].states.time = time;
    }

    fn reflux(&mut self, fine: Level, plans: &LevelPlans<D>) {
        plans.assert_epoch(self.epoch);
        self.machine.enter(DevicePhase::Reflux);
        if plans.has_faces() {
            let outcome = self.reflux_level(fine);
            self.note(outcome);
        }
    }

    fn average_down(&mut self, fine: Level, plans: &LevelPlans<D>) {
        plans.assert_epoch(self.epoch);
        self.machine.enter(DevicePhase::Average);
        let outcome = self.average_level(fine);
        self.note(outcome);
    }

    fn renew_aux(&mut self, level: Level, flags: Option<FlagRequest<'_, D>>) -> Result<(), ExecError> {
        if flags.is_some() {
            self.machine.enter(DevicePhase::Regrid);
        }
        let refreshed = self.refresh_aux(level, self.levels[level.index()].states.time);
        self.defer_error(refreshed)?;
        let asked = flags.map_or(Ok(()), |request| self.enqueue_flags(level, request));
        self.or_abort(asked)
    }

    fn refine(&mut self, request: RefineRequest<'_, D>) -> Result<Refinement<D>, ExecError> {
        self.machine.enter(DevicePhase::Regrid);
        let refined = self.refine_levels(&request);
        match self.or_abort(refined)? {
            Some(boxes) => Ok(Refinement::Boxes(boxes)),
            None => {
                let flags = request.flags_of(|level, dt| self.flag_level(level, dt));
                self.or_abort(flags)
            }
        }
    }

    fn sample(&mut self, level: Level, patch: usize, position: [f64; D]) {
        self.machine.enter(DevicePhase::Other);
        let outcome = self.sample_patch(level, patch, position);
        self.note(outcome);
    }
}

impl<const D: usize, N: Machine> Queries<D> for ResidentExecutor<D, N> {
    fn find_failure(&self, level: Level, patch: usize) -> ExecError {
        let is_local = self.levels[level.index()].layout.patches[patch].is_local;
        let found = || self.failure_of_step(level, patch).unwrap_or_else(|error| error);
        let found = self.or_abort(if is_local { Err(found()) } else { Ok(()) });
        agreed(&self.ranks, found).expect_err("a rank has the patch")
    }

    fn snapshot(&self, level: Level) -> LevelState<D> {
        self.machine.enter(DevicePhase::Output);
        self.level_state(level)
    }

    fn leaves(&self) -> Result<Option<Leaves>, ExecError> {
        self.machine.enter(DevicePhase::Output);
        self.or_abort(self.fetch_leaves())
    }

    fn values_in_cells(&self, level: Level, cells: &[CellInPatch<D>]) -> Result<Vec<f64>, ExecError> {
        self.machine.enter(DevicePhase::Output);
        self.or_abort(self.gather_cells(level, cells))
    }

    fn reduce(
        &self,
        what: Reduction,
        level: Level,
        finer: Option<&LevelPlans<D>>,
        values: &mut Vec<f64>,
    ) -> Result<(), ExecError> {
        self.machine.enter(DevicePhase::Other);
        let found = match what {
            Reduction::Totals => Ok(self.level_totals(level, finer)),
            Reduction::Extremes => self.level_extremes(level, finer),
            Reduction::Largest => self.level_largest(level),
        };
        what.join(&self.or_abort(found)?, values);
        Ok(())
    }

    fn usage(&self) -> Usage {
        let (device, executor) = (self.machine.usage(), self.host.lock());
        let host = executor.usage().memory;
        let pinned = device.pinned.held as usize;
        let memory = MemoryUse {
            held: [pinned + host.held[0], device.memory.held as usize],
            peak: [pinned + host.peak[0], device.memory.peak as usize],
            states: self.levels.iter().map(DeviceLevel::buffer_bytes).sum(),
            allocations: device.driver_allocations() + host.allocations,
        };
        let (phase_seconds, host) = (self.machine.phase_seconds(), executor.works().all());
        let regrids = self.regrids.ways.all();
        Usage { memory, device: Some(DeviceUse { phase_seconds, host, regrids, ..device }) }
    }
}
