//! `solver new`, `check` and `list`: templates of solvers, checks of solvers, and the built-in ones.

use super::solver::{amrclaw, assert_refused};
use super::{files, record};

/// `solver new` writes a solver that passes every check and a case that runs with it, and does not overwrite files. A
/// mistake put into it is found by the right check, with a face that shows it, and before a run, each time, unless that is not wanted.
#[test]
fn a_new_solver_passes_its_checks_and_runs() {
    let folder = tempfile::tempdir().unwrap();
    let (dir, new) = (folder.path(), ["solver", "new", "my_tides"]);
    let outcome = amrclaw(dir, &new);
    assert_eq!(
        (outcome.code, files(dir).join(" ").as_str()),
        (Some(0), "my_tides.rs my_tides.toml"),
        "{}",
        outcome.stderr
    );
    assert_refused(dir, &amrclaw(dir, &new), &["my_tides.rs already exists"]);
    assert_refused(dir, &amrclaw(dir, &["solver", "new", "My-Tides"]), &["small letters"]);
    for name in ["self", "normal", "cell"] {
        let outcome = amrclaw(dir, &["solver", "new", name]);
        let refused = [format!("cannot be called \"{name}\""), format!("such as {name}_solver")];
        assert_refused(dir, &outcome, &refused.each_ref().map(String::as_str));
        assert!(!dir.join(name).with_extension("rs").exists());
    }

    let outcome = amrclaw(dir, &["solver", "check", "my_tides.rs", "--case", "my_tides.toml", "--set", "bulk=2.5"]);
    assert_eq!(outcome.code, Some(0), "{}{}", outcome.stdout, outcome.stderr);
    assert!(outcome.stdout.contains("density = 1, bulk = 2.5"), "{}", outcome.stdout);
    let verdicts = |text: &str, word: &str| text.lines().filter(|line| line.ends_with(&format!("  {word}"))).count();
    assert_eq!(verdicts(&outcome.stdout, "holds"), 13, "the case is for two dimensions: {}", outcome.stdout);
    let outcome = amrclaw(dir, &["solver", "check", "my_tides.rs"]);
    assert_eq!(outcome.code, Some(0), "{}{}", outcome.stdout, outcome.stderr);
    for form in ["\n1D, 2 equations, 2 waves", "\n2D, 3 equations", "\n3D, 4 equations"] {
        assert!(outcome.stdout.contains(form), "{form} is missing in\n{}", outcome.stdout);
    }
    let outcome = amrclaw(dir, &["solver", "list", "my_tides.rs"]);
    for words in ["my_tides", "1D 2D 3D", "equations: pressure, u, v, w", "density (density; 1 unless given)"] {
        assert!(outcome.stdout.contains(words), "{words} is missing in\n{}", outcome.stdout);
    }
    let sets = ["--set", "mesh.cells=[20,20]", "--set", "time.end=0.1", "--set", "output.png=false"];
    let outcome = amrclaw(dir, &[&["run", "my_tides.toml", "--output", "out"][..], &sets].concat());
    assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
    assert_eq!(record(&dir.join("out"))["cells_advanced"].as_array().unwrap().len(), 3);

    let text = std::fs::read_to_string(dir.join("my_tides.rs")).unwrap();
    let wrong = text.replace("apdq[m] = c * waves[1][m];", "apdq[m] = c * waves[0][m];");
    assert_ne!(wrong, text);
    std::fs::write(dir.join("wrong.rs"), wrong).unwrap();
    let outcome = amrclaw(dir, &["solver", "check", "wrong.rs"]);
    assert_eq!(outcome.code, Some(1), "{}", outcome.stderr);
    assert!(verdicts(&outcome.stdout, "FAILS") >= 2 && verdicts(&outcome.stdout, "holds") >= 4, "{}", outcome.stdout);
    assert!(
        outcome.stdout.contains("flux difference: fails at a face along x between\n  ql: pressure = "),
        "{}",
        outcome.stdout
    );
    assert!(outcome.stderr.contains("properties do not hold"), "{}", outcome.stderr);
    let run = |more: &[&str]| {
        amrclaw(dir, &[&["run", "my_tides.toml", "--solver", "wrong.rs", "--quiet"][..], more].concat())
    };
    for _ in 0..2 {
        let line = "fluctuations sum to what the waves move: fails at a face along x between";
        assert_refused(dir, &run(&[]), &["`my_tides` is not a solver", line, "solver check", "--check-solver off"]);
    }
    let outcome = run(&["--check-solver", "off", "--set", "time.max_steps=1", "--output", "unchecked"]);
    assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
}

