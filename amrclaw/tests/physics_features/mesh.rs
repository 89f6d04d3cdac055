//! Steps and ratios of the levels.

use super::common::{absolute_totals, advance_to, l1_error, start, take_steps};
use amrclaw::simulation::Simulation;

/// A blob of dense gas that drifts through three levels, periodic.
const DRIFTING: &str = include_str!("../cases/features/drifting_gas.toml");

/// Error of the density of [`DRIFTING`]. The solution neglects the periodic images, which are smaller than 1e-6.
fn drift_error(simulation: &Simulation<2>) -> f64 {
    let t = simulation.time();
    l1_error(&simulation.frame(), 0, |x| {
        1.0 + (-60.0 * ((x[0] - 0.4 - 0.5 * t).powi(2) + (x[1] - 0.5 + 0.3 * t).powi(2))).exp()
    })
}

fn assert_mass_is_conserved(simulation: &Simulation<2>, before: &[f64]) {
    let scale = absolute_totals(&simulation.frame());
    for (m, (after, before)) in simulation.totals().iter().zip(before).enumerate() {
        assert!((after - before).abs() <= 1e-13 * scale[m], "equation {m}: {before} has become {after}");
    }
}

/// A level takes as many substeps as the case's ratio in time says, also more than the ratio in space.
#[test]
fn the_ratio_in_time_is_the_cases() {
    let dt = 0.008;
    let run = |ratio_time: &str| {
        let overrides = [format!("time.dt={dt}"), format!("levels.ratio_time={ratio_time}")];
        let mut simulation = start(DRIFTING, &overrides.each_ref().map(String::as_str));
        let before = simulation.totals();
        take_steps(&mut simulation, 20);
        assert_eq!(simulation.time().to_bits(), (0..20).fold(0.0, |t: f64, _| t + dt).to_bits(), "steps are fixed");
        assert_mass_is_conserved(&simulation, &before);
        let steps: Vec<u64> = simulation.counts().levels.iter().map(|l| l.steps).collect();
        (steps, drift_error(&simulation))
    };
    let (usual, more) = (run("[2, 2]"), run("[3, 4]"));
    assert_eq!(usual.0, [20, 40, 80]);
    assert_eq!(more.0, [20, 60, 240]);
    assert!(more.1 < 2.0 * usual.1, "errors {} and {}", more.1, usual.1);
}

/// With different ratios along x and y, 1 too, cells have the right sizes, the error is smaller than without refinement, and totals are
/// conserved.
#[test]
fn ratios_may_differ_between_axes() {
    let run = |levels: &[&str]| {
        let mut simulation = start(DRIFTING, levels);
        let before = simulation.totals();
        advance_to(&mut simulation, 0.3);
        assert_mass_is_conserved(&simulation, &before);
        simulation
    };
    let coarse = run(&["levels.max=1", "levels.ratio=[]"]);
    let fine = run(&["levels.ratio=[[2, 4], [4, 2]]", "output.format=[]"]);
    let frame = fine.frame();
    let sizes: Vec<[i32; 2]> = frame.levels.iter().map(|l| l.dx.map(|h| (1.0 / h).round() as i32)).collect();
    assert_eq!(sizes, [[24, 20], [48, 80], [192, 160]]);
    let errors = [drift_error(&coarse), drift_error(&fine)];
    assert!(errors[1] < 0.2 * errors[0], "errors {errors:?}");
    let along_x_then_y = run(&["levels.ratio=[[3, 1], [1, 3]]", "output.format=[]"]);
    let sizes =
        along_x_then_y.frame().levels.iter().map(|l| l.dx.map(|h| (1.0 / h).round() as i32)).collect::<Vec<_>>();
    assert_eq!(sizes, [[24, 20], [72, 20], [72, 60]]);
    assert!(drift_error(&along_x_then_y) < 0.5 * errors[0], "error {}", drift_error(&along_x_then_y));
}
