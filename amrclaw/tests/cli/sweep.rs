//! Sweeps: every run has its folder; a run that fails or is interrupted does not affect the others.

mod shared;

use super::{Outcome, example, files, program, record, run_well};
use serde_json::Value;
use std::path::Path;
use std::time::{Duration, Instant};

/// Settings that make a run short.
const SMALL: [&str; 3] = ["mesh.cells=[20,20]", "time.max_steps=6", "output.format=[]"];

/// `amrclaw sweep` of the radial acoustics on a small mesh, into `out`; GPUs are hidden from it.
fn sweep(folder: &Path, sets: &[&str], arguments: &[&str]) -> Outcome {
    let sets = sets.iter().flat_map(|set| ["--set", set]);
    let mut command = program(folder);
    command.arg("sweep").arg(example("acoustics_radial")).args(sets).args(["--output", "out"]).args(arguments);
    command.env("CUDA_VISIBLE_DEVICES", "").output().expect("the program starts").into()
}

fn sweep_well(folder: &Path, sets: &[&str], arguments: &[&str]) -> Outcome {
    let outcome = sweep(folder, sets, arguments);
    assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
    outcome
}

/// The sweep's description.
fn description(folder: &Path) -> Value {
    serde_json::from_slice(&std::fs::read(folder.join("out/sweep.json")).unwrap()).unwrap()
}

/// The folders in `out` of finished runs.
fn done(folder: &Path) -> Vec<String> {
    let out = folder.join("out");
    let is_done = |name: &String| {
        let text = std::fs::read(out.join(name).join("run.json")).unwrap_or_default();
        serde_json::from_slice(&text).is_ok_and(|record: Value| record["status"] == "done")
    };
    files(&out).into_iter().filter(is_done).collect()
}

/// Errors fall as levels are added, and are zero for the setting that the others are compared with; the drift is round-off,
/// since no wave has reached the sides.
#[test]
fn errors_tell_what_levels_are_worth() {
    let folder = tempfile::tempdir().unwrap();
    let sets = ["mesh.cells=[20,20]", "time.end=0.05"];
    let outcome = sweep_well(folder.path(), &sets, &["--vary", "levels.max=1,2,3", "--error", "finest"]);
    assert!(outcome.stdout.contains("error") && outcome.stdout.contains("drift"), "{}", outcome.stdout);
    let json = description(folder.path());
    let figures = |key: &str| -> Vec<f64> {
        json["settings"].as_array().unwrap().iter().map(|setting| setting[key].as_f64().unwrap()).collect()
    };
    let errors = figures("error");
    assert!(errors[0] > errors[1] && errors[1] > errors[2] && errors[2] == 0.0, "{errors:?}");
    assert!(figures("drift").iter().all(|drift| *drift < 1e-12));
    if json["best"][0]["fastest"]["levels.max"] == "1" {
        assert!(outcome.stdout.contains("is faster only because it refines nothing"), "{}", outcome.stdout);
    }
}

/// Errors of all settings are at one time and relative to one range of values: a setting that ends earlier has none, and the report says so;
/// one with fewer cells, whose own range is smaller, is divided by the same range.
#[test]
fn errors_are_of_one_time_and_one_range() {
    let folder = tempfile::tempdir().unwrap();
    let exact = ["--error", "pressure = if(t < 1, 1000 * x * y, 0)"];
    let sets = ["time.end=0.02", "levels.max=1"];
    sweep_well(folder.path(), &sets, &[&["--vary", "mesh.cells=[10,10],[40,40]"], &exact[..]].concat());
    let json = description(folder.path());
    let error = |k: usize| json["settings"][k]["error"].as_f64().unwrap();
    // The waves are negligible beside 1000 xy, whose mean size on (−1, 1)² is 250 and whose range on 40 × 40 cells is 2 · 1000 · (1 − 1/40)².
    for k in 0..2 {
        assert!((error(k) - 250.0 / (2000.0 * 0.975 * 0.975)).abs() < 1e-3, "{}", error(k));
    }
    let folder = tempfile::tempdir().unwrap();
    let outcome = sweep_well(folder.path(), &SMALL[..1], &[&["--vary", "time.max_steps=2,4"], &exact[..]].concat());
    assert!(outcome.stdout.contains("no error of max_steps = 2: the last frame has t ="), "{}", outcome.stdout);
    let json = description(folder.path());
    assert!(json["settings"][0]["error"].is_null() && json["settings"][1]["error"].is_number());
}

