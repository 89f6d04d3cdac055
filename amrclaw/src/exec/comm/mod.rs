//! Ranks: how several of them run one case together, and what they tell one another.
//!
//! Every rank runs the same driver over the same hierarchy and holds the values of its own patches alone. So all ranks come to the same
//! steps in the same order, and a message needs no name beyond its place in the order; what it says of itself ([`Head`]) only shows
//! whether that holds. What one rank alone knows (a Courant number, a flag, a failure) is told to all before any of them acts on it.

mod board;
mod collective;
mod handed;
mod lending;
mod message;
pub mod mpi;
mod patience;
mod run_lengths;
mod solo;
mod threads;

pub use board::Board;
pub use handed::DeviceMessages;
use lending::Readers;
pub use lending::{Lending, Receipts};
pub use message::{Head, Message, Phase};
pub use mpi::Mpi;
pub(in crate::exec) use run_lengths::RunLengths;
pub use threads::Threads;

use crate::mesh::Rank;
use parking_lot::Mutex;
use riemann::patch::PACK_OVERRUN;
use riemann::real::Scalar;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use solo::Solo;
use std::any::Any;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};
use thiserror::Error;

/// How words get from rank to rank.
///
/// Messages between two ranks arrive in the order in which they were posted.
pub trait Communicator: Send + Sync {
    /// Which rank this is.
    fn rank(&self) -> Rank;

    /// Sends words to another rank; does not wait until they are there.
    ///
    /// # Errors
    /// The run has ended elsewhere.
    fn post(&self, to: usize, words: Vec<u64>) -> Result<(), CommError>;

    /// Waits for the next words of another rank.
    ///
    /// # Errors
    /// The run has ended elsewhere, or nothing comes for too long.
    fn wait(&self, from: usize) -> Result<Vec<u64>, CommError>;

    /// Tells words to all ranks; answers those of every rank, in the order of ranks. All ranks call it.
    ///
    /// # Errors
    /// As for [`Communicator::wait`].
    fn gather(&self, own: &[u64]) -> Result<Vec<Vec<u64>>, CommError> {
        let Rank { number, of } = self.rank();
        let mut known: Vec<Option<Vec<u64>>> = vec![None; of];
        known[number] = Some(own.to_vec());
        // Each passes on all that it knows, over twice the distance each time: J. Bruck et al. 1997, doi:10.1109/71.642949.
        let mut reach = 1;
        while reach < of {
            let mut words = vec![GATHERED];
            for (rank, told) in known.iter().enumerate().filter_map(|(rank, told)| Some((rank, told.as_ref()?))) {
                words.extend([rank as u64, told.len() as u64]);
                words.extend(told);
            }
            self.post((number + reach) % of, words)?;
            let from = (number + of - reach) % of;
            let heard = self.wait(from)?;
            if heard.first() != Some(&GATHERED) {
                let (expected, found) = ("what all are told".to_owned(), Message::received(heard).to_string());
                return Err(CommError::Unlike { rank: from, waiting: number, expected, found });
            }
            let mut rest = &heard[1..];
            while let [rank, len, after @ ..] = rest {
                let (told, after) = after.split_at(*len as usize);
                known[*rank as usize] = Some(told.to_vec());
                rest = after;
            }
            reach *= 2;
        }
        Ok(known.into_iter().flatten().collect())
    }

    /// Ends the run on all ranks; the first reason given is the one that they tell.
    fn abort(&self, reason: &str);

    /// Where ranks leave things for one another that are of the same process.
    fn board(&self) -> Option<&Board> {
        None
    }

    /// How messages go from a device's memory to another's, if they need not go through the host's.
    fn device_messages(&self) -> Option<&dyn DeviceMessages> {
        None
    }

    /// How ranks of other processes on the same machine tell that they have read one another's memory, if they may.
    fn lending(&self) -> Option<&dyn Lending> {
        None
    }

    /// From here on a device does this rank's work: its processor may be kept busy looking for what others send.
    fn work_beside_device(&self) {}

    /// Keeps what others may use until all ranks leave.
    fn keep(&self, held: Box<dyn Any + Send>) {
        drop(held);
    }
}

/// The first word of what all are told; no message of numbers begins so.
const GATHERED: u64 = u64::MAX;

