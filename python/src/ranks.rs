//! Ranks that are Python processes: they exchange messages through a communicator of mpi4py, with any MPI library.

use crate::errors;
use amrclaw::mesh::Rank;
use amrclaw::ranks::{Acknowledgements, CommError, Communicator, DEFAULT_TIMEOUT, PeerAccess, mpi};
use parking_lot::Mutex;
use pyo3::prelude::*;
use pyo3::types::{PyByteArray, PyBytes};
use std::any::Any;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

/// The tag of all messages: their order identifies them.
const MESSAGE: i32 = 0;
/// The tag of acknowledgements that exported memory has been read.
const ACKNOWLEDGEMENT: i32 = 1;

/// How long a waiting rank sleeps between two checks for a message.
const POLL_INTERVAL: Duration = Duration::from_micros(100);
/// How long a rank whose device does the work checks without sleeping.
const POLL_TIME: Duration = Duration::from_millis(2);

/// True if a launcher has started this process as one of several.
#[pyfunction]
pub fn is_one_of_several() -> bool {
    mpi::launch().is_some_and(|launch| launch.of != Some(1))
}

/// Refuses processes that mpi4py's library does not join, because the launcher is another library's: each would run the case alone.
fn check_world(py: Python<'_>) -> PyResult<()> {
    let library = py.import("mpi4py.MPI")?;
    let found: usize = library.getattr("COMM_WORLD")?.getattr("size")?.extract()?;
    let launched = mpi::launch().and_then(|launch| launch.of);
    let Some(launched) = launched.filter(|&launched| launched != found) else { return Ok(()) };
    let version: String = library.call_method0("Get_library_version")?.extract()?;
    Err(errors::refused(format!(
        "the launcher has started {launched} processes, but mpi4py's library finds {found}: they would not be ranks of one run\n  \
         help: use the mpiexec of this library, {}, or an mpi4py for the library of the launcher",
        version.lines().next().unwrap_or_default()
    )))
}

/// A rank of a communicator.
pub struct PythonRank {
    rank: Rank,
    comm: Py<PyAny>,
    timeout: Duration,
    /// Messages being sent: requests and their buffers.
    sent: Mutex<Vec<(Py<PyAny>, Py<PyBytes>)>>,
    machine: Option<[u64; 2]>,
    acknowledgements: Acknowledgements,
    /// Resources that must live until all ranks have left.
    kept: Mutex<Vec<Box<dyn Any + Send>>>,
    beside_device: AtomicBool,
}

impl PythonRank {
    /// This process's rank in a communicator that carries no other messages.
    pub fn new(comm: &Bound<'_, PyAny>, timeout: Option<u64>) -> PyResult<Self> {
        check_world(comm.py())?;
        let rank = Rank { number: comm.getattr("rank")?.extract()?, of: comm.getattr("size")?.extract()? };
        let timeout = timeout.map_or(DEFAULT_TIMEOUT, Duration::from_secs);
        Ok(PythonRank {
            rank,
            comm: comm.clone().unbind(),
            timeout,
            sent: Mutex::default(),
            machine: mpi::machine_id(),
            acknowledgements: Acknowledgements::default(),
            kept: Mutex::default(),
            beside_device: AtomicBool::new(false),
        })
    }

    /// Waits until all other ranks have finished reading the resources that this rank keeps, and until all messages have been sent.
    pub fn leave(&self, py: Python<'_>) -> PyResult<()> {
        let kept = std::mem::take(&mut *self.kept.lock());
        if !kept.is_empty() {
            py.detach(|| self.acknowledgements.wait_for_all(self));
            self.comm.call_method0(py, "Barrier")?;
        }
        drop(kept);
        self.sent.lock().drain(..).try_for_each(|(request, _)| request.call_method0(py, "Wait").map(drop))
    }

