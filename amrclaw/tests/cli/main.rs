//! The command line as a user meets it: exit codes, files, messages.
//!
//! Meshes are small and steps few: these tests cover commands, messages and files, not the numerics.

mod converge;
mod documentation;
mod examples;
mod failures;
mod folder;
mod input;
mod mesh;
mod mesh_files;
mod mesh_files_moving;
mod mesh_files_studies;
mod plot;
mod restart;
mod solver;
mod solver_checks;
mod space;
mod sweep;
mod tune;
#[cfg(feature = "view")]
mod view;

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// The program, to be run in `folder`, outside the repository.
fn program(folder: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_amrclaw"));
    command.current_dir(folder).stdin(Stdio::null()).env("AMRCLAW_CACHE", cache());
    command
}

/// The cache of compiled solvers, shared by all tests.
fn cache() -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join("solvers")
}

/// The case file of an example.
fn example(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples").join(name).join("case.toml")
}

/// The result of a call: exit code, standard output and standard error.
struct Outcome {
    code: Option<i32>,
    stdout: String,
    stderr: String,
}

impl From<Output> for Outcome {
    fn from(output: Output) -> Self {
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        Outcome { code: output.status.code(), stdout: text(&output.stdout), stderr: text(&output.stderr) }
    }
}

/// `amrclaw run CASE` in `folder`, with `sets` as overrides and further arguments.
fn run(folder: &Path, case: &Path, sets: &[&str], arguments: &[&str]) -> Outcome {
    let sets = sets.iter().flat_map(|set| ["--set", set]);
    let mut command = program(folder);
    command.arg("run").arg(case).args(sets).args(arguments);
    command.output().expect("the program starts").into()
}

/// As [`run`], for a call that must succeed.
fn run_well(folder: &Path, case: &Path, sets: &[&str], arguments: &[&str]) -> Outcome {
    let outcome = run(folder, case, sets, arguments);
    assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
    outcome
}

/// The record of a run.
fn record(dir: &Path) -> serde_json::Value {
    let text = std::fs::read(dir.join("run.json")).expect("run.json is there");
    serde_json::from_slice(&text).expect("run.json is JSON")
}

/// Names of the files in a folder, sorted; empty if there is no folder.
fn files(dir: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(dir).into_iter().flatten().flatten();
    let mut names: Vec<_> = entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}
