//! What a Riemann solver provides.
//!
//! The face between a left state `ql` and a right state `qr` (below and above, for y) breaks up into waves. The solver
//! says which waves and how fast, and what part of each moves left (`amdq`, 𝒜⁻ΔQ) and right (`apdq`, 𝒜⁺ΔQ).
//! LeVeque, *Finite Volume Methods for Hyperbolic Problems* (2002), doi:10.1017/CBO9780511791253, chapters 15, 21, 23.

use crate::axis::{Axis, Side};
use crate::real::Real;

/// Solution of one Riemann problem, `M` equations and `W` waves.
#[derive(Clone, Copy, Debug)]
pub struct Normal<V, const M: usize, const W: usize> {
    /// `waves[w][m]`; their sum is `qr − ql` (for f-waves: `f(qr) − f(ql)`).
    pub waves: [[V; M]; W],
    /// Speed of each wave.
    pub speeds: [V; W],
    /// Left-going fluctuation 𝒜⁻ΔQ.
    pub amdq: [V; M],
    /// Right-going fluctuation 𝒜⁺ΔQ.
    pub apdq: [V; M],
}

/// A fluctuation split into its parts that move along the face's transverse axis.
#[derive(Clone, Copy, Debug)]
pub struct Transverse<V, const M: usize> {
    /// Part moving to the lower side, ℬ⁻𝒜ΔQ.
    pub bmasdq: [V; M],
    /// Part moving to the upper side, ℬ⁺𝒜ΔQ.
    pub bpasdq: [V; M],
}

/// Auxiliary values around the cell that a fluctuation moves into.
#[derive(Clone, Copy, Debug)]
pub struct TransverseAux<V, const A: usize> {
    /// The cell's lower neighbour along the transverse axis.
    pub below: [V; A],
    /// The cell itself.
    pub here: [V; A],
    /// The cell's upper neighbour along the transverse axis.
    pub above: [V; A],
}

/// A Riemann solver in `M` equations, `W` waves and `A` auxiliary values per cell.
///
/// Implementations mark every method `#[inline(always)]`: only then do the vector lanes of [`crate::lanes`] stay in
/// registers. Branches on values are written with [`Real::select`].
pub trait Solver<const M: usize, const W: usize, const A: usize>: Clone + Send + Sync + 'static {
    /// Number of space dimensions.
    const DIM: usize;
    /// Name of each equation's conserved or evolved quantity; `M` of them.
    const EQUATIONS: [&'static str; M];
    /// Name of each auxiliary value; `A` of them.
    const AUX: [&'static str; A];
    /// For each auxiliary value that lives on faces instead of in cells, their normal. The value stored with a cell is
    /// that of its lower face.
    const AUX_FACE: [Option<Axis>; A] = [None; A];
    /// Waves are f-waves: they decompose the flux difference instead of the jump in `q`.
    const FWAVES: bool = false;
    /// The solver has a source term.
    const HAS_SOURCE: bool = false;
    /// Per axis, the component of `q` that changes sign at a solid wall with that normal.
    const WALL_NORMAL: [Option<usize>; 3];

    /// Solves the Riemann problem at a face with normal `axis`.
    ///
    /// `aux_l`, `aux_r`: auxiliary values of the two cells. Edge-centred values live in the cell on the edge's upper
    /// side, so the face's own value is in `aux_r`.
    fn normal<V: Real>(&self, axis: Axis, ql: [V; M], qr: [V; M], aux_l: [V; A], aux_r: [V; A]) -> Normal<V, M, W>;

    /// Splits `asdq`, which crosses a face with normal `axis` towards `side`, along the transverse axis.
    ///
    /// `ql`, `qr`: the states on the two sides of the face, for solvers that linearise about them.
    fn transverse<V: Real>(
        &self,
        axis: Axis,
        side: Side,
        ql: [V; M],
        qr: [V; M],
        aux: &TransverseAux<V, A>,
        asdq: [V; M],
    ) -> Transverse<V, M>;

    /// The flux along `axis`, where the equations are a conservation law; used to check the solver.
    #[inline(always)]
    fn flux<V: Real>(&self, _axis: Axis, _q: [V; M], _aux: [V; A]) -> Option<[V; M]> {
        None
    }

    /// The state after the source term `ψ` of `q_t + … = ψ(q, x, t)` has acted for a time `dt`.
    ///
    /// `x`: cell centre; components past the dimension are zero.
    #[inline(always)]
    fn source<V: Real>(&self, _x: [V; 3], _t: V, _dt: V, q: [V; M], _aux: [V; A]) -> [V; M] {
        q
    }
}
