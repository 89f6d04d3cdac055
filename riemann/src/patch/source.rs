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
    let [y, z] = [1, 2].map(|d| V::runtime(row.lattice.centre(d, row.first[d])));
    let (t, dt) = (V::runtime(row.t), V::runtime(row.dt));
    let mut xs = [V::Scalar::default(); PACK_OVERRUN];
    let mut i = 0;
    while i < row.len {
        // SAFETY: by the caller's promise.
        unsafe {
            let q = gather::<V, M>(row.q, i, row.component);
            let aux = gather::<V, A>(row.aux, i, row.component);
            for (lane, x) in xs[..V::LANES].iter_mut().enumerate() {
                *x = V::Scalar::from_f64(row.lattice.centre(0, row.first[0] + (i + lane) as i32));
            }
            let new = solver.source([V::load(xs.as_ptr()), y, z], t, dt, q, aux);
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
