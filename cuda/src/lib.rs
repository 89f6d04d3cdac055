//! CUDA devices, and the kernels of adaptive patches.
//!
//! A tour:
//!
//! * [`runtime`]: a [`Device`] with pools for its memory and for pinned memory of the host, [`Stream`]s, kernels compiled by NVRTC
//!   when a run starts and kept on disk. [`abi`] declares a struct once for host and device.
//! * [`amr`]: the kernels. Its `kernels` has one row for each of them, with file, argument and division of the work; their arguments are
//!   beside it: patches, regions to copy, interpolate or average, faces of the conservation fix, tiles of the update and of flags.
//! * `kernels/`, beside `src/`: their text, one kernel a file. Whatever differs by axis is an array over axes, and loops over axes
//!   have as many turns as the problem has dimensions. `prelude.cuh` is what a solver's text may use.
//!
//! Nothing here needs CUDA to build or to start: driver and NVRTC are opened when a [`Device`] is, and what is missing is an
//! error that names it. A kernel knows patches as rows of tables, and levels only as such tables: no time step, no hierarchy.

pub mod amr;
pub mod runtime;

pub use runtime::device::{Device, DeviceInfo, can_access_peer, driver_version};
pub use runtime::error::CudaError;
pub use runtime::event::Event;
pub use runtime::interprocess::{BufferHandle, EventHandle};
pub use runtime::kernel::{ConstantArray, Grid, Kernel, Module};
pub use runtime::memory::{DeviceBuffer, PinnedBuffer, PoolStatistics};
pub use runtime::stream::{Priority, Stream};
pub use runtime::{abi, cache, compile, kernel, memory, nvrtc};
