//! The executor on CPU threads: rayon over patches, and over tiles of patches for the update.
//!
//! Every task writes only cells of its own patch or tile, or slots of its own faces, and reads only what no other task writes at the time;
//! so results do not depend on the number of threads.

mod advance;
mod allowance;
mod average_down;
mod boundary;
mod coarse_source;
mod debt;
mod exchange;
mod faces;
pub(in crate::exec) mod failure;
mod fill;
mod flag;
mod former_aux;
mod ghost;
pub(in crate::exec) mod host_copy;
mod in_place;
mod interpolate;
mod probe;
mod ready;
mod reduce;
mod regions;
mod register;
mod richardson;
mod scratch;
mod source;
mod source_cells;
mod source_step;
mod store;
mod tile;
mod tiles;
mod transfer;
mod transfer_variables;
mod update;

use super::step::agree::{Unshared, agreed, or_abort};
use super::step::{HostWorks, LevelSpec, Rollback, Sweep, SweepEngine, levels_with_aux, sweeps};
use super::{
    CellInPatch, DeviceUse, ExecError, Executor, FlagRequest, HostArray, HostMemory, HostValues, LevelState, MemoryUse,
    NewValues, Outcomes, Probe, Queries, Reduction, RefineRequest, Refinement, StepMode, Usage,
};
use crate::fields::Pool;
use crate::index::{Level, Ratio};
use crate::mesh::MeshEpoch;
use crate::physics::{Problem, SideSigns};
use crate::plan::{LevelPlans, MeshChange};
use crate::ranks::{MessageHeader, MessageKind, Ranks};
use former_aux::FormerAux;
use riemann::patch::PatchSolver;
use riemann::real::Scalar;
use scratch::Scratch;
use std::sync::Arc;
use store::LevelStore;

/// Values of all levels in host memory.
pub struct CpuExecutor<const D: usize, R: Scalar> {
    /// Declared before all arrays, hence dropped first: it unlocks their memory.
    pool: Pool<R>,
    /// Carries out the sweeps, if CPU threads do not.
    engine: Option<Box<dyn SweepEngine<D, R>>>,
    problem: Problem<D>,
    solver: Arc<dyn PatchSolver<R>>,
    /// Signs beyond the domain's sides.
    signs: SideSigns,
    num_ghost: i32,
    threads: usize,
    ratios: Vec<Ratio<D>>,
    levels: Vec<LevelStore<D, R>>,
    /// Levels replaced since the last [`Executor::prepare_steps`].
    rollback: Rollback<LevelStore<D, R>>,
    /// Auxiliary values of replaced levels, until the new ones are filled.
    former_aux: Vec<Option<FormerAux<D, R>>>,
    scratch: Scratches<R>,
    sweeps: Vec<Sweep>,
    /// Intermediate states of a split step.
    stage: [Vec<R>; 2],
    /// The sweeps of the last step were done in place, in the array of the new state: `stage` holds no states of it.
    swept_in_place: bool,
    epoch: MeshEpoch,
    outcomes: Outcomes,
    /// What other ranks do not know yet of this one.
    unshared: Unshared,
    /// This rank, and the others.
    ranks: Ranks,
    /// What the case's functions cost on the host, where threads do not take the steps.
    host_works: HostWorks,
}

/// Memory of threads.
struct Scratches<R> {
    /// For the update of tiles and the conservation fix.
    tiles: Scratch<R>,
    /// For rows and columns of tiles, while patches of several tiles are updated in place: see `in_place`.
    aside: Scratch<R>,
    /// For source terms.
    sources: Scratch<f64>,
}

impl<const D: usize, R: Scalar> CpuExecutor<D, R> {
    /// An executor for `threads` threads; it must be called from a rayon pool of that size.
    pub fn new(problem: Problem<D>, solver: Arc<dyn PatchSolver<R>>, ratios: Vec<Ratio<D>>, threads: usize) -> Self {
        let sweeps = sweeps::<D>(problem.split, problem.looks_beside);
        let register = register::scratch_len(solver.equations().len(), solver.aux().len());
        let tiles = Scratch::new(threads, solver.scratch_len().max(register));
        CpuExecutor {
            num_ghost: problem.num_ghost(),
            signs: SideSigns::new(&problem.boundary, solver.groups(), solver.equations().len()),
            threads,
            rollback: Rollback::new(ratios.len() + 1),
            former_aux: (0..=ratios.len()).map(|_| None).collect(),
            problem,
            solver,
            ratios,
            levels: Vec::new(),
            pool: Pool::new(),
            engine: None,
            scratch: Scratches { tiles, aside: Scratch::new(threads, 0), sources: Scratch::new(threads, 0) },
            sweeps,
            stage: [Vec::new(), Vec::new()],
            swept_in_place: false,
            epoch: MeshEpoch::default(),
            outcomes: Outcomes::default(),
            unshared: Unshared::default(),
            ranks: Ranks::default(),
            host_works: HostWorks::default(),
        }
    }

