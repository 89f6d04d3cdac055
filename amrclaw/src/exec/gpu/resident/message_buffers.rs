//! Device memory for messages: this rank's buffers, each reused when all reads are complete, and opened buffers of other processes.

use super::reads::{Read, Reads};
use super::{Machine, ResidentExecutor};
use crate::exec::ExecError;
use crate::ranks::{CommError, MessageHeader, Ranks};
use cuda::CudaError;
use parking_lot::Mutex;
use std::collections::hash_map::Entry;
use std::collections::{BTreeMap, HashMap, VecDeque};
use std::ops::Range;
use std::sync::Arc;

/// Memory for messages, its size in bytes, and its handle for other processes, empty if none reads it.
pub(super) struct SendBuffer<N: Machine> {
    pub memory: Arc<N::Shared>,
    room: usize,
    handle: Arc<Vec<u64>>,
}

/// What a rank of the same process gets: the memory and the byte range of its message.
struct MessagePlace<S> {
    memory: Arc<S>,
    place: Range<usize>,
}

/// This rank's memory for messages.
struct MessageBuffers<N: Machine> {
    own: Vec<SendBuffer<N>>,
    /// For each rank of another process, the buffers that it has not acknowledged, the oldest first.
    unacknowledged: BTreeMap<usize, VecDeque<Arc<N::Shared>>>,
}

impl<N: Machine> Default for MessageBuffers<N> {
    fn default() -> Self {
        MessageBuffers { own: Vec::new(), unacknowledged: BTreeMap::new() }
    }
}

impl<N: Machine> Clone for SendBuffer<N> {
    fn clone(&self) -> Self {
        SendBuffer { memory: self.memory.clone(), room: self.room, handle: self.handle.clone() }
    }
}

/// What a rank keeps to exchange messages between devices. To be dropped after the machine: see [`Reads`].
pub(super) struct Links<N: Machine> {
    /// MPI sends messages from device to device, once ranks have agreed.
    pub sends_from_device: Option<bool>,
    /// This rank's device memory for messages.
    buffers: Arc<Mutex<MessageBuffers<N>>>,
    /// What this rank reads of other ranks' messages.
    pub reads: Mutex<Reads<N>>,
    /// Opened memory of other processes, by its handle.
    opened: Mutex<HashMap<Vec<u64>, Arc<N::Shared>>>,
}

impl<N: Machine> Links<N> {
    pub fn new(ranks: Ranks) -> Self {
        let reads = Mutex::new(Reads::new(ranks));
        Links { sends_from_device: None, buffers: Arc::default(), reads, opened: Mutex::default() }
    }

    /// True if MPI sends messages from device to device.
    pub fn send_from_device(&self) -> bool {
        self.sends_from_device == Some(true)
    }
}

impl<const D: usize, N: Machine> ResidentExecutor<D, N> {
    /// Finds out which ranks of other processes read one another's memory. All ranks call it once.
    pub(super) fn find_peer_access(&mut self) -> Result<(), ExecError> {
        let mut own = self.machine.share(1)?;
        // Without a handle no other process reads it.
        let handle = self.machine.export(&mut own).unwrap_or_default();
        self.ranks.find_peer_access(&handle, |words| self.machine.import(words).is_ok())?;
        // Other processes, and MPI, may have memory open until they leave.
        self.ranks.keep((own, self.links.buffers.clone()));
        Ok(())
    }

    /// Memory for a message that MPI will write; no work of the device on it is pending.
    pub(super) fn receive_buffer(&self, bytes: usize) -> Result<Arc<N::Shared>, CudaError> {
        let memory = self.send_buffer(bytes)?.memory;
        self.machine.finish(&memory)?;
        Ok(memory)
    }

