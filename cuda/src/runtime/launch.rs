//! Launches: their size, and which was the last on a device.

use crate::runtime::error::CudaError;
use cudarc::driver::{DriverError, sys};
use parking_lot::Mutex;

/// Blocks and threads of a launch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Grid {
    /// Blocks along each axis.
    pub blocks: [u32; 3],
    /// Threads of a block.
    pub threads: u32,
    /// Bytes of dynamic shared memory of a block.
    pub shared_bytes: u32,
}

impl Grid {
    /// Enough blocks of `threads` threads for `items` items, one item for each thread.
    pub fn over(items: usize, threads: u32) -> Grid {
        let blocks = items.div_ceil(threads as usize).max(1) as u32;
        Grid { blocks: [blocks, 1, 1], threads, shared_bytes: 0 }
    }
}

/// The kernel launched last on a device, to be named if it fails: the driver reports a fault at the next call that waits, in any stream.
#[derive(Debug, Default)]
pub(crate) struct LastLaunch(Mutex<Option<(&'static str, Grid)>>);

impl LastLaunch {
    /// Records a launch.
    pub fn note(&self, kernel: &'static str, grid: Grid) {
        *self.0.lock() = Some((kernel, grid));
    }

    /// For `map_err`: an error that names the call, or the kernel if that has failed.
    pub fn failed(&self, what: &'static str, device: usize) -> impl Fn(DriverError) -> CudaError {
        move |source| match *self.0.lock() {
            Some((kernel, grid)) if is_fault(source) => {
                CudaError::Fault { kernel, device, grid: grid.blocks, block: grid.threads, source }
            }
            _ => CudaError::Driver { what, device, source },
        }
    }
}

/// True if a kernel failed: its context is then unusable.
fn is_fault(error: DriverError) -> bool {
    use sys::CUresult::*;
    matches!(
        error.0,
        CUDA_ERROR_ILLEGAL_ADDRESS
            | CUDA_ERROR_LAUNCH_TIMEOUT
            | CUDA_ERROR_ASSERT
            | CUDA_ERROR_HARDWARE_STACK_ERROR
            | CUDA_ERROR_ILLEGAL_INSTRUCTION
            | CUDA_ERROR_MISALIGNED_ADDRESS
            | CUDA_ERROR_INVALID_ADDRESS_SPACE
            | CUDA_ERROR_INVALID_PC
            | CUDA_ERROR_LAUNCH_FAILED
    )
}
