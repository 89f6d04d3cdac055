//! Parameters of the solver that are computed of the solution before each step: `[reduce]`.

use super::common::{bits, case, options, start, take_steps};
use amrclaw::case::{Case, find_built_in};
use amrclaw::frames::RunRecord;
use amrclaw::simulation::{RunFiles, Simulation, run};
use std::ops::ControlFlow;

const REDUCED: &str = include_str!("../cases/restart/reduced.toml");

fn bulk(simulation: &Simulation<2>) -> f64 {
    simulation.reduced().next().expect("the bulk modulus").1
}

/// Where the formula is constant, the run is that with the parameter under `[solver]`, to the bit: waves, source, inflow and flags alike.
#[test]
fn a_constant_value_is_that_of_the_solver() {
    let constant = ["reduce.bulk=\"2.5 + 0 * max(pressure)\"", "solver.bulk=7"];
    let (before, after) = REDUCED.split_once("[reduce]").expect("the case has it");
    let text = format!("{before}{}", &after[after.find("[define]").expect("what follows")..]);
    let mut reduced = start(REDUCED, &[constant[0], "solver.bulk=2.5"]);
    let mut given = start(&text, &["solver.bulk=2.5"]);
    take_steps(&mut reduced, 4);
    take_steps(&mut given, 4);
    assert!(bits(&reduced.frame()) == bits(&given.frame()));
    assert!(reduced.hierarchy().num_levels() == 3, "flags depend on the parameter");
    // The value under [solver] holds until the first step: no initial data here depend on it but the first levels.
    let mut other = start(REDUCED, &[&constant[..], &["levels.max=1"]].concat());
    let mut plain = start(&text, &["solver.bulk=2.5", "levels.max=1"]);
    assert_eq!(bulk(&other), 7.0);
    take_steps(&mut other, 3);
    take_steps(&mut plain, 3);
    assert!(bits(&other.frame()) == bits(&plain.frame()) && bulk(&other) == 2.5);
}

/// The values are the reductions of the state in which a step begins, where the solution is finest; a step that is taken again has the same.
#[test]
fn values_are_those_of_the_state_before_the_step() {
    let set = ["reduce.bulk=\"1 + max(abs(pressure))\"", "time.dt_initial=3.0"];
    let mut simulation = start(REDUCED, &set);
    for _ in 0..3 {
        let frame = simulation.frame();
        let patches = frame.levels.iter().flat_map(|level| &level.patches);
        let pressures = patches.flat_map(|patch| &patch.q[..patch.cells.volume()]);
        // What is covered holds averages of what covers it, so that it is never the largest.
        let expected = 1.0 + pressures.fold(0.0_f64, |most, p| most.max(p.abs()));
        take_steps(&mut simulation, 1);
        assert_eq!(bulk(&simulation), expected);
    }
    assert!(simulation.counts().retries > 0, "the first step was too long");
    let accepted = {
        let mut first = start(REDUCED, &set);
        take_steps(&mut first, 1);
        first
    };
    let mut once = start(REDUCED, &[set[0], &format!("time.dt_initial={:?}", accepted.time())]);
    take_steps(&mut once, 1);
    assert_eq!(once.counts().retries, 0);
    assert!(bits(&once.frame()) == bits(&accepted.frame()));
}

/// `run.json` has the last value; a value that the parameter cannot have ends the run, with its name; mistakes in the case are found before.
#[test]
fn values_are_told_and_mistakes_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let ran = |overrides: &[&str], name: &str| {
        let files = RunFiles::new(folder.path().join(name));
        run(&case(REDUCED, overrides), &options(2), &files, &mut |_| ControlFlow::Continue(()))
    };
    let record = ran(&["time.end=0.02", "reduce.bulk=\"3 - 100 * t\""], "done").unwrap_or_else(|e| panic!("{e}"));
    let last = |record: &RunRecord| record.solver.as_ref().expect("a solver").parameters["bulk"];
    assert!(last(&record) < 3.0 && last(&record) > 1.0, "{}", last(&record));
    let failed = ran(&["reduce.bulk=\"0.5 - 100 * t\""], "failed").expect_err("it becomes negative").to_string();
    assert!(
        failed.contains("reduce.bulk: the parameter is -") && failed.contains("must be a positive number"),
        "{failed}"
    );
    let table = [
        ("reduce.stiffness=\"max(u)\"", "reduce.stiffness: the solver `acoustics` has no parameter `stiffness`"),
        ("reduce.bulk=\"max(u) + u\"", "unknown name `u`"),
        ("reduce.bulk=\"max(density * bulk)\"", "unknown name `bulk`"),
        ("reduce.bulk=\"2\"", "depends neither on the solution nor on the time"),
        ("output.field=[{name='f',formula='bulk * pressure'}]", "unknown name `bulk`"),
        ("solver.bulk=-1", "must be a positive number"),
    ];
    for (set, wrong) in table {
        let error =
            Case::from_str_with(REDUCED, "case.toml", &[set.to_owned()], find_built_in).expect_err(set).to_string();
        assert!(error.contains(wrong), "{set}: {error}");
    }
}