/// Why ranks cannot go on together.
#[derive(Clone, Debug, Error, PartialEq, Eq, Serialize, Deserialize)]
pub enum CommError {
    /// A rank has ended the run.
    #[error("{0}")]
    Ended(String),
    /// A rank does not answer.
    #[error(
        "rank {rank} has sent nothing for {seconds} s, while rank {waiting} waits for it: --comm-timeout sets how long that may last"
    )]
    Silent {
        /// The rank.
        rank: usize,
        /// Who waits for it.
        waiting: usize,
        /// How long it has been waited for.
        seconds: u64,
    },
    /// Two ranks do not do the same.
    #[error(
        "rank {rank} sends {found}, where rank {waiting} waits for {expected}: the ranks do not run the same program on the same case"
    )]
    Unlike {
        /// The rank that sends.
        rank: usize,
        /// The rank that waits.
        waiting: usize,
        /// What it waits for.
        expected: String,
        /// What comes.
        found: String,
    },
    /// A message is longer than MPI can send.
    #[error(
        "rank {rank} has {gib} GiB for another in one message, of which MPI sends less than 16: give the run more ranks"
    )]
    TooLong {
        /// The rank that sends.
        rank: usize,
        /// The message's length in 2³⁰ bytes.
        gib: usize,
    },
}

/// What the ranks of a run have told one another, as one of them has counted it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Traffic {
    /// Messages sent.
    pub messages: u64,
    /// Bytes sent with them.
    pub bytes: u64,
    /// Seconds for which it waited for others.
    pub waited: f64,
}

/// The ranks of a run, as one of them sees them. Copies are of the same rank.
#[derive(Clone)]
pub struct Ranks {
    comm: Arc<dyn Communicator>,
    shared: Arc<Shared>,
    /// Flags of levels of up to so many cells are told to all, if that has been said.
    told: Option<usize>,
}

/// What copies share.
#[derive(Default)]
struct Shared {
    /// Set from elsewhere to end the run.
    asked: Arc<AtomicBool>,
    /// All ranks know by now that one has been asked to end the run.
    agreed: Arc<AtomicBool>,
    /// There is no talking to the others any more.
    lost: AtomicBool,
    /// Which ranks of other processes read one another's memory, once that has been found out.
    readers: OnceLock<Readers>,
    /// Memory for messages.
    spare: Mutex<Vec<Vec<u64>>>,
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
    /// `asked`: is set from elsewhere to end the run; ranks act on it together, see [`Ranks::stop`].
    pub fn new(comm: Arc<dyn Communicator>, asked: Arc<AtomicBool>) -> Self {
        Ranks { comm, shared: Arc::new(Shared { asked, ..Shared::default() }), told: None }
    }

    /// Which rank this is.
    pub fn rank(&self) -> Rank {
        self.comm.rank()
    }

    /// There is one rank.
    pub fn is_solo(&self) -> bool {
        self.rank().of == 1
    }

    /// This is the rank that writes files and talks to the user.
    pub fn is_first(&self) -> bool {
        self.rank().number == 0
    }

    /// Set as soon as all ranks know that one has been asked to end the run: all see it between the same two steps.
    pub fn stop(&self) -> Arc<AtomicBool> {
        self.shared.agreed.clone()
    }

    /// There is no talking to the others any more: their values are lost.
    pub fn are_lost(&self) -> bool {
        self.shared.lost.load(Ordering::Relaxed)
    }

    /// What has been told so far.
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

    /// A message of so many numbers, to be filled.
    pub(in crate::exec) fn message<R: Scalar>(&self, head: Head, numbers: usize) -> Message {
        Message::new::<R>(head, numbers, self.shared.spare.lock().pop().unwrap_or_default())
    }

    /// Keeps the memory of a message for another.
    pub(in crate::exec) fn recycle(&self, message: Message) {
        self.shared.spare.lock().push(message.into_words());
    }

    /// Sends a message.
    pub(in crate::exec) fn post(&self, to: usize, message: Message) -> Result<(), CommError> {
        let words = message.into_words();
        self.shared.messages.fetch_add(1, Ordering::Relaxed);
        self.shared.bytes.fetch_add(8 * words.len() as u64, Ordering::Relaxed);
        self.watched(|comm| comm.post(to, words))
    }

