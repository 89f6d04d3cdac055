//! Boundary values given by the user.

use super::common::{advance_to, l1_error, orders, start, start_with};
use amrclaw::physics::{BoundaryCell, BoundaryFunction};
use amrclaw::simulation::UserFunctions;
use std::f64::consts::PI;
use std::sync::Arc;

/// Boundary values of a plane sound wave that enters obliquely from the left; exact for sound speed 2 and impedance 2.
struct PlaneWave;

const DIRECTION: [f64; 2] = [0.8, 0.6];

fn incoming(x: [f64; 2], t: f64, m: usize) -> f64 {
    let phase = x[0] * DIRECTION[0] + x[1] * DIRECTION[1] - 2.0 * t;
    (PI * phase).sin() * [1.0, 0.5 * DIRECTION[0], 0.5 * DIRECTION[1]][m]
}

impl BoundaryFunction<2> for PlaneWave {
    fn fill(&self, cell: &BoundaryCell<2>, mirror: &[f64], ghost: &mut [f64]) {
        assert_eq!(mirror.len(), 3);
        ghost.iter_mut().enumerate().for_each(|(m, value)| *value = incoming(cell.centre, cell.time, m));
    }
}

/// The plane wave through all sides, by formulas.
const WAVE: &str = include_str!("../cases/features/incoming_wave.toml");
/// All boundary values are given by the test.
const OWN_SIDES: &str = "mesh.boundary={x=\"user\",y=\"user\"}";

fn own_boundary() -> UserFunctions<2> {
    UserFunctions { boundary: Some(Arc::new(PlaneWave)), ..UserFunctions::default() }
}

/// A user's boundary lets an exact wave enter, at the time of each level's own steps: the wave's error in the domain is of second order.
/// A fine patch lies on the boundary.
#[test]
fn a_users_boundary_lets_a_wave_enter() {
    let errors = [1, 2, 4].map(|n| {
        let (cells, dt) = (format!("mesh.cells={:?}", [16 * n, 12 * n]), format!("time.dt={}", 0.02 / f64::from(n)));
        let mut simulation = start_with(WAVE, &[OWN_SIDES, &cells, &dt], own_boundary());
        // The wave crosses the domain; nothing of the initial data is left.
        advance_to(&mut simulation, 1.0);
        l1_error(&simulation.frame(), 0, |x| incoming(x, 1.0, 0))
    });
    let found = orders(&errors);
    assert!(found.iter().all(|&order| order > 1.8), "errors {errors:?}, orders {found:?}");
    assert!(errors[2] < 1e-3, "{errors:?}");
}

/// Formulas give the values of a Rust function with the same operations, on fine and coarse patches, beside sides and corners: for
/// all sides together, and for one side separately. The two round the centres of cells differently, by an ulp,
/// which for values of size 1 gives some 1e-15 after 25 steps.
#[test]
fn formulas_are_as_good_as_a_users_boundary() {
    let wave = "sin(pi * (x * 0.8 + y * 0.6 - 2 * t))";
    let upper_side = format!("{{pressure=\"{wave}\",u=\"{wave} * 0.4\",v=\"{wave} * 0.3\"}}");
    let mut by_function = start_with(WAVE, &[OWN_SIDES], own_boundary());
    let mut by_formula = start(WAVE, &[&format!("mesh.boundary.y_upper={upper_side}")]);
    for simulation in [&mut by_function, &mut by_formula] {
        advance_to(simulation, 0.5);
    }
    let (found, expected) = (by_formula.frame(), by_function.frame());
    assert_eq!((found.time, found.levels.len()), (expected.time, 2));
    for (found, expected) in found.levels.iter().zip(&expected.levels) {
        for (found, expected) in found.patches.iter().zip(&expected.patches) {
            let apart = found.q.iter().zip(&expected.q).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
            assert!(found.cells == expected.cells && apart < 1e-13, "{apart} in {:?}", found.cells);
        }
    }
}
