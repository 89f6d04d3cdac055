//! The built-in solvers compiled into kernels.

use super::{ParameterErrors, SolverVisitor, build, build_framed};
use crate::faces::Faces;
use crate::patch::{Isa, Kernels, SolverKernels};
use crate::solver::Solver;
use std::collections::BTreeMap;
use std::sync::Arc;

/// For these vectors.
struct MakeKernels(Isa);

impl SolverVisitor for MakeKernels {
    type Output = SolverKernels;

    fn visit<S: Solver<M, W, A>, const M: usize, const W: usize, const A: usize>(self, solver: S) -> SolverKernels {
        let kernels = Arc::new(Kernels::with_isa(solver, self.0));
        #[cfg(kernels_f32)]
        let single = Some(kernels.clone() as _);
        #[cfg(not(kernels_f32))]
        let single = None;
        SolverKernels { double: kernels, single }
    }
}

/// Kernels of the solver called `name` in `dim` dimensions; `None` if this build has none for this processor.
///
/// Not generic, so that they are compiled once, in this crate, and not again in every program and test that uses them.
///
/// # Errors
/// As for [`build`].
pub fn kernels(
    name: &str,
    dim: usize,
    parameters: &BTreeMap<String, f64>,
) -> Result<Option<SolverKernels>, ParameterErrors> {
    Isa::of_kernels().map(|isa| kernels_with_isa(name, dim, parameters, isa)).transpose()
}

/// [`kernels`] for the vectors named.
///
/// # Errors
/// As for [`build`].
///
/// # Panics
/// If this processor or this build does not have them.
pub fn kernels_with_isa(
    name: &str,
    dim: usize,
    parameters: &BTreeMap<String, f64>,
    isa: Isa,
) -> Result<SolverKernels, ParameterErrors> {
    build(name, dim, parameters, MakeKernels(isa))
}

/// Kernels of the solver called `name` on mapped meshes in `dim` dimensions, in the frames of faces; `None` if this build has none, or if it
/// is not offered there, as when it knows directions. Compiled once, as [`kernels`] are.
///
/// # Errors
/// As for [`build`].
pub fn mapped_kernels(
    name: &str,
    dim: usize,
    parameters: &BTreeMap<String, f64>,
) -> Result<Option<SolverKernels>, ParameterErrors> {
    let kernels = Isa::of_kernels().map(|isa| mapped_kernels_with_isa(name, dim, parameters, isa)).transpose()?;
    Ok(kernels.flatten())
}

/// [`mapped_kernels`] for the vectors named.
///
/// # Errors
/// As for [`build`].
///
/// # Panics
/// If this processor or this build does not have them.
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
