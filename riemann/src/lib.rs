//! Riemann solvers: one face, one pair of states.
//!
//! A solver is written once, over [`real::Real`], and runs on one face at a time or on a vector of faces.
//!
//! A tour:
//!
//! * [`macro@solver`] and [`macro@kernels`] translate a user's block to Rust and CUDA C++: an implementation of [`solver::Solver`], and its
//!   text for a GPU ([`device_source`]). [`solvers`] are the built-in ones, one PDE a file.
//! * [`patch`] updates one tile of a patch with any solver: Riemann problems, limited corrections ([`limiter`]), transverse waves,
//!   sources. `patch::PatchSolver` is its interface for programs, `patch::Kernels` implements it for a solver.
//! * [`group`] says what mirrors and rotations do to a state's vectors and tensors.
//! * [`frame`] solves with any solver that knows no directions on a mapped mesh, in the frame of each face.
//! * [`cells`] solves in the frames of the faces of any mesh.
//! * [`lanes`] are packs of numbers for the processor's vectors, [`axis`] names axes and sides, [`lattice`] says where cells lie.
//! * [`mod@plugin`] passes solvers through a C interface, so that a program loads solvers that it was not compiled with.
//! * With the feature `catalogue`: `catalogue` finds solvers by name, `holds` checks on random states what every solver must satisfy.

pub use riemann_macros::{described_functions, described_kernels, functions, kernels, shared, solver};

// So that the macros' paths, which begin with `::riemann`, hold in this crate too.
extern crate self as riemann;

pub mod axis;
#[cfg(feature = "catalogue")]
pub mod catalogue;
pub mod cells;
pub mod device_source;
pub mod elementary;
pub mod faces;
pub mod frame;
pub mod group;
#[cfg(feature = "catalogue")]
pub mod holds;
pub mod lanes;
pub mod lattice;
pub mod limiter;
pub mod parameters;
pub mod patch;
pub mod plugin;
pub mod real;
pub mod solver;
pub mod solvers;

/// What a solver's file imports.
pub mod prelude {
    pub use crate::axis::{Axis, Side};
    pub use crate::elementary::Functions;
    pub use crate::parameters::{ParameterCheck, ParameterInfo};
    pub use crate::real::Real;
    pub use crate::solver::{Cell, Described, Normal, Solver, Transverse, TransverseAux};
}
