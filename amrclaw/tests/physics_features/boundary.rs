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

/// The plane wave on 16 n × 12 n cells, whose sides are all of this kind.
fn wave_case(n: usize, kind: &str) -> String {
    format!(
        r#"
[solver]
name = "acoustics"
density = 1.0
bulk = 4.0
[mesh]
cells = [{}, {}]
[mesh.boundary]
x = ["{kind}", "{kind}"]
y = ["{kind}", "{kind}"]
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
    )
}

/// A user's boundary lets an exact wave enter, at every level's own time: it is then wherever it has come to, with an error of second
/// order. A fine patch lies on the boundary.
#[test]
fn a_users_boundary_lets_a_wave_enter() {
    let errors = [1, 2, 4].map(|n| {
        let text = wave_case(n, "user");
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

/// Formulas give what a Rust function with the same operations gives, on fine patches and coarse, in faces and corners: for
/// all sides in common, and for one side of its own. Centres of cells are rounded differently on the two ways, by an ulp,
/// which values of size 1 show as some 1e-15 after 25 steps.
#[test]
fn formulas_are_as_good_as_a_users_boundary() {
    let wave = "sin(pi * (x * 0.8 + y * 0.6 - 2 * t))";
    let table = |name: &str| {
        format!("[mesh.boundary.{name}]\npressure = \"{wave}\"\nu = \"{wave} * 0.4\"\nv = \"{wave} * 0.3\"\n")
    };
    let mut by_function = start_with(
        &wave_case(1, "user"),
        &[],
        UserFunctions { boundary: Some(Arc::new(PlaneWave)), ..UserFunctions::default() },
    );
    let text = wave_case(1, "inflow") + &table("inflow") + &table("y_upper");
    let mut by_formula = start_with(&text, &[], UserFunctions::default());
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
