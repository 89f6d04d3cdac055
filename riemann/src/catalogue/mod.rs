//! The built-in solvers by name and number of dimensions: what each one solves, which parameters it takes, and how to build it.
//!
//! A program that reads a solver's name and parameters from a file asks [`find`] for the description and [`build`] for the solver. A solver
//! for several numbers of dimensions is listed once for each. `build` passes the solver to a [`SolverVisitor`], as a value of its own type:
//! everything behind the visitor is compiled for that one solver.

// tidy: long because each solver has its line here

mod errors;
mod kernels;
mod parameters;

pub use crate::parameters::{ParameterCheck, ParameterInfo};
pub use errors::{ParameterError, ParameterErrors};
pub use kernels::{faces, kernels, mapped_kernels};

use crate::group::Group;
use crate::solver::{Described, PositionFormulas, Solver};
use crate::solvers::*;
use parameters::Resolved;
use std::collections::BTreeMap;

/// Description of a solver.
#[derive(Clone, Copy, Debug)]
pub struct SolverInfo {
    /// Name by which a case asks for the solver.
    pub name: &'static str,
    /// Its type in [`crate::solvers`], if it is built in; else empty.
    pub type_name: &'static str,
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
    /// The solver splits fluctuations transversely.
    pub has_transverse: bool,
    /// The solver has a source term.
    pub has_source: bool,
    /// Its source or its boundary values change with time.
    pub of_time: bool,
    /// The components that are not scalars.
    pub groups: &'static [Group],
    /// The auxiliary values of cells that are not scalars.
    pub aux_groups: &'static [Group],
    /// The equations differ between directions.
    pub directions: bool,
    /// Names of the quantities that must be positive in every state.
    pub positive: &'static [&'static str],
    /// Names of the quantities that must not be negative in data.
    pub nonnegative: &'static [&'static str],
    /// What happens at a face depends on the jumps beside it.
    pub looks_beside: bool,
    /// Functions of position as formulas.
    pub formulas: PositionFormulas,
    /// Its kernels are compiled when a case first asks for them, unless the build has all; those of others may be too.
    pub on_demand: bool,
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

/// An operation on a solver of any type.
///
/// `M`, `W`, `A`: number of equations, waves and auxiliary values.
pub trait SolverVisitor {
    /// The result of the operation.
    type Output;

    /// Called once, with the solver.
    fn visit<S: Solver<M, W, A>, const M: usize, const W: usize, const A: usize>(self, solver: S) -> Self::Output;

    /// In place of [`SolverVisitor::visit`], with a solver of which not every build has kernels.
    fn visit_rare<S: Solver<M, W, A>, const M: usize, const W: usize, const A: usize>(self, solver: S) -> Self::Output
    where
        Self: Sized,
    {
        self.visit(solver)
    }
}

/// Hands a solver of this shape to the visitor, as a rare one if that is its condition.
macro_rules! visit {
    ($visitor:ident, $solver:expr, [$($shape:tt)*] $(kernels_seldom)?) => {
        $visitor.visit::<$($shape)*>($solver)
    };
    ($visitor:ident, $solver:expr, [$($shape:tt)*] $compiled:ident) => {
        $visitor.visit_rare::<$($shape)*>($solver)
    };
}

/// True if a solver's kernels are compiled under this condition by builds with all kernels alone.
macro_rules! is_rare {
    ($(kernels_seldom)?) => {
        false
    };
    ($compiled:ident) => {
        true
    };
}

