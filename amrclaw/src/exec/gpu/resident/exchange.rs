//! Messages between ranks, packed and unpacked by the device. Ranks of one process, and of one machine where devices reach one another,
//! pass only the place of a message, and the host does not wait: the reader's kernels read the message in place, or a copy where they
//! cannot. Other messages go through the host's memory, or from device to device by a GPU-aware MPI.
//!
//! A message is packed before the rank's own work of the same step is enqueued, which runs concurrently with packing, waiting and unpacking.
//!
//! GPU-aware MPI needs the kernels that write or read a message to be complete: the host waits for them (`Machine::finish`). Ghost cells outside
//! the domain are filled last, from the patch's own cells.

use super::reads::Read;
use super::{Machine, ResidentExecutor, in_precision};
use crate::exec::ExecError;
use crate::exec::gpu::device::{
    ExchangeTables, MessageTables, Overlap, RankMessage, Table, bytes_of, bytes_of_mut, pointer,
};
use crate::index::Level;
use crate::ranks::{CommError, MessageHeader, MessageKind, Ranks};
use cuda::CudaError;
use cuda::abi::{Pointer, Real};
use cuda::amr::kernels::COPY_CELLS;
use cuda::amr::{CopyArgs, LevelView};
use riemann::patch::PACK_OVERRUN;
use riemann::real::Scalar;
use std::ops::Range;
use std::sync::Arc;

/// Packed messages for ranks that do not read this one's memory.
pub(super) enum Packed<N: Machine> {
    /// A copy to the host that is under way.
    Download(N::Download),
    /// Device memory from which MPI sends.
    OnDevice(Arc<N::Shared>),
}

impl<const D: usize, N: Machine> ResidentExecutor<D, N> {
    /// The header of a message.
    pub(super) fn header(&self, kind: MessageKind, level: Level) -> MessageHeader {
        MessageHeader { kind, level: level.0, epoch: self.epoch.0 }
    }

    /// The address of an array that begins with cell 0, for kernels that expect a padding of [`PACK_OVERRUN`] before the first cell.
    pub(super) fn without_room(&self, array: &N::Memory) -> Pointer<Real> {
        Pointer::new(N::address(array) - (PACK_OVERRUN * self.sizes.number) as u64)
    }

    /// Bytes of all messages with `components` numbers per cell.
    fn message_bytes(&self, messages: &MessageTables, components: usize) -> usize {
        // MPI sends whole words.
        (PACK_OVERRUN + messages.num_cells() * components) * self.sizes.number + size_of::<u64>()
    }

    /// The byte range of some cells in the array of all messages.
    fn bytes_of_cells(&self, cells: &Range<usize>, components: usize) -> Range<usize> {
        let at = |cell: usize| (PACK_OVERRUN + cell * components) * self.sizes.number;
        at(cells.start)..at(cells.end)
    }

    /// Exchanges messages with the other ranks, `components` numbers per cell, while the device does the rank's `own` part of the same step.
    /// `pack` writes the messages to be sent to an address; those received are unpacked by `unpack`, as by [`Self::unpack_by`].
    pub(super) fn exchange_beside(
        &self,
        header: MessageHeader,
        (ExchangeTables { sent, received }, components): (&ExchangeTables, usize),
        pack: impl FnOnce(Pointer<Real>) -> Result<(), CudaError>,
        own: impl FnOnce() -> Result<(), CudaError>,
        (tables, unpack): (&N::Memory, impl Fn(Table, LevelView) -> Result<(), CudaError>),
    ) -> Result<(), ExecError> {
        if sent.by_rank.is_empty() && received.by_rank.is_empty() {
            return Ok(own()?);
        }
        let through_host =
            |of_rank: &&RankMessage| !(self.links.send_from_device() || self.ranks.has_peer_access(of_rank.rank));
        received.by_rank.iter().filter(through_host).for_each(|RankMessage { rank, cells, .. }| {
            let count = cells.len() * components;
            in_precision!(self.sizes.precision, R => self.ranks.expect::<R>(*rank, count));
        });
        self.machine.fork(Overlap::Messages)?;
        let packed = self.pack(header, (sent, components), pack)?;
        self.machine.in_branch(Overlap::Messages, own)?;
        self.send(packed, header, (sent, components))?;
        self.unpack_by(header, (tables, received, components), unpack)?;
        Ok(self.machine.join(Overlap::Messages)?)
    }

