//! One dimension, from the case to the solution.

use amrclaw::io::config::{Case, SolverShape};
use amrclaw::simulation::{RunOptions, Simulation, UserFunctions};
use riemann::patch::SolverKernels;
use riemann::prelude::*;

/// `q_t + q_x = 0`.
#[derive(Clone)]
struct Advection;

impl Solver<1, 1, 0> for Advection {
    const DIM: usize = 1;
    const EQUATIONS: [&'static str; 1] = ["q"];
    const AUX: [&'static str; 0] = [];
    const WALL_NORMAL: [Option<usize>; 3] = [None; 3];

    #[inline(always)]
    fn normal<V: Real>(&self, _: Axis, ql: [V; 1], qr: [V; 1], _: [V; 0], _: [V; 0]) -> Normal<V, 1, 1> {
        let wave = qr[0] - ql[0];
        Normal { waves: [[wave]], speeds: [V::constant(1.0)], amdq: [V::zero()], apdq: [wave] }
    }

    #[inline(always)]
    fn transverse<V: Real>(
        &self,
        _: Axis,
        _: Side,
        _: [V; 1],
        _: [V; 1],
        _: &TransverseAux<V, 0>,
        _: [V; 1],
    ) -> Transverse<V, 1> {
        Transverse { bmasdq: [V::zero()], bpasdq: [V::zero()] }
    }
}

const PULSE: &str = r#"
[solver]
path = "of the test"
[mesh]
cells = [101]
[mesh.boundary]
x = ["periodic", "periodic"]
[levels]
max = 3
ratio = [2, 4]
[regrid]
interval = 3
buffer = 2
max_patch_size = 40
[regrid.flag]
tolerance = 0.01
[time]
end = 1.0
dt_initial = 1e-3
[initial]
q = "exp(-300 * (x - 0.4)^2)"
"#;

/// Total at the start and drift of it, and the error in the mean once the pulse has crossed the periodic side.
fn run(overrides: &[&str]) -> (f64, f64, f64) {
    let shape = SolverShape {
        name: "advection".to_string(),
        dimension: 1,
        equations: vec!["q".to_string()],
        aux: Vec::new(),
        waves: 1,
        parameters: Vec::new(),
        has_source: false,
        wall: [false; 3],
    };
    let overrides: Vec<String> = overrides.iter().map(|o| (*o).to_string()).collect();
    let case = Case::from_str_with(PULSE, "case.toml", &overrides, |_| Ok(shape.clone()));
    let case = case.unwrap_or_else(|e| panic!("{e}"));
    let options = RunOptions { threads: Some(2), ..RunOptions::default() };
    let kernels = SolverKernels::new(Advection);
    let simulation = Simulation::<1>::with_solver(&case, &options, &shape, &kernels, UserFunctions::default());
    let mut simulation = simulation.unwrap_or_else(|e| panic!("{e}"));
    let before = simulation.totals()[0];
    simulation.advance_to(0.7).unwrap_or_else(|e| panic!("{e}"));
    let frame = simulation.frame();
    assert_eq!(frame.levels.len(), case.levels.max, "a level has got lost");
    let mut error = 0.0;
    for (l, level) in frame.levels.iter().enumerate() {
        for patch in &level.patches {
            for (cell, q) in patch.cells.cells().zip(&patch.q).filter(|(cell, _)| !frame.is_covered(l, *cell)) {
                let from_peak = (f64::from(cell[0]) + 0.5) * level.dx[0] - 0.1;
                let exact = (-300.0 * (from_peak - from_peak.round()).powi(2)).exp();
                error += (q - exact).abs() * level.dx[0];
            }
        }
    }
    (before, simulation.totals()[0] - before, error)
}

/// Three levels of intervals that move with a pulse, across the periodic side: nothing is lost, to round-off of some thousand
/// sums, and the error is a small part of that of the coarsest level alone.
#[test]
fn a_pulse_is_followed_in_one_dimension() {
    let (total, drift, error) = run(&[]);
    assert!(drift.abs() <= 1e-13 * total, "{total} drifts by {drift:e}");
    let (_, _, coarse) = run(&["levels.max=1", "levels.ratio=[]"]);
    assert!(error < 0.2 * coarse, "errors {error:e} and {coarse:e}");
}
