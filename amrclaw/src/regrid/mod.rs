//! From flags to the boxes of a finer level: buffer, cluster, nest.

mod buffer;
mod cluster;

pub use buffer::{buffer, erode};
pub use cluster::{ClusterParams, cluster};
