//! Cases.

use crate::errors;
use amrclaw::io::config::{self, SolverShape, find_built_in};
use amrclaw::simulation::{Precision, RunOptions};
use pyo3::prelude::*;
use std::path::PathBuf;

/// A problem and how to solve it, checked.
#[pyclass(frozen, module = "amrclaw._amrclaw")]
pub struct Case {
    pub case: config::Case,
    overrides: Vec<String>,
    pub shape: SolverShape,
}

impl Case {
    fn new(case: Result<config::Case, config::CaseErrors>, overrides: Vec<String>) -> PyResult<Self> {
        let case = case.map_err(errors::from_case)?;
        let shape = find_built_in(&case.solver)
            .map_err(|problem| errors::from_case(case.error("solver", problem.message, problem.help)))?;
        Ok(Case { case, overrides, shape })
    }
}

#[pymethods]
impl Case {
    /// Reads a case file, with overrides `key=value` laid over it.
    #[staticmethod]
    #[pyo3(signature = (path, overrides=Vec::new()))]
    fn load(path: PathBuf, overrides: Vec<String>) -> PyResult<Self> {
        Case::new(config::Case::load_with(&path, &overrides, find_built_in), overrides)
    }

    /// Reads the text of a case file, called `name` in messages.
    #[staticmethod]
    #[pyo3(signature = (text, name="case", overrides=Vec::new()))]
    fn parse(text: &str, name: &str, overrides: Vec<String>) -> PyResult<Self> {
        Case::new(config::Case::from_str_with(text, name, &overrides, find_built_in), overrides)
    }

    /// The same case with further overrides.
    fn with_overrides(&self, more: Vec<String>) -> PyResult<Self> {
        let overrides: Vec<String> = self.overrides.iter().cloned().chain(more).collect();
        Case::parse(&self.case.text(), self.case.file(), overrides)
    }

    /// Name of the case's file.
    #[getter]
    fn file(&self) -> &str {
        self.case.file()
    }

    /// Text of the case, overrides at its end as comments.
    #[getter]
    fn text(&self) -> String {
        self.case.text()
    }

    /// Number of space dimensions.
    #[getter]
    fn dimension(&self) -> usize {
        self.case.dimension()
    }

    /// Names of the equations' quantities.
    #[getter]
    fn equations(&self) -> Vec<String> {
        self.shape.equations.clone()
    }

    /// Names of the auxiliary values.
    #[getter]
    fn aux(&self) -> Vec<String> {
        self.shape.aux.clone()
    }

    /// Lower corner of the domain.
    #[getter]
    fn lower(&self) -> Vec<f64> {
        self.case.mesh.lower.clone()
    }

    /// Upper corner of the domain.
    #[getter]
    fn upper(&self) -> Vec<f64> {
        self.case.mesh.upper.clone()
    }

    /// Cells of the coarsest level along each axis.
    #[getter]
    fn cells(&self) -> Vec<i32> {
        self.case.mesh.cells.clone()
    }

    /// What holds at the lower and the upper side along each axis.
    #[getter]
    fn boundary(&self) -> Vec<[&'static str; 2]> {
        self.case.mesh.boundary.iter().map(|sides| sides.map(|kind| kind.name())).collect()
    }

    /// Refinement per axis from each level to the next.
    #[getter]
    fn ratios(&self) -> Vec<Vec<i32>> {
        self.case.levels.ratio.iter().map(|r| r.to_vec()).collect()
    }

    /// Time at the end.
    #[getter]
    fn end(&self) -> f64 {
        self.case.time.end
    }
}

/// How a case is run, from Python's arguments.
pub fn run_options(threads: Option<usize>, precision: &str, device: &str) -> PyResult<RunOptions> {
    let precision = match precision {
        "f64" => Precision::F64,
        "f32" => Precision::F32,
        other => return Err(errors::refused(format!("precision: {other:?} is not known; write \"f64\" or \"f32\""))),
    };
    if threads == Some(0) {
        return Err(errors::refused("threads: must be at least 1, but is 0"));
    }
    match device {
        "cpu" => Ok(RunOptions { threads, precision }),
        "cuda" | "cuda-streamed" => Err(errors::refused("device: this build runs on the CPU only; write \"cpu\"")),
        other => Err(errors::refused(format!("device: {other:?} is not known; write \"cpu\""))),
    }
}
