//! Boundary values of the user's own.

use super::common::{advance_to, l1_error, orders, start_with};
use amrclaw::physics::{BoundaryCell, BoundaryFunction};
use amrclaw::simulation::UserFunctions;
use std::f64::consts::PI;
use std::sync::Arc;

/// Ghost cells of a plane wave of sound that comes in at the left at an angle; exact for sound speed 2 and impedance 2.
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

/// A user's boundary lets an exact wave enter, at every level's own time: it is then wherever it has come to, with an error of second
/// order. A fine patch lies on the boundary.
#[test]
fn a_users_boundary_lets_a_wave_enter() {
    let errors = [1, 2, 4].map(|n| {
        let text = format!(
            r#"
[solver]
name = "acoustics"
density = 1.0
bulk = 4.0
[mesh]
cells = [{}, {}]
[mesh.boundary]
x = ["user", "user"]
y = ["user", "user"]
[levels]
max = 2
ratio = [2]
[regrid]
interval = 100
buffer = 0
[regrid.flag]
criterion = "difference"
tolerance = 1e9
[[regrid.region]]
levels = [2, 2]
lower = [0.0, 0.26]
upper = [0.49, 0.74]
[scheme]
limiter = "none"
[time]
end = 10.0
dt = {}
[initial]
pressure = "sin(pi * (0.8 * x + 0.6 * y))"
u = "0.4 * sin(pi * (0.8 * x + 0.6 * y))"
v = "0.3 * sin(pi * (0.8 * x + 0.6 * y))"
"#,
            16 * n,
            12 * n,
            0.02 / n as f64
        );
        let mut simulation =
            start_with(&text, &[], UserFunctions { boundary: Some(Arc::new(PlaneWave)), ..UserFunctions::default() });
        // The wave crosses the domain; nothing of the initial data is left.
        advance_to(&mut simulation, 1.0);
        l1_error(&simulation.frame(), 0, |x| incoming(x, 1.0, 0))
    });
    let found = orders(&errors);
    assert!(found.iter().all(|&order| order > 1.8), "errors {errors:?}, orders {found:?}");
    assert!(errors[2] < 1e-3, "{errors:?}");
}
