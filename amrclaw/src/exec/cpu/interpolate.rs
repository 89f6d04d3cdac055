//! Linear interpolation from a coarse patch to fine cells.
//!
//! Equation: `q_f = q_c + Σ_d ξ_d s_d` with ξ the fine centre's offset in coarse cells and s a limited slope.
//! Averages over a coarse cell's fine cells return `q_c`: the interpolation is conservative.

use super::scratch::Scratch;
use crate::fields::{PatchLayout, Shared};
use crate::index::{CellBox, Ratio};
use crate::plan::Region;
use riemann::patch::{PatchSolver, SlopeRow, Strides};
use riemann::real::Scalar;

/// How slopes are limited.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Slope {
    /// `min(2 |Δ−|, 2 |Δ+|, |Δc| / 2)`: ghost cells. Δc reaches over two cells.
    Central,
    /// `min(|Δ−|, |Δ+|)`: new patches.
    Minmod,
}

impl Slope {
    /// The slope of a cell between its neighbours; zero at extrema.
    #[inline(always)]
    fn limit<R: Scalar>(self, below: R, here: R, above: R) -> R {
        let (minus, plus) = (here - below, above - here);
        let zero = R::default();
        let central = above - below;
        let size = match self {
            Slope::Central => {
                let one_sided = minus.abs().min(plus.abs());
                (one_sided + one_sided).min(R::constant(0.5) * central.abs())
            }
            Slope::Minmod => minus.abs().min(plus.abs()),
        };
        // Selected without branches, which would often be mispredicted.
        let signed = if central > zero { size } else { -size };
        if minus * plus <= zero { zero } else { signed }
    }
}

/// A coarse patch at a time between two states: `old + α (new − old)`, which keeps the bits of values that do not change.
#[derive(Clone, Copy)]
pub(super) struct CoarseSource<'a, const D: usize, R> {
    pub layout: &'a PatchLayout<D>,
    pub old: &'a [R],
    pub new: &'a [R],
    pub alpha: R,
}

impl<const D: usize, R: Scalar> CoarseSource<'_, D, R> {
    #[inline(always)]
    fn value(&self, offset: usize) -> R {
        let one = R::constant(1.0);
        if self.alpha == one {
            self.new[offset]
        } else {
            self.old[offset] + self.alpha * (self.new[offset] - self.old[offset])
        }
    }
}

/// What keeps interpolated states admissible: the slopes of a coarse cell become zero, all of them, where any state in it would not be. So
/// the average stays, and what a fine cell gets does not depend on which others are asked for.
#[derive(Clone, Copy)]
pub(super) struct SlopeLimiter<'a, R> {
    solver: &'a dyn PatchSolver<R>,
    scratch: &'a Scratch<R>,
    /// Auxiliary values of the coarse level.
    aux: &'a [R],
}

impl<'a, R: Scalar> SlopeLimiter<'a, R> {
    /// The limiter of a solver that has one. `scratch`: as large as the solver's own.
    pub fn of(solver: &'a dyn PatchSolver<R>, scratch: &'a Scratch<R>, aux: &'a [R]) -> Option<Self> {
        solver.limits().then_some(SlopeLimiter { solver, scratch, aux })
    }
}

/// A part of the fine level that is interpolated, and how.
#[derive(Clone, Copy)]
struct Target<'a, const D: usize, R> {
    fine: Shared<'a, R>,
    cells: CellBox<D>,
    ratio: Ratio<D>,
    /// Where the first cell lies in `fine`.
    start: usize,
    strides: Strides,
}

impl<const D: usize, R: Scalar> Target<'_, D, R> {
    fn ratio(&self, d: usize) -> i32 {
        self.ratio.0.get(d).copied().unwrap_or(1)
    }

    /// The fine cells of coarse cell `c` along axis `d`, as far as they are asked for.
    fn within(&self, d: usize, c: i32) -> std::ops::Range<i32> {
        let r = self.ratio(d);
        match d < D {
            true => (c * r).max(self.cells.lo[d])..((c + 1) * r).min(self.cells.hi[d]),
            false => 0..1,
        }
    }

    /// Writes component `m` of the fine cells in a coarse one.
    ///
    /// # Safety
    /// Nobody else touches these cells meanwhile.
    #[inline(always)]
    unsafe fn write(&self, m: usize, coarse: [i32; D], here: R, slopes: [R; D]) {
        let lo = |d: usize| self.cells.lo.get(d).copied().unwrap_or(0);
        let coarse_at = |d: usize| coarse.get(d).copied().unwrap_or(0);
        let [x, y, z] = [0, 1, 2].map(|d| self.within(d, coarse_at(d)));
        for z in z {
            for y in y.clone() {
                let mut base = here;
                for d in 1..D {
                    let r = self.ratio(d);
                    base += offset_in_coarse::<R>([y, z][d - 1] - coarse[d] * r, r) * slopes[d];
                }
                let row = (y - lo(1)) as usize * self.strides.row + (z - lo(2)) as usize * self.strides.slab;
                let start = self.start + m * self.strides.component + row + (x.start - lo(0)) as usize;
                // SAFETY: the caller's promise.
                let out = unsafe { self.fine.row_mut(start, x.len()) };
                for (value, x) in out.iter_mut().zip(x.clone()) {
                    *value = base + offset_in_coarse::<R>(x - coarse[0] * self.ratio(0), self.ratio(0)) * slopes[0];
                }
            }
        }
    }
}

