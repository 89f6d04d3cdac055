//! Faces solved by solvers that look at the jumps beside them: those along the other axes.
//!
//! Each face's solution depends on cells of the patch alone, whatever the tile, and both levels' faces keep their own sums 𝒜⁻ΔQ + 𝒜⁺ΔQ: what is
//! conserved stays so, since the jumps beside a face change only how that sum is shared between its two cells.

use super::TileArgs;
use super::face::gather;
use crate::axis::Axis;
use crate::real::Real;
use crate::solver::{Normal, Solver};

/// Solves the faces below the pack of cells at `cell` along an axis. `q`, `aux`: the states and auxiliary values on both sides.
///
/// # Safety
/// Of solvers that look beside faces, the neighbours along the other axes of both cells must be readable and still hold their old states.
#[inline(always)]
pub(super) unsafe fn solve_face<S, V, const M: usize, const W: usize, const A: usize>(
    solver: &S,
    args: &TileArgs<'_, V::Scalar>,
    (axis, cell): (Axis, isize),
    [ql, qr]: [[V; M]; 2],
    [aux_l, aux_r]: [[V; A]; 2],
) -> Normal<V, M, W>
where
    S: Solver<M, W, A>,
    V: Real,
{
    if const { S::LOOKS_BESIDE } {
        // SAFETY: the caller's promise.
        let beside = unsafe { steepest_beside::<S, V, M, W, A>(solver, args, axis, cell) };
        return solver.normal_beside(axis, ql, qr, aux_l, aux_r, beside);
    }
    solver.normal(axis, ql, qr, aux_l, aux_r)
}

/// The steepest jump along the other axes between the cells beside a pack of faces and their neighbours.
#[inline(always)]
unsafe fn steepest_beside<S, V, const M: usize, const W: usize, const A: usize>(
    solver: &S,
    args: &TileArgs<'_, V::Scalar>,
    axis: Axis,
    cell: isize,
) -> V
where
    S: Solver<M, W, A>,
    V: Real,
{
    let strides = &args.strides;
    let load = |cell: isize| -> ([V; M], [V; A]) {
        // SAFETY: the caller's promise.
        unsafe {
            (gather(args.q.offset(cell), 0, strides.component), gather(args.aux.offset(cell), 0, strides.component))
        }
    };
    let mut steepest = V::zero();
    for across in Axis::ALL {
        if across == axis || across.index() >= S::DIM {
            continue;
        }
        let step = strides.along(across) as isize;
        for here in [cell - strides.along(axis) as isize, cell] {
            let [below, here, above] = [load(here - step), load(here), load(here + step)];
            steepest = steepest.max(solver.steepness(across, below.0, here.0, below.1, here.1));
            steepest = steepest.max(solver.steepness(across, here.0, above.0, here.1, above.1));
        }
    }
    steepest
}
