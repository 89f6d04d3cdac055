//! Communication between the ranks that run one case together.
//!
//! Every rank runs the same driver over the same hierarchy and holds the values of its own patches alone. So all ranks take the same steps
//! in the same order, and messages are matched by their order; the header of a message ([`MessageHeader`]) only verifies this. What one rank alone
//! knows (a Courant number, a flag, a failure) is sent to all ranks before any of them acts on it.
//!
//! Messages of known length are announced before a rank's own work ([`Communicator::expect`]), so that MPI receives them meanwhile. Ranks of one
//! process pass addresses through a `Mailbox`; ranks of one machine whose GPUs reach each other's memory pass handles (`PeerAccess`); a GPU-aware
//! MPI sends from device memory (`DeviceMessages`).

mod collective;
mod direct_transfer;
mod error;
mod mailbox;
mod message;
pub mod mpi;
mod peer_access;
mod peer_timeout;
mod run_lengths;
mod solo;
mod threads;

pub use direct_transfer::DeviceMessages;
pub use error::CommError;
pub use mailbox::Mailbox;
pub use message::{Message, MessageHeader, MessageKind};
pub use mpi::Mpi;
use peer_access::PeerReaders;
pub use peer_access::{Acknowledgements, PeerAccess};
pub(crate) use run_lengths::RunLengths;
pub use threads::Threads;

use crate::mesh::Rank;
use parking_lot::Mutex;
use riemann::patch::PACK_OVERRUN;
use riemann::real::Scalar;
use serde::Serialize;
use serde::de::DeserializeOwned;
use solo::Solo;
use std::any::Any;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

/// Sends and receives messages of 64-bit words between ranks.
///
/// Messages between two ranks arrive in the order in which they were posted.
pub trait Communicator: Send + Sync {
    /// Which rank this is.
    fn rank(&self) -> Rank;

    /// Sends words to another rank; does not wait until they are received.
    ///
    /// # Errors
    /// Another rank has ended the run.
    fn post(&self, to: usize, words: Vec<u64>) -> Result<(), CommError>;

    /// Waits for the next message of another rank.
    ///
    /// # Errors
    /// Another rank has ended the run, or no message arrives before the timeout.
    fn wait(&self, from: usize) -> Result<Vec<u64>, CommError>;

    /// Announces that the next message of a rank has `words` words, so that it can be received while this rank works. Each is then waited for by
    /// [`Communicator::wait`], in the same order; a rank whose messages were announced sends no other ones before them.
    fn expect(&self, from: usize, words: usize) {
        let _ = (from, words);
    }

    /// Gathers every rank's words on all ranks, in the order of ranks. All ranks call it. `turn`: the number of the gather.
    ///
    /// # Errors
    /// As for [`Communicator::wait`].
    fn gather(&self, turn: u64, own: &[u64]) -> Result<Vec<Vec<u64>>, CommError> {
        let Rank { number, of } = self.rank();
        let mut gathered: Vec<Option<Vec<u64>>> = vec![None; of];
        gathered[number] = Some(own.to_vec());
        // Each rank sends all that it has, over a distance that doubles in each round: J. Bruck et al. 1997, doi:10.1109/71.642949.
        let mut distance = 1;
        while distance < of {
            let mut words = vec![GATHERED, turn];
            for (rank, part) in gathered.iter().enumerate().filter_map(|(rank, part)| Some((rank, part.as_ref()?))) {
                words.extend([rank as u64, part.len() as u64]);
                words.extend(part);
            }
            self.post((number + distance) % of, words)?;
            let from = (number + of - distance) % of;
            let received = self.wait(from)?;
            if !received.starts_with(&[GATHERED, turn]) {
                let found = match received[..] {
                    [GATHERED, other, ..] => format!("its part of gather {other}"),
                    _ => Message::received(received).to_string(),
                };
                let expected = format!("its part of gather {turn}");
                return Err(CommError::UnexpectedMessage { rank: from, waiting: number, expected, found });
            }
            let mut rest = &received[2..];
            while let [rank, len, after @ ..] = rest {
                let (part, after) = after.split_at(*len as usize);
                gathered[*rank as usize] = Some(part.to_vec());
                rest = after;
            }
            distance *= 2;
        }
        Ok(gathered.into_iter().flatten().collect())
    }

    /// Ends the run on all ranks, which report the first reason given.
    fn abort(&self, reason: &str);

    /// The mailbox through which ranks of one process pass objects; `None` if they are of several processes.
    fn mailbox(&self) -> Option<&Mailbox> {
        None
    }

    /// Messages between the memories of devices, where these need not pass through the host's memory.
    fn device_messages(&self) -> Option<&dyn DeviceMessages> {
        None
    }

    /// Access to the device memory of ranks in other processes on the same machine, where it is allowed.
    fn peer_access(&self) -> Option<&dyn PeerAccess> {
        None
    }

    /// From now on a device takes this rank's steps: the processor is free to poll longer for messages before it sleeps.
    fn poll_longer(&self) {}

