//! Advection at constant velocity with decay.
//!
//! PDE: `q_t + u q_x + v q_y = −β q`.
//! Variable: the transported quantity `q`. Parameters: velocity `u`, `v`; rate of decay `β`.
//!
//! Holds: as [`Advection`](super::Advection); the source takes q to `q (1 − βΔt/2)/(1 + βΔt/2)`, the trapezoidal rule, which
//! is `q exp(−βΔt)` to third order in βΔt and shrinks q for every Δt.
//!
//! Source: LeVeque, *Finite Volume Methods for Hyperbolic Problems* (2002), doi:10.1017/CBO9780511791253, §17.2 and §17.4.

use super::UniformAdvection;
use crate::prelude::*;

/// Advection with decay: equation `q`.
#[riemann::solver(title = "Advection at constant velocity with decay", equations = ["q"], waves = 1, solve_again, directions)]
pub struct AdvectionReaction {
    /// velocity along x
    pub u: Real,
    /// velocity along y
    pub v: Real,
    /// rate of decay
    #[parameter(positive)]
    pub rate: Real,
}

#[riemann::kernels(with(UniformAdvection))]
impl AdvectionReaction {
    fn source(&self, dt: Real, q: State) -> State {
        let half = (0.5 * self.rate) * dt;
        [q[0] * (1.0 - half) / (1.0 + half)]
    }

    fn exchanged(&self) -> Option<Self> {
        Some(AdvectionReaction { u: self.v, v: self.u, rate: self.rate })
    }

    fn mirrored(&self, axis: Axis) -> Option<Self> {
        Some(if axis == Axis::X { Self { u: -self.u, ..*self } } else { Self { v: -self.v, ..*self } })
    }
}
