//! Tuning: prints settings that can be pasted into the case, and are not slower than the case's own.

use super::{Outcome, example, files, program, record, run};

fn tune(folder: &std::path::Path, sets: &[&str], arguments: &[&str]) -> Outcome {
    let sets = sets.iter().flat_map(|set| ["--set", set]);
    let mut command = program(folder);
    command.arg("tune").arg(example("acoustics_radial")).args(sets).args(["--output", "out"]).args(arguments);
    command.output().expect("the program starts").into()
}

/// Tuning prints its trials and a section of a case file that runs: the setting found if it is still faster in a final comparison, else
/// the case's own. (Which one depends on measured times, which tests cannot rely on.) All trials cover the same simulated time, and
/// leave no frames.
#[test]
fn tuning_prints_a_setting_that_runs() {
    let folder = tempfile::tempdir().unwrap();
    let sets = ["mesh.cells=[60,60]", "levels.max=2", "regrid.max_patch_size=8", "regrid.cutoff=1.0"];
    let arguments = ["--steps", "10", "--trials", "12", "--repeat", "1", "--threads", "1"];
    let outcome = tune(folder.path(), &sets, &arguments);
    assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
    assert!(outcome.stderr.contains("trial 2: the finest setting"), "{}", outcome.stderr);
    let (report, section) = outcome.stdout.split_once("[regrid]\n").unwrap();
    assert!(report.contains("one level less: ") && report.contains("the case's own"), "{report}");
    let lines: Vec<&str> = section.lines().collect();
    let own = ["interval = 8", "buffer = 8", "cutoff = 1", "max_patch_size = 8"];
    assert_eq!(lines != own, report.contains("times as fast as the case's own"), "{report}{section}");
    let tuned: Vec<String> = lines.iter().map(|line| format!("regrid.{line}")).collect();
    let small = ["mesh.cells=[60,60]", "levels.max=2", "time.max_steps=2", "output.format=[]"];
    let sets: Vec<&str> = small.into_iter().chain(tuned.iter().map(String::as_str)).collect();
    assert_eq!(run(folder.path(), &example("acoustics_radial"), &sets, &["--output", "again"]).code, Some(0));

    let trials = files(&folder.path().join("out"));
    assert!(trials.len() <= 12 + 2 + 2, "{trials:?}");
    let ends: Vec<f64> = trials
        .iter()
        .map(|name| {
            let dir = folder.path().join("out").join(name);
            assert!(files(&dir).iter().all(|file| !file.ends_with(".vtkhdf")), "{:?}", files(&dir));
            record(&dir)["time"].as_f64().unwrap()
        })
        .collect();
    assert!(ends.iter().all(|end| end.to_bits() == ends[0].to_bits()), "all trials end at one time: {ends:?}");
}

/// A wrong case is refused before anything is written; a case whose run fails ends tuning with the reason.
#[test]
fn cases_that_cannot_run_are_reported() {
    let folder = tempfile::tempdir().unwrap();
    let wrong = tune(folder.path(), &["regrid.cutoff=3"], &[]);
    assert!(wrong.code == Some(2) && wrong.stderr.contains("regrid.cutoff"), "{}", wrong.stderr);
    assert!(files(folder.path()).is_empty());
    let sets = ["mesh.cells=[20,20]", "scheme.source=godunov", "source.pressure=sqrt(0.0001 - t)"];
    let failing = tune(folder.path(), &sets, &["--quiet"]);
    assert_eq!(failing.code, Some(1));
    assert!(failing.stderr.contains("the case's own setting: pressure is NaN"), "{}", failing.stderr);
}

/// With tiles their size is tuned, not the cutoff, which has no effect on them.
#[test]
fn tiles_are_tuned_by_their_size() {
    let folder = tempfile::tempdir().unwrap();
    // A region may name the finest level, which the trial with one level less has not.
    let region = "regrid.region=[{levels=[1,2],lower=[-0.5,-0.5],upper=[0.5,0.5]}]";
    let sets = ["mesh.cells=[30,30]", "levels.max=2", "regrid.cluster=tiles", region];
    let outcome = tune(folder.path(), &sets, &["--steps", "3", "--trials", "3", "--repeat", "1"]);
    assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
    assert!(
        outcome.stdout.contains("  tile_size  ") && outcome.stdout.contains("\ntile_size = "),
        "{}",
        outcome.stdout
    );
    assert!(!outcome.stdout.contains("cutoff"), "{}", outcome.stdout);
}

/// With `--ranks` every trial has that many ranks.
#[test]
fn trials_have_ranks() {
    let folder = tempfile::tempdir().unwrap();
    let sets = ["mesh.cells=[30,30]", "levels.max=2", "regrid.max_patch_size=8"];
    let arguments = ["--steps", "3", "--trials", "3", "--repeat", "1", "--threads", "1", "--ranks", "2"];
    let outcome = tune(folder.path(), &sets, &arguments);
    assert!(outcome.code == Some(0) && outcome.stdout.contains("[regrid]\n"), "{}", outcome.stderr);
    let out = folder.path().join("out");
    let trials = files(&out);
    assert!(trials.len() >= 3, "{trials:?}");
    for trial in trials {
        assert_eq!(record(&out.join(&trial))["ranks"].as_array().map(Vec::len), Some(2), "{trial}");
    }
}

/// Without refinement only patch sizes are tried; `--quiet` prints the section and nothing else.
#[test]
fn quiet_tuning_prints_the_section() {
    let folder = tempfile::tempdir().unwrap();
    let sets = ["mesh.cells=[30,30]", "levels.max=1"];
    let quiet = tune(folder.path(), &sets, &["--quiet", "--steps", "3", "--trials", "4", "--repeat", "1"]);
    assert_eq!((quiet.code, quiet.stderr.as_str()), (Some(0), ""));
    let lines: Vec<&str> = quiet.stdout.lines().collect();
    assert_eq!(lines[..4], ["[regrid]", "interval = 8", "buffer = 8", "cutoff = 0.7"]);
    assert_eq!(lines.len(), 5);
}
