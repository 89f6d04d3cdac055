//! The command line as a program.

use amrclaw::cli::{self, Allocator};
use std::ffi::OsString;
use std::process::ExitCode;

#[global_allocator]
static ALLOCATOR: Allocator = Allocator;

fn main() -> ExitCode {
    let own: Vec<OsString> = std::env::current_exe().into_iter().map(OsString::from).collect();
    ExitCode::from(cli::main(std::env::args_os(), &own))
}
