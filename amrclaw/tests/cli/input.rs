//! Wrong input: exit code 2, all mistakes at once, nothing written.

use super::{Outcome, example, files, program, run};
use std::path::Path;

/// Asserts that the call was refused for these reasons, and that the folder is unchanged.
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

/// A span of time that is no finite number is refused.
#[test]
fn endless_spans_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let sets = ["time.start=-1e308", "time.end=1e308"];
    let outcome = run(folder.path(), &example("acoustics_radial"), &sets, &[]);
    assert_refused(folder.path(), &[], &outcome, &["time.end", "no finite number"]);
}

/// Numbers of steps and runs that are out of reach are refused before any folder or plan is made.
#[test]
fn numbers_out_of_reach_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let refused = |command: &str, arguments: &[&str], reason: &str| {
        let mut program = program(folder.path());
        program.arg(command).arg(example("acoustics_radial")).args(arguments).args(["--output", "out"]);
        assert_refused(folder.path(), &[], &program.output().unwrap().into(), &[reason]);
    };
    refused("tune", &["--steps", "99999999999", "--trials", "1"], "--steps");
    refused("sweep", &["--repeat", "100000000"], "100000000 runs, more than 100000");
    let values = (1..=400).map(|n| n.to_string()).collect::<Vec<_>>().join(",");
    let vary = [format!("regrid.interval={values}"), format!("regrid.buffer={values}")];
    refused("sweep", &["--vary", &vary[0], "--vary", &vary[1]], "160000 runs");
}

/// Results that find no room on the standard output make the program fail, help too; a reader who has gone does not.
#[cfg(target_os = "linux")]
#[test]
fn results_that_find_no_room_are_an_error() {
    let folder = tempfile::tempdir().unwrap();
    for arguments in
        [&["completion", "bash"][..], &["info"], &["solver", "list"], &["example"], &["--help"], &["--version"]]
    {
        let full = std::fs::File::create("/dev/full").unwrap();
        let outcome = program(folder.path()).args(arguments).stdout(full).output().unwrap();
        let stderr = String::from_utf8_lossy(&outcome.stderr);
        assert!(outcome.status.code() == Some(1) && stderr.contains("No space left"), "{arguments:?}: {stderr}");
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let outcome = program(folder.path()).args(arguments).stdout(writer).output().unwrap();
        assert_eq!(outcome.status.code(), Some(0), "{arguments:?}");
    }
}

/// A case that comes through a pipe is read; while it does not come, the first signal ends the program.
#[cfg(unix)]
#[test]
fn cases_come_through_pipes() {
    let folder = tempfile::tempdir().unwrap();
    let pipe = folder.path().join("pipe.toml");
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let mut waiting = program(folder.path()).arg("run").arg(&pipe).spawn().unwrap();
    std::thread::sleep(std::time::Duration::from_millis(300));
    assert!(waiting.try_wait().unwrap().is_none(), "the program waits for the case");
    let id = waiting.id().to_string();
    assert!(std::process::Command::new("kill").args(["-TERM", &id]).status().unwrap().success());
    let begin = std::time::Instant::now();
    while waiting.try_wait().unwrap().is_none() {
        assert!(begin.elapsed().as_secs() < 20, "the program still waits");
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    let case = std::fs::read(example("acoustics_radial")).unwrap();
    let writer = std::thread::spawn({
        let pipe = pipe.clone();
        move || std::fs::write(pipe, case)
    });
    let outcome = run(folder.path(), &pipe, &["mesh.cells=[10,10]", "time.max_steps=1"], &["--output", "out"]);
    assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
    writer.join().unwrap().unwrap();
}

/// A missing case file, and one that is not TOML, are refused.
#[test]
fn unreadable_cases_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let outcome = run(folder.path(), Path::new("missing.toml"), &[], &[]);
    assert_refused(folder.path(), &[], &outcome, &["missing.toml", "cannot be read"]);
    std::fs::write(folder.path().join("bad.toml"), "[mesh\ncells = ").unwrap();
    let outcome = run(folder.path(), Path::new("bad.toml"), &[], &[]);
    assert_refused(folder.path(), &["bad.toml".into()], &outcome, &["bad.toml:1"]);
}

