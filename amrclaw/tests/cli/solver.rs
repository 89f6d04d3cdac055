//! Solvers from files are compiled, cached and run; wrong ones are refused.
//!
//! All tests except those of the compiler use one file, compiled once; its parameter `trap` chooses the function that panics.

use super::{Outcome, cache, files, program, record};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

const SOURCE: &str = include_str!("decay.rs");

/// The case of the tests' solver; the rest of the problem is in the solver's file.
const CASE: &str = r#"
initial = "user"
aux = "user"
[solver]
path = "decay.rs"
u = 1.0
[mesh]
cells = [12, 10]
[mesh.boundary]
x = ["user", "extrapolate"]
[levels]
max = 2
[regrid.flag]
criterion = "user"
[time]
end = 0.1
[output]
png = false
"#;

/// A folder with the case and the solver.
fn problem() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("case.toml"), CASE).unwrap();
    std::fs::write(folder.path().join("decay.rs"), SOURCE).unwrap();
    folder
}

/// `amrclaw` with its arguments.
pub fn amrclaw(folder: &Path, arguments: &[&str]) -> Outcome {
    program(folder).args(arguments).output().unwrap().into()
}

/// The library of the tests' solver.
fn kept_library() -> PathBuf {
    let keys = std::fs::read_dir(cache().join("solvers")).unwrap().flatten().map(|entry| entry.path());
    let found = keys.flat_map(|key| files(&key).into_iter().map(move |file| key.join(file)));
    let of_decay = |path: &PathBuf| {
        let bytes = std::fs::read(path).unwrap_or_default();
        // Another test has made one with a further file.
        let inputs = std::fs::read_to_string(path.with_extension("inputs"));
        inputs.is_ok_and(|list| !list.contains("helper.rs")) && bytes.windows(8).any(|word| word == b"trapped ")
    };
    let libraries = found.filter(|path| path.extension().is_some_and(|e| e == std::env::consts::DLL_EXTENSION));
    // Libraries that earlier versions of this program have compiled may be there too.
    let compiled = |path: &PathBuf| path.metadata().and_then(|metadata| metadata.modified()).ok();
    libraries.filter(of_decay).max_by_key(compiled).expect("the compiled solver is kept")
}

/// Asserts that the input was refused with a message that has all these words, and that no output folder was created.
#[track_caller]
pub fn assert_refused(folder: &Path, outcome: &Outcome, words: &[&str]) {
    assert_eq!(outcome.code, Some(2), "{}", outcome.stderr);
    for word in words {
        assert!(outcome.stderr.contains(word), "`{word}` is missing in\n{}", outcome.stderr);
    }
    assert!(!folder.join("output").exists());
}

/// A case runs whose solver, initial data, auxiliary values, boundary and criterion are all in one file, and uses all of these
/// functions. The second run compiles nothing.
#[test]
fn a_file_is_a_whole_problem() {
    let folder = problem();
    let run = |arguments: &[&str]| amrclaw(folder.path(), &[&["run", "case.toml"], arguments].concat());
    let first = run(&["--output", "a"]);
    assert_eq!(first.code, Some(0), "{}", first.stderr);
    let again = run(&["--output", "b"]);
    assert_eq!((again.code, again.stderr.as_str()), (Some(0), ""));
    let [a, b] = ["a", "b"].map(|name| record(&folder.path().join(name)));
    assert_eq!(a["totals_final"], b["totals_final"]);
    // Cells between x = 0.3 and 0.7 have the auxiliary value 1/2, up to the width of coarse and fine cells.
    let initial = a["totals_initial"]["q"].as_f64().unwrap();
    assert!((initial - 0.5 * 0.4).abs() < 0.5 / 12.0, "{initial}");
    // The inflow is y, 1/2 on average, at speed 1 during 0.1; only a little has reached the other sides.
    let inflow = a["totals_final"]["q"].as_f64().unwrap() - initial;
    assert!((inflow - 0.05).abs() < 0.02, "{inflow}");
    // The criterion refines the left quarter, with its buffer.
    let cells = |level: usize| a["cells_advanced"][level].as_f64().unwrap() / a["steps"][level].as_f64().unwrap();
    assert!(cells(1) >= 4.0 * cells(0) * 0.25 && cells(1) < 4.0 * cells(0), "{}", cells(1));
}

