//! Advection by a velocity field given on the edges of a mapped grid's cells: the colour equation.
//!
//! PDE: `κ q_t + U(ξ, η) q_ξ + V(ξ, η) q_η = 0` in the computational coordinates, not in conservation form.
//! Variable: the transported quantity `q`. Aux: `u_edge`, velocity normal to the cell's left edge times that edge's length per
//! Δη; `v_edge`, the same at its lower edge per Δξ; `capacity`, the cell's area per ΔξΔη, to be named as the scheme's
//! capacity.
//!
//! Holds: what [`AdvectionEdge`](super::AdvectionEdge) does, with its velocities.
//!
//! Source: LeVeque, *Finite Volume Methods for Hyperbolic Problems* (2002), doi:10.1017/CBO9780511791253, §23.1–23.6.

use super::EdgeAdvection;
use crate::prelude::*;

/// Advection on a mapped grid: equation `q`, aux `u_edge`, `v_edge`, `capacity`.
#[riemann::solver(
    title = "Advection on a mapped grid, by velocities on the edges of cells",
    equations = ["q"],
    aux = [faces("u_edge", "v_edge"), "capacity"],
    waves = 1,
    directions
)]
pub struct AdvectionMapped;

#[riemann::kernels(with(EdgeAdvection))]
impl AdvectionMapped {}
