//! Memory of another process of the machine.

use cudarc::driver::{CudaContext, sys};
use std::sync::Arc;

/// Memory of another process, as this one has opened it; closed when dropped.
#[derive(Debug)]
pub struct ImportedMemory {
    address: u64,
    context: Arc<CudaContext>,
}

impl ImportedMemory {
    /// # Safety
    /// The driver has opened it in this context and given the address, and nobody else closes it.
    pub(in crate::runtime) unsafe fn new(address: u64, context: Arc<CudaContext>) -> Self {
        ImportedMemory { address, context }
    }

    /// Its address.
    pub fn address(&self) -> u64 {
        self.address
    }

    /// The context of the device that reaches it.
    pub(crate) fn context(&self) -> &Arc<CudaContext> {
        &self.context
    }
}

impl Drop for ImportedMemory {
    fn drop(&mut self) {
        if self.context.bind_to_thread().is_ok() {
            // SAFETY: it is open until here. If closing fails, the driver closes it with the context.
            let _ = unsafe { sys::cuIpcCloseMemHandle(self.address) };
        }
    }
}
