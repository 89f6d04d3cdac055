//! The Euler equations of a polytropic ideal gas, by the HLLE solver.
//!
//! PDE, variables and parameter: those of [`Euler`](super::Euler).
//!
//! Two waves, at Einfeldt's speeds: s₀, the smaller of `ul − al` and Roe's `u − a`, and s₁, the larger of `ur + ar` and Roe's `u + a`; between
//! them one state. Density and pressure stay positive. Contacts and shear are spread as by a scheme of first order: [`EulerHllc`](super::EulerHllc)
//! has a wave for them.
//!
//! Holds: `Σ_w wave_w = qr − ql`; `amdq + apdq = Σ s wave = f(qr) − f(ql)`; `bmasdq + bpasdq = B asdq`, B the Jacobian of the
//! transverse flux at Roe's average.
//!
//! Source: Harten, Lax & van Leer, *SIAM Rev.* 25 (1983) 35–61, doi:10.1137/1025002; Einfeldt, *SIAM J. Numer. Anal.* 25 (1988)
//! 294–318, doi:10.1137/0725021.

use super::{GasAlone, IdealGas, Linearised, TwoWaves};
use crate::prelude::*;

/// The Euler equations by HLLE: `density`, `x_momentum`, `y_momentum`, `z_momentum`, as many of them as there are axes, `energy`.
#[riemann::solver(
    dim = [1, 2, 3],
    title = "Euler equations of an ideal gas, HLLE solver",
    equations = ["density", vector("x_momentum", "y_momentum", "z_momentum"), "energy"],
    positive = ["density", "pressure"],
    waves = 2
)]
pub struct EulerHlle<const D: usize = 2> {
    /// ratio of specific heats
    #[parameter(greater_than_one, default = 1.4)]
    pub gamma: Real,
}

#[riemann::kernels(with(Linearised, IdealGas, GasAlone, TwoWaves))]
impl EulerHlle {
    fn normal(&self, axis: Axis, ql: State, qr: State) -> Normal {
        let components = Self::components(axis);
        let n = components.0;
        let (left, right, roe) = self.average(components, ql, qr);
        let (u, a) = (roe.0.0, roe.3);
        let lowest = (ql[n] * left.0 - self.sound_speed(left)).min(u - a);
        let highest = (qr[n] * right.0 + self.sound_speed(right)).max(u + a);
        let rise = Self::difference(self.gas_flux(qr, n), self.gas_flux(ql, n));
        Self::two_waves(Self::difference(qr, ql), rise, [lowest, highest])
    }

    fn admissible(&self, unit: State) -> State {
        super::Euler { gamma: self.gamma }.admissible(unit)
    }
}
