//! What ends one rank ends the run: soon, with one message that names it, and with the last checkpoint good.

use crate::common::example;
use crate::launchers::Launcher;
use crate::{said, sets_of};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::sync::{Mutex, PoisonError};
use std::thread::sleep;
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// Within which a run ends once one of its ranks cannot go on.
const SOON: Duration = Duration::from_secs(10);

/// A run that takes far longer than its test, with a checkpoint after every step. Steps are short: on a busy machine each message of one takes
/// milliseconds.
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

/// Held by the test that ends a run: what ends within a time does so beside no other such run.
static ALONE: Mutex<()> = Mutex::new(());

/// A run on its way.
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
        // A limit to the size of files is to be an error of the rank that writes, not its end by a signal.
        command.args(["-n", "3", "sh", "-c", "trap '' XFSZ; exec \"$0\" \"$@\"", env!("CARGO_BIN_EXE_amrclaw"), "run"]);
        command.args(&arguments).args(["--quiet", "--threads", "1"]);
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("a launcher that starts");
        let clock = Instant::now();
        while !folder.path().join("out/checkpoint_000003.h5").exists() {
            if clock.elapsed() > Duration::from_secs(180) || child.try_wait().expect("a process").is_some() {
                child.kill().expect("a process of our own");
                panic!("no checkpoint: {}", said(&child.wait_with_output().expect("a launcher that ends")));
            }
            sleep(Duration::from_millis(20));
        }
        Running { folder, child }
    }

    /// The process that is a rank.
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

    /// Waits for the end, which must come within so long.
    fn ends_within(self, time: Duration) -> (TempDir, Output) {
        let clock = Instant::now();
        let output = self.child.wait_with_output().expect("a launcher that ends");
        assert!(clock.elapsed() < time, "it took {:?}: {}", clock.elapsed(), said(&output));
        (self.folder, output)
    }
}

fn signal(name: &str, process: &str) {
    let sent = Command::new("kill").args([name, process]).status().expect("kill");
    assert!(sent.success(), "kill {name} {process}");
}

/// The last checkpoint of a run goes on, on a single rank, by one step.
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
    // A launcher may end a little before its ranks do.
    let clock = Instant::now();
    let mut output = command.output().expect("the program");
    while clock.elapsed() < SOON && said(&output).contains("another run is writing") {
        sleep(Duration::from_millis(50));
        output = command.output().expect("the program");
    }
    assert!(output.status.success(), "from {name}: {}", said(&output));
}

/// A rank that is killed takes the others with it. What is said of it is the launcher's and the library's: mostly the rank or the process,
/// sometimes the rank that was fetching a message from it, or nothing.
#[test]
#[cfg(target_os = "linux")]
fn a_killed_rank_ends_the_run() {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    for launcher in Launcher::all() {
        let running = Running::begin(&launcher, &[]);
        signal("-KILL", &running.process_of(1));
        let (folder, output) = running.ends_within(SOON);
        assert!(!output.status.success(), "{}", said(&output));
        assert_goes_on(folder.path());
    }
}

/// A rank that hangs is named by one that waits for it, not by those that wait for others that wait; exit code 1.
#[test]
#[cfg(target_os = "linux")]
fn a_rank_that_hangs_is_named() {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    for launcher in Launcher::all() {
        // On a busy machine ranks take more than a second to start.
        let running = Running::begin(&launcher, &["--comm-timeout", "3"]);
        signal("-STOP", &running.process_of(1));
        let (folder, output) = running.ends_within(SOON);
        let text = said(&output);
        let told: Vec<&str> = text.lines().filter(|line| line.contains("error: ")).collect();
        assert!(
            matches!(told[..], [line] if line.contains("error: rank 1 has sent nothing for 3 s, while rank ")),
            "{text}"
        );
        assert_eq!(output.status.code(), Some(1), "{text}");
        assert_goes_on(folder.path());
    }
}

/// Ctrl-C at the launcher stops all ranks between the same two steps, with a checkpoint that is named. The exit code is the launcher's: MPICH's
/// that is itself interrupted ends with 0 where it no longer hears of its ranks' codes, which are 1.
#[test]
#[cfg(target_os = "linux")]
fn an_interrupt_leaves_a_checkpoint() {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    for launcher in Launcher::all() {
        let launcher = Launcher { is_patient: true, ..launcher };
        let running = Running::begin(&launcher, &[]);
        signal("-INT", &running.child.id().to_string());
        let (folder, output) = running.ends_within(SOON);
        let text = said(&output);
        assert!(matches!(output.status.code(), Some(0 | 1)), "{text}");
        // Open MPI's launcher shows nothing of what is said after it has been asked to end.
        let told = text.matches("error: the run was interrupted after step").count();
        assert!(told == 1 || launcher.is_open && told == 0, "{text}");
        let record = std::fs::read_to_string(folder.path().join("out/run.json")).expect("a record");
        assert!(record.contains("\"interrupted\""), "{record}");
        assert_goes_on(folder.path());
    }
}

/// A solution that breaks on one rank ends all with the error of a single rank, told once; the last good state is kept.
#[test]
fn a_rank_that_breaks_ends_the_run() {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    let case = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases/hard/decay_by_root.toml");
    let run = |command: &mut Command| {
        let output = command.output().expect("a program that starts");
        assert_eq!((output.status.code(), said(&output).matches("error: ").count()), (Some(1), 1), "{}", said(&output));
        let text = said(&output);
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

/// Files that the rank which writes can no longer write, here for a limit to their size: the run ends on all ranks, with one error that names
/// the file, and the checkpoint before is whole.
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
        let text = said(&output);
        assert_eq!((output.status.code(), text.matches("error: ").count()), (Some(1), 1), "{text}");
        assert!(text.contains("File too large") && text.contains("checkpoint_"), "{text}");
        assert_goes_on(folder.path());
    }
}
