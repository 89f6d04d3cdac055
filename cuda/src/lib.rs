//! CUDA devices: memory pools, streams, kernels compiled at run time over tables of patches.
//!
//! Nothing here needs CUDA to build or to start: the driver and NVRTC are opened when a [`Device`] is, and what is
//! missing is an error that names it. Kernels lie in `kernels/`, one a file; [`compile`] puts one together with a
//! solver's text and the structs of [`abi`]. A kernel knows patches as rows of tables, and no level.

pub mod abi;
pub mod compile;
mod device;
mod error;
pub mod kernel;
pub mod memory;
pub mod nvrtc;
pub mod regions;
mod stream;
pub mod update;

pub use device::{Device, DeviceInfo, driver_version};
pub use error::CudaError;
pub use kernel::{Grid, Kernel, Module};
pub use memory::{DeviceBuffer, PinnedBuffer, PoolStatistics};
pub use stream::{Event, Graph, Stream};
