//! From flags to the boxes of a finer level: buffer, cluster, nest.

mod buffer;

pub use buffer::{buffer, erode};
