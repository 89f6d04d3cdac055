//! The Euler equations of a polytropic ideal gas that carries a tracer.
//!
//! PDE: those of [`Euler`](super::Euler), and `(ρφ)_t + (ρuφ)_x + (ρvφ)_y + (ρwφ)_z = 0`; in two dimensions without `w`, in one without `v` too.
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

use super::{GasWithTracer, IdealGas, Linearised, RoeGas};
use crate::prelude::*;

/// The Euler equations with a tracer: `density`, `x_momentum`, `y_momentum`, `z_momentum`, as many of them as there are axes, `energy`,
/// `tracer`.
#[riemann::solver(
    dim = [1, 2, 3],
    title = "Euler equations of an ideal gas with a tracer",
    equations = ["density", vector("x_momentum", "y_momentum", "z_momentum"), "energy", "tracer"],
    positive = ["density", "pressure"],
    waves = [4, 5, 4]
)]
pub struct EulerTracer<const D: usize = 2> {
    /// ratio of specific heats
    #[parameter(greater_than_one, default = 1.4)]
    pub gamma: Real,
}

#[riemann::kernels(with(Linearised, IdealGas, RoeGas, GasWithTracer))]
impl EulerTracer {
    fn normal(&self, axis: Axis, ql: State, qr: State) -> Normal {
        self.normal_with_tracer(axis, ql, qr)
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
        // A gas as `euler` has it, with concentrations from 0 to 1.
        let gas = super::Euler::<D> { gamma: self.gamma }.admissible(std::array::from_fn(|m| unit[m]));
        let mut q = unit.map(|u| gas[Self::DENSITY] * u);
        q[..=Self::ENERGY].copy_from_slice(&gas);
        q
    }

    fn flux(&self, axis: Axis, q: State) -> State {
        let n = axis.index() + 1;
        let mut flux = self.gas_flux(q, n);
        flux[TRACER] = q[TRACER] * (q[n] / q[DENSITY]);
        flux
    }
}
