//! The checks that make up `cargo xtask test`.

use crate::process::{Outcome, cargo, command, run};
use crate::units::{self, Task};
use crate::{docs, gpu, package, paper, python, tidy};
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
    Check { name: "units", what: "unit and integration tests", run: units::run },
    // Before that of Python, whose build leaves another environment to the packages of its interface.
    Check { name: "doc", what: "API documentation", run: doc },
    Check {
        name: "python",
        what: "the Python package, and output files with their Python readers",
        run: python::run_tests,
    },
    Check { name: "doctests", what: "examples in doc comments", run: doctests },
    Check { name: "package", what: "what is published", run: package::check },
    Check { name: "cuda", what: "kernels compile for every solver", run: gpu::compile_kernels },
    Check { name: "doc-blocks", what: "the documentation's code blocks", run: docs::run },
    Check { name: "paper-small", what: "figures of the paper, small", run: paper::small },
];

/// How many run one after another. The next is that of the test programs; when these are built, the others run beside them.
const NUM_FIRST: usize = 3;

/// Runs the first checks in order, up to the first that fails; then builds the test programs, and runs them and the other checks.
pub fn run_all() -> Outcome {
    let start = Instant::now();
    let (first, [programs, others @ ..]) = CHECKS.split_at(NUM_FIRST) else { unreachable!("there are more") };
    let heading = |check: &Check| println!("\n==== {}: {} ====", check.name, check.what);
    std::thread::scope(|scope| -> Outcome {
        // Installs what later checks need while others compile. If this fails, those checks try again and report it.
        let installing = scope.spawn(|| (python::virtual_environment().is_ok(), gpu::nvrtc().is_ok()));
        for check in first {
            heading(check);
            let begin = Instant::now();
            (check.run)().map_err(|message| format!("{}: {message}", check.name))?;
            println!("==== {} passed in {:.0} s ====", check.name, begin.elapsed().as_secs_f64());
        }
        heading(programs);
        let begin = Instant::now();
        let mut tasks = units::programs()?;
        println!("==== {} programs built in {:.0} s ====", tasks.len(), begin.elapsed().as_secs_f64());
        let _ = installing.join();
        // One after another, since most ask cargo to build something first, beside the test program that takes longest.
        tasks.splice(1..1, others.iter().map(apart).collect::<Outcome<Vec<_>>>()?);
        units::run_tasks(tasks)
    })?;
    println!("\nAll {} checks passed in {:.0} s.", CHECKS.len(), start.elapsed().as_secs_f64());
    Ok(())
}

/// A check in a separate process.
fn apart(check: &Check) -> Outcome<Task> {
    let program = std::env::current_exe().map_err(|e| format!("this program's path: {e}"))?;
    let mut run = command(program);
    run.arg(check.name);
    Ok(Task { name: check.name.into(), what: check.what.into(), command: run })
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

fn doctests() -> Outcome {
    run(&mut cargo(&["test", "--workspace", "--doc"]))
}

fn doc() -> Outcome {
    run(cargo(&["doc", "--workspace", "--no-deps"]).env("RUSTDOCFLAGS", "-D warnings"))
}
