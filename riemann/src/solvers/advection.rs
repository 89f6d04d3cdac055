//! Advection at constant velocity.
//!
//! PDE: `q_t + u q_x + v q_y = 0`.
//! Variable: the transported quantity `q`. Parameters: velocity `u`, `v`.
//!
//! Holds: `wave = qr − ql`; `amdq + apdq = f(qr) − f(ql)`, all of it on the downwind side;
//! `bmasdq + bpasdq = b asdq`, b the transverse velocity.
//!
//! Source: LeVeque, *Finite Volume Methods for Hyperbolic Problems* (2002), doi:10.1017/CBO9780511791253, §4.1 and
//! chapter 20.

use crate::prelude::*;

/// Advection at constant velocity: equation `q`.
#[riemann::solver(title = "Advection at constant velocity", equations = ["q"], waves = 1, solve_again)]
pub struct Advection {
    /// velocity along x
    pub u: Real,
    /// velocity along y
    pub v: Real,
}

#[riemann::kernels]
impl Advection {
    /// The velocity's component along `axis`.
    fn speed(&self, axis: Axis) -> Real {
        match axis {
            Axis::X => self.u,
            _ => self.v,
        }
    }

    fn normal(&self, axis: Axis, ql: State, qr: State) -> Normal {
        let speed = self.speed(axis);
        let wave = qr[0] - ql[0];
        Normal { waves: [[wave]], speeds: [speed], amdq: [speed.min(0.0) * wave], apdq: [speed.max(0.0) * wave] }
    }

    fn transverse(&self, axis: Axis, asdq: State) -> Transverse {
        let speed = self.speed(axis.transverse_2d());
        Transverse { bmasdq: [speed.min(0.0) * asdq[0]], bpasdq: [speed.max(0.0) * asdq[0]] }
    }

    fn flux(&self, axis: Axis, q: State) -> State {
        [self.speed(axis) * q[0]]
    }

    fn exchanged(&self) -> Option<Self> {
        Some(Advection { u: self.v, v: self.u })
    }
}