    /// Lets the device pack messages. Ranks that read this one's memory are sent the places of theirs at once; [`Self::send`] serves the others.
    pub(super) fn pack(
        &self,
        header: MessageHeader,
        (messages, components): (&MessageTables, usize),
        fill: impl FnOnce(Pointer<Real>) -> Result<(), CudaError>,
    ) -> Result<Option<Packed<N>>, ExecError> {
        if messages.by_rank.is_empty() {
            return Ok(None);
        }
        let bytes = self.message_bytes(messages, components);
        let places =
            messages.by_rank.iter().map(|of_rank| (of_rank.rank, self.bytes_of_cells(&of_rank.cells, components)));
        let memory = self.publish_message(header, bytes, places, |memory| fill(pointer::<_, N>(memory, 0)))?;
        if messages.by_rank.iter().all(|of_rank| self.ranks.has_peer_access(of_rank.rank)) {
            return Ok(None);
        }
        if self.links.send_from_device() {
            return Ok(Some(Packed::OnDevice(memory)));
        }
        Ok(Some(Packed::Download(self.machine.begin_download(N::shared_memory(&memory), bytes)?)))
    }

    /// Fills `bytes` bytes of memory, and sends its place in them to each rank of `places` that reads this one's memory. Returns the memory.
    pub(super) fn publish_message(
        &self,
        header: MessageHeader,
        bytes: usize,
        places: impl Iterator<Item = (usize, Range<usize>)>,
        fill: impl FnOnce(&N::Memory) -> Result<(), CudaError>,
    ) -> Result<Arc<N::Shared>, ExecError> {
        let send_buffer = self.send_buffer(bytes)?;
        fill(N::shared_memory(&send_buffer.memory))?;
        self.machine.publish(&send_buffer.memory)?;
        for (rank, place) in places.filter(|(rank, _)| self.ranks.has_peer_access(*rank)) {
            self.send_place(rank, header, &send_buffer, place)?;
        }
        Ok(send_buffer.memory)
    }

    /// Sends packed messages to the ranks that do not read this one's memory.
    pub(super) fn send(
        &self,
        packed: Option<Packed<N>>,
        header: MessageHeader,
        (messages, components): (&MessageTables, usize),
    ) -> Result<(), ExecError> {
        let mut by_rank = messages.by_rank.iter().filter(|of_rank| !self.ranks.has_peer_access(of_rank.rank));
        match packed {
            None => Ok(()),
            Some(Packed::Download(packed)) => {
                let post = |bytes: &[u8]| {
                    let messages = (by_rank, components);
                    in_precision!(self.sizes.precision, R => post::<R>(&self.ranks, header, messages, bytes))
                };
                Ok(self.machine.finish_download(packed, post)??)
            }
            Some(Packed::OnDevice(memory)) => {
                self.machine.finish(&memory)?;
                by_rank.try_for_each(|RankMessage { rank, cells, .. }| {
                    let place = self.bytes_of_cells(cells, components);
                    let from = (N::address(N::shared_memory(&memory)) + place.start as u64, place.len());
                    let announced = (header, cells.len() * components);
                    // SAFETY: it has been written, has room for a whole word, and is written again when nobody holds it.
                    Ok(unsafe { self.ranks.post_from_device(*rank, announced, from, memory.clone()) }?)
                })
            }
        }
    }

