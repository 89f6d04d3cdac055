//! Ranks that are processes, on one machine or several, connected by MPI.

mod direct;
mod launcher;
mod library;
mod shim;
mod state;

pub use direct::machine_id;
pub use launcher::{Family, Launch, launch, start_alone};
pub use library::NoLibrary;

use super::peer_timeout::PeerTimeout;
use super::{Acknowledgements, CommError, Communicator, DeviceMessages, PeerAccess};
use crate::mesh::Rank;
use direct::DeviceTransports;
use library::{ANY, ERRORS_RETURN, Functions, SERIALIZED, WORLD};
use parking_lot::Mutex;
use state::{ANSWER, END, MESSAGE, OUTPUT_DELAY, QUESTION, State, tell};
use std::any::Any;
use std::ffi::{c_int, c_void};
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::{Duration, Instant};

/// How long a waiting rank polls without sleeping; it then sleeps this long between polls, to leave the processor to others.
const POLL_TIME: Duration = Duration::from_micros(50);

/// How long it polls without sleeping where a device takes the steps: the processor is free, and a sleeping rank delays all others.
const POLL_TIME_BESIDE_DEVICE: Duration = Duration::from_millis(2);

/// The same while it receives a message that has been announced: some libraries transfer only a part of it in each call.
const POLL_TIME_TO_RECEIVE: Duration = Duration::from_millis(50);

/// Messages with fewer words than this are transferred in one call.
const LONG_MESSAGE: usize = 1 << 12;

/// How often a waiting rank answers questions of others.
const ANSWER_INTERVAL: Duration = Duration::from_millis(50);

/// How long a rank that is waiting too may take to answer.
const ANSWERS_WITHIN: Duration = Duration::from_secs(1);

/// If several ranks end the run at once, the lowest reports why: each waits this long for each rank before it, up to a second.
const ABORT_STAGGER: Duration = Duration::from_millis(25);

/// A library that was found.
#[derive(Clone, Debug)]
pub struct LibraryInfo {
    /// Its version text.
    pub version: String,
    /// Its file; the compiler of a library without the standard ABI.
    pub path: PathBuf,
    /// Whether it is GPU-aware (messages may lie in a GPU's memory), if it tells.
    pub gpu_aware: Option<bool>,
}

/// All libraries that are found.
pub fn libraries() -> Vec<LibraryInfo> {
    let info = |f: Functions| LibraryInfo { version: f.version(), gpu_aware: f.is_gpu_aware(), path: f.path };
    Functions::all().into_iter().map(info).collect()
}

/// Why a process cannot be a rank.
#[derive(Debug, thiserror::Error)]
pub enum JoinError {
    /// There is no library.
    #[error(transparent)]
    NoLibrary(#[from] NoLibrary),
    /// The library is not the one that the launcher works with.
    #[error(
        "the launcher has started {launched} processes, but {version} ({}) reports {found}: \
         they would not be ranks of one run\n  \
         help: use the mpiexec of this library, or name another library in the environment variable {}; with Slurm, \
         choose an MPI plugin that it supports, as in srun --mpi=pmi2 or --mpi=pmix", path.display(), library::VARIABLE
    )]
    SizeMismatch {
        /// Number of processes that the launcher has started.
        launched: usize,
        /// Number of processes that the library finds.
        found: usize,
        /// The library's version text.
        version: String,
        /// Its file.
        path: PathBuf,
    },
}

/// This process as one of the ranks of `MPI_COMM_WORLD`.
pub struct Mpi {
    rank: Rank,
    timeout: Duration,
    /// Messages may lie in a GPU's memory.
    gpu_aware: bool,
    /// The machine, if its ranks may read one another's memory.
    machine: Option<[u64; 2]>,
    acknowledgements: Acknowledgements,
    /// How long this rank polls without sleeping, in nanoseconds.
    poll_time: AtomicU64,
    /// Called by one thread at a time.
    state: Mutex<State>,
}

