//! The shallow water equations over a flat bottom in one dimension, with a tracer.
//!
//! PDE: those of [`ShallowWater`](super::ShallowWater), and `c_t + u c_x = 0`, not in conservation form.
//! Variables: depth `h`, momentum `hu`, `tracer` c, a concentration. Parameter: gravity `g`.
//!
//! Roe's solver. Waves: 0 gravity (u − a), 1 tracer (u), 2 gravity (u + a).
//!
//! Holds: `Σ_w wave_w = qr − ql`; depth and momentum are those of [`ShallowWater`](super::ShallowWater); the tracer's jump moves at Roe's
//! velocity.
//!
//! Source: LeVeque, *Finite Volume Methods for Hyperbolic Problems* (2002), doi:10.1017/CBO9780511791253, §13.12.1 and §15.3.3.

use super::{Linearised, Water};
use crate::prelude::*;

/// The shallow water equations with a tracer: `depth`, `momentum`, `tracer`.
#[riemann::solver(
    dim = 1,
    title = "Shallow water equations over a flat bottom with a tracer",
    equations = ["depth", vector("momentum"), "tracer"],
    nonnegative = ["depth"],
    waves = 3
)]
pub struct ShallowWaterTracer {
    /// acceleration of gravity
    #[parameter(positive, default = 9.81)]
    pub gravity: Real,
}

#[riemann::kernels(with(Linearised, Water))]
impl ShallowWaterTracer {
    /// Position of the tracer among the equations.
    const TRACER: usize = 2;

    fn normal(&self, axis: Axis, ql: State, qr: State) -> Normal {
        let roe = self.average(axis, ql, qr);
        let (u, _, a, _) = roe;
        let (along, across) = ((1, u), (1, 0.0));
        let strengths = Self::decompose(roe, Self::rise(qr, ql), along, across);
        let jump = qr[TRACER] - ql[TRACER];
        let waves =
            [[strengths.0, strengths.0 * (u - a), 0.0], [0.0, 0.0, jump], [strengths.2, strengths.2 * (u + a), 0.0]];
        let speeds = [u - a, u, u + a];
        let leftward = self.left_going_speeds(1, (ql, waves[0]), (qr, waves[2]), speeds);
        let mut rightward = speeds;
        for k in 0..3 {
            rightward[k] -= leftward[k];
        }
        let mut amdq = Self::compose(roe, strengths, leftward, along, across);
        let mut apdq = Self::compose(roe, strengths, rightward, along, across);
        amdq[TRACER] = leftward[1] * jump;
        apdq[TRACER] = rightward[1] * jump;
        Normal { waves, speeds, amdq, apdq }
    }

    fn admissible(&self, unit: State) -> State {
        let depth = 25_f64.powf(unit[0] - 0.5);
        [depth, depth * (10.0 * unit[1] - 5.0), unit[2]]
    }
}
