//! The Euler equations of a polytropic ideal gas, by the HLLC solver.
//!
//! PDE, variables and parameter: those of [`Euler`](super::Euler).
//!
//! Three waves at a face in x: 0 the lower acoustic wave at s₀, 1 the contact at s₁ with the jump of the tangential
//! velocity, 2 the upper acoustic wave at s₂. The outer speeds are Einfeldt's: the smaller of `ul − al` and Roe's `u − a`, the
//! larger of `ur + ar` and Roe's `u + a`. Density stays positive, and no entropy fix is needed.
//!
//! Holds: `Σ_w wave_w = qr − ql`; `amdq + apdq = Σ s wave = f(qr) − f(ql)`; a contact that stands still stays sharp:
//! then nothing moves; `bmasdq + bpasdq = B asdq`, B the Jacobian of the transverse flux at Roe's average.
//!
//! Source: Toro, Spruce & Speares, *Shock Waves* 4 (1994) 25–34, doi:10.1007/BF01414629; outer speeds: Einfeldt,
//! *SIAM J. Numer. Anal.* 25 (1988) 294–318, doi:10.1137/0725021.

use super::{GasAlone, IdealGas, Linearised};
use crate::prelude::*;

/// The Euler equations by HLLC: `density`, `x_momentum`, `y_momentum`, `energy`.
#[riemann::solver(
    dim = [1, 2, 3],
    title = "Euler equations of an ideal gas, HLLC solver",
    equations = ["density", vector("x_momentum", "y_momentum", "z_momentum"), "energy"],
    positive = ["density", "pressure"],
    waves = 3
)]
pub struct EulerHllc<const D: usize = 2> {
    /// ratio of specific heats
    #[parameter(greater_than_one, default = 1.4)]
    pub gamma: Real,
}

#[riemann::kernels(with(Linearised, IdealGas, GasAlone))]
impl EulerHllc {
    /// The jump from a state to the one beside the contact, across the wave with the speed `s`. `velocity`: the state's,
    /// normal to the face; `contact`: that of the contact.
    fn jump_to_contact((q, gas): (State, Gas), (n, t, b): Components, velocity: Real, s: Real, contact: Real) -> State {
        let (inverse_density, pressure) = gas;
        let apart = s - velocity;
        // Where the state is the same on both sides of the face, s − contact is a sound speed or more.
        let behind = s - contact;
        let reciprocal = 1.0 / (apart * behind);
        let density = q[DENSITY] * (apart * (apart * reciprocal));
        let work = contact + pressure * inverse_density * (behind * reciprocal);
        let energy = q[ENERGY] * inverse_density + (contact - velocity) * work;
        let mut jump = q;
        jump[DENSITY] = density - q[DENSITY];
        jump[n] = density * contact - q[n];
        if D > 1 {
            jump[t] = density * (q[t] * inverse_density) - q[t];
        }
        if D > 2 {
            jump[b] = density * (q[b] * inverse_density) - q[b];
        }
        jump[ENERGY] = density * energy - q[ENERGY];
        jump
    }

    fn normal(&self, axis: Axis, ql: State, qr: State) -> Normal {
        let components = Self::components(axis);
        let n = components.0;
        let (left, right, roe) = self.average(components, ql, qr);
        let (u, a) = (roe.0.0, roe.3);
        let (ul, ur) = (ql[n] * left.0, qr[n] * right.0);
        let s0 = (ul - self.sound_speed(left)).min(u - a);
        let s2 = (ur + self.sound_speed(right)).max(u + a);
        let (thrust_l, thrust_r) = (ql[DENSITY] * (s0 - ul), qr[DENSITY] * (s2 - ur));
        // Equal states give their own velocity, to the bit: ul plus nothing.
        let contact = ul + (right.1 - left.1 + thrust_r * (ul - ur)) / (thrust_l - thrust_r);

        let mut lower = Self::jump_to_contact((ql, left), components, ul, s0, contact);
        let mut upper = Self::jump_to_contact((qr, right), components, ur, s2, contact);
        let jump = Self::difference(qr, ql);
        let mut middle = jump;
        let mut same = true;
        for m in 0..M {
            same = same && jump[m] == 0.0;
        }
        for m in 0..M {
            // Between equal states nothing happens; round-off must not make waves.
            lower[m] = if same { 0.0 } else { lower[m] };
            upper[m] = if same { 0.0 } else { -upper[m] };
            middle[m] = jump[m] - lower[m] - upper[m];
        }
        let mut amdq = lower;
        let mut apdq = upper;
        for m in 0..M {
            amdq[m] = s0.min(0.0) * lower[m] + contact.min(0.0) * middle[m] + s2.min(0.0) * upper[m];
            apdq[m] = s0.max(0.0) * lower[m] + contact.max(0.0) * middle[m] + s2.max(0.0) * upper[m];
        }
        Normal { waves: [lower, middle, upper], speeds: [s0, contact, s2], amdq, apdq }
    }

    fn admissible(&self, unit: State) -> State {
        super::Euler { gamma: self.gamma }.admissible(unit)
    }
}