/// Both ways of clustering are compared; the report says how many more cells are advanced with tiles.
#[test]
fn clusterings_are_compared() {
    let folder = tempfile::tempdir().unwrap();
    let narrow =
        ["mesh.cells=[60,60]", "levels.max=2", "time.end=0.02", "regrid.flag.tolerance=0.2", "regrid.buffer=1"];
    let narrow = [&narrow[..], &["regrid.cutoff=0.9", "output.format=[]", "output.png=false"]].concat();
    sweep_well(folder.path(), &narrow, &["--vary", "regrid.cluster=berger-rigoutsos,tiles", "--threads", "1"]);
    let json = description(folder.path());
    let cells = |name: &str| {
        let settings = json["settings"].as_array().unwrap();
        let of = settings.iter().find(|s| s["values"]["regrid.cluster"] == name).unwrap();
        of["cells_advanced_total"].as_f64().unwrap()
    };
    let more = cells("tiles") / cells("berger-rigoutsos") - 1.0;
    assert!(more > 0.0, "tiles fit the flags less closely: {more}");
    let page = std::fs::read_to_string(folder.path().join("out/report.html")).unwrap();
    assert!(page.contains("<th scope=\"col\">extra cells</th>") && page.contains("<td>0.0 %</td>"));
    assert!(page.contains(&format!("<td>{:.1} %</td>", 100.0 * more)));
}

/// A grid of 2 × 2 settings, each run twice: eight folders, tables of all runs, medians and the best setting; each
/// run equals `run` with the same settings.
#[test]
fn a_grid_is_run_and_summed_up() {
    let folder = tempfile::tempdir().unwrap();
    let vary = ["--vary", "regrid.cutoff=0.5,0.9", "--vary", "regrid.interval,regrid.buffer=2,4", "--repeat", "2"];
    let outcome = sweep_well(folder.path(), &SMALL, &[&vary[..], &["--threads", "1"]].concat());
    assert!(outcome.stdout.contains("fastest on cpu: cutoff = "), "{}", outcome.stdout);
    assert!(outcome.stderr.contains("8/8  cpu, "), "{}", outcome.stderr);
    assert_eq!(done(folder.path()).len(), 8);
    let out = folder.path().join("out");
    assert_eq!(files(&out).len(), 11, "eight folders and three files: {:?}", files(&out));

    let table = std::fs::read_to_string(out.join("sweep.csv")).unwrap();
    assert_eq!(table.lines().count(), 9);
    assert!(table.starts_with("device,regrid.cutoff,regrid.interval,regrid.buffer,repeat,status,wall_seconds,"));
    let json = description(folder.path());
    assert_eq!(json["settings"].as_array().unwrap().len(), 4);
    let fastest = &json["best"][0];
    assert!(fastest["slowest_over_fastest"].as_f64().unwrap() >= 1.0);
    let page = std::fs::read_to_string(out.join("report.html")).unwrap();
    let cutoff = fastest["fastest"]["regrid.cutoff"].as_str().unwrap();
    assert!(page.contains(&format!("the fastest setting is <strong>cutoff = {cutoff}")));

    let sets = [&SMALL[..], &["regrid.cutoff=0.9", "regrid.interval=4", "regrid.buffer=4"]].concat();
    run_well(folder.path(), &example("acoustics_radial"), &sets, &["--output", "alone"]);
    let alone = record(&folder.path().join("alone"));
    let settings = json["settings"].as_array().unwrap();
    let same = settings.iter().find(|s| s["values"]["regrid.cutoff"] == "0.9" && s["values"]["regrid.buffer"] == "4");
    let same = same.unwrap();
    assert_eq!(same["cells_advanced_total"].as_f64(), alone["cells_advanced_total"].as_f64());
    let patches: f64 = alone["patches_mean"].as_array().unwrap().iter().map(|p| p.as_f64().unwrap()).sum();
    assert_eq!(same["patches_mean"].as_f64(), Some(patches));
    assert!(same["done"] == 2 && same["phases"]["advance"].as_f64().unwrap() > 0.0);
}

