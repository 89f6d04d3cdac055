//! Any number of ranks gives the same files as a single one, byte for byte.

#[path = "common/ranks.rs"]
mod common;
#[path = "../benches/scale/main.rs"]
#[allow(dead_code, reason = "the command line is not used")]
mod scale;
#[path = "../../examples/sound_in_wind/sound_in_wind.rs"]
mod sound_in_wind;

use amrclaw::case::Case;
use amrclaw::frames::checkpoint_patches::StoredCheckpoint;
use amrclaw::frames::frame::Frame;
use amrclaw::mesh::Speeds;
use amrclaw::plugin::ChosenSolver;
use amrclaw::ranks::{Ranks, Threads};
use amrclaw::simulation::{Precision, RunFailure, RunFiles, RunOptions, Simulation, run};
use common::{EXAMPLES, Left, OUTPUT_STEPS, OUTPUTS, SHORT, all_cases, example, load, run_on};
use scale::model::Model;
use scale::options::Options;
use scale::tiled::Tiles;
use sound_in_wind::SoundInWind;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

/// Runs a case on one rank and on several, asserts that outcomes and files are equal, and returns those of one rank.
fn assert_ranks_do_not_matter(case: &Case, counts: &[usize], what: &str) -> Left {
    let folder = tempfile::tempdir().expect("a folder");
    let run = |ranks: usize| run_on(ranks, case, &RunFiles::new(folder.path().join(ranks.to_string())));
    let one = run(1);
    assert!(one.outcome.is_err() || one.files.len() >= 2, "{what}: a frame and a checkpoint take part");
    for &ranks in counts {
        let many = run(ranks);
        assert_eq!(many.outcome, one.outcome, "{what} on {ranks} ranks");
        many.assert_files_are_those_of(&one, &format!("{what} on {ranks} ranks"));
    }
    one
}

/// Three steps of every case of the folder with small patches: cases that fail, mapped meshes and periodic sides are among them. Each is run
/// on an even number of ranks, which gather flags, and on an odd one, which cluster together.
#[test]
fn every_case_is_the_same_on_ranks() {
    for (path, counts) in all_cases().iter().zip([[2, 5], [3, 8]].into_iter().cycle()) {
        assert_ranks_do_not_matter(&load(path, &SHORT), &counts, &path.display().to_string());
    }
}

/// Examples on small meshes: sources, time-dependent auxiliary values, capacity, gauges, periodic sides, every kind of sweep; in turn with many
/// patches per rank, and with fewer patches than ranks.
#[test]
fn examples_are_the_same_on_ranks() {
    let ways = [("regrid.max_patch_size=8", [2, 5]), ("regrid.max_patch_size=32", [3, 8])];
    for ((name, cells), (size, counts)) in EXAMPLES.into_iter().zip(ways.into_iter().cycle()) {
        let steps = ["time.max_steps=4", "output.checkpoint_every_steps=2", "output.png=false", "output.aux=true"];
        let case = load(&example(name), &[&steps[..], &[cells, size]].concat());
        assert_ranks_do_not_matter(&case, &counts, name);
    }
}

/// Frames in every format, with pictures and gauges, in one, two and three dimensions.
#[test]
fn outputs_are_the_same_on_ranks() {
    let runs = OUTPUTS.map(|(name, sets)| {
        let case = load(&example(name), &[&OUTPUT_STEPS[..], sets].concat());
        assert_ranks_do_not_matter(&case, &[2, 3, 5], &format!("{name} with {sets:?}"))
    });
    let kinds = ["frame_0002.vtkhdf", "fort.q0002", "fort.b0002", "fort.a0002", "plt00002/Header", "frame_0002.png"];
    let kinds = [&kinds[..], &["frame_0002_curl.png"]].concat();
    for kind in [&kinds[..], &["gauge_light.csv", "checkpoint_000002.h5"]].concat() {
        assert!(runs.iter().any(|one| one.files.contains_key(kind)), "no {kind}");
    }
}

/// Four patches on four ranks, in a domain that is periodic along both axes: across its sides and corners each patch is a neighbour
/// of every other.
#[test]
fn corners_meet_across_periodic_sides() {
    let periodic = "mesh.boundary={x=[\"periodic\",\"periodic\"],y=[\"periodic\",\"periodic\"]}";
    let cells = ["mesh.cells=[16,15]", "regrid.max_patch_size=8", "levels.max=1", periodic];
    let case = load(&example("acoustics_radial"), &[&SHORT[..3], &cells].concat());
    assert_ranks_do_not_matter(&case, &[2, 3, 4, 5], "periodic corners");
}

