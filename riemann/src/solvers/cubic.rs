//! A scalar equation whose flux has an inflection.
//!
//! PDE: `q_t + (q³)_x = 0`. Variable: `q`.
//!
//! All characteristic speeds, `3q²`, are positive or zero: the flux at a face is that of the left state, which is Godunov's.
//!
//! Holds: `wave = qr − ql`; its speed is that of a shock, `ql² + ql qr + qr²`; `amdq = 0`, `apdq = f(qr) − f(ql)`.
//!
//! Source: LeVeque, *Finite Volume Methods for Hyperbolic Problems* (2002), doi:10.1017/CBO9780511791253, §16.1 (nonconvex fluxes).

use crate::prelude::*;

/// The equation `q_t + (q³)_x = 0`: equation `q`.
#[riemann::solver(dim = 1, equations = ["q"], waves = 1, solve_again, one_way, directions, title = "A scalar equation with a cubic flux")]
pub struct Cubic;

#[riemann::kernels]
impl Cubic {
    fn normal(&self, ql: State, qr: State) -> Normal {
        let ([l], [r]) = (ql, qr);
        let wave = r - l;
        let speed = l * l + l * r + r * r;
        Normal { waves: [[wave]], speeds: [speed], amdq: [0.0], apdq: [r * r * r - l * l * l] }
    }

    fn flux(&self, q: State) -> State {
        [q[0] * q[0] * q[0]]
    }
}
