//! The command line, of the program and of the Python package. Exit codes: 0 done; 1 the run failed; 2 the input is wrong, and nothing has
//! been written.

#[macro_use]
mod terminal;

mod allocator;
mod arguments;
mod completion;
mod converge;
mod exact;
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
use std::ffi::OsString;
use std::io::Write;

pub use allocator::Allocator;

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
        note!("error: {}", crate::text::shown(&message));
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

/// Obeys a command line, whose first word is the program's name, and returns the exit code. `own`: the command that starts this program again.
pub fn main(arguments: impl IntoIterator<Item = OsString>, own: &[OsString]) -> u8 {
    crate::simulation::keep_freed_memory();
    signals::report_file_limits();
    let outcome = match Arguments::try_parse_from(arguments) {
        Ok(arguments) => crate::plugin::whole_program(|| obey(arguments.command, own)),
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
    outcome.map_or_else(Failure::tell, |()| 0)
}

fn obey(command: Command, own: &[OsString]) -> Result<(), Failure> {
    match command {
        Command::Run(arguments) => run::run(&arguments),
        Command::Sweep(arguments) => sweep::sweep(&arguments, own),
        Command::Converge(arguments) => converge::converge(&arguments, own),
        Command::Tune(arguments) => tune::tune(&arguments, own),
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
