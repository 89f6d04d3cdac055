//! Advection by a velocity field given on the edges: the colour equation.
//!
//! PDE: `q_t + u q_x + v q_y + w q_z = 0` with velocities that are functions of the place, not in conservation form; in two
//! dimensions without `w`.
//! Variable: the transported quantity `q`. Aux: `u_edge`, x velocity on the cell's left edge; `v_edge`, y velocity on
//! its lower edge; `w_edge`, z velocity on its lower face along z.
//!
//! Holds: `wave = qr − ql`; `amdq + apdq = s wave`, all of it on the downwind side; the fluctuation crosses the
//! cell's lower edge where that edge's velocity points down, its upper edge where that one's points up.
//!
//! Source: LeVeque, *Finite Volume Methods for Hyperbolic Problems* (2002), doi:10.1017/CBO9780511791253, §9.3 and
//! chapter 20.

use super::EdgeAdvection;
use crate::prelude::*;

/// Advection by velocities on the cell's lower edges: equation `q`, aux `u_edge`, `v_edge`, in space `w_edge` too.
#[riemann::solver(
    dim = [2, 3],
    title = "Advection by a velocity field given on the edges of cells",
    equations = ["q"],
    aux = [faces("u_edge", "v_edge", "w_edge")],
    waves = 1,
    directions
)]
pub struct AdvectionEdge<const D: usize = 2>;

#[riemann::kernels(with(EdgeAdvection))]
impl AdvectionEdge {}