/// What a solver's file includes belongs to it, and so do the variables that it reads: changed, they are compiled anew, whatever
/// the times of the files; changed back, nothing is. A copy of the file includes what is beside the copy, and a file that is gone
/// is missed where it is named. Values are small whole numbers, so that totals are exact.
#[test]
fn what_a_file_includes_is_part_of_it() {
    let folder = problem();
    let (dir, copy) = (folder.path(), folder.path().join("copy"));
    let own = "[if (cell.centre[0] - 0.5).abs() < 0.2 { aux[0] } else { 0.0 }]";
    let parts = "[helper::VALUE + include!(\"part.rs\") + include_str!(\"a table.txt\").len() as f64 + \
                 option_env!(\"AMRCLAW_TEST_INPUT\").unwrap_or(\"\").len() as f64]";
    let text = format!("{}\nmod helper;\n", SOURCE.replace(own, parts).replace("cell: &Cell, aux:", "_: &Cell, _:"));
    assert!(text.contains("helper::VALUE") && text.contains("_: &Cell, _:"));
    std::fs::write(dir.join("decay.rs"), &text).unwrap();
    let helper =
        |value: f64| std::fs::write(dir.join("helper.rs"), format!("pub const VALUE: f64 = {value:?};")).unwrap();
    let write = |name: &str, text: &str| std::fs::write(dir.join(name), text).unwrap();
    helper(1.0);
    write("part.rs", "10.0");
    write("a table.txt", "");
    let call = |dir: &Path, variable: Option<&str>| -> Outcome {
        let mut command = program(dir);
        variable.map(|value| command.env("AMRCLAW_TEST_INPUT", value));
        command
            .args(["run", "case.toml", "--set", "time.max_steps=1", "--overwrite", "--output", "out"])
            .output()
            .unwrap()
            .into()
    };
    // The domain's size is 1, so that the total is the value.
    let total = |dir: &Path, variable: Option<&str>| {
        let outcome = call(dir, variable);
        assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
        let total = record(&dir.join("out"))["totals_initial"]["q"].as_f64().unwrap();
        ((total * 1e6).round() / 1e6, outcome.stderr.contains("compiling"))
    };
    assert_eq!(total(dir, None).0, 11.0);
    assert_eq!(total(dir, None), (11.0, false));
    let old = std::fs::metadata(dir.join("helper.rs")).unwrap().modified().unwrap() - Duration::from_secs(3600);
    helper(2.0);
    std::fs::File::options().append(true).open(dir.join("helper.rs")).unwrap().set_modified(old).unwrap();
    assert_eq!(total(dir, None), (12.0, true));
    write("part.rs", "20.0");
    write("a table.txt", "1234");
    assert_eq!(total(dir, Some("123")), (29.0, true));
    helper(1.0);
    write("part.rs", "10.0");
    write("a table.txt", "");
    assert_eq!(total(dir, None), (11.0, false));
    std::fs::create_dir(&copy).unwrap();
    for name in ["case.toml", "decay.rs", "part.rs", "a table.txt"] {
        std::fs::copy(dir.join(name), copy.join(name)).unwrap();
    }
    let outcome = call(&copy, None);
    assert_eq!(outcome.code, Some(2), "{}", outcome.stderr);
    for words in ["decay.rs does not compile", "error[E0583]", "helper.rs", "--> decay.rs:"] {
        assert!(outcome.stderr.contains(words), "`{words}` is missing in\n{}", outcome.stderr);
    }
}

