//! How cases are run: what `run`, `sweep` and `tune` share.

use crate::arguments::CaseArguments;
use crate::{Failure, solver};
use amrclaw::io::config::{Case, CaseErrors};
use amrclaw::simulation::{self, Precision, RunOptions};
use amrclaw::sweep::Launch;
use clap::{Args, ValueEnum};
use std::num::NonZeroUsize;
use std::path::PathBuf;

#[derive(Debug, Args)]
pub struct ExecutionArguments {
    /// Threads; they never change the result [default: all of the machine's]
    #[arg(long, value_name = "N")]
    pub threads: Option<NonZeroUsize>,
    /// Precision of the numbers.
    #[arg(long, value_enum, default_value_t = PrecisionChoice::F64)]
    pub precision: PrecisionChoice,
    /// On a GPU, allow fused multiply-adds; without them results in f64 are those of the CPU to the bit.
    #[arg(long, value_enum, default_value_t = Switch::On)]
    pub fmad: Switch,
    /// Bytes of the GPU's memory to use at most [default: all that is free]
    #[arg(long, value_name = "BYTES")]
    pub device_memory: Option<u64>,
    /// A solver's file, in place of the case's solver.
    #[arg(long, value_name = "FILE")]
    pub solver: Option<PathBuf>,
    /// Print nothing but errors and, from tune, the lines for the case file.
    #[arg(long)]
    pub quiet: bool,
}

impl ExecutionArguments {
    /// The case, with `more` overrides after those of the command line.
    pub fn load(&self, case: &CaseArguments, more: &[String]) -> Result<Case, CaseErrors> {
        let overrides = solver::overrides(&[&case.overrides[..], more].concat(), self.solver.as_deref());
        Case::load_with(&case.case, &overrides, |choice| solver::find(choice, self.quiet))
    }

    /// For a run in this process.
    pub fn options(&self, device: Device) -> RunOptions {
        let most = simulation::most_threads();
        if let Some(threads) = self.threads.map(usize::from).filter(|&threads| threads > most && !self.quiet) {
            note!(
                "--threads {threads}: this machine runs {} at once; {most} are made, and the result is the same",
                simulation::available_threads()
            );
        }
        RunOptions {
            threads: self.threads.map(usize::from),
            precision: self.precision.into(),
            device: device.into(),
            no_fused: self.fmad == Switch::Off,
            device_memory: self.device_memory,
            ..RunOptions::default()
        }
    }

    /// For runs in processes of their own.
    pub fn launch(&self, case: &CaseArguments) -> Result<Launch, Failure> {
        let program =
            std::env::current_exe().map_err(|e| Failure::Work(format!("the program cannot find itself: {e}")))?;
        let arguments = self.arguments();
        Ok(Launch { program, case: case.case.clone(), overrides: case.overrides.clone(), arguments })
    }

    /// What a command line must say to mean the same; `--quiet` apart, since the output of such runs is read.
    fn arguments(&self) -> Vec<String> {
        let ExecutionArguments { threads, precision, fmad, device_memory, solver, quiet: _ } = self;
        let mut arguments = Vec::new();
        let mut add = |option: &str, value: Option<String>| {
            arguments.extend(value.into_iter().flat_map(|value| [option.to_owned(), value]));
        };
        add("--threads", threads.map(|threads| threads.to_string()));
        add("--precision", (*precision != PrecisionChoice::F64).then(|| name(*precision)));
        add("--fmad", (*fmad != Switch::On).then(|| name(*fmad)));
        add("--device-memory", device_memory.map(|bytes| bytes.to_string()));
        add("--solver", solver.as_ref().map(|file| file.display().to_string()));
        arguments
    }
}

/// The word of the command line for a choice.
pub fn name(choice: impl ValueEnum) -> String {
    choice.to_possible_value().map_or_else(String::new, |value| value.get_name().to_owned())
}

/// What a case can be run on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Device {
    /// Threads of the processor.
    Cpu,
    /// A GPU that holds all values.
    Cuda,
    /// A GPU that works on values in the host's memory.
    CudaStreamed,
}

impl From<Device> for simulation::Device {
    fn from(choice: Device) -> Self {
        match choice {
            Device::Cpu => simulation::Device::Cpu,
            Device::Cuda => simulation::Device::Cuda,
            Device::CudaStreamed => simulation::Device::CudaStreamed,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Switch {
    /// Yes.
    On,
    /// No.
    Off,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum PrecisionChoice {
    /// 64 bits.
    F64,
    /// 32 bits.
    F32,
}

impl From<PrecisionChoice> for Precision {
    fn from(choice: PrecisionChoice) -> Self {
        match choice {
            PrecisionChoice::F64 => Precision::F64,
            PrecisionChoice::F32 => Precision::F32,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arguments::{Arguments, Command};
    use clap::Parser;

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
        let words = "--threads 3 --precision f32 --fmad off --device-memory 4096 --solver my.rs";
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
