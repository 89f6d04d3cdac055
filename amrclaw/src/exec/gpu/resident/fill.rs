//! Ghost cells and the values of new patches.
//!
//! One launch fills the ghost cells inside the domain and outside: those outside take their values from the sources of the cells that they mirror
//! (`plan::OutsideParts`). Where boundary functions are involved, they are filled axis by axis afterwards.

use super::advance::Array;
use super::levels::Replacement;
use super::store::DeviceLevel;
use super::{Machine, ResidentExecutor};
use crate::exec::ExecError;
use crate::exec::gpu::device::{ExchangeTables, FillTable, Table, TransferTables, axes, pointer};
use crate::index::Level;
use crate::plan::LevelPlans;
use crate::ranks::{MessageHeader, MessageKind};
use cuda::abi::{Plain, Pointer};
use cuda::amr::kernels::{CONSERVE, FILL};
use cuda::amr::{ConserveArgs, FillArgs, FillForm, LevelView};
use riemann::patch::PACK_OVERRUN;
use std::time::Instant;

impl<const D: usize, N: Machine> ResidentExecutor<D, N> {
    pub(super) fn fill_level(&mut self, level: Level, plans: &LevelPlans<D>) -> Result<(), ExecError> {
        let header = self.header(MessageKind::GhostCells, level);
        let tables = self.levels[level.index()].tables.as_ref().expect("made with the plans");
        let args = self.ghost_args(level);
        self.fill(header, args, (&tables.memory, &tables.messages.ghost))?;
        if !self.ranks.is_solo() {
            let after = tables.fill.after;
            let args = FillArgs {
                table: after.table.regions::<N>(&tables.memory),
                origins: after.origins::<N>(&tables.memory),
                num_copies: 0,
                num_inside: 0,
                num_outside_copies: u32::MAX,
                ..args
            };
            // SAFETY: as in `fill`; regions outside read cells inside of the same patch.
            unsafe { self.machine.run(&FILL, D, args.table.num_chunks as usize, &args)? };
        }
        if self.sides.ask() { self.fill_by_axes(level, plans, Array::Present, None) } else { Ok(()) }
    }

    /// Copies and interpolates cells, in exchange with other ranks.
    fn fill(
        &self,
        header: MessageHeader,
        args: FillArgs,
        (memory, exchanged): (&N::Memory, &ExchangeTables),
    ) -> Result<(), ExecError> {
        let sent = &exchanged.sent;
        let pack = |message| {
            let args = FillArgs {
                table: sent.table.regions::<N>(memory),
                target: Self::message_view(memory, sent, message),
                num_copies: sent.table.num_first,
                num_inside: u32::MAX,
                num_outside_copies: 0,
                form: args.form | FillForm::IntoMessages as u32,
                ..args
            };
            // SAFETY: each block is a region's, which reads as those do that are filled here.
            unsafe { self.machine.run(&FILL, D, args.table.num_chunks as usize, &args) }
        };
        // SAFETY: tables and arrays are those of the levels' present patches; each cell has one region, here or in a message, and regions
        // read interior cells of the same or the replaced level and cells of the coarser one, which nothing writes meanwhile.
        let own = || unsafe { self.machine.run(&FILL, D, args.table.num_chunks as usize, &args) };
        let unpack = |table: Table, message| {
            if !self.sizes.transfers {
                let to = LevelView { aux: Pointer::NULL, ..args.target };
                return self.copy((memory, table), [message, to], self.sizes.num_eqn);
            }
            let args = FillArgs {
                table: table.regions::<N>(memory),
                source: message,
                num_copies: u32::MAX,
                num_inside: u32::MAX,
                num_outside_copies: 0,
                form: args.form | FillForm::FromMessages as u32,
                ..args
            };
            // SAFETY: likewise; each region of the message has its cells.
            unsafe { self.machine.run(&FILL, D, args.table.num_chunks as usize, &args) }
        };
        self.exchange_beside(header, (exchanged, self.sizes.sent), pack, own, (memory, unpack))
    }

    /// Arguments of the kernel that fills a level's ghost cells.
    fn ghost_args(&self, level: Level) -> FillArgs {
        let l = level.index();
        let store = &self.levels[l];
        let tables = store.tables.as_ref().expect("made with the plans");
        let coarse = l.checked_sub(1).map(|c| &self.levels[c]);
        let FillTable { table, num_inside, num_outside_copies, .. } = tables.fill;
        let ratio = coarse.map_or([1; 3], |_| axes(self.ratios[l - 1].0, 1));
        FillArgs {
            origins: tables.fill.origins::<N>(&tables.memory),
            coarse_old: coarse.map_or(Pointer::NULL, |c| c.q_old().unwrap_or(c.q_address())),
            alpha: coarse.map_or(1.0, |c| c.states.weight_at(store.states.time)),
            wide: 1,
            num_inside,
            num_outside_copies,
            signs: pointer::<_, N>(&self.small.signs, 0),
            ..fill_args((&tables.memory, table), store, [Some(store), coarse], ratio)
        }
    }

    /// Fills the patches of a new level with values of the old ones and of the coarser level.
    pub(super) fn transfer_level(
        &mut self,
        &Replacement { level, ref old, transfer: ref made }: &Replacement<D, N>,
    ) -> Result<(), ExecError> {
        let l = level.index();
        let ratio = axes(self.ratios[l - 1].0, 1);
        let (store, coarse) = (&self.levels[l], &self.levels[l - 1]);
        let time = store.states.time;
        let args = fill_args((&made.memory, made.fill), store, [old.as_ref(), Some(coarse)], ratio);
        let args = FillArgs { form: FillForm::Variables as u32, ..args };
        self.fill(self.header(MessageKind::NewPatches, level), args, (&made.memory, &made.messages.values))?;
        let filled = self.fill_aux(level, time);
        self.defer_error(filled)?;
        if self.sizes.keeps_means {
            self.conserve(level, made, ratio)?;
        }
        Ok(())
    }

