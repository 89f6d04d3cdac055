//! Processes that cannot be ranks of one run are refused; they never run the case separately.

use crate::common::example;
use crate::launchers::Launcher;
use crate::{sets_of, stderr_of};
use std::path::Path;
use std::process::Command;

const SMALL: [&str; 4] = ["mesh.cells=[30,26]", "time.max_steps=2", "output.png=false", "output.times=[]"];

/// Runs the program as Open MPI's launcher would, where no MPI library can be found.
fn without_library(number: &str, of: &str, folder: &Path, arguments: &[&str]) -> std::process::Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_amrclaw"));
    command.current_dir(folder).args(arguments).env("OMPI_COMM_WORLD_RANK", number).env("OMPI_COMM_WORLD_SIZE", of);
    command.env("PATH", "").env("AMRCLAW_MPI", folder.join("nowhere/mpicc")).output().expect("the program")
}

/// Without an MPI library, each of several processes ends with an error that says what to install; a single process needs no library.
#[test]
fn processes_without_a_library_end() {
    let folder = tempfile::tempdir().expect("a folder");
    let case = example("acoustics_interface").display().to_string();
    let run = |of, name: &str| {
        let arguments = [&["run", &*case, "--quiet", "--output", name][..], &sets_of(&SMALL)].concat();
        without_library("0", of, folder.path(), &arguments)
    };
    let several = run("2", "several");
    assert_eq!(several.status.code(), Some(1));
    for part in ["nowhere/mpicc: ", "pip install mpich", "libopenmpi-dev", "AMRCLAW_MPI"] {
        assert!(stderr_of(&several).contains(part), "{}", stderr_of(&several));
    }
    assert!(!folder.path().join("several").exists());
    let alone = run("1", "alone");
    assert!(alone.status.success() && folder.path().join("alone/run.json").is_file(), "{}", stderr_of(&alone));
}

/// Commands that start runs themselves are refused if there are several processes. A single process starts runs that do not see the
/// launcher's variables: none of them looks for an MPI library, which this test would detect.
#[test]
#[cfg(unix)]
fn sweeps_start_runs_of_their_own() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().expect("a folder");
    let case = example("acoustics_interface").display().to_string();
    let arguments =
        [&["sweep", &*case, "--quiet", "--vary", "regrid.buffer=1,2", "--output", "sweep"][..], &sets_of(&SMALL)];
    let refused = without_library("0", "2", folder.path(), &arguments.concat());
    assert_eq!(refused.status.code(), Some(2));
    assert!(stderr_of(&refused).contains("leave mpiexec out"), "{}", stderr_of(&refused));
    let silent = without_library("1", "2", folder.path(), &arguments.concat());
    assert_eq!((silent.status.code(), stderr_of(&silent)), (Some(2), String::new()));

    let compiler = folder.path().join("mpicc");
    std::fs::write(&compiler, "#!/bin/sh\n: > trace\nexit 1\n").expect("a script");
    std::fs::set_permissions(&compiler, std::fs::Permissions::from_mode(0o755)).expect("a program");
    let started = |arguments: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_amrclaw"));
        command.current_dir(folder.path()).args(arguments).env("AMRCLAW_MPI", &compiler);
        let output =
            command.env("OMPI_COMM_WORLD_RANK", "0").env("OMPI_COMM_WORLD_SIZE", "1").output().expect("the program");
        assert!(output.status.success(), "{}", stderr_of(&output));
        folder.path().join("trace").exists()
    };
    assert!(!started(&arguments.concat()), "a run of the sweep takes itself for one of several processes");
    assert!(
        started(&[&["run", &*case, "--quiet", "--output", "run"][..], &sets_of(&SMALL)].concat()),
        "a run looks for a library"
    );
}

/// Ranks with another case or another program are refused before anything is written, by a message that names one of them.
#[test]
fn ranks_must_be_alike() {
    let case = example("acoustics_interface").display().to_string();
    let program = env!("CARGO_BIN_EXE_amrclaw");
    for launcher in Launcher::all() {
        let folder = tempfile::tempdir().expect("a folder");
        let other = folder.path().join("amrclaw-other");
        let bytes = std::fs::read(program).expect("the program");
        std::fs::copy(program, &other).expect("room for a copy");
        std::fs::write(&other, [&bytes[..], b"other"].concat()).expect("room for a copy");
        let part = |program: &str, cells: &str| {
            let words = ["-n", "1", program, "run", &*case, "--quiet", "--output", "out", "--set", cells];
            words.map(str::to_owned).to_vec()
        };
        let same = part(program, "mesh.cells=[30,26]");
        for (second, what) in [
            (part(program, "mesh.cells=[30,28]"), "the case file"),
            (part(&other.display().to_string(), "mesh.cells=[30,26]"), "the program"),
            (part(program, "mesh.cells=[30,0]"), "mesh.cells"),
        ] {
            let mut command = launcher.command(folder.path());
            let output = command.args(&same).arg(":").args(&second).output().expect("a launcher that starts");
            let text = stderr_of(&output);
            assert_eq!((output.status.code(), text.matches("error: ").count()), (Some(2), 1), "{what}: {text}");
            assert!(text.contains("error: rank 1: ") && text.contains(what), "{what}: {text}");
            assert!(!folder.path().join("out").exists(), "{what}");
        }
    }
}

