//! Messages that this rank's device reads in the memory of other ranks, and those that MPI has received in this one's: their buffers are free
//! again when the host knows that the reads are complete.

use super::Machine;
use crate::exec::comm::Ranks;
use cuda::CudaError;
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
    /// So many were enqueued before this memory was published last, which serves as a mark alone.
    halfway: Option<(N::Shared, usize)>,
}

/// Largest number of reads that are not known to be complete. Levels with many substeps exchange more messages than this in one step of the
/// coarsest level, whose buffers would all be in use.
const MAX_ENQUEUED: usize = 64;

impl<N: Machine> Reads<N> {
    pub fn new(ranks: Ranks) -> Self {
        Reads { ranks, enqueued: VecDeque::new(), marked: 0, halfway: None }
    }

    /// Adds a read. If there are too many, waits until the device has completed the older half, which needs only work of other ranks that
    /// they have enqueued already.
    pub fn add(&mut self, machine: &N, read: Read<N::Shared>) -> Result<(), CudaError> {
        self.enqueued.push_back(read);
        match self.enqueued.len() {
            count if count == MAX_ENQUEUED / 2 => self.mark_halfway(machine),
            MAX_ENQUEUED => {
                let completed =
                    self.halfway.as_ref().map_or(Ok(0), |(memory, count)| machine.finish(memory).map(|()| *count))?;
                self.complete(completed);
                self.mark_halfway(machine)
            }
            _ => Ok(()),
        }
    }

    /// Marks the reads so far, to be waited for when there are too many.
    fn mark_halfway(&mut self, machine: &N) -> Result<(), CudaError> {
        let memory = self.halfway.take().map_or_else(|| machine.share(1), |(memory, _)| Ok(memory))?;
        machine.publish(&memory)?;
        self.halfway = Some((memory, self.enqueued.len()));
        Ok(())
    }

    /// The device has been marked: the reads so far are complete when it has reached the mark.
    pub fn mark(&mut self) {
        self.marked = self.enqueued.len();
    }

    /// The device has reached its last mark.
    pub fn complete_marked(&mut self) {
        self.complete(self.marked);
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
        self.marked = self.marked.saturating_sub(count);
        if let Some((_, halfway)) = &mut self.halfway {
            *halfway = halfway.saturating_sub(count);
        }
        acknowledged.into_iter().for_each(|(rank, count)| self.ranks.post_acknowledgement(rank, count));
    }
}

impl<N: Machine> Drop for Reads<N> {
    fn drop(&mut self) {
        self.complete(self.enqueued.len());
    }
}

#[cfg(test)]
mod tests {
    use super::super::gather::tests::Host;
    use super::*;
    use crate::exec::device::Queue;

    /// Reads without any collection between them, as within a step of many substeps, hold a bounded number of buffers: the others are free.
    /// Collections in between, which complete some of them, change nothing in this.
    #[test]
    fn a_step_of_many_messages_holds_few_buffers() {
        let mut reads = Reads::<Host>::new(Ranks::default());
        let memory = Arc::new(Host.allocate(8).expect("memory of the host"));
        for k in 0..10 * MAX_ENQUEUED {
            reads.add(&Host, Read { memory: memory.clone(), acknowledge_to: None }).expect("the host does not fail");
            match k % 90 {
                40 => reads.mark(),
                55 if k < 5 * MAX_ENQUEUED => reads.complete_marked(),
                _ => {}
            }
            assert!(
                (2..=MAX_ENQUEUED).contains(&Arc::strong_count(&memory)),
                "{} after {k}",
                Arc::strong_count(&memory)
            );
        }
        drop(reads);
        assert_eq!(Arc::strong_count(&memory), 1);
    }
}
