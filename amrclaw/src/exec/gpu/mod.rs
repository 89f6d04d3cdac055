//! The back end for GPUs: all that names crate `cuda`. [`resident`] holds all levels in a device's memory, [`streamed`] sweeps values that
//! stay in the host's; [`device`] is what both share.

pub mod device;
pub mod resident;
pub mod streamed;
