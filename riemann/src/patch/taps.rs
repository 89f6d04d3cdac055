//! Faces whose fluxes are kept for the conservation fix.
//!
//! Few faces are kept, and keeping the fluctuations of all in case costs more than solving those few once more. They are
//! solved while both their cells still hold the old state; the corrections come when the row is done.

use super::Tap;
use super::update::Marcher;
use crate::axis::{Axis, Side};
use crate::real::Real;
use crate::solver::Solver;

impl<'a, S, V, const M: usize, const W: usize, const A: usize> Marcher<'a, S, V, M, W, A>
where
    S: Solver<M, W, A>,
    V: Real,
{
    /// The taps that are complete once row k − 1 and face k are; each is answered once, in order.
    #[inline(always)]
    pub(super) fn taps_complete_at(&mut self, k: i32) -> &'a [Tap] {
        let rest = &self.args.taps[self.next_tap..];
        let count = rest.iter().take_while(|tap| tap.complete_at() == k).count();
        self.next_tap += count;
        &rest[..count]
    }

    /// Keeps the fluctuations of faces, as seen from their side: 𝒜⁻ΔQ or −𝒜⁺ΔQ.
    #[inline(always)]
    pub(super) unsafe fn solve_taps(&self, taps: &[Tap]) {
        for tap in taps {
            // SAFETY: the face lies in the tile, and its cells have not been written yet.
            let [lower, upper] = unsafe { self.fluctuations(tap) };
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

    /// Adds the corrections of the same faces.
    #[inline(always)]
    pub(super) unsafe fn correct_taps(&self, taps: &[Tap]) {
        for tap in taps {
            let correction = if tap.axis == Axis::X { self.rows.f } else { self.rows.g };
            let i = (tap.cell[0] - self.args.lo[0]) as isize;
            for m in 0..M {
                // SAFETY: the slot is this tap's alone; the row buffers hold the face.
                unsafe { *self.slot(tap, m) += *correction.at(m, i) };
            }
        }
    }

    #[inline(always)]
    fn slot(&self, tap: &Tap, m: usize) -> *mut V::Scalar {
        self.args.tap_values.wrapping_add(m * self.args.tap_stride + tap.slot as usize)
    }

    /// Fluctuations of a single face.
    #[inline(always)]
    unsafe fn fluctuations(&self, tap: &Tap) -> [[V::Scalar; M]; 2] {
        let component = self.args.strides.component;
        let zero = V::Scalar::zero();
        let (mut q, mut aux) = ([[zero; M]; 2], [[zero; A]; 2]);
        let [i, k] = [tap.cell[0] as isize - self.args.lo[0] as isize, tap.cell[1] as isize];
        let cells = if tap.axis == Axis::X { [(i - 1, k), (i, k)] } else { [(i, k - 1), (i, k)] };
        for (side, (i, k)) in cells.into_iter().enumerate() {
            let offset = self.offset(i, k);
            // SAFETY: the cells beside a face of the tile are readable.
            unsafe {
                for m in 0..M {
                    q[side][m] = *self.args.q.offset(offset).add(m * component);
                }
                for a in 0..A {
                    aux[side][a] = *self.args.aux.offset(offset).add(a * component);
                }
            }
        }
        let face = self.solver.normal(tap.axis, q[0], q[1], aux[0], aux[1]);
        [face.amdq, face.apdq]
    }
}
