//! Runs that are interrupted and restarted are bitwise equal to uninterrupted ones.

use super::{Outcome, example, files, program, record, run, run_well};
use amrclaw::case::{Case, find_built_in};
use amrclaw::frames::read;
use amrclaw::simulation::{self, RunFailure, RunFiles, RunOptions};
use std::ops::ControlFlow;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// Asserts that frame `number` and the rows of every gauge are bitwise equal in both folders.
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

/// Ten steps equal five steps and five more after a restart; the run stops between regrids. The cases have gauges, a first step that is taken
/// again, time-dependent auxiliary values and split source terms.
#[test]
fn five_and_five_steps_are_ten() {
    let cases: [(&str, &[&str]); 3] = [
        ("acoustics_interface", &["mesh.cells=[30,26]", "time.dt_initial=0.5"]),
        ("advection_swirl", &["mesh.cells=[22,20]"]),
        ("euler_shock_bubble", &["mesh.cells=[40,10]"]),
    ];
    for (name, own) in cases {
        let folder = tempfile::tempdir().unwrap();
        let case = example(name);
        let sets =
            |steps| [own, &[steps, "output.checkpoint_every_steps=5", "output.aux=true", "output.png=false"]].concat();
        let run = |steps, arguments: &[&str]| run_well(folder.path(), &case, &sets(steps), arguments);
        run("time.max_steps=10", &["--output", "whole"]);
        run("time.max_steps=5", &["--output", "parts"]);
        run("time.max_steps=10", &["--output", "parts", "--restart", "parts/checkpoint_000005.h5", "--threads", "1"]);
        let [whole, parts] = ["whole", "parts"].map(|dir| folder.path().join(dir));
        assert_same(&whole, &parts, 1);
        let [whole, parts] = [&whole, &parts].map(|dir| super::record(dir));
        for key in
            "steps cells_advanced steps_repeated cells_repeated step_limits totals_initial totals_final courant_max \
                    patches_mean"
                .split_whitespace()
        {
            assert_eq!(whole[key], parts[key], "{name}: {key}");
        }
        assert!(whole["cells_repeated"][0] != 0 || own.len() == 1, "{name}: no step was taken again");
    }
}

/// Checkpoints are also written at intervals of wall-clock time: here half a millisecond, which every step takes. The last two are
/// kept. Zero minutes mean none.
#[test]
fn checkpoints_come_by_the_clock() {
    let folder = tempfile::tempdir().unwrap();
    let case = example("acoustics_radial");
    for (minutes, expected) in [("1e-5", vec!["checkpoint_000003.h5", "checkpoint_000004.h5"]), ("0", vec![])] {
        let minutes = format!("output.checkpoint_every_minutes={minutes}");
        let sets = ["mesh.cells=[60,60]", "time.max_steps=4", "output.png=false", &minutes];
        run_well(folder.path(), &case, &sets, &["--output", "out"]);
        let written: Vec<_> =
            files(&folder.path().join("out")).into_iter().filter(|f| f.starts_with("check")).collect();
        assert_eq!(written, expected, "{minutes}");
        std::fs::remove_dir_all(folder.path().join("out")).unwrap();
    }
}

/// Starts a run with a checkpoint every six steps, and waits until it has written two.
fn start_and_wait(folder: &Path, case: &Path, sets: &[&str]) -> Child {
    let mut command = program(folder);
    command.arg("run").arg(case).args(sets.iter().flat_map(|set| ["--set", set]));
    let child = command.args(["--output", "parts", "--quiet"]).stderr(Stdio::piped()).spawn().unwrap();
    let start = Instant::now();
    let second = |name: &String| name.starts_with("checkpoint_") && name.as_str() >= "checkpoint_000012";
    while !files(&folder.join("parts")).iter().any(second) {
        assert!(start.elapsed() < Duration::from_secs(60), "no checkpoint has appeared");
        std::thread::sleep(Duration::from_millis(1));
    }
    child
}

/// Overrides for a run of many steps, to be interrupted after some of them.
const SETS: [&str; 3] = ["mesh.cells=[50,50]", "output.checkpoint_every_steps=6", "output.png=false"];

