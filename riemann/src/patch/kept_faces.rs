//! Faces whose fluxes are kept for the conservation fix.
//!
//! Few faces are kept: to solve these again costs less than to store the fluctuations of all faces, except where they are stored from row
//! to row anyway. They are solved while both their cells still hold the old state; the corrections are added when the row is finished.

use super::beside::solve_face;
use super::tile::Tile;
use super::{KeptFace, TileArgs};
use crate::axis::{Axis, Side};
use crate::real::{Real, Scalar};
use crate::solver::{Normal, Solver};

impl<'a, S, V, const M: usize, const W: usize, const A: usize> Tile<'a, S, V, M, W, A>
where
    S: Solver<M, W, A>,
    V: Real,
{
    /// The kept faces that are complete at a place of the update; each is returned once, in order.
    #[inline(always)]
    pub(super) fn kept_complete_at(&mut self, place: [i32; 2], in_space: bool) -> &'a [KeptFace] {
        let rest = &self.args.kept_faces.as_slice()[self.next_kept..];
        let count = rest.iter().take_while(|kept| kept.complete_at(in_space) == place).count();
        self.next_kept += count;
        &rest[..count]
    }

    /// Solves a face and keeps its fluctuations.
    #[inline(always)]
    pub(super) unsafe fn solve_kept(&self, kept: &KeptFace) {
        // SAFETY: the face lies in the tile, and its cells have not been written yet; the slot is its own.
        unsafe {
            let [lower, upper] = fluctuations(&self.solver, self.args, kept);
            self.keep_fluctuations(kept, lower, upper);
        }
    }

    /// Keeps the fluctuations of a face, as seen from its side: 𝒜⁻ΔQ or −𝒜⁺ΔQ.
    #[inline(always)]
    pub(super) unsafe fn keep_fluctuations(&self, kept: &KeptFace, lower: [V::Scalar; M], upper: [V::Scalar; M]) {
        for m in 0..M {
            let seen = match kept.seen_from {
                Side::Lower => lower[m],
                Side::Upper => -upper[m],
            };
            // SAFETY: the slot is this face's alone.
            unsafe { *self.slot(kept, m) = seen };
        }
    }

    /// Adds a correction, its component `m` being `correction(m)`, to what is kept of a face.
    #[inline(always)]
    pub(super) unsafe fn add_to_kept(&self, kept: &KeptFace, correction: impl Fn(usize) -> V::Scalar) {
        for m in 0..M {
            // SAFETY: the slot is this face's alone.
            unsafe { *self.slot(kept, m) += correction(m) };
        }
    }

    #[inline(always)]
    fn slot(&self, kept: &KeptFace, m: usize) -> *mut V::Scalar {
        self.args.kept_values.wrapping_add(m * self.args.kept_stride + kept.slot as usize)
    }
}

/// States, auxiliary values and solution at the face below a cell along an axis.
///
/// # Safety
/// Both cells must be readable, and what is beside the face as [`solve_face`] asks.
#[inline(always)]
pub(super) unsafe fn solve_at<S, R, const M: usize, const W: usize, const A: usize>(
    solver: &S,
    args: &TileArgs<'_, R>,
    axis: Axis,
    upper: isize,
) -> ([[R; M]; 2], [[R; A]; 2], Normal<R, M, W>)
where
    S: Solver<M, W, A>,
    R: Scalar,
{
    let strides = &args.strides;
    let (mut q, mut aux) = ([[R::zero(); M]; 2], [[R::zero(); A]; 2]);
    let cells = [upper - strides.along(axis) as isize, upper];
    for (side, offset) in cells.into_iter().enumerate() {
        // SAFETY: the caller's promise.
        unsafe {
            for m in 0..M {
                q[side][m] = *args.q.offset(offset).add(m * strides.component);
            }
            for a in 0..A {
                aux[side][a] = *args.aux.offset(offset).add(a * strides.component);
            }
        }
    }
    // SAFETY: the face is one of the tile's.
    (q, aux, unsafe { solve_face(solver, args, (axis, upper), q, aux) })
}

/// Fluctuations of a single face. One function for vectors of all widths: few faces are kept.
#[inline(never)]
unsafe fn fluctuations<S, R, const M: usize, const W: usize, const A: usize>(
    solver: &S,
    args: &TileArgs<'_, R>,
    kept: &KeptFace,
) -> [[R; M]; 2]
where
    S: Solver<M, W, A>,
    R: Scalar,
{
    // SAFETY: the cells beside a face of the tile are readable.
    let (_, _, face) = unsafe { solve_at(solver, args, kept.axis, args.strides.offset(kept.cell)) };
    [face.amdq, face.apdq]
}
