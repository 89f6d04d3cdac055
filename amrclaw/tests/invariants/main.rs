//! Properties that hold bitwise or up to round-off, whatever the mesh.

#[path = "../common/mod.rs"]
mod common;

mod constant;
mod narrow;
mod restarts;
mod symmetric;
mod threads;
