//! Arrays over the patches of a level; no algorithms.

mod layout;
mod pool;

pub use layout::{LevelLayout, PatchLayout};
pub use pool::Pool;
