//! The checks that make up `cargo xtask test`.

use crate::process::{Outcome, cargo, command, run};
use crate::{docs, gpu, package, paper, python, tidy};
use std::process::Output;
use std::time::Instant;

struct Check {
    name: &'static str,
    what: &'static str,
    run: fn() -> Outcome,
}

/// All checks, in the order of `cargo xtask test`: those that fail fast come first.
const CHECKS: &[Check] = &[
    Check { name: "fmt", what: "formatting", run: fmt },
    Check { name: "tidy", what: "sizes, module dependencies, links, examples", run: tidy::run },
    Check { name: "clippy", what: "lints", run: clippy },
    Check { name: "units", what: "unit and integration tests", run: units },
    Check { name: "paper-small", what: "figures of the paper, small", run: paper::small },
    Check { name: "doctests", what: "examples in doc comments", run: doctests },
    Check { name: "doc", what: "API documentation", run: doc },
    Check { name: "package", what: "what is published", run: package::check },
    Check {
        name: "python",
        what: "the Python package, and output files with their Python readers",
        run: python::run_tests,
    },
    Check { name: "doc-blocks", what: "the documentation's code blocks", run: docs::run },
    Check { name: "cuda", what: "kernels compile for every solver", run: gpu::compile_kernels },
];

/// When this check begins, the last ones start, one after another in parallel with others: their programs are built by then, and all these
/// mostly do one thing at a time.
const BESIDE_LAST: &str = "paper-small";
/// How many these are.
const NUM_LAST: usize = 2;

/// Runs the checks in order, up to the first that fails; the last ones in separate processes, in parallel with others.
pub fn run_all() -> Outcome {
    let start = Instant::now();
    let (others, last) = CHECKS.split_at(CHECKS.len() - NUM_LAST);
    let heading = |number: usize, check: &Check| {
        println!("\n==== {number}/{} {}: {} ====", CHECKS.len(), check.name, check.what);
    };
    std::thread::scope(|scope| -> Outcome {
        // Installs what the last checks need while others compile. If this fails, those checks try again and report it.
        let mut installing = Some(scope.spawn(|| (python::virtual_environment().is_ok(), gpu::nvrtc().is_ok())));
        let mut beside = None;
        for (i, check) in others.iter().enumerate() {
            heading(i + 1, check);
            if check.name == BESIDE_LAST {
                installing.take().map(std::thread::ScopedJoinHandle::join);
                beside = Some(scope.spawn(|| last.iter().map(run_apart).collect::<Vec<_>>()));
            }
            let begin = Instant::now();
            (check.run)().map_err(|message| format!("{}: {message}", check.name))?;
            println!("==== {} passed in {:.0} s ====", check.name, begin.elapsed().as_secs_f64());
        }
        let results = beside.expect("one of the checks").join().expect("no check panics");
        for (i, (check, (printed, outcome))) in last.iter().zip(results).enumerate() {
            heading(others.len() + i + 1, check);
            print!("{printed}");
            let seconds = outcome.map_err(|message| format!("{}: {message}", check.name))?;
            println!("==== {} passed in {seconds:.0} s, beside others ====", check.name);
        }
        Ok(())
    })?;
    println!("\nAll {} checks passed in {:.0} s.", CHECKS.len(), start.elapsed().as_secs_f64());
    Ok(())
}

/// Runs a check in a separate process; returns what it printed, and its seconds if it passed.
fn run_apart(check: &Check) -> (String, Outcome<f64>) {
    let begin = Instant::now();
    let ended = std::env::current_exe().and_then(|program| command(program).arg(check.name).output());
    match ended {
        Err(e) => (String::new(), Err(format!("cannot start: {e}"))),
        Ok(Output { status, stdout, stderr }) => {
            let printed = [stderr, stdout].map(|text| String::from_utf8_lossy(&text).into_owned()).concat();
            let outcome = if status.success() { Ok(begin.elapsed().as_secs_f64()) } else { Err(status.to_string()) };
            (printed, outcome)
        }
    }
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
