//! Further streams of a GPU, for work that overlaps with that of its main stream.
//!
//! The maps of the faces that the fix keeps are made in a second stream while values of new levels are transferred (`Machine::fork`); a rank
//! fills and averages its own cells in a third while messages are exchanged (`Overlap`). All other work runs in the order of the calls.

use cuda::{CudaError, Device, Event, Priority, Stream};
use std::sync::atomic::{AtomicBool, Ordering};

/// A branch of the work in a stream: it begins after the work enqueued before the fork, and work enqueued after the join waits for its end.
pub(super) struct Branch {
    stream: Stream,
    forked: Event,
    done: Event,
    /// Work is enqueued to it.
    is_open: AtomicBool,
}

impl Branch {
    pub fn new(device: &Device, priority: Priority) -> Result<Self, CudaError> {
        let (forked, done) = (device.event(false)?, device.event(false)?);
        Ok(Branch { stream: device.stream_of_priority(priority)?, forked, done, is_open: AtomicBool::new(false) })
    }

    /// Its stream, if work is enqueued to it.
    pub fn open(&self) -> Option<&Stream> {
        self.is_open.load(Ordering::Relaxed).then_some(&self.stream)
    }

    pub fn fork(&self, main: &Stream) -> Result<(), CudaError> {
        main.record(&self.forked)
    }

    pub fn enter(&self) -> Result<(), CudaError> {
        self.stream.wait(&self.forked)?;
        self.is_open.store(true, Ordering::Relaxed);
        Ok(())
    }

    pub fn leave(&self) -> Result<(), CudaError> {
        self.is_open.store(false, Ordering::Relaxed);
        self.stream.record(&self.done)
    }

    pub fn join(&self, main: &Stream) -> Result<(), CudaError> {
        main.wait(&self.done)
    }
}
