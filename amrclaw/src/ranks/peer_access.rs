//! Device memory that ranks of other processes on the same machine read in place: its owner sends a handle, the reader an acknowledgement.

use super::{CommError, Communicator, MessageHeader, Ranks};
use crate::mesh::Rank;
use parking_lot::Mutex;
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::atomic::Ordering;
use std::thread::sleep;
use std::time::{Duration, Instant};

/// How long a rank that leaves waits for acknowledgements. All ranks have sent theirs by then, unless an error has stopped one.
const ACKNOWLEDGED_WITHIN: Duration = Duration::from_secs(10);

/// How often a rank that leaves polls for them.
const POLL_INTERVAL: Duration = Duration::from_micros(50);

/// Access to device memory between processes on one machine: its acknowledgements, which are not ordered with respect to messages.
pub trait PeerAccess {
    /// Identifies the machine: the same for all ranks on it, different on any other.
    fn machine_id(&self) -> [u64; 2];

    /// The counts of messages to be acknowledged.
    fn acknowledgements(&self) -> &Acknowledgements;

    /// Acknowledges that `count` messages of another rank, the oldest that have not been acknowledged, have been read.
    fn post_acknowledgement(&self, to: usize, count: u64);

    /// The next acknowledgement of another rank, if it has arrived: how many of this rank's messages it has read.
    fn take_acknowledgement(&self, from: usize) -> Option<u64>;
}

/// How many messages each rank has still to acknowledge.
#[derive(Default)]
pub struct Acknowledgements(Mutex<BTreeMap<usize, u64>>);

impl Acknowledgements {
    /// Counts one more message that a rank has to acknowledge.
    pub fn expect(&self, from: usize) {
        *self.0.lock().entry(from).or_default() += 1;
    }

    /// The next acknowledgement of a rank, if it has arrived; its messages are no longer counted.
    pub fn next(&self, peer_access: &dyn PeerAccess, from: usize) -> Option<u64> {
        let count = peer_access.take_acknowledgement(from)?;
        *self.0.lock().get_mut(&from).expect("an acknowledgement answers a handle") -= count;
        Some(count)
    }

    /// Waits until all messages are acknowledged: no acknowledgement may be under way when ranks leave.
    pub fn wait_for_all(&self, peer_access: &dyn PeerAccess) {
        let owes = || self.0.lock().iter().find(|(_, owed)| **owed > 0).map(|(&from, _)| from);
        let clock = Instant::now();
        while let Some(from) = owes().filter(|_| clock.elapsed() < ACKNOWLEDGED_WITHIN) {
            if self.next(peer_access, from).is_none() {
                sleep(POLL_INTERVAL);
            }
        }
    }
}

/// Which ranks read one another's memory: of two ranks, both read the other's or neither does.
#[derive(Debug)]
pub(super) struct PeerReaders {
    /// For each rank, whether it reads this one's memory.
    of_this: Vec<bool>,
    /// Every rank reads the memory of every other.
    all: bool,
}

impl Ranks {
    /// True if a rank and this one can read one another's device memory in place: they are of one process, or have access to it.
    pub(crate) fn has_peer_access(&self, rank: usize) -> bool {
        self.share_process() || self.shared.readers.get().is_some_and(|readers| readers.of_this[rank])
    }

    /// True if every rank can read the device memory of every other in place. The answer is the same on all ranks.
    pub(crate) fn all_have_peer_access(&self) -> bool {
        self.share_process() || self.shared.readers.get().is_some_and(|readers| readers.all)
    }

    /// True if ranks of other processes read this one's device memory.
    pub(crate) fn exports_memory(&self) -> bool {
        self.shared.readers.get().is_some_and(|readers| readers.of_this.contains(&true))
    }

    /// Finds out which ranks of other processes can read one another's device memory. `handle`: a handle of this rank's memory, empty if
    /// there is none; `import`: tries to open another rank's handle. All ranks call it; when it returns, that memory may be freed.
    ///
    /// # Errors
    /// As for [`Communicator::wait`].
    pub(crate) fn find_peer_access(&self, handle: &[u64], import: impl Fn(&[u64]) -> bool) -> Result<(), CommError> {
        let Rank { number, of } = self.rank();
        let machine = self.comm.peer_access().map(PeerAccess::machine_id);
        let own = machine.map_or_else(Vec::new, |machine| [machine.as_slice(), handle].concat());
        let all = self.gather(&own)?;
        let can_read = |other: usize| match all[other].split_at_checked(2) {
            Some((name, handle)) if other != number && machine.is_some_and(|machine| name == machine) => {
                !handle.is_empty() && import(handle)
            }
            _ => false,
        };
        let reads: Vec<u64> = (0..of).map(can_read).map(u64::from).collect();
        let all = self.gather(&reads)?;
        let read_one_another = |rank: usize, other: usize| all[rank][other] != 0 && all[other][rank] != 0;
        let of_rank = |rank: usize| (0..of).map(move |other| (other, rank));
        let readers = PeerReaders {
            of_this: (0..of).map(|other| read_one_another(number, other)).collect(),
            all: (0..of).flat_map(of_rank).all(|(other, rank)| other == rank || read_one_another(rank, other)),
        };
        // This is called once.
        let _ = self.shared.readers.set(readers);
        Ok(())
    }

    /// Sends another rank the handle of this rank's memory, and which bytes of it to read. They must not change before the acknowledgement.
    pub(crate) fn post_handle(
        &self,
        to: usize,
        header: MessageHeader,
        place: &Range<usize>,
        handle: &[u64],
    ) -> Result<(), CommError> {
        self.shared.bytes.fetch_add(place.len() as u64, Ordering::Relaxed);
        peer_access_of(self.comm.as_ref()).acknowledgements().expect(to);
        self.post_words(to, header, &[&[place.start as u64, place.len() as u64], handle].concat())
    }

    /// Waits for the handle of another rank's memory, and which bytes of it to read. Handles are acknowledged in the order of their arrival.
    pub(crate) fn wait_for_handle(
        &self,
        from: usize,
        header: MessageHeader,
    ) -> Result<(Range<usize>, Vec<u64>), CommError> {
        let mut words = self.wait_for_words(from, header)?;
        let handle = words.split_off(2);
        let [start, len] = [words[0] as usize, words[1] as usize];
        Ok((start..start + len, handle))
    }

    /// Acknowledges the oldest `count` handles of another rank that have not been acknowledged: their memory has been read.
    pub(crate) fn post_acknowledgement(&self, to: usize, count: usize) {
        peer_access_of(self.comm.as_ref()).post_acknowledgement(to, count as u64);
    }

    /// The next acknowledgement of another rank, if it has arrived: a number of handles.
    pub(crate) fn next_acknowledgement(&self, from: usize) -> Option<usize> {
        let peer_access = peer_access_of(self.comm.as_ref());
        peer_access.acknowledgements().next(peer_access, from).map(|count| count as usize)
    }
}

fn peer_access_of(comm: &dyn Communicator) -> &dyn PeerAccess {
    comm.peer_access().expect("asked for where ranks have it")
}
