//! Cases.

use crate::errors;
use amrclaw::case::{self, NoSolver, SolverChoice, SolverShape};
use amrclaw::plugin;
use amrclaw::simulation::{RUN_OPTIONS, RunOption, RunOptionValue, RunOptions};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use std::collections::BTreeMap;
use std::path::PathBuf;

type Finder = fn(&SolverChoice) -> Result<SolverShape, NoSolver>;

/// The solver that a case asks for; prints a notice before it is compiled.
fn find_solver(choice: &SolverChoice) -> Result<SolverShape, NoSolver> {
    plugin::find_solver_with(choice, |path| {
        let text = format!("compiling {}, which takes some seconds; the result is kept\n", path.display());
        // Failure to print the notice is ignored.
        let _ = Python::attach(|py| py.import("sys")?.getattr("stderr")?.call_method1("write", (text,)).map(drop));
    })
}

/// A problem and how to solve it, checked.
#[pyclass(frozen, module = "amrclaw._amrclaw")]
pub struct Case {
    pub case: case::Case,
    overrides: Vec<String>,
}

impl Case {
    /// The case that `read` returns when it is given the function that finds solvers.
    fn new(
        py: Python<'_>,
        overrides: Vec<String>,
        read: impl FnOnce(&[String], Finder) -> Result<case::Case, case::CaseErrors> + Send,
    ) -> PyResult<Self> {
        let case = py.detach(|| read(&overrides, find_solver)).map_err(errors::from_case)?;
        Ok(Case { case, overrides })
    }
}

#[pymethods]
impl Case {
    /// Reads a case file and applies overrides `key=value`.
    #[staticmethod]
    #[pyo3(signature = (path, overrides=Vec::new()))]
    fn load(py: Python<'_>, path: PathBuf, overrides: Vec<String>) -> PyResult<Self> {
        Case::new(py, overrides, |overrides, find| case::Case::load_with(&path, overrides, find))
    }

    /// Reads the text of a case file, called `name` in messages.
    #[staticmethod]
    #[pyo3(signature = (text, name="case", overrides=Vec::new()))]
    fn parse(py: Python<'_>, text: &str, name: &str, overrides: Vec<String>) -> PyResult<Self> {
        Case::new(py, overrides, |overrides, find| case::Case::from_str_with(text, name, overrides, find))
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

    /// The case in a notebook.
    fn _repr_html_(slf: Bound<'_, Self>) -> PyResult<Bound<'_, PyAny>> {
        slf.py().import("amrclaw._view")?.getattr("case_html")?.call1((slf,))
    }

    /// Number of space dimensions.
    #[getter]
    fn dimension(&self) -> usize {
        self.case.dimension()
    }

    /// Names of the equations' quantities.
    #[getter]
    fn equations(&self) -> Vec<String> {
        self.case.shape().equations.clone()
    }

    /// Names of the auxiliary values.
    #[getter]
    fn aux(&self) -> Vec<String> {
        self.case.shape().aux.clone()
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

    /// Boundary conditions at the lower and the upper side of each axis.
    #[getter]
    fn boundary(&self) -> Vec<[&'static str; 2]> {
        self.case.mesh.boundary.iter().map(|sides| sides.map(|kind| kind.name())).collect()
    }

    /// Of a mesh from a file each side's name and condition.
    #[getter]
    fn mesh_sides(&self) -> Vec<(String, &'static str)> {
        let sides = self.case.mesh.file.iter().flat_map(|file| file.mesh.boundary.names.iter().zip(&file.sides));
        sides.map(|(name, kind)| (name.clone(), kind.name())).collect()
    }

    /// Refinement per axis from each level to the next.
    #[getter]
    fn ratios(&self) -> Vec<Vec<i32>> {
        self.case.levels.ratio.iter().map(|r| r.to_vec()).collect()
    }

    /// Remarks for the user on the settings.
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

/// The options of a run by name, as Python passes them.
pub type Options<'py> = BTreeMap<String, Bound<'py, PyAny>>;

/// Converts the options. `None` means the default.
pub fn run_options(given: &Options<'_>) -> PyResult<RunOptions> {
    let mut options = RunOptions::default();
    for (name, value) in given.iter().filter(|(_, value)| !value.is_none()) {
        let Some(option) = RunOption::named(name) else {
            let known = RUN_OPTIONS.map(|option| option.name).join(", ");
            return Err(PyTypeError::new_err(format!("there is no option {name:?}; there are {known}")));
        };
        let wrong_type = |_| PyTypeError::new_err(option.wrong_type().to_string());
        let set = match option.value {
            RunOptionValue::Number { .. } => option.set_number(&mut options, value.extract().map_err(wrong_type)?),
            RunOptionValue::Numbers { .. } => option.set_numbers(&mut options, value.extract().map_err(wrong_type)?),
            RunOptionValue::Word { .. } => {
                option.set_word(&mut options, &value.extract::<String>().map_err(wrong_type)?)
            }
            RunOptionValue::Switch { set, .. } => {
                set(&mut options, value.extract().map_err(wrong_type)?);
                Ok(())
            }
        };
        set.map_err(errors::refused)?;
    }
    Ok(options)
}

/// Names of the options of a run.
#[pyfunction]
pub fn run_option_names() -> [&'static str; RUN_OPTIONS.len()] {
    RUN_OPTIONS.map(|option| option.name)
}