/// So are the files of a case whose patches are made of tiles.
#[test]
fn tiles_are_the_same_on_ranks() {
    let sets = ["mesh.cells=[40,36]", "time.max_steps=4", "output.png=false", "output.checkpoint_every_steps=2"];
    let case =
        load(&example("acoustics_radial"), &[&sets[..], &["regrid.cluster=tiles", "regrid.tile_size=4"]].concat());
    assert_ranks_do_not_matter(&case, &[3], "tiles");
}

/// Three steps on some number of ranks and, after a restart, three more on another equal six steps on one rank.
#[test]
fn runs_go_on_with_other_ranks() {
    let case = |steps| {
        let sets = ["mesh.cells=[30,26]", "output.checkpoint_every_steps=3", "regrid.max_patch_size=12", steps];
        let monitor = "monitor=[{name=\"all\",points=[17,9],lower=[0.1,0.1],upper=[0.9,0.9],max={p=\"abs(pressure)\"},\
                       first={wave=\"abs(u) > 1e-3\"}}]";
        load(&example("acoustics_interface"), &[&sets[..], &["output.png=false", monitor]].concat())
    };
    let folder = tempfile::tempdir().expect("a folder");
    let whole = run_on(1, &case("time.max_steps=6"), &RunFiles::new(folder.path().join("whole")));
    for (first, then) in [(1, 3), (3, 1), (5, 2)] {
        let dir = folder.path().join(format!("{first}-{then}"));
        run_on(first, &case("time.max_steps=3"), &RunFiles::new(&dir));
        let restart = Some(dir.join("checkpoint_000003.h5"));
        let left = run_on(then, &case("time.max_steps=6"), &RunFiles { restart, ..RunFiles::new(&dir) });
        assert_eq!(left.outcome, Ok(()));
        left.assert_ends_as(&whole, &format!("{first} ranks, then {then}"));
    }
}

/// When a run is asked to stop, all ranks end between the same two steps and leave a checkpoint; a run restarted from it equals one that was
/// not stopped.
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

/// If the output folder cannot be written to, all ranks end with the error of the rank that writes.
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

/// Takes six steps of a case on one rank: the values of its patches, its number of cells of the finest level, and the totals. From the third
/// step on the partition uses `speeds`.
fn steps(comm: Option<Threads>, case: &Case, solver: &ChosenSolver, speeds: &Speeds) -> (Frame<2>, usize, Vec<u64>) {
    let mut options = RunOptions { threads: Some(1), ..RunOptions::default() };
    options.comm = comm.map_or_else(Ranks::default, |comm| Ranks::new(Arc::new(comm), Arc::default()));
    let number = options.comm.rank().number;
    let builder = Simulation::<2>::builder(case).options(&options).solver(solver);
    let mut simulation = builder.build().unwrap_or_else(|e| panic!("{e}"));
    for step in 0..6 {
        if step == 2 {
            simulation.assume_speeds(speeds.clone());
        }
        simulation.step().unwrap_or_else(|e| panic!("{e}"));
    }
    let finest = simulation.hierarchy().finest();
    let mesh = simulation.hierarchy().level(finest);
    let own = simulation.partition(finest).map(|partition| partition.patches_of(number));
    let cells = own.into_iter().flatten().map(|k| mesh.patches()[k].volume()).sum();
    let totals = simulation.totals().iter().map(|total| total.to_bits()).collect();
    (simulation.frame(), cells, totals)
}

/// Asserts that ranks with these speeds have the values and totals of a single one, each patch on one rank. Returns their numbers of cells of
/// the finest level.
fn assert_steps_are_the_same(case: &Case, solver: &ChosenSolver, speeds: &Speeds, count: usize) -> Vec<usize> {
    let (alone, _, totals) = steps(None, case, solver, &Speeds::equal(1));
    let found: Vec<_> = std::thread::scope(|scope| {
        let ranks = Threads::new(count, Duration::from_secs(60)).into_iter();
        let threads: Vec<_> = ranks.map(|comm| scope.spawn(move || steps(Some(comm), case, solver, speeds))).collect();
        threads.into_iter().map(|thread| thread.join().expect("a rank that does not panic")).collect()
    });
    for (l, level) in alone.levels.iter().enumerate() {
        for (k, patch) in level.patches.iter().enumerate() {
            let values = found.iter().map(|(frame, ..)| &frame.levels[l].patches[k].q);
            let here: Vec<_> = values.filter(|q| !q.is_empty()).collect();
            assert!(here.len() == 1 && *here[0] == patch.q, "level {}, patch {k} on {count} ranks", l + 1);
        }
    }
    assert!(found.iter().all(|(.., own)| *own == totals), "totals on {count} ranks");
    found.iter().map(|(_, cells, _)| *cells).collect()
}

