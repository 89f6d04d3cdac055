//! Memory of another process of the machine.

use cudarc::driver::{CudaContext, sys};
use std::sync::Arc;

/// Memory of another process, as this one has opened it; closed when dropped.
#[derive(Debug)]
pub struct Opened {
    address: u64,
    context: Arc<CudaContext>,
}

impl Opened {
    /// # Safety
    /// The driver has opened it in this context and given the address, and nobody else closes it.
    pub(in crate::runtime) unsafe fn new(address: u64, context: Arc<CudaContext>) -> Self {
        Opened { address, context }
    }

    /// Where it begins.
    pub fn address(&self) -> u64 {
        self.address
    }

    /// By which device it is reached.
    pub(crate) fn context(&self) -> &Arc<CudaContext> {
        &self.context
    }
}

impl Drop for Opened {
    fn drop(&mut self) {
        if self.context.bind_to_thread().is_ok() {
            // SAFETY: it is open until here. A failure leaves it so, which the driver closes with the context.
            let _ = unsafe { sys::cuIpcCloseMemHandle(self.address) };
        }
    }
}
