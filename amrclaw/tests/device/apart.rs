//! Ranks that are threads but do not access one another's memory directly, like ranks in separate processes.

use amrclaw::mesh::Rank;
use amrclaw::ranks::{Acknowledgements, CommError, Communicator, DeviceMessages, PeerAccess, Threads};
use std::any::Any;
use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex};

/// A rank.
pub struct Apart {
    pub threads: Threads,
    /// Messages go between the memories of devices, as with an MPI that can access these.
    pub by_devices: bool,
    /// If set, there are two ranks on each machine, which have access to one another's memory.
    pub shared_state: Option<Arc<SharedState>>,
    pub acknowledgements: Acknowledgements,
}

/// State shared by all ranks of a run.
#[derive(Default)]
pub struct SharedState {
    acknowledgements: Mutex<HashMap<[usize; 2], VecDeque<u64>>>,
    /// Objects kept alive until all ranks have left.
    kept: Mutex<Vec<Box<dyn Any + Send>>>,
}

impl Communicator for Apart {
    fn rank(&self) -> Rank {
        self.threads.rank()
    }
    fn post(&self, to: usize, words: Vec<u64>) -> Result<(), CommError> {
        self.threads.post(to, words)
    }
    fn wait(&self, from: usize) -> Result<Vec<u64>, CommError> {
        self.threads.wait(from)
    }
    fn abort(&self, reason: &str) {
        self.threads.abort(reason);
    }
    fn device_messages(&self) -> Option<&dyn DeviceMessages> {
        self.by_devices.then_some(self)
    }
    fn peer_access(&self) -> Option<&dyn PeerAccess> {
        self.shared_state.is_some().then_some(self)
    }
    fn keep(&self, held: Box<dyn Any + Send>) {
        if let Some(between) = &self.shared_state {
            between.kept.lock().expect("nobody panics").push(held);
        }
    }
}

impl DeviceMessages for Apart {
    unsafe fn post_from(&self, to: usize, address: u64, bytes: usize, _: Box<dyn Any + Send>) -> Result<(), CommError> {
        // SAFETY: the caller's promise; emulated devices have their memory on the host.
        let words = unsafe { std::slice::from_raw_parts(address as *const u32, bytes.div_ceil(8) * 2) };
        self.threads.post(to, words.chunks(2).map(|pair| u64::from(pair[0]) | u64::from(pair[1]) << 32).collect())
    }

    unsafe fn wait_at(&self, from: usize, address: u64, bytes: usize, _: Box<dyn Any + Send>) -> Result<(), CommError> {
        let words = self.threads.wait(from)?;
        assert_eq!(words.len(), bytes.div_ceil(8));
        // SAFETY: likewise.
        unsafe { (address as *mut u64).copy_from_nonoverlapping(words.as_ptr(), words.len()) };
        Ok(())
    }
}

impl PeerAccess for Apart {
    fn machine_id(&self) -> [u64; 2] {
        [self.rank().number as u64 / 2, 0]
    }

    fn acknowledgements(&self) -> &Acknowledgements {
        &self.acknowledgements
    }

    fn post_acknowledgement(&self, to: usize, count: u64) {
        let between = self.shared_state.as_ref().expect("it shared_state");
        let mut acknowledgements = between.acknowledgements.lock().expect("nobody panics");
        acknowledgements.entry([self.rank().number, to]).or_default().push_back(count);
    }

    fn take_acknowledgement(&self, from: usize) -> Option<u64> {
        let between = self.shared_state.as_ref().expect("it shared_state");
        between.acknowledgements.lock().expect("nobody panics").get_mut(&[from, self.rank().number])?.pop_front()
    }
}