/// `--solver` replaces the case's solver by a source file or a library, for `validate` too.
#[test]
fn the_command_line_names_a_solver() {
    let folder = problem();
    let other = CASE.replace("path = \"decay.rs\"", "name = \"euler\"");
    std::fs::write(folder.path().join("other.toml"), other).unwrap();
    let outcome = amrclaw(folder.path(), &["run", "other.toml", "--solver", "decay.rs", "--quiet", "--output", "a"]);
    assert_eq!((outcome.code, outcome.stderr.as_str()), (Some(0), ""));
    std::fs::copy(kept_library(), folder.path().join("mine.so")).unwrap();
    let outcome = amrclaw(folder.path(), &["run", "other.toml", "--solver", "mine.so", "--output", "b"]);
    assert_eq!((outcome.code, outcome.stderr.as_str()), (Some(0), ""));
    let [a, b] = ["a", "b"].map(|name| record(&folder.path().join(name)));
    assert_eq!(a["totals_final"], b["totals_final"]);
    let outcome = amrclaw(folder.path(), &["validate", "case.toml", "--set", "solver.v=1"]);
    assert_refused(folder.path(), &outcome, &["case.toml", "no parameter `v`", "u, trap"]);
    let outcome = amrclaw(folder.path(), &["validate", "case.toml", "--set", "solver.u=-1"]);
    assert_refused(folder.path(), &outcome, &["solver.u", "positive"]);
}

/// A panic in the solver is an error that names the file's line: at construction and in the initial data before anything is
/// written, at a face with the last good state kept.
#[test]
fn panics_are_reported() {
    let folder = problem();
    for (trap, words) in
        [("1", ["trapped at the start", "decay.rs:"]), ("2", ["trapped in the initial data", "decay.rs:"])]
    {
        let outcome = amrclaw(folder.path(), &["run", "case.toml", "--quiet", "--set", &format!("solver.trap={trap}")]);
        assert_refused(folder.path(), &outcome, &words);
    }
    let unchecked = ["--set", "solver.trap=3", "--check-solver", "off", "--output", "c"];
    let outcome = amrclaw(folder.path(), &[&["run", "case.toml", "--quiet"][..], &unchecked].concat());
    assert_eq!(outcome.code, Some(2), "{}", outcome.stderr);
    assert!(outcome.stderr.contains("trapped at a face") && outcome.stderr.contains("decay.rs:"), "{}", outcome.stderr);
    assert_eq!(record(&folder.path().join("c"))["status"], "failed");
}

/// If a function of the solver's file does not return, the first signal ends the program, and the message names the function.
/// This takes a second; the bound of ten is for busy machines.
#[cfg(unix)]
#[test]
fn endless_functions_are_interrupted() {
    let folder = problem();
    let compiled = amrclaw(folder.path(), &["validate", "case.toml"]);
    assert_eq!(compiled.code, Some(0), "{}", compiled.stderr);
    let mut command = program(folder.path());
    command.args(["run", "case.toml", "--quiet", "--set", "solver.trap=5", "--check-solver", "off", "--output", "out"]);
    let mut child = command.stderr(std::process::Stdio::piped()).spawn().unwrap();
    let start = Instant::now();
    while !files(&folder.path().join("out")).contains(&"frame_0000.vtkhdf".to_owned()) {
        assert!(start.elapsed() < Duration::from_secs(60), "no frame has appeared");
        std::thread::sleep(Duration::from_millis(1));
    }
    std::thread::sleep(Duration::from_millis(200));
    assert!(child.try_wait().unwrap().is_none(), "it does not return");
    let clock = Instant::now();
    assert!(Command::new("kill").args(["-TERM", &child.id().to_string()]).status().unwrap().success());
    let outcome = Outcome::from(child.wait_with_output().unwrap());
    assert!(clock.elapsed() < Duration::from_secs(10), "it took {:?}", clock.elapsed());
    assert_eq!(outcome.code, Some(1), "{}", outcome.stderr);
    assert!(outcome.stderr.contains("`normal` or `transverse`, which does not return"), "{}", outcome.stderr);
}

