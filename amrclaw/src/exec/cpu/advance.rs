//! One step of a level: source terms, sweeps, and the terms of the conservation fix.

use super::allowance::Stepped;
use super::boundary::{BoundaryContext, Outside};
use super::faces::ListedFaces;
use super::scratch::Scratch;
use super::source::{Ghosts, SourceLevel, Sources};
use super::store::{Register, StepArrays};
use super::tiles::TilePlan;
use super::update::TileSweep;
use super::{CpuExecutor, register, source};
use crate::exec::step::{
    Computes, FirstHalf, HostWorks, LevelCells, LevelSweep, Pass, Sweep, SweepEngine, SweepFunctions,
    source_after_waves, swept_scheme,
};
use crate::exec::{ExecError, StepReport};
use crate::fields::{Pool, Shared};
use crate::index::Level;
use crate::physics::{Boundary, SourceSplit, Split};
use crate::plan::LevelPlans;
use riemann::patch::{PatchSolver, Scheme};
use riemann::real::Scalar;
use std::time::Instant;

/// A step of a level in progress: all that its parts read or write.
struct LevelStep<'a, const D: usize, R: Scalar> {
    time: f64,
    dt: f64,
    /// As in [`TileArgs`](riemann::patch::TileArgs).
    free: f64,
    /// Plans of all levels.
    plans: &'a [LevelPlans<D>],
    tiles: &'a TilePlan,
    /// The faces to the coarser level.
    faces: Option<&'a ListedFaces<D>>,
    /// The faces to the finer level, and what the conservation fix keeps of them.
    finer: Option<(&'a ListedFaces<D>, &'a mut Register<R>)>,
    cells: LevelCells<'a, D>,
    /// The engine applies the source terms too: those before the sweeps, those after them.
    sources_by_engine: [bool; 2],
    /// Ghost cells outside the domain.
    outside: Outside<'a, D>,
    /// The time of the auxiliary values that the engine fills in the first sweep, if it fills them.
    aux_at: Option<f64>,
    scheme: Scheme,
    sweeps: &'a [Sweep],
    engine: Option<&'a dyn SweepEngine<D, R>>,
    solver: &'a dyn PatchSolver<R>,
    scratch: &'a Scratch<R>,
    aside: &'a Scratch<R>,
    source_split: SourceSplit,
    sources: SourceLevel<'a, D, R>,
    /// The sources in the coarser level's cells.
    coarse_sources: Option<Sources<'a, D, R>>,
    arrays: StepArrays<'a, R>,
    /// Intermediate states of the step; the first is free to be written.
    stages: [Shared<'a, R>; 2],
    /// Records what source terms cost on the host, if an engine sweeps.
    host_works: &'a HostWorks,
    /// Every sweep but the first updates the new state in place, and only source terms use `stages`.
    sweeps_in_place: bool,
}

