//! Memory for messages that stay on devices: this rank's own, until all have read it, and what other processes lend.

use super::{Machine, ResidentExecutor};
use crate::exec::ExecError;
use crate::exec::comm::{CommError, Head};
use cuda::CudaError;
use parking_lot::Mutex;
use riemann::real::Scalar;
use std::collections::hash_map::Entry;
use std::collections::{BTreeMap, HashMap, VecDeque};
use std::ops::Range;
use std::sync::Arc;

/// Memory for messages, with its bytes, and words by which other processes read it, if any do.
pub(super) struct Outbox<N: Machine> {
    pub memory: Arc<N::Shared>,
    room: usize,
    exported: Arc<Vec<u64>>,
}

/// What a rank of the same process is handed: where its message lies, in bytes.
struct Handed<S> {
    memory: Arc<S>,
    place: Range<usize>,
}

/// What another process lends, and the words of a receipt.
type Imported<N> = Arc<(<N as Machine>::Shared, Vec<u64>)>;

/// What there is of it.
pub(super) struct MessageMemories<N: Machine> {
    own: Vec<Outbox<N>>,
    /// Too small by now, and other processes may have it open. Sizes double: all of these together have no more bytes than those in use.
    outgrown: Vec<Arc<N::Shared>>,
    /// What ranks of other processes have not given back, of each the oldest first.
    lent: BTreeMap<usize, VecDeque<Arc<N::Shared>>>,
}

impl<N: Machine> Default for MessageMemories<N> {
    fn default() -> Self {
        MessageMemories { own: Vec::new(), outgrown: Vec::new(), lent: BTreeMap::new() }
    }
}

impl<N: Machine> Clone for Outbox<N> {
    fn clone(&self) -> Self {
        Outbox { memory: self.memory.clone(), room: self.room, exported: self.exported.clone() }
    }
}

/// What other processes lend, by the words that tell it.
pub(super) type Borrowed<N> = Mutex<HashMap<Vec<u64>, Imported<N>>>;

impl<const D: usize, R: Scalar, N: Machine> ResidentExecutor<D, R, N> {
    /// Finds out which ranks of other processes read one another's memory. All ranks call it once.
    pub(super) fn find_readers(&mut self) -> Result<(), ExecError> {
        let mut own = self.machine.share(1)?;
        // What cannot be exported is for none to read.
        let exported = self.machine.export(&mut own).unwrap_or_default();
        self.ranks.find_readers(&exported, |words| self.machine.import(words).is_ok())?;
        // Other processes, and MPI, may have memory open until they leave.
        self.messages.lock().outgrown.push(Arc::new(own));
        self.ranks.keep(self.messages.clone());
        Ok(())
    }

    /// Memory for messages that kernels are to write.
    pub(super) fn outbox(&self, bytes: usize) -> Result<Outbox<N>, CudaError> {
        let outbox = self.message_memory(bytes)?;
        self.machine.reclaim(&outbox.memory)?;
        Ok(outbox)
    }

    /// Memory for a message that MPI is to write, with which the device has nothing left to do.
    pub(super) fn inbox(&self, bytes: usize) -> Result<Arc<N::Shared>, CudaError> {
        let memory = self.message_memory(bytes)?.memory;
        self.machine.finish(&memory)?;
        Ok(memory)
    }

    /// Memory for messages that nobody holds any more.
    fn message_memory(&self, bytes: usize) -> Result<Outbox<N>, CudaError> {
        let MessageMemories { own, outgrown, lent } = &mut *self.messages.lock();
        for (&rank, lent) in lent.iter_mut() {
            while let Some(receipt) = (!lent.is_empty()).then(|| self.ranks.next_receipt(rank)).flatten() {
                let memory = lent.pop_front().expect("there is one");
                self.machine.end_reading_elsewhere(&memory, &receipt)?;
            }
        }
        // What is still held has not been asked for by its reader, or not been sent.
        let is_free = |outbox: &mut Outbox<N>| Arc::get_mut(&mut outbox.memory).is_some();
        if let Some(number) = own.iter_mut().position(|outbox| outbox.room >= bytes && is_free(outbox)) {
            return Ok(own[number].clone());
        }
        // Those that are too small by now would be in the way.
        let too_small = own.extract_if(.., is_free);
        outgrown.extend(too_small.filter(|outbox| !outbox.exported.is_empty()).map(|outbox| outbox.memory));
        let room = bytes.next_power_of_two();
        let mut memory = self.machine.share(room)?;
        let exported = if self.ranks.lends() { self.machine.export(&mut memory)? } else { Vec::new() };
        // The device may still use what lay there before.
        self.machine.publish(&memory)?;
        own.push(Outbox { memory: Arc::new(memory), room, exported: Arc::new(exported) });
        Ok(own[own.len() - 1].clone())
    }

    /// Lets a rank that reads this one's memory have a message that lies there.
    pub(super) fn hand_over(
        &self,
        rank: usize,
        head: Head,
        Outbox { memory, exported, .. }: &Outbox<N>,
        place: Range<usize>,
    ) -> Result<(), CommError> {
        if self.ranks.share_process() {
            return self.ranks.hand(rank, head, place.len(), Handed { memory: memory.clone(), place });
        }
        self.messages.lock().lent.entry(rank).or_default().push_back(memory.clone());
        self.ranks.lend(rank, head, &place, exported)
    }

    /// Lets kernels read what a rank hands over next whose memory this one reads: so many bytes, from a place on.
    pub(super) fn with_handed(
        &self,
        rank: usize,
        head: Head,
        bytes: usize,
        work: impl FnOnce(&N::Memory, usize) -> Result<(), ExecError>,
    ) -> Result<(), ExecError> {
        if self.ranks.share_process() {
            let Handed { memory, place } = self.ranks.take::<Handed<N::Shared>>(rank, head)?;
            assert_eq!(place.len(), bytes, "bytes from rank {rank}: {head:?}");
            return self.with_shared(&memory, place, work);
        }
        let (place, exported) = self.ranks.borrow(rank, head)?;
        assert_eq!(place.len(), bytes, "bytes from rank {rank}: {head:?}");
        let imported = self.imported(exported)?;
        self.with_shared(&imported.0, place, work)?;
        self.ranks.post_receipt(rank, &imported.1);
        Ok(())
    }

    /// What another process lends.
    fn imported(&self, exported: Vec<u64>) -> Result<Imported<N>, CudaError> {
        match self.borrowed.lock().entry(exported) {
            Entry::Occupied(known) => Ok(known.get().clone()),
            Entry::Vacant(new) => {
                let imported = Arc::new(self.machine.import(new.key())?);
                Ok(new.insert(imported).clone())
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
        Ok(self.machine.end_reading(from)?)
    }
}
