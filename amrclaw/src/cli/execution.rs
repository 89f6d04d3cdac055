//! How cases are run: what `run`, `sweep` and `tune` share.

use crate::case::{Case, CaseErrors};
use crate::cli::{Failure, solver};
use crate::ranks::mpi;
use crate::simulation::{Device, RUN_OPTIONS, RunOption, RunOptionValue, RunOptions, available_threads, most_threads};
use crate::sweep::Launch;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Arg, ArgMatches, Args, Command, FromArgMatches};
use std::ffi::OsString;
use std::path::PathBuf;

/// A case file and changes to it.
#[derive(Debug, Args)]
pub struct CaseArguments {
    /// The case file. With `solver.path` it is a program: the file named there is compiled, loaded and run.
    #[arg(value_name = "CASE.toml")]
    pub case: PathBuf,
    /// Change a key of the case, such as `mesh.cells=[100,100]`; may be given several times.
    #[arg(long = "set", value_name = "KEY=VALUE")]
    pub overrides: Vec<String>,
}

#[derive(Debug, Args)]
pub struct ExecutionArguments {
    #[command(flatten)]
    shared: SharedOptions,
    /// A solver's file, in place of the case's solver.
    #[arg(long, value_name = "FILE")]
    pub solver: Option<PathBuf>,
    /// Print only errors, the output folder if it is not the one requested, and, with tune, the lines for the case
    /// file.
    #[arg(long)]
    pub quiet: bool,
}

impl ExecutionArguments {
    /// The case, with `more` overrides after those of the command line.
    pub fn load(&self, case: &CaseArguments, more: &[String]) -> Result<Case, CaseErrors> {
        let overrides = solver::overrides(&[&case.overrides[..], more].concat(), self.solver.as_deref());
        Case::load_with(&case.case, &overrides, |choice| solver::find(choice, self.quiet))
    }

    /// Options for a run in this process.
    pub fn options(&self, device: Device) -> RunOptions {
        let SharedOptions(shared) = &self.shared;
        let most = most_threads();
        if let Some(threads) = shared.threads.filter(|&threads| threads > most && !self.quiet) {
            let at_once = available_threads();
            note!(
                "--threads {threads}: this machine has {at_once} hardware threads; using {most}, with the same result"
            );
        }
        RunOptions { device, ..shared.clone() }
    }

    /// How to launch runs in processes of their own, by the command `own`.
    pub fn launch(&self, case: &CaseArguments, own: &[OsString]) -> Result<Launch, Failure> {
        if let Some(mpi::Launch { number, .. }) = mpi::launch().filter(|launch| launch.of != Some(1)) {
            let message = "this command starts its runs itself, one after another: leave mpiexec out";
            return Err(if number == Some(0) { Failure::Input(message.to_owned()) } else { Failure::Untold(2) });
        }
        if own.is_empty() {
            return Err(Failure::Work("the program cannot find itself".to_owned()));
        }
        let (program, arguments) = (own.to_vec(), self.arguments());
        Ok(Launch { program, case: case.case.clone(), overrides: case.overrides.clone(), arguments })
    }

    /// True if the command line names GPUs (`--devices`).
    pub fn names_devices(&self) -> bool {
        !self.shared.0.devices.is_empty()
    }

    /// Checks that each run on `device` will find its GPUs.
    pub fn check_devices(&self, device: Device) -> Result<(), Failure> {
        RunOptions { device, ..self.shared.0.clone() }.check_devices().map_err(Failure::Input)
    }

    /// As [`check_devices`](Self::check_devices), where each run on a GPU takes one of those named, and runs on the CPU none.
    pub fn check_distributed(&self, device: Device) -> Result<(), Failure> {
        let shared = &self.shared.0;
        let is_distributed = device != Device::Cpu && !shared.devices.is_empty();
        if let Some(ranks) = shared.ranks.filter(|&ranks| is_distributed && ranks > 1) {
            return Err(Failure::Input(format!(
                "--devices gives each run of a sweep one GPU, but --ranks {ranks} needs {ranks} for each: leave --ranks out, or leave \
                 --devices out and write --device {device}, then the runs use the first {ranks} GPUs, one run after another"
            )));
        }
        let each: Vec<&[usize]> = if is_distributed { shared.devices.chunks(1).collect() } else { vec![&[][..]] };
        let run = |devices: &[usize]| RunOptions { device, devices: devices.to_vec(), ..shared.clone() };
        each.into_iter().try_for_each(|devices| run(devices).check_devices()).map_err(Failure::Input)
    }

