//! The output folder: files of earlier runs are not lost by accident, files of the user never, and runs do not mix.

use super::{Outcome, example, files, program, record, run, run_well};
use amrclaw::frames::read;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// A small run with two frames, a gauge and checkpoints.
const SETS: [&str; 5] = [
    "mesh.cells=[20,20]",
    "time.end=0.02",
    "output.times=[0.0,0.02]",
    "output.checkpoint_every_steps=1",
    r#"gauge=[{name="g1",position=[0.5,0.5]}]"#,
];

fn case() -> PathBuf {
    example("acoustics_radial")
}

/// Name and content of every file in a folder.
fn contents(dir: &Path) -> Vec<(String, Vec<u8>)> {
    files(dir).into_iter().map(|name| (name.clone(), std::fs::read(dir.join(name)).unwrap_or_default())).collect()
}

/// A second run into a folder writes to another folder beside it, and says so. With `--overwrite` it replaces the frames, pictures,
/// gauges and checkpoints of the first. Files of the user stay.
#[test]
fn runs_are_replaced_only_on_demand() {
    let folder = tempfile::tempdir().unwrap();
    let dir = folder.path().join("out");
    run_well(folder.path(), &case(), &SETS, &["--output", "out"]);
    std::fs::write(dir.join("notes.txt"), "mine").unwrap();
    let first = contents(&dir);
    let said = run_well(folder.path(), &case(), &SETS, &["--output", "out"]);
    assert!(
        said.stderr.contains("remark: out contains files of another run") && said.stderr.contains("out_2"),
        "{}",
        said.stderr
    );
    assert!(said.stdout.contains("files in out_2"), "{}", said.stdout);
    assert!(contents(&dir) == first, "the first run's files have changed");
    assert!(folder.path().join("out_2/frame_0001.vtkhdf").exists());
    run_well(folder.path(), &case(), &SETS, &["--output", "out"]);
    assert!(folder.path().join("out_3/frame_0001.vtkhdf").exists());

    let other = ["mesh.cells=[20,20]", "time.end=0.02", "output.times=[0.02]", "output.png=false"];
    run_well(folder.path(), &case(), &other, &["--output", "out", "--overwrite"]);
    let left = [".amrclaw", "frame_0000.vtkhdf", "frames.vtkhdf.series", "notes.txt", "run.json", "steps.jsonl"];
    assert_eq!(files(&dir), left);
    assert!(!folder.path().join("out_4").exists());
}

