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
mod mesh;
mod plot;
mod progress;
mod run;
mod signals;
mod solver;
mod summary;
mod sweep;
mod tune;
mod validate;
#[cfg(feature = "view")]
mod view;

use arguments::{Arguments, Command};
use clap::Parser;
use std::io::Write;
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
        note!("error: {}", amrclaw::text::shown(&message));
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
    signals::report_file_limits();
    let outcome = match Arguments::try_parse() {
        Ok(arguments) => amrclaw::plugin::whole_program(|| obey(arguments.command)),
        Err(text) => {
            let printed = text.print().and_then(|()| std::io::stdout().flush());
            terminal::note_lost(printed);
            if text.exit_code() == 0 { Ok(()) } else { Err(Failure::Untold(text.exit_code() as u8)) }
        }
    };
    let outcome = match (outcome, terminal::lost()) {
        (Ok(()), Some(error)) => Err(Failure::Work(format!("cannot write to the standard output: {error}"))),
        (outcome, _) => outcome,
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => ExitCode::from(failure.tell()),
    }
}

fn obey(command: Command) -> Result<(), Failure> {
    match command {
        Command::Run(arguments) => run::run(&arguments),
        Command::Sweep(arguments) => sweep::sweep(&arguments),
        Command::Converge(arguments) => converge::converge(&arguments),
        Command::Tune(arguments) => tune::tune(&arguments),
        Command::Plot(arguments) => plot::plot(&arguments),
        #[cfg(feature = "view")]
        Command::View(arguments) => view::view(&arguments),
        Command::Solver(command) => solver::solver(&command),
        Command::Mesh(command) => mesh::mesh(command),
        Command::Validate(arguments) => validate::validate(&arguments),
        Command::Example(arguments) => example::example(&arguments),
        Command::Completion { shell } => completion::completion(shell),
        Command::Info => info::info(),
    }
}
