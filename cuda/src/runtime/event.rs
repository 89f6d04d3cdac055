//! Events in streams.

use crate::runtime::device::Device;
use crate::runtime::error::CudaError;
use crate::runtime::launch::LastLaunch;
use cudarc::driver::sys::{self, CUevent_flags};
use cudarc::driver::{CudaContext, DriverError, result};
use std::sync::Arc;

/// A CUDA event: a point in a stream to wait for, or to take the time of.
#[derive(Debug)]
pub struct Event {
    raw: sys::CUevent,
    context: Arc<CudaContext>,
    launched: Arc<LastLaunch>,
}

// SAFETY: the driver takes events from any thread, and several at once.
unsafe impl Send for Event {}
// SAFETY: likewise.
unsafe impl Sync for Event {}

impl Device {
    /// A new event. `timed`: the time at which it completes can be asked for.
    ///
    /// # Errors
    /// The driver's.
    pub fn event(&self, timed: bool) -> Result<Event, CudaError> {
        let flags = if timed { CUevent_flags::CU_EVENT_DEFAULT } else { CUevent_flags::CU_EVENT_DISABLE_TIMING };
        // SAFETY: the driver writes one event.
        self.new_event("creating an event", |raw| unsafe { sys::cuEventCreate(raw, flags as u32) })
    }

    /// An event that the driver makes or opens.
    pub(crate) fn new_event(
        &self,
        what: &'static str,
        make: impl FnOnce(*mut sys::CUevent) -> sys::CUresult,
    ) -> Result<Event, CudaError> {
        let (context, mut raw) = (self.context().clone(), std::ptr::null_mut());
        let made = context.bind_to_thread().and_then(|()| make(&raw mut raw).result());
        made.map_err(CudaError::driver(what, self.ordinal()))?;
        Ok(Event { raw, context, launched: self.launched().clone() })
    }
}

impl Event {
    pub(crate) fn raw(&self) -> sys::CUevent {
        self.raw
    }

    /// Waits on the host.
    ///
    /// # Errors
    /// If the device fails.
    pub fn synchronize(&self) -> Result<(), CudaError> {
        // SAFETY: the event lives.
        let waited = self.context.bind_to_thread().and_then(|()| unsafe { result::event::synchronize(self.raw) });
        waited.map_err(self.failed("waiting for an event"))
    }

    /// Milliseconds from `earlier` to this event, both timed.
    ///
    /// # Errors
    /// The driver's.
    pub fn milliseconds_since(&self, earlier: &Event) -> Result<f64, CudaError> {
        earlier.synchronize()?;
        self.synchronize()?;
        // SAFETY: both events live.
        let time = unsafe { result::event::elapsed(earlier.raw, self.raw) };
        time.map(f64::from).map_err(self.failed("timing"))
    }

    /// For `map_err`: the call that failed, or the kernel that did.
    pub(crate) fn failed(&self, what: &'static str) -> impl Fn(DriverError) -> CudaError {
        self.launched.failed(what, self.context.ordinal())
    }
}

impl Drop for Event {
    fn drop(&mut self) {
        if self.context.bind_to_thread().is_ok() {
            // SAFETY: nobody has the event any more. A failure leaves it behind, which the driver frees with the context.
            let _ = unsafe { result::event::destroy(self.raw) };
        }
    }
}
