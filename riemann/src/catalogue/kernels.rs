//! The built-in solvers compiled into kernels.

use super::{ParameterErrors, SolverVisitor, build, build_compiled, build_framed};
use crate::faces::Faces;
use crate::patch::{Isa, Kernels, OF_BUILD, ONE, SolverKernels};
use crate::solver::Solver;
use std::collections::BTreeMap;
use std::sync::Arc;

/// In `f64`, and in `f32` if this build has them.
struct MakeKernels;

impl SolverVisitor for MakeKernels {
    type Output = Option<SolverKernels>;

    fn visit<S: Solver<M, W, A>, const M: usize, const W: usize, const A: usize>(self, solver: S) -> Self::Output {
        make::<S, OF_BUILD, M, W, A>(solver)
    }

    fn visit_rare<S: Solver<M, W, A>, const M: usize, const W: usize, const A: usize>(self, solver: S) -> Self::Output {
        make::<S, ONE, M, W, A>(solver)
    }
}

/// Kernels for these vectors.
fn make<S, const VECTORS: u8, const M: usize, const W: usize, const A: usize>(solver: S) -> Option<SolverKernels>
where
    S: Solver<M, W, A>,
{
    // Decided at compile time. Faces that are solved with all that is beside them make large kernels, and are rarely asked for: quick
    // builds, as for tests, have those in the plane.
    if const { S::LOOKS_BESIDE && !(cfg!(kernels_rare) || cfg!(kernels_mapped_space) && S::DIM == 2 && A == 0) } {
        return None;
    }
    let kernels = Arc::new(Kernels::<S, M, W, A, VECTORS>::widest(solver));
    // Decided at compile time. In quick builds large kernels in `f32`, and such with auxiliary values or in frames, are compiled when a test
    // asks for them.
    if const { cfg!(kernels_f32) && (cfg!(kernels_rare) || M * W < 10 && A == 0) } {
        return Some(SolverKernels { double: kernels.clone(), single: Some(kernels) });
    }
    Some(SolverKernels { double: kernels, single: None })
}

/// Kernels of the solver called `name` in `dim` dimensions; `None` if this build has none of it, or none for this processor.
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
    let kernels = Isa::of_kernels().map(|_| build_compiled(name, dim, parameters, MakeKernels)).transpose()?;
    Ok(kernels.flatten().flatten())
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
    let kernels = Isa::of_kernels().map(|_| build_framed(name, dim, parameters, MakeKernels)).transpose()?;
    Ok(kernels.flatten().flatten())
}

struct MakeFaces;

impl SolverVisitor for MakeFaces {
    type Output = Option<Faces>;

    fn visit<S: Solver<M, W, A>, const M: usize, const W: usize, const A: usize>(self, solver: S) -> Option<Faces> {
        // Decided at compile time.
        if const { cfg!(kernels_faces) } { Some(Faces::new(solver)) } else { None }
    }
}

/// Evaluators of single faces of the solver called `name` in `dim` dimensions; compiled once, as [`kernels`] are. `None` if this build has none.
///
/// # Errors
/// As for [`build`].
pub fn faces(name: &str, dim: usize, parameters: &BTreeMap<String, f64>) -> Result<Option<Faces>, ParameterErrors> {
    build(name, dim, parameters, MakeFaces)
}
