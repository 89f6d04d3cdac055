//! Three dimensions: what must hold of the method there, each in a few runs on small meshes of odd sizes with cells that are not cubes.
//!
//! Proved elsewhere: that the update is AMRClaw's (`reference/space.rs`), that devices have the processor's bits (`device/space.rs`), that
//! vectors and tiles do not change them (`riemann/tests/isa.rs`), that plans reach every cell once (below the plans).

#[path = "../common/mod.rs"]
mod common;

mod axes;
mod capacity;
mod conservation;
mod constant;
mod convergence;
mod plans;
mod repeated;
mod spherical;
mod stability;
mod symmetric;

use amrclaw::simulation::Simulation;
use common::{case, options};

/// A simulation of a case in as many dimensions as it has.
fn start<const D: usize>(text: &str, overrides: &[&str]) -> Simulation<D> {
    start_on(text, overrides, 2)
}

/// The same on so many threads.
fn start_on<const D: usize>(text: &str, overrides: &[&str], threads: usize) -> Simulation<D> {
    let simulation = Simulation::builder(&case(text, overrides)).options(&options(threads)).build();
    simulation.unwrap_or_else(|e| panic!("{e}\n{text}"))
}
