//! Strong shocks into cold gas.

use crate::common::{advance_to, case, for_each_finest_cell, options, start};
use amrclaw::simulation::Simulation;

const IMPLOSION: &str = include_str!("../cases/hard/implosion.toml");

/// Noh's implosion with the default scheme: the gas behind the shock has 16 times its first density, and steps fell back to first order for it.
/// The tolerance is that of the oscillations behind a slow shock; nearer to the centre the gas is too hot and too thin, as with all schemes of
/// this kind (Noh 1987, doi:10.1016/0021-9991(87)90074-X).
#[test]
fn cold_gas_implodes() {
    for solver in ["solver.name=euler", "solver.name=euler_hllc"] {
        let mut simulation = start(IMPLOSION, &[solver]);
        advance_to(&mut simulation, 0.6);
        let (mut mass, mut area) = (0.0, 0.0);
        for_each_finest_cell(&simulation.frame(), |_, [x, y], dx, state| {
            if (0.08..0.15).contains(&x.hypot(y)) {
                (mass, area) = (mass + state[0] * dx[0] * dx[1], area + dx[0] * dx[1]);
            }
        });
        let density = mass / area;
        assert!((density - 16.0).abs() < 1.0, "{solver}: the density is {density}");
        assert!(simulation.counts().fallback.taken > 0, "{solver}");
    }
}

/// A jet a hundred times as fast as its sound, ten times as dense as the gas around. Momentum is balanced where they meet, so that its head moves
/// with `u/(1 + √(1/10))` (Norman et al. 1982), to a base cell.
#[test]
fn a_fast_jet_enters_gas() {
    let jet = include_str!("../../../examples/mach_jet/case.toml");
    for solver in ["solver.name=euler", "solver.name=euler_hllc"] {
        let mut simulation = start(jet, &[solver, "levels={max=2,ratio=[2]}", "time.end=0.025"]);
        advance_to(&mut simulation, 0.025);
        let mut head = 0.0_f64;
        for_each_finest_cell(&simulation.frame(), |_, [x, y], _, state| {
            // Gas around is at most four times as dense as at the start, 2.
            if y < 0.03 && state[0] > 3.5 {
                head = head.max(x);
            }
        });
        let speed = 100.0 * (5.0 / 3.0 * 0.4127 / 5.0_f64).sqrt();
        let expected = 0.025 * speed / (1.0 + 0.1_f64.sqrt());
        assert!((head - expected).abs() < 0.025, "{solver}: the head is at {head}, not {expected}");
        assert!(simulation.counts().fallback.taken > 0, "{solver}");
    }
}

/// A point explosion into cold gas with van Leer's limiter, in space on two levels: the shock is where Sedov's solution has it, `(t²/α)^(1/5)` with
/// α = 0.85107, to a cell of the finer level. The profile at the start is some cells wide: its size replaces the case's, of less than a cell here.
#[test]
fn a_point_explosion_expands() {
    let explosion = include_str!("../../../examples/sedov_3d/case.toml");
    for solver in ["solver.name=euler", "solver.name=euler_hllc"] {
        let overrides = [
            solver,
            "mesh.cells=[10,10,10]",
            "levels={max=2,ratio=[2]}",
            "scheme={limiter='van_leer'}",
            "initial.energy='1e-5 / 0.4 + exp(-(r / 0.06)^2) / (pi^1.5 * 0.06^3)'",
        ];
        let simulation = Simulation::<3>::builder(&case(explosion, &overrides)).options(&options(2)).build();
        let mut simulation = simulation.unwrap_or_else(|e| panic!("{e}"));
        advance_to(&mut simulation, 0.25);
        let ((mut densest, mut found), mut least) = ((0.0, 0.0), f64::INFINITY);
        for_each_finest_cell(&simulation.frame(), |_, x, _, state| {
            let pressure = 0.4 * (state[4] - 0.5 * state[1..4].iter().map(|p| p * p).sum::<f64>() / state[0]);
            least = least.min(pressure);
            if state[0] > densest {
                (densest, found) = (state[0], x.iter().map(|x| x * x).sum::<f64>().sqrt());
            }
        });
        let radius = (0.25_f64.powi(2) / 0.85107).powf(0.2);
        assert!((found - radius).abs() < 0.05, "{solver}: the gas is densest at {found}, not {radius}");
        assert!(least > 0.0 && simulation.counts().fallback.taken > 0, "{solver}: {:?}", simulation.counts().fallback);
    }
}
