//! Page-locking memory that the program has allocated itself.

use cudarc::driver::{CudaContext, sys};
use std::sync::Arc;

/// Locks pages of the host's memory in place, so that the device copies from and to them at full speed, beside other work.
#[derive(Clone, Debug)]
pub struct PageLocks {
    context: Arc<CudaContext>,
}

impl PageLocks {
    /// Page locks for the device of a context and all others.
    pub(in crate::runtime) fn new(context: &Arc<CudaContext>) -> Self {
        PageLocks { context: context.clone() }
    }

    /// Locks the pages of a piece of memory. False if the system refuses: copies are then slower, but still correct.
    ///
    /// # Safety
    /// The memory is the program's, and stays so until it is unlocked.
    pub unsafe fn lock(&self, address: usize, bytes: usize) -> bool {
        let flags = sys::CU_MEMHOSTREGISTER_PORTABLE;
        self.context.bind_to_thread().is_ok()
            // SAFETY: the caller's promise.
            && unsafe { sys::cuMemHostRegister_v2(address as *mut _, bytes, flags) }.result().is_ok()
    }

    /// Unlocks what [`PageLocks::lock`] locked.
    ///
    /// # Safety
    /// No copy from or to the memory is under way.
    pub unsafe fn unlock(&self, address: usize) {
        if self.context.bind_to_thread().is_ok() {
            // SAFETY: the driver knows what is locked; an address that is not is an error without effect.
            let _ = unsafe { sys::cuMemHostUnregister(address as *mut _) }.result();
        }
    }
}
