//! One step of a level: source terms, sweeps over tiles, and what the conservation fix keeps of them.
//!
//! The faces whose terms the fix needs are bits of a map that a kernel makes of the plans' runs. The update keeps only the second-order
//! corrections of these faces; the kernels that sum the fix up solve for their fluctuations again.

use super::{Machine, ResidentExecutor};
use crate::exec::gpu::device::{
    DeviceSweep, FaceMap, FaceMapPlace, RegisterPlace, UpdatePlace, pointer, tile_shape, update_name,
};
use crate::exec::step::source_after_waves;
use crate::exec::{ExecError, StepReport};
use crate::index::Level;
use crate::physics::SourceSplit;
use crate::plan::LevelPlans;
use cuda::abi::{Pointer, Real};
use cuda::amr::kernels::{REGISTER_COARSE, REGISTER_FINE};
use cuda::amr::{LevelView, PatchReport};
use std::mem::swap;

/// An array of states that a part of a step reads or writes.
#[derive(Clone, Copy)]
pub(super) enum Array {
    /// The level's present state.
    Present,
    /// The level's next state.
    Next,
    /// An intermediate state.
    Stage(usize),
}

/// What the sweeps of a step share.
#[derive(Clone, Copy)]
pub(super) struct Step {
    pub level: Level,
    pub dt: f64,
    pub reports: Pointer<PatchReport>,
}

/// Least number of patches for each tile that the device works on at once in a level that is swept in place: where memory matters. Smaller
/// levels keep what is needed to say in which cell a step has failed.
const PATCHES_PER_TILE: usize = 16;

impl<const D: usize, N: Machine> ResidentExecutor<D, N> {
    pub(super) fn advance_level(&mut self, level: Level, plans: &[LevelPlans<D>], dt: f64) -> Result<(), ExecError> {
        let l = level.index();
        let refreshed = self.refresh_aux(level, self.levels[l].states.time + 0.5 * dt);
        self.defer_error(refreshed)?;
        let reports = self.reports.begin(&self.machine, self.levels[l].mesh.patches().len())?;
        self.make_arrays(l)?;
        let step = Step { level, dt, reports };
        let (time, source_split) = (self.levels[l].states.time, self.problem.source_split);
        let mut input = Array::Present;
        let mut part = 0;
        if self.applies_sources() && plans.get(l + 1).is_some_and(LevelPlans::has_faces) {
            self.make_centres(level)?;
        }
        if source_split == SourceSplit::Strang {
            let output = Array::Stage(0);
            let found = self.apply_source(step, [input, output], (&plans[l], true), [time, 0.5 * dt])?;
            // The sweeps find what is not finite.
            self.reports.note(StepReport { broken: None, ..found });
            (input, part) = (output, 1);
        }
        match &self.on_mesh {
            Some(mesh) => self.advance_mesh(mesh, step, (input, part))?,
            None => self.advance_patches(step, (input, part), plans)?,
        }
        let (after_from, after_for) = source_after_waves(source_split, time, dt);
        if after_for > 0.0 {
            let found = self.apply_source(step, [Array::Next; 2], (&plans[l], false), [after_from, after_for])?;
            self.reports.note(found);
        }
        self.keep_from_debts(l, plans)?;
        self.levels[l].advance(dt);
        if plans.get(l + 1).is_some_and(LevelPlans::has_faces) {
            self.send_coarse_faces(level.finer())?;
        }
        Ok(())
    }

    /// Takes the sweeps of a step of the level's patches, from the states `input`, after so many parts of the step.
    fn advance_patches(
        &mut self,
        step: Step,
        (mut input, first): (Array, usize),
        plans: &[LevelPlans<D>],
    ) -> Result<(), ExecError> {
        let l = step.level.index();
        self.make_tiles(l)?;
        let (last, in_place) = (first + self.split.sweeps.len() - 1, self.levels[l].in_place);
        for n in 0..self.split.sweeps.len() {
            let output = match first + n {
                part if in_place => [Array::Stage(0), Array::Next][part % 2],
                part if part == last => Array::Next,
                part => Array::Stage(part % 2),
            };
            let (from, to) = (self.address(l, input), self.address(l, output));
            self.sweep(step, n, [from, to])?;
            if plans.get(l + 1).is_some_and(LevelPlans::has_faces) {
                self.register(step, n, from, false)?;
            }
            if plans[l].has_faces() {
                self.register(step, n, from, true)?;
            }
            input = output;
        }
        if let (Array::Stage(_), Some((stage, _))) = (input, &mut self.split.stage[0]) {
            // As large as the level's own arrays.
            swap(stage, self.levels[l].next_mut());
        }
        Ok(())
    }

    /// Recomputes auxiliary values that have changed, for a time.
    pub(super) fn refresh_aux(&mut self, level: Level, time: f64) -> Result<(), ExecError> {
        let known = self.levels[level.index()].aux_time;
        match self.problem.aux.as_ref().is_some_and(|aux| !aux.stays(known, time)) {
            true => self.fill_aux(level, time),
            false => Ok(()),
        }
    }

