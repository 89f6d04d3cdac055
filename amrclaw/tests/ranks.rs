//! Any number of ranks gives the same files as a single one, byte for byte.

use amrclaw::io::config::{Case, find_built_in};
use amrclaw::simulation::{RunFailure, RunFiles, RunOptions, run};
use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;

/// What a run leaves: every file but the record, which tells seconds; and how it ended, without the names of files.
#[derive(PartialEq)]
struct Left {
    files: BTreeMap<String, Vec<u8>>,
    outcome: Result<(), String>,
}

fn left(dir: &Path, outcome: Result<(), RunFailure>) -> Left {
    let mut files = BTreeMap::new();
    for entry in std::fs::read_dir(dir).into_iter().flatten().flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        if name != "run.json" && entry.path().is_file() {
            files.insert(name, std::fs::read(entry.path()).expect("a file of the run"));
        }
    }
    let message = |failure: RunFailure| failure.to_string().replace(&dir.display().to_string(), "DIR");
    Left { files, outcome: outcome.map_err(message) }
}

/// Runs a case on so many ranks.
fn run_on(ranks: usize, case: &Case, files: &RunFiles) -> Left {
    let options = RunOptions { ranks: Some(ranks), threads: Some(2), ..RunOptions::default() };
    let outcome = run(case, &options, files, &mut |_| ControlFlow::Continue(()));
    left(&files.dir, outcome.map(drop))
}

/// Runs a case on one rank and on others, and compares what they leave.
fn assert_ranks_do_not_matter(case: &Case, counts: &[usize], what: &str) {
    let folder = tempfile::tempdir().expect("a folder");
    let run = |ranks: usize| run_on(ranks, case, &RunFiles::new(folder.path().join(ranks.to_string())));
    let one = run(1);
    assert!(one.outcome.is_err() || one.files.len() >= 2, "{what}: a frame and a checkpoint take part");
    for &ranks in counts {
        let many = run(ranks);
        assert_eq!(many.outcome, one.outcome, "{what} on {ranks} ranks");
        assert!(many.files.keys().eq(one.files.keys()), "{what} on {ranks} ranks leaves other files");
        let different = one.files.iter().find(|(name, bytes)| many.files[*name] != **bytes);
        assert!(different.is_none(), "{what} on {ranks} ranks: {} differs", different.map_or("", |(name, _)| name));
    }
}

fn load(path: &Path, overrides: &[&str]) -> Case {
    let overrides: Vec<String> = overrides.iter().map(|o| (*o).to_owned()).collect();
    Case::load_with(path, &overrides, find_built_in).unwrap_or_else(|e| panic!("{e}"))
}

fn example(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples").join(name).join("case.toml")
}

/// Every case file in a folder, those of its folders included.
fn cases_in(folder: &Path) -> Vec<PathBuf> {
    let mut cases = Vec::new();
    for entry in std::fs::read_dir(folder).expect("the folder of cases").flatten() {
        let path = entry.path();
        if path.is_dir() {
            cases.extend(cases_in(&path));
        } else if path.extension().is_some_and(|extension| extension == "toml") {
            cases.push(path);
        }
    }
    cases.sort();
    cases
}

const SHORT: [&str; 3] = ["time.max_steps=3", "output.checkpoint_every_steps=2", "output.png=false"];

