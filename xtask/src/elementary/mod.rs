//! The elementary functions: coefficients of their polynomials, and their errors.

use crate::process::{Outcome, command, root, run};
use crate::python::{elementary_samples, virtual_environment};
use std::path::Path;

/// Prints the coefficients of the polynomials and the constants in parts, as they stand in `riemann/src/elementary`.
pub fn minimax() -> Outcome {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/elementary/minimax.py");
    run(command(virtual_environment()?).arg(script))
}

/// Prints the largest error of each function at many points; fails if one exceeds the stated bound.
pub fn errors(arguments: &[String]) -> Outcome {
    let points = match arguments {
        [] => "100000",
        [option, points] if option == "--points" => points,
        _ => return Err(format!("expected `--points N` or nothing, but was given {arguments:?}")),
    };
    let folder = elementary_samples(points)?;
    let script = root().join("python/tests/elementary_reference.py");
    run(command(virtual_environment()?).arg(script).arg(folder))
}