/// A solver that is generic over dimensions takes the number of the case's mesh. The one that `solver new` writes has the formulas of the
/// built-in acoustics: in one, two and three dimensions, with a fine level and transverse waves, it gives the same frames, byte for
/// byte.
#[test]
fn a_file_has_as_many_dimensions_as_the_mesh() {
    let folder = tempfile::tempdir().unwrap();
    let dir = folder.path();
    assert_eq!(amrclaw(dir, &["solver", "new", "my_tides"]).code, Some(0));
    for (cells, r, walls) in [
        ("17", "x", ""),
        ("17, 14", "sqrt(x^2 + y^2)", "y = [\"wall\", \"wall\"]"),
        ("13, 10, 11", "sqrt(x^2 + y^2 + z^2)", "y = [\"wall\", \"wall\"]\nz = [\"extrapolate\", \"wall\"]"),
    ] {
        let dimension = cells.split(',').count();
        let ones = vec!["1.0"; dimension].join(", ");
        let rest = ["u = 0", "u = 0\nv = 0", "u = 0\nv = 0\nw = 0"][dimension - 1];
        let case = format!(
            "[initial]\npressure = \"exp(-20 * ({r} - 0.2)^2)\"\n{rest}\n[solver]\nname = \"acoustics\"\ndensity = 1.0\nbulk = 4.0\n\
             [mesh]\nlower = [{}]\nupper = [{ones}]\ncells = [{cells}]\n[mesh.boundary]\nx = [\"wall\", \"extrapolate\"]\n{walls}\n\
             [levels]\nmax = 2\n[regrid.flag]\ntolerance = 0.2\n[time]\nend = 0.1\n[output]\ncount = 1\npng = false\n",
            ones.replace('1', "-1"),
        );
        std::fs::write(dir.join("sound.toml"), case).unwrap();
        for more in [&["--output", "built_in"][..], &["--output", "own", "--solver", "my_tides.rs"]] {
            let outcome = amrclaw(dir, &[&["run", "sound.toml", "--quiet", "--overwrite"], more].concat());
            assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
        }
        assert!(record(&dir.join("own"))["cells_advanced"][1].as_u64().unwrap() > 0);
        let frame = |run: &str| std::fs::read(dir.join(run).join("frame_0001.vtkhdf")).unwrap();
        assert!(frame("own") == frame("built_in"), "[{cells}]");
    }
}

/// Built-in solvers are checked by name, in every number of dimensions that they have, and listed; all of them pass every check.
/// Other names are refused.
#[test]
fn built_in_solvers_are_checked_and_listed() {
    let folder = tempfile::tempdir().unwrap();
    for name in riemann::catalogue::names() {
        let outcome = amrclaw(folder.path(), &["solver", "check", name]);
        assert_eq!(outcome.code, Some(0), "{}{}", outcome.stdout, outcome.stderr);
        for dim in riemann::catalogue::dimensions(name) {
            assert!(outcome.stdout.contains(&format!("\n{dim}D, ")), "{}", outcome.stdout);
        }
    }
    let outcome = amrclaw(folder.path(), &["solver", "check", "acoustics", "--set", "bulk=9"]);
    assert_eq!(outcome.code, Some(0), "{}{}", outcome.stdout, outcome.stderr);
    assert!(outcome.stdout.contains("density = 1.3, bulk = 9"), "{}", outcome.stdout);
    assert_refused(
        folder.path(),
        &amrclaw(folder.path(), &["solver", "check", "nothing"]),
        &["acoustics", "nothing.rs"],
    );
    let wrong = amrclaw(folder.path(), &["solver", "check", "acoustics", "--set", "bulk=-1"]);
    assert_refused(folder.path(), &wrong, &["bulk", "positive"]);
    let outcome = amrclaw(folder.path(), &["solver", "list"]);
    for word in ["acoustics_variable", "sound_speed", "gamma (ratio of specific heats; 1.4 unless given)"] {
        assert!(outcome.stdout.contains(word), "{word} is missing in\n{}", outcome.stdout);
    }
}
