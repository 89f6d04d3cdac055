//! A second stream of a GPU, for what is done beside the first: small kernels, one after another, which do not wait for the blocks of large ones.

use cuda::{CudaError, Device, Event, Stream};
use std::sync::atomic::{AtomicBool, Ordering};

/// A branch of the work in a stream: it begins behind what was there at a fork, and what follows it in the stream waits for its end.
pub(super) struct Branch {
    stream: Stream,
    forked: Event,
    done: Event,
    /// What is asked for goes into it.
    is_open: AtomicBool,
}

impl Branch {
    pub fn new(device: &Device) -> Result<Self, CudaError> {
        let (forked, done) = (device.event(false)?, device.event(false)?);
        Ok(Branch { stream: device.urgent_stream()?, forked, done, is_open: AtomicBool::new(false) })
    }

    /// The stream that what is asked for goes into.
    pub fn or<'a>(&'a self, main: &'a Stream) -> &'a Stream {
        if self.is_open.load(Ordering::Relaxed) { &self.stream } else { main }
    }

    pub fn fork(&self, main: &Stream) -> Result<(), CudaError> {
        main.record(&self.forked)
    }

    pub fn enter(&self) -> Result<(), CudaError> {
        self.stream.wait(&self.forked)?;
        self.is_open.store(true, Ordering::Relaxed);
        Ok(())
    }

    pub fn leave(&self, main: &Stream) -> Result<(), CudaError> {
        self.is_open.store(false, Ordering::Relaxed);
        self.stream.record(&self.done)?;
        main.wait(&self.done)
    }
}
