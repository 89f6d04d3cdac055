//! Commands and options.

use crate::cli::execution::{CaseArguments, ExecutionArguments, device};
use crate::cli::mesh::MeshCommand;
use crate::cli::plot::PlotArguments;
use crate::cli::solver::SolverCommand;
use crate::simulation::Device;
use crate::sweep::Vary;
use crate::tune::MAX_STEPS;
use clap::{Args, Parser, Subcommand, ValueEnum};
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::str::FromStr;

/// Hyperbolic PDEs on adaptive meshes: wave propagation on a hierarchy of patches.
#[derive(Debug, Parser)]
#[command(name = "amrclaw", version, after_help = "Exit codes: 0 done; 1 the run failed; 2 the input is wrong.")]
pub struct Arguments {
    #[command(subcommand)]
    pub command: Command,
}

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Run a case.
    Run(RunArguments),
    /// Run a case with many settings, and compare them.
    Sweep(SweepArguments),
    /// Run a case on successively finer meshes, and report its errors and their order of convergence.
    Converge(ConvergeArguments),
    /// Find the setting of regridding that runs a case fastest.
    Tune(TuneArguments),
    /// Draw a frame as a PNG picture.
    Plot(PlotArguments),
    /// Show a run, finished or running, in the browser.
    #[cfg(feature = "view")]
    View(crate::cli::view::ViewArguments),
    /// Write, check and list solvers.
    #[command(subcommand)]
    Solver(SolverCommand),
    /// Check, convert and make files of unstructured meshes.
    #[command(subcommand)]
    Mesh(MeshCommand),
    /// Check a case without running it. Its solver's file is compiled and loaded, except with --no-code.
    Validate(ValidateArguments),
    /// Write an example's case, or list the examples.
    Example(ExampleArguments),
    /// Print a shell's completion script for commands and options.
    Completion {
        /// The shell.
        #[arg(value_name = "SHELL")]
        shell: CompletionShell,
    },
    /// Print the version, the devices, the MPI libraries, the formats, the limiters and the solvers.
    Info,
}

#[derive(Debug, Args)]
pub struct RunArguments {
    #[command(flatten)]
    pub case: CaseArguments,
    /// Folder for the files written [default: output/ and the name of the case's folder]
    #[arg(long, value_name = "DIR")]
    pub output: Option<PathBuf>,
    /// Replace the files of an earlier run in the folder, instead of writing to DIR_2, DIR_3, and so on.
    #[arg(long)]
    pub overwrite: bool,
    /// Device to run on.
    #[arg(long, value_parser = device(), default_value_t)]
    pub device: Device,
    #[command(flatten)]
    pub execution: ExecutionArguments,
    /// Continue from a checkpoint, with the case that wrote it. In the checkpoint's folder, the run adds to the files
    /// there.
    #[arg(long, value_name = "FILE")]
    pub restart: Option<PathBuf>,
    /// Write a log to the standard error: error, warn, info, debug, trace, or a filter such as `amrclaw=debug`.
    #[arg(long, value_name = "LEVEL")]
    pub log: Option<String>,
}

#[derive(Debug, Args)]
pub struct SweepArguments {
    #[command(flatten)]
    pub case: CaseArguments,
    /// A key of the case and its values, such as `regrid.cutoff=0.5,0.7,0.9`; may be given several times. Keys that take
    /// the same value are joined by commas: `regrid.interval,regrid.buffer=2,8`.
    #[arg(long, value_name = "KEY=VALUE,...")]
    pub vary: Vec<Vary>,
    /// Pair the values of several `--vary` one by one, instead of taking all combinations.
    #[arg(long)]
    pub zip: bool,
    /// Device to run on; may be given several times [default: cpu]
    #[arg(long, value_parser = device())]
    pub device: Vec<Device>,
    /// Number of runs of each setting; the results are medians.
    #[arg(long, value_name = "N", default_value = "1")]
    pub repeat: NonZeroUsize,
    /// Seed of the random order of the runs.
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub seed: u64,
    /// Compute the error of every setting: `finest`, against the setting with the most cell updates, or against
    /// formulas as for `converge --exact`. Each run then writes only two frames, at its start and its end.
    #[arg(long, value_name = "finest|FORMULAS")]
    pub error: Option<String>,
    /// Folder of the sweep [default: output/ and the name of the case's folder and _sweep]
    #[arg(long, value_name = "DIR")]
    pub output: Option<PathBuf>,
    /// Continue the sweep in the folder: start only the runs that are not complete.
    #[arg(long)]
    pub resume: bool,
    #[command(flatten)]
    pub execution: ExecutionArguments,
}