/// A function of the solver's file that ends the program, or crashes it, is named: no run ends with 0 before its end.
#[cfg(unix)]
#[test]
fn ends_within_a_function_are_failures() {
    let folder = problem();
    for (trap, code, words) in [
        ("6", Some(1), "the solver's `initial` has ended the program"),
        ("9", Some(1), "a thread that the solver has started has ended the program"),
        ("7", None, "the solver's `initial` has crashed (SIGABRT"),
        ("8", None, "the solver's `initial` has crashed (SIGSEGV"),
    ] {
        // In the check before the run, on the program's first thread, and in the run, on another.
        for check in ["on", "off"] {
            let arguments = ["run", "case.toml", "--set", &format!("solver.trap={trap}"), "--check-solver", check];
            let outcome = amrclaw(folder.path(), &arguments);
            assert_eq!(outcome.code, code, "{trap}: {}", outcome.stderr);
            assert!(outcome.stderr.contains(words), "`{words}` is missing in\n{}", outcome.stderr);
        }
    }
    assert!(!folder.path().join("output").exists());
}

/// The compiler's errors are shown with the line of the user's file; a file without a solver has an error of its own.
#[test]
fn compile_errors_are_the_compilers_own() {
    let folder = problem();
    let broken = SOURCE.replace("let wave = qr[0] - ql[0];", "let wave = qr[0] - qm[0];");
    let line = broken.lines().position(|line| line.contains("qm[0]")).unwrap() + 1;
    std::fs::write(folder.path().join("broken.rs"), broken).unwrap();
    let outcome = amrclaw(folder.path(), &["run", "case.toml", "--solver", "broken.rs"]);
    let place = format!("broken.rs:{line}:");
    assert_refused(folder.path(), &outcome, &["broken.rs does not compile", "error[E0425]", &place, "qm[0]"]);
    // One missing semicolon is one mistake, and a few lines.
    let broken = SOURCE.replace("let wave = qr[0] - ql[0];", "let wave = qr[0] - ql[0]");
    std::fs::write(folder.path().join("broken.rs"), broken).unwrap();
    let outcome = amrclaw(folder.path(), &["run", "case.toml", "--solver", "broken.rs"]);
    assert_refused(folder.path(), &outcome, &["broken.rs does not compile", "expected `;`", "broken.rs:"]);
    assert!(!outcome.stderr.contains("trait") && !outcome.stderr.contains("warning"), "{}", outcome.stderr);
    assert!(outcome.stderr.lines().count() < 20, "{}", outcome.stderr);
    std::fs::write(folder.path().join("empty.rs"), "pub struct Empty;").unwrap();
    let outcome = amrclaw(folder.path(), &["run", "case.toml", "--solver", "empty.rs"]);
    assert_refused(folder.path(), &outcome, &["holds no solver", "solver new"]);
    let outcome = amrclaw(folder.path(), &["run", "case.toml", "--solver", "absent.rs"]);
    assert_refused(folder.path(), &outcome, &["absent.rs", "cannot read"]);
}

/// Without a compiler a file cannot be loaded, and the message says what to install.
#[test]
fn a_missing_toolchain_is_named() {
    let folder = problem();
    let mut command = program(folder.path());
    command.env("AMRCLAW_CACHE", folder.path().join("cache")).env("PATH", "").env_remove("RUSTC").env_remove("CARGO");
    let outcome: Outcome = command.args(["run", "case.toml"]).output().unwrap().into();
    assert_refused(folder.path(), &outcome, &["rustc cannot be run", "rustup.rs", "case.toml:5:8"]);
}