impl<const D: usize, R: Scalar> LevelStep<'_, D, R> {
    /// Takes the step.
    fn take(mut self) -> Result<StepReport, ExecError> {
        let time = self.time;
        let mut outcome = StepReport::NONE;
        let next = self.arrays.next;
        let mut input = self.arrays.q;
        let first_half = (self.source_split == SourceSplit::Strang).then_some((time, 0.5 * self.dt));
        self.keep_source_cells(first_half);
        first_half.into_iter().for_each(|when| self.advance_source_cells(when));
        self.send_source_cells()?;
        let [before_by_engine, after_by_engine] = self.sources_by_engine;
        if self.source_split == SourceSplit::Strang && !before_by_engine {
            let stage = self.stages[0];
            source::copy(input, stage, self.sources.layout.len(self.sources.sources.num_eqn));
            // SAFETY: the stage is ours alone.
            let found = unsafe { self.apply_sources(stage, Some((self.outside, input)), time, 0.5 * self.dt) };
            // The sweeps find what is not finite.
            outcome.reverses = found.reverses;
            input = stage;
            self.stages.swap(0, 1);
        }
        let (from, duration) = source_after_waves(self.source_split, time, self.dt);
        let last = self.sweeps.len() - 1;
        for n in 0..=last {
            let output = if n == last || self.sweeps_in_place { next } else { self.stages[0] };
            let before = before_by_engine && n == 0 && self.source_split == SourceSplit::Strang;
            let after = after_by_engine && n == last && duration > 0.0;
            let beside = SweepFunctions {
                aux_at: self.aux_at.filter(|_| n == 0),
                source_before: before.then_some([time, 0.5 * self.dt]),
                source_after: after.then_some([from, duration]),
            };
            outcome = self.sweep((n, beside), input, output)?.or(outcome);
            input = output;
            self.stages.swap(0, 1);
        }
        if duration > 0.0 {
            self.advance_source_cells((from, duration));
        }
        if duration > 0.0 && !after_by_engine {
            // SAFETY: the new state is ours alone.
            outcome = outcome.or(unsafe { self.apply_sources(next, None, from, duration) });
        }
        self.keep_from_debts()?;
        Ok(outcome)
    }

    /// Returns to coarse cells what the step may not take from them, and notes what finer steps may take from the level's cells.
    fn keep_from_debts(&mut self) -> Result<(), ExecError> {
        let (sources, level) = (&self.sources.sources, self.cells.level);
        let stepped = Stepped {
            kept: self.solver.transfers().unwrap_or_default(),
            layout: self.sources.layout,
            q: self.arrays.next,
            aux: self.arrays.aux,
            num_eqn: sources.num_eqn,
            num_aux: sources.num_aux,
            capacity: usize::try_from(self.scheme.capacity).ok(),
            dx: sources.geometry.dx,
        };
        if stepped.kept.is_empty() {
            return Ok(());
        }
        if let Some(faces) = self.faces {
            let register = &mut *self.arrays.register;
            self.engine.map_or(Ok(()), |engine| engine.fetch_register(level, [&mut register.sums, &mut []]))?;
            register.return_excess(faces, self.finer.as_ref().map(|(finer, _)| *finer), &stepped);
            self.engine.map_or(Ok(()), |engine| engine.put_register(level, [&register.sums, &[]]))?;
        }
        if let Some((faces, register)) = &mut self.finer {
            self.engine.map_or(Ok(()), |engine| engine.fetch_register(level + 1, [&mut register.sums, &mut []]))?;
            register.note_allowances(faces, &stepped);
        }
        Ok(())
    }

    /// Keeps the coarse cells beside the finer level. `before_waves`: time and duration of the sources that act before the sweeps.
    fn keep_source_cells(&mut self, before_waves: Option<(f64, f64)>) {
        let SourceLevel { sources, layout, aux, .. } = &self.sources;
        if let Some((faces, register)) = &mut self.finer
            && !register.source_cells.is_empty()
        {
            register.keep_source_cells(&faces.plan, sources, layout, [self.arrays.q, *aux], before_waves);
        }
    }

    /// Advances the coarse cells beside the level by the sources.
    fn advance_source_cells(&mut self, when: (f64, f64)) {
        if let (Some(faces), Some(sources)) = (self.faces, &self.coarse_sources)
            && !self.arrays.register.source_cells.is_empty()
        {
            self.arrays.register.advance_source_cells(&faces.plan, sources, self.sources.layout, when);
        }
    }

    /// Sends them to an engine, which sums up the fix's terms.
    fn send_source_cells(&self) -> Result<(), ExecError> {
        let (Some(engine), Some(faces)) = (self.engine, self.faces) else { return Ok(()) };
        match &self.arrays.register.source_cells[..] {
            [] => Ok(()),
            cells => {
                let states = 2 * self.sources.sources.num_eqn * faces.plan.num_slots;
                engine.put_source_cells(self.cells.level, &cells[..states])
            }
        }
    }

    /// Applies the source terms.
    ///
    /// # Safety
    /// As for [`SourceLevel::apply`].
    unsafe fn apply_sources(&self, q: Shared<'_, R>, ghosts: Option<Ghosts<'_, D, R>>, t: f64, dt: f64) -> StepReport {
        let start = Instant::now();
        // SAFETY: the caller's promise.
        let found = unsafe { self.sources.apply(q, ghosts, t, dt) };
        if self.engine.is_some() {
            let cells = self.sources.layout.patches.iter().map(|patch| patch.cells.volume()).sum();
            self.host_works.note("source", cells, start);
        }
        found
    }

    /// Sweep `n` of the step, with its terms of the conservation fix and what an engine computes along with it (`beside`).
    fn sweep(
        &mut self,
        (n, beside): (usize, SweepFunctions),
        input: Shared<'_, R>,
        output: Shared<'_, R>,
    ) -> Result<StepReport, ExecError> {
        let Sources { num_eqn, num_aux, geometry, .. } = self.sources.sources;
        let (layout, sources) = (self.sources.layout, &self.sources);
        let first_half = (self.time, 0.5 * self.dt);
        let act = |cell: i32, state: &mut [R]| {
            sources.apply_in_place_of(std::array::from_fn(|d| if d == 0 { cell } else { 0 }), state, first_half);
        };
        let has_acted = n == 0 && self.source_split == SourceSplit::Strang && beside.source_before.is_none();
        let context = LevelSweep {
            layout,
            input,
            output,
            aux: self.arrays.aux,
            num_aux,
            num_eqn,
            dt: self.dt,
            dx: geometry.dx_in_space(),
            free: self.free,
            sweep: self.sweeps[n],
            sharing_faces: self.scheme.sharing_faces,
            first_half: has_acted.then_some(FirstHalf { before: self.arrays.q, act: &act }),
        };
        if let Some(engine) = self.engine {
            let (level, cells) = (self.cells.level, self.cells);
            let pass =
                Pass { level, number: n, sweeps: self.sweeps, plans: self.plans, cells, beside, time: self.time };
            return engine.update_all(&context, &pass);
        }
        let kept = Shared::new(self.arrays.kept);
        let tiles = TileSweep {
            level: &context,
            solver: self.solver,
            scheme: self.scheme,
            kept,
            kept_stride: self.tiles.num_slots(),
        };
        let gather = register::Gather {
            sweeps: self.sweeps,
            sweep: n,
            dt: self.dt * self.sweeps[n].fraction,
            kept,
            tiles: self.tiles,
            layout,
            q: input,
            aux: self.arrays.aux,
            num_aux,
            num_eqn,
            solver: self.solver,
            scratch: self.scratch,
        };
        // A sweep in place that also updates ghost cells along its own axes overwrites the ghost cells that it started from.
        let written = input.is_same(output) && (0..D).any(|d| self.sweeps[n].axes[d] && self.sweeps[n].grow[d] > 0);
        if let Some(faces) = self.faces.filter(|_| written) {
            gather.save_ghosts(faces, self.arrays.register);
        }
        let outcome = tiles.update_all(self.tiles, self.scratch, self.aside);
        if let Some((faces, register)) = &mut self.finer {
            gather.as_coarse(faces, register);
        }
        if let Some(faces) = self.faces {
            gather.as_fine(faces, self.arrays.register, written);
        }
        Ok(outcome)
    }
}

