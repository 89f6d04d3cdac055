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

/// The speed up to which a cell as wide as the mesh's is never slowed down, and its state before. Speeds are what [`Solver::settle`] takes from an emptied cell
/// over what it holds of the quantities that are kept nonnegative: of water, momentum over depth.
#[derive(Clone, Copy)]
pub(super) struct Pace<V, const M: usize> {
    pub free: V,
    pub before: [V; M],
}

/// The square of all that `still` lacks, and what the cell holds.
#[inline(always)]
fn motion<S, V, const M: usize, const W: usize, const A: usize>(q: [V; M], [moving, still]: [[V; M]; 2]) -> [V; 2]
where
    S: Solver<M, W, A>,
    V: Real,
{
    let (mut square, mut held) = (V::zero(), V::zero());
    for m in 0..M {
        let momentum = moving[m] - still[m];
        square += momentum * momentum;
    }
    for &m in S::KEPT_NONNEGATIVE {
        held += q[m].max(V::zero());
    }
    [square, held]
}

/// The state that takes the place of a new one of which a part of the motion stays: see [`Solver::settle`]. Thin cells on which forces on
/// much water have acted, and which waves have not made so fast, would shorten the next steps: they leave this one no faster than before, or
/// than is free.
#[inline(always)]
pub(super) fn settled<S, V, const M: usize, const W: usize, const A: usize>(
    solver: &S,
    q: [V; M],
    aux: [V; A],
    mut part: V,
    pace: Option<Pace<V, M>>,
) -> [V; M]
where
    S: Solver<M, W, A>,
    V: Real,
{
    let mut settled = solver.settle(q, aux, V::mask(false));
    if let Some(Pace { free, before }) = pace {
        let free = free * S::width(&aux);
        let [square, held] = motion::<S, V, M, W, A>(q, [settled, solver.settle(q, aux, V::mask(true))]);
        let bound = free * held;
        let fast = square.gt(bound * bound);
        if fast.any() {
            let states = [solver.settle(before, aux, V::mask(false)), solver.settle(before, aux, V::mask(true))];
            let [square_before, held_before] = motion::<S, V, M, W, A>(before, states);
            let was = V::select(held_before.gt(V::zero()), square_before.sqrt() / held_before, V::zero());
            let slower = free.max(was) * held / square.sqrt();
            part = V::select(fast, part.min(slower), part);
        }
    }
    let slowed = part.lt(V::constant(1.0));
    if slowed.any() {
        let still = solver.settle(q, aux, V::mask(true));
        for m in 0..M {
            settled[m] = V::select(slowed, still[m] + part * (settled[m] - still[m]), settled[m]);
        }
    }
    settled
}
