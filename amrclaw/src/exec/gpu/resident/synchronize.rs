//! The conservation fix and averaging down.

use super::advance::Array;
use super::store::Register;
use super::{Machine, ResidentExecutor};
use crate::exec::ExecError;
use crate::exec::gpu::device::{ExchangeTables, FaceCounts, FaceMap, FaceMapPlace, LevelTables, Overlap, axes};
use crate::index::Level;
use crate::plan::{LevelPlans, MeshChange};
use crate::ranks::{MessageHeader, MessageKind};
use cuda::CudaError;
use cuda::amr::kernels::{ALLOWANCES, AVERAGE_DOWN, FACE_MAP, NUMBER_FACES, REFLUX, RETURN_EXCESS, SETTLE_DEBTS};
use cuda::amr::{AllowanceArgs, AverageArgs, FaceMapArgs, LevelView, RefluxArgs};

/// Levels whose faces to the coarser or the finer level a change replaces, and whether it replaces those to the coarser level.
fn levels_with_new_faces<const D: usize>(change: &MeshChange<'_, D>) -> impl Iterator<Item = (usize, bool)> {
    let of_level = |l: usize| [l, l + 1].map(|l| change.replaces_faces(l));
    (0..change.plans().len())
        .map(move |l| (l, of_level(l)))
        .filter(|(_, new)| new.contains(&true))
        .map(|(l, new)| (l, new[0]))
}

impl<const D: usize, N: Machine> ResidentExecutor<D, N> {
    /// Makes the tables of a change's new plans, and allocates the corrections that the fix keeps and the maps of the kept faces, which
    /// [`Self::map_faces`] fills.
    pub(super) fn make_room_for_fix(&mut self, change: &MeshChange<'_, D>) -> Result<(), ExecError> {
        let plans = change.plans();
        for (l, plans) in plans.iter().enumerate() {
            self.make_tables(Level(l as u8), plans)?;
        }
        for (l, new) in levels_with_new_faces(change) {
            let around = [l, l + 1].map(|l| self.faces(plans, l));
            self.make_registers(l, around, new)?;
            let store = &mut self.levels[l];
            store.map = None;
            if around.iter().any(Option::is_some) {
                let num_fine = around[0].map_or(0, |faces| faces.fine);
                store.map = Some(FaceMap::new(&self.machine, store.map_words, store.num_kept, num_fine)?);
            }
        }
        Ok(())
    }

    /// Prepares the conservation fix at the new faces of a change. `beside`: memory has been allocated already, and the work runs concurrently
    /// with the transfers of values enqueued since.
    pub(super) fn make_fix(&mut self, change: &MeshChange<'_, D>, beside: bool) -> Result<(), ExecError> {
        if !beside {
            self.make_room_for_fix(change)?;
            return Ok(self.map_faces(change)?);
        }
        self.machine.in_branch(Overlap::Transfers, || self.map_faces(change))?;
        Ok(self.machine.join(Overlap::Transfers)?)
    }

    /// Fills the maps of the faces at which the fix acts. Their memory is allocated before.
    fn map_faces(&self, change: &MeshChange<'_, D>) -> Result<(), CudaError> {
        for (l, _) in levels_with_new_faces(change) {
            let store = &self.levels[l];
            let Some(map) = &store.map else { continue };
            let around = [l, l + 1].map(|l| self.faces(change.plans(), l));
            map.clear(&self.machine)?;
            self.mark_faces(l, map, around, false)?;
            // SAFETY: the map has a base for each of its words.
            unsafe { self.machine.run(&NUMBER_FACES, D, store.mesh.patches().len(), &map.numbering(store.patches()))? };
            self.mark_faces(l, map, around, true)?;
        }
        Ok(())
    }

    /// The faces between a level and the next coarser one, if the fix acts there.
    fn faces(&self, plans: &[LevelPlans<D>], l: usize) -> Option<FaceCounts> {
        plans.get(l).filter(|plans| plans.has_faces())?;
        Some(self.levels[l].tables.as_ref().expect("made with the plans").faces)
    }

    /// Allocates the corrections that the level's sweeps keep and, if the faces to the coarser level are `new`, the flux register there.
    fn make_registers(&mut self, l: usize, [own, finer]: [Option<FaceCounts>; 2], new: bool) -> Result<(), ExecError> {
        let store = &mut self.levels[l];
        store.num_kept = own.map_or(0, |faces| faces.fine) + finer.map_or(0, |faces| faces.coarse);
        let number = self.sizes.number;
        let room = |numbers: usize| self.machine.allocate((numbers * number).max(1));
        store.kept = Some(room(self.sizes.num_eqn * store.num_kept)?);
        if let Some(faces) = own.filter(|_| new) {
            let starts = self.sizes.register.map(|components| components * faces.coarse * number);
            store.register = Some(Register { memory: self.machine.allocate(starts[3].max(1))?, starts });
        }
        Ok(())
    }

