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
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Advection {
    /// Velocity along x.
    pub u: f64,
    /// Velocity along y.
    pub v: f64,
}

impl Advection {
    /// The velocity's component along `axis`.
    #[inline(always)]
    fn speed(&self, axis: Axis) -> f64 {
        match axis {
            Axis::X => self.u,
            _ => self.v,
        }
    }
}

impl Solver<1, 1, 0> for Advection {
    const DIM: usize = 2;
    const EQUATIONS: [&'static str; 1] = ["q"];
    const AUX: [&'static str; 0] = [];
    const SOLVE_AGAIN: bool = true;
    const WALL_NORMAL: [Option<usize>; 3] = [None; 3];

    #[inline(always)]
    fn normal<V: Real>(&self, axis: Axis, ql: [V; 1], qr: [V; 1], _aux_l: [V; 0], _aux_r: [V; 0]) -> Normal<V, 1, 1> {
        let speed = self.speed(axis);
        let wave = qr[0] - ql[0];
        Normal {
            waves: [[wave]],
            speeds: [V::constant(speed)],
            amdq: [V::constant(speed.min(0.0)) * wave],
            apdq: [V::constant(speed.max(0.0)) * wave],
        }
    }

    #[inline(always)]
    fn transverse<V: Real>(
        &self,
        axis: Axis,
        _side: Side,
        _ql: [V; 1],
        _qr: [V; 1],
        _aux: &TransverseAux<V, 0>,
        asdq: [V; 1],
    ) -> Transverse<V, 1> {
        let speed = self.speed(axis.transverse_2d());
        Transverse { bmasdq: [V::constant(speed.min(0.0)) * asdq[0]], bpasdq: [V::constant(speed.max(0.0)) * asdq[0]] }
    }

    #[inline(always)]
    fn flux<V: Real>(&self, axis: Axis, q: [V; 1], _aux: [V; 0]) -> Option<[V; 1]> {
        Some([V::constant(self.speed(axis)) * q[0]])
    }
}
