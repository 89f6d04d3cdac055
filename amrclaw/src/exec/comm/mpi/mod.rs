//! Ranks that are processes, on one machine or on many: by MPI.

mod direct;
mod launcher;
mod library;
mod shim;
mod state;

pub use direct::machine;
pub use launcher::{Family, Launch, launch, start_alone};
pub use library::NoLibrary;

use super::patience::Patience;
use super::{CommError, Communicator, DeviceMessages, Lending, Receipts};
use crate::mesh::Rank;
use direct::Ways;
use library::{ANY, Functions, SERIALIZED, WORLD};
use parking_lot::Mutex;
use state::{ANSWER, END, MESSAGE, QUESTION, State};
use std::any::Any;
use std::ffi::{c_int, c_void};
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::{Duration, Instant};

/// A rank that waits for so long looks less often, to leave the processor to others.
const EAGER: Duration = Duration::from_micros(50);

/// The same of one whose processor has nothing else to do: while a rank sleeps it keeps others waiting, which sleep in turn.
const EAGER_BESIDE_DEVICE: Duration = Duration::from_millis(2);

/// The same of one that receives what has been announced: some libraries move a part of it each time that they are asked.
const EAGER_TO_RECEIVE: Duration = Duration::from_millis(50);

/// How often a rank that waits looks for questions.
const LOOK: Duration = Duration::from_millis(50);

/// How long a rank that waits too may take to say so.
const ANSWERS_WITHIN: Duration = Duration::from_secs(1);

/// Of several ranks that end the run at once the first tells why: each waits so long for those before it, up to a second.
const TURN: Duration = Duration::from_millis(25);

/// How long a launcher is given to show why a run ends: once it is asked to end the ranks it may leave what they have said unread.
const SHOWN_WITHIN: Duration = Duration::from_millis(300);

/// A library that would be used.
#[derive(Clone, Debug)]
pub struct LibraryInfo {
    /// What it says of itself.
    pub version: String,
    /// Its file; the compiler of a library without the standard ABI.
    pub path: PathBuf,
    /// Whether messages may lie in a GPU's memory, if it says so.
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
        "the launcher has started {launched} processes, but {version} ({}) knows of {found}: they would not be ranks of one run\n  \
         help: use the mpiexec of this library, or name another library in the variable {}; with Slurm choose the library's way of \
         starting, as in srun --mpi=pmi2 or --mpi=pmix", path.display(), library::VARIABLE
    )]
    Apart {
        /// How many processes there are.
        launched: usize,
        /// How many the library finds.
        found: usize,
        /// What it says of itself.
        version: String,
        /// Its file.
        path: PathBuf,
    },
}

/// This process as one of the ranks of `MPI_COMM_WORLD`.
pub struct Mpi {
    rank: Rank,
    patience: Duration,
    /// Messages may lie in a GPU's memory.
    gpu_aware: bool,
    /// The machine, if its ranks may read one another's memory.
    machine: Option<[u64; 2]>,
    receipts: Receipts,
    /// How long this rank looks often for what it waits for, in nanoseconds.
    eager: AtomicU64,
    /// Called by one thread at a time.
    state: Mutex<State>,
}

impl Mpi {
    /// Joins the other ranks. `patience`: how long one waits for another. To be called once.
    ///
    /// # Errors
    /// There is no library, or not the launcher's.
    pub fn join(launch: Launch, patience: Duration) -> Result<Self, JoinError> {
        let functions = Functions::find(launch.family)?;
        let (mut is_guest, mut provided, mut number, mut of) = (0, 0, 0, 1);
        let all_there = watch_start(patience);
        // SAFETY: MPI takes null for the arguments of `main`; the rest are places for the answers. MPI ends the process if one fails.
        unsafe {
            (functions.is_initialized)(&raw mut is_guest);
            if is_guest == 0 {
                (functions.init)(std::ptr::null_mut(), std::ptr::null_mut(), SERIALIZED, &raw mut provided);
            }
            (functions.rank)(WORLD, &raw mut number);
            (functions.size)(WORLD, &raw mut of);
        }
        drop(all_there);
        let rank = Rank { number: number as usize, of: of as usize };
        if let Some(launched) = launch.of.filter(|&launched| launched != rank.of) {
            let (version, path) = (functions.version(), functions.path.clone());
            return Err(JoinError::Apart { launched, found: rank.of, version, path });
        }
        let by_mpi = Ways::allowed(|name| std::env::var(name).ok()).by_mpi;
        let (gpu_aware, machine) = (by_mpi && functions.is_gpu_aware() == Some(true), machine());
        let state = State::new(functions, is_guest != 0);
        let eager = AtomicU64::new(EAGER.as_nanos() as u64);
        Ok(Mpi { rank, patience, gpu_aware, machine, receipts: Receipts::default(), eager, state: Mutex::new(state) })
    }

    /// Leaves the other ranks, all of which leave; for the end of the program.
    pub fn leave(&self) {
        let has_ended = self.state.lock().ended;
        if !has_ended {
            self.receipts.wait_for_all(self);
        }
        let mut state = self.state.lock();
        while !state.ended && !state.sent.is_empty() {
            state.forget_sent();
        }
        if !std::mem::replace(&mut state.ended, true) && !state.is_guest {
            // SAFETY: nothing is under way any more, and nothing is asked of MPI after this.
            unsafe { (state.functions.finalize)() };
        }
        state.kept.clear();
    }