/// A killed run, restarted from its last checkpoint in the same folder, ends like an uninterrupted one.
#[test]
fn a_killed_run_goes_on_from_its_last_checkpoint() {
    let folder = tempfile::tempdir().unwrap();
    let case = example("acoustics_interface");
    run_well(folder.path(), &case, &SETS, &["--output", "whole"]);
    let mut child = start_and_wait(folder.path(), &case, &SETS);
    child.kill().unwrap();
    assert!(!child.wait().unwrap().success(), "the run was over before it could be killed");
    let parts = folder.path().join("parts");
    let checkpoints = files(&parts).into_iter().filter(|name| name.starts_with("checkpoint_"));
    let last = format!("parts/{}", checkpoints.max().unwrap());
    run_well(folder.path(), &case, &SETS, &["--output", "parts", "--restart", &last]);
    for frame in 0..3 {
        assert_same(&folder.path().join("whole"), &parts, frame);
    }
}

/// Ctrl-C and SIGTERM end the run after the current step: exit code 1, a record that says so, and a checkpoint, named in the
/// message; a restart from it ends like an uninterrupted run.
#[cfg(unix)]
#[test]
fn an_interrupted_run_leaves_a_checkpoint_to_go_on_from() {
    let folder = tempfile::tempdir().unwrap();
    let case = example("acoustics_interface");
    run_well(folder.path(), &case, &SETS, &["--output", "whole"]);
    let parts = folder.path().join("parts");
    for signal in ["INT", "TERM"] {
        let child = start_and_wait(folder.path(), &case, &SETS);
        let sent = Command::new("sh").args(["-c", &format!("kill -{signal} {}", child.id())]).status().unwrap();
        assert!(sent.success());
        let outcome = Outcome::from(child.wait_with_output().unwrap());
        assert_eq!(outcome.code, Some(1), "{}", outcome.stderr);
        assert!(outcome.stderr.contains("was interrupted after step") && outcome.stderr.contains("--restart"));
        assert_eq!(record(&parts)["status"], "interrupted");
        let last = files(&parts).into_iter().filter(|name| name.starts_with("checkpoint_")).max().unwrap();
        assert!(outcome.stderr.contains(&last), "{} is not {last}", outcome.stderr);
        run_well(folder.path(), &case, &SETS, &["--output", "parts", "--restart", &format!("parts/{last}")]);
        assert_eq!(record(&parts)["status"], "done");
        for frame in 0..3 {
            assert_same(&folder.path().join("whole"), &parts, frame);
        }
        std::fs::remove_dir_all(&parts).unwrap();
    }
}

/// Starts a run, and waits until it has written its first frame and begins its first step.
#[cfg(unix)]
fn start_first_step(folder: &Path, sets: &[&str]) -> Child {
    let mut command = program(folder);
    command.arg("run").arg(example("acoustics_radial")).args(sets.iter().flat_map(|set| ["--set", set]));
    command.args(["--set", "output.times=[0.0,1.0]", "--set", "regrid.flag.tolerance=1e9", "--output", "out"]);
    command.args(["--set", "output.png=false", "--quiet", "--threads", "1"]);
    let child = command.stderr(Stdio::piped()).spawn().unwrap();
    let start = Instant::now();
    while !files(&folder.join("out")).contains(&"frame_0000.vtkhdf".to_owned()) {
        assert!(start.elapsed() < Duration::from_secs(60), "no frame has appeared");
        std::thread::sleep(Duration::from_millis(1));
    }
    child
}