impl Mpi {
    /// Initializes MPI, unless that is done, and joins the other ranks. `timeout`: the timeout of a wait. To be called once.
    ///
    /// # Errors
    /// No library is found, or it is not the launcher's.
    pub fn join(launch: Launch, timeout: Duration) -> Result<Self, JoinError> {
        let functions = Functions::find(launch.family)?;
        let (mut is_guest, mut provided, mut number, mut of) = (0, 0, 0, 1);
        let all_there = watch_start(timeout);
        // SAFETY: MPI takes null for the arguments of `main`; the rest are places for the answers. MPI ends the process if one fails.
        unsafe {
            (functions.is_initialized)(&raw mut is_guest);
            if is_guest == 0 {
                (functions.init)(std::ptr::null_mut(), std::ptr::null_mut(), SERIALIZED, &raw mut provided);
            }
            (functions.rank)(WORLD, &raw mut number);
            (functions.size)(WORLD, &raw mut of);
            (functions.set_error_handler)(WORLD, ERRORS_RETURN);
        }
        drop(all_there);
        let rank = Rank { number: number as usize, of: of as usize };
        if let Some(launched) = launch.of.filter(|&launched| launched != rank.of) {
            let (version, path) = (functions.version(), functions.path.clone());
            return Err(JoinError::SizeMismatch { launched, found: rank.of, version, path });
        }
        let by_mpi = DeviceTransports::allowed(|name| std::env::var(name).ok()).by_mpi;
        let (gpu_aware, machine) = (by_mpi && functions.is_gpu_aware() == Some(true), machine_id());
        let state = State::new(functions, is_guest != 0);
        let poll_time = AtomicU64::new(POLL_TIME.as_nanos() as u64);
        Ok(Mpi {
            rank,
            timeout,
            gpu_aware,
            machine,
            acknowledgements: Acknowledgements::default(),
            poll_time,
            state: Mutex::new(state),
        })
    }

    /// Completes what is under way and finalizes MPI, at the end of the program. All ranks call it.
    pub fn leave(&self) {
        let has_ended = self.state.lock().ended;
        if !has_ended {
            self.acknowledgements.wait_for_all(self);
        }
        let mut state = self.state.lock();
        while !state.ended && !state.sent.is_empty() {
            state.free_completed_sends();
        }
        if !std::mem::replace(&mut state.ended, true) && !state.is_guest {
            // SAFETY: nothing is under way any more, and nothing is asked of MPI after this.
            unsafe { (state.functions.finalize)() };
        }
        state.kept.clear();
    }

    fn poll_time(&self) -> Duration {
        Duration::from_nanos(self.poll_time.load(Ordering::Relaxed))
    }

    /// Refuses more words than MPI sends in one message.
    fn check_length(&self, words: usize) -> Result<(), CommError> {
        let too_long = |_| CommError::TooLong { rank: self.rank.number, gib: words >> 27 };
        c_int::try_from(words).map(drop).map_err(too_long)
    }

    /// Polls by `look` until it finds what a rank is to send; sleeps between polls after the time `poll_time`. Meanwhile it makes progress on
    /// pending sends and answers questions.
    fn wait_until<T>(
        &self,
        from: usize,
        poll_time: Duration,
        mut look: impl FnMut(&mut State) -> Option<T>,
    ) -> Result<T, CommError> {
        let (mut looked, mut timeout) = (Instant::now(), PeerTimeout::new(self.timeout));
        loop {
            let mut state = self.state.lock();
            if let Some(found) = look(&mut state) {
                return Ok(found);
            }
            // MPI makes progress on large messages only when it is called.
            state.free_completed_sends();
            if looked.elapsed() >= ANSWER_INTERVAL {
                state.answer();
                looked = Instant::now();
            }
            drop(state);
            if timeout.is_at_end(|| self.answers(from)) {
                let (waiting, seconds) = (self.rank.number, self.timeout.as_secs());
                return Err(CommError::Timeout { rank: from, waiting, seconds });
            }
            if timeout.waited() < poll_time { thread::yield_now() } else { thread::sleep(POLL_TIME) }
        }
    }

    /// Receives the next message of a rank in `room`, an address and a number of words. A large one arrives only while its sender calls MPI,
    /// so that the same timeout applies to it.
    ///
    /// # Safety
    /// The room suffices, and nobody else uses it; after an error, not until ranks leave.
    unsafe fn receive(&self, from: usize, tag: c_int, room: (*mut c_void, usize)) -> Result<(), CommError> {
        // SAFETY: the caller's promise.
        let mut request = unsafe { self.state.lock().begin_receiving(from, tag, room) };
        self.wait_until(from, POLL_TIME_TO_RECEIVE, |state| state.is_received(&mut request).then_some(()))
    }