/// Lists the built-in solvers by their types, sorted by name and dimension; the rest is in their descriptions. Of those marked
/// `#[kernels_rare]`, which few cases use, only builds with all kernels have the kernels, of those marked `#[kernels_seldom]` quick builds too.
macro_rules! catalogue {
    ($($(#[$compiled:ident])? $solver:ty),* $(,)?) => {
        static ALL: &[SolverInfo] = &[$(SolverInfo {
            name: <$solver as Described>::NAME,
            type_name: stringify!($solver),
            title: <$solver as Described>::TITLE,
            dim: <$solver as Solver<{ <$solver>::SHAPE[0] }, { <$solver>::SHAPE[1] }, { <$solver>::SHAPE[2] }>>::DIM,
            equations: &<$solver as Solver<{ <$solver>::SHAPE[0] }, { <$solver>::SHAPE[1] }, { <$solver>::SHAPE[2] }>>::EQUATIONS,
            aux: &<$solver as Solver<{ <$solver>::SHAPE[0] }, { <$solver>::SHAPE[1] }, { <$solver>::SHAPE[2] }>>::AUX,
            waves: <$solver>::SHAPE[1],
            parameters: <$solver as Described>::PARAMETERS,
            fwaves: <$solver as Solver<{ <$solver>::SHAPE[0] }, { <$solver>::SHAPE[1] }, { <$solver>::SHAPE[2] }>>::FWAVES,
            has_transverse: <$solver as Solver<{ <$solver>::SHAPE[0] }, { <$solver>::SHAPE[1] }, { <$solver>::SHAPE[2] }>>::HAS_TRANSVERSE,
            has_source: <$solver as Solver<{ <$solver>::SHAPE[0] }, { <$solver>::SHAPE[1] }, { <$solver>::SHAPE[2] }>>::HAS_SOURCE,
            of_time: <$solver as Solver<{ <$solver>::SHAPE[0] }, { <$solver>::SHAPE[1] }, { <$solver>::SHAPE[2] }>>::OF_TIME,
            groups: <$solver as Solver<{ <$solver>::SHAPE[0] }, { <$solver>::SHAPE[1] }, { <$solver>::SHAPE[2] }>>::GROUPS,
            aux_groups: <$solver as Solver<{ <$solver>::SHAPE[0] }, { <$solver>::SHAPE[1] }, { <$solver>::SHAPE[2] }>>::AUX_GROUPS,
            directions: <$solver as Solver<{ <$solver>::SHAPE[0] }, { <$solver>::SHAPE[1] }, { <$solver>::SHAPE[2] }>>::DIRECTIONS,
            positive: <$solver as Solver<{ <$solver>::SHAPE[0] }, { <$solver>::SHAPE[1] }, { <$solver>::SHAPE[2] }>>::POSITIVE,
            nonnegative: <$solver as Solver<{ <$solver>::SHAPE[0] }, { <$solver>::SHAPE[1] }, { <$solver>::SHAPE[2] }>>::NONNEGATIVE,
            looks_beside: <$solver as Solver<{ <$solver>::SHAPE[0] }, { <$solver>::SHAPE[1] }, { <$solver>::SHAPE[2] }>>::LOOKS_BESIDE,
            formulas: <$solver as Solver<{ <$solver>::SHAPE[0] }, { <$solver>::SHAPE[1] }, { <$solver>::SHAPE[2] }>>::FORMULAS,
            on_demand: is_rare!($($compiled)?),
        }),*];

        /// Builds the solver that `info` describes. `values` holds every parameter.
        fn visit_named<Vis: SolverVisitor>(info: &SolverInfo, values: &Resolved, visitor: Vis) -> Vis::Output {
            let values: Vec<f64> = info.parameters.iter().map(|parameter| values.get(parameter.name)).collect();
            $(if (info.name, info.dim) == (<$solver as Described>::NAME, <$solver as Solver<{ <$solver>::SHAPE[0] }, { <$solver>::SHAPE[1] }, { <$solver>::SHAPE[2] }>>::DIM) {
                return visitor.visit(<$solver as Described>::from_parameters(&values));
            })*
            unreachable!("solver {} in {}D is listed but not built", info.name, info.dim)
        }

        /// As `visit_named`; `None` if the solver's kernels are not part of this build.
        fn visit_compiled<Vis: SolverVisitor>(info: &SolverInfo, values: &Resolved, visitor: Vis) -> Option<Vis::Output> {
            let values: Vec<f64> = info.parameters.iter().map(|parameter| values.get(parameter.name)).collect();
            $($(#[cfg($compiled)])? { if (info.name, info.dim) == (<$solver as Described>::NAME, <$solver as Solver<{ <$solver>::SHAPE[0] }, { <$solver>::SHAPE[1] }, { <$solver>::SHAPE[2] }>>::DIM) {
                return Some(visit!(visitor, <$solver as Described>::from_parameters(&values), [_, _, _, _] $($compiled)?));
            } })*
            None
        }
    };
}

/// Lists the solvers that know no directions, which therefore solve in the frame of any face.
macro_rules! framed {
    ($($(#[$compiled:ident])? $solver:ty),* $(,)?) => {
        /// Name and dimension of each.
        #[cfg(test)]
        static FRAMED: &[(&str, usize)] = &[$((
            <$solver as Described>::NAME,
            <$solver as Solver<{ <$solver>::SHAPE[0] }, { <$solver>::SHAPE[1] }, { <$solver>::SHAPE[2] }>>::DIM,
        )),*];

        /// Hands the solver that `info` describes, in the frames of mapped faces, to the visitor; `None` if it is none of these
        /// or not part of this build.
        #[allow(unused_variables, reason = "quick builds may have none of them")]
        fn visit_framed<Vis: SolverVisitor>(info: &SolverInfo, values: &Resolved, visitor: Vis) -> Option<Vis::Output> {
            let values: Vec<f64> = info.parameters.iter().map(|parameter| values.get(parameter.name)).collect();
            $($(#[cfg($compiled)])? { if (info.name, info.dim) == (<$solver as Described>::NAME, <$solver as Solver<{ <$solver>::SHAPE[0] }, { <$solver>::SHAPE[1] }, { <$solver>::SHAPE[2] }>>::DIM) {
                const GEOMETRY: usize = crate::frame::geometry(<$solver as Solver<{ <$solver>::SHAPE[0] }, { <$solver>::SHAPE[1] }, { <$solver>::SHAPE[2] }>>::DIM).len();
                let solver = crate::frame::FaceFrame::<_, { <$solver>::SHAPE[2] }>(<$solver as Described>::from_parameters(&values));
                return Some(visit!(visitor, solver, [_, { <$solver>::SHAPE[0] }, { <$solver>::SHAPE[1] }, { <$solver>::SHAPE[2] + GEOMETRY }] $($compiled)?));
            } })*
            None
        }
    };
}

framed! {
    #[kernels_seldom]
    Acoustics<2>,
    #[kernels_mapped_space]
    Acoustics<3>,
    #[kernels_rare]
    AcousticsAdjoint<2>,
    #[kernels_rare]
    AcousticsAdjoint<3>,
    #[kernels_seldom]
    AcousticsVariable<2>,
    #[kernels_rare]
    AcousticsVariable<3>,
    #[kernels_seldom]
    Elasticity<2>,
    #[kernels_rare]
    Elasticity<3>,
    #[kernels_rare]
    ElasticityVariable,
    #[kernels_seldom]
    Euler<2>,
    #[kernels_rare]
    Euler<3>,
    #[kernels_seldom]
    EulerHllc<2>,
    #[kernels_mapped_space]
    EulerHllc<3>,
    #[kernels_rare]
    EulerHlle<2>,
    #[kernels_rare]
    EulerHlle<3>,
    #[kernels_rare]
    EulerRelativistic<2>,
    #[kernels_rare]
    EulerRelativistic<3>,
    #[kernels_rare]
    EulerStrongShocks<2>,
    #[kernels_rare]
    EulerStrongShocks<3>,
    #[kernels_seldom]
    EulerTracer<2>,
    #[kernels_rare]
    EulerTracer<3>,
    #[kernels_rare]
    EulerTwoGases<2>,
    #[kernels_rare]
    EulerTwoGases<3>,
    #[kernels_rare]
    EulerWallsHlle<2>,
    #[kernels_rare]
    EulerWallsHlle<3>,
    #[kernels_rare]
    Mhd<2>,
    #[kernels_rare]
    Mhd<3>,
    #[kernels_seldom]
    PSystem<2>,
    #[kernels_rare]
    PSystemVariable<2>,
    #[kernels_seldom]
    ShallowWater<2>,
    #[kernels_seldom]
    ShallowWaterBathymetry<2>,
    #[kernels_rare]
    ShallowWaterHlle<2>,
    #[kernels_rare]
    ShallowWaterLayers<2>,
}

catalogue! {
    Acoustics<1>,
    Acoustics<2>,
    Acoustics<3>,
    #[kernels_rare]
    AcousticsAdjoint<1>,
    #[kernels_rare]
    AcousticsAdjoint<2>,
    #[kernels_rare]
    AcousticsAdjoint<3>,
    #[kernels_seldom]
    AcousticsVariable<1>,
    AcousticsVariable<2>,
    #[kernels_seldom]
    AcousticsVariable<3>,
    Advection<1>,
    Advection<2>,
    Advection<3>,
    AdvectionEdge<2>,
    #[kernels_seldom]
    AdvectionEdge<3>,
    #[kernels_seldom]
    AdvectionMapped,
    #[kernels_seldom]
    AdvectionReaction,
    Burgers<1>,
    Burgers<2>,
    #[kernels_seldom]
    Burgers<3>,
    #[kernels_rare]
    Colour,
    #[kernels_rare]
    Cubic,
    #[kernels_seldom]
    Elasticity<2>,
    #[kernels_seldom]
    Elasticity<3>,
    #[kernels_rare]
    ElasticityVariable,
    Euler<1>,
    Euler<2>,
    Euler<3>,
    EulerHllc<1>,
    EulerHllc<2>,
    EulerHllc<3>,
    #[kernels_rare]
    EulerHlle<1>,
    #[kernels_rare]
    EulerHlle<2>,
    #[kernels_rare]
    EulerHlle<3>,
    #[kernels_rare]
    EulerReactive,
    #[kernels_rare]
    EulerRelativistic<1>,
    #[kernels_rare]
    EulerRelativistic<2>,
    #[kernels_rare]
    EulerRelativistic<3>,
    EulerStrongShocks<1>,
    EulerStrongShocks<2>,
    EulerStrongShocks<3>,
    #[kernels_rare]
    EulerTracer<1>,
    #[kernels_seldom]
    EulerTracer<2>,
    #[kernels_seldom]
    EulerTracer<3>,
    #[kernels_rare]
    EulerTwoGases<1>,
    #[kernels_rare]
    EulerTwoGases<2>,
    #[kernels_rare]
    EulerTwoGases<3>,
    #[kernels_rare]
    EulerWallsHlle<1>,
    #[kernels_rare]
    EulerWallsHlle<2>,
    #[kernels_rare]
    EulerWallsHlle<3>,
    #[kernels_rare]
    Kpp,
    #[kernels_rare]
    Mhd<1>,
    #[kernels_rare]
    Mhd<2>,
    #[kernels_rare]
    Mhd<3>,
    #[kernels_seldom]
    PSystem<1>,
    #[kernels_seldom]
    PSystem<2>,
    #[kernels_rare]
    PSystemGas,
    #[kernels_rare]
    PSystemVariable<1>,
    #[kernels_rare]
    PSystemVariable<2>,
    ShallowWater<1>,
    ShallowWater<2>,
    ShallowWaterBathymetry<1>,
    ShallowWaterBathymetry<2>,
    #[kernels_rare]
    ShallowWaterHlle<1>,
    #[kernels_rare]
    ShallowWaterHlle<2>,
    #[kernels_rare]
    ShallowWaterLayers<1>,
    #[kernels_rare]
    ShallowWaterLayers<2>,
    #[kernels_rare]
    ShallowWaterSphere,
    #[kernels_rare]
    ShallowWaterTracer,
    #[kernels_rare]
    ShallowWaterWholeSphere,
    #[kernels_seldom]
    Traffic<1>,
    #[kernels_seldom]
    Traffic<2>,
    #[kernels_rare]
    TrafficVariable,
    #[kernels_rare]
    TrafficVariableTracer,
}

/// All built-in solvers, sorted by name and by dimension.
pub fn all() -> &'static [SolverInfo] {
    ALL
}

/// The names of all built-in solvers, sorted.
pub fn names() -> Vec<&'static str> {
    let mut names: Vec<_> = ALL.iter().map(|info| info.name).collect();
    names.dedup();
    names
}

