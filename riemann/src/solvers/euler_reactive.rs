//! The Euler equations of an ideal gas that burns.
//!
//! PDE: `ρ_t + (ρu)_x = 0`, `(ρu)_t + (ρu² + p)_x = 0`, `E_t + ((E + p) u)_x = 0`, `z_t + (u z)_x = ω`, with `p = (γ − 1)(E − ρu²/2 − Q z)`.
//! Variables: density `ρ`, momentum `ρu`, total energy `E`, which includes the chemical, and mass of the `fuel` z, all per volume. Parameters:
//! ratio of specific heats γ, heat Q that a mass of fuel releases. The rate `ω` is the case's source: the fuel burns at constant energy.
//!
//! Without its chemical part the energy follows the equations of [`EulerTracer`](super::EulerTracer): waves are found there, and brought back.
//!
//! Holds: `Σ_w wave_w = qr − ql`; `amdq + apdq = Σ s wave = f(qr) − f(ql)` (Roe's property); without heat everything is as in
//! [`EulerTracer`](super::EulerTracer).
//!
//! Source: LeVeque, *Finite Volume Methods for Hyperbolic Problems* (2002), doi:10.1017/CBO9780511791253, §17.17 (detonations); Roe's solver: §15.3.4.

use super::{GasWithTracer, IdealGas, Linearised, RoeGas};
use crate::prelude::*;

/// The reactive Euler equations: `density`, `momentum`, `energy`, `fuel`.
#[riemann::solver(
    dim = 1,
    title = "Euler equations of a gas that burns",
    equations = ["density", vector("momentum"), "energy", "fuel"],
    positive = ["density", "pressure"],
    waves = 4
)]
pub struct EulerReactive {
    /// ratio of specific heats
    #[parameter(greater_than_one, default = 1.4)]
    pub gamma: Real,
    /// heat that a mass of fuel releases
    #[parameter(default = 1.0)]
    pub heat: Real,
}

#[riemann::kernels(with(Linearised, IdealGas, RoeGas, GasWithTracer))]
impl EulerReactive {
    /// A state or a wave with `sign` times the chemical energy added.
    fn with_heat(&self, q: State, sign: Real) -> State {
        let mut other = q;
        other[ENERGY] += sign * self.heat * q[TRACER];
        other
    }

    fn normal(&self, axis: Axis, ql: State, qr: State) -> Normal {
        let inert = self.normal_with_tracer(axis, self.with_heat(ql, -1.0), self.with_heat(qr, -1.0));
        let mut waves = inert.waves;
        for w in 0..W {
            waves[w] = self.with_heat(inert.waves[w], 1.0);
        }
        let (amdq, apdq) = (self.with_heat(inert.amdq, 1.0), self.with_heat(inert.apdq, 1.0));
        Normal { waves, speeds: inert.speeds, amdq, apdq }
    }

    fn flux(&self, q: State) -> State {
        let inert = self.with_heat(q, -1.0);
        let mut flux = self.gas_flux(inert, 1);
        flux[TRACER] = q[TRACER] * (q[1] / q[DENSITY]);
        self.with_heat(flux, 1.0)
    }

    fn admissible(&self, unit: State) -> State {
        let inert = super::EulerTracer::<1> { gamma: self.gamma }.admissible(unit);
        let mut q = inert;
        q[Self::ENERGY] += self.heat * inert[Self::TRACER];
        q
    }
}