    fn send(&self, py: Python<'_>, to: usize, tag: i32, words: &[u64]) -> PyResult<()> {
        let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_ne_bytes()).collect();
        let bytes = PyBytes::new(py, &bytes);
        let request = self.comm.call_method1(py, "Isend", (&bytes, to, tag))?;
        self.sent.lock().push((request, bytes.unbind()));
        Ok(())
    }

    /// Frees buffers of messages that have been sent; returns the next message from a rank, if one has arrived.
    fn receive(&self, py: Python<'_>, from: usize, tag: i32) -> PyResult<Option<Vec<u64>>> {
        let mut under_way = Vec::new();
        for (request, bytes) in self.sent.lock().drain(..) {
            if !request.call_method0(py, "Test")?.extract::<bool>(py)? {
                under_way.push((request, bytes));
            }
        }
        self.sent.lock().extend(under_way);
        let status = py.import("mpi4py.MPI")?.getattr("Status")?.call0()?;
        if !self.comm.call_method1(py, "Iprobe", (from, tag, &status))?.extract::<bool>(py)? {
            return Ok(None);
        }
        let count: usize = status.call_method0("Get_count")?.extract()?;
        let bytes = PyByteArray::new(py, &vec![0; count]);
        self.comm.call_method1(py, "Recv", (&bytes, from, tag))?;
        let word = |bytes: &[u8]| u64::from_ne_bytes(bytes.try_into().expect("eight bytes"));
        Ok(Some(bytes.to_vec().chunks_exact(8).map(word).collect()))
    }
}

fn ended(exception: PyErr) -> CommError {
    CommError::Ended(exception.to_string())
}

impl Communicator for PythonRank {
    fn rank(&self) -> Rank {
        self.rank
    }

    fn post(&self, to: usize, words: Vec<u64>) -> Result<(), CommError> {
        Python::attach(|py| self.send(py, to, MESSAGE, &words)).map_err(ended)
    }

    fn wait(&self, from: usize) -> Result<Vec<u64>, CommError> {
        let clock = Instant::now();
        loop {
            if let Some(words) = Python::attach(|py| self.receive(py, from, MESSAGE)).map_err(ended)? {
                return Ok(words);
            }
            let waited = clock.elapsed();
            if waited >= self.timeout {
                let seconds = self.timeout.as_secs();
                return Err(CommError::Timeout { rank: from, waiting: self.rank.number, seconds });
            }
            if waited < POLL_TIME && self.beside_device.load(Ordering::Relaxed) {
                thread::yield_now();
            } else {
                thread::sleep(POLL_INTERVAL);
            }
        }
    }

    fn peer_access(&self) -> Option<&dyn PeerAccess> {
        self.machine.is_some().then_some(self)
    }

    fn poll_longer(&self) {
        self.beside_device.store(true, Ordering::Relaxed);
    }

    fn keep(&self, held: Box<dyn Any + Send>) {
        self.kept.lock().push(held);
    }

    /// Prints the reason and ends the processes of all ranks.
    fn abort(&self, reason: &str) {
        Python::attach(|py| {
            errors::tell(py, reason);
            // `Abort` does not return. If the call fails, this rank's own exception is reported.
            let _ = self.comm.call_method1(py, "Abort", (1,));
        });
    }
}

impl PeerAccess for PythonRank {
    fn machine_id(&self) -> [u64; 2] {
        self.machine.expect("asked for where it is known")
    }

    fn acknowledgements(&self) -> &Acknowledgements {
        &self.acknowledgements
    }

    fn post_acknowledgement(&self, to: usize, count: u64) {
        // If an acknowledgement cannot be sent, neither can messages, and their failure is reported.
        let _ = Python::attach(|py| self.send(py, to, ACKNOWLEDGEMENT, &[count]));
    }

    fn take_acknowledgement(&self, from: usize) -> Option<u64> {
        Python::attach(|py| self.receive(py, from, ACKNOWLEDGEMENT)).ok()?.map(|words| words[0])
    }
}
