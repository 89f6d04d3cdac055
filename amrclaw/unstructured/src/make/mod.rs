//! Meshes that need no mesher.

mod block;
mod patchwork;
mod shapes;

pub use block::{Block, Of};
pub use shapes::{Corner, Naca0012, Ogive};