/// Allocates the intermediate states of a step.
fn make_stages<R: Scalar>(stages: &mut [Vec<R>], len: usize, pool: &mut Pool<R>) {
    for stage in stages.iter_mut().filter(|stage| stage.len() < len) {
        pool.give(std::mem::take(stage));
        *stage = pool.take(len);
    }
}

impl<const D: usize, R: Scalar> CpuExecutor<D, R> {
    /// True if sweeps may overwrite the ghost cells that they started from.
    pub(super) fn sweeps_over_ghosts(&self) -> bool {
        D > 2 && self.problem.split == Split::Strang && !self.problem.looks_beside
    }

    /// Which of the case's functions an engine computes.
    pub(super) fn engine_computes(&self) -> Computes {
        self.engine.as_ref().map_or(Computes::default(), |engine| engine.computes())
    }

    /// True if an engine applies the source terms before the sweeps, and after them. It cannot fill ghost cells outside the domain again,
    /// as must be done after the first half of Strang's splitting.
    fn sources_by_engine(&self) -> [bool; 2] {
        let sides = self.problem.boundary.as_flattened();
        let fills_none = sides.iter().all(|side| matches!(side, Boundary::Periodic));
        let computes = self.engine_computes().source;
        [computes && (fills_none || self.problem.source_split != SourceSplit::Strang), computes]
    }

