//! Where pools get their memory.

use cudarc::driver::{CudaContext, result, sys};
use std::sync::Arc;

/// Gives and takes large pieces of memory.
pub trait Backend {
    /// What it is, for messages.
    const KIND: &'static str;

    /// Address of new memory; `None` if there is not enough.
    fn allocate(&self, bytes: u64) -> Option<u64>;

    /// Gives memory back.
    fn free(&self, address: u64);

    /// What is left, for the message that it is not enough.
    fn shortage(&self) -> String;
}

/// The device's own memory.
#[derive(Debug)]
pub struct DeviceMemory {
    context: Arc<CudaContext>,
}

/// Page-locked memory of the host.
#[derive(Debug)]
pub struct PinnedMemory {
    context: Arc<CudaContext>,
}

impl DeviceMemory {
    pub(crate) fn new(context: Arc<CudaContext>) -> Self {
        DeviceMemory { context }
    }

    pub(crate) fn context(&self) -> &Arc<CudaContext> {
        &self.context
    }
}

impl PinnedMemory {
    pub(crate) fn new(context: Arc<CudaContext>) -> Self {
        PinnedMemory { context }
    }
}

impl Backend for DeviceMemory {
    const KIND: &'static str = "device";

    fn allocate(&self, bytes: u64) -> Option<u64> {
        self.context.bind_to_thread().ok()?;
        // SAFETY: memory is handed out as an address only; buffers bound what is done with it.
        unsafe { result::malloc_sync(bytes as usize) }.ok()
    }

    fn free(&self, address: u64) {
        if self.context.bind_to_thread().is_ok() {
            // SAFETY: `allocate` gave the address, and the pool has no buffer left in it. The driver waits for work that
            // uses it. A failure leaves memory behind, which the driver frees with the context.
            let _ = unsafe { result::free_sync(address) };
        }
    }

    fn shortage(&self) -> String {
        match self.context.mem_get_info() {
            Ok((free, total)) => format!("{free} of {total} on the device are free"),
            Err(_) => "the driver refuses more".into(),
        }
    }
}

impl Backend for PinnedMemory {
    const KIND: &'static str = "pinned host";

    fn allocate(&self, bytes: u64) -> Option<u64> {
        self.context.bind_to_thread().ok()?;
        // SAFETY: as for the device's memory.
        let memory = unsafe { result::malloc_host(bytes as usize, sys::CU_MEMHOSTALLOC_PORTABLE) };
        memory.ok().map(|start| start as u64)
    }

    fn free(&self, address: u64) {
        if self.context.bind_to_thread().is_ok() {
            // SAFETY: as for the device's memory.
            let _ = unsafe { result::free_host(address as *mut _) };
        }
    }

    fn shortage(&self) -> String {
        "the system refuses to pin more".into()
    }
}
