//! One step of a level: source terms, sweeps over tiles, and what the conservation fix keeps of them.

use super::machine::bytes_of;
use super::store::pointer;
use super::tables;
use super::{CudaExecutor, Machine};
use crate::exec::ExecError;
use crate::exec::cpu::update::{Sweep, source_after_waves};
use crate::index::Level;
use crate::physics::SourceSplit;
use crate::plan::{LevelPlans, RefluxPlan};
use ::cuda::Grid;
use ::cuda::abi::{Pointer, Real};
use ::cuda::regions::{BLOCKS_PER_PATCH, RegisterArgs, SOURCE, SourceArgs};
use ::cuda::update::{self, PatchReport, UpdateArgs};
use riemann::real::Scalar;

/// An array of states that a part of a step reads or writes.
#[derive(Clone, Copy)]
enum Array {
    /// The level's present state.
    Present,
    /// What becomes its next one.
    Next,
    /// A state in between.
    Stage(usize),
}

/// What the sweeps of a step share.
#[derive(Clone, Copy)]
struct Step {
    level: Level,
    dt: f64,
    reports: Pointer<PatchReport>,
}

/// The name of the update that sweeps some axes.
pub(super) fn update_name(axes: [bool; 3]) -> &'static str {
    match axes {
        [true, true, _] => "update_xy",
        [true, ..] => "update_x",
        _ => "update_y",
    }
}

impl<const D: usize, R: Scalar, N: Machine> CudaExecutor<D, R, N> {
    pub(super) fn advance_level(&mut self, level: Level, plans: &[LevelPlans<D>], dt: f64) -> Result<(), ExecError> {
        let l = level.index();
        self.refresh_aux(level, 0.5 * dt)?;
        let reports = self.reports.begin(&self.machine, self.levels[l].mesh.patches().len())?;
        self.make_arrays(l)?;
        let step = Step { level, dt, reports };
        let (time, source_split) = (self.levels[l].time, self.problem.source_split);
        let mut input = Array::Present;
        let mut stage = 0;
        if source_split == SourceSplit::Strang {
            self.apply_source(step, [input, Array::Stage(stage)], true, time, 0.5 * dt)?;
            input = Array::Stage(stage);
            stage = 1 - stage;
        }
        for n in 0..self.sweeps.len() {
            let output = if n + 1 == self.sweeps.len() { Array::Next } else { Array::Stage(stage) };
            self.sweep(step, n, input, output)?;
            if let Some(finer) = plans.get(l + 1).and_then(|plans| plans.reflux.as_deref()) {
                self.register(step, n, input, finer, false)?;
            }
            if let Some(own) = plans[l].reflux.as_deref() {
                self.register(step, n, input, own, true)?;
            }
            input = output;
            stage = 1 - stage;
        }
        let (after_from, after_for) = source_after_waves(source_split, time, dt);
        if after_for > 0.0 {
            let broken = self.apply_source(step, [Array::Next; 2], false, after_from, after_for)?;
            self.reports.note_broken(broken);
        }
        self.levels[l].advance(dt);
        Ok(())
    }

    /// Fills auxiliary values afresh before a step, if they change with time: at the middle of the step.
    fn refresh_aux(&mut self, level: Level, half_step: f64) -> Result<(), ExecError> {
        if self.problem.aux.as_ref().is_some_and(|aux| aux.depends_on_time()) {
            let time = self.levels[level.index()].time + half_step;
            self.fill_aux(level, time)?;
        }
        Ok(())
    }

    /// Makes the arrays that a step of a level writes.
    fn make_arrays(&mut self, l: usize) -> Result<(), ExecError> {
        let store = &mut self.levels[l];
        store.next(&self.machine)?;
        let bytes = store.buffer_bytes();
        let strang_source = usize::from(self.problem.source_split == SourceSplit::Strang);
        let wanted = (self.sweeps.len() - 1 + strang_source).min(2);
        for stage in &mut self.stage[..wanted] {
            if stage.as_ref().is_none_or(|(_, held)| *held < bytes) {
                *stage = Some((self.machine.allocate(bytes)?, bytes));
            }
        }
        Ok(())
    }

    fn memory(&self, l: usize, array: Array) -> &N::Memory {
        match array {
            Array::Present => self.levels[l].q(),
            Array::Next => self.levels[l].made_next(),
            Array::Stage(k) => &self.stage[k].as_ref().expect("made before the step").0,
        }
    }

    fn address(&self, l: usize, array: Array) -> Pointer<Real> {
        pointer::<Real, N>(self.memory(l, array), 0)
    }

    fn sweep(&mut self, step: Step, n: usize, input: Array, output: Array) -> Result<(), ExecError> {
        let l = step.level.index();
        let (store, sweep) = (&self.levels[l], self.sweeps[n]);
        let Sweep { axes, fraction, .. } = sweep;
        let dt = step.dt * fraction;
        let (tiles, num_tiles) = store.tiles(n);
        let map = store.map.as_ref();
        let args = UpdateArgs {
            patches: store.update_patches(),
            tiles,
            taps: Pointer::NULL,
            reports: step.reports,
            q: self.address(l, input),
            q_next: self.address(l, output),
            aux: store.aux_address(),
            tap_values: store.taps.as_ref().map_or(Pointer::NULL, |taps| pointer::<_, N>(taps, 0)),
            tap_stride: store.num_taps as u64,
            map_words: map.map_or(Pointer::NULL, |map| pointer::<_, N>(&map.words, 0)),
            map_slots: map.map_or(Pointer::NULL, |map| pointer::<_, N>(&map.slots, 0)),
            map_cells: store.layout.num_cells_with_ghosts() as u64,
            dt_over_dx: dt / store.dx[0],
            dt_over_dy: dt / store.dx.get(1).copied().unwrap_or(1.0),
            num_tiles: num_tiles as i32,
            num_ghost: self.sizes.num_ghost,
        };
        let name = match map {
            Some(_) => update_name(axes),
            None => super::hardware::without_taps(update_name(axes)),
        };
        // SAFETY: tiles are those of the level's patches and disjoint; every slot of the taps has one face.
        unsafe { self.machine.launch(name, update::grid(num_tiles), &args)? };
        Ok(())
    }

