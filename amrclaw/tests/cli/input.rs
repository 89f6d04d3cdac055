//! Wrong input: exit code 2, all mistakes at once, nothing written.

use super::{Outcome, example, files, program, run};
use std::path::Path;

/// The call was refused for these reasons, and left the folder as it was.
fn assert_refused(folder: &Path, before: &[String], outcome: &Outcome, reasons: &[&str]) {
    assert_eq!(outcome.code, Some(2), "{}", outcome.stderr);
    for reason in reasons {
        assert!(outcome.stderr.contains(reason), "no \"{reason}\" in\n{}", outcome.stderr);
    }
    assert_eq!(files(folder), before, "files were left");
}

/// Mistakes of all kinds are reported together, each with its key.
#[test]
fn all_mistakes_are_reported_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let sets = ["mesh.cells=[0,20]", "regrid.cutoff=7", "regrid.intervall=3", "solver.bulk=-1.0"];
    let outcome = run(folder.path(), &example("acoustics_radial"), &sets, &[]);
    let reasons = ["mesh.cells", "regrid.cutoff", "regrid.intervall", "solver.bulk", "4 problems"];
    assert_refused(folder.path(), &[], &outcome, &reasons);
}

/// A case file that is not there, and one that is no TOML.
#[test]
fn unreadable_cases_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let outcome = run(folder.path(), Path::new("missing.toml"), &[], &[]);
    assert_refused(folder.path(), &[], &outcome, &["missing.toml", "cannot be read"]);
    std::fs::write(folder.path().join("bad.toml"), "[mesh\ncells = ").unwrap();
    let outcome = run(folder.path(), Path::new("bad.toml"), &[], &[]);
    assert_refused(folder.path(), &["bad.toml".into()], &outcome, &["bad.toml:1"]);
}

/// A folder that cannot be made is found before the first step. (Its path leads through a file: permissions do not stop
/// a test that runs as the system's administrator.)
#[test]
fn unwritable_output_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("file"), "").unwrap();
    let outcome = run(folder.path(), &example("acoustics_radial"), &[], &["--output", "file/out"]);
    assert_refused(folder.path(), &["file".into()], &outcome, &["file/out"]);
}

/// Initial data that are not numbers are found before the first step, with cell and position, on whatever level they are:
/// here to the right of x = 0.5 only.
#[test]
fn initial_data_that_are_not_finite_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let sets = ["mesh.cells=[20,10]", r#"initial.pressure="sqrt(0.5 - x)""#];
    let outcome = run(folder.path(), &example("acoustics_radial"), &sets, &[]);
    assert_refused(folder.path(), &[], &outcome, &["pressure is NaN", "level 1", "cell [15, 0]", "[0.55, -0.9]"]);
    let sets = ["mesh.cells=[20,20]", r#"aux.sound_speed="1/0""#];
    let outcome = run(folder.path(), &example("acoustics_interface"), &sets, &[]);
    assert_refused(folder.path(), &[], &outcome, &["sound_speed is inf", "cell [0, 0]"]);
}

/// Where there is no GPU, asking for one says what is missing.
#[test]
fn devices_that_are_not_there_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let none = cuda::DeviceInfo::all().map_or(true, |devices| devices.is_empty());
    for device in ["cuda", "cuda-streamed"].into_iter().filter(|_| none) {
        let outcome = run(folder.path(), &example("acoustics_radial"), &[], &["--device", device]);
        assert_ne!(outcome.code, Some(0));
        assert!(outcome.stderr.contains("CUDA driver"), "{}", outcome.stderr);
    }
    let outcome = run(folder.path(), &example("acoustics_radial"), &[], &["--threads", "0"]);
    assert_refused(folder.path(), &[], &outcome, &["--threads"]);
}

/// `validate` finds what `run` would, with the same exit code.
#[test]
fn validate_refuses_what_run_refuses() {
    let folder = tempfile::tempdir().unwrap();
    let mut command = program(folder.path());
    let case = example("burgers_square");
    let outcome: Outcome = command.arg("validate").arg(case).args(["--set", "time.end=-1.0"]).output().unwrap().into();
    assert_refused(folder.path(), &[], &outcome, &["time.end"]);
}

/// A restart needs a checkpoint, and the problem that it is of.
#[test]
fn restarts_from_other_problems_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let case = example("burgers_square");
    let sets = ["mesh.cells=[12,10]", "time.max_steps=1", "output.checkpoint_every_steps=1"];
    super::run_well(folder.path(), &case, &sets, &["--output", "out"]);
    let before = files(folder.path());
    let restart = ["--restart", "out/checkpoint_000001.h5", "--output", "new"];
    let outcome = run(folder.path(), &case, &["mesh.cells=[12,12]"], &restart);
    assert_refused(folder.path(), &before, &outcome, &["mesh.cells", "[12, 10]"]);
    let restart = ["--restart", "out/frame_0000.vtkhdf", "--output", "new"];
    let outcome = run(folder.path(), &case, &sets, &restart);
    assert_refused(folder.path(), &before, &outcome, &["frame_0000.vtkhdf is not a checkpoint"]);
}
