//! The checks that make up `cargo xtask test`.

use crate::process::{Outcome, build_program, cargo, command, output, root, run, target_dir};
use crate::tidy;
use std::path::PathBuf;
use std::time::Instant;

struct Check {
    name: &'static str,
    what: &'static str,
    run: fn() -> Outcome,
}

/// In the order of `cargo xtask test`: what fails fast comes first.
const CHECKS: &[Check] = &[
    Check { name: "fmt", what: "formatting", run: fmt },
    Check { name: "tidy", what: "sizes, module dependencies, links, examples", run: tidy::run },
    Check { name: "clippy", what: "lints", run: clippy },
    Check { name: "units", what: "unit and integration tests", run: units },
    Check { name: "doctests", what: "examples in doc comments", run: doctests },
    Check { name: "doc", what: "API documentation", run: doc },
    Check { name: "python", what: "output files and their Python readers", run: python },
];

/// Runs every check in order, up to the first that fails.
pub fn run_all() -> Outcome {
    let start = Instant::now();
    for (i, check) in CHECKS.iter().enumerate() {
        println!("\n==== {}/{} {}: {} ====", i + 1, CHECKS.len(), check.name, check.what);
        let begin = Instant::now();
        (check.run)().map_err(|message| format!("{}: {message}", check.name))?;
        println!("==== {} passed in {:.0} s ====", check.name, begin.elapsed().as_secs_f64());
    }
    println!("\nAll {} checks passed in {:.0} s.", CHECKS.len(), start.elapsed().as_secs_f64());
    Ok(())
}

/// Runs the check of that name; `None` if there is none.
pub fn run_one(name: &str) -> Option<Outcome> {
    CHECKS.iter().find(|check| check.name == name).map(|check| (check.run)())
}

fn fmt() -> Outcome {
    run(&mut cargo(&["fmt", "--all", "--check"]))
}

fn clippy() -> Outcome {
    run(&mut cargo(&["clippy", "--workspace", "--all-targets", "--", "-D", "warnings"]))
}

fn units() -> Outcome {
    run(&mut cargo(&["test", "--workspace", "--lib", "--bins", "--tests", "--examples"]))
}

fn doctests() -> Outcome {
    run(&mut cargo(&["test", "--workspace", "--doc"]))
}

fn doc() -> Outcome {
    run(cargo(&["doc", "--workspace", "--no-deps"]).env("RUSTDOCFLAGS", "-D warnings"))
}

/// Runs pytest on `python/`. It finds the command line in `AMRCLAW`, built as for the tests and not a second time, and
/// sample frames of every format, which a Rust test writes, in `AMRCLAW_FRAMES_DIR`.
fn python() -> Outcome {
    let program = build_program("test", "debug")?;
    let frames = target_dir().join("python-frames");
    let writer = ["test", "--quiet", "--workspace", "--test", "output_formats"];
    run(cargo(&writer).env("AMRCLAW_FRAMES_DIR", &frames))?;
    let interpreter = virtual_environment()?;
    let mut pytest = command(interpreter);
    run(pytest.args(["-m", "pytest", "python"]).env("AMRCLAW", program).env("AMRCLAW_FRAMES_DIR", frames))
}

/// The interpreter of a virtual environment that holds `python/requirements-test.txt`, made or renewed if need be.
fn virtual_environment() -> Outcome<PathBuf> {
    let folder = target_dir().join("python-venv");
    let interpreter = folder.join("bin").join("python");
    let requirements = root().join("python/requirements-test.txt");
    let wanted = std::fs::read_to_string(&requirements).map_err(|e| format!("{}: {e}", requirements.display()))?;
    // The copy is written last, so that an installation that was cut off is made anew.
    let installed = folder.join("requirements-installed.txt");
    if std::fs::read_to_string(&installed).is_ok_and(|text| text == wanted) {
        return Ok(interpreter);
    }
    let python = std::env::var_os("PYTHON").unwrap_or_else(|| "python3".into());
    run(command(python).args(["-m", "venv", "--clear"]).arg(&folder))?;
    output(
        command(&interpreter)
            .args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--requirement"])
            .arg(&requirements),
    )?;
    std::fs::write(&installed, wanted).map_err(|e| format!("{}: {e}", installed.display()))?;
    Ok(interpreter)
}
