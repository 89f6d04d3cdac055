//! CUDA as this project uses it: a device and its memory, streams, kernels compiled at run time. Knows no patch.

pub mod abi;
pub mod cache;
pub mod compile;
pub(crate) mod device;
pub(crate) mod error;
pub(crate) mod event;
pub(crate) mod interprocess;
pub mod kernel;
pub(crate) mod launch;
pub mod memory;
pub mod nvrtc;
pub(crate) mod stream;
