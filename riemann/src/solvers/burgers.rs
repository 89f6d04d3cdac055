//! Burgers' equation in two dimensions.
//!
//! PDE: `q_t + (q²/2)_x + (q²/2)_y = 0`.
//! Variable: the speed `q`, the same along both axes.
//!
//! Holds: `wave = qr − ql`; the speed is that of a shock, `(ql + qr)/2`; `amdq + apdq = f(qr) − f(ql)`; where
//! `ql < 0 < qr`, each side takes its own part of the transonic rarefaction; `bmasdq + bpasdq = s asdq`.
//!
//! Source: LeVeque, *Finite Volume Methods for Hyperbolic Problems* (2002), doi:10.1017/CBO9780511791253, §11.4,
//! §12.3 (entropy fix) and chapter 20.

use crate::prelude::*;

/// Burgers' equation: equation `q`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Burgers;

impl Solver<1, 1, 0> for Burgers {
    const DIM: usize = 2;
    const EQUATIONS: [&'static str; 1] = ["q"];
    const AUX: [&'static str; 0] = [];
    const SOLVE_AGAIN: bool = true;
    const WALL_NORMAL: [Option<usize>; 3] = [None; 3];

    #[inline(always)]
    fn normal<V: Real>(&self, _axis: Axis, ql: [V; 1], qr: [V; 1], _aux_l: [V; 0], _aux_r: [V; 0]) -> Normal<V, 1, 1> {
        let ([l], [r]) = (ql, qr);
        let (zero, half) = (V::zero(), V::constant(0.5));
        let wave = r - l;
        let speed = half * (l + r);
        let transonic = l.lt(zero) & r.gt(zero);
        Normal {
            waves: [[wave]],
            speeds: [speed],
            amdq: [V::select(transonic, -(half * (l * l)), speed.min(zero) * wave)],
            apdq: [V::select(transonic, half * (r * r), speed.max(zero) * wave)],
        }
    }

    #[inline(always)]
    fn transverse<V: Real>(
        &self,
        _axis: Axis,
        _side: Side,
        ql: [V; 1],
        qr: [V; 1],
        _aux: &TransverseAux<V, 0>,
        asdq: [V; 1],
    ) -> Transverse<V, 1> {
        let speed = V::constant(0.5) * (ql[0] + qr[0]);
        Transverse { bmasdq: [speed.min(V::zero()) * asdq[0]], bpasdq: [speed.max(V::zero()) * asdq[0]] }
    }

    #[inline(always)]
    fn flux<V: Real>(&self, _axis: Axis, q: [V; 1], _aux: [V; 0]) -> Option<[V; 1]> {
        Some([V::constant(0.5) * (q[0] * q[0])])
    }
}
