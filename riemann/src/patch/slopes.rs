//! Slopes with which cells are interpolated, limited to states that the solver allows.

use super::SlopeRow;
use super::face::gather;
use crate::real::Real;
use crate::solver::Solver;

/// Makes the slopes of all components zero in each cell of a row where a state interpolated with them would not be admissible.
///
/// The outermost of the points inside a cell are judged: those between them are mixtures of these, and what is admissible is convex.
///
/// # Safety
/// The row's arrays must hold [`SlopeRow::LEN`] numbers for each component, those of `aux` be readable as far.
#[inline(always)]
pub(super) unsafe fn limit_slopes<S, V, const M: usize, const W: usize, const A: usize>(
    solver: &S,
    row: &SlopeRow<V::Scalar>,
) where
    S: Solver<M, W, A>,
    V: Real,
{
    let mut i = 0;
    while i < row.len {
        // SAFETY: by the caller's promise.
        unsafe {
            let q: [V; M] = gather(row.q, i, SlopeRow::<V::Scalar>::LEN);
            let aux: [V; A] = gather(row.aux, i, row.aux_component);
            let slopes =
                |d: usize| -> [V; M] { gather(row.slopes_along(d, M).cast_const(), i, SlopeRow::<V::Scalar>::LEN) };
            let mut allowed = V::mask(true);
            for corner in 0..1_usize << S::DIM {
                let offset = |d: usize| V::splat(row.ends[d][corner >> d & 1]);
                let mut state = q;
                // In the order of the interpolation, x last, so that the states are its states to the bit.
                for d in (1..S::DIM).chain([0]) {
                    let along = slopes(d);
                    for m in 0..M {
                        state[m] += offset(d) * along[m];
                    }
                }
                allowed = allowed & solver.is_admissible(solver.from_transfer(state, aux), aux, V::zero());
            }
            for d in 0..S::DIM {
                for (m, slope) in slopes(d).into_iter().enumerate() {
                    let place = row.slopes_along(d, M).add(m * SlopeRow::<V::Scalar>::LEN + i);
                    V::select(allowed, slope, V::zero()).store(place);
                }
            }
        }
        i += V::LANES;
    }
}
