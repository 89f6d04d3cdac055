//! What goes from rank to rank: the device packs messages and unpacks them. Between ranks of one process they go from device to device,
//! and the host waits for none: it hands on where they lie. Between processes they go through the host's memory.
//!
//! A message is packed before the rank's own work of the same step is ordered, and waited for behind it.

use super::{Machine, ResidentExecutor};
use crate::exec::ExecError;
use crate::exec::comm::{CommError, Head, Phase, Ranks};
use crate::exec::device::{Parcels, bytes_of, bytes_of_mut, pointer};
use crate::index::Level;
use cuda::CudaError;
use cuda::abi::{Pointer, Real};
use cuda::amr::kernels::COPY_CELLS;
use cuda::amr::{CopyArgs, Patch};
use riemann::patch::PACK_OVERRUN;
use riemann::real::Scalar;
use std::ops::Range;
use std::sync::Arc;

/// One end of a copy: patches, an array of so many components a cell, the first one meant.
#[derive(Clone, Copy)]
pub(super) struct CopyEnd {
    pub patches: Pointer<Patch>,
    pub array: Pointer<Real>,
    pub components: usize,
    pub first: usize,
}

impl CopyEnd {
    /// All components of an array.
    pub fn of(patches: Pointer<Patch>, array: Pointer<Real>, components: usize) -> Self {
        CopyEnd { patches, array, components, first: 0 }
    }
}

/// A message for a rank of the same process: where it lies, in bytes.
struct Handed<S> {
    memory: Arc<S>,
    place: Range<usize>,
}

impl<const D: usize, R: Scalar, N: Machine> ResidentExecutor<D, R, N> {
    /// What a message says of itself.
    pub(super) fn head(&self, phase: Phase, level: Level) -> Head {
        Head { phase, level: level.0, epoch: self.epoch.0 }
    }

    /// An array that begins with cell 0, as kernels address it that leave room for packs before the first cell.
    pub(super) fn without_room(array: &N::Memory) -> Pointer<Real> {
        Pointer::new(N::address(array) - (PACK_OVERRUN * R::BYTES) as u64)
    }

    /// Bytes of all messages of so many components a cell.
    fn message_bytes(parcels: &Parcels, components: usize) -> usize {
        (PACK_OVERRUN + parcels.num_cells() * components) * R::BYTES
    }

    /// Where the numbers of some cells lie among those of all messages, in bytes.
    fn bytes_of_cells(cells: &Range<usize>, components: usize) -> Range<usize> {
        (PACK_OVERRUN + cells.start * components) * R::BYTES..(PACK_OVERRUN + cells.end * components) * R::BYTES
    }

    /// Has the device pack messages. Ranks of the same process get them at once, where they lie; for others they are asked for, and
    /// are to be sent.
    pub(super) fn pack(
        &self,
        head: Head,
        (parcels, components): (&Parcels, usize),
        fill: impl FnOnce(Pointer<Real>) -> Result<(), CudaError>,
    ) -> Result<Option<N::Download>, ExecError> {
        if parcels.ranks.is_empty() {
            return Ok(None);
        }
        let bytes = Self::message_bytes(parcels, components);
        if !self.ranks.share_process() {
            let memory = self.machine.allocate(bytes)?;
            fill(pointer::<_, N>(&memory, 0))?;
            return Ok(Some(self.machine.begin_download(&memory, bytes)?));
        }
        let memory = self.outbox(bytes)?;
        fill(pointer::<_, N>(N::shared_memory(&memory), 0))?;
        self.machine.publish(&memory)?;
        for (rank, cells) in &parcels.ranks {
            let place = Self::bytes_of_cells(cells, components);
            self.ranks.hand(*rank, head, place.len(), Handed { memory: memory.clone(), place })?;
        }
        Ok(None)
    }

    /// Memory for messages that nobody reads any more.
    fn outbox(&self, bytes: usize) -> Result<Arc<N::Shared>, CudaError> {
        let mut all = self.outboxes.lock();
        // What is still held has not been asked for by its reader.
        let free = |memory: &mut Arc<N::Shared>| Arc::get_mut(memory).is_some();
        if let Some(number) = all.iter_mut().position(|(memory, room)| *room >= bytes && free(memory)) {
            self.machine.reclaim(&all[number].0)?;
            return Ok(all[number].0.clone());
        }
        // Those that are too small by now would be in the way.
        for (memory, _) in all.extract_if(.., |(memory, _)| free(memory)) {
            self.machine.reclaim(&memory)?;
        }
        let room = bytes.next_power_of_two();
        let memory = Arc::new(self.machine.share(room)?);
        all.push((memory.clone(), room));
        Ok(memory)
    }