/// Ranks that find different files under the same relative path are refused: another text of the solver, another checkpoint.
#[test]
fn files_of_ranks_must_be_alike() {
    let program = env!("CARGO_BIN_EXE_amrclaw");
    for launcher in Launcher::all() {
        let folder = tempfile::tempdir().expect("a folder");
        let case = example("sound_in_wind");
        let small = sets_of(&["mesh.cells=[30,26]", "regrid.max_patch_size=8", "output.png=false"]);
        for (k, (factor, start)) in [("", "0.1"), (" * 1.1", "0.2")].into_iter().enumerate() {
            let dir = folder.path().join(k.to_string());
            std::fs::create_dir(&dir).expect("a folder");
            std::fs::copy(&case, dir.join("case.toml")).expect("room for a copy");
            let text = std::fs::read_to_string(case.with_file_name("sound_in_wind.rs")).expect("the example's solver");
            let speed = "(self.bulk / self.density).sqrt()";
            assert!(text.contains(speed), "the example's sound speed");
            std::fs::write(dir.join("sound_in_wind.rs"), text.replace(speed, &format!("{speed}{factor}")))
                .expect("room");
            let radial = example("acoustics_radial").display().to_string();
            let initial = format!("initial.pressure=\"exp(-100 * (r - {start})^2)\"");
            let steps = sets_of(&["time.max_steps=3", "output.checkpoint_every_steps=3", &initial]);
            let words = [&["run", &*radial, "--quiet", "--output", "before"][..], &small, &steps].concat();
            let output = Command::new(program).current_dir(&dir).args(words).output().expect("the program");
            assert!(output.status.success(), "{}", stderr_of(&output));
        }
        let radial = example("acoustics_radial").display().to_string();
        let restart = ["--restart", "before/checkpoint_000003.h5", "--set", "time.max_steps=5"];
        let own =
            [&["run", "case.toml", "--quiet", "--output", "out", "--set", "time.max_steps=2"][..], &small].concat();
        let on = [&["run", &*radial, "--quiet", "--output", "out"][..], &small, &restart].concat();
        for (arguments, what) in [(own, "the solver file"), (on, "the checkpoint")] {
            let mut command = launcher.command(folder.path());
            for k in ["0", "1"] {
                let dir = folder.path().join(k).display().to_string();
                command.args(if k == "0" { &[][..] } else { &[":"] });
                command.args(["-wdir", &dir, "-n", "1", program]).args(&arguments);
            }
            let output = command.output().expect("a launcher that starts");
            let text = stderr_of(&output);
            assert_eq!((output.status.code(), text.matches("error: ").count()), (Some(2), 1), "{what}: {text}");
            assert!(text.contains("error: rank 1: ") && text.contains(what), "{what}: {text}");
        }
    }
}

/// Options that only one of the processes has end all of them.
#[test]
fn ranks_in_processes_are_refused_by_all() {
    let case = example("acoustics_interface").display().to_string();
    for launcher in Launcher::all() {
        let folder = tempfile::tempdir().expect("a folder");
        let mut command = launcher.command(folder.path());
        let words =
            [&["-n", "1", env!("CARGO_BIN_EXE_amrclaw"), "run", &*case, "--quiet"][..], &sets_of(&SMALL)].concat();
        let output = command.args(&words).arg(":").args(&words).args(["--ranks", "2"]).output();
        let output = output.expect("a launcher that starts");
        assert_eq!(output.status.code(), Some(2), "{}", stderr_of(&output));
        assert!(stderr_of(&output).contains("leave --ranks out"), "{}", stderr_of(&output));
    }
}

/// Processes do not load an MPI library that does not belong to their launcher.
#[test]
fn libraries_of_others_are_not_taken() {
    let case = example("acoustics_interface").display().to_string();
    let launchers = Launcher::all();
    let open = launchers.iter().find(|launcher| launcher.is_open);
    let Some((open, other)) = open.zip(launchers.iter().find(|launcher| !launcher.is_open)) else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let library = other.program.parent().map(|bin| bin.join("../lib/libmpi_abi.so.1")).filter(|file| file.is_file());
    let compiler = other.program.with_file_name("mpicc.mpich");
    let arguments = [&[&*case, "--output", "out"][..], &sets_of(&SMALL)].concat();
    let mut command = open.run(folder.path(), 2, &arguments);
    let output = command.env("AMRCLAW_MPI", library.unwrap_or(compiler)).output().expect("a launcher that starts");
    assert_eq!(output.status.code(), Some(1));
    assert!(stderr_of(&output).contains("not the launcher's"), "{}", stderr_of(&output));
    assert!(!folder.path().join("out").exists());
    // A library that has not the standard ABI, named as if it had.
    let own = ["/usr/lib/x86_64-linux-gnu/libmpi.so.40", "/usr/lib/aarch64-linux-gnu/libmpi.so.40"];
    if let Some(library) = own.into_iter().find(|file| Path::new(file).is_file()) {
        let output = open.run(folder.path(), 2, &arguments).env("AMRCLAW_MPI", library).output().expect("a launcher");
        assert_eq!(output.status.code(), Some(1));
        assert!(stderr_of(&output).contains("name the mpicc of this library"), "{}", stderr_of(&output));
    }
}
