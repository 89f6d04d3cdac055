//! Queues of work on a device.

use crate::runtime::abi::Plain;
use crate::runtime::device::Device;
use crate::runtime::error::CudaError;
use crate::runtime::event::Event;
use crate::runtime::launch::LastLaunch;
use crate::runtime::memory::DeviceBuffer;
use cudarc::driver::{CudaStream, DriverError, result, sys};
use std::sync::Arc;

/// A queue of copies and kernels that run one after the other.
#[derive(Clone, Debug)]
pub struct Stream {
    pub(crate) raw: Arc<CudaStream>,
    pub(crate) device: usize,
    pub(crate) launched: Arc<LastLaunch>,
}

/// How urgent the work in a stream is. A stream of [`Device::stream`] has the lowest priority.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Priority {
    /// As streams have it that are made without one.
    Low,
    /// Between the two.
    Middle,
    /// The highest that the device knows.
    High,
}

impl Device {
    /// A new stream, of the lowest priority.
    pub fn stream(&self) -> Result<Stream, CudaError> {
        self.stream_of_priority(Priority::Low)
    }

    /// A new stream whose blocks are scheduled before those of streams of lower priority.
    pub fn stream_of_priority(&self, priority: Priority) -> Result<Stream, CudaError> {
        let failed = CudaError::driver("creating a stream", self.ordinal());
        self.context().bind_to_thread().map_err(&failed)?;
        // The highest priority is the smallest number.
        let (lowest, highest) = result::stream::get_priority_range().map_err(&failed)?;
        let number = match priority {
            Priority::Low => lowest,
            Priority::Middle => (lowest + highest) / 2,
            Priority::High => highest,
        };
        let raw = self.context().new_stream_with_priority(number).map_err(&failed)?;
        Ok(Stream { raw, device: self.ordinal(), launched: self.launched().clone() })
    }
}

impl Stream {
    /// For `map_err`: the call that failed, or the kernel that did.
    pub(crate) fn failed(&self, what: &'static str) -> impl Fn(DriverError) -> CudaError {
        self.launched.failed(what, self.device)
    }

    fn bound(&self, what: &'static str) -> Result<sys::CUstream, CudaError> {
        self.raw.context().bind_to_thread().map_err(self.failed(what))?;
        Ok(self.raw.cu_stream())
    }

    /// Waits on the host until all work is done.
    pub fn synchronize(&self) -> Result<(), CudaError> {
        self.raw.synchronize().map_err(self.failed("waiting for a stream"))
    }

    /// Records an event behind the work so far.
    pub fn record(&self, event: &Event) -> Result<(), CudaError> {
        let stream = self.bound("recording an event")?;
        // SAFETY: both live.
        unsafe { result::event::record(event.raw(), stream) }.map_err(self.failed("recording an event"))
    }

    /// Makes later work of the stream wait for the event.
    pub fn wait(&self, event: &Event) -> Result<(), CudaError> {
        let stream = self.bound("waiting for an event")?;
        let option = sys::CUevent_wait_flags::CU_EVENT_WAIT_DEFAULT;
        // SAFETY: both live.
        unsafe { result::stream::wait_event(stream, event.raw(), option) }.map_err(self.failed("waiting for an event"))
    }

    /// Copies to the device, to number `at` of the buffer, and waits.
    pub fn upload<T: Plain>(&self, source: &[T], target: &DeviceBuffer<T>, at: usize) -> Result<(), CudaError> {
        // SAFETY: the source is borrowed until the copy is done.
        unsafe { self.upload_async(source, target, at)? };
        self.synchronize()
    }

    /// Copies from the device, from number `at` of the buffer on, and waits.
    pub fn download<T: Plain>(&self, source: &DeviceBuffer<T>, at: usize, target: &mut [T]) -> Result<(), CudaError> {
        // SAFETY: the target is borrowed until the copy is done.
        unsafe { self.download_async(source, at, target)? };
        self.synchronize()
    }