    fn eager(&self) -> Duration {
        Duration::from_nanos(self.eager.load(Ordering::Relaxed))
    }

    /// Refuses more words than MPI sends in one message.
    fn check_length(&self, words: usize) -> Result<(), CommError> {
        let too_long = |_| CommError::TooLong { rank: self.rank.number, gib: words >> 27 };
        c_int::try_from(words).map(drop).map_err(too_long)
    }

    /// Looks for what is to come from a rank until it is there, `eager` for so long; moves on meanwhile what is under way, and answers
    /// questions.
    fn wait_until<T>(
        &self,
        from: usize,
        eager: Duration,
        mut look: impl FnMut(&mut State) -> Option<T>,
    ) -> Result<T, CommError> {
        let (mut looked, mut patience) = (Instant::now(), Patience::new(self.patience));
        loop {
            let mut state = self.state.lock();
            if let Some(found) = look(&mut state) {
                return Ok(found);
            }
            // Large messages move on only when MPI is asked about them.
            state.forget_sent();
            if looked.elapsed() >= LOOK {
                state.answer();
                looked = Instant::now();
            }
            drop(state);
            if patience.is_at_end(|| self.answers(from)) {
                let (waiting, seconds) = (self.rank.number, self.patience.as_secs());
                return Err(CommError::Silent { rank: from, waiting, seconds });
            }
            if patience.waited() < eager { thread::yield_now() } else { thread::sleep(EAGER) }
        }
    }

    /// Receives the next message of a rank, of so many words, at an address. A large one comes only as long as its sender moves it on, which
    /// is waited for as for a message itself.
    ///
    /// # Safety
    /// There is room for it, which nobody else uses: not until ranks leave, where the message does not come.
    unsafe fn receive(&self, from: usize, tag: c_int, room: (*mut c_void, usize)) -> Result<(), CommError> {
        // SAFETY: the caller's promise.
        let mut request = unsafe { self.state.lock().begin_receiving(from, tag, room) };
        self.wait_until(from, EAGER_TO_RECEIVE, |state| state.functions.is_done(&mut request).then_some(()))
    }

    /// True if a rank answers: it waits for others as this one does.
    fn answers(&self, rank: usize) -> bool {
        self.state.lock().send_words(rank, QUESTION, vec![self.rank.number as u64]);
        let clock = Instant::now();
        while clock.elapsed() < ANSWERS_WITHIN {
            let mut state = self.state.lock();
            state.forget_sent();
            state.answer();
            if state.receive_short(rank as c_int, ANSWER).is_some() {
                return true;
            }
            drop(state);
            thread::sleep(EAGER);
        }
        false
    }
}

/// Ends the process if the other ranks do not start, until what is returned is dropped: MPI itself would wait for ever.
fn watch_start(patience: Duration) -> Sender<()> {
    let (started, starts) = channel::<()>();
    let watch = move || {
        if starts.recv_timeout(patience) == Err(RecvTimeoutError::Timeout) {
            let seconds = patience.as_secs();
            tell(&format!("other ranks have not started for {seconds} s: --comm-timeout sets how long that may last"));
            std::process::exit(1);
        }
    };
    // Without a thread to watch there is nothing to be done but wait.
    drop(thread::Builder::new().name("start".to_owned()).spawn(watch));
    started
}

/// Says in one piece why the run ends, and lets the launcher show it.
fn tell(reason: &str) {
    let _ = std::io::Write::write_all(&mut std::io::stderr(), format!("error: {reason}\n").as_bytes());
    thread::sleep(SHOWN_WITHIN);
}

impl Communicator for Mpi {
    fn rank(&self) -> Rank {
        self.rank
    }

    fn post(&self, to: usize, words: Vec<u64>) -> Result<(), CommError> {
        self.check_length(words.len())?;
        let mut state = self.state.lock();
        state.forget_sent();
        state.send_words(to, MESSAGE, words);
        Ok(())
    }

    fn wait(&self, from: usize) -> Result<Vec<u64>, CommError> {
        let mut words = self.wait_until(from, self.eager(), |state| state.room_of_next(from as c_int, MESSAGE))?;
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

    fn lending(&self) -> Option<&dyn Lending> {
        self.machine.is_some().then_some(self)
    }

    fn keep(&self, held: Box<dyn Any + Send>) {
        self.state.lock().kept.push(held);
    }

    fn work_beside_device(&self) {
        self.eager.store(EAGER_BESIDE_DEVICE.as_nanos() as u64, Ordering::Relaxed);
    }

    /// Tells the reason, unless another rank tells one, and ends the processes of all ranks.
    fn abort(&self, reason: &str) {
        let mut state = self.state.lock();
        if std::mem::replace(&mut state.ended, true) {
            return;
        }
        // MPI may have to be asked more than once before it finds what has come.
        let (clock, turn) = (Instant::now(), TURN * self.rank.number.min(40) as u32);
        let mut another_tells = false;
        while !another_tells && clock.elapsed() <= turn {
            thread::sleep(EAGER);
            another_tells = state.receive_short(ANY, END).is_some();
        }
        if another_tells {
            thread::sleep(2 * SHOWN_WITHIN);
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
