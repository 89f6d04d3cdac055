//! Advection at constant velocity.
//!
//! PDE: `q_t + u q_x + v q_y = 0`; in one dimension `q_t + u q_x = 0`.
//! Variable: the transported quantity `q`. Parameters: velocity `u`, `v`.
//!
//! Holds: `wave = qr − ql`; `amdq + apdq = f(qr) − f(ql)`, all of it on the downwind side;
//! `bmasdq + bpasdq = b asdq`, b the transverse velocity.
//!
//! Source: LeVeque, *Finite Volume Methods for Hyperbolic Problems* (2002), doi:10.1017/CBO9780511791253, §4.1 and
//! chapter 20.

use super::UniformAdvection;
use crate::prelude::*;

/// Advection at constant velocity: equation `q`.
#[riemann::solver(
    dim = [1, 2],
    title = "Advection at constant velocity",
    equations = ["q"],
    waves = 1,
    solve_again
)]
pub struct Advection<const D: usize = 2> {
    /// velocity along x
    pub u: Real,
    /// velocity along y
    #[parameter(dim = 2)]
    pub v: Real,
}

#[riemann::kernels(with(UniformAdvection))]
impl Advection {
    fn exchanged(&self) -> Option<Self> {
        Some(Advection { u: self.v, v: self.u })
    }
}