    /// Corrects interpolated values so that the total of each coarse cell is conserved.
    fn conserve(&mut self, level: Level, made: &TransferTables<N::Memory>, ratio: [i32; 3]) -> Result<(), ExecError> {
        let (fine, coarse) = (&self.levels[level.index()], &self.levels[level.index() - 1]);
        let args = ConserveArgs {
            table: made.conserve.regions::<N>(&made.memory),
            coarse: coarse.view(),
            fine: fine.view(),
            ratio,
        };
        // Coarse cells of other ranks: their states, then their auxiliary values, among which the capacity is.
        let (header, ExchangeTables { sent, received }) =
            (self.header(MessageKind::Capacity, level), &made.messages.coarse);
        let has_capacity = self.problem.scheme.capacity >= 0;
        let arrays = [(coarse.q_address(), self.sizes.num_eqn), (coarse.aux_address(), self.sizes.num_aux)];
        for (array, count) in arrays.into_iter().take(1 + usize::from(has_capacity)) {
            let packed = self.pack(header, (sent, count), |message| {
                let from = LevelView::of_state(coarse.patches(), array);
                let to = Self::message_view(&made.memory, sent, message);
                self.copy((&made.memory, sent.table), [from, to], count)
            })?;
            self.send(packed, header, (sent, count))?;
        }
        // SAFETY: as for the transfer; each coarse cell's fine cells have one lane.
        unsafe { self.machine.run(&CONSERVE, D, made.conserve.num_chunks as usize, &args)? };
        received.by_rank.iter().try_for_each(|of_rank| {
            self.with_message(header, of_rank, self.sizes.num_eqn, |states| {
                let of_capacity = |aux| {
                    let args = ConserveArgs {
                        table: received.table.with_chunks(&of_rank.chunks).regions::<N>(&made.memory),
                        coarse: LevelView { aux, ..Self::message_view(&made.memory, received, states) },
                        ..args
                    };
                    // SAFETY: likewise; the coarse cells lie in the messages.
                    unsafe { self.machine.run(&CONSERVE, D, args.table.num_chunks as usize, &args)? };
                    Ok(())
                };
                match has_capacity {
                    true => self.with_message(header, of_rank, self.sizes.num_aux, of_capacity),
                    false => of_capacity(Pointer::NULL),
                }
            })
        })
    }

    /// Fills a level's auxiliary values for a time.
    pub(super) fn fill_aux(&mut self, level: Level, time: f64) -> Result<(), ExecError> {
        if self.problem.aux.is_none() {
            return Ok(());
        }
        self.levels[level.index()].aux_time = time;
        if self.functions.aux.is_some() && self.evaluate_aux(level, time)? {
            return Ok(());
        }
        let start = Instant::now();
        self.make_host_copies(level);
        let host = self.host.get_mut();
        host.fill_level_aux(level, time)?;
        let store = &self.levels[level.index()];
        if let Some(aux) = &store.aux {
            self.machine.upload(host.aux_of_copy(level), aux, 0)?;
        }
        host.works().note("aux", store.mesh.num_cells(), start);
        Ok(())
    }

    /// Mirrors the meshes of a level and the coarser ones on the host.
    pub(super) fn make_host_copies(&self, level: Level) {
        let mut host = self.host.lock();
        for (l, store) in self.levels.iter().enumerate().take(level.index() + 1) {
            host.make_host_copy(store.spec(Level(l as u8)));
        }
    }

    /// Copies a level's present values to the host's mirror, ghost cells included.
    pub(super) fn fetch_level(&self, level: Level) -> Result<(), ExecError> {
        self.fetch_array(level, Array::Present)
    }

    /// The same for an array of states.
    pub(super) fn fetch_array(&self, level: Level, array: Array) -> Result<(), ExecError> {
        self.make_host_copies(level);
        let store = &self.levels[level.index()];
        let mut host = self.host.lock();
        self.fetch(self.array(level.index(), array), host.q_of_copy(level))?;
        match &store.aux {
            Some(aux) => self.fetch(aux, host.aux_of_copy(level)),
            None => Ok(()),
        }
    }

    /// Copies the bytes of a level's array to the host, without the padding at its ends.
    pub(super) fn fetch(&self, array: &N::Memory, values: &mut [u8]) -> Result<(), ExecError> {
        let room = PACK_OVERRUN * self.sizes.number;
        let inner = room..values.len() - room;
        Ok(self.machine.download(array, room, &mut values[inner])?)
    }
}

/// Arguments of the kernel that fills cells of a level from a level as fine and from the coarser one at its later time.
fn fill_args<const D: usize, N: Machine>(
    (memory, table): (&N::Memory, Table),
    target: &DeviceLevel<D, N>,
    [source, coarse]: [Option<&DeviceLevel<D, N>>; 2],
    ratio: [i32; 3],
) -> FillArgs {
    let [source, coarse] = [source, coarse].map(|level| level.map_or(LevelView::ZERO, DeviceLevel::view));
    FillArgs {
        table: table.regions::<N>(memory),
        target: target.view(),
        source,
        coarse,
        coarse_old: coarse.q,
        alpha: 1.0,
        num_copies: table.num_first,
        ratio,
        num_inside: u32::MAX,
        ..FillArgs::ZERO
    }
}
