//! Arrays over the patches of a level; no algorithms.
//!
//! A level's values are one array `[component, z, y, x]` for each of its patches, x fastest, ghost cells included, one patch after another
//! (`layout`). Arrays come from a pool: after the first regrids nothing is allocated unless the levels' sizes change much, and idle memory stays a
//! small part of what is in use.

mod layout;
mod pool;
mod shared;

pub use layout::{LevelLayout, PatchLayout};
pub use pool::{PageLock, Pool};
pub use shared::Shared;
