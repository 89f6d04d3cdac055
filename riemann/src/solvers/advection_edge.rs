//! Advection by a velocity field given on the edges: the colour equation.
//!
//! PDE: `q_t + u(x, y) q_x + v(x, y) q_y = 0`, not in conservation form.
//! Variable: the transported quantity `q`. Aux: `u_edge`, x velocity on the cell's left edge; `v_edge`, y velocity on
//! its lower edge.
//!
//! Holds: `wave = qr − ql`; `amdq + apdq = s wave`, all of it on the downwind side; the fluctuation crosses the
//! cell's lower edge where that edge's velocity points down, its upper edge where that one's points up.
//!
//! Source: LeVeque, *Finite Volume Methods for Hyperbolic Problems* (2002), doi:10.1017/CBO9780511791253, §9.3 and
//! chapter 20.

use crate::prelude::*;

/// Advection by velocities on the cell's lower edges: equation `q`, aux `u_edge`, `v_edge`.
#[riemann::solver(
    title = "Advection by a velocity field given on the edges of cells",
    equations = ["q"],
    aux = [faces("u_edge", "v_edge")],
    waves = 1
)]
pub struct AdvectionEdge;

#[riemann::kernels]
impl AdvectionEdge {
    fn normal(&self, axis: Axis, ql: State, qr: State, aux_r: Aux) -> Normal {
        let speed = aux_r[axis.index()];
        let wave = qr[0] - ql[0];
        Normal { waves: [[wave]], speeds: [speed], amdq: [speed.min(0.0) * wave], apdq: [speed.max(0.0) * wave] }
    }

    fn transverse(&self, axis: Axis, aux: TransverseAux, asdq: State) -> Transverse {
        let t = axis.transverse_2d().index();
        Transverse { bmasdq: [aux.here[t].min(0.0) * asdq[0]], bpasdq: [aux.above[t].max(0.0) * asdq[0]] }
    }
}
