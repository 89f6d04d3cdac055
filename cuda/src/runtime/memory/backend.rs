//! Where pools get their memory.

use super::mapped;
use crate::runtime::error::CudaError;
use crate::runtime::launch::LastLaunch;
use cudarc::driver::{CudaContext, DriverError, result, sys};
use std::sync::Arc;

/// Allocates and frees large pieces of memory.
pub trait Backend {
    /// What it is, for messages.
    const KIND: &'static str;

    /// Address of new memory; `None` if there is not enough.
    ///
    /// # Errors
    /// If the device has failed, which the driver may report at any call.
    fn allocate(&self, bytes: u64) -> Result<Option<u64>, CudaError>;

    /// Frees an allocation of this size.
    fn free(&self, address: u64, bytes: u64);

    /// How much is left, for the message of a failed allocation.
    fn shortage(&self) -> String;
}

/// The device's own memory.
#[derive(Debug)]
pub struct DeviceMemory {
    context: Arc<CudaContext>,
    launched: Arc<LastLaunch>,
    /// Other devices may reach it, and MPI.
    is_shared: bool,
}

/// Page-locked memory of the host.
#[derive(Debug)]
pub struct PinnedMemory {
    context: Arc<CudaContext>,
    launched: Arc<LastLaunch>,
}

/// The driver's answer to an allocation; `None` if there is not enough memory.
fn none_if_out_of_memory<T>(
    answer: Result<T, DriverError>,
    launched: &LastLaunch,
    device: usize,
) -> Result<Option<T>, CudaError> {
    match answer {
        Err(DriverError(sys::CUresult::CUDA_ERROR_OUT_OF_MEMORY)) => Ok(None),
        answer => answer.map(Some).map_err(launched.failed("allocating memory", device)),
    }
}

impl DeviceMemory {
    /// `is_shared`: others than the device reach the memory. Otherwise it is mapped for this device alone, where the driver supports
    /// that: shared memory is mapped for each device, which takes longer.
    pub(crate) fn new(context: Arc<CudaContext>, launched: Arc<LastLaunch>, is_shared: bool) -> Self {
        let is_shared = is_shared || !mapped::can_map(&context);
        DeviceMemory { context, launched, is_shared }
    }

    pub(crate) fn context(&self) -> &Arc<CudaContext> {
        &self.context
    }
}

impl PinnedMemory {
    pub(crate) fn new(context: Arc<CudaContext>, launched: Arc<LastLaunch>) -> Self {
        PinnedMemory { context, launched }
    }
}

/// Fills new memory of the current context with a byte of which every floating-point number is NaN: a result that depended on what
/// nothing has written would be NaN, and not what another program left there.
///
/// # Safety
/// `address` is that of at least so many bytes on the device, which nothing uses yet.
unsafe fn fill_with_nan(address: u64, bytes: u64) -> Result<(), DriverError> {
    // SAFETY: the caller's promise.
    unsafe { result::memset_d8_sync(address, 0xff, bytes as usize)? };
    // Streams of runs do not wait for the default stream.
    // SAFETY: null is the default stream.
    unsafe { result::stream::synchronize(std::ptr::null_mut()) }
}

impl Backend for DeviceMemory {
    const KIND: &'static str = "device";

    fn allocate(&self, bytes: u64) -> Result<Option<u64>, CudaError> {
        let memory = self.context.bind_to_thread().and_then(|()| match self.is_shared {
            // SAFETY: memory is handed out as an address only; buffers bound what is done with it.
            true => unsafe { result::malloc_sync(bytes as usize) },
            false => mapped::allocate(&self.context, bytes),
        });
        let device = self.context.ordinal();
        let memory = none_if_out_of_memory(memory, &self.launched, device)?;
        if let Some(address) = memory {
            // SAFETY: the memory is new and has so many bytes.
            unsafe { fill_with_nan(address, bytes) }.map_err(self.launched.failed("filling new memory", device))?;
        }
        Ok(memory)
    }

    fn free(&self, address: u64, bytes: u64) {
        if self.context.bind_to_thread().is_err() {
            return;
        }
        // A failure leaves the memory allocated until the driver frees the context.
        let _ = match self.is_shared {
            // SAFETY: `allocate` gave the address, and the pool has no buffer left in it. The driver waits for work that uses it.
            true => unsafe { result::free_sync(address) },
            // SAFETY: likewise; here work is waited for.
            false => unsafe { mapped::free(&self.context, address, bytes) },
        };
    }

    fn shortage(&self) -> String {
        match self.context.mem_get_info() {
            Ok((free, total)) => format!("{free} of {total} on the device are free"),
            Err(_) => "the driver cannot allocate more".into(),
        }
    }
}

impl Backend for PinnedMemory {
    const KIND: &'static str = "pinned host";

    fn allocate(&self, bytes: u64) -> Result<Option<u64>, CudaError> {
        let flags = sys::CU_MEMHOSTALLOC_PORTABLE;
        // SAFETY: as for the device's memory.
        let memory = self.context.bind_to_thread().and_then(|()| unsafe { result::malloc_host(bytes as usize, flags) });
        let memory = none_if_out_of_memory(memory, &self.launched, self.context.ordinal())?;
        Ok(memory.map(|start| start as u64))
    }

    fn free(&self, address: u64, _: u64) {
        if self.context.bind_to_thread().is_ok() {
            // SAFETY: as for the device's memory.
            let _ = unsafe { result::free_host(address as *mut _) };
        }
    }

    fn shortage(&self) -> String {
        "the system cannot pin more".into()
    }
}
