//! Which states are admissible, row by row and cell by cell: for states that no update has checked.

use super::SourceRow;
use crate::real::Scalar;
use crate::solver::Solver;

/// The first cell of a row where a quantity that must be positive is not, or, in `data`, one that must not be negative is.
///
/// # Safety
/// The row's cells must be readable.
pub(super) unsafe fn first_inadmissible<S, R, const M: usize, const W: usize, const A: usize>(
    solver: &S,
    row: &SourceRow<R>,
    data: bool,
) -> Option<usize>
where
    S: Solver<M, W, A>,
    R: Scalar,
{
    // SAFETY: the caller's promise.
    let cell = |i| unsafe { (cell::<R, M>(row.q, i, row.component), cell::<R, A>(row.aux, i, row.component)) };
    // Comparisons are written so that NaN is found too.
    if !data {
        let wrong = |&i: &usize| {
            let (q, aux) = cell(i);
            !solver.least_positive(q, aux).gt(R::zero())
        };
        return if S::CHECKS_STEPS { (0..row.len).find(wrong) } else { None };
    }
    let mut values = vec![R::zero(); S::POSITIVE.len() + S::NONNEGATIVE.len()];
    (0..row.len).find(|&i| {
        let (q, aux) = cell(i);
        solver.quantities(q, aux, &mut values);
        let (positive, nonnegative) = values.split_at(S::POSITIVE.len());
        !(positive.iter().all(|v| *v > R::zero()) && nonnegative.iter().all(|v| *v >= R::zero()))
    })
}

unsafe fn cell<R: Scalar, const N: usize>(values: *const R, i: usize, component: usize) -> [R; N] {
    // SAFETY: by the caller's promise.
    std::array::from_fn(|m| unsafe { *values.add(m * component + i) })
}
