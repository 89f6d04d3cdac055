//! From flags to the boxes of a finer level: buffer, cluster, nest.

mod buffer;
mod cluster;
pub mod nest;

pub use buffer::buffer;
pub use cluster::{ClusterParams, cluster};