/// `--zip` pairs values; the order of the runs follows `--seed`.
#[test]
fn pairs_are_run_in_the_order_of_the_seed() {
    let order = |seed: &str| {
        let folder = tempfile::tempdir().unwrap();
        let vary = ["--vary", "regrid.cutoff=0.5,0.6,0.7,0.8", "--vary", "regrid.buffer=4,3,2,1", "--zip"];
        let outcome = sweep_well(folder.path(), &SMALL, &[&vary[..], &["--seed", seed]].concat());
        let folders = done(folder.path());
        assert_eq!(folders.len(), 4);
        assert!(folders.contains(&"cpu_cutoff=0.6_buffer=3_1".to_owned()), "{folders:?}");
        let lines = outcome.stderr.lines().map(|line| line.split(": ").next().unwrap().to_owned());
        lines.collect::<Vec<_>>()
    };
    assert_eq!(order("1"), order("1"));
    assert_ne!(order("1"), order("2"));
}

/// A run that fails is reported with its reason, the others still run, and the exit code shows the failure;
/// `--resume` runs it again, and no other.
#[test]
fn a_failing_run_stops_no_other() {
    let folder = tempfile::tempdir().unwrap();
    let vary = ["--vary", r"source.pressure=0,sqrt(0.001 - t),-pressure"];
    let sets = [&SMALL[..], &["scheme.source=godunov"]].concat();
    for (round, arguments) in [&vary[..], &[&vary[..], &["--resume"]].concat()].into_iter().enumerate() {
        let outcome = sweep(folder.path(), &sets, arguments);
        assert_eq!(outcome.code, Some(1), "{}", outcome.stderr);
        assert!(outcome.stderr.contains("failed: pressure is NaN"), "{}", outcome.stderr);
        assert!(outcome.stderr.contains("1 of 3 runs failed"), "{}", outcome.stderr);
        assert_eq!(outcome.stderr.contains("2 of 3 runs are already complete"), round == 1, "{}", outcome.stderr);
        let runs = description(folder.path())["runs"].clone();
        let failed: Vec<_> = runs.as_array().unwrap().iter().filter(|run| run["status"] == "failed").collect();
        assert_eq!(failed.len(), 1);
        assert!(failed[0]["error"].as_str().unwrap().contains("pressure is NaN"));
        let page = std::fs::read_to_string(folder.path().join("out/report.html")).unwrap();
        assert!(page.contains("Runs that failed") && page.contains("sqrt(0.001 - t)"));
    }
}

/// A killed sweep keeps its finished runs; `--resume` runs the rest and does not change the finished ones. The unfinished run
/// ends with the sweep, so that it cannot disturb the run that replaces it.
#[test]
fn a_killed_sweep_goes_on() {
    let folder = tempfile::tempdir().unwrap();
    let sets = ["mesh.cells=[40,40]", "time.max_steps=60", "output.format=[]"];
    let vary = ["--vary", "regrid.cutoff=0.5,0.6,0.7,0.8,0.9,1.0", "--output", "out", "--threads", "1"];
    let mut command = program(folder.path());
    command.arg("sweep").arg(example("acoustics_radial")).args(sets.iter().flat_map(|set| ["--set", set]));
    let mut child = command.args(vary).arg("--quiet").spawn().unwrap();
    let start = Instant::now();
    while done(folder.path()).len() < 2 {
        assert!(start.elapsed() < Duration::from_secs(120), "no run has reached its end");
        std::thread::sleep(Duration::from_millis(2));
    }
    child.kill().unwrap();
    assert!(!child.wait().unwrap().success(), "the sweep was over before it could be killed");
    let kept = done(folder.path());
    assert!(kept.len() < 6);
    if cfg!(target_os = "linux") {
        // Several times as long as a run takes.
        std::thread::sleep(Duration::from_secs(2));
        assert_eq!(done(folder.path()), kept, "the run under way ends with the sweep");
    }
    let written =
        |name: &String| folder.path().join("out").join(name).join("run.json").metadata().unwrap().modified().unwrap();
    let before: Vec<_> = kept.iter().map(written).collect();
    let runs = description(folder.path())["runs"].as_array().unwrap().len();
    assert!((1..=kept.len()).contains(&runs), "tables are there from the first run on");

    let refused = sweep(folder.path(), &sets, &vary[..2]);
    assert!(refused.code == Some(2) && refused.stderr.contains("--resume"), "{}", refused.stderr);
    let outcome = sweep_well(folder.path(), &sets, &[&vary[..2], &["--resume", "--threads", "1"]].concat());
    assert!(outcome.stderr.contains(" of 6 runs are already complete"), "{}", outcome.stderr);
    assert_eq!(done(folder.path()).len(), 6);
    if cfg!(target_os = "linux") {
        assert_eq!(kept.iter().map(written).collect::<Vec<_>>(), before, "finished runs are left alone");
    }
    // A later call may add repeats and values, but not change other settings of the case.
    let more = ["--vary", "regrid.cutoff=0.5,0.55", "--resume", "--threads", "1"];
    let outcome = sweep_well(folder.path(), &sets, &more);
    assert!(outcome.stderr.contains("1 of 2 runs are already complete"), "{}", outcome.stderr);
    let other = sweep(folder.path(), &["mesh.cells=[20,20]"], &more);
    assert!(other.code == Some(2) && other.stderr.contains("other contents of the case"), "{}", other.stderr);
}

