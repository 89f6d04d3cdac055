//! A solver for tests: advection with a capacity function.

use amrclaw::case::{Case, SolverFormulas, SolverShape};
use amrclaw::plugin::ChosenSolver;
use amrclaw::simulation::{RunOptions, Simulation};
use riemann::patch::SolverKernels;
use riemann::prelude::*;

/// Advection at a constant flux velocity with a capacity: `κ q_t + u q_x + v q_y + w q_z = 0`, without w in two dimensions.
#[derive(Clone)]
struct WithCapacity<const D: usize> {
    velocity: [f64; D],
}

impl<const D: usize> Solver<1, 1, 1> for WithCapacity<D> {
    const DIM: usize = D;
    const EQUATIONS: [&'static str; 1] = ["q"];
    const AUX: [&'static str; 1] = ["kappa"];

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
        _: Axis,
        across: Axis,
        _: Side,
        _: [V; 1],
        _: [V; 1],
        _: [V; 1],
        _: &TransverseAux<V, 1>,
        asdq: [V; 1],
    ) -> Transverse<V, 1> {
        let speed = self.velocity[across.index()];
        let (down, up) = (V::constant(speed.min(0.0)), V::constant(speed.max(0.0)));
        Transverse { bmasdq: [down * asdq[0]], bpasdq: [up * asdq[0]] }
    }
}

/// A simulation of [`WithCapacity`]; the case gives everything else, `aux.kappa` included.
pub fn start_with_capacity<const D: usize>(text: &str, overrides: &[&str], velocity: [f64; D]) -> Simulation<D> {
    let shape = SolverShape {
        name: "with_capacity".to_string(),
        dimension: D,
        equations: vec!["q".to_string()],
        aux: vec!["kappa".to_string()],
        positive: Vec::new(),
        waves: 1,
        parameters: Vec::new(),
        has_transverse: true,
        has_source: false,
        of_time: false,
        groups: Vec::new(),
        aux_groups: Vec::new(),
        directions: true,
        looks_beside: false,
        fwaves: false,
        formulas: SolverFormulas::default(),
    };
    let overrides = [&["solver.path=\"of the test\"", "scheme.capacity=\"kappa\""], overrides].concat();
    let overrides: Vec<String> = overrides.into_iter().map(str::to_string).collect();
    let case = Case::from_str_with(text, "case.toml", &overrides, |_| Ok(shape.clone()));
    let case = case.unwrap_or_else(|e| panic!("{e}"));
    let options = RunOptions { threads: Some(2), ..RunOptions::default() };
    let solver = ChosenSolver::of_kernels(shape, SolverKernels::new(WithCapacity { velocity }));
    let simulation = Simulation::builder(&case).options(&options).solver(&solver).build();
    simulation.unwrap_or_else(|e| panic!("{e}"))
}
