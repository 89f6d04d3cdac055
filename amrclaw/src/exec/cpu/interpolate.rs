//! Linear interpolation from a coarse patch to fine cells.
//!
//! Equation: `q_f = q_c + Σ_d ξ_d s_d` with ξ the fine centre's offset in coarse cells and s a limited slope.
//! Averages over a coarse cell's fine cells return `q_c`: the interpolation is conservative.

use crate::fields::{PatchLayout, Shared};
use crate::index::{CellBox, Ratio};
use crate::plan::InterpRegion;
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
        if minus * plus <= zero {
            return zero;
        }
        let central = above - below;
        let size = match self {
            Slope::Central => {
                let one_sided = minus.abs().min(plus.abs());
                (one_sided + one_sided).min(R::constant(0.5) * central.abs())
            }
            Slope::Minmod => minus.abs().min(plus.abs()),
        };
        if central > zero { size } else { -size }
    }
}

/// A coarse patch between two times: `old + α (new − old)`, which leaves what does not change as it is, to the bit.
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

/// Fills the region's cells of all components.
///
/// # Safety
/// Nobody else touches the region's cells of `fine` meanwhile.
pub(super) unsafe fn interpolate<const D: usize, R: Scalar>(
    fine: Shared<'_, R>,
    fine_layout: &PatchLayout<D>,
    coarse: CoarseSource<'_, D, R>,
    region: &InterpRegion<D>,
    ratio: Ratio<D>,
    num_components: usize,
    slope: Slope,
) {
    let strides = coarse.layout.strides();
    let steps = [1, strides.row, strides.slab];
    let cells = region.cells;
    let r0 = ratio.0[0];
    for row in rows(&cells) {
        // Along all axes but x a row of fine cells has one offset within its coarse cells.
        let xi: [R; D] = std::array::from_fn(|d| offset_in_coarse(row[d], ratio.0[d]));
        let mut coarse_cell: [i32; D] = std::array::from_fn(|d| row[d].div_euclid(ratio.0[d]) - region.shift[d]);
        let mut x = cells.lo[0];
        while x < cells.hi[0] {
            let coarse_x = x.div_euclid(r0);
            coarse_cell[0] = coarse_x - region.shift[0];
            let next = ((coarse_x + 1) * r0).min(cells.hi[0]);
            let from = coarse.layout.offset(num_components, coarse_cell);
            let mut fine_cell = row;
            fine_cell[0] = x;
            let to = fine_layout.offset(num_components, fine_cell);
            for m in 0..num_components {
                let centre = from + m * strides.component;
                let here = coarse.value(centre);
                let slope_along =
                    |d: usize| slope.limit(coarse.value(centre - steps[d]), here, coarse.value(centre + steps[d]));
                let mut base = here;
                for d in 1..D {
                    base += xi[d] * slope_along(d);
                }
                let slope_x = slope_along(0);
                // SAFETY: the region's cells are ours by the caller's promise.
                let out = unsafe { fine.row_mut(to + m * fine_layout.component(), (next - x) as usize) };
                for (k, value) in out.iter_mut().enumerate() {
                    *value = base + offset_in_coarse::<R>(x + k as i32, r0) * slope_x;
                }
            }
            x = next;
        }
    }
}

/// Distance of a fine cell's centre from its coarse cell's, in coarse cells.
#[inline(always)]
fn offset_in_coarse<R: Scalar>(fine: i32, ratio: i32) -> R {
    R::from_f64((f64::from(fine.rem_euclid(ratio)) + 0.5) / f64::from(ratio) - 0.5)
}

/// First cell of each row along x of a box.
pub(super) fn rows<const D: usize>(cells: &CellBox<D>) -> impl Iterator<Item = [i32; D]> + use<D> {
    let mut starts = *cells;
    if !cells.is_empty() {
        starts.hi[0] = starts.lo[0] + 1;
    }
    starts.cells()
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
