//! The command line. Exit codes: 0 done; 1 the run failed; 2 the input is wrong, and nothing has been written.

#[macro_use]
mod terminal;

mod allocator;
mod arguments;
mod completion;
mod converge;
mod example;
mod execution;
mod info;
mod logging;
mod plot;
mod progress;
mod run;
mod signals;
mod solver;
mod summary;
mod sweep;
mod tune;
mod validate;

use arguments::{Arguments, Command};
use clap::Parser;
use std::process::ExitCode;

/// How the program ends without success.
#[derive(Debug)]
enum Failure {
    /// The input is wrong: exit code 2.
    Input(String),
    /// The work failed: exit code 1.
    Work(String),
    /// Another rank reports the failure; only the exit code is left.
    Untold(u8),
}

impl Failure {
    /// Prints the message; returns the exit code.
    fn tell(self) -> u8 {
        let (message, code) = match self {
            Failure::Work(message) => (message, 1),
            Failure::Input(message) => (message, 2),
            Failure::Untold(code) => return code,
        };
        note!("error: {}", amrclaw::io::shown(&message));
        code
    }

    /// The same exit code without the message.
    fn untold(&self) -> Self {
        Failure::Untold(match self {
            Failure::Input(_) => 2,
            Failure::Work(_) => 1,
            Failure::Untold(code) => *code,
        })
    }
}

fn main() -> ExitCode {
    amrclaw::simulation::keep_freed_memory();
    let outcome = match Arguments::parse().command {
        Command::Run(arguments) => run::run(&arguments),
        Command::Sweep(arguments) => sweep::sweep(&arguments),
        Command::Converge(arguments) => converge::converge(&arguments),
        Command::Tune(arguments) => tune::tune(&arguments),
        Command::Plot(arguments) => plot::plot(&arguments),
        Command::Solver(command) => solver::solver(&command),
        Command::Validate(arguments) => validate::validate(&arguments),
        Command::Example(arguments) => example::example(&arguments),
        Command::Completion { shell } => completion::completion(shell),
        Command::Info => info::info(),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => ExitCode::from(failure.tell()),
    }
}
