//! Riemann solvers: one face, one pair of states.
//!
//! A solver is written once, over [`real::Real`], and runs on one face at a time or on a vector of faces.

pub use riemann_macros::{described_kernels, kernels, shared, solver};

// So that the macros' paths, which begin with `::riemann`, hold in this crate too.
extern crate self as riemann;

pub mod axis;
#[cfg(feature = "catalogue")]
pub mod catalogue;
pub mod device_source;
pub mod faces;
#[cfg(feature = "catalogue")]
pub mod holds;
pub mod lanes;
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
    pub use crate::parameters::{ParameterCheck, ParameterInfo};
    pub use crate::real::Real;
    pub use crate::solver::{Cell, Described, Normal, Solver, Transverse, TransverseAux};
}