    /// The same executor as one of several ranks, with values of that rank's own patches only.
    pub fn on_rank(self, ranks: Ranks) -> Self {
        CpuExecutor { ranks, ..self }
    }

    /// A new executor whose sweeps `engine` carries out in place of CPU threads.
    pub(in crate::exec) fn with_engine(
        problem: Problem<D>,
        solver: Arc<dyn PatchSolver<R>>,
        ratios: Vec<Ratio<D>>,
        threads: usize,
        engine: Box<dyn SweepEngine<D, R>>,
    ) -> Self {
        let pool = engine.locks().map_or_else(Pool::new, Pool::locked);
        CpuExecutor { pool, engine: Some(engine), ..Self::new(problem, solver, ratios, threads) }
    }
}

impl<const D: usize, R: Scalar> CpuExecutor<D, R> {
    /// Replaces a level by one without values. Finer levels are dropped.
    fn begin_level(&mut self, spec: LevelSpec<D>) {
        self.truncate(spec.level);
        let store = self.new_store(spec);
        self.levels.push(store);
    }

    /// Replaces a level and fills it with exact initial data. Finer levels are dropped.
    pub(in crate::exec) fn initialise_level(&mut self, spec: LevelSpec<D>) -> Result<(), ExecError> {
        let (level, time) = (spec.level, spec.time);
        self.begin_level(spec);
        self.fill_initial(level)?;
        self.fill_level_aux(level, time)?;
        self.check_filled(level)
    }

    /// Replaces a level and fills it with the interior values of a state. Finer levels are dropped.
    pub(in crate::exec) fn load_level(&mut self, spec: LevelSpec<D>, state: &LevelState<D>) -> Result<(), ExecError> {
        let level = spec.level;
        self.begin_level(spec);
        self.load_state(level, state);
        self.fill_level_aux(level, state.time)
    }

    /// The header of a message of this kind and level.
    fn header(&self, kind: MessageKind, level: Level) -> MessageHeader {
        MessageHeader { kind, level: level.0, epoch: self.epoch.0 }
    }

    /// Gives the new levels of a change their values.
    fn fill_new_levels(&mut self, change: &MeshChange<'_, D>, values: NewValues<'_, D>) -> Result<(), ExecError> {
        match values {
            NewValues::Transferred => {
                for (level, plan, coarse) in change.transfers() {
                    if let Some(coarse) = coarse {
                        self.fill_ghosts(coarse, &change.plans()[coarse.index()])?;
                    }
                    let time = self.levels[level.index() - 1].states.time;
                    self.transfer_level(LevelSpec::of(change, level, time), plan)?;
                }
                // The caller shares it with all ranks.
                if self.ranks.is_solo() { Ok(()) } else { self.unshared.take() }
            }
            NewValues::Initial(time) => {
                change.new_levels().try_for_each(|level| self.initialise_level(LevelSpec::of(change, level, time)))
            }
            NewValues::OfLeaves => unreachable!("threads renew no leaves"),
            NewValues::Saved => unreachable!("returned to without new levels"),
            NewValues::Given(states) => change.new_levels().try_for_each(|level| {
                let (spec, state) = LevelSpec::given(change, level, states, self.ranks.rank().number);
                self.load_level(spec, &state)
            }),
        }
    }

    /// Returns to the saved states. `back`: the change to their mesh.
    fn restore(&mut self, back: &MeshChange<'_, D>) {
        self.outcomes.clear();
        self.unshared.sampled.clear();
        let gone = self.rollback.restore(&mut self.levels, |store| store.states.restore());
        gone.into_iter().for_each(|store| store.dismantle(&mut self.pool));
        self.make_ready(back);
    }

