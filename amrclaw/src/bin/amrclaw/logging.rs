//! The log, on the standard error.

use crate::Failure;
use tracing_subscriber::EnvFilter;

/// Begins the log that `--log` asks for.
pub fn begin(level: Option<&str>) -> Result<(), Failure> {
    let Some(level) = level else { return Ok(()) };
    let filter = EnvFilter::try_new(level)
        .map_err(|e| Failure::Input(format!("--log {level}: {e}; write error, warn, info, debug or trace")))?;
    tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr).init();
    Ok(())
}