/// The first signal takes effect between steps of the finer levels, long before the coarse step ends; the checkpoint is the state
/// before that step. The coarse step has 262144 steps of the finest level, of 4096 cells each: at least half a minute, while the run
/// must end after one of them. The bound of ten seconds is for busy machines.
#[cfg(unix)]
#[test]
fn an_interrupt_does_not_wait_for_the_coarse_step() {
    let folder = tempfile::tempdir().unwrap();
    let region = "regrid.region=[{ levels = [4, 4], lower = [-0.2, -0.2], upper = [0.2, 0.2] }]";
    let sets = ["mesh.cells=[40,40]", "levels.max=4", "levels.ratio=2", "levels.ratio_time=64", region];
    let child = start_first_step(folder.path(), &sets);
    std::thread::sleep(Duration::from_millis(300));
    let clock = Instant::now();
    assert!(Command::new("kill").args(["-TERM", &child.id().to_string()]).status().unwrap().success());
    let outcome = Outcome::from(child.wait_with_output().unwrap());
    assert!(clock.elapsed() < Duration::from_secs(10), "it took {:?}", clock.elapsed());
    assert_eq!(outcome.code, Some(1), "{}", outcome.stderr);
    assert!(outcome.stderr.contains("was interrupted after step 0, t = 0"), "{}", outcome.stderr);
    let dir = folder.path().join("out");
    assert_eq!(record(&dir)["status"], "interrupted");
    assert!(files(&dir).contains(&"checkpoint_000000.h5".to_owned()), "{:?}", files(&dir));
}

/// A second Ctrl-C ends a run at once, with exit code 1 and nothing more written.
#[cfg(unix)]
#[test]
fn a_second_interrupt_ends_a_run_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let child = start_first_step(folder.path(), &["mesh.cells=[1800,1800]", "levels.max=1"]);
    let dir = folder.path().join("out");
    // After the first one the run finishes a step of some million cells and writes a checkpoint. `kill` is built into the shell:
    // starting a process for each would be too slow on a busy machine. Two signals at the same moment would count as one.
    let interrupts = format!("kill -INT {0} && sleep 0.01 && kill -INT {0}", child.id());
    assert!(
        Command::new("sh").args(["-c", &interrupts]).status().unwrap().success(),
        "the first one waits for the step"
    );
    let outcome = Outcome::from(child.wait_with_output().unwrap());
    assert_eq!((outcome.code, outcome.stderr.as_str()), (Some(1), ""));
    let left = files(&dir);
    assert!(!left.iter().any(|name| name.starts_with("checkpoint_")), "{left:?}");
    assert_eq!(record(&dir)["status"], "running", "what was written at the start");
}

/// The last row of a gauge is that of the final state, although no step begins there.
#[test]
fn gauges_end_with_the_final_state() {
    let folder = tempfile::tempdir().unwrap();
    let sets = ["mesh.cells=[22,20]", "time.end=0.05", "output.png=false", "output.times=[0.05]"];
    run_well(folder.path(), &example("acoustics_interface"), &sets, &["--output", "out"]);
    let dir = folder.path().join("out");
    let gauges: Vec<_> = files(&dir).into_iter().filter(|name| name.starts_with("gauge_")).collect();
    assert!(!gauges.is_empty());
    for name in gauges {
        let text = std::fs::read_to_string(dir.join(&name)).unwrap();
        let times: Vec<f64> = text.lines().filter_map(|row| row.split(',').nth(1)?.trim().parse().ok()).collect();
        assert!(times.is_sorted_by(|a, b| a < b), "{name}: {times:?}");
        assert_eq!(times.last(), Some(&0.05), "{name}");
    }
}

/// Whichever byte of a checkpoint is wrong, a restart from it either runs or ends with an error that names the file, the case's line or the
/// level: it never panics, and its time and memory are bounded. Bytes throughout the file are changed, one at a time.
#[test]
fn damaged_checkpoints_end_in_errors() {
    let folder = tempfile::tempdir().unwrap();
    let file = example("burgers_square");
    let sets = [
        "mesh.cells=[9,7]",
        "levels.max=2",
        "time.max_steps=1",
        "output.checkpoint_every_steps=1",
        "output.format=[]",
        "output.png=false",
    ];
    let sets = sets.map(str::to_owned);
    let case = Case::load_with(&file, &sets, find_built_in).unwrap_or_else(|e| panic!("{e}"));
    let options = RunOptions { threads: Some(1), ..RunOptions::default() };
    let run = |restart| {
        let files = RunFiles { restart, ..RunFiles::new(folder.path()) };
        simulation::run(&case, &options, &files, &mut |_| ControlFlow::Continue(()))
    };
    run(None).unwrap();
    let good = std::fs::read(folder.path().join("checkpoint_000001.h5")).unwrap();
    let damaged = folder.path().join("damaged.h5");
    let step = 7;
    let mut refused = 0;
    for (n, at) in (0..good.len()).step_by(step).enumerate() {
        let mut bytes = good.clone();
        bytes[at] ^= [0xff, 1, 0x80, 0x10][n % 4];
        std::fs::write(&damaged, &bytes).unwrap();
        if let Err(RunFailure::Refused(cause)) = run(Some(damaged.clone())) {
            refused += 1;
            let message = cause.to_string();
            assert!(["damaged", "checkpoint"].iter().any(|word| message.contains(word)), "byte {at}: {message}");
        }
    }
    assert!(refused > 20, "only {refused} of {} damaged files were refused", good.len() / step);
}