/// Fills the region's cells of all components.
///
/// # Safety
/// Nobody else touches the region's cells of `fine` meanwhile.
pub(super) unsafe fn interpolate<const D: usize, R: Scalar>(
    (fine, fine_layout): (Shared<'_, R>, &PatchLayout<D>),
    coarse: CoarseSource<'_, D, R>,
    (region, ratio): (&Region<D>, Ratio<D>),
    num_components: usize,
    (slope, limiter): (Slope, Option<SlopeLimiter<'_, R>>),
) {
    let strides = coarse.layout.strides();
    let steps = [1, strides.row, strides.slab];
    let cells = region.cells;
    let start = fine_layout.offset(num_components, cells.lo);
    let target = Target { fine, cells, ratio, start, strides: fine_layout.strides() };
    let along_x = cells.coarse_from_fine(ratio).size()[0] as usize;
    let slopes_at = |centre: usize, here: R| -> [R; D] {
        std::array::from_fn(|d| slope.limit(coarse.value(centre - steps[d]), here, coarse.value(centre + steps[d])))
    };
    for row in cells.coarse_from_fine(ratio).rows() {
        let beneath = std::array::from_fn(|d| row[d] - region.shift[d]);
        let from = coarse.layout.offset(num_components, beneath);
        let cell = |n: usize| std::array::from_fn(|d| if d == 0 { row[d] + n as i32 } else { row[d] });
        let Some(limiter) = limiter else {
            for (m, n) in (0..num_components).flat_map(|m| (0..along_x).map(move |n| (m, n))) {
                let centre = from + m * strides.component + n;
                let here = coarse.value(centre);
                // SAFETY: the region's cells are ours by the caller's promise.
                unsafe { target.write(m, cell(n), here, slopes_at(centre, here)) };
            }
            continue;
        };
        let len = SlopeRow::<R>::LEN;
        let mut scratch = limiter.scratch.mine();
        let (q, slopes) = scratch.split_at_mut(num_components * len);
        let num_aux = limiter.solver.aux().len();
        for first in (0..along_x).step_by(len) {
            let count = len.min(along_x - first);
            for (m, n) in (0..num_components).flat_map(|m| (0..count).map(move |n| (m, n))) {
                let centre = from + m * strides.component + first + n;
                let here = coarse.value(centre);
                q[m * len + n] = here;
                for (d, slope) in slopes_at(centre, here).into_iter().enumerate() {
                    slopes[(d * num_components + m) * len + n] = slope;
                }
            }
            let aux = match num_aux {
                0 => std::ptr::NonNull::dangling().as_ptr(),
                count => limiter.aux[coarse.layout.offset(count, beneath) + first..].as_ptr(),
            };
            let row = SlopeRow {
                q: q.as_ptr(),
                slopes: slopes.as_mut_ptr(),
                aux,
                aux_component: strides.component,
                len: count,
                ends: std::array::from_fn(|d| [0, target.ratio(d) - 1].map(|n| offset_in_coarse(n, target.ratio(d)))),
            };
            // SAFETY: the scratch memory is far longer; the cells' auxiliary values lie in a patch, with the overrun behind it.
            unsafe { limiter.solver.limit_slopes(&row) };
            for (m, n) in (0..num_components).flat_map(|m| (0..count).map(move |n| (m, n))) {
                let slopes = std::array::from_fn(|d| slopes[(d * num_components + m) * len + n]);
                // SAFETY: as above.
                unsafe { target.write(m, cell(first + n), q[m * len + n], slopes) };
            }
        }
    }
}

/// Offset of the centre of fine cell number `n` in a coarse cell from the coarse cell's centre, in coarse cells.
#[inline(always)]
fn offset_in_coarse<R: Scalar>(n: i32, ratio: i32) -> R {
    match (ratio, n) {
        (2, 0) => R::constant(-0.25),
        (2, _) => R::constant(0.25),
        _ => R::from_f64((f64::from(n) + 0.5) / f64::from(ratio) - 0.5),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Slopes vanish at extrema, follow straight lines exactly and never pass a neighbour's value.
    #[test]
    fn slopes_are_limited() {
        for slope in [Slope::Central, Slope::Minmod] {
            assert_eq!(slope.limit(1.0, 2.0, 1.5), 0.0);
            assert_eq!(slope.limit(1.0, 2.0, 3.0), 1.0);
            assert_eq!(slope.limit(3.0, 2.0, 1.0), -1.0);
            assert_eq!(slope.limit(2.0, 2.0, 9.0), 0.0);
        }
        assert_eq!(Slope::Central.limit(0.0, 1.0, 11.0), 2.0);
        assert_eq!(Slope::Minmod.limit(0.0, 1.0, 11.0), 1.0);
    }
}