    /// Asks a rank whether it is waiting for others too: true if it answers in time.
    fn answers(&self, rank: usize) -> bool {
        self.state.lock().send_words(rank, QUESTION, vec![self.rank.number as u64]);
        let clock = Instant::now();
        while clock.elapsed() < ANSWERS_WITHIN {
            let mut state = self.state.lock();
            state.free_completed_sends();
            state.answer();
            if state.receive_short(rank as c_int, ANSWER).is_some() {
                return true;
            }
            drop(state);
            thread::sleep(POLL_TIME);
        }
        false
    }
}

/// Ends the process if the returned sender is not dropped before the timeout: MPI itself would wait forever for ranks that do not start.
fn watch_start(timeout: Duration) -> Sender<()> {
    let (started, starts) = channel::<()>();
    let watch = move || {
        if starts.recv_timeout(timeout) == Err(RecvTimeoutError::Timeout) {
            let seconds = timeout.as_secs();
            tell(&format!("other ranks have not started within {seconds} s; --comm-timeout sets this timeout"));
            // SAFETY: it only ends the process.
            unsafe { libc::_exit(1) };
        }
    };
    // If the thread cannot be created, there is no such timeout.
    drop(thread::Builder::new().name("start".to_owned()).spawn(watch));
    started
}

impl Communicator for Mpi {
    fn rank(&self) -> Rank {
        self.rank
    }

    fn post(&self, to: usize, words: Vec<u64>) -> Result<(), CommError> {
        self.check_length(words.len())?;
        let mut state = self.state.lock();
        state.free_completed_sends();
        state.send_words(to, MESSAGE, words);
        Ok(())
    }

    fn expect(&self, from: usize, words: usize) {
        // A message that MPI cannot send is not announced: its sender reports it.
        if self.check_length(words).is_ok() {
            self.state.lock().expect(from, words);
        }
    }

    fn wait(&self, from: usize) -> Result<Vec<u64>, CommError> {
        let announced = self.state.lock().expected_len(from);
        if let Some(len) = announced {
            let poll_time = if len < LONG_MESSAGE { self.poll_time() } else { POLL_TIME_TO_RECEIVE };
            let arrived = self.wait_until(from, poll_time, |state| state.take_expected(from))?;
            return arrived.map_err(|why| CommError::UnexpectedMessage {
                rank: from,
                waiting: self.rank.number,
                expected: format!("{len} words"),
                found: format!("more words ({why})"),
            });
        }
        let mut words = self.wait_until(from, self.poll_time(), |state| state.probe_next(from as c_int, MESSAGE))?;
        let room = (words.as_mut_ptr().cast(), words.len());
        // SAFETY: there is room for the next message; where it does not come, the words are kept.
        match unsafe { self.receive(from, MESSAGE, room) } {
            Ok(()) => Ok(words),
            Err(error) => {
                self.keep(Box::new(words));
                Err(error)
            }
        }
    }

    fn device_messages(&self) -> Option<&dyn DeviceMessages> {
        self.gpu_aware.then_some(self)
    }

    fn peer_access(&self) -> Option<&dyn PeerAccess> {
        self.machine.is_some().then_some(self)
    }

    fn keep(&self, held: Box<dyn Any + Send>) {
        self.state.lock().kept.push(held);
    }

    fn poll_longer(&self) {
        self.poll_time.store(POLL_TIME_BESIDE_DEVICE.as_nanos() as u64, Ordering::Relaxed);
    }

    /// Reports the reason, unless another rank reports one, and ends the processes of all ranks.
    fn abort(&self, reason: &str) {
        let mut state = self.state.lock();
        if std::mem::replace(&mut state.ended, true) {
            return;
        }
        // MPI may have to be called more than once before it finds a message that has arrived.
        let (clock, turn) = (Instant::now(), ABORT_STAGGER * self.rank.number.min(40) as u32);
        let mut another_tells = false;
        while !another_tells && clock.elapsed() <= turn {
            thread::sleep(POLL_TIME);
            another_tells = state.receive_short(ANY, END).is_some();
        }
        if another_tells {
            thread::sleep(2 * OUTPUT_DELAY);
        } else {
            for other in (0..self.rank.of).filter(|&other| other != self.rank.number) {
                state.send_words(other, END, vec![]);
            }
            tell(reason);
        }
        // SAFETY: MPI may be asked for this at any time.
        unsafe { (state.functions.abort)(WORLD, 1) };
    }
}