    /// Takes over what steps to come depend on, besides values: see [`Executor::prepare_steps`].
    pub(in crate::exec) fn take_over(&mut self, keep_admissible: bool, moved: Option<&Problem<D>>) -> StepMode {
        if let Some(problem) = moved {
            let mut engine = self.engine.take();
            engine.iter_mut().for_each(|engine| engine.put_on(problem));
            let (solver, ratios, ranks) = (self.solver.clone(), self.ratios.clone(), self.ranks.clone());
            *self = CpuExecutor { engine, ranks, ..CpuExecutor::new(problem.clone(), solver, ratios, self.threads) };
        }
        self.problem.keep_admissible(keep_admissible);
        StepMode { works_ahead: false, can_fall_back: self.solver.limits() }
    }

    /// Drops the levels from `first` on.
    pub(in crate::exec) fn truncate(&mut self, first: Level) {
        while self.levels.len() > first.index() {
            let store = self.levels.pop().expect("a level is left");
            self.retire_level(self.levels.len(), store);
        }
    }
}

impl<const D: usize, R: Scalar> Executor<D> for CpuExecutor<D, R> {
    fn adopt(&mut self, change: &mut MeshChange<'_, D>, values: NewValues<'_, D>) -> Result<(), ExecError> {
        if matches!(values, NewValues::Saved) {
            self.restore(change);
            return Ok(());
        }
        change.plan_while(values.are_transferred(), |_| ());
        self.epoch = change.hierarchy().epoch();
        let filled = self.fill_new_levels(change, values);
        agreed(&self.ranks, filled)?;
        self.truncate(change.hierarchy().finest().finer());
        self.make_ready(change);
        Ok(())
    }

    fn fill_ghosts(&mut self, level: Level, plans: &LevelPlans<D>) -> Result<(), ExecError> {
        plans.assert_epoch(self.epoch);
        let (time, transfers) = (self.levels[level.index()].states.time, self.solver.transfers().is_some());
        let refreshed = levels_with_aux(level, transfers).try_for_each(|level| self.refresh_aux(level, time));
        self.unshared.defer(&self.ranks, refreshed)?;
        self.fill_level(level, plans.ghost())?;
        let checked = self.check_boundaries(level, plans.ghost());
        self.unshared.defer(&self.ranks, checked)
    }

    fn advance(&mut self, level: Level, plans: &[LevelPlans<D>], dt: f64) -> Result<(), ExecError> {
        plans[level.index()].assert_epoch(self.epoch);
        let report = self.advance_level(level, plans, dt);
        self.outcomes.steps.push(or_abort(&self.ranks, report)?);
        let sent = match plans.get(level.index() + 1).and_then(LevelPlans::reflux) {
            Some(faces) => self.send_coarse_faces(level.finer(), faces),
            None => Ok(()),
        };
        or_abort(&self.ranks, sent)
    }

    fn collect(&mut self, outcomes: &mut Outcomes) -> Result<(), ExecError> {
        if self.ranks.is_solo() {
            self.unshared.take()?;
            self.outcomes.drain_into(outcomes);
            return Ok(());
        }
        let (own, num_eqn) = (std::mem::take(&mut self.outcomes), self.solver.equations().len());
        self.unshared.collect(&self.ranks, num_eqn, &own, outcomes)
    }

    fn prepare_steps(&mut self, keep_admissible: bool, moved: Option<&Problem<D>>) -> Result<StepMode, ExecError> {
        let mode = self.take_over(keep_admissible, moved);
        self.rollback.begin(self.levels.len()).for_each(|store| store.dismantle(&mut self.pool));
        self.levels.iter_mut().for_each(|store| store.states.save());
        if let (Some(engine), Some(reduced)) = (&self.engine, &self.problem.reduced) {
            or_abort(&self.ranks, engine.set_parameters(&reduced.values().collect::<Vec<_>>()))?;
        }
        Ok(mode)
    }

    fn set_time(&mut self, level: Level, time: f64) {
        self.levels[level.index()].states.time = time;
    }

    fn reflux(&mut self, fine: Level, plans: &LevelPlans<D>) {
        plans.assert_epoch(self.epoch);
        let Some(plan) = plans.reflux() else { return };
        if let Some(engine) = &self.engine {
            let sums = &mut self.levels[fine.index()].register.sums;
            let fetched = engine.fetch_register(fine.index(), [sums, &mut []]);
            if fetched.is_err() {
                return self.unshared.note(&self.ranks, fetched);
            }
        }
        let refluxed = self.reflux_level(fine, plan);
        self.unshared.note(&self.ranks, refluxed);
    }

