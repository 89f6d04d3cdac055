//! `amrclaw converge`: errors, orders, files.

use super::{files, program};

/// A sine advected once around a periodic line; its exact solution is known.
const CASE: &str = r#"
[solver]
name = "advection"
u = 1.0
[mesh]
cells = [20]
[mesh.boundary]
x = "periodic"
[scheme]
limiter = "none"
[time]
end = 1.0
[initial]
q = "sin(2*pi*x)"
"#;

fn converge(arguments: &[&str]) -> (tempfile::TempDir, super::Outcome) {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("sine.toml"), CASE).unwrap();
    let mut command = program(folder.path());
    command.args(["converge", "sine.toml", "--output", "study"]).args(arguments);
    let outcome = command.output().unwrap().into();
    (folder, outcome)
}

/// The orders in the last row of the table, in all three norms.
fn last_orders(folder: &std::path::Path) -> Vec<f64> {
    let table = std::fs::read_to_string(folder.join("study/converge.csv")).unwrap();
    let row: Vec<&str> = table.lines().last().unwrap().split(',').collect();
    [5, 7, 9].map(|column| row[column].parse().unwrap()).to_vec()
}

/// Lax–Wendroff shows second order, compared with the exact solution and with the solution on the finest mesh.
#[test]
fn smooth_waves_converge_with_second_order() {
    let exact = ["--exact", "q = sin(2*pi*(x - t))", "--meshes", "4"];
    let (folder, outcome) = converge(&exact);
    assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
    let orders = last_orders(folder.path());
    assert!(orders.iter().all(|order| (1.9..2.2).contains(order)), "{orders:?}");
    assert!(outcome.stdout.contains("160") && outcome.stdout.contains("order"), "{}", outcome.stdout);
    let expected = "cells_160 cells_20 cells_40 cells_80 converge.csv converge.png";
    assert_eq!(files(&folder.path().join("study")).join(" "), expected);

    let (folder, outcome) = converge(&["--reference", "finest"]);
    assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
    // The reference solution's own error is a quarter of that of the last solution compared with it: the order rises to log2(15/3) = 2.3.
    let orders = last_orders(folder.path());
    assert!(orders.iter().all(|order| (2.1..2.5).contains(order)), "{orders:?}");
}

/// The same for sound on a mapped mesh, compared with an exact solution in physical positions, then with the finest mesh.
#[test]
fn waves_on_a_mapped_mesh_converge_with_second_order() {
    let case = r#"
[solver]
name = "acoustics"
density = 1.0
bulk = 1.0
[mesh]
cells = [16, 16]
boundary = { x = "periodic", y = "periodic" }
[mesh.mapping]
x = "X + 0.05 * sin(2*pi*X) * sin(2*pi*Y)"
y = "Y + 0.05 * sin(2*pi*X)"
[scheme]
limiter = "none"
[time]
end = 0.3
[initial]
pressure = "sin(2*pi*x)"
u = "sin(2*pi*x)"
v = "0"
"#;
    let exact = ["--exact", "pressure = sin(2*pi*(x - t)); u = sin(2*pi*(x - t))", "--meshes", "3"];
    for arguments in [&exact[..], &["--meshes", "4"]] {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("bent.toml"), case).unwrap();
        let mut command = program(folder.path());
        command.args(["converge", "bent.toml", "--output", "study"]).args(arguments);
        let outcome = super::Outcome::from(command.output().unwrap());
        assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
        // Only the first norm, the mean: the largest error may be where the mesh is most curved.
        let order = last_orders(folder.path())[0];
        assert!((1.8..2.5).contains(&order), "{arguments:?}: {order}");
    }
}

/// Formulas that cannot be compared are refused before anything runs.
#[test]
fn wrong_formulas_are_refused() {
    let table = [
        (["--exact", "sin(x)"], "names no equation"),
        (["--exact", "p = sin(x)"], "no equation `p`"),
        (["--exact", "q = sin(y)"], "unknown name `y`"),
        (["--exact", "q = sin(x"], "never closed"),
        (["--exact", "q = x; q = 1"], "\"q\" has two formulas"),
    ];
    for (arguments, reason) in table {
        let (folder, outcome) = converge(&arguments);
        assert_eq!(outcome.code, Some(2), "{}", outcome.stderr);
        assert!(outcome.stderr.contains(reason), "{}", outcome.stderr);
        assert_eq!(files(folder.path()), ["sine.toml"]);
    }
}

/// Runs that end at different times are not compared.
#[test]
fn errors_are_of_one_time() {
    let (_folder, outcome) = converge(&["--exact", "q = sin(2*pi*(x - t))", "--set", "time.max_steps=3"]);
    assert_eq!(outcome.code, Some(1), "{}", outcome.stderr);
    assert!(outcome.stderr.contains("the comparison is at t ="), "{}", outcome.stderr);
}