/// A run that is refused changes no file, whatever the reason: a gauge's file name taken by a file that no run wrote, a name that is too
/// long, initial data that are NaN.
#[test]
fn a_refused_run_removes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let dir = folder.path().join("out");
    run_well(folder.path(), &case(), &SETS[..4], &["--output", "out"]);
    std::fs::create_dir(dir.join("gauge_g1.csv")).unwrap();
    let before = contents(&dir);
    let long = format!("gauge=[{{name=\"{}\",position=[0.5,0.5]}}]", "g".repeat(250));
    for (set, part) in
        [(SETS[4], "gauge_g1.csv already exists"), (&long, "at most 100"), (r#"initial.pressure="log(x-9)""#, "NaN")]
    {
        let outcome = run(folder.path(), &case(), &[&SETS[..4], &[set]].concat(), &["--output", "out", "--overwrite"]);
        assert_eq!(outcome.code, Some(2), "{}", outcome.stderr);
        assert!(outcome.stderr.contains(part), "{}", outcome.stderr);
        assert!(contents(&dir) == before, "{part}");
    }
    assert_eq!(files(folder.path()), ["out"]);
}

/// Starts a long run, and waits for its first frame.
fn start(folder: &Path) -> Child {
    let mut command = program(folder);
    command.arg("run").arg(case()).args(["--output", "out", "--quiet", "--set", "mesh.cells=[20,20]"]);
    command.args(["--set", "time.end=1e6", "--set", "output.png=false", "--set", "output.times=[0.0,1e6]"]);
    let child = command.stderr(Stdio::piped()).spawn().unwrap();
    let begun = Instant::now();
    while !files(&folder.join("out")).contains(&"frame_0000.vtkhdf".to_owned()) {
        assert!(begun.elapsed() < Duration::from_secs(60), "no frame has appeared");
        std::thread::sleep(Duration::from_millis(1));
    }
    child
}

/// While a run writes to a folder no other run may, not even with `--overwrite`; after it is killed the folder is free.
#[test]
fn two_runs_do_not_share_a_folder() {
    let folder = tempfile::tempdir().unwrap();
    let mut child = start(folder.path());
    let refused = run(folder.path(), &case(), &SETS, &["--output", "out", "--overwrite"]);
    assert_eq!(refused.code, Some(2), "{}", refused.stderr);
    assert!(refused.stderr.contains("another run is writing to out"), "{}", refused.stderr);
    run_well(folder.path(), &case(), &SETS, &["--output", "out"]);
    assert!(folder.path().join("out_2/run.json").exists());
    child.kill().unwrap();
    child.wait().unwrap();
    run_well(folder.path(), &case(), &SETS, &["--output", "out", "--overwrite"]);
    assert_eq!(record(&folder.path().join("out"))["status"], "done");
}

/// A restart writes to the folder of its checkpoint, where two checkpoints are kept in total. In another folder that holds a run's files it
/// behaves like any other run.
#[test]
fn a_restart_goes_on_in_its_folder() {
    let folder = tempfile::tempdir().unwrap();
    let sets = ["mesh.cells=[20,20]", "output.checkpoint_every_steps=2", "output.png=false"];
    let run = |steps: &str, more: &[&str]| run_well(folder.path(), &case(), &[&sets[..], &[steps]].concat(), more);
    run("time.max_steps=4", &["--output", "out"]);
    run("time.max_steps=8", &["--output", "out", "--restart", "out/checkpoint_000004.h5"]);
    let checkpoints = |dir: &str| -> Vec<String> {
        files(&folder.path().join(dir)).into_iter().filter(|name| name.starts_with("checkpoint_")).collect()
    };
    assert_eq!(checkpoints("out"), ["checkpoint_000006.h5", "checkpoint_000008.h5"]);
    run("time.max_steps=2", &["--output", "other"]);
    let before = contents(&folder.path().join("other"));
    run("time.max_steps=10", &["--output", "other", "--restart", "out/checkpoint_000008.h5"]);
    assert!(contents(&folder.path().join("other")) == before);
    assert_eq!(checkpoints("other_2"), ["checkpoint_000010.h5"]);
    // Checkpoints of steps that are taken again are removed first.
    run("time.max_steps=7", &["--output", "out", "--restart", "out/checkpoint_000006.h5", "--set", SETS[3]]);
    assert_eq!(checkpoints("out"), ["checkpoint_000006.h5", "checkpoint_000007.h5"]);
}

/// Runs the case with files limited to `blocks` blocks of 512 bytes.
#[cfg(unix)]
fn run_limited(folder: &Path, blocks: u64, sets: &[&str], arguments: &[&str]) -> Outcome {
    let script = format!(r#"ulimit -f {blocks}; exec "$@""#);
    let mut limited = Command::new("sh");
    limited.args(["-c", &script, "sh", env!("CARGO_BIN_EXE_amrclaw"), "run"]).arg(case()).current_dir(folder);
    limited.args(sets.iter().flat_map(|set| ["--set", set])).args(arguments);
    Outcome::from(limited.output().unwrap())
}

/// A frame that exceeds the disk space (here a limit to the size of files) ends the run with a message that names it, and a
/// checkpoint of its time; the restart writes that frame first, and ends with the files of a run without the limit.
#[cfg(unix)]
#[test]
fn a_frame_that_found_no_room_is_not_lost() {
    let folder = tempfile::tempdir().unwrap();
    let sets = ["mesh.cells=[40,40]", "time.end=0.03", "output.times=[0.01,0.02,0.03]", "output.png=false"];
    run_well(folder.path(), &case(), &sets, &["--output", "whole"]);
    let [whole, parts] = ["whole", "parts"].map(|dir| folder.path().join(dir));
    // Two thirds of a frame, in blocks of 512 bytes: enough for a checkpoint, which holds each value once, where a frame holds it twice.
    let blocks = std::fs::metadata(whole.join("frame_0000.vtkhdf")).unwrap().len() * 2 / 3 / 512;
    let outcome = run_limited(folder.path(), blocks, &sets, &["--output", "parts"]);
    assert_eq!(outcome.code, Some(1), "{}", outcome.stderr);
    for part in ["cannot write parts/frame_0000.vtkhdf: File too large", "t = 0.01", "checkpoint_", "run.json"] {
        assert!(outcome.stderr.contains(part), "no \"{part}\" in\n{}", outcome.stderr);
    }
    assert_eq!(record(&parts)["status"], "failed");
    let checkpoint = files(&parts).into_iter().find(|name| name.starts_with("checkpoint_")).unwrap();
    run_well(folder.path(), &case(), &sets, &["--output", "parts", "--restart", &format!("parts/{checkpoint}")]);
    for number in 0..3 {
        let name = format!("frame_{number:04}.vtkhdf");
        let [a, b] = [&whole, &parts].map(|dir| read::frame::<2>(&dir.join(&name)).unwrap());
        assert!(a == b, "{name}: t = {} and {}", a.time, b.time);
    }
    assert_eq!(files(&parts).iter().filter(|name| name.ends_with(".vtkhdf")).count(), 3);
    assert_eq!(record(&parts)["status"], "done");
}

/// A checkpoint whose time lies outside the run's times is refused.
#[test]
fn checkpoints_of_other_times_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    run_well(folder.path(), &case(), &SETS, &["--output", "out"]);
    let last = files(&folder.path().join("out")).into_iter().filter(|name| name.starts_with("checkpoint_")).max();
    let last = format!("out/{}", last.unwrap());
    for (set, part) in [("time.end=0.01", "after the end at 0.01"), ("time.start=0.021", "before the start at 0.021")] {
        let sets = ["mesh.cells=[20,20]", "time.end=0.03", "output.times=[0.03]", set, "output.times=[]"];
        let outcome = run(folder.path(), &case(), &sets, &["--output", "out", "--restart", &last]);
        assert_eq!(outcome.code, Some(2), "{}", outcome.stderr);
        assert!(outcome.stderr.contains(part), "{}", outcome.stderr);
    }
}
