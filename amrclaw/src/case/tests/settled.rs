//! Settings whose defaults depend on the solver.

use super::*;
use crate::physics::{SourceSplit, Split};

/// Advection in a few dimensions, with `transverse` or without.
fn advection(dimension: usize, has_transverse: bool) -> SolverShape {
    let choice =
        SolverChoice { from: SolverFrom::Name("advection".into()), dimension: Some(2), parameters: Default::default() };
    SolverShape { dimension, has_transverse, ..find_built_in(&choice).unwrap() }
}

const PUFF: &str = "\
[solver]
name = \"advection\"
u = 1.0
v = 0.5
[mesh]
cells = [20, 30]
[scheme]
order = 2
[time]
end = 2
[initial]
q = 0
";

fn settled(shape: &SolverShape, overrides: &[&str]) -> Result<ResolvedSettings, CaseErrors> {
    let overrides: Vec<String> = overrides.iter().map(|o| (*o).to_string()).collect();
    Case::from_str_with(PUFF, "case.toml", &overrides, |_| Ok(shape.clone())).map(|case| *case.settled())
}

/// Checks that there is one mistake, at `key`, whose message and help contain all these words.
#[track_caller]
fn assert_refused(outcome: Result<ResolvedSettings, CaseErrors>, key: &str, words: &[&str]) {
    let errors = outcome.unwrap_err().errors;
    assert_eq!((errors.len(), errors[0].key.as_str()), (1, key), "{errors:?}");
    let said = format!("{} = {}", errors[0].message, errors[0].help);
    for word in words {
        assert!(said.contains(word), "no `{word}` in {said}");
    }
}

/// Without `transverse` sweeps are split unless the case says otherwise, and Courant numbers are stable ones; in one
/// dimension there is nothing to split.
#[test]
fn solvers_without_transverse_are_split() {
    let (with, without) = (advection(2, true), advection(2, false));
    let plain = settled(&with, &[]).unwrap();
    assert_eq!((plain.split, plain.transverse, plain.cfl_desired, plain.cfl_max), (Split::Unsplit, 2, 0.9, 1.0));
    let split = settled(&without, &[]).unwrap();
    assert_eq!((split.split, split.transverse, split.cfl_desired, split.cfl_max), (Split::Strang, 0, 0.9, 1.0));
    assert_eq!(settled(&without, &["scheme.order=1"]).unwrap().split, Split::Godunov);
    assert_eq!(settled(&without, &["scheme.split=godunov"]).unwrap().split, Split::Godunov);
    let unsplit = settled(&without, &["scheme.split=unsplit", "scheme.order=1"]).unwrap();
    assert_eq!((unsplit.split, unsplit.cfl_desired, unsplit.cfl_max), (Split::Unsplit, 0.45, 0.5));
    let line = SolverShape { dimension: 1, ..without };
    let case = CaseSettings::from_str(PUFF, "case.toml", &["mesh.cells=[20]".to_string()]).unwrap();
    assert_eq!((case.resolved_for(&line).split, case.resolved_for(&line).cfl_max), (Split::Unsplit, 1.0));
}

/// Courant numbers beyond what is stable are refused at their key, with what to write; `allow_unstable` lets them pass.
#[test]
fn unstable_courant_numbers_are_refused() {
    let (with, without) = (advection(2, true), advection(2, false));
    let donor = ["scheme.split=unsplit", "scheme.transverse=0"];
    let limited = settled(&with, &donor).unwrap();
    assert!((limited.cfl_max - 0.29289).abs() < 1e-5 && (limited.cfl_desired / limited.cfl_max - 0.9).abs() < 1e-15);
    let more = |shape, sets: &[&str]| settled(shape, &[&donor[..], sets].concat());
    let words = ["is 0.9", "order 2, limiter mc, without transverse waves in 2D", "up to Courant number 0.292 only"];
    assert_refused(more(&with, &["time.cfl_desired=0.9"]), "time.cfl_desired", &words);
    let ways = ["write 0.292 or less", "`split = \"strang\"` or `transverse = 2` under `[scheme]`"];
    assert_refused(more(&with, &["time.cfl_desired=0.9"]), "time.cfl_desired", &ways);
    assert_refused(more(&with, &["time.cfl_max=1.0"]), "time.cfl_max", &["is 1", "write 0.292 or less"]);
    let words = ["is 0.6", "the solver `advection` has no `transverse`", "number 0.5", "`split = \"godunov\"` under"];
    let first = ["scheme.order=1", "time.cfl_desired=0.6"];
    assert_refused(more(&without, &first), "time.cfl_desired", &words);
    assert_eq!(more(&with, &["time.cfl_desired=0.25", "time.cfl_max=0.29"]).unwrap().cfl_desired, 0.25);
    let allowed = more(&with, &["scheme.allow_unstable=true", "scheme.limiter=none"]).unwrap();
    assert_eq!((allowed.cfl_desired, allowed.cfl_max, allowed.stable_courant), (0.9, 1.0, None));
}

