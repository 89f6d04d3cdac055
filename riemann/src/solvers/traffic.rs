//! Traffic flow: the equation of Lighthill, Whitham and Richards.
//!
//! PDE: `q_t + (u q (1 − q))_x + (v q (1 − q))_y = 0`; in one dimension, a road, without the last term.
//! Variable: density `q` of cars, one where they stand bumper to bumper. Parameters: largest velocity `u` along x, on an empty
//! road, and `v` along y (zero: each row of cells is a road of its own).
//!
//! Holds: `wave = qr − ql`; its speed is that of a shock, `u (1 − ql − qr)`; `amdq + apdq = f(qr) − f(ql)`; where the
//! characteristic speed `u (1 − 2q)` passes from below zero to above it, each side takes its own part of the transonic
//! rarefaction; `bmasdq + bpasdq = s asdq`.
//!
//! Source: LeVeque, *Finite Volume Methods for Hyperbolic Problems* (2002), doi:10.1017/CBO9780511791253, §11.1 and §12.3.

use crate::prelude::*;

/// Traffic flow: equation `density`.
#[riemann::solver(
    dim = [1, 2],
    title = "Traffic flow on roads",
    equations = ["density"],
    nonnegative = ["density", "1 - density"],
    waves = 1,
    solve_again,
    directions
)]
pub struct Traffic<const D: usize = 2> {
    /// largest velocity along x
    #[parameter(default = 1.0)]
    pub u: Real,
    /// largest velocity along y
    #[parameter(default = 0.0, dim = 2)]
    pub v: Real,
}

#[riemann::kernels]
impl Traffic {
    fn largest(&self, axis: Axis) -> Real {
        if axis == Axis::X { self.u } else { self.v }
    }

    fn normal(&self, axis: Axis, ql: State, qr: State) -> Normal {
        let largest = self.largest(axis);
        let ([l], [r]) = (ql, qr);
        let wave = r - l;
        let speed = largest * (1.0 - l - r);
        let whole = speed * wave;
        let transonic = largest * (1.0 - 2.0 * l) < 0.0 && largest * (1.0 - 2.0 * r) > 0.0;
        // In a rarefaction the density at the face is one half, and the flux largest.
        let left = 0.25 * largest - largest * l * (1.0 - l);
        let leftward = if speed < 0.0 { whole } else { 0.0 };
        let amdq = if transonic { left } else { leftward };
        Normal { waves: [[wave]], speeds: [speed], amdq: [amdq], apdq: [whole - amdq] }
    }

    fn transverse(&self, axis: Axis, ql: State, qr: State, asdq: State) -> Transverse {
        let speed = self.largest(axis.transverse_2d()) * (1.0 - ql[0] - qr[0]);
        Transverse { bmasdq: [speed.min(0.0) * asdq[0]], bpasdq: [speed.max(0.0) * asdq[0]] }
    }

    fn flux(&self, axis: Axis, q: State) -> State {
        [self.largest(axis) * q[0] * (1.0 - q[0])]
    }

    fn admissible_state(&self, q: State) -> [Real; 2] {
        [q[0], 1.0 - q[0]]
    }

    fn admissible(&self, unit: State) -> State {
        unit
    }

    fn exchanged(&self) -> Option<Self> {
        Some(Traffic { u: self.v, v: self.u })
    }

    fn mirrored(&self, axis: Axis) -> Option<Self> {
        Some(if axis == Axis::X { Self { u: -self.u, ..*self } } else { Self { v: -self.v, ..*self } })
    }
}
