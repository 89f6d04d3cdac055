//! Convergence: one case on ever finer meshes, each run in a process and a folder of its own, and its errors.

mod table;

use table::CSV_HEAD;
pub use table::{csv, picture, text};

use crate::case::Case;
pub use crate::compare::Reference;
use crate::compare::{CompareError, Norms, Truth, errors};
use crate::frames::atomic::{Durability, write_file};
use crate::frames::run_json::RunRecord;
use crate::frames::{OutputError, check_output_dir};
use crate::picture::is_own_picture;
use crate::sweep::{Launch, RunResultStatus, SweepError, check_run_folder, refuse_foreign};
use std::io::Write;
use std::path::{Path, PathBuf};

/// Name of the table of errors.
const CSV_NAME: &str = "converge.csv";
/// Name of the picture of the errors.
const PICTURE_NAME: &str = "converge.png";

/// A study: what is run, how, and where its files go.
#[derive(Clone, Debug)]
pub struct Study {
    /// How each run is started.
    pub launch: Launch,
    /// `cpu`, `cuda` or `cuda-streamed`.
    pub device: String,
    /// Number of meshes, each with twice the cells along every axis of the one before.
    pub meshes: usize,
    /// What the solutions are compared with.
    pub reference: Reference,
    /// Folder of the study's files; each run has one in it.
    pub dir: PathBuf,
}

/// The result on one mesh.
#[derive(Clone, Debug)]
pub struct Resolution {
    /// Cells of the coarsest level along each axis.
    pub cells: Vec<i32>,
    /// The error of each equation's quantity; empty for the reference mesh.
    pub errors: Vec<(String, Norms)>,
    /// The record of its run.
    pub record: RunRecord,
}

/// Why a study cannot be carried out.
#[derive(Debug, thiserror::Error)]
pub enum ConvergeError {
    /// The case does not allow it.
    #[error("{0}")]
    Case(String),
    /// A run failed.
    #[error("{cells}: {reason}")]
    Run {
        /// Its mesh.
        cells: String,
        /// Why.
        reason: String,
    },
    /// A run could not be started.
    #[error(transparent)]
    Start(#[from] SweepError),
    /// Solutions cannot be compared.
    #[error(transparent)]
    Compare(#[from] CompareError),
    /// A file could not be written.
    #[error(transparent)]
    Output(#[from] OutputError),
}

/// Cells along each axis, in words.
pub fn describe(cells: &[i32]) -> String {
    cells.iter().map(i32::to_string).collect::<Vec<_>>().join(" × ")
}

/// The cells of mesh `number` of a study of `case`.
///
/// # Errors
/// The number of cells overflows.
pub fn cells_of(case: &Case, number: usize) -> Result<Vec<i32>, ConvergeError> {
    let finer = |&n: &i32| 1_i32.checked_shl(number as u32).and_then(|factor| n.checked_mul(factor));
    let cells: Option<Vec<i32>> = case.mesh.cells.iter().map(finer).collect();
    cells.ok_or_else(|| ConvergeError::Case(format!("mesh {} has more cells than can be counted", number + 1)))
}

/// The overrides of the case for a mesh.
fn overrides(case: &Case, number: usize, cells: &[i32]) -> Vec<String> {
    let list = cells.iter().map(i32::to_string).collect::<Vec<_>>().join(",");
    let mut overrides = vec![
        format!("mesh.cells=[{list}]"),
        "output.format=\"vtkhdf\"".to_owned(),
        "output.count=1".to_owned(),
        "output.png=false".to_owned(),
    ];
    // Steps that the case gives are divided by the refinement, so that their Courant numbers stay the same.
    let finer = |dt: f64| dt / f64::from(1 << number);
    overrides.extend(case.time.dt.map(|dt| format!("time.dt={:e}", finer(dt))));
    if let Some(dt_max) = case.time.dt_max.map(finer) {
        let dt_initial = case.time.dt_initial.min(dt_max);
        overrides.extend([format!("time.dt_max={dt_max:e}"), format!("time.dt_initial={dt_initial:e}")]);
    }
    overrides
}

/// True for the table of an earlier study.
fn is_table(path: &Path) -> bool {
    path.is_file() && std::fs::read(path).is_ok_and(|text| text.starts_with(CSV_HEAD.as_bytes()))
}

impl Study {
    /// Runs the case on every mesh, coarsest first, and computes the errors. `watch` is called before each run with its mesh,
    /// and with each line of its progress.
    ///
    /// # Errors
    /// See [`ConvergeError`].
    pub fn take(&self, case: &Case, watch: &mut dyn FnMut(&[i32], &str)) -> Result<Vec<Resolution>, ConvergeError> {
        self.check(case)?;
        let mut resolutions: Vec<Resolution> = Vec::new();
        for number in 0..self.meshes {
            let cells = cells_of(case, number)?;
            let dir = self.folder(&cells);
            watch(&cells, "");
            let changes = overrides(case, number, &cells);
            let ended = self.launch.run(&self.device, &changes, &dir, &mut |line| watch(&cells, line))?;
            let record = match (ended.status, ended.record) {
                (RunResultStatus::Done, Some(record)) => record,
                _ => return Err(ConvergeError::Run { cells: describe(&cells), reason: ended.error }),
            };
            let end = resolutions.first().map_or(record.time, |first| first.record.time);
            let errors = match &self.reference {
                Reference::Exact(formulas) => errors(&dir, &Truth::Exact(formulas), end)?,
                Reference::Finest => Vec::new(),
            };
            resolutions.push(Resolution { cells, errors, record });
        }
        if self.reference == Reference::Finest {
            let (last, others) =
                resolutions.split_last_mut().ok_or_else(|| ConvergeError::Case("no mesh at all".to_owned()))?;
            let finest = self.folder(&last.cells);
            for resolution in others {
                let end = resolution.record.time;
                resolution.errors = errors(&self.folder(&resolution.cells), &Truth::Run(&finest), end)?;
            }
        }
        Ok(resolutions)
    }

    /// The folder of the run on a mesh.
    fn folder(&self, cells: &[i32]) -> PathBuf {
        let name: Vec<String> = cells.iter().map(i32::to_string).collect();
        self.dir.join(format!("cells_{}", name.join("x")))
    }

    /// Checks before the first run that the solutions can be compared, and that no file is replaced that this program did not write.
    fn check(&self, case: &Case) -> Result<(), ConvergeError> {
        if case.time.max_steps.is_some() {
            let message = "time.max_steps: the same number of steps ends at another time on every mesh, and solutions of different \
                           times cannot be compared; remove it, and write `time.end` for shorter runs";
            return Err(ConvergeError::Case(message.to_owned()));
        }
        check_output_dir(&self.dir).map_err(SweepError::Folder)?;
        refuse_foreign(&self.dir, &[(CSV_NAME, is_table), (PICTURE_NAME, is_own_picture)])?;
        for number in 0..self.meshes {
            check_run_folder(&self.folder(&cells_of(case, number)?))?;
        }
        Ok(())
    }

    /// Writes the table of errors and, if there are any, their picture; returns the files.
    ///
    /// # Errors
    /// A file cannot be written.
    pub fn write(&self, resolutions: &[Resolution], title: &str) -> Result<Vec<PathBuf>, OutputError> {
        let table = self.dir.join(CSV_NAME);
        write_file(&table, Durability::Program, |out| out.write_all(csv(resolutions).as_bytes()))?;
        let Some(figure) = picture(resolutions, title) else { return Ok(vec![table]) };
        let drawn = self.dir.join(PICTURE_NAME);
        figure.write(&drawn)?;
        Ok(vec![table, drawn])
    }
}
