//! A small solver that looks at the jumps beside faces, in the plane and in space: what is at a face, and whether its correction is left out,
//! depends on neighbours along all axes.

use riemann::catalogue::{self, SolverInfo};
use riemann::prelude::*;

/// Advection of a quantity that must not become negative and of a vector, with a viscosity where jumps of the vector beside a face are steep.
#[riemann::solver(
    dim = [2, 3],
    equations = ["q", vector("u", "v", "w")],
    aux = ["weight"],
    waves = 1,
    nonnegative = ["q"]
)]
pub struct Looking<const D: usize>;

#[riemann::kernels]
impl Looking {
    fn steepness(&self, axis: Axis, ql: State, qr: State, aux_l: Aux, aux_r: Aux) -> Real {
        let n = axis.index() + 1;
        (1.0 + 0.5 * (n as Real)) * (ql[n] * aux_l[0] - qr[n] * aux_r[0])
    }

    fn normal(&self, axis: Axis, ql: State, qr: State, aux_r: Aux, beside: Real) -> Normal {
        let speed = if axis == Axis::Y { -0.5 * aux_r[0] } else { 0.75 };
        let size = speed.abs().max(beside.min(2.0));
        let (left, right) = (0.5 * (speed - size), 0.5 * (speed + size));
        let (mut jump, mut amdq, mut apdq) = (qr, qr, qr);
        for m in 0..M {
            jump[m] -= ql[m];
            amdq[m] = left * jump[m];
            apdq[m] = right * jump[m];
        }
        Normal { waves: [jump], speeds: [speed], amdq, apdq }
    }

    fn transverse(&self, across: Axis, asdq: State, aux: TransverseAux) -> Transverse {
        let speed = if across == Axis::Y { -0.5 * aux.here[0] } else { 0.75 };
        let (mut bmasdq, mut bpasdq) = (asdq, asdq);
        for m in 0..M {
            bmasdq[m] *= speed.min(0.0);
            bpasdq[m] *= speed.max(0.0);
        }
        Transverse { bmasdq, bpasdq }
    }

    fn admissible(&self, unit: State) -> State {
        let mut q = unit.map(|u| 2.0 * u - 1.0);
        q[0] = unit[0];
        q
    }

    fn admissible_aux(&self, unit: Aux) -> Aux {
        [0.5 + unit[0]]
    }
}

/// What the solver is.
pub fn info<const D: usize, const M: usize>() -> &'static SolverInfo
where
    Looking<D>: Solver<M, 1, 1>,
{
    let other = *catalogue::find("advection", D).expect("it is built in");
    let equations = <Looking<D> as Solver<M, 1, 1>>::EQUATIONS.to_vec().leak();
    let aux = &["weight"];
    Box::leak(Box::new(SolverInfo { name: "looking", equations, aux, parameters: &[], looks_beside: true, ..other }))
}
