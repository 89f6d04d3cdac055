//! `amrclaw completion`.

use crate::cli::arguments::{Arguments, CompletionShell};
use crate::cli::{Failure, terminal};
use clap::CommandFactory;
use clap_complete::{Shell, generate};

pub fn completion(shell: CompletionShell) -> Result<(), Failure> {
    let shell = match shell {
        CompletionShell::Bash => Shell::Bash,
        CompletionShell::Zsh => Shell::Zsh,
        CompletionShell::Fish => Shell::Fish,
    };
    // Generated in memory first, since generating into a pipe that closes early would panic.
    let mut script = Vec::new();
    generate(shell, &mut Arguments::command(), "amrclaw", &mut script);
    terminal::show(&String::from_utf8_lossy(&script));
    Ok(())
}
