//! What must come out to the bit, or to round-off, whatever the mesh does.

#[path = "../common/mod.rs"]
mod common;

mod constant;
mod narrow;
mod restarts;
mod symmetric;
mod threads;