/// Every case of the folder, those that break included: three steps with small patches, on 2, 3, 5 and 8 ranks in turn.
#[test]
fn every_case_is_the_same_on_ranks() {
    let cases = cases_in(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases"));
    assert!(cases.len() > 40);
    for (path, ranks) in cases.iter().zip([2, 3, 5, 8].into_iter().cycle()) {
        let case = load(path, &[&SHORT[..], &["regrid.max_patch_size=12"]].concat());
        assert_ranks_do_not_matter(&case, &[ranks], &path.display().to_string());
    }
}

/// Examples, small: sources, auxiliary values that change with time, capacity, gauges, periodic sides, every kind of sweep; with many patches
/// for each rank, and with fewer patches than ranks.
#[test]
fn examples_are_the_same_on_ranks() {
    for (name, cells) in [
        ("acoustics_radial", "mesh.cells=[40,36]"),
        ("acoustics_interface", "mesh.cells=[30,26]"),
        ("advection_swirl", "mesh.cells=[22,20]"),
        ("decaying_puff", "mesh.cells=[22,20]"),
        ("euler_shock_bubble", "mesh.cells=[40,10]"),
        ("shallow_hump", "mesh.cells=[30,26]"),
        ("traffic_light", "mesh.cells=[50]"),
        ("advection_3d_swirl", "mesh.cells=[12,10,8]"),
        ("euler_3d_radial", "mesh.cells=[10,8,8]"),
    ] {
        for size in ["regrid.max_patch_size=8", "regrid.max_patch_size=32"] {
            let steps = ["time.max_steps=5", "output.checkpoint_every_steps=2", "output.png=false", "output.aux=true"];
            let case = load(&example(name), &[&steps[..], &[cells, size]].concat());
            assert_ranks_do_not_matter(&case, &[2, 3, 5, 8], name);
        }
    }
}

/// Three steps on some ranks and three more on others are six on one.
#[test]
fn runs_go_on_with_other_ranks() {
    let case = |steps| {
        let sets = ["mesh.cells=[30,26]", "output.checkpoint_every_steps=3", "regrid.max_patch_size=12", steps];
        load(&example("acoustics_interface"), &[&sets[..], &["output.png=false"]].concat())
    };
    let folder = tempfile::tempdir().expect("a folder");
    let whole = run_on(1, &case("time.max_steps=6"), &RunFiles::new(folder.path().join("whole")));
    for (first, then) in [(1, 3), (3, 1), (5, 2)] {
        let dir = folder.path().join(format!("{first}-{then}"));
        run_on(first, &case("time.max_steps=3"), &RunFiles::new(&dir));
        let restart = Some(dir.join("checkpoint_000003.h5"));
        let left = run_on(then, &case("time.max_steps=6"), &RunFiles { restart, ..RunFiles::new(&dir) });
        assert_eq!(left.outcome, Ok(()));
        let same = |name: &String| left.files[name] == whole.files[name];
        let compared: Vec<_> =
            whole.files.keys().filter(|name| name.starts_with("gauge") || name.contains("000006")).collect();
        assert!(compared.len() > 1 && compared.into_iter().all(same), "{first} ranks, then {then}");
    }
}

/// Asked to stop, all ranks end between the same two steps and leave a checkpoint; what goes on from it is the run that was not stopped.
#[test]
fn ranks_stop_together() {
    let sets = [&["mesh.cells=[40,36]", "regrid.max_patch_size=8"][..], &["time.max_steps=4", "output.png=false"]];
    let case = load(&example("acoustics_radial"), &sets.concat());
    let folder = tempfile::tempdir().expect("a folder");
    let dir = folder.path().join("stopped");
    let options = RunOptions { ranks: Some(3), threads: Some(2), ..RunOptions::default() };
    let stop = options.stop.clone();
    let outcome = run(&case, &options, &RunFiles::new(&dir), &mut |progress| {
        stop.store(progress.steps == 2, Ordering::Relaxed);
        ControlFlow::Continue(())
    });
    let Err(RunFailure::Interrupted { step, checkpoint, .. }) = outcome else { panic!("{outcome:?}") };
    assert_eq!(step, 2);
    let files = RunFiles { restart: Some(checkpoint), ..RunFiles::new(&dir) };
    let stopped = run_on(1, &case, &files);
    let whole = run_on(1, &case, &RunFiles::new(folder.path().join("whole")));
    let last =
        |left: &Left| left.files.iter().rfind(|(name, _)| name.ends_with(".vtkhdf")).map(|(_, bytes)| bytes.clone());
    assert!(last(&stopped).is_some() && last(&stopped) == last(&whole));
}

/// The launcher of a library with the standard ABI: the one that `AMRCLAW_TEST_MPIEXEC` names, or one in `PATH` that has such a library
/// beside it.
fn launcher() -> Option<PathBuf> {
    if let Some(named) = std::env::var_os("AMRCLAW_TEST_MPIEXEC") {
        return Some(named.into());
    }
    let folders = std::env::var_os("PATH")?;
    let beside = |folder: &PathBuf| folder.join("../lib/libmpi_abi.so.1").is_file();
    let found = std::env::split_paths(&folders).filter(beside).map(|folder| folder.join("mpiexec"));
    found.into_iter().find(|file| file.is_file())
}

/// Runs the program as so many processes.
fn processes(launcher: &Path, count: usize, folder: &Path, arguments: &[&str]) -> std::process::Output {
    let mut command = std::process::Command::new(launcher);
    command.current_dir(folder).args(["-n", &count.to_string(), env!("CARGO_BIN_EXE_amrclaw"), "run"]);
    command.args(arguments).args(["--quiet", "--threads", "1"]).output().expect("a launcher that starts")
}

/// Processes that MPI joins leave the files of a single rank; an error is told once, and ends all of them with its code. Without a launcher
/// there is nothing to test.
#[test]
fn processes_are_ranks() {
    let Some(launcher) = launcher() else {
        eprintln!("skipped: no mpiexec with libmpi_abi.so.1");
        return;
    };
    let folder = tempfile::tempdir().expect("a folder");
    let case = example("acoustics_interface").display().to_string();
    let sets = ["mesh.cells=[30,26]", "time.max_steps=4", "output.checkpoint_every_steps=2", "output.png=false"];
    let one = run_on(1, &load(&example("acoustics_interface"), &sets), &RunFiles::new(folder.path().join("solo")));
    let sets: Vec<&str> = sets.iter().flat_map(|set| ["--set", *set]).collect();
    let run = |count: usize| {
        let name = count.to_string();
        let output = processes(&launcher, count, folder.path(), &[&[&*case, "--output", &*name][..], &sets].concat());
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        left(&folder.path().join(name), Ok(()))
    };
    for count in 1..=3 {
        assert!(run(count).files == one.files, "{count} processes");
    }
    let wrong =
        processes(&launcher, 3, folder.path(), &[&*case, "--set", "mesh.cells=[30,26]", "--set", "initial.u=1/0"]);
    let said = String::from_utf8_lossy(&wrong.stderr);
    assert_eq!((wrong.status.code(), said.matches("error: ").count()), (Some(2), 1), "{said}");
}

/// A folder that cannot be written to is refused on all ranks, by the error of the one that writes.
#[test]
fn a_refusal_is_shared() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("file");
    std::fs::write(&file, "").expect("a file");
    let case = load(&example("acoustics_radial"), &["mesh.cells=[40,36]", "time.max_steps=1"]);
    let refused = |ranks| run_on(ranks, &case, &RunFiles::new(file.join("below"))).outcome;
    assert!(refused(1).is_err());
    assert_eq!(refused(3), refused(1));
}
