//! The source term over a row of cells.

use super::face::gather;
use super::{PACK_OVERRUN, SourceRow};
use crate::real::{Real, Scalar};
use crate::solver::Solver;

/// Applies the solver's source to each cell of the row.
///
/// # Safety
/// The row's cells must be readable and [`PACK_OVERRUN`] numbers beyond them too; the cells must be ours to write.
#[inline(always)]
pub(super) unsafe fn apply_source<S, V, const M: usize, const W: usize, const A: usize>(
    solver: &S,
    row: &SourceRow<V::Scalar>,
) where
    S: Solver<M, W, A>,
    V: Real,
{
    let mut offsets = [V::Scalar::default(); PACK_OVERRUN];
    for (lane, offset) in offsets.iter_mut().enumerate() {
        *offset = V::Scalar::from_f64(lane as f64 * row.dx);
    }
    let (t, dt) = (V::runtime(row.t), V::runtime(row.dt));
    let mut i = 0;
    while i < row.len {
        // SAFETY: by the caller's promise.
        unsafe {
            let q = gather::<V, M>(row.q, i, row.component);
            let aux = gather::<V, A>(row.aux, i, row.component);
            let x = V::runtime(row.centre[0] + i as f64 * row.dx) + V::load(offsets.as_ptr());
            let centre = [x, V::runtime(row.centre[1]), V::runtime(row.centre[2])];
            let new = solver.source(centre, t, dt, q, aux);
            for (m, value) in new.into_iter().enumerate() {
                let mut pack = [V::Scalar::default(); PACK_OVERRUN];
                value.store(pack.as_mut_ptr());
                for (lane, value) in pack.into_iter().take(V::LANES.min(row.len - i)).enumerate() {
                    *row.q.add(m * row.component + i + lane) = value;
                }
            }
        }
        i += V::LANES;
    }
}
