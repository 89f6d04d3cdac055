//! Memory of a rank's device that ranks of other processes on the same machine read where it lies: it is lent, and comes back by a receipt.

use super::{CommError, Communicator, Head, Ranks};
use crate::mesh::Rank;
use parking_lot::Mutex;
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::atomic::Ordering;
use std::thread::sleep;
use std::time::{Duration, Instant};

/// How long receipts may be on their way when ranks leave, all of which have read what there was to read: else they do not come, after an error.
const RECEIPTS_WITHIN: Duration = Duration::from_secs(10);

/// How often a rank that leaves looks for them.
const LOOK: Duration = Duration::from_micros(50);

/// What ranks of one machine tell one another beside messages, and in no order with these.
pub trait Lending {
    /// The machine: the same for all of its ranks, and for no other.
    fn machine(&self) -> [u64; 2];

    /// Receipts that are still to come.
    fn receipts(&self) -> &Receipts;

    /// Tells another rank that the oldest of what it has lent has been read, and what it needs to know of that.
    fn post_receipt(&self, to: usize, words: Vec<u64>);

    /// The next receipt of another rank, if it is there.
    fn take_receipt(&self, from: usize) -> Option<Vec<u64>>;
}

/// How many receipts are still to come of each rank.
#[derive(Default)]
pub struct Receipts(Mutex<BTreeMap<usize, usize>>);

impl Receipts {
    /// Another rank has been lent something.
    pub fn expect(&self, from: usize) {
        *self.0.lock().entry(from).or_default() += 1;
    }

    /// The next of another rank, if it is there.
    pub fn next(&self, lending: &dyn Lending, from: usize) -> Option<Vec<u64>> {
        let receipt = lending.take_receipt(from)?;
        *self.0.lock().get_mut(&from).expect("receipts come of what has been lent") -= 1;
        Some(receipt)
    }

    /// Waits until all have come: ranks are to leave with nothing on its way.
    pub fn wait_for_all(&self, lending: &dyn Lending) {
        let owes = || self.0.lock().iter().find(|(_, owed)| **owed > 0).map(|(&from, _)| from);
        let clock = Instant::now();
        while let Some(from) = owes().filter(|_| clock.elapsed() < RECEIPTS_WITHIN) {
            if self.next(lending, from).is_none() {
                sleep(LOOK);
            }
        }
    }
}

/// Who reads whose memory: of two ranks both the other's, or neither.
#[derive(Debug)]
pub(super) struct Readers {
    /// Of each rank whether it reads this one's.
    of_this: Vec<bool>,
    /// All read that of all others.
    all: bool,
}

impl Ranks {
    /// True if a rank can be handed what lies in this one's memory: it is of the same process, or reads it where it lies.
    pub(in crate::exec) fn reads(&self, rank: usize) -> bool {
        self.share_process() || self.shared.readers.get().is_some_and(|readers| readers.of_this[rank])
    }

    /// Every rank can be handed what lies in another's memory. All ranks know the same.
    pub(in crate::exec) fn all_read(&self) -> bool {
        self.share_process() || self.shared.readers.get().is_some_and(|readers| readers.all)
    }

    /// Some ranks of other processes read this one's memory.
    pub(in crate::exec) fn lends(&self) -> bool {
        self.shared.readers.get().is_some_and(|readers| readers.of_this.contains(&true))
    }

    /// Finds out which ranks of other processes read the memory of each other's devices. `exported`: words by which this one's can be read,
    /// none if it cannot; `import`: tries to read another's. All ranks call it, and may give back what they have tried when it returns.
    ///
    /// # Errors
    /// As for [`Communicator::wait`].
    pub(in crate::exec) fn find_readers(
        &self,
        exported: &[u64],
        import: impl Fn(&[u64]) -> bool,
    ) -> Result<(), CommError> {
        let Rank { number, of } = self.rank();
        let machine = self.comm.lending().map(Lending::machine);
        let told = machine.map_or_else(Vec::new, |machine| [machine.as_slice(), exported].concat());
        let all = self.gather(&told)?;
        let can_read = |other: usize| match all[other].split_at_checked(2) {
            Some((name, exported)) if other != number && machine.is_some_and(|machine| name == machine) => {
                !exported.is_empty() && import(exported)
            }
            _ => false,
        };
        let reads: Vec<u64> = (0..of).map(can_read).map(u64::from).collect();
        let all = self.gather(&reads)?;
        let read_one_another = |rank: usize, other: usize| all[rank][other] != 0 && all[other][rank] != 0;
        let of_rank = |rank: usize| (0..of).map(move |other| (other, rank));
        let readers = Readers {
            of_this: (0..of).map(|other| read_one_another(number, other)).collect(),
            all: (0..of).flat_map(of_rank).all(|(other, rank)| other == rank || read_one_another(rank, other)),
        };
        // All ranks come here once.
        let _ = self.shared.readers.set(readers);
        Ok(())
    }

    /// Lends another rank bytes of this rank's memory, which its words tell, until a receipt comes.
    pub(in crate::exec) fn lend(
        &self,
        to: usize,
        head: Head,
        place: &Range<usize>,
        exported: &[u64],
    ) -> Result<(), CommError> {
        self.shared.bytes.fetch_add(place.len() as u64, Ordering::Relaxed);
        lending_of(self.comm.as_ref()).receipts().expect(to);
        self.post_words(to, head, &[&[place.start as u64, place.len() as u64], exported].concat())
    }

    /// Waits for what another rank lends: which bytes of memory that words tell. To be given back by a receipt, in the order of what was borrowed.
    pub(in crate::exec) fn borrow(&self, from: usize, head: Head) -> Result<(Range<usize>, Vec<u64>), CommError> {
        let mut words = self.wait_for_words(from, head)?;
        let exported = words.split_off(2);
        let [start, len] = [words[0] as usize, words[1] as usize];
        Ok((start..start + len, exported))
    }

    /// Gives back what another rank has lent.
    pub(in crate::exec) fn post_receipt(&self, to: usize, words: &[u64]) {
        lending_of(self.comm.as_ref()).post_receipt(to, words.to_vec());
    }

    /// The next receipt of another rank, if it is there.
    pub(in crate::exec) fn next_receipt(&self, from: usize) -> Option<Vec<u64>> {
        let lending = lending_of(self.comm.as_ref());
        lending.receipts().next(lending, from)
    }
}

fn lending_of(comm: &dyn Communicator) -> &dyn Lending {
    comm.lending().expect("asked for where ranks lend")
}
