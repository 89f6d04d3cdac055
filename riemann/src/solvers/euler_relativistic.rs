//! The Euler equations of special relativity, for a polytropic ideal gas.
//!
//! PDE: `D_t + ∇·(Dv) = 0`, `S_t + ∇·(S v + p I) = 0`, `E_t + ∇·S = 0`, with `D = ρW`, `S = ρhW²v`, `E = ρhW² − p`, `W = 1/√(1 − v²)`,
//! `h = 1 + γ/(γ − 1) p/ρ`; the speed of light is 1. Variables: mass `D`, momentum `S`, energy `E` with that of the mass, all per volume in
//! the frame of the mesh. Parameter: ratio of specific heats γ.
//!
//! HLLC. Waves: 0 and 2 acoustic, at the outermost speeds of both states, 1 the contact with the jump of the tangential velocity. The pressure
//! of a state is a root, found by Newton's method.
//!
//! Holds: `Σ_w wave_w = qr − ql`; `amdq + apdq = Σ s wave = f(qr) − f(ql)`; no wave is faster than light.
//!
//! Source: Mignone & Bodo, *Mon. Not. R. Astron. Soc.* 364 (2005) 126–136, doi:10.1111/j.1365-2966.2005.09546.x, §3; pressure: Martí & Müller,
//! *Living Rev. Relativ.* 6 (2003) 7, doi:10.12942/lrr-2003-7, §9.2.

use super::{Linearised, ThreeWaves};
use crate::prelude::*;

/// The relativistic Euler equations: `mass`, `x_momentum`, `y_momentum`, `z_momentum`, as many of them as there are axes, `energy`.
#[riemann::solver(
    dim = [1, 2, 3],
    title = "Relativistic Euler equations of an ideal gas, HLLC solver",
    equations = ["mass", vector("x_momentum", "y_momentum", "z_momentum"), "energy"],
    positive = ["mass", "heat"],
    waves = 3
)]
pub struct EulerRelativistic<const D: usize = 2> {
    /// ratio of specific heats
    #[parameter(greater_than_one, default = 1.6666666666666667)]
    pub gamma: Real,
}

#[riemann::kernels(with(Linearised, ThreeWaves))]
impl EulerRelativistic {
    const ENERGY: usize = D + 1;

    fn momentum_squared(q: State) -> Real {
        let mut squared = q[1] * q[1];
        for k in 2..ENERGY {
            squared += q[k] * q[k];
        }
        squared
    }

    /// Mass, and what is left of the energy beside mass and motion: both are positive exactly where density and pressure are.
    fn admissible_state(&self, q: State) -> [Real; 2] {
        [q[0], q[ENERGY] - (q[0] * q[0] + Self::momentum_squared(q)).sqrt()]
    }

    /// The pressure p, and `v²`, with `ρhW² = E + p`: the root of `(γ − 1)/γ ((E + p)(1 − v²) − D √(1 − v²)) − p`.
    fn pressure(&self, q: State) -> (Real, Real) {
        let squared = Self::momentum_squared(q);
        let [_, heat] = self.admissible_state(q);
        let share = (self.gamma - 1.0) / self.gamma;
        let mut pressure = ((self.gamma - 1.0) * heat).max(0.0);
        for _ in 0..40 {
            let inertia = q[ENERGY] + pressure;
            let motion = squared / (inertia * inertia);
            let rest = (1.0 - motion).max(1e-30);
            let enthalpy = inertia * rest;
            let excess = share * (enthalpy - q[0] * rest.sqrt()) - pressure;
            // The slope is v² a² − 1, a the speed of sound.
            let sound = (self.gamma * pressure / enthalpy).min(1.0);
            let step = excess / (1.0 - motion * sound);
            pressure = (pressure + step).max(0.0);
            if step.abs() <= 1e-15 * inertia {
                break;
            }
        }
        let inertia = q[ENERGY] + pressure;
        (pressure, squared / (inertia * inertia))
    }

