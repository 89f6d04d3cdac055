//! Arrays over the patches of a level; no algorithms.

mod layout;
mod pool;
mod shared;

pub use layout::{LevelLayout, PatchLayout};
pub use pool::{PageLock, Pool};
pub use shared::Shared;
