//! States that take the place of new ones, in cells that may have drained.

use crate::real::{Mask, Real};
use crate::solver::Solver;

/// The part of its motion that stays in a cell that has `left` of what it `held`: all while half is left, then in proportion. What has gone
/// takes its momentum with it, and forces on much water would throw the little that is left.
#[inline(always)]
pub(super) fn staying<V: Real>(held: V, left: V) -> V {
    let enough = V::constant(0.5) * held;
    V::select(left.lt(enough), (left / enough).max(V::zero()), V::constant(1.0))
}

/// The state that takes the place of a new one of which a part of the motion stays: see [`Solver::settle`].
#[inline(always)]
pub(super) fn settled<S, V, const M: usize, const W: usize, const A: usize>(
    solver: &S,
    q: [V; M],
    aux: [V; A],
    part: V,
) -> [V; M]
where
    S: Solver<M, W, A>,
    V: Real,
{
    let mut settled = solver.settle(q, aux, V::mask(false));
    let slowed = part.lt(V::constant(1.0));
    if slowed.any() {
        let still = solver.settle(q, aux, V::mask(true));
        for m in 0..M {
            settled[m] = V::select(slowed, still[m] + part * (settled[m] - still[m]), settled[m]);
        }
    }
    settled
}