    /// Keeps an object that other ranks may still use alive until all ranks leave.
    fn keep(&self, held: Box<dyn Any + Send>) {
        drop(held);
    }
}

/// The first word of the messages of [`Communicator::gather`]; no other message begins with it.
const GATHERED: u64 = u64::MAX;

/// Messages that one rank has sent, and its waiting time.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Traffic {
    /// Messages sent.
    pub messages: u64,
    /// Bytes sent with them.
    pub bytes: u64,
    /// Seconds spent in communication, waiting for other ranks included.
    pub waited: f64,
}

/// All ranks of a run, from the view of one of them. Clones belong to the same rank.
#[derive(Clone)]
pub struct Ranks {
    comm: Arc<dyn Communicator>,
    shared: Arc<Shared>,
    /// Largest number of cells of a level whose flags are gathered on all ranks; `None` for the default.
    most_gathered: Option<usize>,
}

/// State that all clones share.
#[derive(Default)]
struct Shared {
    /// Set from outside to end the run.
    asked: Arc<AtomicBool>,
    /// Set once all ranks know that one of them has been asked to end the run.
    agreed: Arc<AtomicBool>,
    /// Communication with the other ranks has ended.
    lost: AtomicBool,
    /// Which ranks of other processes read one another's memory, once known.
    readers: OnceLock<PeerReaders>,
    /// Buffers of earlier messages, for reuse.
    spare: Mutex<Vec<Vec<u64>>>,
    /// Per rank, how many messages this one has sent to it, and has received from it.
    sent: Vec<AtomicU64>,
    received: Vec<AtomicU64>,
    gathers: AtomicU64,
    messages: AtomicU64,
    bytes: AtomicU64,
    nanoseconds: AtomicU64,
}

impl Default for Ranks {
    fn default() -> Self {
        Ranks::new(Arc::new(Solo), Arc::default())
    }
}

impl std::fmt::Debug for Ranks {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.rank().fmt(f)
    }
}

impl Ranks {
    /// `asked`: set from outside to end the run; all ranks act on it at the same step, see [`Ranks::stop`].
    pub fn new(comm: Arc<dyn Communicator>, asked: Arc<AtomicBool>) -> Self {
        let of = comm.rank().of;
        let counters = || (0..of).map(|_| AtomicU64::new(0)).collect();
        let shared = Shared { asked, sent: counters(), received: counters(), ..Shared::default() };
        Ranks { comm, shared: Arc::new(shared), most_gathered: None }
    }

    /// Which rank this is.
    pub fn rank(&self) -> Rank {
        self.comm.rank()
    }

    /// True if there is only one rank.
    pub fn is_solo(&self) -> bool {
        self.rank().of == 1
    }

    /// True for the rank that writes files and reports to the user.
    pub fn is_first(&self) -> bool {
        self.rank().number == 0
    }

    /// A flag, set once all ranks know that one of them has been asked to end the run: all see it between the same two steps.
    pub fn stop(&self) -> Arc<AtomicBool> {
        self.shared.agreed.clone()
    }

    /// True if communication with the other ranks has failed: their values are lost.
    pub fn are_lost(&self) -> bool {
        self.shared.lost.load(Ordering::Relaxed)
    }

    /// Messages sent and time waited so far.
    pub fn traffic(&self) -> Traffic {
        let of = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        let Shared { messages, bytes, nanoseconds, .. } = &*self.shared;
        Traffic { messages: of(messages), bytes: of(bytes), waited: of(nanoseconds) as f64 * 1e-9 }
    }

    /// Ends the run on all ranks.
    pub fn abort(&self, reason: &str) {
        self.shared.lost.store(true, Ordering::Relaxed);
        self.comm.abort(reason);
    }

    /// A message with room for `numbers` numbers, to be filled.
    pub(crate) fn message<R: Scalar>(&self, header: MessageHeader, numbers: usize) -> Message {
        Message::new::<R>(header, numbers, self.shared.spare.lock().pop().unwrap_or_default())
    }

    /// Keeps the buffer of a message for a later one.
    pub(crate) fn recycle(&self, message: Message) {
        self.shared.spare.lock().push(message.into_words());
    }

    /// Sends a message.
    pub(crate) fn post(&self, to: usize, message: Message) -> Result<(), CommError> {
        let words = message.counted(self.shared.sent[to].fetch_add(1, Ordering::Relaxed)).into_words();
        self.shared.messages.fetch_add(1, Ordering::Relaxed);
        self.shared.bytes.fetch_add(8 * words.len() as u64, Ordering::Relaxed);
        self.communicate(|comm| comm.post(to, words))
    }

    /// Waits for the next message of a rank, which must have this header and this many numbers.
    pub(crate) fn wait<R: Scalar>(
        &self,
        from: usize,
        header: MessageHeader,
        numbers: usize,
    ) -> Result<Message, CommError> {
        let expected = || Message::name(header, numbers);
        self.communicate(|comm| {
            let message = self.next(comm, from, expected)?;
            if message.is::<R>(header, numbers) {
                Ok(message)
            } else {
                Err(self.unexpected(from, expected(), &message))
            }
        })
    }

