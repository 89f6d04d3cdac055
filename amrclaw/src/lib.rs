//! Hyperbolic PDEs on block-structured adaptive meshes.

pub mod index;
pub mod io;
pub mod mesh;
pub mod physics;
pub mod regrid;