    /// Velocity along component `n`, pressure, and the slowest and the fastest wave along it.
    fn flow(&self, q: State, n: usize) -> (Real, Real, [Real; 2]) {
        let (pressure, motion) = self.pressure(q);
        let inertia = q[ENERGY] + pressure;
        let u = q[n] / inertia;
        let rest = (1.0 - motion).max(1e-30);
        let sound = self.gamma * pressure / (inertia * rest);
        let spread = (sound * rest * ((1.0 - u * u) - (motion - u * u) * sound)).max(0.0).sqrt();
        let reciprocal = 1.0 / (1.0 - motion * sound);
        let middle = u * (1.0 - sound);
        (u, pressure, [(middle - spread) * reciprocal, (middle + spread) * reciprocal])
    }

    /// The flux along component `n` of a state with this velocity and pressure.
    fn flux_of(q: State, n: usize, u: Real, pressure: Real) -> State {
        let mut flux = q;
        for m in 0..ENERGY {
            flux[m] = q[m] * u;
        }
        flux[n] += pressure;
        flux[ENERGY] = q[n];
        flux
    }

    fn flux(&self, axis: Axis, q: State) -> State {
        let n = axis.index() + 1;
        let (u, pressure, _) = self.flow(q, n);
        Self::flux_of(q, n, u, pressure)
    }

    /// The jump from a state to the one beside the contact, across the wave with the speed `s`.
    fn jump_to_contact(q: State, n: usize, s: Real, before: [Real; 2], contact: [Real; 2]) -> State {
        let ([u, pressure], [u_beside, pressure_beside]) = (before, contact);
        let reciprocal = 1.0 / (s - u_beside);
        let mut jump = q;
        for m in 0..ENERGY {
            jump[m] = q[m] * ((u_beside - u) * reciprocal);
        }
        jump[n] += (pressure_beside - pressure) * reciprocal;
        jump[ENERGY] = (q[ENERGY] * (u_beside - u) + pressure_beside * u_beside - pressure * u) * reciprocal;
        jump
    }

    fn normal(&self, axis: Axis, ql: State, qr: State) -> Normal {
        let n = axis.index() + 1;
        let (ul, pl, [slowest_l, fastest_l]) = self.flow(ql, n);
        let (ur, pr, [slowest_r, fastest_r]) = self.flow(qr, n);
        let (s0, s2) = (slowest_l.min(slowest_r), fastest_l.max(fastest_r));
        let jump = Self::difference(qr, ql);
        let rise = Self::difference(Self::flux_of(qr, n, ur, pr), Self::flux_of(ql, n, ul, pl));

        // The state and the flux of HLL; the contact's velocity is the smaller root of f u² − (E + g) u + S.
        let reciprocal = 1.0 / (s2 - s0);
        let pushed = (s2 * jump[n] - rise[n]) * reciprocal;
        let worked = (s2 * jump[ENERGY] - rise[ENERGY]) * reciprocal;
        let (momentum, energy) = (ql[n] + pushed, ql[ENERGY] + worked);
        let (thrust, carried) = (ql[n] * ul + pl + s0 * pushed, ql[n] + s0 * worked);
        let sum = energy + thrust;
        let root = (sum * sum - 4.0 * carried * momentum).max(0.0).sqrt();
        let contact = 2.0 * momentum / (sum + root);
        let beside = [contact, thrust - carried * contact];

        let lower = Self::jump_to_contact(ql, n, s0, [ul, pl], beside);
        let upper = Self::jump_to_contact(qr, n, s2, [ur, pr], beside);
        Self::three_waves(jump, lower, upper, [s0, contact, s2])
    }

    /// Densities and pressures from 1/5 to 5; speeds up to 0.87 and more in fewer dimensions.
    fn admissible(&self, unit: State) -> State {
        let [density, pressure] = [unit[0], unit[Self::ENERGY]].map(|u| 25_f64.powf(u - 0.5));
        let velocity = unit.map(|u| u - 0.5);
        let squared: f64 = velocity[1..Self::ENERGY].iter().map(|u| u * u).sum();
        let inertia = (density + self.gamma / (self.gamma - 1.0) * pressure) / (1.0 - squared);
        let mut q = velocity.map(|u| inertia * u);
        q[0] = density / (1.0 - squared).sqrt();
        q[Self::ENERGY] = inertia - pressure;
        q
    }
}