    /// Announces the next message of a rank, of this many numbers, which [`Ranks::wait`] then waits for.
    pub(crate) fn expect<R: Scalar>(&self, from: usize, numbers: usize) {
        self.comm.expect(from, Message::len::<R>(numbers));
    }

    /// Waits for the next message of a rank, which must be the one after the last that was received from it.
    fn next(
        &self,
        comm: &dyn Communicator,
        from: usize,
        expected: impl FnOnce() -> String,
    ) -> Result<Message, CommError> {
        let message = Message::received(comm.wait(from)?);
        let ordinal = self.shared.received[from].fetch_add(1, Ordering::Relaxed);
        if message.has_ordinal(ordinal) {
            return Ok(message);
        }
        Err(self.unexpected(from, format!("{} as message {ordinal}", expected()), &message))
    }

    fn unexpected(&self, from: usize, expected: String, found: &Message) -> CommError {
        CommError::UnexpectedMessage { rank: from, waiting: self.rank().number, expected, found: found.to_string() }
    }

    /// Sends values for output.
    ///
    /// # Errors
    /// As for [`Communicator::post`].
    pub fn post_values(&self, to: usize, header: MessageHeader, values: &[f64]) -> Result<(), CommError> {
        let mut message = self.message::<f64>(header, values.len());
        message.numbers_mut()[PACK_OVERRUN..].copy_from_slice(values);
        self.post(to, message)
    }

    /// Waits for `numbers` values for output.
    ///
    /// # Errors
    /// As for [`Communicator::wait`].
    pub fn wait_for_values(&self, from: usize, header: MessageHeader, numbers: usize) -> Result<Vec<f64>, CommError> {
        let mut message = self.wait::<f64>(from, header, numbers)?;
        Ok(message.numbers_mut()[PACK_OVERRUN..].to_vec())
    }

    /// As [`Communicator::gather`]; also tells all ranks whether one of them has been asked to end the run.
    ///
    /// # Errors
    /// As for [`Communicator::wait`].
    pub fn gather(&self, own: &[u64]) -> Result<Vec<Vec<u64>>, CommError> {
        let asked = u64::from(self.shared.asked.load(Ordering::Relaxed));
        let turn = self.shared.gathers.fetch_add(1, Ordering::Relaxed);
        let mut all = self.communicate(|comm| comm.gather(turn, &[own, &[asked]].concat()))?;
        let mut stop = false;
        for words in &mut all {
            stop |= words.pop().is_some_and(|asked| asked != 0);
        }
        self.shared.agreed.fetch_or(stop, Ordering::Relaxed);
        Ok(all)
    }

    /// The error with the smallest `order`, then of the lowest rank, and that rank; `None` if no rank has an error. All ranks call it.
    ///
    /// # Errors
    /// As for [`Communicator::wait`].
    pub fn first<E: Serialize + DeserializeOwned>(
        &self,
        own: Option<&E>,
        order: fn(&E) -> usize,
    ) -> Result<Option<(usize, E)>, CommError> {
        let text = own.map_or(String::new(), |own| serde_json::to_string(own).unwrap_or_default());
        let all = self.gather(&words_of(&text))?;
        let errors = all.iter().enumerate();
        let errors = errors.filter_map(|(rank, words)| Some((rank, serde_json::from_str::<E>(&text_of(words)).ok()?)));
        Ok(errors.min_by_key(|(rank, error)| (order(error), *rank)))
    }

    /// Runs a communication and counts its time; an error ends the run on all ranks.
    fn communicate<T>(&self, work: impl FnOnce(&dyn Communicator) -> Result<T, CommError>) -> Result<T, CommError> {
        let clock = Instant::now();
        let outcome = work(self.comm.as_ref());
        self.shared.nanoseconds.fetch_add(clock.elapsed().as_nanos() as u64, Ordering::Relaxed);
        if let Err(error) = &outcome {
            self.abort(&error.to_string());
        }
        outcome
    }
}

/// The default timeout of a rank that waits for another.
pub const DEFAULT_TIMEOUT: Duration = Duration::from_secs(300);

/// Packs a text into words, behind its length in bytes.
pub(crate) fn words_of(text: &str) -> Vec<u64> {
    let bytes = text.as_bytes().chunks(8).map(|part| {
        let mut word = [0; 8];
        word[..part.len()].copy_from_slice(part);
        u64::from_le_bytes(word)
    });
    std::iter::once(text.len() as u64).chain(bytes).collect()
}

/// Unpacks a text from the words of `words_of`.
pub(crate) fn text_of(words: &[u64]) -> String {
    let Some((&len, words)) = words.split_first() else { return String::new() };
    let mut bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    bytes.truncate(len as usize);
    String::from_utf8_lossy(&bytes).into_owned()
}
