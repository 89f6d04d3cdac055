//! The built-in solvers compiled into kernels.

use super::{ParameterErrors, SolverVisitor, build, build_framed};
use crate::faces::Faces;
use crate::patch::{Isa, SolverKernels};
use crate::solver::Solver;
use std::collections::BTreeMap;

/// For these vectors.
struct MakeKernels(Isa);

impl SolverVisitor for MakeKernels {
    type Output = SolverKernels;

    fn visit<S: Solver<M, W, A>, const M: usize, const W: usize, const A: usize>(self, solver: S) -> SolverKernels {
        SolverKernels::with_isa(solver, self.0)
    }
}

/// Kernels of the solver called `name` in `dim` dimensions, in both precisions.
///
/// Not generic, so that they are compiled once, in this crate, and not again in every program and test that uses them.
///
/// # Errors
/// As for [`build`].
pub fn kernels(name: &str, dim: usize, parameters: &BTreeMap<String, f64>) -> Result<SolverKernels, ParameterErrors> {
    kernels_with_isa(name, dim, parameters, Isa::detect())
}

/// [`kernels`] for the vectors named.
///
/// # Errors
/// As for [`build`].
///
/// # Panics
/// If this processor does not have them.
pub fn kernels_with_isa(
    name: &str,
    dim: usize,
    parameters: &BTreeMap<String, f64>,
    isa: Isa,
) -> Result<SolverKernels, ParameterErrors> {
    build(name, dim, parameters, MakeKernels(isa))
}

/// Kernels of the solver called `name` on mapped meshes in `dim` dimensions, in the frames of faces; `None` if it is not offered there, as
/// when it knows directions. Compiled once, as [`kernels`] are.
///
/// # Errors
/// As for [`build`].
pub fn mapped_kernels(
    name: &str,
    dim: usize,
    parameters: &BTreeMap<String, f64>,
) -> Result<Option<SolverKernels>, ParameterErrors> {
    mapped_kernels_with_isa(name, dim, parameters, Isa::detect())
}

/// [`mapped_kernels`] for the vectors named.
///
/// # Errors
/// As for [`build`].
///
/// # Panics
/// If this processor does not have them.
pub fn mapped_kernels_with_isa(
    name: &str,
    dim: usize,
    parameters: &BTreeMap<String, f64>,
    isa: Isa,
) -> Result<Option<SolverKernels>, ParameterErrors> {
    build_framed(name, dim, parameters, MakeKernels(isa))
}

struct MakeFaces;

impl SolverVisitor for MakeFaces {
    type Output = Faces;

    fn visit<S: Solver<M, W, A>, const M: usize, const W: usize, const A: usize>(self, solver: S) -> Faces {
        Faces::new(solver)
    }
}

/// Evaluators of single faces of the solver called `name` in `dim` dimensions; compiled once, as [`kernels`] are.
///
/// # Errors
/// As for [`build`].
pub fn faces(name: &str, dim: usize, parameters: &BTreeMap<String, f64>) -> Result<Faces, ParameterErrors> {
    build(name, dim, parameters, MakeFaces)
}