    /// Marks the faces of a level that its update keeps, or notes their slots once they are `numbered`.
    fn mark_faces(
        &self,
        l: usize,
        map: &FaceMap<N>,
        faces: [Option<FaceCounts>; 2],
        numbered: bool,
    ) -> Result<(), CudaError> {
        let FaceMapPlace { words, bases, slots } = map.place();
        for (k, owner) in [l, l + 1].into_iter().enumerate().filter(|&(k, _)| faces[k].is_some()) {
            let tables = self.levels[owner].tables.as_ref().expect("made with the plans");
            let runs = if k == 0 { tables.runs.fine } else { tables.runs.coarse };
            let args = FaceMapArgs {
                table: runs.runs::<N>(&tables.memory),
                patches: self.levels[l].patches(),
                words,
                bases,
                slots,
                fine: u32::from(k == 0),
                first_slot: map.num_fine as u32,
                numbered: u32::from(numbered),
                ratio: axes(self.ratios[owner - 1].0, 1),
            };
            // SAFETY: the runs lie along this level's patches; the map has room for all their faces.
            unsafe { self.machine.run(&FACE_MAP, D, runs.num_chunks as usize, &args)? };
        }
        Ok(())
    }

    /// After a step of the level coarser than `fine`: sends the register's coarse fluxes and coarse cells to the ranks that own the fine
    /// patches there.
    pub(super) fn send_coarse_faces(&self, fine: Level) -> Result<(), ExecError> {
        let store = &self.levels[fine.index()];
        let (Some(tables), Some(register)) = (&store.tables, &store.register) else { return Ok(()) };
        let [.., count] = self.sizes.register;
        self.exchange_faces(
            self.header(MessageKind::CoarseFaces, fine),
            (tables, register),
            (&tables.messages.faces, count),
        )
    }

    /// Sends complete sums of the register to the owners of coarse cells.
    fn send_sums(&self, fine: Level) -> Result<(), ExecError> {
        let store = &self.levels[fine.index()];
        let (Some(tables), Some(register)) = (&store.tables, &store.register) else { return Ok(()) };
        let exchanged = (&tables.messages.sums, self.sizes.num_eqn);
        self.exchange_faces(self.header(MessageKind::FaceSums, fine), (tables, register), exchanged)
    }

    /// Exchanges the first `count` components of the register's faces with other ranks.
    fn exchange_faces(
        &self,
        header: MessageHeader,
        (tables, register): (&LevelTables<N>, &Register<N>),
        (ExchangeTables { sent, received }, count): (&ExchangeTables, usize),
    ) -> Result<(), ExecError> {
        let patches = tables.messages.slots::<N>(&tables.memory);
        let of_register = LevelView::of_state(patches, self.without_room(&register.memory));
        let packed = self.pack(header, (sent, count), |message| {
            let ends = [of_register, Self::message_view(&tables.memory, sent, message)];
            self.copy((&tables.memory, sent.table), ends, count)
        })?;
        self.send(packed, header, (sent, count))?;
        self.unpack(header, (&tables.memory, received, count), of_register)
    }

    /// Returns to coarse cells what a step of level `l` may not take from them, and notes what finer steps may take from its cells: see
    /// `exec/cpu/allowance.rs`.
    pub(super) fn keep_from_debts(&self, l: usize, plans: &[LevelPlans<D>]) -> Result<(), ExecError> {
        let [_, cells, allowed, _] = self.sizes.register;
        for fine in [l, l + 1].into_iter().filter(|_| allowed > cells) {
            if self.faces(plans, fine).is_none() {
                continue;
            }
            let (args, chunks) = self.allowance_args(fine, l, Array::Next);
            let kernel = if fine > l { &ALLOWANCES } else { &RETURN_EXCESS };
            // SAFETY: the runs lie along this level's patches; one lane changes the cells of a block, and the slots around a cell.
            unsafe { self.machine.run(kernel, D, chunks, &args)? };
        }
        Ok(())
    }

