//! A solver with a source of its own.

use super::case_of;
use amrclaw::plugin::ChosenSolver;
use amrclaw::simulation::{Precision, RunOptions, Simulation};
use riemann::patch::SolverKernels;
use riemann::prelude::*;

/// Advection with decay.
#[riemann::solver(dim = 1, equations = ["q"], waves = 1)]
pub struct Decay {
    /// rate of decay
    #[parameter(default = 1.0)]
    pub rate: Real,
}

#[riemann::kernels]
impl Decay {
    fn normal(&self, ql: State, qr: State) -> Normal {
        let wave = qr[0] - ql[0];
        Normal { waves: [[wave]], speeds: [1.0], amdq: [0.0], apdq: [wave] }
    }

    fn source(&self, dt: Real, q: State) -> State {
        [q[0] * (1.0 - dt * self.rate)]
    }
}

/// At the start the source is tried in the precision of the steps, the only one that a library for them has: one that is wrong in the other
/// runs, one that is wrong in this is refused.
#[test]
fn sources_are_tried_in_the_precision_of_the_run() {
    let shape = ChosenSolver::own(Decay { rate: 1.0 }).shape;
    let [right, wrong] = [1.0, f64::NAN].map(|rate| SolverKernels::new(Decay { rate }));
    let start = |double: &SolverKernels, single: &SolverKernels| {
        let kernels = SolverKernels { double: double.double.clone(), single: single.single.clone() };
        let solver = ChosenSolver::of_kernels(shape.clone(), kernels);
        let case = case_of(&solver, "[mesh]\ncells = [5]\n[time]\nend = 1.0\n[initial]\nq = 1\n", &[]);
        let options = RunOptions { threads: Some(1), precision: Precision::F32, ..RunOptions::default() };
        Simulation::<1>::builder(&case).options(&options).solver(&solver).build().map(drop)
    };
    start(&wrong, &right).unwrap_or_else(|e| panic!("{e}"));
    let refused = start(&right, &wrong).expect_err("nothing is finite").to_string();
    assert!(refused.contains("q is NaN") && refused.contains("the solver's `source`"), "{refused}");
}
