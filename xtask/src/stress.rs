//! More of the attacks by random cases than the tests make.

use crate::process::{Outcome, cargo, run};

/// Makes attacks of one kind on an optimised program.
pub fn attack(arguments: &[String]) -> Outcome {
    let usage = "write `stress KIND [--count N] [--seed S]`";
    let (kind, options) = arguments.split_first().ok_or(usage)?;
    let mut tests = cargo(&["test", "--release", "--package", "amrclaw", "--test", "stress", "--"]);
    tests.args(["--nocapture", "--include-ignored"]);
    // The kind is the name of the test, but for wrong values in cases.
    tests.arg(if kind == "cases" { "wrong_values" } else { kind }).env("STRESS_COUNT", "100");
    for option in options.chunks(2) {
        match option {
            [name, value] if name == "--count" => tests.env("STRESS_COUNT", value),
            [name, value] if name == "--seed" => tests.env("STRESS_SEED", value),
            _ => return Err(usage.to_owned()),
        };
    }
    run(&mut tests)
}