    /// Returns the GPUs named, and removes them from `launch`: each run gets its own.
    pub fn take_devices(&self, launch: &mut Launch) -> Vec<usize> {
        if let Some(at) = launch.arguments.iter().position(|argument| argument == "--devices") {
            launch.arguments.drain(at..at + 2);
        }
        self.shared.0.devices.clone()
    }

    /// Command-line arguments with the same meaning, except `--quiet`, since the output of these runs is read.
    pub fn arguments(&self) -> Vec<String> {
        let SharedOptions(shared) = &self.shared;
        let given = shared_options().filter_map(|option| Some((option.long, option.given(shared)?)));
        let solver = self.solver.as_ref().map(|file| ("solver", file.display().to_string()));
        given.chain(solver).flat_map(|(name, value)| [format!("--{name}"), value]).collect()
    }
}

/// The options that all runs of a sweep share.
fn shared_options() -> impl Iterator<Item = &'static RunOption> {
    RUN_OPTIONS.iter().filter(|option| option.is_shared())
}

/// The values of the options that all runs of a sweep share; other options have their defaults.
#[derive(Debug, Default)]
struct SharedOptions(RunOptions);

impl Args for SharedOptions {
    fn augment_args(command: Command) -> Command {
        shared_options().fold(command, |command, option| command.arg(argument(option)))
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl FromArgMatches for SharedOptions {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let mut shared = Self::default();
        shared.update_from_arg_matches(matches)?;
        Ok(shared)
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        for option in shared_options() {
            let taken = match option.value {
                RunOptionValue::Number { .. } => {
                    matches.get_one(option.name).map(|number| option.set_number(&mut self.0, *number))
                }
                RunOptionValue::Numbers { .. } => matches
                    .get_many::<u64>(option.name)
                    .map(|numbers| option.set_numbers(&mut self.0, numbers.map(|&number| number as usize).collect())),
                _ => matches.get_one(option.name).map(|word: &String| option.set_word(&mut self.0, word)),
            };
            taken.unwrap_or(Ok(())).map_err(|e| clap::Error::raw(clap::error::ErrorKind::InvalidValue, e))?;
        }
        Ok(())
    }
}

/// An option as an argument of `clap`.
fn argument(option: &'static RunOption) -> Arg {
    let argument = Arg::new(option.name).long(option.long);
    match option.value {
        RunOptionValue::Number { unit, least, default, .. } => argument
            .help(format!("{} [default: {default}]", option.help))
            .value_name(unit)
            .value_parser(clap::value_parser!(u64).range(least..)),
        RunOptionValue::Numbers { unit, default, .. } => argument
            .help(format!("{} [default: {default}]", option.help))
            .value_name(unit)
            .value_delimiter(',')
            .value_parser(clap::value_parser!(u64).range(..1 << 16)),
        _ => argument
            .help(option.help)
            .value_parser(words(option))
            .default_value(option.default_word().unwrap_or_default()),
    }
}

fn words(option: &RunOption) -> PossibleValuesParser {
    PossibleValuesParser::new(option.words().iter().map(|(word, meaning)| PossibleValue::new(*word).help(*meaning)))
}

/// The parser of a value of `--device`, which commands accept once or several times.
pub fn device() -> impl TypedValueParser<Value = Device> {
    let option = RunOption::named("device").expect("the table of options has the device");
    words(option).map(|word| {
        let named = |device: &Device| device.name() == word;
        Device::ALL.into_iter().find(named).expect("the words are the devices' names")
    })
}
