//! The CUDA texts: by the host's compiler they give the bits of the CPU's kernels (`emulated`), and NVRTC compiles them for GPUs (`nvrtc`). One
//! program, since the solvers that only tests have take longer to compile than the rest.

mod emulated;
#[path = "../fault/fault.rs"]
mod fault;
mod nvrtc;
#[path = "../support/mod.rs"]
mod support;
