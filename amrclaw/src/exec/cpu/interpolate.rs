//! Linear interpolation from a coarse patch to fine cells.
//!
//! Equation: `q_f = q_c + Σ_d ξ_d s_d` with ξ the fine centre's offset in coarse cells and s a limited slope.
//! Averages over a coarse cell's fine cells return `q_c`: the interpolation is conservative.

use crate::fields::{PatchLayout, Shared};
use crate::index::Ratio;
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
    let fine_strides = fine_layout.strides();
    let cells = region.cells;
    let r = |d: usize| ratio.0.get(d).copied().unwrap_or(1);
    // The fine cells of coarse cell `c` along axis `d`, as far as they lie in the region.
    let within = |d: usize, c: i32| match d < D {
        true => (c * r(d)).max(cells.lo[d])..((c + 1) * r(d)).min(cells.hi[d]),
        false => 0..1,
    };
    let to = fine_layout.offset(num_components, cells.lo);
    let lo = |d: usize| cells.lo.get(d).copied().unwrap_or(0);
    let along_x = cells.coarse_from_fine(ratio).size()[0];
    for m in 0..num_components {
        for coarse_row in cells.coarse_from_fine(ratio).rows() {
            let from = coarse.layout.offset(num_components, std::array::from_fn(|d| coarse_row[d] - region.shift[d]));
            let across = [1, 2].map(|d| within(d, coarse_row.get(d).copied().unwrap_or(0)));
            for n in 0..along_x {
                let centre = from + m * strides.component + n as usize;
                let here = coarse.value(centre);
                let slopes: [R; D] = std::array::from_fn(|d| {
                    slope.limit(coarse.value(centre - steps[d]), here, coarse.value(centre + steps[d]))
                });
                let (coarse_x, x) = (coarse_row[0] + n, within(0, coarse_row[0] + n));
                for z in across[1].clone() {
                    for y in across[0].clone() {
                        let mut base = here;
                        for d in 1..D {
                            base += offset_in_coarse::<R>([y, z][d - 1] - coarse_row[d] * r(d), r(d)) * slopes[d];
                        }
                        let row = (y - lo(1)) as usize * fine_strides.row + (z - lo(2)) as usize * fine_strides.slab;
                        let start = to + m * fine_strides.component + row + (x.start - lo(0)) as usize;
                        // SAFETY: the region's cells are ours by the caller's promise.
                        let out = unsafe { fine.row_mut(start, x.len()) };
                        for (value, x) in out.iter_mut().zip(x.clone()) {
                            *value = base + offset_in_coarse::<R>(x - coarse_x * r(0), r(0)) * slopes[0];
                        }
                    }
                }
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
