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
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AdvectionEdge;

impl Solver<1, 1, 2> for AdvectionEdge {
    const DIM: usize = 2;
    const EQUATIONS: [&'static str; 1] = ["q"];
    const AUX: [&'static str; 2] = ["u_edge", "v_edge"];
    const AUX_FACE: [Option<Axis>; 2] = [Some(Axis::X), Some(Axis::Y)];
    const WALL_NORMAL: [Option<usize>; 3] = [None; 3];

    #[inline(always)]
    fn normal<V: Real>(&self, axis: Axis, ql: [V; 1], qr: [V; 1], _aux_l: [V; 2], aux_r: [V; 2]) -> Normal<V, 1, 1> {
        let speed = aux_r[axis.index()];
        let wave = qr[0] - ql[0];
        Normal {
            waves: [[wave]],
            speeds: [speed],
            amdq: [speed.min(V::zero()) * wave],
            apdq: [speed.max(V::zero()) * wave],
        }
    }

    #[inline(always)]
    fn transverse<V: Real>(
        &self,
        axis: Axis,
        _side: Side,
        _ql: [V; 1],
        _qr: [V; 1],
        aux: &TransverseAux<V, 2>,
        asdq: [V; 1],
    ) -> Transverse<V, 1> {
        let t = axis.transverse_2d().index();
        Transverse { bmasdq: [aux.here[t].min(V::zero()) * asdq[0]], bpasdq: [aux.above[t].max(V::zero()) * asdq[0]] }
    }
}