    /// What the conservation fix keeps of a sweep. `fine`: the level is the finer one of the plan's two.
    fn register(
        &mut self,
        step: Step,
        n: usize,
        input: Array,
        plan: &RefluxPlan<D>,
        fine: bool,
    ) -> Result<(), ExecError> {
        let l = step.level.index();
        let store = &self.levels[l];
        let finer = if fine { store } else { &self.levels[l + 1] };
        let (Some(tables), Some(register), Some(taps)) = (&finer.tables, &finer.register, &store.taps) else {
            unreachable!("tables, registers and taps are made with the plans");
        };
        let bits = |axes: [bool; 3]| (0..D).map(|d| u32::from(axes[d]) << d).sum::<u32>();
        let before: u32 = self.sweeps[..n].iter().map(|s| bits(s.axes)).fold(0, |a, b| a | b);
        let [ratio_x, ratio_y] = tables::ratios(plan.ratio);
        let own_fine = store.map.as_ref().and_then(|map| map.plans[0].as_ref()).map_or(0, |plan| plan.num_fine());
        let args = RegisterArgs {
            runs: tables.runs.items::<_, N>(&tables.memory),
            chunks: tables.runs.chunks::<N>(&tables.memory),
            patches: store.patches(),
            q: self.address(l, input),
            aux: store.aux_address(),
            taps: pointer::<_, N>(taps, 0),
            sums: pointer::<_, N>(&register.sums, 0),
            coarse_cells: pointer::<_, N>(&register.coarse_cells, 0),
            dt: step.dt * self.sweeps[n].fraction,
            num_chunks: tables.runs.num_chunks,
            chunk_cells: tables.runs.chunk_cells,
            num_slots: plan.num_slots() as u32,
            tap_stride: store.num_taps as u32,
            first_tap: own_fine as u32,
            sweep: n as u32,
            swept: bits(self.sweeps[n].axes),
            first_sweep: !before,
            ratio_x,
            ratio_y,
        };
        let kernel = if fine { "register_fine" } else { "register_coarse" };
        // SAFETY: the runs lie along this level's patches; register and taps are those of the plan.
        unsafe { self.machine.launch(kernel, tables.runs.grid(), &args)? };
        Ok(())
    }

    /// Lets the solver's own source act.
    fn apply_solver_source(
        &self,
        step: Step,
        [from, to]: [Array; 2],
        ghosts: bool,
        t: f64,
        dt: f64,
    ) -> Result<(), ExecError> {
        let l = step.level.index();
        let store = &self.levels[l];
        let along = |values: &[f64; D], d: usize, missing: f64| values.get(d).copied().unwrap_or(missing);
        let args = SourceArgs {
            patches: store.patches(),
            from: self.address(l, from),
            to: self.address(l, to),
            aux: store.aux_address(),
            reports: step.reports,
            lower_x: self.problem.domain.lower[0],
            lower_y: along(&self.problem.domain.lower, 1, 0.0),
            dx: store.dx[0],
            dy: along(&store.dx, 1, 1.0),
            t,
            dt,
            ghosts: u32::from(ghosts),
            padding: 0,
        };
        let blocks = store.mesh.patches().len() as u32 * BLOCKS_PER_PATCH;
        let grid = Grid { blocks: [blocks, 1, 1], threads: 128, shared_bytes: 0 };
        // SAFETY: arrays and patches are those of the level; each cell has one thread.
        unsafe { self.machine.launch(SOURCE, grid, &args)? };
        Ok(())
    }

    /// Lets the source terms act for a time `dt` from time `t` on the first array, on ghost cells too if `ghosts`; the
    /// result goes to the second. Answers the first patch that the host then finds not to be finite.
    fn apply_source(
        &mut self,
        step: Step,
        [from, to]: [Array; 2],
        ghosts: bool,
        t: f64,
        dt: f64,
    ) -> Result<Option<usize>, ExecError> {
        let level = step.level;
        let l = level.index();
        if self.problem.source.is_none() {
            if self.has_source {
                self.apply_solver_source(step, [from, to], ghosts, t, dt)?;
                return Ok(None);
            }
            if matches!((from, to), (Array::Next, Array::Next)) {
                return Ok(None);
            }
        }
        self.mirror_levels(level);
        let mut host = self.host.lock();
        self.fetch(self.memory(l, from), host.mirrored_q(level))?;
        if let Some(aux) = &self.levels[l].aux {
            self.fetch(aux, host.mirrored_aux(level))?;
        }
        let broken = host.mirror_source(level, ghosts, t, dt);
        self.machine.upload(bytes_of(host.mirrored_q(level)), self.memory(l, to), 0)?;
        Ok(broken)
    }
}