#[derive(Debug, Args)]
pub struct ConvergeArguments {
    #[command(flatten)]
    pub case: CaseArguments,
    /// The exact solution: EQUATION=FORMULA in position and t, several separated by semicolons; may be given several times.
    #[arg(long, value_name = "FORMULAS")]
    pub exact: Vec<String>,
    /// Compare with the solution on the finest mesh [default, without --exact]
    #[arg(long, value_enum, conflicts_with = "exact")]
    pub reference: Option<ReferenceChoice>,
    /// Number of meshes, each with twice the cells of the one before along every axis; in place of `mesh.file` files, coarsest first, separated by
    /// commas.
    #[arg(long, value_name = "N|FILES", default_value = "4")]
    pub meshes: Meshes,
    /// Device to run on.
    #[arg(long, value_parser = device(), default_value_t)]
    pub device: Device,
    /// Folder of the study [default: output/ and the name of the case's folder and _converge]
    #[arg(long, value_name = "DIR")]
    pub output: Option<PathBuf>,
    #[command(flatten)]
    pub execution: ExecutionArguments,
}

/// The meshes of a study.
#[derive(Clone, Debug)]
pub enum Meshes {
    /// So many.
    Doubled(usize),
    /// Files.
    Files(Vec<PathBuf>),
}

impl FromStr for Meshes {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text.parse() {
            Ok(number) if (2..=12).contains(&number) => Ok(Meshes::Doubled(number)),
            Ok(number) => Err(format!("{number} is not in 2..=12")),
            Err(_) if text.contains(',') => Ok(Meshes::Files(text.split(',').map(PathBuf::from).collect())),
            Err(_) => Err("neither a number nor files that commas separate".to_owned()),
        }
    }
}

/// What solutions are compared with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ReferenceChoice {
    /// The solution on the finest mesh.
    Finest,
}

#[derive(Debug, Args)]
pub struct TuneArguments {
    #[command(flatten)]
    pub case: CaseArguments,
    /// Device to run on.
    #[arg(long, value_parser = device(), default_value_t)]
    pub device: Device,
    /// Number of coarsest-level steps in each trial run.
    #[arg(long, value_name = "N", default_value_t = 48, value_parser = clap::value_parser!(u64).range(1..=MAX_STEPS))]
    pub steps: u64,
    /// Maximum number of settings to try.
    #[arg(long, value_name = "N", default_value = "30")]
    pub trials: NonZeroUsize,
    /// Number of runs of the fastest setting and of the case's own setting in the final comparison.
    #[arg(long, value_name = "N", default_value = "3")]
    pub repeat: NonZeroUsize,
    /// Folder of the trials [default: output/ and the name of the case's folder and _tune]
    #[arg(long, value_name = "DIR")]
    pub output: Option<PathBuf>,
    #[command(flatten)]
    pub execution: ExecutionArguments,
}

#[derive(Debug, Args)]
pub struct ExampleArguments {
    /// The example [default: list them all]
    #[arg(value_name = "NAME")]
    pub name: Option<String>,
    /// Folder to write into [default: the example's name]
    #[arg(long, value_name = "DIR", requires = "name")]
    pub folder: Option<PathBuf>,
}

/// Shells that completion is known for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum CompletionShell {
    /// GNU Bash.
    Bash,
    /// Z shell.
    Zsh,
    /// fish.
    Fish,
}

#[derive(Debug, Args)]
pub struct ValidateArguments {
    #[command(flatten)]
    pub case: CaseArguments,
    /// Do not compile or load the solver that `solver.path` names: check only what needs no code
    /// from the solver's file.
    #[arg(long)]
    pub no_code: bool,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn execution(command: &str, more: &[String]) -> ExecutionArguments {
        let words = ["amrclaw", command, "case.toml"].map(str::to_owned);
        match Arguments::parse_from(words.into_iter().chain(more.iter().cloned())).command {
            Command::Run(arguments) => arguments.execution,
            Command::Sweep(arguments) => arguments.execution,
            Command::Tune(arguments) => arguments.execution,
            other => panic!("{other:?} runs nothing"),
        }
    }

    /// Runs of sweeps and trials get every option that differs from its default, and mean by it what `run` means.
    #[test]
    fn options_reach_the_runs_of_sweeps() {
        let words = "--devices 1,0 --threads 3 --precision f32 --fmad off --device-memory 4096 --solver my.rs";
        let given: Vec<String> = words.split(' ').map(str::to_owned).collect();
        for command in ["sweep", "tune"] {
            let passed = execution(command, &given).arguments();
            assert_eq!(passed, given);
            let run = execution("run", &passed);
            let [same, meant] = [run, execution(command, &given)].map(|e| format!("{:?}", e.options(Device::Cpu)));
            assert_eq!(same, meant);
            assert!(execution(command, &[]).arguments().is_empty());
        }
    }
}
