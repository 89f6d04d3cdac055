//! The Euler equations of a polytropic ideal gas that carries a tracer.
//!
//! PDE: those of [`Euler`](super::Euler), and `(ρφ)_t + (ρuφ)_x + (ρvφ)_y + (ρwφ)_z = 0`; in two dimensions without `w`.
//! Variables: density `ρ`, momentum `ρu`, `ρv`, `ρw`, total energy `E`, tracer `ρφ`, all per volume. Parameter: ratio of
//! specific heats γ.
//!
//! Roe's solver. Waves at a face in x: those of [`Euler`](super::Euler), then the jump of φ at the velocity of the gas.
//!
//! Holds: `Σ_w wave_w = qr − ql`; `amdq + apdq = Σ s wave = f(qr) − f(ql)` (Roe's property); `bmasdq + bpasdq = B asdq`;
//! density, momentum and energy are those of [`Euler`](super::Euler), and a concentration φ that is the same on both sides
//! stays so.
//!
//! Source: Roe, *J. Comput. Phys.* 43 (1981) 357–372, doi:10.1016/0021-9991(81)90128-5; LeVeque, *Finite Volume
//! Methods for Hyperbolic Problems* (2002), doi:10.1017/CBO9780511791253, §13.12.1 (a passive tracer) and §15.3.4.

use super::{IdealGas, Linearised};
use crate::prelude::*;

/// The Euler equations with a tracer: `density`, `x_momentum`, `y_momentum`, in space `z_momentum`, `energy`, `tracer`.
#[riemann::solver(
    dim = [2, 3],
    title = "Euler equations of an ideal gas with a tracer",
    equations = ["density", vector("x_momentum", "y_momentum", "z_momentum"), "energy", "tracer"],
    positive = ["density", "pressure"],
    waves = [5, 4]
)]
pub struct EulerTracer<const D: usize = 2> {
    /// ratio of specific heats
    #[parameter(greater_than_one, default = 1.4)]
    pub gamma: Real,
}

#[riemann::kernels(with(Linearised, IdealGas))]
impl EulerTracer {
    /// Position of the tracer among the equations.
    const TRACER: usize = D + 2;
    /// Positions of the entropy wave, of the last acoustic wave, and of the tracer's.
    const ENTROPY_WAVE: usize = W - 3;
    const LAST_WAVE: usize = W - 2;
    const TRACER_WAVE: usize = W - 1;

    /// Roe's average of the concentration φ.
    fn concentration(ql: State, qr: State) -> Real {
        let (weight_l, weight_r) = Self::roe_weights(ql[DENSITY], qr[DENSITY]);
        ql[TRACER] * weight_l + qr[TRACER] * weight_r
    }

    fn normal(&self, axis: Axis, ql: State, qr: State) -> Normal {
        let components = Self::components(axis);
        let (n, t, b) = components;
        let (_, _, roe) = self.average(components, ql, qr);
        let ((u, v, w), enthalpy, kinetic, a, _, _) = roe;
        let jump = Self::difference(qr, ql);
        let strengths = Self::decompose(roe, jump, components);
        let (lower, shear, entropy, upper) = strengths;
        let lift = u * a;
        let mut waves = [[0.0; M]; W];
        waves[0] = Self::wave(lower, components, (u - a, v, w), enthalpy - lift);
        if D == 2 {
            waves[1][t] = shear.0;
            waves[1][ENERGY] = shear.0 * v;
        }
        waves[ENTROPY_WAVE] = Self::wave(entropy, components, (u, v, w), kinetic);
        if D > 2 {
            waves[ENTROPY_WAVE][t] += shear.0;
            waves[ENTROPY_WAVE][b] += shear.1;
            waves[ENTROPY_WAVE][ENERGY] += shear.0 * v + shear.1 * w;
        }
        waves[LAST_WAVE] = Self::wave(upper, components, (u + a, v, w), enthalpy + lift);

        let speeds = [u - a, u, u + a];
        let leftward = self.left_going_speeds(n, (ql, waves[0]), (qr, waves[LAST_WAVE]), speeds);
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
        waves[ENTROPY_WAVE][TRACER] = phi * waves[ENTROPY_WAVE][DENSITY];
        waves[LAST_WAVE][TRACER] = phi * waves[LAST_WAVE][DENSITY];
        waves[TRACER_WAVE][TRACER] = excess;
        amdq[TRACER] = phi * amdq[DENSITY] + leftward[1] * excess;
        apdq[TRACER] = phi * apdq[DENSITY] + rightward[1] * excess;
        let mut wave_speeds = [u; W];
        wave_speeds[0] = speeds[0];
        wave_speeds[LAST_WAVE] = speeds[2];
        Normal { waves, speeds: wave_speeds, amdq, apdq }
    }

    fn mean_state(&self, ql: State, qr: State) -> State {
        let mut mean = self.mean_gas(ql, qr);
        mean[TRACER] = Self::concentration(ql, qr);
        mean
    }

    fn transverse(&self, axis: Axis, across: Axis, mean: State, asdq: State) -> Transverse {
        let components = Self::components_across(axis, across);
        let roe = self.average_in(mean, components);
        let v = roe.0.0;
        let (down, up) = Self::split(roe, asdq, components);
        let (mut bmasdq, mut bpasdq) = (down, up);
        let phi = mean[TRACER];
        let excess = asdq[TRACER] - phi * asdq[DENSITY];
        bmasdq[TRACER] = phi * down[DENSITY] + v.min(0.0) * excess;
        bpasdq[TRACER] = phi * up[DENSITY] + v.max(0.0) * excess;
        Transverse { bmasdq, bpasdq }
    }

    fn admissible(&self, unit: State) -> State {
        // Densities and pressures from 1/5 to 5, velocities from −3 to 3, concentrations from 0 to 1.
        let [density, pressure] = [unit[Self::DENSITY], unit[Self::ENERGY]].map(|u| 25_f64.powf(u - 0.5));
        let velocity = unit.map(|u| 6.0 * u - 3.0);
        let squared: f64 = velocity[1..Self::ENERGY].iter().map(|u| u * u).sum();
        let mut q = velocity.map(|u| density * u);
        q[Self::DENSITY] = density;
        q[Self::ENERGY] = pressure / (self.gamma - 1.0) + 0.5 * density * squared;
        q[Self::TRACER] = density * unit[Self::TRACER];
        q
    }

    fn flux(&self, axis: Axis, q: State) -> State {
        let n = axis.index() + 1;
        let mut flux = self.gas_flux(q, n);
        flux[TRACER] = q[TRACER] * (q[n] / q[DENSITY]);
        flux
    }
}
