//! Hyperbolic PDEs on block-structured adaptive meshes.

pub mod index;
pub mod io;
pub mod physics;