/// An output folder that cannot be created is reported before the first step. (Its path leads through a file, since permissions do not
/// restrict a test that runs as root.)
#[test]
fn unwritable_output_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("file"), "").unwrap();
    let outcome = run(folder.path(), &example("acoustics_radial"), &[], &["--output", "file/out"]);
    assert_refused(folder.path(), &["file".into()], &outcome, &["file/out", "--output"]);
}

/// Initial data that are NaN, here to the right of x = 0.5, are reported before the first step with line, cell and position,
/// whatever their level.
#[test]
fn initial_data_that_are_not_finite_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let sets = ["mesh.cells=[20,10]", r#"initial.pressure="sqrt(0.5 - x)""#];
    let outcome = run(folder.path(), &example("acoustics_radial"), &sets, &[]);
    let place = ["initial.pressure: pressure is NaN", "level 1", "cell [15, 0]", "[0.55, -0.9]", "write a formula"];
    assert_refused(folder.path(), &[], &outcome, &place);
    let sets = ["mesh.cells=[20,20]", r#"aux.sound_speed="1/0""#];
    let outcome = run(folder.path(), &example("acoustics_interface"), &sets, &[]);
    assert_refused(folder.path(), &[], &outcome, &["aux.sound_speed: sound_speed is inf", "cell [0, 0]"]);
}

/// Initial data that the equations do not allow are refused too, with the line of the quantity's formula, or of the table if
/// several components determine the quantity.
#[test]
fn inadmissible_initial_data_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let sets = ["mesh.cells=[20,10]", r#"initial.energy="if(x < 0.5, 10, 0.01)""#];
    let outcome = run(folder.path(), &example("euler_quadrants"), &sets, &[]);
    let place =
        ["initial: pressure is -", "level 1, patch 0, cell [", "it must be positive", "write formulas whose pressure"];
    assert_refused(folder.path(), &[], &outcome, &place);
    let still = [r#"initial.x_momentum="0""#, r#"initial.y_momentum="0""#];
    let sets = ["mesh.cells=[20,10]", r#"initial.density="0.3 - x""#, still[0], still[1]];
    let outcome = run(folder.path(), &example("euler_quadrants"), &sets, &[]);
    assert_refused(folder.path(), &[], &outcome, &["initial.density: density is -0.0", "it must be positive"]);
    let sets = ["mesh.cells=[20,20]", r#"aux.sound_speed="x""#];
    let outcome = run(folder.path(), &example("acoustics_interface"), &sets, &[]);
    assert_refused(folder.path(), &[], &outcome, &["aux.sound_speed: sound_speed is -", "it must be positive"]);
}

/// Meshes that exceed any machine's memory are refused before they are built.
#[test]
#[cfg(target_os = "linux")]
fn meshes_beyond_all_memory_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let sets = ["mesh.cells=[500000000,500000000]", "levels.max=1"];
    let outcome = run(folder.path(), &example("acoustics_radial"), &sets, &[]);
    let reasons = ["mesh.cells: ", "of memory, but only", "use fewer cells"];
    assert_refused(folder.path(), &[], &outcome, &reasons);
}

/// Domains are refused if floating-point coordinates cannot distinguish the finest cells, or if their differences are not finite.
#[test]
fn domains_beyond_the_numbers_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let case = example("burgers_square");
    for (lower, upper, reason) in [
        ("1", "1.0000000000000002", "too narrow to be distinguished at x = 1.0000000000000002"),
        ("-1e308", "1e308", "too large for a number along x: from -1e308 to 1e308"),
    ] {
        let sets = [format!("mesh.lower=[{lower},0]"), format!("mesh.upper=[{upper},1]")];
        let outcome = run(folder.path(), &case, &[&sets[0], &sets[1]], &[]);
        assert_refused(folder.path(), &[], &outcome, &["mesh.upper.0: ", reason, "1 problem"]);
    }
}

/// If nothing reads the program's output, the run goes on all the same, with the usual exit code.
#[test]
#[cfg(unix)]
fn readers_that_have_gone_end_no_run() {
    use std::process::Stdio;
    let folder = tempfile::tempdir().unwrap();
    let code = |arguments: &[&str]| {
        let mut command = program(folder.path());
        let mut child = command.args(arguments).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        drop((child.stdout.take(), child.stderr.take()));
        child.wait().unwrap().code()
    };
    assert_eq!(code(&["info"]), Some(0));
    let case = example("burgers_square").display().to_string();
    let run = ["run", &case, "--set", "mesh.cells=[10,10]", "--set", "time.max_steps=2", "--log", "debug"];
    assert_eq!(code(&run), Some(0));
    assert_eq!(code(&["run", "missing.toml"]), Some(2));
}

/// Without a GPU, a run that asks for one is refused by an error that says what is missing.
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

/// No more threads are started than the machine can use; a remark says so, and the run is the same.
#[test]
fn threads_are_bounded() {
    let folder = tempfile::tempdir().unwrap();
    let sets = ["mesh.cells=[12,10]", "time.max_steps=1", "output.png=false"];
    let outcome = run(folder.path(), &example("burgers_square"), &sets, &["--threads", "100000", "--output", "out"]);
    assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
    assert!(outcome.stderr.contains("--threads 100000: this machine has"), "{}", outcome.stderr);
    let threads = super::record(&folder.path().join("out"))["threads"].as_u64().unwrap();
    assert!((64..1000).contains(&threads), "{threads}");
}

/// Options of the command line are checked as strictly as keys: the log's level, a sweep's folder, a file that is not a library.
#[test]
fn wrong_options_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("solver.so"), "no library").unwrap();
    let before = files(folder.path());
    let case = example("burgers_square");
    let outcome = run(folder.path(), &case, &[], &["--log", "loud"]);
    assert_refused(folder.path(), &before, &outcome, &["--log loud", "debug or trace"]);
    let outcome = run(folder.path(), &case, &[], &["--solver", "solver.so"]);
    assert_refused(folder.path(), &before, &outcome, &["solver.so cannot be loaded: ", "made with `riemann::plugin!`"]);
    let mut sweep = program(folder.path());
    sweep.arg("sweep").arg(&case).args(["--vary", "regrid.cutoff=0.5", "--output", "solver.so/out"]);
    let outcome: Outcome = sweep.output().unwrap().into();
    assert_refused(folder.path(), &before, &outcome, &["cannot create solver.so/out", "--output DIR"]);
}