    /// Waits for a message that must say this of itself and have so many numbers.
    pub(in crate::exec) fn wait<R: Scalar>(
        &self,
        from: usize,
        head: Head,
        numbers: usize,
    ) -> Result<Message, CommError> {
        self.watched(|comm| {
            let message = Message::received(comm.wait(from)?);
            if message.is::<R>(head, numbers) {
                return Ok(message);
            }
            let (waiting, expected) = (comm.rank().number, Message::name(head, numbers));
            Err(CommError::Unlike { rank: from, waiting, expected, found: message.to_string() })
        })
    }

    /// Sends values for output.
    ///
    /// # Errors
    /// As for [`Communicator::post`].
    pub fn post_values(&self, to: usize, head: Head, values: &[f64]) -> Result<(), CommError> {
        let mut message = self.message::<f64>(head, values.len());
        message.numbers_mut()[PACK_OVERRUN..].copy_from_slice(values);
        self.post(to, message)
    }

    /// Waits for so many values.
    ///
    /// # Errors
    /// As for [`Communicator::wait`].
    pub fn wait_for_values(&self, from: usize, head: Head, numbers: usize) -> Result<Vec<f64>, CommError> {
        let mut message = self.wait::<f64>(from, head, numbers)?;
        Ok(message.numbers_mut()[PACK_OVERRUN..].to_vec())
    }

    /// As [`Communicator::gather`]; and ranks learn whether one has been asked to end the run.
    ///
    /// # Errors
    /// As for [`Communicator::wait`].
    pub fn gather(&self, own: &[u64]) -> Result<Vec<Vec<u64>>, CommError> {
        let asked = u64::from(self.shared.asked.load(Ordering::Relaxed));
        let mut all = self.watched(|comm| comm.gather(&[own, &[asked]].concat()))?;
        let mut stop = false;
        for words in &mut all {
            stop |= words.pop().is_some_and(|asked| asked != 0);
        }
        self.shared.agreed.fetch_or(stop, Ordering::Relaxed);
        Ok(all)
    }

    /// What stopped the first rank that is stopped by something; of several, that with the smallest `order`. All ranks call it.
    ///
    /// # Errors
    /// As for [`Communicator::wait`].
    pub fn first<E: Serialize + DeserializeOwned>(
        &self,
        own: Option<&E>,
        order: impl Fn(&E) -> usize,
    ) -> Result<Option<(usize, E)>, CommError> {
        let text = own.map_or(String::new(), |own| serde_json::to_string(own).unwrap_or_default());
        let all = self.gather(&words_of(&text))?;
        let told = all.iter().enumerate();
        let told = told.filter_map(|(rank, words)| Some((rank, serde_json::from_str::<E>(&text_of(words)).ok()?)));
        Ok(told.min_by_key(|(rank, error)| (order(error), *rank)))
    }

    /// Does what needs the others; when that fails it is the end of the run for all of them.
    fn watched<T>(&self, work: impl FnOnce(&dyn Communicator) -> Result<T, CommError>) -> Result<T, CommError> {
        let clock = Instant::now();
        let outcome = work(self.comm.as_ref());
        self.shared.nanoseconds.fetch_add(clock.elapsed().as_nanos() as u64, Ordering::Relaxed);
        if let Err(error) = &outcome {
            self.abort(&error.to_string());
        }
        outcome
    }
}

/// How long a rank waits for another unless it is told otherwise.
pub const USUAL_PATIENCE: Duration = Duration::from_secs(300);

/// A text in words, its length first.
pub(in crate::exec) fn words_of(text: &str) -> Vec<u64> {
    let bytes = text.as_bytes().chunks(8).map(|part| {
        let mut word = [0; 8];
        word[..part.len()].copy_from_slice(part);
        u64::from_le_bytes(word)
    });
    std::iter::once(text.len() as u64).chain(bytes).collect()
}

/// The text in words.
pub(in crate::exec) fn text_of(words: &[u64]) -> String {
    let Some((&len, words)) = words.split_first() else { return String::new() };
    let mut bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    bytes.truncate(len as usize);
    String::from_utf8_lossy(&bytes).into_owned()
}