    /// Queues a copy to the device.
    ///
    /// # Safety
    /// If the source is pinned, it must stay as it is until the copy is done.
    pub unsafe fn upload_async<T: Plain>(
        &self,
        source: &[T],
        target: &DeviceBuffer<T>,
        at: usize,
    ) -> Result<(), CudaError> {
        assert!(at + source.len() <= target.len(), "{} numbers to {at} of {}", source.len(), target.len());
        if source.is_empty() {
            return Ok(());
        }
        let stream = self.bound("copying to the device")?;
        // SAFETY: the place lies in the buffer; the source is the caller's promise.
        unsafe { result::memcpy_htod_async(target.at(at).address(), source, stream) }
            .map_err(self.failed("copying to the device"))
    }

    /// Queues a copy from the device.
    ///
    /// # Safety
    /// The target must not be touched or freed until the copy is done.
    pub unsafe fn download_async<T: Plain>(
        &self,
        source: &DeviceBuffer<T>,
        at: usize,
        target: &mut [T],
    ) -> Result<(), CudaError> {
        assert!(at + target.len() <= source.len(), "{} numbers from {at} of {}", target.len(), source.len());
        if target.is_empty() {
            return Ok(());
        }
        let stream = self.bound("copying from the device")?;
        // SAFETY: the place lies in the buffer; the target is the caller's promise.
        unsafe { result::memcpy_dtoh_async(target, source.at(at).address(), stream) }
            .map_err(self.failed("copying from the device"))
    }

    /// Queues a copy of `len` numbers between buffers.
    pub fn copy<T: Plain>(
        &self,
        (source, from): (&DeviceBuffer<T>, usize),
        (target, to): (&DeviceBuffer<T>, usize),
        len: usize,
    ) -> Result<(), CudaError> {
        assert!(from + len <= source.len() && to + len <= target.len(), "{len} numbers from {from} to {to}");
        if len == 0 {
            return Ok(());
        }
        let stream = self.bound("copying on the device")?;
        let bytes = len * size_of::<T>();
        // SAFETY: both places lie in their buffers.
        unsafe { result::memcpy_dtod_async(target.at(to).address(), source.at(from).address(), bytes, stream) }
            .map_err(self.failed("copying on the device"))
    }

    /// Queues a copy of `len` numbers from a buffer of any device; it is direct after [`Device::enable_peer_access`].
    pub fn copy_from_peer<T: Plain>(
        &self,
        (source, from): (&DeviceBuffer<T>, usize),
        (target, to): (&DeviceBuffer<T>, usize),
        len: usize,
    ) -> Result<(), CudaError> {
        let [here, there] = [target, source].map(|buffer| buffer.context().cu_ctx());
        if here == there || len == 0 {
            return self.copy((source, from), (target, to), len);
        }
        assert!(from + len <= source.len() && to + len <= target.len(), "{len} numbers from {from} to {to}");
        let stream = self.bound("copying from another device")?;
        let (target, source, bytes) = (target.at(to).address(), source.at(from).address(), len * size_of::<T>());
        // SAFETY: both places lie in their buffers, and the contexts are those of their memory.
        unsafe { sys::cuMemcpyPeerAsync(target, here, source, there, bytes, stream) }
            .result()
            .map_err(self.failed("copying from another device"))
    }

    /// Queues setting every byte of `len` numbers from `at` on.
    pub fn fill<T: Plain>(&self, target: &DeviceBuffer<T>, at: usize, len: usize, byte: u8) -> Result<(), CudaError> {
        assert!(at + len <= target.len(), "{len} numbers from {at} of {}", target.len());
        if len == 0 {
            return Ok(());
        }
        let stream = self.bound("filling memory")?;
        // SAFETY: the place lies in the buffer.
        unsafe { result::memset_d8_async(target.at(at).address(), byte, len * size_of::<T>(), stream) }
            .map_err(self.failed("filling memory"))
    }
}
