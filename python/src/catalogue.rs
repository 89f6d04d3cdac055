//! The built-in solvers, for the conversion of settings.

use pyo3::prelude::*;
use riemann::catalogue::{self, SolverInfo};

/// A built-in solver in one number of dimensions.
#[pyclass(frozen, get_all, module = "amrclaw._amrclaw")]
pub struct BuiltInSolver {
    name: &'static str,
    dimension: usize,
    equations: Vec<&'static str>,
    aux: Vec<&'static str>,
    waves: usize,
    parameters: Vec<&'static str>,
    fwaves: bool,
    has_source: bool,
}

impl From<&SolverInfo> for BuiltInSolver {
    fn from(info: &SolverInfo) -> Self {
        BuiltInSolver {
            name: info.name,
            dimension: info.dim,
            equations: info.equations.to_vec(),
            aux: info.aux.to_vec(),
            waves: info.waves,
            parameters: info.parameters.iter().map(|parameter| parameter.name).collect(),
            fwaves: info.fwaves,
            has_source: info.has_source,
        }
    }
}

/// All built-in solvers, once for each number of dimensions.
#[pyfunction]
pub fn built_in_solvers() -> Vec<BuiltInSolver> {
    catalogue::all().iter().map(BuiltInSolver::from).collect()
}
