//! Riemann solvers: one face, one pair of states.
//!
//! A solver is written once, over [`real::Real`], and runs on one face at a time or on a vector of faces.

pub mod axis;
pub mod catalogue;
pub mod lanes;
pub mod limiter;
pub mod patch;
pub mod real;
pub mod solver;
pub mod solvers;

/// What a solver's file imports.
pub mod prelude {
    pub use crate::axis::{Axis, Side};
    pub use crate::real::Real;
    pub use crate::solver::{Normal, Solver, Transverse, TransverseAux};
}
