//! Solvers by name or from a file; `amrclaw solver`.

mod check;
mod list;
mod new;

pub use list::text as list;

use crate::case::{Case, CaseErrors, NoSolver, SolverChoice, SolverShape};
use crate::cli::Failure;
use crate::cli::terminal;
use crate::plugin::{ChosenSolver, PluginError, find_solver_with, load_with};
use clap::Subcommand;
use riemann::plugin::Plugin;
use riemann::real::Precision;
use std::path::{Path, PathBuf};

#[derive(Debug, Subcommand)]
pub enum SolverCommand {
    /// Write a solver's file to start from, and a case that runs with it.
    New {
        /// The solver's name, such as my_solver.
        #[arg(value_name = "NAME")]
        name: String,
        /// Folder for the two files.
        #[arg(long, value_name = "DIR", default_value = ".")]
        folder: PathBuf,
    },
    /// Test with random states whether a solver has the properties of every Riemann solver.
    Check {
        /// A solver's file, or the name of a built-in solver.
        #[arg(value_name = "FILE.rs|NAME")]
        solver: String,
        /// Take the parameters from this case.
        #[arg(long, value_name = "CASE.toml")]
        case: Option<PathBuf>,
        /// Value of a parameter; without it, the parameter's default or any allowed value.
        #[arg(long, value_name = "NAME=VALUE")]
        set: Vec<String>,
    },
    /// Compile what solvers' files are compiled against, so that no network is needed later, for example on a compute node; or
    /// compile the solvers of cases, so that these run on machines without Rust that share the cache folder and have the same
    /// processor.
    Prepare {
        /// Cases whose solvers are compiled.
        #[arg(value_name = "CASE.toml")]
        cases: Vec<PathBuf>,
        /// Compile them for runs with `--precision f32` too.
        #[arg(long, requires = "cases")]
        single: bool,
    },
    /// List the built-in solvers, or those of files, with their dimensions, equations and parameters.
    List {
        /// Solvers' files.
        #[arg(value_name = "FILE.rs")]
        files: Vec<PathBuf>,
    },
}

pub fn solver(command: &SolverCommand) -> Result<(), Failure> {
    match command {
        SolverCommand::New { name, folder } => new::new(name, folder),
        SolverCommand::Check { solver, case, set } => check::check(solver, case.as_deref(), set),
        SolverCommand::Prepare { cases, .. } if cases.is_empty() => new::prepare(),
        SolverCommand::Prepare { cases, single } => cases.iter().try_for_each(|case| compile(case, *single)),
        SolverCommand::List { files } => {
            terminal::show(&list::chosen(files)?);
            Ok(())
        }
    }
}

/// The solver that a case asks for.
pub fn find(choice: &SolverChoice, quiet: bool) -> Result<SolverShape, NoSolver> {
    find_solver_with(choice, |path| announce(path, quiet))
}

/// Compiles what a case's solver needs on machines without a compiler.
fn compile(case: &Path, single: bool) -> Result<(), Failure> {
    let input = |errors: CaseErrors| Failure::Input(errors.to_string());
    let loaded = Case::load_with(case, &[], |choice| find(choice, false)).map_err(input)?;
    note!("{}: preparing its solver, which may take a minute", case.display());
    for precision in Precision::ALL.into_iter().filter(|precision| single || *precision == Precision::F64) {
        ChosenSolver::of(&loaded, precision).map_err(input)?;
    }
    say!("{}: its solver runs on this kind of machine without Rust from now on", case.display());
    Ok(())
}

/// Loads a solver's file, and says so if it has to be compiled.
pub fn load(path: &Path, quiet: bool) -> Result<Plugin, PluginError> {
    load_with(path, || announce(path, quiet))
}

fn announce(path: &Path, quiet: bool) {
    if !quiet {
        note!("compiling {}, which takes some seconds; the result is kept", path.display());
    }
}

/// The overrides of a case, with `--solver FILE` among them.
pub fn overrides(overrides: &[String], solver: Option<&Path>) -> Vec<String> {
    let quoted = |file: &Path| file.display().to_string().replace('\\', "\\\\").replace('"', "\\\"");
    let path = solver.map(|file| format!("solver.path=\"{}\"", quoted(file)));
    overrides.iter().cloned().chain(path).collect()
}