/// A scheme with more ghost cells than the one that wrote the checkpoint needs wider margins around fine patches: a checkpoint without
/// them is refused.
#[test]
fn restarts_that_need_wider_margins_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let case = example("acoustics_radial");
    // Level 3 alone is regridded after six steps of level 2, which are three of level 1: it follows the wave to the edge of level 2.
    let sets = ["mesh.cells=[40,40]", "regrid.interval=6", "regrid.buffer=0", "output.png=false"];
    let first = [&sets[..], &["time.max_steps=4", "output.checkpoint_every_steps=4"]].concat();
    run_well(folder.path(), &case, &first, &["--output", "out"]);
    let restart = ["--restart", "out/checkpoint_000004.h5", "--output", "new"];
    let wider = [&sets[..], &["time.max_steps=6", "scheme.split=strang"]].concat();
    let outcome = run(folder.path(), &case, &wider, &restart);
    assert_eq!(outcome.code, Some(2), "{}", outcome.stderr);
    for part in ["--set scheme.split=strang", "scheme.split: needs level 3 nested more widely"] {
        assert!(outcome.stderr.contains(part), "no \"{part}\" in\n{}", outcome.stderr);
    }
    assert!(files(&folder.path().join("new")).is_empty());
    let same = [&sets[..], &["time.max_steps=6", "scheme.split=godunov"]].concat();
    run_well(folder.path(), &case, &same, &restart);
}

/// If a frame cannot be written (a folder has its name for a while) and the run has already gone on, the run ends; the
/// restart goes back to the frame's time, writes it, and numbers later frames like an uninterrupted run.
#[test]
fn a_frame_that_fails_behind_the_run_is_written_by_the_restart() {
    let sets = ["mesh.cells=[22,20]", "time.end=0.06", "output.png=false", "output.count=3"].map(str::to_owned);
    let case = Case::load_with(&example("acoustics_interface"), &sets, find_built_in).unwrap();
    let [whole, parts] = [(), ()].map(|()| tempfile::tempdir().unwrap());
    let run = |dir: &Path, restart, watch: &mut (dyn FnMut() + Send)| {
        let files = RunFiles { restart, ..RunFiles::new(dir) };
        simulation::run(&case, &RunOptions::default(), &files, &mut |_| {
            watch();
            ControlFlow::Continue(())
        })
    };
    run(whole.path(), None, &mut || ()).unwrap();
    let blocked = parts.path().join("frame_0001.vtkhdf");
    let mut block = || {
        std::fs::create_dir_all(&blocked).unwrap();
        std::fs::write(blocked.join("file"), "so that no file can be renamed onto it").unwrap();
    };
    let failure = run(parts.path(), None, &mut block).unwrap_err();
    let RunFailure::Broken { kept, time, .. } = failure else { panic!("{failure}") };
    assert!((time - 0.02).abs() < 1e-12, "{time}");
    std::fs::remove_dir_all(&blocked).unwrap();
    let checkpoint = kept.into_iter().find(|path| path.extension().is_some_and(|end| end == "h5"));
    assert!(checkpoint.is_some());
    run(parts.path(), checkpoint, &mut || ()).unwrap();
    for frame in 0..4 {
        assert_same(whole.path(), parts.path(), frame);
    }
}

