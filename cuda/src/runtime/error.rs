//! What can go wrong below the executors.

use cudarc::driver::DriverError;
use thiserror::Error;

/// Why the device could not do what it was asked.
#[derive(Debug, Error)]
pub enum CudaError {
    /// There is no driver.
    #[error(
        "no CUDA driver: libcuda.so.1 was not found. Install the driver of the GPU's maker (on Debian and Ubuntu the \
         package nvidia-driver); in a container, start it with the GPU made visible"
    )]
    NoDriver,
    /// There is a driver, but no GPU.
    #[error("the CUDA driver finds no GPU: {0}. `nvidia-smi` should list one; see also CUDA_VISIBLE_DEVICES")]
    NoDevice(String),
    /// NVRTC, which compiles kernels, is missing.
    #[error(
        "no NVRTC, which compiles the kernels: none of {tried} could be opened. Install it with \
         `pip install nvidia-cuda-nvrtc` (or the package cuda-nvrtc of a CUDA toolkit) and name the library in \
         AMRCLAW_NVRTC if it is not in a standard place"
    )]
    NoNvrtc {
        /// Names and paths that were tried.
        tried: String,
    },
    /// A kernel does not compile.
    #[error("compiling {kernel} for {arch}:\n{log}")]
    Compile {
        /// The kernel's file.
        kernel: String,
        /// Architecture compiled for.
        arch: String,
        /// What NVRTC says.
        log: String,
    },
    /// The driver refused to launch a kernel.
    #[error("launching {kernel} on device {device}, grid {grid:?} of {block} threads")]
    Launch {
        /// The kernel.
        kernel: String,
        /// Number of the device.
        device: usize,
        /// Blocks along each axis.
        grid: [u32; 3],
        /// Threads of a block.
        block: u32,
        /// What the driver says.
        source: DriverError,
    },
    /// A kernel failed while it ran; the device's memory can no longer be read.
    #[error(
        "a kernel failed on device {device}: {kernel}, grid {grid:?} of {block} threads, or one that was queued before it. \
         With CUDA_LAUNCH_BLOCKING=1 in the environment kernels run one by one, and it is the one named"
    )]
    Fault {
        /// The kernel queued last.
        kernel: &'static str,
        /// Number of the device.
        device: usize,
        /// Blocks along each axis.
        grid: [u32; 3],
        /// Threads of a block.
        block: u32,
        /// What the driver says.
        source: DriverError,
    },
    /// The pool could not grow.
    #[error(
        "out of {kind} memory: {needed} bytes are needed, {held} are held already and {limit}; \
         runs larger than the device's memory need `--device cuda-streamed`"
    )]
    OutOfMemory {
        /// `device` or `pinned host`.
        kind: &'static str,
        /// Bytes asked for.
        needed: u64,
        /// Bytes that the pool holds.
        held: u64,
        /// Why it could not grow.
        limit: String,
    },
    /// Any other call of the driver failed.
    #[error("{what} on device {device}")]
    Driver {
        /// What was being done.
        what: &'static str,
        /// Number of the device.
        device: usize,
        /// What the driver says.
        source: DriverError,
    },
}

impl CudaError {
    /// For `map_err`: the call, and the device's number.
    pub(crate) fn driver(what: &'static str, device: usize) -> impl Fn(DriverError) -> CudaError {
        move |source| CudaError::Driver { what, device, source }
    }
}
