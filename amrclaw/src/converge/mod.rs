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
    /// The meshes, coarsest first.
    pub meshes: Vec<StudyMesh>,
    /// What the solutions are compared with.
    pub reference: Reference,
    /// Folder of the study's files; each run has one in it.
    pub dir: PathBuf,
}

/// One of a study's meshes.
#[derive(Clone, Debug, PartialEq)]
pub struct StudyMesh {
    /// Cells of the coarsest level along each axis; of a file their number.
    pub cells: Vec<i32>,
    /// The file, if it is from one.
    pub file: Option<PathBuf>,
    /// Cells along an axis, of a file in the mean.
    pub along: f64,
}

/// The result on one mesh.
#[derive(Clone, Debug)]
pub struct Resolution {
    /// The mesh.
    pub mesh: StudyMesh,
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

impl StudyMesh {
    /// `number` meshes for a case, each with twice the cells along every axis of the one before.
    ///
    /// # Errors
    /// The cells are in a file, or their number overflows.
    pub fn doubled(case: &Case, number: usize) -> Result<Vec<Self>, ConvergeError> {
        if case.mesh.file.is_some() {
            let message =
                "--meshes: the mesh is from a file; write files, coarsest first: --meshes coarse.msh,fine.msh";
            return Err(ConvergeError::Case(message.to_owned()));
        }
        let of = |n: usize| {
            let finer = |&n_axis: &i32| 1_i32.checked_shl(n as u32).and_then(|factor| n_axis.checked_mul(factor));
            let cells: Option<Vec<i32>> = case.mesh.cells.iter().map(finer).collect();
            let message = || ConvergeError::Case(format!("mesh {} has more cells than can be counted", n + 1));
            let cells = cells.ok_or_else(message)?;
            Ok(StudyMesh { along: f64::from(cells[0]), cells, file: None })
        };
        (0..number).map(of).collect()
    }

    /// Files in place of a case's own.
    ///
    /// # Errors
    /// The case's mesh is from no file, or one of these is no mesh.
    pub fn of_files(case: &Case, files: &[PathBuf]) -> Result<Vec<Self>, ConvergeError> {
        if case.mesh.file.is_none() {
            let message = "--meshes: files take the place of `mesh.file`, which the case has not: write a number";
            return Err(ConvergeError::Case(message.to_owned()));
        }
        let of = |file: &PathBuf| {
            let wrong = |error: &dyn std::fmt::Display| ConvergeError::Case(format!("--meshes: {error}"));
            let elements = unstructured::read::read(file).map_err(|error| wrong(&error))?;
            let file = std::path::absolute(file).map_err(|error| wrong(&error))?;
            let count = elements.shape.len();
            let along = (count as f64).powf(1.0 / case.dimension() as f64);
            Ok(StudyMesh { cells: vec![count as i32], file: Some(file), along })
        };
        files.iter().map(of).collect()
    }

    /// In words.
    pub fn describe(&self) -> String {
        self.cells.iter().map(i32::to_string).collect::<Vec<_>>().join(" × ")
    }
}

/// The overrides of the case for a mesh with `finer` times the cells along every axis of the first.
fn overrides(case: &Case, mesh: &StudyMesh, finer: f64) -> Vec<String> {
    let list = mesh.cells.iter().map(i32::to_string).collect::<Vec<_>>().join(",");
    let mut overrides = vec![
        match &mesh.file {
            Some(file) => format!("mesh.file={:?}", file.to_string_lossy()),
            None => format!("mesh.cells=[{list}]"),
        },
        "output.format=\"vtkhdf\"".to_owned(),
        "output.count=1".to_owned(),
        "output.png=false".to_owned(),
    ];
    // Steps that the case gives are divided by the refinement, so that their Courant numbers stay the same.
    overrides.extend(case.time.dt.map(|dt| format!("time.dt={:e}", dt / finer)));
    if let Some(dt_max) = case.time.dt_max.map(|dt| dt / finer) {
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
    pub fn take(&self, case: &Case, watch: &mut dyn FnMut(&StudyMesh, &str)) -> Result<Vec<Resolution>, ConvergeError> {
        self.check(case)?;
        let mut resolutions: Vec<Resolution> = Vec::new();
        for mesh in &self.meshes {
            let dir = self.folder(mesh);
            watch(mesh, "");
            let changes = overrides(case, mesh, mesh.along / self.meshes[0].along);
            let ended = self.launch.run(&self.device, &changes, &dir, &mut |line| watch(mesh, line))?;
            let record = match (ended.status, ended.record) {
                (RunResultStatus::Done, Some(record)) => record,
                _ => return Err(ConvergeError::Run { cells: mesh.describe(), reason: ended.error }),
            };
            let end = resolutions.first().map_or(record.time, |first| first.record.time);
            let errors = match &self.reference {
                Reference::Exact(formulas) => errors(&dir, &Truth::Exact(formulas), end)?,
                Reference::Finest => Vec::new(),
            };
            resolutions.push(Resolution { mesh: mesh.clone(), errors, record });
        }
        if self.reference == Reference::Finest {
            let (last, others) =
                resolutions.split_last_mut().ok_or_else(|| ConvergeError::Case("no mesh at all".to_owned()))?;
            let finest = self.folder(&last.mesh);
            for resolution in others {
                let end = resolution.record.time;
                resolution.errors = errors(&self.folder(&resolution.mesh), &Truth::Run(&finest), end)?;
            }
        }
        Ok(resolutions)
    }

    /// The folder of the run on a mesh.
    fn folder(&self, mesh: &StudyMesh) -> PathBuf {
        let name: Vec<String> = mesh.cells.iter().map(i32::to_string).collect();
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
        if !self.meshes.is_sorted_by(|coarse, fine| coarse.along < fine.along) {
            let message = "--meshes: each must have more cells than the one before".to_owned();
            return Err(ConvergeError::Case(message));
        }
        if self.reference == Reference::Finest && self.meshes.iter().any(|mesh| mesh.file.is_some()) {
            let message = "cells of files do not fill one another, so that the finest solution says nothing of the others' means: \
                           write --exact";
            return Err(ConvergeError::Case(message.to_owned()));
        }
        for mesh in &self.meshes {
            check_run_folder(&self.folder(mesh))?;
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