    /// Memory for messages, which no rank and no MPI reads any more: reused, or new.
    pub(super) fn send_buffer(&self, bytes: usize) -> Result<SendBuffer<N>, CudaError> {
        let MessageBuffers { own, unacknowledged } = &mut *self.links.buffers.lock();
        for (&rank, buffers) in unacknowledged.iter_mut().filter(|(_, buffers)| !buffers.is_empty()) {
            while let Some(count) = self.ranks.next_acknowledgement(rank) {
                buffers.drain(..count);
            }
        }
        // Few sizes: a buffer fits messages of later steps.
        let room = bytes.next_power_of_two();
        let is_free = |buffer: &mut SendBuffer<N>| buffer.room == room && Arc::get_mut(&mut buffer.memory).is_some();
        if let Some(number) = own.iter_mut().position(is_free) {
            return Ok(own[number].clone());
        }
        let mut memory = self.machine.share(room)?;
        let handle = if self.ranks.exports_memory() { self.machine.export(&mut memory)? } else { Vec::new() };
        // The device may still use what was in this memory before.
        self.machine.publish(&memory)?;
        own.push(SendBuffer { memory: Arc::new(memory), room, handle: Arc::new(handle) });
        Ok(own[own.len() - 1].clone())
    }

    /// Sends the place of a message to a rank that reads this one's memory.
    pub(super) fn send_place(
        &self,
        rank: usize,
        header: MessageHeader,
        SendBuffer { memory, handle, .. }: &SendBuffer<N>,
        place: Range<usize>,
    ) -> Result<(), CommError> {
        if self.ranks.share_process() {
            return self.ranks.send_object(rank, header, place.len(), MessagePlace { memory: memory.clone(), place });
        }
        self.links.buffers.lock().unacknowledged.entry(rank).or_default().push_back(memory.clone());
        self.ranks.post_handle(rank, header, &place, handle)
    }

    /// Lets kernels read the next message of a rank whose memory this one reads. `work` gets memory, and the byte at which the message begins.
    pub(super) fn with_peer_message(
        &self,
        rank: usize,
        header: MessageHeader,
        bytes: usize,
        work: impl FnOnce(&N::Memory, usize) -> Result<(), ExecError>,
    ) -> Result<(), ExecError> {
        if self.ranks.share_process() {
            let MessagePlace { memory, place } = self.ranks.receive_object::<MessagePlace<N::Shared>>(rank, header)?;
            assert_eq!(place.len(), bytes, "bytes from rank {rank}: {header:?}");
            self.with_shared(&memory, place, work)?;
            return Ok(self.links.reads.lock().add(&self.machine, Read { memory, acknowledge_to: None })?);
        }
        let (place, handle) = self.ranks.wait_for_handle(rank, header)?;
        assert_eq!(place.len(), bytes, "bytes from rank {rank}: {header:?}");
        let memory = self.opened_memory(handle)?;
        self.with_shared(&memory, place, work)?;
        Ok(self.links.reads.lock().add(&self.machine, Read { memory, acknowledge_to: Some(rank) })?)
    }

    /// The memory of a handle, which is opened the first time.
    fn opened_memory(&self, handle: Vec<u64>) -> Result<Arc<N::Shared>, CudaError> {
        match self.links.opened.lock().entry(handle) {
            Entry::Occupied(known) => Ok(known.get().clone()),
            Entry::Vacant(new) => {
                let memory = Arc::new(self.machine.import(new.key())?);
                Ok(new.insert(memory).clone())
            }
        }
    }

    /// Lets kernels read what another machine has published.
    fn with_shared(
        &self,
        from: &N::Shared,
        place: Range<usize>,
        work: impl FnOnce(&N::Memory, usize) -> Result<(), ExecError>,
    ) -> Result<(), ExecError> {
        if self.machine.begin_reading(from)? {
            work(N::shared_memory(from), place.start)?;
        } else {
            let memory = self.machine.allocate(place.len())?;
            self.machine.read((from, place.start), (&memory, 0), place.len())?;
            work(&memory, 0)?;
        }
        Ok(())
    }
}
