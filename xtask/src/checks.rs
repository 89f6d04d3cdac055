//! The checks that make up `cargo xtask test`.

use crate::gpu;
use crate::process::{Outcome, cargo, run};
use crate::{docs, paper, python, stress, tidy};
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
    Check { name: "stress-share", what: "random cases against the command line", run: stress::share },
    Check { name: "paper-small", what: "figures of the paper, small", run: paper::small },
    Check { name: "doctests", what: "examples in doc comments", run: doctests },
    Check { name: "doc", what: "API documentation", run: doc },
    Check { name: "doc-blocks", what: "the documentation's links and code blocks", run: docs::check },
    Check {
        name: "python",
        what: "the Python package, and output files with their Python readers",
        run: python::run_tests,
    },
    Check { name: "cuda", what: "kernels compile for every solver", run: gpu::compile_kernels },
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
