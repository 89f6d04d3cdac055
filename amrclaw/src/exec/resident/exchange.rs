//! What goes from rank to rank: the device packs messages and unpacks them. Between ranks of one process, and of one machine where devices
//! reach one another, the host hands on where they lie, and waits for none: the reader's kernels read them there, or copies where they
//! cannot. Else they go through the host's memory, or from device to device by an MPI that reaches them.
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

/// One end of a copy: patches, and an array.
#[derive(Clone, Copy)]
pub(super) struct CopyEnd {
    pub patches: Pointer<Patch>,
    pub array: Pointer<Real>,
}

/// What has been packed for ranks that do not read this one's memory.
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

    /// Has the device pack messages. Ranks that read this one's memory get them at once, where they lie; to others they are to be sent.
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
        let places = parcels.shares.iter().map(|share| (share.rank, Self::bytes_of_cells(&share.cells, components)));
        let memory = self.hand_out(head, bytes, places, |memory| fill(pointer::<_, N>(memory, 0)))?;
        if parcels.shares.iter().all(|share| self.ranks.reads(share.rank)) {
            return Ok(None);
        }
        if self.sends_from_device {
            return Ok(Some(Packed::OnDevice(memory)));
        }
        Ok(Some(Packed::Download(self.machine.begin_download(N::shared_memory(&memory), bytes)?)))
    }

    /// Hands those of some ranks that read this one's memory a place each in so many bytes that are filled first; answers where these lie.
    pub(super) fn hand_out(
        &self,
        head: Head,
        bytes: usize,
        places: impl Iterator<Item = (usize, Range<usize>)>,
        fill: impl FnOnce(&N::Memory) -> Result<(), CudaError>,
    ) -> Result<Arc<N::Shared>, ExecError> {
        let outbox = self.outbox(bytes)?;
        fill(N::shared_memory(&outbox.memory))?;
        self.machine.publish(&outbox.memory)?;
        for (rank, place) in places.filter(|(rank, _)| self.ranks.reads(*rank)) {
            self.hand_over(rank, head, &outbox, place)?;
        }
        Ok(outbox.memory)
    }

    /// Sends what has been packed.
    pub(super) fn send(
        &self,
        packed: Option<Packed<N>>,
        head: Head,
        (parcels, components): (&Parcels, usize),
    ) -> Result<(), ExecError> {
        let mut shares = parcels.shares.iter().filter(|share| !self.ranks.reads(share.rank));
        match packed {
            None => Ok(()),
            Some(Packed::Download(packed)) => Ok(self
                .machine
                .finish_download(packed, |bytes| post::<R>(&self.ranks, head, (shares, components), bytes))??),
            Some(Packed::OnDevice(memory)) => {
                self.machine.finish(&memory)?;
                shares.try_for_each(|Share { rank, cells, .. }| {
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
        if self.ranks.reads(*rank) {
            return self.with_handed(*rank, head, bytes.len(), |memory, at| work(of_all(memory, at)));
        }
        if self.sends_from_device {
            // A word more than there are may arrive.
            let memory = self.inbox(bytes.len().next_multiple_of(size_of::<u64>()))?;
            let to = (N::address(N::shared_memory(&memory)), bytes.len());
            // SAFETY: there is room for it, and nobody else holds the memory.
            unsafe { self.ranks.wait_on_device(*rank, (head, count), to, memory.clone())? };
            work(of_all(N::shared_memory(&memory), 0))?;
            return Ok(self.machine.end_reading(&memory)?);
        }
        let mut message = self.ranks.wait::<R>(*rank, head, count)?;
        let memory = self.machine.allocate(bytes.len())?;
        self.machine.upload(bytes_of(&message.numbers_mut::<R>()[PACK_OVERRUN..][..count]), &memory, 0)?;
        self.ranks.recycle(message);
        work(of_all(&memory, 0))
    }

    /// Puts what comes from other ranks, so many components a cell, into its place. `capacity`: the auxiliary values by whose capacity it is
    /// divided, or null.
    pub(super) fn unpack(
        &self,
        head: Head,
        (tables, parcels, components): (&N::Memory, &Parcels, usize),
        to: CopyEnd,
        capacity: Pointer<Real>,
    ) -> Result<(), ExecError> {
        parcels.shares.iter().try_for_each(|share| {
            self.with_message(head, share, components, |message| {
                let table = parcels.table.with_chunks(&share.chunks);
                Ok(self.copy((tables, table), [Self::messages(tables, parcels, message), to], components, capacity)?)
            })
        })
    }

    /// Copies the regions of a table, so many components a cell. `capacity`: as for [`Self::unpack`].
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
            padding: 0,
        };
        // SAFETY: the regions lie in the patches of both ends, and arrays have room for their components; each cell has one region.
        unsafe { self.machine.run(&COPY_CELLS, D, table.num_chunks as usize, &args) }
    }

    /// The blocks of messages in the device's memory.
    pub(super) fn messages(tables: &N::Memory, parcels: &Parcels, memory: Pointer<Real>) -> CopyEnd {
        CopyEnd { patches: parcels.blocks::<N>(tables), array: memory }
    }
}

/// Sends ranks their parts of messages that follow one another.
fn post<'a, R: Scalar>(
    ranks: &Ranks,
    head: Head,
    (mut shares, components): (impl Iterator<Item = &'a Share>, usize),
    bytes: &[u8],
) -> Result<(), CommError> {
    shares.try_for_each(|Share { rank, cells, .. }| {
        let count = cells.len() * components;
        let mut message = ranks.message::<R>(head, count);
        let numbers: &mut [R] = &mut message.numbers_mut()[PACK_OVERRUN..][..count];
        let start = (PACK_OVERRUN + cells.start * components) * R::BYTES;
        bytes_of_mut(numbers).copy_from_slice(&bytes[start..][..count * R::BYTES]);
        ranks.post(*rank, message)
    })
}
