//! `amrclaw converge`: errors, orders, files.

use super::{files, program, record};

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
    // By a name of the case.
    let exact = ["--exact", "q = wave", "--set", "define={wave='sin(2*pi*back)',back='x - t'}", "--meshes", "4"];
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

/// With `--ranks` errors and orders are those of one rank, to the last digit.
#[test]
fn ranks_converge_alike() {
    let study = |ranks: &str| {
        let small = ["--exact", "q = sin(2*pi*(x - t))", "--meshes", "2", "--set", "regrid.max_patch_size=8"];
        let (folder, outcome) = converge(&[&small[..], &["--threads", "1", "--ranks", ranks]].concat());
        assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
        let num_ranks = record(&folder.path().join("study/cells_40"))["ranks"].as_array().map_or(1, Vec::len);
        assert_eq!(num_ranks.to_string(), ranks);
        let table = std::fs::read_to_string(folder.path().join("study/converge.csv")).unwrap();
        // The fourth column is seconds.
        let is_error = |column: &(usize, &str)| column.0 != 3;
        let rows = table.lines().map(|row| row.split(',').enumerate().filter(is_error).collect::<Vec<_>>());
        rows.map(|row| format!("{row:?}")).collect::<Vec<_>>()
    };
    assert_eq!(study("3"), study("1"));
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
        (["--exact", ""], "--exact gives no formula; write for example"),
        (["--exact", "q = 1/0"], "`q = 1/0` is inf in the cell at x = 0.025, t = 1; write a formula that has a value"),
        (["--exact", "q = sqrt(-1 - t)"], "`q = sqrt(-1 - t)` is NaN in the cell at x = 0.025, t = 1"),
        (["--exact", "q = 1 / floor(2 * x)"], "is inf in the cell at x = 0.025, t = 1"),
    ];
    for (arguments, reason) in table {
        let (folder, outcome) = converge(&arguments);
        assert_eq!(outcome.code, Some(2), "{}", outcome.stderr);
        assert!(outcome.stderr.contains(reason), "{}", outcome.stderr);
        assert_eq!(files(folder.path()), ["sine.toml"]);
    }
}

/// Runs that would end at different times are refused before the first one, with the key to change.
#[test]
fn errors_are_of_one_time() {
    for reference in [["--exact", "q = sin(2*pi*(x - t))"], ["--reference", "finest"]] {
        let (folder, outcome) = converge(&[&reference[..], &["--set", "time.max_steps=3"]].concat());
        assert_eq!(outcome.code, Some(2), "{}", outcome.stderr);
        assert!(
            outcome.stderr.contains("time.max_steps: ") && outcome.stderr.contains("`time.end`"),
            "{}",
            outcome.stderr
        );
        assert_eq!(files(folder.path()), ["sine.toml"]);
    }
}

/// Files of other programs are refused before the first run, and stay as they are; those of an earlier study are replaced.
#[test]
fn foreign_files_are_kept() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("sine.toml"), CASE).unwrap();
    let study = folder.path().join("study");
    let converge = || -> super::Outcome {
        let mut command = program(folder.path());
        command.args(["converge", "sine.toml", "--output", "study", "--meshes", "2", "--set", "time.end=0.1"]);
        command.output().unwrap().into()
    };
    for name in ["converge.csv", "converge.png", "cells_40/log.txt", "cells_40/frame_0001.vtkhdf"] {
        let path = study.join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, "precious").unwrap();
        let outcome = converge();
        assert_eq!(outcome.code, Some(2), "{}", outcome.stderr);
        assert!(outcome.stderr.contains(&format!("{name} already exists")), "{}", outcome.stderr);
        assert_eq!(std::fs::read(&path).unwrap(), b"precious");
        assert!(!study.join("cells_20").exists(), "nothing has run");
        std::fs::remove_file(&path).unwrap();
    }
    for _ in 0..2 {
        let outcome = converge();
        assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
    }
}
