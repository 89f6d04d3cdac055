//! Messages that this rank's device reads in the memory of other ranks, and those that MPI has received in this one's: their buffers are free
//! again when the host knows that the reads are complete.

use super::Machine;
use crate::exec::comm::Ranks;
use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

/// A read that has been enqueued.
pub(super) struct Read<S> {
    /// Within a process, memory is free when nobody holds it.
    pub memory: Arc<S>,
    /// Memory of another process is free when this rank, its owner, gets an acknowledgement.
    pub acknowledge_to: Option<usize>,
}

/// All reads that are not known to be complete, in the order in which they were enqueued. To be dropped after the machine: then all are
/// complete.
pub(super) struct Reads<N: Machine> {
    ranks: Ranks,
    enqueued: VecDeque<Read<N::Shared>>,
    /// So many were enqueued before the device's last mark.
    marked: usize,
}

impl<N: Machine> Reads<N> {
    pub fn new(ranks: Ranks) -> Self {
        Reads { ranks, enqueued: VecDeque::new(), marked: 0 }
    }

    pub fn add(&mut self, read: Read<N::Shared>) {
        self.enqueued.push_back(read);
    }

    /// The device has been marked: the reads so far are complete when it has reached the mark.
    pub fn mark(&mut self) {
        self.marked = self.enqueued.len();
    }

    /// The device has reached its last mark.
    pub fn complete_marked(&mut self) {
        let marked = std::mem::take(&mut self.marked);
        self.complete(marked);
    }

    /// Frees the buffers of so many reads, the oldest, which are complete.
    fn complete(&mut self, count: usize) {
        let mut acknowledged: BTreeMap<usize, usize> = BTreeMap::new();
        for Read { memory, acknowledge_to } in self.enqueued.drain(..count) {
            drop(memory);
            if let Some(rank) = acknowledge_to {
                *acknowledged.entry(rank).or_default() += 1;
            }
        }
        acknowledged.into_iter().for_each(|(rank, count)| self.ranks.post_acknowledgement(rank, count));
    }
}

impl<N: Machine> Drop for Reads<N> {
    fn drop(&mut self) {
        self.complete(self.enqueued.len());
    }
}
