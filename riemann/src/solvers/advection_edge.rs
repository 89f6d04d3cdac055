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

use super::EdgeAdvection;
use crate::prelude::*;

/// Advection by velocities on the cell's lower edges: equation `q`, aux `u_edge`, `v_edge`.
#[riemann::solver(
    title = "Advection by a velocity field given on the edges of cells",
    equations = ["q"],
    aux = [faces("u_edge", "v_edge")],
    waves = 1
)]
pub struct AdvectionEdge;

#[riemann::kernels(with(EdgeAdvection))]
impl AdvectionEdge {}
