//! Hyperbolic PDEs on block-structured adaptive meshes.

pub mod converge;
pub mod diagnose;
pub mod exec;
pub mod fields;
pub mod index;
pub mod io;
pub mod mesh;
pub mod physics;
pub mod plan;
pub mod plugin;
pub mod regrid;
pub mod schedule;
pub mod simulation;
pub mod sweep;
pub mod tune;
