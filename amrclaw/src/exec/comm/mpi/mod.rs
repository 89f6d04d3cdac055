//! Ranks that are processes, on one machine or on many: by MPI.

mod library;

pub use library::NoLibrary;

use super::{CommError, Communicator};
use crate::mesh::Rank;
use library::{Functions, NO_REQUEST, SERIALIZED, Status, WORDS, WORLD};
use parking_lot::Mutex;
use std::ffi::c_int;
use std::path::PathBuf;
use std::thread;
use std::time::{Duration, Instant};

/// What launchers of ranks leave in the environment of each.
const LAUNCHED: [&str; 5] = ["PMI_RANK", "PMIX_RANK", "OMPI_COMM_WORLD_RANK", "MV2_COMM_WORLD_RANK", "PALS_RANKID"];

/// The tag of all messages: they are told apart by their order.
const TAG: c_int = 0;

/// A rank that waits for so long looks less often, to leave the processor to others.
const EAGER: Duration = Duration::from_micros(50);

/// True if a launcher of MPI has started this process.
pub fn is_launched() -> bool {
    LAUNCHED.iter().any(|name| std::env::var_os(name).is_some())
}

/// The library that would be used: its version and its file.
///
/// # Errors
/// There is none.
pub fn library() -> Result<(String, PathBuf), NoLibrary> {
    Functions::find().map(|(functions, path)| (functions.version(), path))
}

/// This process as one of the ranks of `MPI_COMM_WORLD`.
pub struct Mpi {
    rank: Rank,
    patience: Duration,
    /// Called by one thread at a time.
    state: Mutex<State>,
}

struct State {
    functions: Functions,
    /// Messages under way, whose memory MPI reads.
    sent: Vec<(usize, Vec<u64>)>,
    ended: bool,
}

impl Mpi {
    /// Joins the other ranks. `patience`: how long one waits for another. To be called once.
    ///
    /// # Errors
    /// There is no library.
    pub fn join(patience: Duration) -> Result<Self, NoLibrary> {
        let (functions, _) = Functions::find()?;
        let (mut provided, mut number, mut of) = (0, 0, 1);
        // SAFETY: MPI takes null for the arguments of `main`; the rest are places for the answers. MPI ends the process if one fails.
        unsafe {
            (functions.init)(std::ptr::null_mut(), std::ptr::null_mut(), SERIALIZED, &raw mut provided);
            (functions.rank)(WORLD, &raw mut number);
            (functions.size)(WORLD, &raw mut of);
        }
        let rank = Rank { number: number as usize, of: of as usize };
        Ok(Mpi { rank, patience, state: Mutex::new(State { functions, sent: Vec::new(), ended: false }) })
    }

    /// Leaves the other ranks, all of which leave; for the end of the program.
    pub fn leave(&self) {
        let mut state = self.state.lock();
        while !state.ended && !state.sent.is_empty() {
            state.forget_sent();
        }
        if !state.ended {
            // SAFETY: nothing is under way any more, and nothing is asked of MPI after this.
            unsafe { (state.functions.finalize)() };
            state.ended = true;
        }
    }
}

impl State {
    /// Frees messages that have been sent.
    fn forget_sent(&mut self) {
        let State { functions, sent, .. } = self;
        sent.retain_mut(|(request, _)| {
            let (mut done, mut status) = (0, Status::default());
            // SAFETY: the request is one that is under way.
            unsafe { (functions.test)(&raw mut *request, &raw mut done, &raw mut status) };
            done == 0
        });
    }

    /// The next message of a rank, if it is there.
    fn receive(&mut self, from: usize) -> Option<Vec<u64>> {
        let (mut is_there, mut status, mut count) = (0, Status::default(), 0);
        // SAFETY: all are places for the answers.
        unsafe { (self.functions.probe)(from as c_int, TAG, WORLD, &raw mut is_there, &raw mut status) };
        if is_there == 0 {
            return None;
        }
        // SAFETY: the words have room for the message that is there, the next one of this rank.
        unsafe {
            (self.functions.count)(&raw const status, WORDS, &raw mut count);
            let mut words = vec![0_u64; count as usize];
            let memory = words.as_mut_ptr().cast();
            (self.functions.receive)(memory, count, WORDS, from as c_int, TAG, WORLD, &raw mut status);
            Some(words)
        }
    }
}

impl Communicator for Mpi {
    fn rank(&self) -> Rank {
        self.rank
    }

    fn post(&self, to: usize, words: Vec<u64>) -> Result<(), CommError> {
        let mut state = self.state.lock();
        state.forget_sent();
        let mut request = NO_REQUEST;
        let count = c_int::try_from(words.len()).expect("a message has less than 16 GiB");
        // SAFETY: the words stay where they are until the request is done.
        unsafe {
            (state.functions.send)(words.as_ptr().cast(), count, WORDS, to as c_int, TAG, WORLD, &raw mut request);
        }
        state.sent.push((request, words));
        Ok(())
    }

    fn wait(&self, from: usize) -> Result<Vec<u64>, CommError> {
        let clock = Instant::now();
        loop {
            let mut state = self.state.lock();
            if let Some(words) = state.receive(from) {
                return Ok(words);
            }
            // Large messages move on only when MPI is asked about them.
            state.forget_sent();
            drop(state);
            let waited = clock.elapsed();
            if waited >= self.patience {
                let seconds = self.patience.as_secs();
                return Err(CommError::Silent { rank: from, waiting: self.rank.number, seconds });
            }
            if waited < EAGER { thread::yield_now() } else { thread::sleep(EAGER) }
        }
    }

    /// Tells the reason and ends the processes of all ranks.
    fn abort(&self, reason: &str) {
        let mut state = self.state.lock();
        if !std::mem::replace(&mut state.ended, true) {
            let _ = std::io::Write::write_all(&mut std::io::stderr(), format!("error: {reason}\n").as_bytes());
            // SAFETY: MPI may be asked for this at any time.
            unsafe { (state.functions.abort)(WORLD, 1) };
        }
    }
}
