//! Advection at constant velocity.
//!
//! PDE: `q_t + u q_x + v q_y + w q_z = 0`; in two dimensions without `w`, in one without `v` too.
//! Variable: the transported quantity `q`. Parameters: velocity `u`, `v`, `w`.
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
    dim = [1, 2, 3],
    title = "Advection at constant velocity",
    equations = ["q"],
    waves = 1,
    solve_again,
    directions
)]
pub struct Advection<const D: usize = 2> {
    /// velocity along x
    pub u: Real,
    /// velocity along y
    #[parameter(dim = 2)]
    pub v: Real,
    /// velocity along z
    #[parameter(dim = 3)]
    pub w: Real,
}

#[riemann::kernels(with(UniformAdvection))]
impl Advection {
    fn exchanged(&self, axes: [Axis; 2]) -> Option<Self> {
        let mut velocity = [self.u, self.v, self.w];
        velocity.swap(axes[0].index(), axes[1].index());
        let [u, v, w] = velocity;
        Some(Advection { u, v, w })
    }

    fn mirrored(&self, axis: Axis) -> Option<Self> {
        let mut velocity = [self.u, self.v, self.w];
        velocity[axis.index()] *= -1.0;
        let [u, v, w] = velocity;
        Some(Advection { u, v, w })
    }
}
