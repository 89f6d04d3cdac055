//! What sets a resting solution in motion is not jumped over, though no Courant number limits the steps before.

use super::common::case;
use amrclaw::physics::{BoundaryCell, BoundaryFunction, UserFunctions};
use amrclaw::simulation::{Progress, RunFiles, RunOptions, Simulation, run};
use std::ops::ControlFlow;
use std::sync::Arc;

/// A line, or a strip, that is at rest at first.
const BURGERS: &str = "[solver]\nname = \"burgers\"\n[mesh]\ncells = [50]\n[time]\nend = 1.0\n[initial]\nq = \"0\"\n";
const STRIP: &str = "[solver]\nname = \"advection_edge\"\n[mesh]\ncells = [25, 4]\n[mesh.boundary]\ny = \"periodic\"\n\
                     [time]\nend = 0.8\n[initial]\nq = \"if(x > 0.4, 1, 0)\"\n[aux]\nv_edge = \"0\"\n";

fn start<const D: usize>(text: &str, overrides: &[&str], functions: UserFunctions<D>) -> Simulation<D> {
    let options = RunOptions { threads: Some(1), ..RunOptions::default() };
    let built = Simulation::builder(&case(text, overrides)).options(&options).functions(functions).build();
    built.unwrap_or_else(|e| panic!("{overrides:?}: {e}"))
}

/// The total of the first quantity at the end, where every step begun is at most `longest`.
fn total<const D: usize>(mut simulation: Simulation<D>, end: f64, longest: f64) -> f64 {
    while simulation.time() < end {
        let before = simulation.time();
        simulation.step_to(end).unwrap_or_else(|e| panic!("{e}"));
        let dt = simulation.time() - before;
        assert!(dt <= longest * (1.0 + 1e-9), "a step of {dt} at t = {before}");
    }
    simulation.totals()[0]
}

/// An inflow of 1 that begins at 0.35.
struct Late;

impl BoundaryFunction<1> for Late {
    fn fill(&self, cell: &BoundaryCell<1>, _: &[f64], ghost: &mut [f64]) {
        ghost[0] = if cell.time > 0.35 { 1.0 } else { 0.0 };
    }
}

/// Inflow, a source and velocities that begin late, and a source on what rests: totals are late by at most a step, a hundredth of the
/// run, at which the inflow's rate is 1/2, the others' 1. Without limits the second step is the last.
#[test]
fn what_begins_late_is_not_jumped_over() {
    let inflow = ["mesh.boundary.x=['inflow','extrapolate']", "mesh.boundary.x_lower.q='if(t > 0.35, 1, 0)'"];
    let refined = [
        "levels.max=3",
        "levels.ratio=[2,4]",
        "regrid.region=[{levels=[2,3],lower=[0.0],upper=[0.2]}]",
        "regrid.flag.tolerance=1",
    ];
    for more in [&[][..], &refined, &["output.every_steps=50"], &["scheme.order=1"]] {
        let total = total::<1>(start(BURGERS, &[&inflow[..], more].concat(), UserFunctions::default()), 1.0, 0.01);
        assert!((total - 0.325).abs() <= 0.005, "{more:?}: {total}");
    }
    let user = UserFunctions { boundary: Some(Arc::new(Late)), ..UserFunctions::default() };
    let entered = total::<1>(start(BURGERS, &["mesh.boundary.x=['user','extrapolate']"], user), 1.0, 0.01);
    assert!((entered - 0.325).abs() <= 0.005, "{entered}");
    let late = ["mesh.boundary.x='periodic'", "source.q='if(t > 0.35, 1, 0)'"];
    let made = total::<1>(start(BURGERS, &late, UserFunctions::default()), 1.0, 0.01);
    assert!((made - 0.65).abs() <= 0.01, "{made}");
    let left = total::<2>(start(STRIP, &["aux.u_edge='if(t > 0.35, 1, 0)'"], UserFunctions::default()), 0.8, 0.008);
    assert!((left - 0.15).abs() <= 0.008, "{left}");
    // So of a velocity that is a parameter of the time.
    let moved = [&["solver={name='advection',u=0.0}", "reduce.u='if(t > 0.35, 0.5, 0)'"], &inflow[..1]].concat();
    let moved = [&moved[..], &["mesh.boundary.x_lower.q='1'"]].concat();
    let entered = total::<1>(start(BURGERS, &moved, UserFunctions::default()), 1.0, 0.01);
    assert!((entered - 0.325).abs() <= 0.005, "{entered}");
    // q = t right of the middle, where waves leave at the rate t²/2; steps are limited by their growth, then by waves. Each takes q from its
    // start, an error of dt t/2, where dt = 0.9 dx/t. Without limits nothing leaves.
    let pushed = total::<1>(start(BURGERS, &["source.q='if(x > 0.5, 1, 0)'"], UserFunctions::default()), 1.0, 0.11);
    assert!((pushed - 1.0 / 3.0).abs() <= 0.02, "{pushed}");
}