/// Libraries that are not plugins, and plugins of other versions, are refused by different errors. The C compiler makes them.
#[cfg(unix)]
#[test]
fn other_libraries_are_refused() {
    let folder = problem();
    let make = |name: &str, text: &str| {
        let source = folder.path().join(name).with_extension("c");
        std::fs::write(&source, text).unwrap();
        let made =
            Command::new("cc").args(["-shared", "-fPIC", "-o"]).arg(folder.path().join(name)).arg(source).status();
        assert!(made.is_ok_and(|status| status.success()));
        amrclaw(folder.path(), &["run", "case.toml", "--solver", name])
    };
    let outcome = make("plain.so", "int other(void) { return 1; }");
    assert_refused(folder.path(), &outcome, &["plain.so", "no `riemann_plugin`"]);
    // A library that is refused has run none of its code.
    let entry = "#include <stdlib.h>\n__attribute__((constructor)) void at_once(void) { abort(); }\n\
                 void *riemann_plugin(void) { return 0; }\n";
    let outcome = make("older.so", entry);
    assert_refused(folder.path(), &outcome, &["older.so", "older version", "build the solver again"]);
    let statement = "const struct { char mark[8]; unsigned long long version, layout; char riemann[24], toolchain[80]; } \
                     RIEMANN_PLUGIN = ";
    let old = format!("{entry}{statement}{{ \"riemann\\1\", 77, 1, \"0.0.1\", \"an old rustc\" }};");
    let outcome = make("old.so", &old);
    assert_refused(folder.path(), &outcome, &["version 77", "0.0.1", "an old rustc", "build the solver again"]);
    let foreign = format!("{entry}{statement}{{ \"foreign\", 1, 1, \"\", \"\" }};");
    let outcome = make("foreign.so", &foreign);
    assert_refused(folder.path(), &outcome, &["foreign.so", "not a plugin"]);
    std::fs::write(folder.path().join("text.so"), "not a library").unwrap();
    let outcome = amrclaw(folder.path(), &["run", "case.toml", "--solver", "text.so"]);
    assert_refused(folder.path(), &outcome, &["text.so cannot be loaded"]);
}

/// A truncated library is refused: the loader would map the missing part, and the program would crash. So is a run in `f32` with
/// one that has kernels in `f64` alone, as those have that the program keeps.
#[cfg(target_os = "linux")]
#[test]
fn truncated_libraries_are_refused() {
    let folder = problem();
    let outcome = amrclaw(folder.path(), &["validate", "case.toml"]);
    assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
    let whole = std::fs::read(kept_library()).unwrap();
    for part in [10, 3, 2] {
        std::fs::write(folder.path().join("cut.so"), &whole[..whole.len() - whole.len() / part]).unwrap();
        let outcome = amrclaw(folder.path(), &["run", "case.toml", "--solver", "cut.so"]);
        assert_refused(folder.path(), &outcome, &["cut.so cannot be loaded: it is damaged: a part is missing"]);
    }
    std::fs::write(folder.path().join("whole.so"), whole).unwrap();
    let outcome = amrclaw(folder.path(), &["run", "case.toml", "--solver", "whole.so", "--precision", "f32"]);
    assert_refused(folder.path(), &outcome, &["solver.path: the library of `decay` has no kernels in `f32`", "`.rs`"]);
}

