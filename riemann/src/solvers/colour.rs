//! The colour equation in one dimension: advection at a velocity in each cell, not in conservation form.
//!
//! PDE: `q_t + u(x) q_x = 0`.
//! Variable: the transported quantity `q`. Aux: the cell's `velocity` u. ([`AdvectionEdge`](super::AdvectionEdge), in more dimensions,
//! has velocities on edges.)
//!
//! Holds: `wave = qr − ql`; what moves into the left cell does so at its velocity, if that is below zero, and what moves into the right cell at
//! its own, if that is above; the wave's speed is the sum of the two.
//!
//! Source: LeVeque, *Finite Volume Methods for Hyperbolic Problems* (2002), doi:10.1017/CBO9780511791253, §9.3 and §9.5.

use crate::prelude::*;

/// The colour equation: equation `q`, aux `velocity`.
#[riemann::solver(
    dim = 1,
    title = "Advection at a velocity given cell by cell",
    equations = ["q"],
    aux = ["velocity"],
    waves = 1,
    solve_again,
    one_way,
    directions
)]
pub struct Colour;

#[riemann::kernels]
impl Colour {
    fn normal(&self, ql: State, qr: State, aux_l: Aux, aux_r: Aux) -> Normal {
        let wave = qr[0] - ql[0];
        let (left, right) = (aux_l[0].min(0.0), aux_r[0].max(0.0));
        Normal { waves: [[wave]], speeds: [left + right], amdq: [left * wave], apdq: [right * wave] }
    }

    /// Where the velocity is the same in all cells.
    fn flux(&self, q: State, aux: Aux) -> State {
        [aux[0] * q[0]]
    }
}