    /// Lets kernels read the next message of a rank. `work` gets the address at which an array of all messages would begin, with this one
    /// in its place.
    pub(super) fn with_message(
        &self,
        header: MessageHeader,
        RankMessage { rank, cells, .. }: &RankMessage,
        components: usize,
        work: impl FnOnce(Pointer<Real>) -> Result<(), ExecError>,
    ) -> Result<(), ExecError> {
        let bytes = self.bytes_of_cells(cells, components);
        let of_all = |memory: &N::Memory, at: usize| {
            Pointer::new((N::address(memory) + at as u64).wrapping_sub(bytes.start as u64))
        };
        let count = cells.len() * components;
        if self.ranks.has_peer_access(*rank) {
            return self.with_peer_message(*rank, header, bytes.len(), |memory, at| work(of_all(memory, at)));
        }
        if self.links.send_from_device() {
            // MPI receives whole words.
            let memory = self.receive_buffer(bytes.len().next_multiple_of(size_of::<u64>()))?;
            let to = (N::address(N::shared_memory(&memory)), bytes.len());
            // SAFETY: there is room for it, and nobody else holds the memory.
            unsafe { self.ranks.wait_on_device(*rank, (header, count), to, memory.clone())? };
            work(of_all(N::shared_memory(&memory), 0))?;
            return Ok(self.links.reads.lock().add(&self.machine, Read { memory, acknowledge_to: None })?);
        }
        let memory = self.machine.allocate(bytes.len())?;
        in_precision!(self.sizes.precision, R => {
            let mut message = self.ranks.wait::<R>(*rank, header, count)?;
            self.machine.upload(bytes_of(&message.numbers_mut::<R>()[PACK_OVERRUN..][..count]), &memory, 0)?;
            self.ranks.recycle(message);
        });
        work(of_all(&memory, 0))
    }

    /// Receives the messages of other ranks, with `components` numbers per cell, and copies them to their cells. Where `to` has auxiliary
    /// values, they are divided by their capacity.
    pub(super) fn unpack(
        &self,
        header: MessageHeader,
        (tables, messages, components): (&N::Memory, &MessageTables, usize),
        to: LevelView,
    ) -> Result<(), ExecError> {
        self.unpack_by(header, (tables, messages, components), |table, message| {
            self.copy((tables, table), [message, to], components)
        })
    }

    /// The same by a function of the regions of a message and of the message.
    fn unpack_by(
        &self,
        header: MessageHeader,
        (tables, messages, components): (&N::Memory, &MessageTables, usize),
        unpack: impl Fn(Table, LevelView) -> Result<(), CudaError>,
    ) -> Result<(), ExecError> {
        messages.by_rank.iter().try_for_each(|of_rank| {
            self.with_message(header, of_rank, components, |message| {
                Ok(unpack(messages.table.with_chunks(&of_rank.chunks), Self::message_view(tables, messages, message))?)
            })
        })
    }

    /// Copies the regions of a table, with `count` numbers per cell; divides as [`Self::unpack`] does.
    pub(super) fn copy(
        &self,
        (tables, table): (&N::Memory, Table),
        [source, target]: [LevelView; 2],
        count: usize,
    ) -> Result<(), CudaError> {
        let args = CopyArgs { table: table.regions::<N>(tables), target, source, count: count as u32 };
        // SAFETY: the regions lie in the patches of both ends, and arrays have room for their components; each cell has one region.
        unsafe { self.machine.run(&COPY_CELLS, D, table.num_chunks as usize, &args) }
    }

    /// The blocks of messages in the device's memory.
    pub(super) fn message_view(tables: &N::Memory, messages: &MessageTables, memory: Pointer<Real>) -> LevelView {
        LevelView::of_state(messages.blocks::<N>(tables), memory)
    }
}

/// Sends each rank its part of the array of all messages.
fn post<'a, R: Scalar>(
    ranks: &Ranks,
    header: MessageHeader,
    (mut by_rank, components): (impl Iterator<Item = &'a RankMessage>, usize),
    bytes: &[u8],
) -> Result<(), CommError> {
    by_rank.try_for_each(|RankMessage { rank, cells, .. }| {
        let count = cells.len() * components;
        let mut message = ranks.message::<R>(header, count);
        let numbers: &mut [R] = &mut message.numbers_mut()[PACK_OVERRUN..][..count];
        let start = (PACK_OVERRUN + cells.start * components) * R::BYTES;
        bytes_of_mut(numbers).copy_from_slice(&bytes[start..][..count * R::BYTES]);
        ranks.post(*rank, message)
    })
}
