//! Totals over the composite grid stay what they are: with the conservation fix on, the flux that leaves a coarse cell is the one
//! that enters the fine cells beside it, and regridding neither makes nor loses anything.
//!
//! Proved for every conservation law built in, periodic and between walls, ratios 2 and 4, unsplit and split sweeps, a
//! capacity function, patches of odd sizes, over at least a hundred coarse steps with a regrid every three. Every
//! case is run with the fix off too, to show that its interfaces are crossed by something.

mod common;

use amrclaw::io::config::SolverShape;
use amrclaw::simulation::{RunOptions, Simulation, UserFunctions};
use common::{absolute_totals, start, take_steps};
use riemann::patch::SolverKernels;
use riemann::prelude::*;

/// Drift of a total relative to `∫ |q|` at the start. Each of some 10⁴ interface faces rounds at 1e-16 of the state, with either sign,
/// a hundred times.
const TOLERANCE: f64 = 1e-13;
/// What the drift is at least without the fix: the tolerance would not be met by chance.
const WITHOUT_FIX: f64 = 1e3 * TOLERANCE;
const STEPS: usize = 100;

/// Sound: pressure and both velocities are not zero in total nor in the mean of their sizes.
const ACOUSTICS: &str = r#"
[solver]
name = "acoustics"
density = 1.3
bulk = 3.7
[initial]
pressure = "2 + exp(-60 * ((x - 0.3)^2 + (y - 0.6)^2))"
u = "0.5 + 0.3 * exp(-60 * ((x - 0.7)^2 + (y - 0.4)^2))"
v = "0.4"
"#;

/// A blob of dense gas in a wind, under pressure.
const EULER: &str = r#"
[solver]
name = "euler"
[initial]
density = "1 + exp(-60 * ((x - 0.3)^2 + (y - 0.6)^2))"
x_momentum = "0.6 * (1 + exp(-60 * ((x - 0.3)^2 + (y - 0.6)^2)))"
y_momentum = "-0.4 * (1 + exp(-60 * ((x - 0.3)^2 + (y - 0.6)^2)))"
energy = "2.5 + 2 * exp(-60 * ((x - 0.4)^2 + (y - 0.5)^2)) + 0.26 * (1 + exp(-60 * ((x - 0.3)^2 + (y - 0.6)^2)))"
"#;

/// A hump of water in a current.
const SHALLOW_WATER: &str = r#"
[solver]
name = "shallow_water"
gravity = 1.0
[initial]
depth = "1 + 0.6 * exp(-60 * ((x - 0.3)^2 + (y - 0.6)^2))"
x_momentum = "0.3"
y_momentum = "-0.2"
"#;

/// The domain, its sides, three levels and the sweeps.
fn settings(boundary: &str, ratio: &str, split: &str) -> String {
    format!(
        r#"
[mesh]
lower = [0.0, 0.0]
upper = [1.0, 0.9]
cells = [19, 15]
[mesh.boundary]
x = ["{boundary}", "{boundary}"]
y = ["{boundary}", "{boundary}"]
[levels]
max = 3
ratio = {ratio}
[regrid]
interval = 3
buffer = 1
max_patch_size = 20
[regrid.flag]
criterion = "user"
expression = "hypot(x - 0.5 - 0.27 * cos(5 * t), y - 0.45 - 0.24 * sin(5 * t)) < 0.13"
[scheme]
split = "{split}"
limiter = "mc"
[time]
end = 10.0
dt_initial = 0.002
cfl_desired = 0.8
[output]
format = []
"#
    )
}

/// Largest drift of the totals named, relative to `∫ |q|` at the start.
fn drift(mut simulation: Simulation<2>, kept: &[usize]) -> f64 {
    let (before, scale) = (simulation.totals(), absolute_totals(&simulation.frame()));
    let meshes = [0, 1].map(|n| {
        take_steps(&mut simulation, [STEPS / 2, STEPS - STEPS / 2][n]);
        simulation.hierarchy().levels().iter().map(|level| level.patches().to_vec()).collect::<Vec<_>>()
    });
    assert_eq!(meshes[1].len(), 3, "the case has lost its finest level");
    assert_ne!(meshes[0], meshes[1], "the patches have not moved");
    assert!(simulation.counts().regrids > 30);
    let after = simulation.totals();
    kept.iter().map(|&m| (after[m] - before[m]).abs() / scale[m]).fold(0.0, f64::max)
}

fn assert_conserves(solver: &str, boundary: &str, ratio: &str, split: &str, kept: &[usize]) {
    let text = format!("{solver}{}", settings(boundary, ratio, split));
    let what = format!("{boundary}, ratio {ratio}, {split}");
    let with = drift(start(&text, &[]), kept);
    assert!(with <= TOLERANCE, "{what}: the totals drift by {with:e}");
    let without = drift(start(&text, &["regrid.conservation_fix=false"]), kept);
    assert!(without >= WITHOUT_FIX, "{what}: without the fix the totals drift by {without:e} only");
}

macro_rules! conserves {
    ($($name:ident: $solver:ident, $boundary:literal, $ratio:literal, $split:literal, $kept:expr;)*) => {$(
        #[test]
        fn $name() {
            assert_conserves($solver, $boundary, $ratio, $split, &$kept);
        }
    )*};
}

