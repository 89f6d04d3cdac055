//! Linear interpolation from a coarse patch to fine cells.
//!
//! Equation: `q_f = q_c + Σ_d ξ_d s_d` with ξ the fine centre's offset in coarse cells and s a limited slope.
//! Averages over a coarse cell's fine cells return `q_c`: the interpolation is conservative.

use super::coarse_source::CoarseSource;
use super::transfer_variables::{CellRules, Written};
use crate::fields::{PatchLayout, Shared};
use crate::index::{CellBox, Ratio, Shift};
use crate::plan::Region;
use riemann::patch::{SlopeRow, Strides};
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

/// A part of the fine level that is interpolated, and how.
#[derive(Clone, Copy)]
struct Target<'a, const D: usize, R> {
    fine: Shared<'a, R>,
    /// The cells, or across a folded side those that stand for them.
    cells: CellBox<D>,
    /// They are written backwards.
    turned: bool,
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
        let (lo, hi) = (
            |d: usize| self.cells.lo.get(d).copied().unwrap_or(0),
            |d: usize| self.cells.hi.get(d).copied().unwrap_or(1),
        );
        // Places in `fine`, from the first cell's.
        let place = |d: usize, i: i32| if self.turned { hi(d) - 1 - i } else { i - lo(d) } as usize;
        let coarse_at = |d: usize| coarse.get(d).copied().unwrap_or(0);
        let [x, y, z] = [0, 1, 2].map(|d| self.within(d, coarse_at(d)));
        for z in z {
            for y in y.clone() {
                let mut base = here;
                for d in 1..D {
                    let r = self.ratio(d);
                    base += offset_in_coarse::<R>([y, z][d - 1] - coarse[d] * r, r) * slopes[d];
                }
                let row = place(1, y) * self.strides.row + place(2, z) * self.strides.slab;
                let first = if self.turned { x.end - 1 } else { x.start };
                let start = self.start + m * self.strides.component + row + place(0, first);
                // SAFETY: the caller's promise.
                let out = unsafe { self.fine.row_mut(start, x.len()) };
                let value =
                    |x: i32| base + offset_in_coarse::<R>(x - coarse[0] * self.ratio(0), self.ratio(0)) * slopes[0];
                match self.turned {
                    true => out.iter_mut().rev().zip(x.clone()).for_each(|(out, x)| *out = value(x)),
                    false => out.iter_mut().zip(x.clone()).for_each(|(out, x)| *out = value(x)),
                }
            }
        }
    }
}

/// Fills the region's cells of all components. `written`: what is written, where the solver has transfer variables.
///
/// # Safety
/// Nobody else touches the region's cells of `fine` meanwhile.
pub(super) unsafe fn interpolate<const D: usize, R: Scalar>(
    (fine, fine_layout): (Shared<'_, R>, &PatchLayout<D>),
    coarse: CoarseSource<'_, D, R>,
    (region, ratio): (&Region<D>, Ratio<D>),
    num_components: usize,
    (slope, rules, written): (Slope, Option<CellRules<'_, R>>, Written<'_, R>),
) {
    let strides = coarse.layout.strides();
    let steps = [1, strides.row, strides.slab];
    // Across a folded side: in the coordinates of the coarse patch.
    let turned = region.shift.turned;
    let (cells, shift) = match turned {
        true => (region.shift.refined(ratio).source_box(&region.cells), Shift::NONE),
        false => (region.cells, region.shift),
    };
    let stored = match (rules, written) {
        (Some(rules), Written::Message) => rules.num_sent(num_components),
        _ => num_components,
    };
    let start = fine_layout.offset(stored, region.cells.lo);
    let target = Target { fine, cells, turned, ratio, start, strides: fine_layout.strides() };
    let along_x = cells.coarse_from_fine(ratio).size()[0] as usize;
    let slopes_at = |centre: usize, here: R| -> [R; D] {
        std::array::from_fn(|d| slope.limit(coarse.value(centre - steps[d]), here, coarse.value(centre + steps[d])))
    };
    for row in cells.coarse_from_fine(ratio).rows() {
        let beneath: [i32; D] = shift.source(row);
        let from = coarse.layout.offset(num_components, beneath);
        let cell = |n: usize| std::array::from_fn(|d| if d == 0 { row[d] + n as i32 } else { row[d] });
        let Some(rules) = rules else {
            for (m, n) in (0..num_components).flat_map(|m| (0..along_x).map(move |n| (m, n))) {
                let centre = from + m * strides.component + n;
                let here = coarse.value(centre);
                // SAFETY: the region's cells are ours by the caller's promise.
                unsafe { target.write(m, cell(n), here, slopes_at(centre, here)) };
            }
            continue;
        };
        let len = SlopeRow::<R>::LEN;
        let mut scratch = rules.scratch.mine();
        let (q, rest) = scratch.split_at_mut(num_components * len);
        let (slopes, rest) = rest.split_at_mut(D * num_components * len);
        let (most, lines) = rest.split_at_mut(rules.num_sent(num_components) - num_components);
        for first in (0..along_x).step_by(len) {
            let count = len.min(along_x - first);
            let first_beneath = std::array::from_fn(|d| if d == 0 { beneath[d] + first as i32 } else { beneath[d] });
            if rules.kept.is_some() {
                rules.variables_around(&coarse, (first_beneath, count), lines);
            }
            for (m, n) in (0..num_components).flat_map(|m| (0..count).map(move |n| (m, n))) {
                let (here, slopes_here) = if rules.kept.is_some() {
                    let at = |d: usize, step: isize| rules.around(lines, num_components, (m, n), (d, step));
                    let here = at(0, 0);
                    (here, std::array::from_fn(|d| slope.limit(at(d, -1), here, at(d, 1))))
                } else {
                    let centre = from + m * strides.component + first + n;
                    let here = coarse.value(centre);
                    (here, slopes_at(centre, here))
                };
                q[m * len + n] = here;
                for (d, slope) in slopes_here.into_iter().enumerate() {
                    slopes[(d * num_components + m) * len + n] = slope;
                }
            }
            let row = SlopeRow {
                q: q.as_ptr(),
                slopes: slopes.as_mut_ptr(),
                aux: rules.row_of_aux(rules.aux, coarse.layout, first_beneath),
                aux_component: strides.component,
                len: count,
                ends: std::array::from_fn(|d| [0, target.ratio(d) - 1].map(|n| offset_in_coarse(n, target.ratio(d)))),
            };
            // SAFETY: the scratch memory is far longer; the cells' auxiliary values lie in a patch, with the overrun behind it.
            unsafe { rules.solver.limit_slopes(&row) };
            for (m, n) in (0..num_components).flat_map(|m| (0..count).map(move |n| (m, n))) {
                let slopes = std::array::from_fn(|d| slopes[(d * num_components + m) * len + n]);
                // SAFETY: as above.
                unsafe { target.write(m, cell(first + n), q[m * len + n], slopes) };
            }
            for n in 0..if rules.kept.is_some() { count } else { 0 } {
                let inside = CellBox::cell(cell(first + n)).fine_from_coarse(ratio).intersect(&cells);
                // SAFETY: as above.
                unsafe { rules.finish((fine, fine_layout, inside), (lines, n, ratio), (written, most)) };
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
