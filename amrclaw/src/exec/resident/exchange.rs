//! What goes from rank to rank: the device packs messages and unpacks them. Between ranks of one process the host hands on where they lie,
//! and waits for none: the reader's kernels read them there, or copies where they cannot. Between processes they go through the host's
//! memory, or from device to device by an MPI that reaches them.
//!
//! A message is packed before the rank's own work of the same step is ordered, and waited for behind it.

use super::{Machine, ResidentExecutor};
use crate::exec::ExecError;
use crate::exec::comm::{CommError, Head, Phase, Ranks};
use crate::exec::device::{Parcels, Share, Table, bytes_of, bytes_of_mut, pointer};
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

/// Where numbers of a message go: so many components, from this one on.
pub(super) struct Unpacked {
    pub first: usize,
    pub count: usize,
    pub to: CopyEnd,
}

/// A message for a rank of the same process: where it lies, in bytes.
struct Handed<S> {
    memory: Arc<S>,
    place: Range<usize>,
}

/// What has been packed for other processes.
pub(super) enum Packed<N: Machine> {
    /// A copy on its way to the host.
    Download(N::Download),
    /// What MPI takes from the device's memory.
    OnDevice(Arc<N::Shared>),
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
        // MPI sends whole words.
        (PACK_OVERRUN + parcels.num_cells() * components) * R::BYTES + size_of::<u64>()
    }

    /// Where the numbers of some cells lie among those of all messages, in bytes.
    fn bytes_of_cells(cells: &Range<usize>, components: usize) -> Range<usize> {
        (PACK_OVERRUN + cells.start * components) * R::BYTES..(PACK_OVERRUN + cells.end * components) * R::BYTES
    }

    /// Has the device pack messages. Ranks of the same process get them at once, where they lie; for others they are to be sent.
    pub(super) fn pack(
        &self,
        head: Head,
        (parcels, components): (&Parcels, usize),
        fill: impl FnOnce(Pointer<Real>) -> Result<(), CudaError>,
    ) -> Result<Option<Packed<N>>, ExecError> {
        if parcels.shares.is_empty() {
            return Ok(None);
        }
        let bytes = Self::message_bytes(parcels, components);
        if self.sends_from_device {
            let memory = self.outbox(bytes)?;
            fill(pointer::<_, N>(N::shared_memory(&memory), 0))?;
            self.machine.publish(&memory)?;
            return Ok(Some(Packed::OnDevice(memory)));
        }
        if !self.ranks.share_process() {
            let memory = self.machine.allocate(bytes)?;
            fill(pointer::<_, N>(&memory, 0))?;
            return Ok(Some(Packed::Download(self.machine.begin_download(&memory, bytes)?)));
        }
        let places = parcels.shares.iter().map(|share| (share.rank, Self::bytes_of_cells(&share.cells, components)));
        self.hand_out(head, bytes, places, |memory| fill(pointer::<_, N>(memory, 0)))?;
        Ok(None)
    }

    /// Hands ranks of the same process a place each in memory of so many bytes that is filled first.
    pub(super) fn hand_out(
        &self,
        head: Head,
        bytes: usize,
        places: impl Iterator<Item = (usize, Range<usize>)>,
        fill: impl FnOnce(&N::Memory) -> Result<(), CudaError>,
    ) -> Result<(), ExecError> {
        let memory = self.outbox(bytes)?;
        fill(N::shared_memory(&memory))?;
        self.machine.publish(&memory)?;
        for (rank, place) in places {
            self.ranks.hand(rank, head, place.len(), Handed { memory: memory.clone(), place })?;
        }
        Ok(())
    }

    /// Memory for messages that kernels are to write.
    fn outbox(&self, bytes: usize) -> Result<Arc<N::Shared>, CudaError> {
        let memory = self.message_memory(bytes)?;
        self.machine.reclaim(&memory)?;
        Ok(memory)
    }

    /// Memory for a message that MPI is to write, with which the device has nothing left to do.
    fn inbox(&self, bytes: usize) -> Result<Arc<N::Shared>, CudaError> {
        let memory = self.message_memory(bytes)?;
        self.machine.finish(&memory)?;
        Ok(memory)
    }

    /// Memory for messages that nobody holds any more.
    fn message_memory(&self, bytes: usize) -> Result<Arc<N::Shared>, CudaError> {
        let mut all = self.message_memories.lock();
        // What is still held has not been asked for by its reader, or not been sent.
        let free = |memory: &mut Arc<N::Shared>| Arc::get_mut(memory).is_some();
        if let Some(number) = all.iter_mut().position(|(memory, room)| *room >= bytes && free(memory)) {
            return Ok(all[number].0.clone());
        }
        // Those that are too small by now would be in the way.
        all.extract_if(.., |(memory, _)| free(memory)).for_each(drop);
        let room = bytes.next_power_of_two();
        let memory = Arc::new(self.machine.share(room)?);
        // The device may still use what lay there before.
        self.machine.publish(&memory)?;
        all.push((memory.clone(), room));
        Ok(memory)
    }

    /// Sends what has been packed.
    pub(super) fn send(
        &self,
        packed: Option<Packed<N>>,
        head: Head,
        (parcels, components): (&Parcels, usize),
    ) -> Result<(), ExecError> {
        match packed {
            None => Ok(()),
            Some(Packed::Download(packed)) => Ok(self
                .machine
                .finish_download(packed, |bytes| post::<R>(&self.ranks, head, parcels, components, bytes))??),
            Some(Packed::OnDevice(memory)) => {
                self.machine.finish(&memory)?;
                parcels.shares.iter().try_for_each(|Share { rank, cells, .. }| {
                    let place = Self::bytes_of_cells(cells, components);
                    let from = (N::address(N::shared_memory(&memory)) + place.start as u64, place.len());
                    let announced = (head, cells.len() * components);
                    // SAFETY: it has been written, has room for a whole word, and is written again when nobody holds it.
                    Ok(unsafe { self.ranks.post_from_device(*rank, announced, from, memory.clone()) }?)
                })
            }
        }
    }

    /// Lets kernels read the next message of a rank. `work` has the address of all messages as though they lay in one array, this one in
    /// its place.
    pub(super) fn with_message(
        &self,
        head: Head,
        Share { rank, cells, .. }: &Share,
        components: usize,
        work: impl FnOnce(Pointer<Real>) -> Result<(), ExecError>,
    ) -> Result<(), ExecError> {
        let bytes = Self::bytes_of_cells(cells, components);
        let of_all = |memory: &N::Memory, at: usize| {
            Pointer::new((N::address(memory) + at as u64).wrapping_sub(bytes.start as u64))
        };
        let count = cells.len() * components;
        if self.sends_from_device {
            // A word more than there are may arrive.
            let memory = self.inbox(bytes.len().next_multiple_of(size_of::<u64>()))?;
            let to = (N::address(N::shared_memory(&memory)), bytes.len());
            // SAFETY: there is room for it, and nobody else holds the memory.
            unsafe { self.ranks.wait_on_device(*rank, (head, count), to, memory.clone())? };
            work(of_all(N::shared_memory(&memory), 0))?;
            return Ok(self.machine.end_reading(&memory)?);
        }
        if !self.ranks.share_process() {
            let mut message = self.ranks.wait::<R>(*rank, head, count)?;
            let memory = self.machine.allocate(bytes.len())?;
            self.machine.upload(bytes_of(&message.numbers_mut::<R>()[PACK_OVERRUN..][..count]), &memory, 0)?;
            self.ranks.recycle(message);
            return work(of_all(&memory, 0));
        }
        self.with_handed(*rank, head, bytes.len(), |memory, at| work(of_all(memory, at)))
    }

    /// Lets kernels read what a rank of the same process hands over next: so many bytes, from a place in memory on.
    pub(super) fn with_handed(
        &self,
        rank: usize,
        head: Head,
        bytes: usize,
        work: impl FnOnce(&N::Memory, usize) -> Result<(), ExecError>,
    ) -> Result<(), ExecError> {
        let Handed { memory: from, place } = self.ranks.take::<Handed<N::Shared>>(rank, head)?;
        assert_eq!(place.len(), bytes, "bytes from rank {rank}: {head:?}");
        if self.machine.begin_reading(&from)? {
            work(N::shared_memory(&from), place.start)?;
        } else {
            let memory = self.machine.allocate(bytes)?;
            self.machine.read((&from, place.start), (&memory, 0), bytes)?;
            work(&memory, 0)?;
        }
        Ok(self.machine.end_reading(&from)?)
    }

    /// Puts what comes from other ranks, so many components a cell, into its places. `capacity`: the auxiliary values by whose capacity it is
    /// divided, or null.
    pub(super) fn unpack(
        &self,
        head: Head,
        (tables, parcels, components): (&N::Memory, &Parcels, usize),
        places: &[Unpacked],
        capacity: Pointer<Real>,
    ) -> Result<(), ExecError> {
        parcels.shares.iter().try_for_each(|share| {
            self.with_message(head, share, components, |message| {
                let of_message = Self::messages(tables, parcels, message, components);
                let table = parcels.table.with_chunks(&share.chunks);
                for &Unpacked { first, count, to } in places {
                    self.copy((tables, table), [CopyEnd { first, ..of_message }, to], count, capacity)?;
                }
                Ok(())
            })
        })
    }

    /// Copies so many components of the regions of a table. `capacity`: as for [`Self::unpack`].
    pub(super) fn copy(
        &self,
        (tables, table): (&N::Memory, Table),
        [from, to]: [CopyEnd; 2],
        count: usize,
        capacity: Pointer<Real>,
    ) -> Result<(), CudaError> {
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
    parcels.shares.iter().try_for_each(|Share { rank, cells, .. }| {
        let count = cells.len() * components;
        let mut message = ranks.message::<R>(head, count);
        let numbers: &mut [R] = &mut message.numbers_mut()[PACK_OVERRUN..][..count];
        let start = (PACK_OVERRUN + cells.start * components) * R::BYTES;
        bytes_of_mut(numbers).copy_from_slice(&bytes[start..][..count * R::BYTES]);
        ranks.post(*rank, message)
    })
}