conserves! {
    acoustics_periodic_2_2_unsplit: ACOUSTICS, "periodic", "[2, 2]", "unsplit", [0, 1, 2];
    acoustics_periodic_2_4_unsplit: ACOUSTICS, "periodic", "[2, 4]", "unsplit", [0, 1, 2];
    acoustics_periodic_4_2_strang: ACOUSTICS, "periodic", "[4, 2]", "strang", [0, 1, 2];
    acoustics_periodic_2_2_godunov: ACOUSTICS, "periodic", "[2, 2]", "godunov", [0, 1, 2];
    euler_periodic_2_2_unsplit: EULER, "periodic", "[2, 2]", "unsplit", [0, 1, 2, 3];
    euler_periodic_2_4_godunov: EULER, "periodic", "[2, 4]", "godunov", [0, 1, 2, 3];
    euler_periodic_anisotropic_strang: EULER, "periodic", "[[2, 4], [2, 2]]", "strang", [0, 1, 2, 3];
    shallow_water_periodic_2_4_unsplit: SHALLOW_WATER, "periodic", "[2, 4]", "unsplit", [0, 1, 2];
    shallow_water_periodic_4_4_unsplit: SHALLOW_WATER, "periodic", "[4, 4]", "unsplit", [0, 1, 2];
    shallow_water_periodic_2_2_strang: SHALLOW_WATER, "periodic", "[2, 2]", "strang", [0, 1, 2];
}

// Walls push back: momentum changes, mass and energy stay. Linear acoustics keeps the total of the pressure, which is K times
// the volume that has been squeezed.
conserves! {
    acoustics_walls_2_4_unsplit: ACOUSTICS, "wall", "[2, 4]", "unsplit", [0];
    acoustics_walls_2_2_strang: ACOUSTICS, "wall", "[2, 2]", "strang", [0];
    euler_walls_2_2_unsplit: EULER, "wall", "[2, 2]", "unsplit", [0, 3];
    euler_walls_2_2_godunov: EULER, "wall", "[2, 2]", "godunov", [0, 3];
    shallow_water_walls_4_2_unsplit: SHALLOW_WATER, "wall", "[4, 2]", "unsplit", [0];
    shallow_water_walls_2_4_godunov: SHALLOW_WATER, "wall", "[2, 4]", "godunov", [0];
}

/// Advection at a constant flux velocity with a capacity: `κ q_t + u q_x + v q_y = 0`.
#[derive(Clone)]
struct WithCapacity {
    velocity: [f64; 2],
}

impl Solver<1, 1, 1> for WithCapacity {
    const DIM: usize = 2;
    const EQUATIONS: [&'static str; 1] = ["q"];
    const AUX: [&'static str; 1] = ["kappa"];
    const WALL_NORMAL: [Option<usize>; 3] = [None; 3];

    #[inline(always)]
    fn normal<V: Real>(&self, axis: Axis, ql: [V; 1], qr: [V; 1], _: [V; 1], _: [V; 1]) -> Normal<V, 1, 1> {
        let speed = self.velocity[axis.index()];
        let wave = qr[0] - ql[0];
        let (left, right) = (V::constant(speed.min(0.0)), V::constant(speed.max(0.0)));
        Normal { waves: [[wave]], speeds: [V::constant(speed)], amdq: [left * wave], apdq: [right * wave] }
    }

    #[inline(always)]
    fn transverse<V: Real>(
        &self,
        axis: Axis,
        _: Side,
        _: [V; 1],
        _: [V; 1],
        _: &TransverseAux<V, 1>,
        asdq: [V; 1],
    ) -> Transverse<V, 1> {
        let speed = self.velocity[axis.transverse_2d().index()];
        let (down, up) = (V::constant(speed.min(0.0)), V::constant(speed.max(0.0)));
        Transverse { bmasdq: [down * asdq[0]], bpasdq: [up * asdq[0]] }
    }
}

/// With a capacity function that varies, also within a coarse cell, `∫ κ q` is what stays.
#[test]
fn capacity_periodic_2_4_unsplit() {
    let shape = SolverShape {
        name: "with_capacity".to_string(),
        dimension: 2,
        equations: vec!["q".to_string()],
        aux: vec!["kappa".to_string()],
        waves: 1,
        parameters: Vec::new(),
        has_source: false,
        wall: [false; 3],
    };
    let text = format!(
        "{}{}",
        r#"
[solver]
path = "of the test"
[aux]
kappa = "1.5 + x - 0.6 * y"
[initial]
q = "0.5 + exp(-60 * ((x - 0.3)^2 + (y - 0.6)^2))"
"#,
        settings("periodic", "[2, 4]", "unsplit")
    );
    let kernels = SolverKernels::new(WithCapacity { velocity: [1.0, -0.7] });
    let run = |fix: &str| {
        let overrides = ["scheme.capacity=\"kappa\"".to_string(), format!("regrid.conservation_fix={fix}")];
        let case = amrclaw::io::config::Case::from_str_with(&text, "case.toml", &overrides, |_| Ok(shape.clone()))
            .unwrap_or_else(|e| panic!("{e}"));
        let options = RunOptions { threads: Some(2), ..RunOptions::default() };
        let simulation = Simulation::with_solver(&case, &options, &shape, &kernels, UserFunctions::default());
        drift(simulation.unwrap_or_else(|e| panic!("{e}")), &[0])
    };
    let (with, without) = (run("true"), run("false"));
    assert!(with <= TOLERANCE, "the total drifts by {with:e}");
    assert!(without >= WITHOUT_FIX, "without the fix the total drifts by {without:e} only");
}
