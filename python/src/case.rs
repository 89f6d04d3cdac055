//! Cases.

use crate::errors;
use amrclaw::io::config::{self, SolverChoice, SolverFrom, SolverProblem, SolverShape, find_built_in};
use amrclaw::plugin;
use amrclaw::simulation::{Device, Precision, RunOptions};
use pyo3::prelude::*;
use std::path::PathBuf;

type Finder = fn(&SolverChoice) -> Result<SolverShape, SolverProblem>;

/// The solver that a case asks for; says so if it has to be compiled.
fn find_solver(choice: &SolverChoice) -> Result<SolverShape, SolverProblem> {
    let SolverFrom::Path(path) = &choice.from else { return find_built_in(choice) };
    let announce = || {
        let text = format!("compiling {}, which takes some seconds; the result is kept\n", path.display());
        // A notice that cannot be shown is no reason to stop.
        let _ = Python::attach(|py| py.import("sys")?.getattr("stderr")?.call_method1("write", (text,)).map(drop));
    };
    let plugin = plugin::load_with(path, announce).map_err(SolverProblem::from)?;
    Ok(plugin::shape_of(&plugin, choice))
}

/// A problem and how to solve it, checked.
#[pyclass(frozen, module = "amrclaw._amrclaw")]
pub struct Case {
    pub case: config::Case,
    overrides: Vec<String>,
    pub shape: SolverShape,
}

impl Case {
    /// A case from what `read` makes of a finder of solvers.
    fn new(
        py: Python<'_>,
        overrides: Vec<String>,
        read: impl FnOnce(&[String], Finder) -> Result<config::Case, config::CaseErrors> + Send,
    ) -> PyResult<Self> {
        let case = py.detach(|| read(&overrides, find_solver)).map_err(errors::from_case)?;
        let shape =
            find_solver(&case.solver).map_err(|e| errors::from_case(case.error("solver", e.message, e.help)))?;
        Ok(Case { case, overrides, shape })
    }
}

#[pymethods]
impl Case {
    /// Reads a case file, with overrides `key=value` laid over it.
    #[staticmethod]
    #[pyo3(signature = (path, overrides=Vec::new()))]
    fn load(py: Python<'_>, path: PathBuf, overrides: Vec<String>) -> PyResult<Self> {
        Case::new(py, overrides, |overrides, find| config::Case::load_with(&path, overrides, find))
    }

    /// Reads the text of a case file, called `name` in messages.
    #[staticmethod]
    #[pyo3(signature = (text, name="case", overrides=Vec::new()))]
    fn parse(py: Python<'_>, text: &str, name: &str, overrides: Vec<String>) -> PyResult<Self> {
        Case::new(py, overrides, |overrides, find| config::Case::from_str_with(text, name, overrides, find))
    }

    /// The same case with further overrides.
    fn with_overrides(&self, py: Python<'_>, more: Vec<String>) -> PyResult<Self> {
        let overrides: Vec<String> = self.overrides.iter().cloned().chain(more).collect();
        Case::parse(py, &self.case.text(), self.case.file(), overrides)
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

    /// What was understood otherwise than it is written.
    #[getter]
    fn remarks(&self) -> Vec<String> {
        self.case.remarks.clone()
    }

    /// Time at the end.
    #[getter]
    fn end(&self) -> f64 {
        self.case.time.end
    }
}

/// How a case is run, as Python's arguments say.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub struct Options {
    threads: Option<usize>,
    precision: String,
    device: String,
    fmad: bool,
    device_memory: Option<u64>,
}

impl Options {
    /// The same for the program.
    pub fn checked(&self) -> PyResult<RunOptions> {
        let precision = match self.precision.as_str() {
            "f64" => Precision::F64,
            "f32" => Precision::F32,
            other => {
                return Err(errors::refused(format!("precision: {other:?} is not known; write \"f64\" or \"f32\"")));
            }
        };
        let devices = [Device::Cpu, Device::Cuda, Device::CudaStreamed];
        let Some(device) = devices.into_iter().find(|device| device.name() == self.device) else {
            let names = devices.map(|device| format!("{:?}", device.name())).join(", ");
            return Err(errors::refused(format!("device: {:?} is not known; write one of {names}", self.device)));
        };
        if self.threads == Some(0) {
            return Err(errors::refused("threads: must be at least 1, but is 0"));
        }
        let (no_fused, device_memory) = (!self.fmad, self.device_memory);
        Ok(RunOptions { threads: self.threads, precision, device, no_fused, device_memory, ..RunOptions::default() })
    }
}