/// Anything damaged or replaced in the cache of compiled solvers is built again, and no error blames the user's file: the
/// library, its digest, a source that solvers are compiled against, the compiler's own files. A cache that other users may write
/// to is refused.
#[cfg(unix)]
#[test]
fn the_folder_of_compiled_solvers_heals() {
    use std::os::unix::fs::PermissionsExt;
    let folder = problem();
    let cache = folder.path().join("cache");
    let validate = || -> Outcome {
        let mut command = program(folder.path());
        command.env("AMRCLAW_CACHE", &cache).args(["validate", "case.toml"]).output().unwrap().into()
    };
    let compiled = |outcome: &Outcome| {
        assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
        outcome.stderr.contains("compiling decay.rs")
    };
    assert!(compiled(&validate()));
    assert_eq!(std::fs::metadata(&cache).unwrap().permissions().mode() & 0o777, 0o700);
    assert!(!compiled(&validate()), "what is whole is not compiled again");
    let find = |folder: &Path, name: &str| {
        let entries = std::fs::read_dir(folder).unwrap().flatten().map(|entry| entry.path());
        entries.into_iter().find(|path| path.file_name().unwrap().to_string_lossy().contains(name)).expect(name)
    };
    let key = find(&cache.join("solvers"), "");
    let digest = find(&key, &format!("{}.digest", std::env::consts::DLL_SUFFIX));
    let library = digest.with_extension("");
    // Where there is no compiler it is found too, in the precision that was prepared.
    let without_rust = |arguments: &[&str]| -> Outcome {
        let mut command = program(folder.path());
        command.env("AMRCLAW_CACHE", &cache).env("PATH", "").env_remove("RUSTC").env_remove("CARGO");
        command.args(arguments).output().unwrap().into()
    };
    let prepare = ["solver", "prepare", "case.toml"];
    assert!(!compiled(&without_rust(&prepare)));
    let single = [&prepare[..], &["--single"]].concat();
    assert_refused(folder.path(), &without_rust(&single), &["cargo cannot be run", "amrclaw solver prepare CASE.toml"]);
    std::fs::copy("/bin/sh", &library).unwrap();
    assert!(compiled(&validate()), "a replaced library is not run");
    std::fs::write(&digest, "").unwrap();
    assert!(compiled(&validate()));
    let sources = find(&cache, "riemann-");
    std::fs::write(sources.join("riemann/src/axis.rs"), "damaged").unwrap();
    let built = find(&sources.join("target/release/deps"), "libriemann-").with_extension("rlib");
    std::fs::write(built, "damaged").unwrap();
    std::fs::remove_file(&library).unwrap();
    assert!(compiled(&validate()));
    std::fs::set_permissions(&cache, PermissionsExt::from_mode(0o777)).unwrap();
    assert_refused(folder.path(), &validate(), &["may be written to by other users", "chmod 700"]);
}

/// `validate --no-code` checks the case and that the solver's file exists, and runs none of its code: it accepts a file that does
/// not compile and a library that would end the program, and refuses a wrong case.
#[test]
fn validate_without_code_runs_none() {
    let folder = problem();
    std::fs::write(folder.path().join("broken.rs"), format!("{SOURCE} this is no Rust")).unwrap();
    let validate = |more: &[&str]| -> Outcome {
        let mut command = program(folder.path());
        command.env("AMRCLAW_CACHE", folder.path().join("cache")).args(["validate", "case.toml", "--no-code"]);
        command.args(more).output().unwrap().into()
    };
    let outcome = validate(&["--set", "solver.path=broken.rs"]);
    assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
    assert!(outcome.stdout.contains("not checked: that it compiles"), "{}", outcome.stdout);
    assert!(!folder.path().join("cache").exists());
    let outcome = validate(&["--set", "regrid.cutoff=7"]);
    assert_refused(folder.path(), &outcome, &["regrid.cutoff", "1 problem in"]);
    std::fs::write(folder.path().join("empty.rs"), "pub struct Empty;").unwrap();
    assert_refused(folder.path(), &validate(&["--set", "solver.path=empty.rs"]), &["solver.path", "holds no solver"]);
    std::fs::write(folder.path().join("text.so"), "not a library").unwrap();
    assert_refused(folder.path(), &validate(&["--set", "solver.path=text.so"]), &["not an ELF shared library"]);
    let mut built_in = program(folder.path());
    let outcome = built_in.arg("validate").arg(super::example("burgers_square")).arg("--no-code").output().unwrap();
    assert_eq!(outcome.status.code(), Some(0));
}
