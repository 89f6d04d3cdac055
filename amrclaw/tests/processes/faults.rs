//! When one rank fails, the whole run ends: soon, with one message that names the rank, and with the last checkpoint intact.

use crate::common::example;
use crate::launchers::Launcher;
use crate::{sets_of, stderr_of};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::sync::{Mutex, PoisonError};
use std::thread::sleep;
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// The time within which a run ends after one of its ranks has failed.
const SOON: Duration = Duration::from_secs(10);

/// A run that takes far longer than its test, with a checkpoint after every step. Steps are small, since on a busy machine each of their
/// messages takes milliseconds.
const LONG: [&str; 8] = [
    "mesh.cells=[45,40]",
    "levels.max=2",
    "levels.ratio=[2]",
    "time.end=100",
    "output.checkpoint_every_steps=1",
    "output.format=[]",
    "output.png=false",
    "regrid.max_patch_size=12",
];

/// Held by each of these tests, so that no two of the timed runs compete for the processor.
static ALONE: Mutex<()> = Mutex::new(());

/// A run in progress.
struct Running {
    folder: TempDir,
    child: Child,
}

impl Running {
    /// Starts three ranks of the long run, and waits for its third checkpoint.
    fn begin(launcher: &Launcher, more: &[&str]) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let case = example("acoustics_radial").display().to_string();
        let arguments = [&[&*case, "--output", "out"][..], &sets_of(&LONG), more].concat();
        let mut command = launcher.command(folder.path());
        // With SIGXFSZ ignored, a limit to the size of files is an error of the rank that writes instead of killing it.
        command.args(["-n", "3", "sh", "-c", "trap '' XFSZ; exec \"$0\" \"$@\"", env!("CARGO_BIN_EXE_amrclaw"), "run"]);
        command.args(&arguments).args(["--quiet", "--threads", "1"]);
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("a launcher that starts");
        let clock = Instant::now();
        while !folder.path().join("out/checkpoint_000003.h5").exists() {
            if clock.elapsed() > Duration::from_secs(180) || child.try_wait().expect("a process").is_some() {
                child.kill().expect("a process of our own");
                panic!("no checkpoint: {}", stderr_of(&child.wait_with_output().expect("a launcher that ends")));
            }
            sleep(Duration::from_millis(20));
        }
        Running { folder, child }
    }

    /// The process id of a rank.
    fn process_of(&self, rank: usize) -> String {
        let told = [format!("PMI_RANK={rank}"), format!("OMPI_COMM_WORLD_RANK={rank}")];
        let folder = self.folder.path().canonicalize().expect("the folder is there");
        let processes = std::fs::read_dir("/proc").expect("a list of processes").flatten();
        let is_it = |entry: &PathBuf| {
            let environment = std::fs::read(entry.join("environ")).unwrap_or_default();
            std::fs::read_link(entry.join("cwd")).is_ok_and(|cwd| cwd == folder)
                && environment.split(|&byte| byte == 0).any(|set| told.iter().any(|one| one.as_bytes() == set))
        };
        let found = processes.map(|entry| entry.path()).find(is_it).expect("the rank is running");
        found.file_name().expect("a number").to_string_lossy().into_owned()
    }

    /// Waits for the end of the run, and asserts that it comes within `time`.
    fn ends_within(self, time: Duration) -> (TempDir, Output) {
        let clock = Instant::now();
        let output = self.child.wait_with_output().expect("a launcher that ends");
        assert!(clock.elapsed() < time, "it took {:?}: {}", clock.elapsed(), stderr_of(&output));
        (self.folder, output)
    }
}

fn signal(name: &str, process: &str) {
    let sent = Command::new("kill").args([name, process]).status().expect("kill");
    assert!(sent.success(), "kill {name} {process}");
}

/// Asserts that a restart from the run's last checkpoint takes one more step on a single rank.
fn assert_goes_on(folder: &Path) {
    let mut checkpoints: Vec<PathBuf> = std::fs::read_dir(folder.join("out"))
        .expect("the folder of the run")
        .map(|entry| entry.expect("a file").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "h5"))
        .collect();
    checkpoints.sort();
    let last = checkpoints.last().expect("a checkpoint");
    let name = last.file_stem().expect("a name").to_string_lossy().into_owned();
    let steps: u64 = name.trim_start_matches("checkpoint_").parse().expect("the number of steps");
    let steps = format!("time.max_steps={}", steps + 1);
    let mut command = Command::new(env!("CARGO_BIN_EXE_amrclaw"));
    command.arg("run").arg(example("acoustics_radial")).args(sets_of(&LONG)).args(["--set", &steps]);
    command.arg("--quiet").arg("--restart").arg(last).args(["--output", "out"]).current_dir(folder);
    // A launcher may end shortly before its ranks, which still lock the folder.
    let clock = Instant::now();
    let mut output = command.output().expect("the program");
    while clock.elapsed() < SOON && stderr_of(&output).contains("another run is writing") {
        sleep(Duration::from_millis(50));
        output = command.output().expect("the program");
    }
    assert!(output.status.success(), "from {name}: {}", stderr_of(&output));
}

