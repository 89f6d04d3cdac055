//! The Euler equations of a polytropic ideal gas that carries a tracer.
//!
//! PDE: those of [`Euler`](super::Euler), and `(ρφ)_t + (ρuφ)_x + (ρvφ)_y = 0`.
//! Variables: density `ρ`, momentum `ρu`, `ρv`, total energy `E`, tracer `ρφ`, all per volume. Parameter: ratio of specific
//! heats γ.
//!
//! Roe's solver. Waves at a face in x: those of [`Euler`](super::Euler), then 4, the jump of φ at the velocity of the gas.
//!
//! Holds: `Σ_w wave_w = qr − ql`; `amdq + apdq = Σ s wave = f(qr) − f(ql)` (Roe's property); `bmasdq + bpasdq = B asdq`;
//! density, momentum and energy are those of [`Euler`](super::Euler), and a concentration φ that is the same on both sides
//! stays so.
//!
//! Source: Roe, *J. Comput. Phys.* 43 (1981) 357–372, doi:10.1016/0021-9991(81)90128-5; LeVeque, *Finite Volume
//! Methods for Hyperbolic Problems* (2002), doi:10.1017/CBO9780511791253, §13.12.1 (a passive tracer) and §15.3.4.

use super::{IdealGas, Linearised};
use crate::prelude::*;

/// The Euler equations with a tracer: `density`, `x_momentum`, `y_momentum`, `energy`, `tracer`.
#[riemann::solver(
    title = "Euler equations of an ideal gas with a tracer",
    equations = ["density", vector("x_momentum", "y_momentum"), "energy", "tracer"],
    positive = ["density", "pressure"],
    waves = 5
)]
pub struct EulerTracer {
    /// ratio of specific heats
    #[parameter(greater_than_one, default = 1.4)]
    pub gamma: Real,
}

#[riemann::kernels(with(Linearised, IdealGas))]
impl EulerTracer {
    /// Position of the tracer among the equations.
    const TRACER: usize = 4;

    /// Roe's average of the concentration φ.
    fn concentration(ql: State, qr: State) -> Real {
        let (root_l, root_r) = (ql[DENSITY].sqrt(), qr[DENSITY].sqrt());
        (ql[TRACER] * root_r + qr[TRACER] * root_l) / (root_l * root_r * (root_l + root_r))
    }

    fn normal(&self, axis: Axis, ql: State, qr: State) -> Normal {
        let components = Self::components(axis);
        let (n, t, _) = components;
        let (left, right, roe) = self.average(components, ql, qr);
        let ((u, v, w), enthalpy, kinetic, a, _, _) = roe;
        let jump = Self::difference(qr, ql);
        let strengths = Self::decompose(roe, jump, components);
        let (lower, shear, entropy, upper) = strengths;
        let lift = u * a;
        let mut waves = [[0.0; M]; W];
        waves[0] = Self::wave(lower, components, (u - a, v, w), enthalpy - lift);
        waves[1][t] = shear.0;
        waves[1][ENERGY] = shear.0 * v;
        waves[2] = Self::wave(entropy, components, (u, v, w), kinetic);
        waves[3] = Self::wave(upper, components, (u + a, v, w), enthalpy + lift);

        let speeds = [u - a, u, u + a];
        let leftward = self.left_going_speeds(n, (ql, left, waves[0]), (qr, right, waves[3]), speeds);
        let mut rightward = speeds;
        for k in 0..3 {
            rightward[k] -= leftward[k];
        }
        let mut amdq = Self::compose(roe, strengths, leftward, components);
        let mut apdq = Self::compose(roe, strengths, rightward, components);

        // The tracer moves with the mass, and its jump at the velocity of the gas.
        let phi = Self::concentration(ql, qr);
        let excess = jump[TRACER] - phi * jump[DENSITY];
        waves[0][TRACER] = phi * waves[0][DENSITY];
        waves[2][TRACER] = phi * waves[2][DENSITY];
        waves[3][TRACER] = phi * waves[3][DENSITY];
        waves[4][TRACER] = excess;
        amdq[TRACER] = phi * amdq[DENSITY] + leftward[1] * excess;
        apdq[TRACER] = phi * apdq[DENSITY] + rightward[1] * excess;
        Normal { waves, speeds: [speeds[0], u, u, speeds[2], u], amdq, apdq }
    }

    fn transverse(&self, axis: Axis, across: Axis, ql: State, qr: State, asdq: State) -> Transverse {
        let components = Self::components_across(axis, across);
        let (_, _, roe) = self.average(components, ql, qr);
        let v = roe.0.0;
        let (down, up) = Self::split(roe, asdq, components);
        let (mut bmasdq, mut bpasdq) = (down, up);
        let phi = Self::concentration(ql, qr);
        let excess = asdq[TRACER] - phi * asdq[DENSITY];
        bmasdq[TRACER] = phi * down[DENSITY] + v.min(0.0) * excess;
        bpasdq[TRACER] = phi * up[DENSITY] + v.max(0.0) * excess;
        Transverse { bmasdq, bpasdq }
    }

    fn admissible(&self, unit: State) -> State {
        let gas = super::Euler::<2> { gamma: self.gamma }.admissible([unit[0], unit[1], unit[2], unit[3]]);
        [gas[0], gas[1], gas[2], gas[3], gas[0] * unit[4]]
    }

    fn flux(&self, axis: Axis, q: State) -> State {
        let n = axis.index() + 1;
        let mut flux = self.gas_flux(q, n);
        flux[TRACER] = q[TRACER] * (q[n] / q[DENSITY]);
        flux
    }
}