/// The numbers of dimensions that there is a built-in solver called `name` in.
pub fn dimensions(name: &str) -> Vec<usize> {
    ALL.iter().filter(|info| info.name == name).map(|info| info.dim).collect()
}

/// The built-in solver called `name` in `dim` dimensions; if it has no form in `dim`, in its highest number of dimensions.
pub fn find(name: &str, dim: usize) -> Option<&'static SolverInfo> {
    let forms = || ALL.iter().filter(|info| info.name == name);
    forms().find(|info| info.dim == dim).or_else(|| forms().next_back())
}

/// Builds the solver called `name`, in the form that [`find`] gives for `dim` dimensions, and hands it to `visitor`.
///
/// # Errors
/// All of them at once: an unknown solver, or parameters that it does not know, that are missing, or whose value is
/// impossible. The visitor is then not called.
pub fn build<Vis: SolverVisitor>(
    name: &str,
    dim: usize,
    parameters: &BTreeMap<String, f64>,
    visitor: Vis,
) -> Result<Vis::Output, ParameterErrors> {
    resolved(name, dim, parameters).map(|(info, values)| visit_named(info, &values, visitor))
}

/// As [`build`], for a mapped mesh: the visitor gets the solver in the frames of faces; `None` if it is not offered there, as when it knows
/// directions.
///
/// # Errors
/// As for [`build`].
pub fn build_framed<Vis: SolverVisitor>(
    name: &str,
    dim: usize,
    parameters: &BTreeMap<String, f64>,
    visitor: Vis,
) -> Result<Option<Vis::Output>, ParameterErrors> {
    resolved(name, dim, parameters).map(|(info, values)| visit_framed(info, &values, visitor))
}

/// As [`build`]; `None` if the solver's kernels are compiled on demand and this build has none.
fn build_compiled<Vis: SolverVisitor>(
    name: &str,
    dim: usize,
    parameters: &BTreeMap<String, f64>,
    visitor: Vis,
) -> Result<Option<Vis::Output>, ParameterErrors> {
    resolved(name, dim, parameters).map(|(info, values)| visit_compiled(info, &values, visitor))
}

/// The form of a solver that [`find`] gives, and all its parameters.
fn resolved(
    name: &str,
    dim: usize,
    parameters: &BTreeMap<String, f64>,
) -> Result<(&'static SolverInfo, Resolved), ParameterErrors> {
    let info = find(name, dim).ok_or_else(|| ParameterErrors(vec![ParameterError::unknown_solver(name)]))?;
    Ok((info, parameters::resolve(info, parameters)?))
}

#[cfg(test)]
mod tests;
