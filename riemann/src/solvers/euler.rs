//! The Euler equations of a polytropic ideal gas.
//!
//! PDE: `ρ_t + (ρu)_x + (ρv)_y = 0`, `(ρu)_t + (ρu² + p)_x + (ρuv)_y = 0`, `(ρv)_t + (ρuv)_x + (ρv² + p)_y = 0`,
//! `E_t + ((E + p) u)_x + ((E + p) v)_y = 0`, with `p = (γ − 1)(E − ρ(u² + v²)/2)`; in one dimension without `ρv`; in three
//! with `ρw` and the flux along z likewise. Variables: density `ρ`, momentum `ρu`, `ρv`, `ρw`, total energy `E`, all per
//! volume. Parameter: ratio of specific heats γ.
//!
//! Roe's solver. Waves at a face in x: 0 acoustic (u − a), 1 shear (u), 2 entropy (u), 3 acoustic (u + a); in one dimension
//! there is no shear, in three those of `ρv` and `ρw` are one wave with that of the entropy, as Clawpack has them.
//!
//! Holds: `Σ_w wave_w = qr − ql`; `amdq + apdq = Σ s wave = f(qr) − f(ql)` (Roe's property); `bmasdq + bpasdq = B asdq`,
//! B the Jacobian of the transverse flux at Roe's average; nothing moves against a supersonic stream; a transonic
//! rarefaction moves to both sides.
//!
//! Source: Roe, *J. Comput. Phys.* 43 (1981) 357–372, doi:10.1016/0021-9991(81)90128-5; LeVeque, *Finite Volume
//! Methods for Hyperbolic Problems* (2002), doi:10.1017/CBO9780511791253, §15.3.4, §15.3.5 (entropy fix), chapter 21.

use super::{GasAlone, IdealGas, Linearised, RoeGas};
use crate::prelude::*;

/// The Euler equations: `density`, `x_momentum`, `y_momentum`, `z_momentum`, as many of them as there are axes, `energy`.
#[riemann::solver(
    dim = [1, 2, 3],
    title = "Euler equations of an ideal gas",
    equations = ["density", vector("x_momentum", "y_momentum", "z_momentum"), "energy"],
    positive = ["density", "pressure"],
    waves = [3, 4, 3]
)]
pub struct Euler<const D: usize = 2> {
    /// ratio of specific heats
    #[parameter(greater_than_one, default = 1.4)]
    pub gamma: Real,
}

#[riemann::kernels(with(Linearised, IdealGas, GasAlone, RoeGas))]
impl Euler {
    fn normal(&self, axis: Axis, ql: State, qr: State) -> Normal {
        let components = Self::components(axis);
        let (_, _, roe) = self.average(components, ql, qr);
        let strengths = Self::decompose(roe, Self::difference(qr, ql), components);
        let waves = Self::roe_waves(roe, strengths, components);
        let leftward = self.roe_shares(roe, components, ql, qr, waves);
        Self::roe_solution(roe, strengths, components, waves, leftward)
    }

    fn admissible(&self, unit: State) -> State {
        // Densities and pressures from 1/5 to 5, velocities from −3 to 3.
        let [density, pressure] = [unit[Self::DENSITY], unit[Self::ENERGY]].map(|u| 25_f64.powf(u - 0.5));
        let velocity = unit.map(|u| 6.0 * u - 3.0);
        let squared: f64 = velocity[1..Self::ENERGY].iter().map(|u| u * u).sum();
        let mut q = velocity.map(|u| density * u);
        q[Self::DENSITY] = density;
        q[Self::ENERGY] = pressure / (self.gamma - 1.0) + 0.5 * density * squared;
        q
    }
}
