//! The conservation fix and averaging down.

use super::store::Register;
use super::{Machine, ResidentExecutor};
use crate::exec::ExecError;
use crate::exec::device::{FaceMap, FaceMapPlace, axes, pointer};
use crate::index::Level;
use crate::plan::{LevelPlans, MeshChange, RefluxPlan};
use cuda::amr::kernels::{AVERAGE_DOWN, FACE_MAP, NUMBER_FACES, REFLUX};
use cuda::amr::{AverageArgs, FaceMapArgs, RefluxArgs};
use riemann::real::Scalar;

impl<const D: usize, R: Scalar, N: Machine> ResidentExecutor<D, R, N> {
    /// Makes what the plans of a change ask for where they are new: tables, room for the corrections that the fix keeps, and the maps
    /// of the faces whose these are.
    pub(super) fn make_fix(&mut self, change: &MeshChange<'_, D>) -> Result<(), ExecError> {
        let plans = change.plans();
        for (l, plans) in plans.iter().enumerate() {
            self.make_tables(Level(l as u8), plans)?;
        }
        for l in 0..plans.len() {
            let new = [l, l + 1].map(|l| change.replaces_faces(l));
            if new.contains(&true) {
                let around = [l, l + 1].map(|l| plans.get(l).and_then(|plans| plans.reflux.as_deref()));
                self.make_registers(l, around, new[0])?;
                self.make_map(l, around)?;
            }
        }
        Ok(())
    }

    /// Room for what the level's sweeps keep, and if the faces to the coarser level are `new` for what the fix sums up there.
    fn make_registers(
        &mut self,
        l: usize,
        [own, finer]: [Option<&RefluxPlan<D>>; 2],
        new: bool,
    ) -> Result<(), ExecError> {
        let store = &mut self.levels[l];
        store.num_kept = own.map_or(0, RefluxPlan::num_fine) + finer.map_or(0, RefluxPlan::num_slots);
        let number = self.sizes.number;
        let room = |numbers: usize| self.machine.allocate((numbers * number).max(1));
        store.kept = Some(room(self.sizes.num_eqn * store.num_kept)?);
        if let Some(plan) = own.filter(|_| new) {
            let (slots, values) = (plan.num_slots(), self.sizes.num_eqn + self.sizes.num_aux);
            let sums = room(self.sizes.num_eqn * slots)?;
            let coarse_cells = room(self.sweeps.len() * values * slots)?;
            store.register = Some(Register { sums, coarse_cells });
        }
        Ok(())
    }

    fn make_map(&mut self, l: usize, plans: [Option<&RefluxPlan<D>>; 2]) -> Result<(), ExecError> {
        let store = &self.levels[l];
        if plans.iter().all(Option::is_none) {
            self.levels[l].map = None;
            return Ok(());
        }
        let num_fine = plans[0].map_or(0, RefluxPlan::num_fine);
        let map = FaceMap::new(&self.machine, store.map_words, store.num_kept, num_fine)?;
        self.mark_faces(l, &map, plans, false)?;
        // SAFETY: the map has a base for each of its words.
        unsafe { self.machine.run(&NUMBER_FACES, D, store.mesh.patches().len(), &map.numbering(store.patches()))? };
        self.mark_faces(l, &map, plans, true)?;
        self.levels[l].map = Some(map);
        Ok(())
    }

    /// Marks the faces of a level that its update keeps, or notes their slots once they are `numbered`.
    fn mark_faces(
        &self,
        l: usize,
        map: &FaceMap<N>,
        plans: [Option<&RefluxPlan<D>>; 2],
        numbered: bool,
    ) -> Result<(), ExecError> {
        let FaceMapPlace { words, bases, slots } = map.place();
        for (k, owner) in [l, l + 1].into_iter().enumerate().filter(|&(k, _)| plans[k].is_some()) {
            let tables = self.levels[owner].tables.as_ref().expect("made with the plans");
            let args = FaceMapArgs {
                runs: tables.runs.items::<_, N>(&tables.memory),
                chunks: tables.runs.chunks::<N>(&tables.memory),
                patches: self.levels[l].patches(),
                words,
                bases,
                slots,
                num_chunks: tables.runs.num_chunks,
                chunk_cells: tables.runs.chunk_cells,
                fine: u32::from(k == 0),
                first_slot: map.num_fine as u32,
                numbered: u32::from(numbered),
                ratio: axes(self.ratios[owner - 1].0, 1),
            };
            // SAFETY: the runs lie along this level's patches; the map has room for all their faces.
            unsafe { self.machine.run(&FACE_MAP, D, tables.runs.num_chunks as usize, &args)? };
        }
        Ok(())
    }

    pub(super) fn reflux_level(&mut self, fine: Level, plan: &RefluxPlan<D>) -> Result<(), ExecError> {
        // What came of the steps so far is known once they are done, whatever follows.
        self.reports.mark(&self.machine)?;
        let (coarse, fine) = (&self.levels[fine.index() - 1], &self.levels[fine.index()]);
        let (Some(tables), Some(register), Some(map)) = (&fine.tables, &fine.register, &coarse.map) else {
            return Ok(());
        };
        let FaceMapPlace { words, bases, slots } = map.place();
        let args = RefluxArgs {
            runs: tables.runs.items::<_, N>(&tables.memory),
            chunks: tables.runs.chunks::<N>(&tables.memory),
            patches: coarse.patches(),
            q: coarse.q_address(),
            aux: coarse.aux_address(),
            sums: pointer::<_, N>(&register.sums, 0),
            words,
            bases,
            slots,
            dx: coarse.geometry.dx_in_space(),
            num_chunks: tables.runs.num_chunks,
            chunk_cells: tables.runs.chunk_cells,
            num_slots: plan.num_slots() as u32,
            first_kept: map.num_fine as u32,
        };
        // SAFETY: register and map are those of the plan; each coarse cell is written by one lane.
        unsafe { self.machine.run(&REFLUX, D, tables.runs.num_chunks as usize, &args)? };
        Ok(())
    }

    pub(super) fn average_level(&mut self, fine: Level, plans: &LevelPlans<D>) -> Result<(), ExecError> {
        self.reports.mark(&self.machine)?;
        let Some(plan) = &plans.restrict else { return Ok(()) };
        let (coarse, fine) = (&self.levels[fine.index() - 1], &self.levels[fine.index()]);
        let tables = fine.tables.as_ref().expect("made with the plans");
        let args = AverageArgs {
            regions: tables.restrict.items::<_, N>(&tables.memory),
            chunks: tables.restrict.chunks::<N>(&tables.memory),
            coarse_patches: coarse.patches(),
            fine_patches: fine.patches(),
            coarse: coarse.q_address(),
            fine: fine.q_address(),
            coarse_aux: coarse.aux_address(),
            fine_aux: fine.aux_address(),
            weight: 1.0 / f64::from(plan.ratio.cells()),
            num_chunks: tables.restrict.num_chunks,
            chunk_cells: tables.restrict.chunk_cells,
            ratio: axes(plan.ratio.0, 1),
        };
        // SAFETY: the regions lie in the coarse and the fine level's patches; each coarse cell is in one.
        unsafe { self.machine.run(&AVERAGE_DOWN, D, tables.restrict.num_chunks as usize, &args)? };
        Ok(())
    }
}
