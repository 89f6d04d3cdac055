//! Running other programs from the repository's root.

use std::path::{Path, PathBuf};
use std::process::Command;

/// What a task returns; the message says what failed.
pub type Outcome<T = ()> = Result<T, String>;

/// The repository's root: the folder above this crate.
pub fn root() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/.."))
}

/// Where cargo builds.
pub fn target_dir() -> PathBuf {
    std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root().join("target"), |dir| root().join(dir))
}

/// Builds the command line for users and returns where it is.
pub fn release_program() -> Outcome<PathBuf> {
    run(&mut cargo(&["build", "--release", "--workspace", "--bin", "amrclaw"]))?;
    Ok(program_in("release"))
}

/// The command line of the release build with the kernels of all solvers, for machines without Rust.
pub fn portable_program() -> Outcome<PathBuf> {
    run(&mut cargo(&["build", "--release", "--workspace", "--features", ALL_KERNELS, "--bin", "amrclaw"]))?;
    Ok(program_in("release"))
}

/// The feature that compiles all kernels.
pub const ALL_KERNELS: &str = "amrclaw/all-kernels";

/// The command line that the tests build: built alone it would be compiled again, with fewer features of the libraries.
pub fn tested_program() -> Outcome<PathBuf> {
    run(&mut cargo(&["test", "--quiet", "--workspace", "--no-run", "--test", "cli"]))?;
    Ok(program_in("debug"))
}

fn program_in(folder: &str) -> PathBuf {
    target_dir().join(folder).join(format!("amrclaw{}", std::env::consts::EXE_SUFFIX))
}

/// A program to be run in the repository's root.
pub fn command(program: impl AsRef<std::ffi::OsStr>) -> Command {
    let mut command = Command::new(program);
    command.current_dir(root());
    command
}

/// The cargo that runs this task, with arguments.
pub fn cargo(arguments: &[&str]) -> Command {
    let mut command = command(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.args(arguments);
    command
}

/// Runs to the end, output passed through; an exit status other than 0 is an error.
pub fn run(command: &mut Command) -> Outcome {
    let status = command.status().map_err(|e| format!("cannot start {}: {e}", display(command)))?;
    if status.success() { Ok(()) } else { Err(format!("{} ended with {status}", display(command))) }
}

/// Runs to the end and returns what was printed on standard output.
pub fn output(command: &mut Command) -> Outcome<String> {
    let output = command.output().map_err(|e| format!("cannot start {}: {e}", display(command)))?;
    if !output.status.success() {
        let errors = String::from_utf8_lossy(&output.stderr);
        return Err(format!("{} ended with {}\n{errors}", display(command), output.status));
    }
    String::from_utf8(output.stdout).map_err(|e| format!("{} printed no text: {e}", display(command)))
}

/// The command as one would type it.
pub fn display(command: &Command) -> String {
    let words = std::iter::once(command.get_program()).chain(command.get_args());
    words.map(|word| word.to_string_lossy()).collect::<Vec<_>>().join(" ")
}