    /// Sends what has been packed.
    pub(super) fn send(
        &self,
        packed: Option<N::Download>,
        head: Head,
        (parcels, components): (&Parcels, usize),
    ) -> Result<(), ExecError> {
        let Some(packed) = packed else { return Ok(()) };
        Ok(self.machine.finish_download(packed, |bytes| post::<R>(&self.ranks, head, parcels, components, bytes))??)
    }

    /// Waits for the messages of other ranks, and puts them into the device's memory; nothing if there are none.
    pub(super) fn receive(
        &self,
        head: Head,
        parcels: &Parcels,
        components: usize,
    ) -> Result<Option<N::Memory>, ExecError> {
        if parcels.ranks.is_empty() {
            return Ok(None);
        }
        let memory = self.machine.allocate(Self::message_bytes(parcels, components))?;
        for (rank, cells) in &parcels.ranks {
            if self.ranks.share_process() {
                let Handed { memory: from, place } = self.ranks.take::<Handed<N::Shared>>(*rank, head)?;
                let to = Self::bytes_of_cells(cells, components);
                assert_eq!(place.len(), to.len(), "bytes from rank {rank}: {head:?}");
                self.machine.read((&from, place.start), (&memory, to.start), to.len())?;
                continue;
            }
            let count = cells.len() * components;
            let mut message = self.ranks.wait::<R>(*rank, head, count)?;
            let numbers: &[R] = &message.numbers_mut()[PACK_OVERRUN..][..count];
            self.machine.upload(bytes_of(numbers), &memory, Self::bytes_of_cells(cells, components).start)?;
            self.ranks.recycle(message);
        }
        Ok(Some(memory))
    }

    /// Copies so many components of the regions of a table. `capacity`: the auxiliary values by whose capacity they are divided, or null.
    pub(super) fn copy(
        &self,
        tables: &N::Memory,
        parcels: &Parcels,
        [from, to]: [CopyEnd; 2],
        count: usize,
        capacity: Pointer<Real>,
    ) -> Result<(), CudaError> {
        let table = parcels.table;
        let args = CopyArgs {
            regions: table.items::<_, N>(tables),
            chunks: table.chunks::<N>(tables),
            target_patches: to.patches,
            source_patches: from.patches,
            target: to.array,
            source: from.array,
            capacity,
            num_chunks: table.num_chunks,
            chunk_cells: table.chunk_cells,
            count: count as u32,
            target_count: to.components as u32,
            target_first: to.first as u32,
            source_count: from.components as u32,
            source_first: from.first as u32,
            padding: 0,
        };
        // SAFETY: the regions lie in the patches of both ends, and arrays have room for their components; each cell has one region.
        unsafe { self.machine.run(&COPY_CELLS, D, table.num_chunks as usize, &args) }
    }

    /// The blocks of messages in the device's memory.
    pub(super) fn messages(tables: &N::Memory, parcels: &Parcels, memory: Pointer<Real>, components: usize) -> CopyEnd {
        CopyEnd::of(parcels.blocks::<N>(tables), memory, components)
    }
}

/// Sends each rank its part of messages that follow one another.
fn post<R: Scalar>(
    ranks: &Ranks,
    head: Head,
    parcels: &Parcels,
    components: usize,
    bytes: &[u8],
) -> Result<(), CommError> {
    parcels.ranks.iter().try_for_each(|(rank, cells)| {
        let count = cells.len() * components;
        let mut message = ranks.message::<R>(head, count);
        let numbers: &mut [R] = &mut message.numbers_mut()[PACK_OVERRUN..][..count];
        let start = (PACK_OVERRUN + cells.start * components) * R::BYTES;
        bytes_of_mut(numbers).copy_from_slice(&bytes[start..][..count * R::BYTES]);
        ranks.post(*rank, message)
    })
}
