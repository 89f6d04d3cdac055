//! The built-in solvers by name: what each one solves, which parameters it takes, and how to build it.
//!
//! A program that reads a solver's name and parameters from a file asks [`find`] for the description and [`build`] for
//! the solver. `build` hands the solver to a [`SolverVisitor`], as a value of its own type: everything behind the visitor
//! is compiled for that one solver.

mod errors;
mod kernels;
mod parameters;

pub use crate::parameters::{ParameterCheck, ParameterInfo};
pub use errors::{ParameterError, ParameterErrors};
pub use kernels::{faces, kernels};

use crate::solver::Solver;
use crate::solvers::{Acoustics, AcousticsVariable, Advection, AdvectionEdge, Burgers, Euler, ShallowWater};
use parameters::Resolved;
use std::collections::BTreeMap;

/// Description of a solver.
#[derive(Clone, Copy, Debug)]
pub struct SolverInfo {
    /// Name by which a case asks for the solver.
    pub name: &'static str,
    /// What it solves, in a few words.
    pub title: &'static str,
    /// Number of space dimensions.
    pub dim: usize,
    /// Name of each equation's quantity.
    pub equations: &'static [&'static str],
    /// Name of each auxiliary value.
    pub aux: &'static [&'static str],
    /// Number of waves.
    pub waves: usize,
    /// Parameters, in the order of the solver's fields.
    pub parameters: &'static [ParameterInfo],
    /// Waves decompose the flux difference instead of the jump in q.
    pub fwaves: bool,
    /// The solver has a source term.
    pub has_source: bool,
    /// Per axis, the component of q that changes sign at a solid wall.
    pub wall_normal: [Option<usize>; 3],
}

impl SolverInfo {
    /// Value of every parameter: the given one, or the default.
    ///
    /// # Errors
    /// All of them at once: parameters that the solver does not know, that are missing, or whose value is impossible.
    pub fn resolve(&self, given: &BTreeMap<String, f64>) -> Result<BTreeMap<&'static str, f64>, ParameterErrors> {
        Ok(parameters::resolve(self, given)?.0)
    }
}

/// What to do with a solver, whichever it is.
///
/// `M`, `W`, `A`: number of equations, waves and auxiliary values.
pub trait SolverVisitor {
    /// What comes of it.
    type Output;

    /// Called once, with the solver.
    fn visit<S: Solver<M, W, A>, const M: usize, const W: usize, const A: usize>(self, solver: S) -> Self::Output;
}

/// Lists the built-in solvers: name, title, type with its numbers of equations, waves and aux values, and per field the
/// parameter's check, default if it has one, and meaning.
macro_rules! catalogue {
    ($($name:literal, $title:literal, $solver:ident<$m:literal, $w:literal, $a:literal> {
        $($field:ident: $check:ident $(= $default:literal)?, $about:literal;)*
    })*) => {
        static ALL: &[SolverInfo] = &[$(SolverInfo {
            name: $name,
            title: $title,
            dim: <$solver as Solver<$m, $w, $a>>::DIM,
            equations: &<$solver as Solver<$m, $w, $a>>::EQUATIONS,
            aux: &<$solver as Solver<$m, $w, $a>>::AUX,
            waves: $w,
            parameters: &[$(ParameterInfo {
                name: stringify!($field),
                about: $about,
                default: catalogue!(@default $($default)?),
                check: ParameterCheck::$check,
            }),*],
            fwaves: <$solver as Solver<$m, $w, $a>>::FWAVES,
            has_source: <$solver as Solver<$m, $w, $a>>::HAS_SOURCE,
            wall_normal: <$solver as Solver<$m, $w, $a>>::WALL_NORMAL,
        }),*];

        /// Builds the solver that `info` describes. `values` holds every parameter.
        #[allow(unused_variables, reason = "solvers without parameters read none")]
        fn visit_named<Vis: SolverVisitor>(info: &SolverInfo, values: &Resolved, visitor: Vis) -> Vis::Output {
            match info.name {
                $($name => visitor.visit($solver { $($field: values.get(stringify!($field))),* }),)*
                other => unreachable!("solver {other} is listed but not built"),
            }
        }
    };
    (@default) => { None };
    (@default $default:literal) => { Some($default) };
}

catalogue! {
    "acoustics", "Linear acoustics in a uniform medium", Acoustics<3, 2, 0> {
        density: Positive, "density of the medium";
        bulk: Positive, "bulk modulus of the medium";
    }
    "acoustics_variable", "Linear acoustics in a medium given cell by cell", AcousticsVariable<3, 2, 2> {}
    "advection", "Advection at constant velocity", Advection<1, 1, 0> {
        u: Any, "velocity along x";
        v: Any, "velocity along y";
    }
    "advection_edge", "Advection by a velocity field given on the edges of cells", AdvectionEdge<1, 1, 2> {}
    "burgers", "Burgers' equation", Burgers<1, 1, 0> {}
    "euler", "Euler equations of an ideal gas", Euler<4, 4, 0> {
        gamma: GreaterThanOne = 1.4, "ratio of specific heats";
    }
    "shallow_water", "Shallow water equations over a flat bottom", ShallowWater<3, 3, 0> {
        gravity: Positive = 9.81, "acceleration of gravity";
    }
}

/// All built-in solvers, sorted by name.
pub fn all() -> &'static [SolverInfo] {
    ALL
}

/// The built-in solver called `name`.
pub fn find(name: &str) -> Option<&'static SolverInfo> {
    ALL.iter().find(|info| info.name == name)
}

/// Builds the solver called `name` and hands it to `visitor`.
///
/// # Errors
/// All of them at once: an unknown solver, or parameters that it does not know, that are missing, or whose value is
/// impossible. The visitor is then not called.
pub fn build<Vis: SolverVisitor>(
    name: &str,
    parameters: &BTreeMap<String, f64>,
    visitor: Vis,
) -> Result<Vis::Output, ParameterErrors> {
    let info = find(name).ok_or_else(|| ParameterErrors(vec![ParameterError::unknown_solver(name)]))?;
    let values = parameters::resolve(info, parameters)?;
    Ok(visit_named(info, &values, visitor))
}

#[cfg(test)]
mod tests;
