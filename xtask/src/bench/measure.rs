//! One measured run of the command line.

use crate::process::{Outcome, command, display, target_dir};
use serde_json::Value;
use std::path::Path;
use std::process::{Child, Stdio};
use std::time::Instant;

/// The measurements of one run.
#[derive(Clone, Debug)]
pub struct Sample {
    /// Seconds from the program's start to its end.
    pub process_seconds: f64,
    /// Largest resident memory, in bytes, as the system counts it.
    pub peak_bytes: u64,
    /// The run's own report, `run.json`.
    pub report: Value,
}

/// Runs a case to its end on that many threads.
pub fn run_case(program: &Path, case: &str, cells: &str, threads: usize) -> Outcome<Sample> {
    let folder = target_dir().join("bench-output");
    if folder.exists() {
        std::fs::remove_dir_all(&folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    }
    let mut run = command(program);
    run.args(["run", case, "--quiet", "--threads", &threads.to_string(), "--set", &format!("mesh.cells=[{cells}]")]);
    run.arg("--output").arg(&folder).stdin(Stdio::null());
    let start = Instant::now();
    let child = run.spawn().map_err(|e| format!("cannot start {}: {e}", display(&run)))?;
    let (success, peak_bytes) = wait(child)?;
    let process_seconds = start.elapsed().as_secs_f64();
    if !success {
        return Err(format!("{} failed", display(&run)));
    }
    let path = folder.join("run.json");
    let text = std::fs::read_to_string(&path).map_err(|e| format!("{}: {e}", path.display()))?;
    let report = serde_json::from_str(&text).map_err(|e| format!("{}: {e}", path.display()))?;
    Ok(Sample { process_seconds, peak_bytes, report })
}

/// Waits for the child; returns whether it exited with 0, and its largest resident memory.
fn wait(child: Child) -> Outcome<(bool, u64)> {
    let mut status = 0;
    // SAFETY: `rusage` is plain integers, for which zero is a value.
    let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
    // SAFETY: the pointers lead to live variables; the child has not been waited for, so its id is still its own.
    let waited = unsafe { libc::wait4(child.id() as libc::pid_t, &mut status, 0, &mut usage) };
    if waited < 0 {
        return Err(format!("waiting for the run: {}", std::io::Error::last_os_error()));
    }
    // Linux counts kibibytes, macOS bytes.
    let unit = if cfg!(target_os = "macos") { 1 } else { 1024 };
    Ok((libc::WIFEXITED(status) && libc::WEXITSTATUS(status) == 0, usage.ru_maxrss as u64 * unit))
}