/// Where no Courant number can be relied on, the scheme itself is refused.
#[test]
fn schemes_that_are_never_stable_are_refused() {
    let with = advection(2, true);
    let words = ["limiter none", "not reliably stable", "transverse = 2", "allow_unstable = true"];
    let none = ["scheme.transverse=0", "scheme.limiter=none"];
    assert_refused(settled(&with, &none), "scheme.transverse", &words);
    assert_refused(settled(&with, &[&none[..], &["scheme.split=unsplit"]].concat()), "scheme.split", &words);
    assert!(settled(&with, &[&none[..], &["scheme.split=strang"]].concat()).is_ok());
}

/// In three dimensions the second-order corrections need transverse waves, and these need double transverse waves: the help names what is
/// missing.
#[test]
fn three_dimensions_need_all_transverse_waves() {
    let space = advection(3, true);
    let found = |sets: &[&str]| settled(&space, &[&["mesh.cells=[9,8,7]"], sets].concat());
    let whole = found(&[]).unwrap();
    assert_eq!((whole.transverse, whole.cfl_desired, whole.cfl_max), (2, 0.9, 1.0));
    let single = "scheme.double_transverse=false";
    assert_eq!(found(&[single]).unwrap().cfl_max, 0.5);
    assert_eq!(found(&["scheme.order=1", "scheme.transverse=1"]).unwrap().cfl_max, 1.0);
    assert_eq!(found(&["scheme.order=1", "scheme.transverse=0"]).unwrap().cfl_max, 1.0 / 3.0);
    assert_eq!(found(&["scheme.split=strang", "scheme.transverse=0"]).unwrap().cfl_max, 1.0);

    let words = [
        "order 2 with `transverse = 2`, `double_transverse = false` in 3D",
        "number 0.5",
        "or `double_transverse = true`",
    ];
    assert_refused(found(&[single, "time.cfl_desired=0.6"]), "time.cfl_desired", &words);
    let words = ["order 1 with", "number 0.5", "or `double_transverse = true`"];
    let first = ["scheme.order=1", "scheme.transverse=1", single, "time.cfl_max=0.8"];
    assert_refused(found(&first), "time.cfl_max", &words);
    let words = ["order 2 with `transverse = 1` in 3D", "not reliably stable", "or `transverse = 2` under"];
    assert_refused(found(&["scheme.transverse=1"]), "scheme.transverse", &words);
    let words = ["not reliably stable", "or `transverse = 2` with `double_transverse = true` under"];
    assert_refused(found(&["scheme.transverse=1", single]), "scheme.transverse", &words);
    let words = ["limiter none, without transverse waves in 3D", "not reliably stable", "or `transverse = 2` under"];
    assert_refused(found(&["scheme.transverse=0", "scheme.limiter=none"]), "scheme.transverse", &words);
}

/// A source term of the case or of the solver acts, unless the case turns it off.
#[test]
fn source_terms_act() {
    let with = advection(2, true);
    let own = SolverShape { has_source: true, ..with.clone() };
    let source = |shape, sets: &[&str]| settled(shape, sets).unwrap().source;
    assert_eq!(source(&with, &[]), SourceSplit::None);
    assert_eq!(source(&own, &[]), SourceSplit::Godunov);
    assert_eq!(source(&with, &["source.q=-q"]), SourceSplit::Godunov);
    assert_eq!(source(&own, &["scheme.source=none"]), SourceSplit::None);
    assert_eq!(source(&own, &["scheme.source=strang"]), SourceSplit::Strang);
}