    /// True if an engine fills auxiliary values that change with time during the sweep: nobody reads them before, and none of
    /// them must be checked.
    fn fills_aux_in_sweeps(&self) -> bool {
        let (computes, problem) = (self.engine_computes(), &self.problem);
        let changes = problem.aux.as_ref().is_some_and(|aux| aux.depends_on_time());
        let read_before = problem.applies_sources(self.solver.has_source())
            && (problem.conservation_fix || self.sources_by_engine() != [true; 2]);
        computes.aux && changes && !read_before && problem.positive_aux.is_empty()
    }

    pub(super) fn advance_level(
        &mut self,
        level: Level,
        plans: &[LevelPlans<D>],
        dt: f64,
    ) -> Result<StepReport, ExecError> {
        let l = level.index();
        let aux_in_sweeps = self.fills_aux_in_sweeps();
        match aux_in_sweeps {
            true => self.levels[l].aux_time = f64::NAN,
            false => {
                let refreshed = self.refresh_aux(level, self.levels[l].states.time + 0.5 * dt);
                self.unshared.defer(&self.ranks, refreshed)?;
            }
        }
        let sources_by_engine = self.sources_by_engine();
        let over_ghosts = self.sweeps_over_ghosts();
        let sources = |geometry| Sources::new(&self.problem, self.solver.as_ref(), geometry, &self.scratch.sources);
        let coarse_geometry = l.checked_sub(1).map(|coarse| self.levels[coarse].geometry);
        let (upto, finer) = self.levels.split_at_mut(l + 1);
        let store = &mut upto[l];
        let (layout, time, num_eqn) = (store.layout.clone(), store.states.time, store.num_eqn);
        let (geometry, mesh) = (store.geometry, store.mesh.clone());
        let context = BoundaryContext::new(&self.problem, &self.signs, store);
        let outside = Outside { plan: plans[l].ghost(), context };
        // A step in place needs that no finer level interpolates between its two states and that no patch reads what another has
        // written.
        let on_host = self.engine.is_none();
        let alone = on_host && finer.is_empty();
        let strang_source = usize::from(self.problem.source_split == SourceSplit::Strang && !sources_by_engine[0]);
        let num_stages = (self.sweeps.len() - 1 + strang_source).min(2);
        // What is beside a face must still be there when the face is solved again.
        let one_by_one = store.tiles.whole_patches && !self.problem.looks_beside;
        let in_place = alone && (num_stages > 0 || one_by_one);
        // In the plane Strang's sweeps keep the intermediate states, so that a failure can be located within the step.
        let kept_between = self.problem.split == Split::Strang && !over_ghosts;
        let sweeps_in_place = alone && one_by_one && self.sweeps.len() > 1 && !kept_between;
        let num_stages = if sweeps_in_place { strang_source } else { num_stages };
        self.swept_in_place = sweeps_in_place;
        make_stages(&mut self.stage[..num_stages], layout.len(num_eqn), &mut self.pool);
        let (tiles, faces) = (store.tiles.clone(), store.faces.clone());
        let arrays = store.arrays_of_step(in_place, &mut self.pool);
        let step = LevelStep {
            time,
            dt,
            free: self.problem.free_speed(dt, geometry.dx),
            plans,
            tiles: &tiles,
            faces: faces.as_deref(),
            finer: finer.first_mut().and_then(|store| store.faces.as_deref().zip(Some(&mut store.register))),
            cells: LevelCells { level: l, mesh: &mesh, layout: &layout, geometry },
            sources_by_engine,
            outside,
            aux_at: aux_in_sweeps.then_some(time + 0.5 * dt),
            scheme: swept_scheme(&self.problem),
            sweeps: &self.sweeps,
            engine: self.engine.as_deref(),
            solver: self.solver.as_ref(),
            scratch: &self.scratch.tiles,
            aside: &self.scratch.aside,
            source_split: self.problem.source_split,
            sources: SourceLevel {
                sources: sources(geometry),
                layout: &layout,
                mesh: &mesh,
                aux: arrays.aux,
                kept: arrays.source_cache,
            },
            coarse_sources: coarse_geometry.map(sources),
            arrays,
            stages: self.stage.each_mut().map(|stage| Shared::new(stage)),
            host_works: &self.host_works,
            sweeps_in_place,
        };
        let report = step.take()?;
        store.advance(in_place, dt);
        Ok(report)
    }
}
