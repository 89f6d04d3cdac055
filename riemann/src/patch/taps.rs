//! Faces whose fluxes are kept for the conservation fix.
//!
//! Few faces are kept, and keeping the fluctuations of all in case costs more than solving those few once more. They are
//! solved while both their cells still hold the old state; the corrections come when the row is done.

use super::tile::Tile;
use super::{Tap, TileArgs};
use crate::axis::Side;
use crate::real::{Real, Scalar};
use crate::solver::Solver;

impl<'a, S, V, const M: usize, const W: usize, const A: usize> Tile<'a, S, V, M, W, A>
where
    S: Solver<M, W, A>,
    V: Real,
{
    /// The taps that are complete at a place of the update; each is answered once, in order.
    #[inline(always)]
    pub(super) fn taps_complete_at(&mut self, place: [i32; 2], in_space: bool) -> &'a [Tap] {
        let rest = &self.args.taps[self.next_tap..];
        let count = rest.iter().take_while(|tap| tap.complete_at(in_space) == place).count();
        self.next_tap += count;
        &rest[..count]
    }

    /// Keeps the fluctuations of faces, as seen from their side: 𝒜⁻ΔQ or −𝒜⁺ΔQ.
    #[inline(always)]
    pub(super) unsafe fn solve_taps(&self, taps: &[Tap]) {
        for tap in taps {
            // SAFETY: the face lies in the tile, and its cells have not been written yet.
            let [lower, upper] = unsafe { fluctuations(&self.solver, self.args, tap) };
            for m in 0..M {
                let seen = match tap.seen_from {
                    Side::Lower => lower[m],
                    Side::Upper => -upper[m],
                };
                // SAFETY: the slot is this tap's alone.
                unsafe { *self.slot(tap, m) = seen };
            }
        }
    }

    /// Adds a correction, its component `m` being `correction(m)`, to what is kept of a face.
    #[inline(always)]
    pub(super) unsafe fn add_to_tap(&self, tap: &Tap, correction: impl Fn(usize) -> V::Scalar) {
        for m in 0..M {
            // SAFETY: the slot is this tap's alone.
            unsafe { *self.slot(tap, m) += correction(m) };
        }
    }

    #[inline(always)]
    fn slot(&self, tap: &Tap, m: usize) -> *mut V::Scalar {
        self.args.tap_values.wrapping_add(m * self.args.tap_stride + tap.slot as usize)
    }
}

/// Fluctuations of a single face. One function for vectors of all widths: few faces are kept.
#[inline(never)]
unsafe fn fluctuations<S, R, const M: usize, const W: usize, const A: usize>(
    solver: &S,
    args: &TileArgs<'_, R>,
    tap: &Tap,
) -> [[R; M]; 2]
where
    S: Solver<M, W, A>,
    R: Scalar,
{
    let strides = &args.strides;
    let (mut q, mut aux) = ([[R::zero(); M]; 2], [[R::zero(); A]; 2]);
    let upper = strides.offset(tap.cell);
    let cells = [upper - strides.along(tap.axis) as isize, upper];
    for (side, offset) in cells.into_iter().enumerate() {
        // SAFETY: the cells beside a face of the tile are readable.
        unsafe {
            for m in 0..M {
                q[side][m] = *args.q.offset(offset).add(m * strides.component);
            }
            for a in 0..A {
                aux[side][a] = *args.aux.offset(offset).add(a * strides.component);
            }
        }
    }
    let face = solver.normal(tap.axis, q[0], q[1], aux[0], aux[1]);
    [face.amdq, face.apdq]
}
