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

use super::{ContactWaves, GasAlone, IdealGas, Linearised, ThreeWaves};
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

#[riemann::kernels(with(Linearised, IdealGas, GasAlone, ContactWaves, ThreeWaves))]
impl EulerHllc {
    fn normal(&self, axis: Axis, ql: State, qr: State) -> Normal {
        let components = Self::components(axis);
        let n = components.0;
        let (left, right, roe) = self.average(components, ql, qr);
        let (u, a) = (roe.0.0, roe.3);
        let (ul, ur) = (ql[n] * left.0, qr[n] * right.0);
        let s0 = (ul - self.sound_speed(left)).min(u - a);
        let s2 = (ur + self.sound_speed(right)).max(u + a);
        Self::contact_waves((ql, left), (qr, right), n, [s0, s2])
    }

    fn admissible(&self, unit: State) -> State {
        super::Euler { gamma: self.gamma }.admissible(unit)
    }
}
