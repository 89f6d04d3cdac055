//! Boundary values given by the user.

use super::common::{advance_to, for_each_finest_cell, l1_error, orders, start, start_with};
use amrclaw::case::{Case, find_built_in};
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

/// A plane wave in a solid of speeds 2 and 1 meets the side at x = 1, and is on its way back when it is looked at. `at`: the side;
/// `moves`: the velocity of the wave. Returns that velocity where the wave should be, half of the initial pulse.
fn reflected(at: &str, moves: &str) -> f64 {
    let (of_u, of_v) = if moves == "u" { ("exp(-100 * x^2)", "0") } else { ("0", "exp(-100 * x^2)") };
    let text = format!(
        "[solver]\nname = \"elasticity\"\ndensity = 1.0\nlambda = 2.0\nmu = 1.0\n[mesh]\nlower = [-1.0, 0.0]\nupper = [1.0, 0.02]\n\
         cells = [200, 2]\n[mesh.boundary]\nx = [\"extrapolate\", \"{at}\"]\ny = \"periodic\"\n[time]\nend = 1.4\n[initial]\n\
         stress_xx = 0\nstress_yy = 0\nstress_xy = 0\nu = \"{of_u}\"\nv = \"{of_v}\"\n"
    );
    let (component, time) = if moves == "u" { (3, 0.7) } else { (4, 1.4) };
    let mut simulation = start(&text, &[]);
    advance_to(&mut simulation, time);
    let mut found: f64 = 0.0;
    for_each_finest_cell(&simulation.frame(), |_, [x, _], _, q| {
        found = if (x - 0.6).abs() < 0.05 && q[component].abs() > found.abs() { q[component] } else { found };
    });
    found
}

/// Waves come back whole from every side of a solid: pressure waves are reversed where nothing passes, shear waves where nothing slips.
/// Half of the pulse, 0.5, loses two hundredths at its top to the limiter.
#[test]
fn sides_of_a_solid_reflect_waves() {
    for (at, of_pressure, of_shear) in [("wall", -0.5, 0.5), ("clamped", -0.5, -0.5), ("free", 0.5, 0.5)] {
        for (moves, expected) in [("u", of_pressure), ("v", of_shear)] {
            let found = reflected(at, moves);
            assert!((found - expected).abs() < 0.03, "{at}, {moves}: {found}");
        }
    }
}

/// Sides of solids need a vector and a tensor, walls something that a mirror reverses.
#[test]
fn sides_that_a_solver_cannot_have_are_refused() {
    let told = |text: &str| {
        let case = Case::from_str_with(text, "case.toml", &[], find_built_in);
        case.map(|_| ()).expect_err("it is refused").to_string()
    };
    let of = |solver: &str, side: &str| {
        let mesh = format!("[mesh]\ncells = [8, 8]\n[mesh.boundary]\nx = \"{side}\"\n");
        told(&format!("[solver]\n{solver}\n{mesh}[time]\nend = 1.0\n"))
    };
    let sound = "name = \"acoustics\"\ndensity = 1.0\nbulk = 1.0";
    for side in ["clamped", "free"] {
        let message = of(sound, side);
        assert!(message.contains(&format!("\"{side}\" is for solids: the solver `acoustics`")), "{message}");
    }
    let message = of("name = \"burgers\"", "wall");
    assert!(message.contains("`burgers` has no velocity for a wall to reflect"), "{message}");
}
