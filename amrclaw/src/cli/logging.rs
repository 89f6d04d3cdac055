//! The log, on the standard error.

use crate::cli::Failure;
use std::io::IsTerminal;
use tracing_subscriber::filter::{LevelFilter, Targets};
use tracing_subscriber::fmt::layer;
use tracing_subscriber::prelude::*;

/// Begins the log that `--log` asks for.
pub fn begin(level: Option<&str>) -> Result<(), Failure> {
    let Some(level) = level else { return Ok(()) };
    let refused = |e: &dyn std::fmt::Display| {
        Failure::Input(format!("--log {level}: {e}; write error, warn, info, debug or trace"))
    };
    // A filter would read an unknown level as the name of a module.
    if level.bytes().all(|b| b.is_ascii_alphanumeric()) {
        level.parse::<LevelFilter>().map_err(|e| refused(&e))?;
    }
    let filter: Targets = level.parse().map_err(|e| refused(&e))?;
    // A log that cannot be written must not end the run: write errors are not reported, since reporting them would panic.
    // Colours are for terminals only: files and pipes get no escape codes.
    let colours = std::io::stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none();
    let log = layer().with_writer(std::io::stderr).with_ansi(colours).log_internal_errors(false);
    tracing_subscriber::registry().with(log.with_filter(filter)).init();
    Ok(())
}