/// If a rank is killed, the others end too. The message is the launcher's or the MPI library's: it mostly names the rank or the process,
/// sometimes a rank that was receiving a message from it; sometimes there is none.
#[test]
#[cfg(target_os = "linux")]
fn a_killed_rank_ends_the_run() {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    for launcher in Launcher::all() {
        let running = Running::begin(&launcher, &[]);
        signal("-KILL", &running.process_of(1));
        let (folder, output) = running.ends_within(SOON);
        assert!(!output.status.success(), "{}", stderr_of(&output));
        assert_goes_on(folder.path());
    }
}

/// A rank that hangs is named by a rank that waits for it, while ranks that wait for other waiting ranks stay silent; exit code 1.
#[test]
#[cfg(target_os = "linux")]
fn a_rank_that_hangs_is_named() {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    for launcher in Launcher::all() {
        // On a busy machine ranks take more than a second to start.
        let running = Running::begin(&launcher, &["--comm-timeout", "3"]);
        signal("-STOP", &running.process_of(1));
        let (folder, output) = running.ends_within(SOON);
        let text = stderr_of(&output);
        let told: Vec<&str> = text.lines().filter(|line| line.contains("error: ")).collect();
        assert!(
            matches!(told[..], [line] if line.contains("error: rank 1 has sent nothing for 3 s, while rank ")),
            "{text}"
        );
        assert_eq!(output.status.code(), Some(1), "{text}");
        assert_goes_on(folder.path());
    }
}

/// Ctrl-C at the launcher stops all ranks between the same two steps, with a checkpoint that the message names. The exit code is the
/// launcher's: MPICH's ends with 0 if it is interrupted before it receives the exit codes of its ranks, which are 1.
#[test]
#[cfg(target_os = "linux")]
fn an_interrupt_leaves_a_checkpoint() {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    for launcher in Launcher::all() {
        let launcher = Launcher { has_long_kill_timeout: true, ..launcher };
        let running = Running::begin(&launcher, &[]);
        signal("-INT", &running.child.id().to_string());
        let (folder, output) = running.ends_within(SOON);
        let text = stderr_of(&output);
        assert!(matches!(output.status.code(), Some(0 | 1)), "{text}");
        // Open MPI's launcher does not forward output after it has been asked to end.
        let told = text.matches("error: the run was interrupted after step").count();
        assert!(told == 1 || launcher.is_open && told == 0, "{text}");
        let record = std::fs::read_to_string(folder.path().join("out/run.json")).expect("a record");
        assert!(record.contains("\"interrupted\""), "{record}");
        assert_goes_on(folder.path());
    }
}

/// A solution that fails on one rank ends all ranks with the error of a run on a single rank, printed once; the last good state is kept.
#[test]
fn a_rank_that_breaks_ends_the_run() {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    let case = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases/hard/decay_by_root.toml");
    let run = |command: &mut Command| {
        let output = command.output().expect("a program that starts");
        assert_eq!(
            (output.status.code(), stderr_of(&output).matches("error: ").count()),
            (Some(1), 1),
            "{}",
            stderr_of(&output)
        );
        let text = stderr_of(&output);
        let (_, error) = text.split_once("error: ").expect("an error");
        error.lines().next().expect("a line").to_owned()
    };
    let folder = tempfile::tempdir().expect("a folder");
    let case = case.display().to_string();
    let solo = run(Command::new(env!("CARGO_BIN_EXE_amrclaw"))
        .current_dir(folder.path())
        .args(["run", &*case, "--quiet", "--output", "solo"]));
    for (n, launcher) in Launcher::all().into_iter().enumerate() {
        let clock = Instant::now();
        let name = format!("out{n}");
        assert_eq!(run(&mut launcher.run(folder.path(), 3, &[&case, "--output", &name])), solo);
        assert!(clock.elapsed() < 2 * SOON);
        assert!(
            folder
                .path()
                .join(name)
                .read_dir()
                .expect("the folder")
                .flatten()
                .any(|file| { file.path().extension().is_some_and(|extension| extension == "h5") })
        );
    }
}

/// If a file can no longer be written, here because of a limit to its size, the run ends on all ranks with one error that names
/// the file, and the last checkpoint is intact.
#[test]
#[cfg(target_os = "linux")]
fn a_full_disk_ends_the_run() {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    for launcher in Launcher::all() {
        let running = Running::begin(&launcher, &[]);
        let process = running.process_of(0);
        let limited = Command::new("prlimit").args(["--fsize=4096", "--pid", &process]).status().expect("prlimit");
        assert!(limited.success());
        let (folder, output) = running.ends_within(SOON);
        let text = stderr_of(&output);
        assert_eq!((output.status.code(), text.matches("error: ").count()), (Some(1), 1), "{text}");
        assert!(text.contains("File too large") && text.contains("checkpoint_"), "{text}");
        assert_goes_on(folder.path());
    }
}