/// Frames and totals show a time-dependent medium at their own time on every level, although steps use its values at their midpoint. In this
/// case `q` is 1 everywhere, so that its total is the integral of the capacity.
#[test]
fn frames_and_totals_have_the_aux_of_their_time() {
    let case = r#"
        solver = { name = "advection_mapped" }
        scheme = { capacity = "capacity", transverse = 0 }
        mesh = { cells = [12, 10], boundary = { x = "extrapolate", y = "extrapolate" } }
        levels = { max = 2 }
        regrid = { flag = { criterion = "user", expression = "x > 0.5" } }
        time = { end = 0.5 }
        initial = { q = "1" }
        aux = { u_edge = "0", v_edge = "0", capacity = "1 + t" }
        output = { count = 2, aux = true, png = false, field = [{ name = "kq", formula = "capacity * q" }] }
    "#;
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("case.toml"), case).unwrap();
    for device in [&["--threads", "2"][..], &["--ranks", "2"]] {
        let arguments = [&["--output", "out", "--overwrite"][..], device].concat();
        run_well(folder.path(), Path::new("case.toml"), &[], &arguments);
        let out = folder.path().join("out");
        for number in 0..3 {
            let frame = read::frame::<2>(&out.join(format!("frame_{number:04}.vtkhdf"))).unwrap();
            assert_eq!(frame.levels.len(), 2);
            let expected = 1.0 + frame.time;
            for patch in frame.levels.iter().flat_map(|level| &level.patches) {
                let values = patch.aux.chunks(patch.cells.volume()).skip(2).flatten();
                assert!(values.into_iter().all(|kappa| (kappa - expected).abs() < 1e-15), "{:?}", patch.aux);
            }
        }
        let total = record(&out)["totals_final"]["q"].as_f64().unwrap();
        assert!((total - 1.5).abs() < 1e-13, "{total}");
    }
}

/// A restart removes the frames later than its checkpoint. A checkpoint with another mapping is refused as of another domain, and one with
/// other periodic sides as such, not as a damaged file.
#[test]
fn restarts_begin_a_history_of_their_own() {
    let folder = tempfile::tempdir().unwrap();
    let case = example("acoustics_radial");
    let sets = ["mesh.cells=[40,40]", "time.max_steps=8", "output.every_steps=2", "output.checkpoint_every_steps=4"];
    run_well(folder.path(), &case, &sets, &["--output", "out"]);
    let names = |end: &str| {
        let all = files(&folder.path().join("out"));
        all.into_iter().filter(|name| name.ends_with(end)).collect::<Vec<_>>()
    };
    assert_eq!((names(".vtkhdf").len(), names(".png").len()), (5, 5));
    let restart = ["--restart", "out/checkpoint_000004.h5", "--output", "out"];
    let other = ["mesh.cells=[40,40]", "time.max_steps=6", "output.every_steps=2", "solver.bulk=1"];
    run_well(folder.path(), &case, &other, &restart);
    assert_eq!((names(".vtkhdf").len(), names(".png").len()), (4, 4));
    let restart = ["--restart", "out/checkpoint_000004.h5", "--output", "new"];
    let refused = |more: &str, parts: &[&str]| {
        let outcome = run(folder.path(), &case, &[&sets[..1], &["time.max_steps=6", more]].concat(), &restart);
        assert_eq!(outcome.code, Some(2), "{more}: {}", outcome.stderr);
        for part in parts {
            assert!(outcome.stderr.contains(part), "no \"{part}\" in\n{}", outcome.stderr);
        }
    };
    let beside = ["regrid.flag.criterion=user", "regrid.flag.expression=x<-0.7"];
    let first = [&[sets[0], "time.max_steps=4", sets[3]], &beside[..]].concat();
    run_well(folder.path(), &case, &first, &["--output", "out", "--overwrite"]);
    refused("mesh.boundary={x=\"periodic\",y=\"periodic\"}", &["mesh.boundary", "not nested across these sides"]);
    let bent = |slope: &str| format!("mesh.mapping={{x=\"X+{slope}*Y\",y=\"Y\"}}");
    let first = [sets[0], "time.max_steps=4", sets[3], &bent("0.1")];
    run_well(folder.path(), &case, &first, &["--output", "out", "--overwrite"]);
    refused(&bent("0.3"), &["mesh.mapping", "X+0.1*Y"]);
}
