//! Riemann problems at a list of faces: the conservation fix's terms between coarse and fine states.

use super::FaceList;
use crate::axis::Axis;
use crate::real::Real;
use crate::solver::Solver;

/// 𝒜⁻ΔQ + 𝒜⁺ΔQ at each face of the list.
///
/// # Safety
/// The list's arrays must hold [`FaceList::stride`] numbers for each of their components.
#[inline(always)]
pub(super) unsafe fn fluctuation_sums<S, V, const M: usize, const W: usize, const A: usize>(
    solver: &S,
    axis: Axis,
    list: &FaceList<V::Scalar>,
) where
    S: Solver<M, W, A>,
    V: Real,
{
    let mut i = 0;
    while i < list.len {
        // SAFETY: the stride leaves room for the last pack.
        unsafe {
            let (ql, qr) = (gather(list.ql, i, list.stride), gather(list.qr, i, list.stride));
            let (aux_l, aux_r) = (gather(list.aux_l, i, list.stride), gather(list.aux_r, i, list.stride));
            let face = solver.normal::<V>(axis, ql, qr, aux_l, aux_r);
            for m in 0..M {
                (face.amdq[m] + face.apdq[m]).store(list.sum.add(m * list.stride + i));
            }
        }
        i += V::LANES;
    }
}

#[inline(always)]
pub(super) unsafe fn gather<V: Real, const N: usize>(p: *const V::Scalar, i: usize, stride: usize) -> [V; N] {
    let mut values = [V::zero(); N];
    for (m, value) in values.iter_mut().enumerate() {
        // SAFETY: the caller's arrays hold `stride` numbers per component.
        *value = unsafe { V::load(p.add(m * stride + i)) };
    }
    values
}