    /// The argument for the faces to the coarser level of level `fine`, seen from level `l`, one of the two; and the number of chunks.
    fn allowance_args(&self, fine: usize, l: usize, state: Array) -> (AllowanceArgs, usize) {
        let level = &self.levels[l];
        let (Some(tables), Some(register)) = (&self.levels[fine].tables, &self.levels[fine].register) else {
            unreachable!("tables and registers are made with the plans");
        };
        let runs = if fine == l { tables.runs.fine } else { tables.runs.coarse };
        let (map, num_fine) = match &level.map {
            Some(map) => (map.place(), map.num_fine),
            None => (FaceMapPlace::NONE, 0),
        };
        let args = AllowanceArgs {
            table: runs.runs::<N>(&tables.memory),
            view: LevelView { q: self.address(l, state), ..level.view() },
            sums: register.sums(),
            allowances: register.allowances(),
            words: map.words,
            bases: map.bases,
            slots: map.slots,
            dx: level.geometry.dx_in_space(),
            num_slots: tables.faces.coarse as u32,
            first_kept: num_fine as u32,
            pass: 0,
            ratio: axes(self.ratios[fine - 1].0, 1),
        };
        (args, runs.num_chunks as usize)
    }

    pub(super) fn reflux_level(&mut self, fine: Level) -> Result<(), ExecError> {
        if !self.facts.has_positive {
            // The outcomes of the steps so far can be fetched before later work is done.
            self.reports.mark(&self.machine)?;
        }
        self.send_sums(fine)?;
        let level = fine.index() as u32 - 1;
        let (coarse, fine) = (&self.levels[fine.index() - 1], &self.levels[fine.index()]);
        let (Some(tables), Some(register), Some(map)) = (&fine.tables, &fine.register, &coarse.map) else {
            return Ok(());
        };
        let FaceMapPlace { words, bases, slots } = map.place();
        let runs = tables.runs.coarse;
        let [_, cells, allowed, _] = self.sizes.register;
        let args = RefluxArgs {
            table: runs.runs::<N>(&tables.memory),
            view: coarse.view(),
            sums: register.sums(),
            words,
            bases,
            slots,
            refused: self.reports.refused(),
            dx: coarse.geometry.dx_in_space(),
            free: self.problem.free_speed_of_fix([coarse.states.time_old, coarse.states.time], coarse.geometry.dx),
            num_slots: tables.faces.coarse as u32,
            first_kept: map.num_fine as u32,
            level,
            settles: u32::from(allowed > cells),
        };
        // SAFETY: register and map are those of the plan; each coarse cell is written by one lane.
        unsafe { self.machine.run(&REFLUX, D, runs.num_chunks as usize, &args)? };
        if allowed > cells {
            let (args, chunks) = self.allowance_args(level as usize + 1, level as usize, Array::Present);
            for pass in 0..3 {
                // SAFETY: what a lane writes others read only to find who lends; a cell that asks never does.
                unsafe { self.machine.run(&SETTLE_DEBTS, D, chunks, &AllowanceArgs { pass, ..args })? };
            }
        }
        if self.facts.has_positive {
            // The next step must not begin with a state that the fix has made inadmissible.
            self.reports.expect_more();
        }
        Ok(())
    }

    pub(super) fn average_level(&mut self, fine: Level) -> Result<(), ExecError> {
        self.reports.mark(&self.machine)?;
        let Some(coarse) = fine.coarser() else { return Ok(()) };
        let ratio = self.ratios[coarse.index()];
        let (header, count) = (self.header(MessageKind::Averages, fine), self.sizes.num_eqn);
        let (coarse, fine) = (&self.levels[fine.index() - 1], &self.levels[fine.index()]);
        let tables = fine.tables.as_ref().expect("made with the plans");
        let args = AverageArgs {
            table: tables.restrict.regions::<N>(&tables.memory),
            coarse: coarse.view(),
            fine: fine.view(),
            weight: 1.0 / f64::from(ratio.cells()),
            ratio: axes(ratio.0, 1),
        };
        let (exchanged, sent) = (&tables.messages.restrict, &tables.messages.restrict.sent);
        let pack = |message| {
            let args = AverageArgs {
                table: sent.table.regions::<N>(&tables.memory),
                // Only the owner of the coarse cells has their capacity.
                coarse: Self::message_view(&tables.memory, sent, message),
                ..args
            };
            // SAFETY: as below; each block is a region's.
            unsafe { self.machine.run(&AVERAGE_DOWN, D, args.table.num_chunks as usize, &args) }
        };
        // SAFETY: the regions lie in the coarse and the fine level's patches; each coarse cell is in one, here or in a message.
        let own = || unsafe { self.machine.run(&AVERAGE_DOWN, D, args.table.num_chunks as usize, &args) };
        let to = if self.problem.scheme.capacity < 0 { coarse.state() } else { coarse.view() };
        let unpack = |table, message| self.copy((&tables.memory, table), [message, to], count);
        self.exchange_beside(header, (exchanged, count), pack, own, (&tables.memory, unpack))
    }
}