/// `validate` reports what `run` would report before its first step, with the same exit code: wrong keys, missing functions, data
/// and sources that are not finite on the coarsest mesh, a mesh for which there is not enough memory.
#[test]
fn validate_refuses_what_run_refuses() {
    let folder = tempfile::tempdir().unwrap();
    let mistakes: &[(&str, &str, &[&str])] = &[
        ("burgers_square", "time.end=-1.0", &["time.end"]),
        ("burgers_square", "initial=user", &["initial: the solver `burgers` provides no initial data"]),
        ("burgers_square", "regrid.flag.criterion=user", &["regrid.flag.criterion", "no refinement criterion"]),
        ("burgers_square", "mesh.boundary.x=user", &["mesh.boundary.x", "no boundary values"]),
        ("burgers_square", "initial.q=sqrt(0.5 - x)", &["initial.q: q is NaN", "level 1, ", "cell [10, 0]"]),
        ("burgers_square", "initial.q=(2 + x)^1e9*1e300", &["initial.q: q is inf", "cell [0, 0]"]),
        ("burgers_square", "initial.q=1e999", &["initial.q: ", "finite number"]),
        ("burgers_square", "source.q=log(x - 0.5)", &["source.q: q is NaN", "cell [0, 0]", "write a formula"]),
        ("acoustics_interface", "aux.sound_speed=1/0", &["aux.sound_speed: sound_speed is inf"]),
        ("euler_quadrants", "initial.density=x - 0.5", &["initial.density: density is -0.4", "must be positive"]),
        ("decaying_puff", "initial.q=1e308 * 10", &["initial.q: q is inf"]),
        ("acoustics_radial", "scheme.transverse=0", &["time.cfl_desired: is 0.9", "up to Courant number 0.292 only"]),
        #[cfg(target_os = "linux")]
        ("acoustics_radial", "mesh.cells=[500000000,500000000]", &["mesh.cells: ", "of memory, but only"]),
    ];
    for (name, set, reasons) in mistakes {
        let sets = ["mesh.cells=[20,10]", "levels.max=1", set];
        let outcome = run(folder.path(), &example(name), &sets, &["--output", "out"]);
        assert_refused(folder.path(), &[], &outcome, reasons);
        let mut command = program(folder.path());
        command.arg("validate").arg(example(name)).args(sets.iter().flat_map(|set| ["--set", set]));
        let outcome: Outcome = command.output().unwrap().into();
        assert_refused(folder.path(), &[], &outcome, reasons);
    }
}

