//! Burgers' equation.
//!
//! PDE: `q_t + (q²/2)_x + (q²/2)_y + (q²/2)_z = 0`; in two dimensions without the last term, in one `q_t + (q²/2)_x = 0`.
//! Variable: the speed `q`, the same along all axes.
//!
//! Holds: `wave = qr − ql`; the speed is that of a shock, `(ql + qr)/2`; `amdq + apdq = f(qr) − f(ql)`; where
//! `ql < 0 < qr`, each side takes its own part of the transonic rarefaction; `bmasdq + bpasdq = s asdq`.
//!
//! Source: LeVeque, *Finite Volume Methods for Hyperbolic Problems* (2002), doi:10.1017/CBO9780511791253, §11.4,
//! §12.3 (entropy fix) and chapter 20.

use crate::prelude::*;

/// Burgers' equation: equation `q`.
#[riemann::solver(dim = [1, 2, 3], equations = ["q"], waves = 1, solve_again, one_way, directions, title = "Burgers' equation")]
pub struct Burgers<const D: usize = 2>;

#[riemann::kernels]
impl Burgers {
    fn normal(&self, ql: State, qr: State) -> Normal {
        let ([l], [r]) = (ql, qr);
        let wave = r - l;
        let speed = 0.5 * (l + r);
        let transonic = l < 0.0 && r > 0.0;
        Normal {
            waves: [[wave]],
            speeds: [speed],
            amdq: [if transonic { -(0.5 * (l * l)) } else { speed.min(0.0) * wave }],
            apdq: [if transonic { 0.5 * (r * r) } else { speed.max(0.0) * wave }],
        }
    }

    fn transverse(&self, ql: State, qr: State, asdq: State) -> Transverse {
        let speed = 0.5 * (ql[0] + qr[0]);
        Transverse { bmasdq: [speed.min(0.0) * asdq[0]], bpasdq: [speed.max(0.0) * asdq[0]] }
    }

    fn flux(&self, q: State) -> State {
        [0.5 * (q[0] * q[0])]
    }
}
