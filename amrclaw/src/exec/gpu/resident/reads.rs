//! Messages that this rank's device reads in the memory of other ranks, and those that MPI has received in this one's: their buffers are free
//! again when the host knows that the reads are complete.

use super::Machine;
use crate::ranks::Ranks;
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
    /// Largest number of enqueued reads.
    max_enqueued: usize,
    /// Memory that was published, as a mark alone, when half as many reads were enqueued.
    halfway: Option<N::Shared>,
}

/// Largest number of reads for each other rank that are not known to be complete: some two steps of the coarsest level with three levels.
const MAX_ENQUEUED_PER_RANK: usize = 32;

impl<N: Machine> Reads<N> {
    pub fn new(ranks: Ranks) -> Self {
        let max_enqueued = MAX_ENQUEUED_PER_RANK * (ranks.rank().of - 1).max(1);
        Reads { ranks, enqueued: VecDeque::new(), max_enqueued, halfway: None }
    }

    /// Adds a read. If there are too many, waits until the device has completed the older half, which needs only work of other ranks that
    /// they have enqueued already.
    pub fn add(&mut self, machine: &N, read: Read<N::Shared>) -> Result<(), CudaError> {
        self.enqueued.push_back(read);
        if self.enqueued.len() == self.max_enqueued {
            self.halfway.as_ref().map_or(Ok(()), |memory| machine.finish(memory))?;
            self.complete(self.max_enqueued / 2);
        }
        if self.enqueued.len() == self.max_enqueued / 2 { self.mark_halfway(machine) } else { Ok(()) }
    }

    /// Marks the reads so far, to be waited for when there are too many.
    fn mark_halfway(&mut self, machine: &N) -> Result<(), CudaError> {
        let memory = self.halfway.take().map_or_else(|| machine.share(1), Ok)?;
        machine.publish(&memory)?;
        self.halfway = Some(memory);
        Ok(())
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

#[cfg(test)]
mod tests {
    use super::super::gather::tests::Host;
    use super::*;
    use crate::exec::gpu::device::Queue;

    /// Reads that nobody completes hold a bounded number of buffers: the others are free.
    #[test]
    fn a_step_of_many_messages_holds_few_buffers() {
        let mut reads = Reads::<Host>::new(Ranks::default());
        let memory = Arc::new(Host.allocate(8).expect("memory of the host"));
        for k in 0..10 * MAX_ENQUEUED_PER_RANK {
            reads.add(&Host, Read { memory: memory.clone(), acknowledge_to: None }).expect("the host does not fail");
            assert!(
                (2..=MAX_ENQUEUED_PER_RANK).contains(&Arc::strong_count(&memory)),
                "{} after {k}",
                Arc::strong_count(&memory)
            );
        }
        drop(reads);
        assert_eq!(Arc::strong_count(&memory), 1);
    }
}
