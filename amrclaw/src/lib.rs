//! Hyperbolic PDEs on block-structured adaptive meshes.
//!
//! A tour, from what people call down to what computes:
//!
//! * [`case::Case`] is a problem and how to solve it, read from a file and checked against its solver.
//!   [`simulation::Simulation`] takes a case through time step by step; [`simulation::run()`] takes it to its end and writes files.
//!   [`sweep`], [`tune`] and [`converge`] run one case many times.
//! * [`schedule`] says which level steps next, [`regrid`] where finer levels go, [`plan`] who copies what to whom: none of them
//!   sees a value.
//! * [`ranks`] are what run one case together. [`exec::Executor`] has a verb for each step of the method: on threads, on a GPU, or on a GPU with values in the host's memory.
//!   Above it nothing knows where the values are.
//! * [`physics::Problem`] is the user's side as functions. [`fields`] are arrays, [`mesh`] is patches and levels, [`index`] is
//!   integers. The Riemann solvers and the update of one tile are in crate `riemann`, the kernels in crate `cuda`.
//! * [`frames`] are written and read, and checkpoints; [`picture`] draws; [`formula`] compiles formulas; [`plugin`] loads solvers from
//!   files; [`diagnose`] counts and times.

/// Compiles the page's programs.
#[cfg(doctest)]
#[doc = include_str!("../../docs/rust.md")]
struct RustPage;

pub mod case;
#[cfg(feature = "cli")]
pub mod cli;
pub mod compare;
pub mod converge;
pub mod diagnose;
pub mod exec;
pub mod fields;
pub mod formula;
pub mod frames;
pub mod index;
pub mod mesh;
pub mod physics;
pub mod picture;
pub mod plan;
pub mod plugin;
pub mod ranks;
pub mod regrid;
pub mod schedule;
pub mod simulation;
pub mod sweep;
pub mod text;
mod threads;
pub mod tune;
#[cfg(feature = "view")]
pub mod view;
