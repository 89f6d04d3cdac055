//! Runs that fail: exit code 1, a message with the place, the last good state and a record on disk.

use super::{example, files, record, run};
use amrclaw::frames::read;

/// A source term that is NaN after t = 0.2 ends the run there, after smaller and smaller steps, the last of which may end a little
/// after the time at which it evaluated the source; everything written before is finite.
#[test]
fn a_solution_that_is_no_number_ends_the_run() {
    let folder = tempfile::tempdir().unwrap();
    let sets =
        ["mesh.cells=[20,10]", r#"source.q="sqrt(0.2 - t)""#, r#"scheme.source="godunov""#, "output.times=[0.01,1.0]"];
    let outcome = run(folder.path(), &example("burgers_square"), &sets, &["--output", "out"]);
    assert_eq!(outcome.code, Some(1), "{}", outcome.stderr);
    for part in ["q is NaN", "level", "patch", "cell [", "t = 0.", "frame_0001.vtkhdf", "checkpoint_", "run.json"] {
        assert!(outcome.stderr.contains(part), "no \"{part}\" in\n{}", outcome.stderr);
    }
    let dir = folder.path().join("out");
    let record = record(&dir);
    assert_eq!(record["status"], "failed");
    assert!(record["error"].as_str().unwrap().contains("q is NaN"));
    assert!(files(&dir).iter().any(|name| name.starts_with("checkpoint_")));
    let frame = read::frame::<2>(&dir.join("frame_0001.vtkhdf")).unwrap();
    assert!(frame.time > 0.01 && frame.time < 0.21 && Some(frame.time) == record["time"].as_f64());
    assert!(frame.levels.iter().flat_map(|l| &l.patches).flat_map(|p| &p.q).all(|v| v.is_finite()));
}

/// A run that the system refuses memory for, which its check of the values alone lets pass, ends with an error and exit code 1; values that
/// exceed the limit are refused before anything is written.
#[cfg(target_os = "linux")]
#[test]
fn a_run_without_memory_ends() {
    let folder = tempfile::tempdir().unwrap();
    let limited = |cells: &str| {
        let mut command = std::process::Command::new("sh");
        let program = env!("CARGO_BIN_EXE_amrclaw");
        let script = "ulimit -v 300000; exec \"$0\" run \"$1\" --threads 1 --output out --set levels.max=1 --set \"mesh.cells=$2\"";
        command.current_dir(folder.path()).args(["-c", script, program]).arg(example("acoustics_radial")).arg(cells);
        let output = command.output().expect("a shell");
        (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
    };
    let (code, text) = limited("[3200,3200]");
    assert!(code == Some(1) && text.contains("error: the system refuses "), "{code:?}: {text}");
    let (code, text) = limited("[4000,4000]");
    assert!(code == Some(2) && text.contains("memory"), "{code:?}: {text}");
}

/// A gas that loses more energy than it has: the run ends with an error, not with wrong
/// values or a panic.
#[test]
fn a_gas_without_energy_ends_the_run() {
    let folder = tempfile::tempdir().unwrap();
    let sets = [
        "mesh.cells=[20,10]",
        r#"initial.density="1""#,
        r#"initial.x_momentum="if(x < 0.5, -20, 20)""#,
        r#"initial.y_momentum="0""#,
        r#"initial.energy="200.1""#,
        r#"source.energy="-1e5""#,
    ];
    let outcome = run(folder.path(), &example("euler_quadrants"), &sets, &["--output", "out"]);
    assert_eq!(outcome.code, Some(1), "{}", outcome.stderr);
    assert!(outcome.stderr.contains("the run failed after step"), "{}", outcome.stderr);
    assert_eq!(record(&folder.path().join("out"))["status"], "failed");
}

/// A solution that grows beyond what its data explain ends the run too, with the last state and a checkpoint on disk.
#[test]
fn growth_without_bound_ends_the_run() {
    let folder = tempfile::tempdir().unwrap();
    let sets = [
        "mesh.cells=[20,20]",
        "levels.max=1",
        r#"source.pressure="1000 * pressure""#,
        r#"source.u="1000 * u""#,
        r#"source.v="1000 * v""#,
        r#"scheme.source="godunov""#,
        "time.dt=0.01",
    ];
    let outcome = run(folder.path(), &example("acoustics_radial"), &sets, &["--output", "out"]);
    assert_eq!(outcome.code, Some(1), "{}", outcome.stderr);
    for part in ["has grown to", "level 1, patch 0, cell [", "time.growth_limit", "checkpoint_", "run.json", ".vtkhdf"]
    {
        assert!(outcome.stderr.contains(part), "no \"{part}\" in\n{}", outcome.stderr);
    }
    assert_eq!(record(&folder.path().join("out"))["status"], "failed");
}

/// A fixed step that is too large fails with the Courant number and the place.
#[test]
fn a_fixed_step_that_is_too_large_ends_the_run() {
    let folder = tempfile::tempdir().unwrap();
    let sets = ["mesh.cells=[20,20]", "time.dt=0.2"];
    let outcome = run(folder.path(), &example("acoustics_radial"), &sets, &["--output", "out"]);
    assert_eq!(outcome.code, Some(1), "{}", outcome.stderr);
    for part in ["Courant number", "level 1", "time.dt"] {
        assert!(outcome.stderr.contains(part), "no \"{part}\" in\n{}", outcome.stderr);
    }
}