    fn average_down(&mut self, fine: Level, plans: &LevelPlans<D>) {
        plans.assert_epoch(self.epoch);
        let averaged = plans.restrict().map_or(Ok(()), |plan| self.average_level(fine, plan));
        self.unshared.note(&self.ranks, averaged.map_err(ExecError::from));
    }

    fn renew_aux(&mut self, level: Level, _flags: Option<FlagRequest<'_, D>>) -> Result<(), ExecError> {
        let refreshed = self.refresh_aux(level, self.levels[level.index()].states.time);
        self.unshared.defer(&self.ranks, refreshed)
    }

    fn refine(&mut self, request: RefineRequest<'_, D>) -> Result<Refinement<D>, ExecError> {
        request.flags_of(|level, dt| self.flags(level, dt))
    }

    fn sample(&mut self, level: Level, patch: usize, position: [f64; D]) {
        if !self.ranks.is_solo() {
            let is_local = self.levels[level.index()].layout.patches[patch].is_local;
            self.unshared.sampled.push(is_local);
            if !is_local {
                return;
            }
        }
        let start = self.outcomes.samples.len();
        self.outcomes.samples.resize(start + self.solver.equations().len(), 0.0);
        let mut samples = std::mem::take(&mut self.outcomes.samples);
        self.sample_patch(level, patch, position, &mut samples[start..]);
        self.outcomes.samples = samples;
    }
}

impl<const D: usize, R: Scalar> Queries<D> for CpuExecutor<D, R> {
    fn find_failure(&self, level: Level, patch: usize) -> ExecError {
        let is_local = self.levels[level.index()].layout.patches[patch].is_local;
        let found = if is_local { Err(self.failure_of_step(level, patch)) } else { Ok(()) };
        agreed(&self.ranks, found).expect_err("a rank has the patch")
    }

    fn snapshot(&self, level: Level) -> LevelState<D> {
        self.level_state(level)
    }

    fn values_in_cells(&self, level: Level, cells: &[CellInPatch<D>]) -> Result<Vec<f64>, ExecError> {
        Ok(self.levels[level.index()].values_in_cells(cells, self.solver.aux().len()))
    }

    fn host_values(&self, level: Level) -> Option<HostValues<'_, D>> {
        let store = self.levels.get(level.index())?;
        let (q, aux) = (HostArray::new(store.q_array())?, HostArray::new(&store.aux)?);
        Some(HostValues { layout: &store.layout, q, aux })
    }

    fn take_values(&mut self, level: Level) -> Option<HostMemory> {
        let store = self.levels.get_mut(level.index())?;
        Some(HostMemory::new(store.take_values(&mut self.pool)))
    }

    fn reduce(
        &self,
        what: Reduction,
        level: Level,
        finer: Option<&LevelPlans<D>>,
        values: &mut Vec<f64>,
    ) -> Result<(), ExecError> {
        match (what, self.problem.extremes.as_deref()) {
            (Reduction::Totals, _) => what.join(&self.level_totals(level, finer), values),
            (Reduction::Extremes, Some(function)) => what.join(&self.level_extremes(level, finer, function), values),
            (Reduction::Extremes, None) => {}
            (Reduction::Largest, _) => {
                values.resize(self.solver.equations().len(), 0.0);
                values.iter_mut().enumerate().for_each(|(m, most)| *most = most.max(self.level_largest(level, m)));
            }
        }
        Ok(())
    }

    fn usage(&self) -> Usage {
        let device = self.engine.as_ref().and_then(|engine| engine.usage());
        let device = device.map(|device| DeviceUse { host: self.host_works.all(), ..device });
        let of_device = device.clone().unwrap_or_default();
        let other = self.other_bytes() + self.engine.as_ref().map_or(0, |engine| engine.host_bytes());
        let memory = MemoryUse {
            held: [self.pool.bytes() + other, of_device.memory.held as usize],
            peak: [self.pool.peak_bytes() + other, of_device.memory.peak as usize],
            states: self.levels.iter().map(|store| store.layout.len(store.num_eqn) * R::BYTES).sum(),
            allocations: self.pool.allocations() + of_device.driver_allocations(),
        };
        Usage { memory, device }
    }
}
