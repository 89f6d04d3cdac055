//! Water on land: rest, no cell that gives more than it has, friction and rotation.

mod exact;
mod levels;

use super::common::{advance_to, case, for_each_finest_cell, options, start, take_steps};
use amrclaw::simulation::Simulation;

const SHORE: &str = include_str!("../../cases/features/shore.toml");

/// Numbers between 0 and 1 that differ from cell to cell without any order.
const RANDOM: &str = "abs(sin(1234.5 * x + 3456.7 * y + 12.3 * sin(777 * x * y)))";

/// Largest difference of the surface from `level` in cells with water, and largest momentum.
fn unrest(simulation: &Simulation<2>, level: f64, bottom: impl Fn([f64; 2]) -> f64) -> [f64; 2] {
    let mut found = [0.0_f64; 2];
    for_each_finest_cell(&simulation.frame(), |_, x, _, q| {
        assert!(q[0] >= 0.0);
        let surface = if q[0] > 0.0 { (q[0] + bottom(x) - level).abs() } else { 0.0 };
        found = [found[0].max(surface), found[1].max(q[1].abs()).max(q[2].abs())];
    });
    found
}

/// Relative L1 error of the depth.
fn error<const D: usize>(simulation: &Simulation<D>, exact: impl Fn([f64; D]) -> f64) -> f64 {
    let (mut error, mut all) = (0.0, 0.0);
    for_each_finest_cell(&simulation.frame(), |_, x, dx, q| {
        let volume: f64 = dx.iter().product();
        error += (q[0] - exact(x)).abs() * volume;
        all += exact(x) * volume;
    });
    error / all
}

fn on_a_line(text: &str, overrides: &[&str]) -> Simulation<1> {
    Simulation::builder(&case(text, overrides)).options(&options(2)).build().unwrap_or_else(|e| panic!("{e}"))
}

/// Water at rest stays so with any shore and films of any depth. Depths of films go from 1e-14 to 0.3, on both sides of the depth
/// up to which there is no velocity. Tolerance: round-off of a surface of order one.
#[test]
fn water_at_rest_stays_at_rest_beside_films_and_land() {
    // What the shape is above zero is water: deep, or a film.
    let shape = |[x, y]: [f64; 2]| (7.0 * x + 1.0).sin() * (5.0 * y + x).cos() + 0.2;
    let depth = "if(D > 0.3, D, if(D > 0, 1e-14 * 10^(45 * D), D))";
    let depth = depth.replace('D', "(sin(7 * x + 1) * cos(5 * y + x) + 0.2)");
    let bottom = move |x: [f64; 2]| {
        let shape = shape(x);
        0.37 - if !(0.0..=0.3).contains(&shape) { shape } else { 1e-14 * 10_f64.powf(45.0 * shape) }
    };
    let aux = format!("aux.bottom=\"0.37 - {depth}\"");
    for scheme in ["split=unsplit", "split=strang", "limiter=superbee", "order=1"] {
        let scheme = format!("scheme.{scheme}");
        let mut simulation = start(SHORE, &[&aux, "initial.depth=\"max(0, 0.37 - bottom)\"", &scheme, "time.dt=0.004"]);
        take_steps(&mut simulation, 100);
        let [surface, momentum] = unrest(&simulation, 0.37, bottom);
        assert!(surface < 1e-13 && momentum < 1e-13, "{scheme}: {surface:e}, {momentum:e}");
    }
}

/// Over a random bottom, with random depths, dry cells among them, depth is never negative, no water is lost, and steps stay of
/// the size that waves ask for: 200 reach half the time that those of the deepest water at rest would. Tolerance of the mass:
/// round-off.
#[test]
fn no_cell_gives_more_than_it_has() {
    let bottom = format!("aux.bottom=\"{RANDOM}\"");
    let depth = "initial.depth=\"max(0, 1.2 * abs(sin(2345.6 * x + 4567.8 * y)) - 0.4)\"";
    for scheme in ["split=unsplit", "split=godunov", "transverse=0", "order=1"] {
        let mut overrides = vec![&*bottom, depth, "time.cfl_desired=0.9", "time.cfl_max=1"];
        let scheme = format!("scheme.{scheme}");
        overrides.push(&scheme);
        if scheme.ends_with("transverse=0") {
            overrides[2..4].copy_from_slice(&["time.cfl_desired=0.28", "time.cfl_max=0.29"]);
        }
        let mut simulation = start(SHORE, &overrides);
        let before = simulation.totals()[0];
        for _ in 0..200 {
            take_steps(&mut simulation, 1);
            for_each_finest_cell(&simulation.frame(), |_, x, _, q| assert!(q[0] >= 0.0, "{scheme}: {} at {x:?}", q[0]));
        }
        let lost = (simulation.totals()[0] - before) / before;
        assert!(lost.abs() < 1e-13, "{scheme}: {lost:e} of the water is lost");
        // Without transverse parts, at a third of the Courant number, thin water becomes faster: three times as many steps again.
        let wanted = if scheme.ends_with("transverse=0") { 0.09 } else { 0.9 };
        assert!(simulation.time() > wanted, "{scheme}: 200 steps reach t = {}", simulation.time());
    }
}

/// Uniform water is turned by the Coriolis force exactly, and slowed by friction as `1/u = 1/u₀ + g n² t/h^{4/3}`: the
/// semi-implicit step is that solution for the depth given, so that the sum of steps is exact too.
#[test]
fn friction_and_the_coriolis_force_act() {
    let uniform = ["initial.depth=\"2\"", "initial.x_momentum=\"6\"", "mesh.boundary={x=\"periodic\",y=\"periodic\"}"];
    for (parameter, expected) in [
        ("solver.coriolis=0.7", [6.0 * 0.7_f64.cos(), -6.0 * 0.7_f64.sin()]),
        ("solver.manning=0.05", [2.0 / (1.0 / 3.0 + 9.81 * 0.0025 / 2_f64.powf(4.0 / 3.0)), 0.0]),
    ] {
        let mut simulation = start(SHORE, &[&uniform[..], &[parameter, "time.dt=0.001"]].concat());
        advance_to(&mut simulation, 1.0);
        for_each_finest_cell(&simulation.frame(), |_, _, _, q| {
            let off = (q[1] - expected[0]).abs().max((q[2] - expected[1]).abs());
            assert!(off < 1e-11, "{parameter}: {q:?}, not {expected:?}");
        });
    }
}