/// Slower ranks get proportionally fewer cells, down to none; the solution is bitwise equal to that of a single rank.
#[test]
fn unequal_ranks_change_no_value() {
    let sound = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases/sound.toml");
    let case = load(&sound, &["regrid.max_patch_size=16"]);
    let solver = ChosenSolver::of(&case, Precision::F64).unwrap_or_else(|e| panic!("{e}"));
    // Speeds of ranks that have advanced 1000 cells, one cell and 500 cells in a second.
    let speeds = Speeds::equal(3).measured(&[(1000, 1.0), (1, 1.0), (500, 1.0)]);
    let cells = assert_steps_are_the_same(&case, &solver, &speeds, 3);
    assert!(cells[1] == 0 && cells[0] > cells[2] && cells[2] > 0, "{cells:?}");
}

/// The example with a solver of its own, which sets the initial values and the flags.
#[test]
fn an_own_solver_is_the_same_on_ranks() {
    let solver = ChosenSolver::own_in_double(SoundInWind { density: 1.0, bulk: 1.0, wind_x: 0.5, wind_y: 0.25 });
    // The solver has its parameters already.
    let sets =
        ["solver={path=\"sound_in_wind.rs\"}", "mesh.cells=[22,20]", "regrid.max_patch_size=8"].map(str::to_owned);
    let shape = |_: &_| Ok(solver.shape.clone());
    let case = Case::load_with(&example("sound_in_wind"), &sets, shape).unwrap_or_else(|e| panic!("{e}"));
    for count in [2, 3, 5, 8] {
        let cells = assert_steps_are_the_same(&case, &solver, &Speeds::equal(count), count);
        assert!(cells.iter().all(|cells| *cells > 0), "{cells:?}");
    }
}

/// The figures of `cargo xtask scale` for a small checkpoint. Those of one rank are exact. Regrids do not count, since their times are
/// measured.
#[test]
fn figures_of_scaling_are_sane() {
    let folder = tempfile::tempdir().expect("a folder");
    let case = load(&example("acoustics_radial"), &[&SHORT[..], &["mesh.cells=[40,36]"]].concat());
    run_on(1, &case, &RunFiles::new(folder.path()));
    let stored = StoredCheckpoint::<2>::open(&folder.path().join("checkpoint_000002.h5")).expect("a checkpoint");
    let words = ["file", "--ranks", "1,2,5", "--samples", "5", "--interval", "1e30"].map(str::to_owned);
    let options = Options::parse(words.into_iter()).expect("options").expect("no help");
    let tiles = Tiles::new(stored.outline.frame, options.enlarge, options.split);
    let model = Model::new(&options, &tiles);
    let num_patches: usize = tiles.patches().iter().sum();
    let found: Result<Vec<_>, _> = scale::lines(&tiles, &model, &options).collect();
    // Three quarters of a copy for each rank, rounded up.
    for ((shares, efficiency), (ranks, copies)) in found.expect("partitions").iter().zip([(1, 1), (2, 2), (5, 4)]) {
        assert_eq!((shares.ranks, shares.num_patches), (ranks, copies * num_patches));
        let figures = [shares.imbalance, efficiency.step, efficiency.all];
        if ranks == 1 {
            assert_eq!((figures, shares.neighbours, shares.messages, shares.bytes), ([1.0; 3], 0, 0, 0.0));
            continue;
        }
        let [imbalance, step, all] = figures;
        assert!((1.0..2.0).contains(&imbalance), "{ranks} ranks: {figures:?}");
        assert!(0.0 < step && step < 1.0 && 0.0 < all && all < 1.0, "{ranks} ranks: {figures:?}");
        assert!((1..ranks).contains(&shares.neighbours) && shares.messages > 0 && shares.bytes > 0.0);
        assert!(shares.boxes.messages > 0.0 && shares.memory > 0.0, "{ranks} ranks");
    }
}