/// A `.npy` file of `f64` with a shape.
fn npy(file: &std::path::Path, shape: &str, values: &[f64]) {
    let header = format!("{{'descr': '<f8', 'fortran_order': False, 'shape': ({shape}), }}");
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    bytes.extend((header.len() as u16).to_le_bytes());
    bytes.extend(header.as_bytes());
    values.iter().for_each(|value| bytes.extend(value.to_le_bytes()));
    std::fs::write(file, bytes).unwrap();
}

/// Inflow and velocities from files with times limit steps as those by formulas do, and give their totals: of functions that are linear in
/// time and place linear interpolation is exact, so that only round-off differs.
#[test]
fn data_with_times_act_as_formulas_of_time() {
    let folder = tempfile::tempdir().unwrap();
    let (inflow, wind) = (folder.path().join("inflow.npy"), folder.path().join("wind.npy"));
    // Beyond the side rows are at y = 0.125, 0.375, …; velocities at x = 0.25, 0.75, constant along y.
    let times = [0.0, 0.5, 1.0];
    let value = |t: f64, y: f64| 1.0 + 2.0 * t + 3.0 * y;
    npy(&inflow, "3, 4", &times.map(|t| [0.125, 0.375, 0.625, 0.875].map(|y| value(t, y))).concat());
    npy(&wind, "2, 1, 2", &[0.0, 0.0, 0.25, 0.75]);
    let sides = "mesh.boundary.x=['inflow','extrapolate']";
    let file = |path: &std::path::Path, times: &str| format!("{{file='{}',times={times}}}", path.display());
    let from_files = [
        sides.to_owned(),
        format!("mesh.boundary.x_lower.q={}", file(&inflow, "[0, 0.5, 1]")),
        format!("aux.u_edge={}", file(&wind, "[0, 1]")),
        "mesh.boundary.y='extrapolate'".to_owned(),
    ];
    // What lies beyond the outermost numbers has their value.
    let [y, x] = [["0.125", "y", "0.875"], ["0.25", "x", "0.75"]].map(|[a, at, b]| format!("min(max({a}, {at}), {b})"));
    let by_formulas = [
        sides.to_owned(),
        format!("mesh.boundary.x_lower.q='1 + 2 * t + 3 * {y}'"),
        format!("aux.u_edge='t * {x}'"),
        "mesh.boundary.y='extrapolate'".to_owned(),
    ];
    let totals = [from_files, by_formulas].map(|sets| {
        let sets: Vec<&str> = sets.iter().map(String::as_str).collect();
        total::<2>(start(STRIP, &sets, UserFunctions::default()), 0.8, 0.008)
    });
    assert!(totals[0] > 0.61 && (totals[0] - totals[1]).abs() < 1e-12, "{totals:?}");
}

/// The case's own limit holds for all steps, the first included, and where nothing else limits them; the time between two frames is
/// divided evenly if it is hardly longer. A run tells the limit and how many steps it limited.
#[test]
fn steps_are_at_most_as_long_as_the_case_says() {
    let still = ["time.dt_max=0.03", "time.dt_initial=0.03", "time.end=0.30001"];
    assert_eq!(total::<1>(start(BURGERS, &still, UserFunctions::default()), 0.30001, 0.03), 0.0);
    let folder = tempfile::tempdir().expect("a temporary folder");
    let mut go_on = |_: &Progress| ControlFlow::Continue(());
    let mut record = |name: &str, overrides: &[&str]| {
        let case = case(BURGERS, &[&["output.format=[]", "output.png=false"][..], overrides].concat());
        let record = run(&case, &RunOptions::default(), &RunFiles::new(folder.path().join(name)), &mut go_on);
        record.unwrap_or_else(|e| panic!("{e}"))
    };
    let given = record("given", &["time.dt_max=0.05"]);
    let limits = given.step_limits.expect("the case limits steps");
    assert_eq!((limits.dt_max, limits.dt_max_is_default), (Some(0.05), false));
    assert_eq!((given.steps[0], limits.steps_at_dt_max, limits.steps_growing), (21, 19, 0));
    assert_eq!(limits.to_string(), "steps limited not by Courant numbers: 19 by time.dt_max = 0.05");
    let timed = record("timed", &["source.q='1e-3 * t'", "output.count=50"]);
    let limits = timed.step_limits.expect("the source depends on time");
    assert_eq!((limits.dt_max, limits.dt_max_is_default), (Some(0.005), true));
    assert!(limits.steps_growing > 3 && limits.steps_at_dt_max > 100, "{limits}");
    assert_eq!(record("autonomous", &[]).step_limits, None);
}
