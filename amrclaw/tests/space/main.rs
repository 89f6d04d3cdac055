//! Properties of the method in three dimensions, each tested by a few runs on small meshes of odd sizes with cells that are not cubes.
//!
//! Proved elsewhere: the update is AMRClaw's (`reference/space.rs`), devices are bitwise equal to the CPU (`device/space.rs`),
//! vectors and tiles do not change bits (`riemann/tests/isa`), and plans write every cell once (unit tests of the plans).

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

/// The same on `threads` threads.
fn start_on<const D: usize>(text: &str, overrides: &[&str], threads: usize) -> Simulation<D> {
    let simulation = Simulation::builder(&case(text, overrides)).options(&options(threads)).build();
    simulation.unwrap_or_else(|e| panic!("{e}\n{text}"))
}
