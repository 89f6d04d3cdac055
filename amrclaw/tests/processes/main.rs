//! Ranks in separate processes: with every MPI on this machine they write the files of a single rank, and if one fails, all end.

#[path = "../common/ranks.rs"]
mod common;
mod faults;
mod launchers;
mod memory;
mod starts;

use amrclaw::simulation::RunFiles;
use common::{EXAMPLES, OUTPUT_STEPS, OUTPUTS, SHORT, all_cases, example, left, load, run_on};
use launchers::Launcher;
use std::path::Path;
use std::process::Output;

/// The standard error of a command.
pub fn stderr_of(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// A `--set` argument for each override.
pub fn sets_of<'a>(overrides: &[&'a str]) -> Vec<&'a str> {
    overrides.iter().flat_map(|text| ["--set", *text]).collect()
}

/// Runs a case on a single rank, and by each launcher on its number of processes, and asserts that outcomes and files are equal.
fn assert_processes_are_ranks(ways: &[(Launcher, usize)], path: &Path, overrides: &[&str]) {
    let folder = tempfile::tempdir().expect("a folder");
    let one = run_on(1, &load(path, overrides), &RunFiles::new(folder.path().join("one")));
    // A case that is refused leaves no files.
    let (code, told) = match &one.outcome {
        Ok(()) => (0, 0),
        Err(_) if one.files.is_empty() => (2, 1),
        Err(_) => (1, 1),
    };
    let case = path.display().to_string();
    for (k, (launcher, count)) in ways.iter().enumerate() {
        let what = format!("{case} on {count} ranks by {}", launcher.program.display());
        let name = format!("way{k}");
        let arguments = [&[&*case, "--output", &name][..], &sets_of(overrides)].concat();
        let output = launcher.run(folder.path(), *count, &arguments).output().expect("a launcher that starts");
        let text = stderr_of(&output);
        assert_eq!((output.status.code(), text.matches("error: ").count()), (Some(code), told), "{what}: {text}");
        left(&folder.path().join(name), Ok(())).assert_files_are_those_of(&one, &what);
    }
}

/// Every launcher with 1, 2 and 3 processes.
fn all_ways() -> Vec<(Launcher, usize)> {
    (1..=3).flat_map(|count| Launcher::all().into_iter().map(move |launcher| (launcher, count))).collect()
}

/// Every launcher with 3 processes.
fn three_processes() -> Vec<(Launcher, usize)> {
    Launcher::all().into_iter().map(|launcher| (launcher, 3)).collect()
}

/// Every case on processes; cases that fail end with the error of a single rank, printed once. The cases take turns at the launchers and
/// numbers of processes: what the number of ranks changes in a case is tested with ranks that are threads, so that only the way by which
/// messages travel is new here, and starting processes takes longer than the steps.
#[test]
fn every_case_is_the_same_on_processes() {
    let ways = all_ways();
    for (path, way) in all_cases().iter().zip(ways.chunks(1).cycle()) {
        assert_processes_are_ranks(way, path, &SHORT);
    }
}

/// Frames in every format, with pictures and gauges, in one, two and three dimensions, by the launchers in turn.
#[test]
fn outputs_are_the_same_on_processes() {
    let ways = three_processes();
    for ((name, sets), way) in OUTPUTS.into_iter().zip(ways.chunks(1).cycle()) {
        assert_processes_are_ranks(way, &example(name), &[&OUTPUT_STEPS[..], sets].concat());
    }
}

/// Cases in one, two and three dimensions on ranks whose messages go through the network, as between hosts.
#[test]
fn ranks_without_shared_memory_are_the_same() {
    let networked = |(launcher, count)| (Launcher { uses_network: true, ..launcher }, count);
    let ways: Vec<_> = three_processes().into_iter().map(networked).collect();
    let names = ["traffic_light", "acoustics_radial", "advection_swirl", "euler_wedge", "acoustics_3d_interface"];
    for (name, cells) in EXAMPLES.into_iter().filter(|(name, _)| !ways.is_empty() && names.contains(name)) {
        let sets = [&SHORT[..], &[cells, "regrid.max_patch_size=8"]].concat();
        assert_processes_are_ranks(&ways, &example(name), &sets);
    }
}

/// Ranks that are threads of one process restart from a checkpoint of several processes, and the reverse.
#[test]
fn processes_go_on_from_threads() {
    let case = example("acoustics_interface");
    let overrides = |steps| [&SHORT[1..], &["mesh.cells=[30,26]", "output.checkpoint_every_steps=3", steps]].concat();
    let (first, whole) = (overrides("time.max_steps=3"), overrides("time.max_steps=6"));
    for launcher in Launcher::all() {
        let folder = tempfile::tempdir().expect("a folder");
        let dir = |name: &str| folder.path().join(name);
        let solo = run_on(1, &load(&case, &whole), &RunFiles::new(dir("solo")));
        let path = case.display().to_string();
        let processes = |sets: &[&str], more: &[&str]| {
            let arguments = [&[&*path][..], &sets_of(sets), more].concat();
            let output = launcher.run(folder.path(), 2, &arguments).output().expect("a launcher that starts");
            assert!(output.status.success(), "{}", stderr_of(&output));
        };
        let checkpoint = |name: &str| dir(name).join("checkpoint_000003.h5");
        processes(&first, &["--output", "processes"]);
        let restart = Some(checkpoint("processes"));
        run_on(3, &load(&case, &whole), &RunFiles { restart, ..RunFiles::new(dir("processes")) });
        run_on(3, &load(&case, &first), &RunFiles::new(dir("threads")));
        let from = checkpoint("threads").display().to_string();
        processes(&whole, &["--output", "threads", "--restart", &from]);
        for name in ["processes", "threads"] {
            left(&dir(name), Ok(())).assert_ends_as(&solo, name);
        }
    }
}