    /// Makes the arrays that a step of a level writes.
    ///
    /// A large level from whose old state no finer one interpolates is swept in place if there are several parts of the step: they write an
    /// intermediate array and the state's own in turn, and if the last writes the former, these are exchanged. Let three levels have shares 0.2,
    /// 0.3 and 0.5 of all values: the coarsest has two arrays, the next three, the finest two, and all share one of its size, 2.8 copies in all.
    fn make_arrays(&mut self, l: usize) -> Result<(), ExecError> {
        let store = &mut self.levels[l];
        let bytes = store.buffer_bytes();
        let strang_source = usize::from(self.problem.source_split == SourceSplit::Strang);
        let between = match &self.on_mesh {
            Some(mesh) => mesh.intermediate() + strang_source,
            None => self.split.sweeps.len() - 1 + strang_source,
        };
        let is_last = l == self.ratios.len() && between > 0 && self.on_mesh.is_none();
        let is_large = store.layout.here().count() >= PATCHES_PER_TILE * self.machine.resident_tiles() as usize;
        let can_exchange = self.split.stage[0].as_ref().is_none_or(|(_, held)| *held <= bytes);
        store.in_place = is_last && is_large && (between % 2 == 1 || can_exchange);
        let wanted = match self.on_mesh {
            Some(_) => between,
            None => between.min(if store.in_place { 1 } else { 2 }),
        };
        for stage in &mut self.split.stage[..wanted] {
            if stage.as_ref().is_none_or(|(_, held)| *held < bytes) {
                *stage = Some((self.machine.allocate(bytes)?, bytes));
            }
        }
        Ok(store.make_next(&self.machine)?)
    }

    pub(super) fn array(&self, l: usize, array: Array) -> &N::Memory {
        match array {
            Array::Present => self.levels[l].q(),
            Array::Next => self.levels[l].next(),
            Array::Stage(k) => &self.split.stage[k].as_ref().expect("made before the step").0,
        }
    }

    pub(super) fn address(&self, l: usize, array: Array) -> Pointer<Real> {
        pointer::<Real, N>(self.array(l, array), 0)
    }

    /// Sweep `number` of a step, which begins with the states `q`.
    fn device_sweep(&self, step: Step, number: usize, q: Pointer<Real>) -> DeviceSweep<'_> {
        let l = step.level.index();
        let store = &self.levels[l];
        DeviceSweep {
            sweeps: &self.split.sweeps,
            number,
            dt: step.dt,
            free: self.problem.free_speed(step.dt, store.geometry.dx),
            sharing_faces: self.problem.scheme.sharing_faces,
            view: LevelView { q, ..store.view() },
            kept: store.kept.as_ref().map_or(Pointer::NULL, |kept| pointer::<_, N>(kept, 0)),
            num_kept: store.num_kept,
            num_fine: store.map.as_ref().map_or(0, |map| map.num_fine),
        }
    }

    fn sweep(&self, step: Step, n: usize, [from, to]: [Pointer<Real>; 2]) -> Result<(), ExecError> {
        let l = step.level.index();
        let (store, sweep) = (&self.levels[l], self.split.sweeps[n]);
        let (tiles, num_tiles) = store.tiles().of_sweep::<N>(n);
        let map = store.map.as_ref();
        let faces = map.map_or(FaceMapPlace::NONE, FaceMap::place);
        let place = UpdatePlace { tiles, num_tiles, q_next: to, reports: step.reports };
        let dx = store.geometry.dx_in_space();
        let args = self.device_sweep(step, n, from).update(place, faces, dx, self.sizes.num_ghost);
        // SAFETY: tiles are those of the level's patches and disjoint; every slot of the kept ones has one face.
        unsafe {
            let grid = tile_shape(&sweep, self.sizes.num_eqn, self.sizes.precision).grid(num_tiles);
            self.machine.launch(update_name(sweep.axes, map.is_some()), grid, &args)?;
        }
        Ok(())
    }

    /// Adds the conservation fix's terms of a sweep that began with the states `from` to the register: `fine`: at the faces to the coarser
    /// level, else to the finer one.
    fn register(&self, step: Step, n: usize, from: Pointer<Real>, fine: bool) -> Result<(), ExecError> {
        let l = step.level.index();
        let store = &self.levels[l];
        let finer = if fine { store } else { &self.levels[l + 1] };
        let (Some(tables), Some(register), Some(_)) = (&finer.tables, &finer.register, &store.kept) else {
            unreachable!("tables, registers and room are made with the plans");
        };
        let runs = if fine { tables.runs.fine } else { tables.runs.coarse };
        let place = RegisterPlace {
            table: runs.runs::<N>(&tables.memory),
            sums: register.sums(),
            coarse_cells: register.coarse_cells(),
            source_cells: register.source_cells(),
            start: if self.applies_sources() { self.address(l, Array::Present) } else { Pointer::NULL },
            centres: store.centres.as_ref().map_or(Pointer::NULL, |centres| pointer::<_, N>(centres, 0)),
        };
        let ratio = self.ratios[if fine { l - 1 } else { l }];
        let args = self.device_sweep(step, n, from).register(place, tables.faces.coarse, ratio);
        let kernel = if fine { REGISTER_FINE } else { REGISTER_COARSE };
        // SAFETY: the runs lie along this level's patches; register and corrections are those of the plan.
        unsafe { self.machine.run(&kernel, D, runs.num_chunks as usize, &args)? };
        Ok(())
    }
}
