//! Geometry of levels: boxes and flags, no values of the solution.

mod tag_set;

pub use tag_set::TagSet;

pub(crate) use tag_set::Tiling;
