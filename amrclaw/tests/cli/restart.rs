//! Runs that are interrupted and go on: the same bits as without the interruption.

use super::{example, files, program, run_well};
use amrclaw::io::read;
use std::path::Path;
use std::time::{Duration, Instant};

/// Both folders hold the same frame of that number, bit for bit, and the same rows of every gauge.
fn assert_same(one: &Path, other: &Path, number: usize) {
    let [a, b] = [one, other].map(|dir| read::frame::<2>(&dir.join(format!("frame_{number:04}.vtkhdf"))).unwrap());
    assert!(a.levels.len() > 1, "refined levels take part in the comparison");
    assert_eq!(a.time.to_bits(), b.time.to_bits());
    assert!(a == b, "frame {number} differs");
    for name in files(one).iter().filter(|name| name.starts_with("gauge_")) {
        let [a, b] = [one, other].map(|dir| std::fs::read_to_string(dir.join(name)).unwrap());
        assert!(a == b, "{name} differs:\n{a}\n{b}");
    }
}

/// Ten steps at once against five and five more; the run stops between regrids. Gauges, auxiliary values that change with
/// time, and split source terms take part.
#[test]
fn five_and_five_steps_are_ten() {
    for (name, cells) in [
        ("acoustics_interface", "mesh.cells=[30,26]"),
        ("advection_swirl", "mesh.cells=[22,20]"),
        ("euler_shock_bubble", "mesh.cells=[40,10]"),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let case = example(name);
        let sets = |steps| [cells, steps, "output.checkpoint_every_steps=5", "output.aux=true", "output.png=false"];
        let run = |steps, arguments: &[&str]| run_well(folder.path(), &case, &sets(steps), arguments);
        run("time.max_steps=10", &["--output", "whole"]);
        run("time.max_steps=5", &["--output", "parts"]);
        run("time.max_steps=10", &["--output", "parts", "--restart", "parts/checkpoint_000005.h5", "--threads", "1"]);
        let [whole, parts] = ["whole", "parts"].map(|dir| folder.path().join(dir));
        assert_same(&whole, &parts, 1);
        let [whole, parts] = [&whole, &parts].map(|dir| super::record(dir));
        for key in ["steps", "cells_advanced", "totals_initial", "totals_final", "courant_max", "patches_mean"] {
            assert_eq!(whole[key], parts[key], "{name}: {key}");
        }
    }
}

/// A run that is killed in the middle goes on from its last checkpoint, in the same folder, as if nothing had been.
#[test]
fn a_killed_run_goes_on_from_its_last_checkpoint() {
    let folder = tempfile::tempdir().unwrap();
    let case = example("acoustics_interface");
    let sets = ["mesh.cells=[50,50]", "output.checkpoint_every_steps=6", "output.png=false"];
    run_well(folder.path(), &case, &sets, &["--output", "whole"]);
    let mut command = program(folder.path());
    command
        .arg("run")
        .arg(&case)
        .args(sets.iter().flat_map(|set| ["--set", set]))
        .args(["--output", "parts", "--quiet"]);
    let mut child = command.spawn().unwrap();
    let parts = folder.path().join("parts");
    let start = Instant::now();
    let second = |name: &String| name.starts_with("checkpoint_") && name.as_str() >= "checkpoint_000012";
    while !files(&parts).iter().any(second) {
        assert!(start.elapsed() < Duration::from_secs(60), "no checkpoint has appeared");
        std::thread::sleep(Duration::from_millis(1));
    }
    child.kill().unwrap();
    assert!(!child.wait().unwrap().success(), "the run was over before it could be killed");
    let checkpoints = files(&parts).into_iter().filter(|name| name.starts_with("checkpoint_"));
    let last = format!("parts/{}", checkpoints.max().unwrap());
    run_well(folder.path(), &case, &sets, &["--output", "parts", "--restart", &last]);
    for frame in 0..3 {
        assert_same(&folder.path().join("whole"), &parts, frame);
    }
}