/// Wrong input is refused before anything is written, with all mistakes at once.
#[test]
fn wrong_sweeps_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    for (arguments, reasons) in [
        (&["--vary", "regrid.cutof=0.5,0.7"][..], &["regrid.cutof", "did you mean"][..]),
        (
            &["--vary", "regrid.cutoff=0.5,7", "--vary", "levels.max=0,2"],
            &["regrid.cutoff", "levels.max", "2 problems"],
        ),
        (&["--vary", "regrid.cutoff"], &["key.path=value"]),
        (&["--vary", "regrid.cutoff=0.5,0.7", "--vary", "levels.max=2", "--zip"], &["--zip", "2", "1"]),
        (&["--vary", "levels.max=2", "--vary", "levels.max=1"], &["levels.max varies twice"]),
        (&["--device", "cpu", "--device", "cpu"], &["--device cpu is given twice"]),
        (&["--repeat", "0"], &["--repeat"]),
        (&["--error", ""], &["--error gives no formula; write for example"]),
        (&["--device", "cuda"], &["CUDA driver"]),
        (&["--devices", "0,1"], &["CUDA driver"]),
        (&["--devices", "0,1", "--ranks", "2"], &["--ranks 2 needs 2 for each", "leave --ranks out", "--device cuda"]),
    ] {
        let outcome = sweep(folder.path(), &SMALL, arguments);
        assert_eq!(outcome.code, Some(2), "{arguments:?}: {}", outcome.stderr);
        for reason in reasons {
            assert!(outcome.stderr.contains(reason), "no \"{reason}\" in\n{}", outcome.stderr);
        }
        assert!(files(folder.path()).is_empty());
    }
}

/// Formulas without a value are refused before the first run if the time at which they are compared is known, and else reported in
/// place of the error.
#[test]
fn formulas_without_a_value_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let sets = ["mesh.cells=[10,10]", "levels.max=1", "time.end=0.02"];
    let infinite = ["--error", "pressure = 1/0"];
    let outcome = sweep(folder.path(), &sets, &infinite);
    assert_eq!(outcome.code, Some(2), "{}", outcome.stderr);
    assert!(outcome.stderr.contains("--error: `pressure = 1/0` is inf in the cell at x = -0.9, y = -0.9, t = 0.02"));
    assert!(files(folder.path()).is_empty());
    let outcome = sweep_well(folder.path(), &[&sets[..], &["time.max_steps=1"]].concat(), &infinite);
    assert!(outcome.stdout.contains("no error of the case as it is: `pressure = 1/0` is inf"), "{}", outcome.stdout);
}

/// Files of other programs are kept, those in the folders of runs too: the sweep is refused before its first run.
#[test]
fn foreign_files_are_kept() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["sweep.csv", "report.html", "cpu_1/log.txt", "cpu_1/run.json"] {
        let path = folder.path().join("out").join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, "precious").unwrap();
        let outcome = sweep(folder.path(), &SMALL, &[]);
        assert_eq!(outcome.code, Some(2), "{}", outcome.stderr);
        let message = format!("{name} already exists, but no earlier run wrote it: move it away");
        assert!(outcome.stderr.contains(&message) && outcome.stderr.lines().count() == 1, "{}", outcome.stderr);
        assert_eq!(std::fs::read(&path).unwrap(), b"precious");
        assert!(!folder.path().join("out/sweep.json").exists());
        std::fs::remove_file(&path).unwrap();
    }
    let outcome = sweep_well(folder.path(), &SMALL, &["--zip"]);
    assert!(outcome.stderr.contains("remark: --zip has no effect without a second --vary"), "{}", outcome.stderr);
}

/// `--quiet` says nothing.
#[test]
fn quiet_sweeps_are_silent() {
    let folder = tempfile::tempdir().unwrap();
    let quiet = sweep_well(folder.path(), &SMALL, &["--quiet", "--zip"]);
    assert_eq!((quiet.stdout.as_str(), quiet.stderr.as_str()), ("", ""));
}
