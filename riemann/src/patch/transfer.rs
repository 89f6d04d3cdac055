//! What passes between levels: transfer variables in place of states.

use super::face::gather;
use super::settled::{Pace, settled, staying};
use super::{Transfer, TransferRow};
use crate::real::Scalar;
use crate::solver::Solver;

/// Replaces the values of a row as `what` says, cell by cell.
///
/// # Safety
/// The row must be readable, `values` writable by the caller alone.
pub(super) unsafe fn transfer<S, R, const M: usize, const W: usize, const A: usize>(
    solver: &S,
    what: Transfer,
    row: &TransferRow<R>,
) where
    S: Solver<M, W, A>,
    R: Scalar,
{
    for i in 0..row.len {
        // SAFETY: by the caller's promise.
        let (mut values, aux): ([R; M], [R; A]) =
            unsafe { (gather(row.values, i, row.component), gather(row.aux, i, row.aux_component)) };
        let most = |k: usize| row.most.wrapping_add(k * row.most_strides[0] + i * row.most_strides[1]);
        match what {
            Transfer::To => values = solver.to_transfer(values, aux),
            Transfer::From if row.most.is_null() => values = solver.from_transfer(values, aux),
            // SAFETY: likewise.
            Transfer::From => values = bounded(solver, values, aux, |k| unsafe { *most(k) }),
            Transfer::Weight => values = solver.transfer_weight(values, aux),
            Transfer::Settle => {
                // SAFETY: likewise.
                let before: [R; M] = std::array::from_fn(|m| unsafe { *most(m) });
                let of = |&m: &usize| staying(before[m].max(R::zero()), values[m]);
                let part = S::KEPT_NONNEGATIVE.iter().map(of).fold(R::constant(1.0), R::min);
                let pace = (row.free > R::zero()).then_some(Pace { free: row.free, before });
                values = settled(solver, values, aux, part, pace);
            }
        }
        for (m, value) in values.into_iter().enumerate() {
            // SAFETY: likewise.
            unsafe { *row.values.add(m * row.component + i) = value };
        }
    }
}

/// The state with these transfer variables; where it has more of a quantity than `most`, the one with less in this variable.
fn bounded<S, R, const M: usize, const W: usize, const A: usize>(
    solver: &S,
    mut t: [R; M],
    aux: [R; A],
    most: impl Fn(usize) -> R,
) -> [R; M]
where
    S: Solver<M, W, A>,
    R: Scalar,
{
    let mut q = solver.from_transfer(t, aux);
    for (k, &m) in S::KEPT_NONNEGATIVE.iter().enumerate() {
        let (bound, weight) = (most(k), solver.transfer_weight(t, aux)[m]);
        if q[m] > bound && weight > R::zero() {
            t[m] += (bound - q[m]) / weight;
            q = solver.from_transfer(t, aux);
            q[m] = q[m].min(bound);
        }
    }
    q
}