/// Inflow values must be finite; the error names the formula, not the initial data, and `validate` finds it too: in ghost cells beside the
/// domain, in corners, and where the formula divides by a state that is zero.
#[test]
fn inflow_that_is_no_number_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let case = example("acoustics_radial");
    for (sides, inflow, reasons) in [
        (
            "x=[\"inflow\",\"wall\"]",
            "inflow={pressure=\"1/0\",u=\"0\",v=\"0\"}",
            ["boundary.inflow.pressure", "is inf"],
        ),
        ("x=\"inflow\"", "inflow={pressure=\"1\",u=\"u/pressure\",v=\"v\"}", ["boundary.inflow.u", "u is NaN"]),
        ("y=\"inflow\"", "y_upper={pressure=\"1\",u=\"0\",v=\"sqrt(1 + x)\"}", ["boundary.y_upper.v", "v is NaN"]),
    ] {
        let of_y = if sides.starts_with('y') {
            "mesh.boundary.y_lower={pressure=\"1\",u=\"0\",v=\"0\"}"
        } else {
            "time.end=1"
        };
        let [sides, inflow] = [sides, inflow].map(|set| format!("mesh.boundary.{set}"));
        let sets = ["mesh.cells=[20,20]", of_y, &sides, &inflow];
        let reasons = [reasons[0], reasons[1], "ghost cell", "inflow formulas"];
        assert_refused(folder.path(), &[], &run(folder.path(), &case, &sets, &[]), &reasons);
        let mut command = program(folder.path());
        command.arg("validate").arg(&case).args(sets.iter().flat_map(|set| ["--set", set]));
        assert_refused(folder.path(), &[], &command.output().unwrap().into(), &reasons);
    }
}

/// A restart is refused without a checkpoint, or from a checkpoint of another problem.
#[test]
fn restarts_from_other_problems_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let case = example("burgers_square");
    let sets = ["mesh.cells=[12,10]", "time.max_steps=1", "output.checkpoint_every_steps=1"];
    super::run_well(folder.path(), &case, &sets, &["--output", "out"]);
    let before = files(folder.path());
    let restart = ["--restart", "out/checkpoint_000001.h5", "--output", "new"];
    let changed = ["mesh.cells=[12,12]", "mesh.upper=[2.0,1.0]", "levels.ratio=[4,2]"];
    let outcome = run(folder.path(), &case, &changed, &restart);
    let reasons = ["mesh.cells", "[12, 10]", "mesh.upper", "levels.ratio", "[[2, 2]", "3 problems"];
    assert_refused(folder.path(), &before, &outcome, &reasons);
    let outcome = run(folder.path(), &case, &sets, &["--restart", "out", "--output", "new"]);
    assert_refused(folder.path(), &before, &outcome, &["out is not a checkpoint: it is a folder"]);
    let restart = ["--restart", "out/frame_0000.vtkhdf", "--output", "new"];
    let outcome = run(folder.path(), &case, &sets, &restart);
    assert_refused(folder.path(), &before, &outcome, &["frame_0000.vtkhdf is not a checkpoint"]);
}
