//! One run of a sweep: this program again, in a separate process.
//!
//! So a run that is killed affects no other, and has its own memory.

use super::foreign::{LOG_HEAD, LOG_NAME, is_log};
use super::{RunResultStatus, SweepError, refuse_foreign};
use crate::frames::OutputError;
use crate::frames::run_json::{self, RunRecord, RunStatus};
use crate::ranks::mpi::start_alone;
use std::ffi::OsString;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};

/// How the runs of a sweep are started.
#[derive(Clone, Debug)]
pub struct Launch {
    /// The command that starts this program, to which `run` is added.
    pub program: Vec<OsString>,
    /// The case file.
    pub case: PathBuf,
    /// Overrides that all runs share.
    pub overrides: Vec<String>,
    /// Further arguments of `run` that all runs share, such as `--threads`.
    pub arguments: Vec<String>,
}

/// How a run ended.
#[derive(Clone, Debug)]
pub struct Ended {
    /// Whether it succeeded.
    pub status: RunResultStatus,
    /// Why it failed; empty if it succeeded.
    pub error: String,
    /// Its `run.json`, if it wrote one.
    pub record: Option<RunRecord>,
}

impl Launch {
    /// The same on the GPU with this number.
    pub fn on_gpu(&self, number: usize) -> Self {
        let arguments = [&self.arguments[..], &["--devices".to_owned(), number.to_string()]].concat();
        Launch { arguments, ..self.clone() }
    }

    /// Runs the case in `folder` with `overrides`, and calls `watch` with every line of its progress.
    ///
    /// # Errors
    /// The program cannot be started, the folder cannot be written, or its log is not this program's. A run that fails is not an
    /// error.
    pub fn run(
        &self,
        device: &str,
        overrides: &[String],
        folder: &Path,
        watch: &mut dyn FnMut(&str),
    ) -> Result<Ended, SweepError> {
        let record_path = folder.join(run_json::FILE_NAME);
        std::fs::create_dir_all(folder).map_err(OutputError::io("create", folder))?;
        // If this run were killed, the record of an earlier attempt would be mistaken for its own.
        if RunRecord::read(&record_path).is_ok() {
            std::fs::remove_file(&record_path).map_err(OutputError::io("remove", &record_path))?;
        }
        let log_path = folder.join(LOG_NAME);
        refuse_foreign(folder, &[(LOG_NAME, is_log)])?;
        let mut log = File::create(&log_path).map_err(OutputError::io("create", &log_path))?;
        log.write_all(LOG_HEAD.as_bytes()).map_err(OutputError::io("write", &log_path))?;
        let stdout = log.try_clone().map_err(OutputError::io("write", &log_path))?;
        let mut command = Command::new(&self.program[0]);
        command.args(&self.program[1..]).arg("run").arg(&self.case).arg("--output").arg(folder).args([
            "--overwrite",
            "--device",
            device,
        ]);
        command.args(self.overrides.iter().chain(overrides).flat_map(|text| ["--set", text]));
        command.args(&self.arguments).stdin(Stdio::null()).stdout(stdout).stderr(Stdio::piped());
        end_with_parent(&mut command);
        start_alone(&mut command);
        let started = |source| SweepError::Start { program: PathBuf::from(&self.program[0]), source };
        let mut child = command.spawn().map_err(started)?;
        let said = follow(&mut child, &mut log, watch);
        let exit = child.wait().map_err(started)?;
        let said = said.map_err(OutputError::io("write", &log_path))?;
        // What a run that was killed wrote at its start says nothing of its end.
        let record = RunRecord::read(&record_path).ok().filter(|record| record.status != RunStatus::Running);
        Ok(judge(exit, record, &said))
    }
}

/// Copies a run's lines to its log until it ends, and returns them. Kills a run whose log cannot be written.
fn follow(child: &mut Child, log: &mut File, watch: &mut dyn FnMut(&str)) -> io::Result<Vec<String>> {
    let mut said = Vec::new();
    for line in BufReader::new(child.stderr.take().expect("a pipe was asked for")).lines() {
        // Lines that are not valid text are skipped.
        let Ok(line) = line else { continue };
        if let Err(error) = writeln!(log, "{line}") {
            // It may have ended by itself.
            let _ = child.kill();
            return Err(error);
        }
        watch(&line);
        said.push(line);
    }
    Ok(said)
}

/// A run is done if both its exit status and its record say so.
fn judge(exit: ExitStatus, record: Option<RunRecord>, said: &[String]) -> Ended {
    if exit.success() && record.as_ref().is_some_and(|r| r.status == RunStatus::Done) {
        return Ended { status: RunResultStatus::Done, error: String::new(), record };
    }
    let written = record.as_ref().and_then(|r| r.error.clone());
    let error = written.unwrap_or_else(|| {
        let from = said.iter().position(|line| line.starts_with("error: ")).unwrap_or(said.len().saturating_sub(1));
        let last = said[from..].join("\n");
        let last = last.trim_start_matches("error: ").trim();
        if last.is_empty() { format!("the run ended with {exit}") } else { format!("{last} ({exit})") }
    });
    Ended { status: RunResultStatus::Failed, error, record }
}

/// Lets the system kill the run when the sweep is killed, so that no orphaned run interferes with its successor.
#[cfg(target_os = "linux")]
fn end_with_parent(command: &mut Command) {
    use std::os::unix::process::CommandExt;
    // SAFETY: between fork and exec only prctl is called, which is safe there and touches no memory of this process.
    unsafe {
        command.pre_exec(|| match libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL) {
            0 => Ok(()),
            _ => Err(std::io::Error::last_os_error()),
        });
    }
}

/// On other systems a run whose sweep is killed continues to its end.
#[cfg(not(target_os = "linux"))]
fn end_with_parent(_: &mut Command) {}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    /// A full disk ends the sweep, not only its record of a run that would go on unseen.
    #[test]
    fn a_run_whose_log_cannot_be_written_is_killed() {
        let mut command = Command::new("sh");
        command.args(["-c", "echo progress >&2; exec sleep 600"]).stdin(Stdio::null()).stderr(Stdio::piped());
        let mut child = command.spawn().expect("there is a shell");
        let mut full = File::options().write(true).open("/dev/full").expect("Linux has it");
        let error = follow(&mut child, &mut full, &mut |_| ()).expect_err("nothing can be written");
        assert_eq!(error.kind(), io::ErrorKind::StorageFull);
        assert!(!child.wait().expect("it can be waited for").success());
    }
}
