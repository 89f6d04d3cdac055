//! Averaging a fine level onto the coarse cells beneath it.
//!
//! Equation: `Q_c = Σ κ_f Q_f / (κ_c N)`, N fine cells in a coarse one; κ = 1 without a capacity function.

use super::CpuExecutor;
use super::exchange::{blocks, exchange};
use super::regions::copy_region;
use super::store::LevelStore;
use crate::fields::{PatchLayout, Shared};
use crate::index::{CellBox, Level};
use crate::plan::{Region, RestrictPlan};
use crate::ranks::{CommError, MessageKind};
use crate::threads::parallel_for;
use riemann::real::Scalar;

impl<const D: usize, R: Scalar> CpuExecutor<D, R> {
    pub(super) fn average_level(&mut self, fine: Level, plan: &RestrictPlan<D>) -> Result<(), CommError> {
        let (ranks, header) = (self.ranks.clone(), self.header(MessageKind::Averages, fine));
        let capacity = usize::try_from(self.problem.scheme.capacity).ok();
        let num_aux = self.solver.aux().len();
        let (coarser, finer) = self.levels.split_at_mut(fine.index());
        let (Some(coarse), fine) = (coarser.last_mut(), &finer[0]) else { return Ok(()) };
        let (coarse_layout, num_eqn) = (coarse.layout.clone(), coarse.num_eqn);
        let coarse_aux = std::mem::take(&mut coarse.aux);
        let q = Shared::new(coarse.q_mut());
        let averages = Averages { fine, capacity, num_aux, plan };
        let share = |region: &Region<D>| {
            let Some(capacity) = capacity else { return };
            let target = &coarse_layout.patches[region.target as usize];
            // SAFETY: each coarse cell lies in one region, whose task alone writes it.
            unsafe { divide_by_capacity(q, target, &region.cells, (&coarse_aux, num_aux, capacity), num_eqn) };
        };
        let len = |regions: &Vec<Region<D>>| -> usize {
            num_eqn * regions.iter().map(|region| region.cells.volume()).sum::<usize>()
        };
        let blocks_of =
            |regions: &[Region<D>]| blocks(regions.iter().map(|region| region.cells).collect::<Vec<_>>().into_iter());
        let pack = |regions: &Vec<Region<D>>, message: Shared<'_, R>| {
            for (region, block) in regions.iter().zip(blocks_of(regions)) {
                // SAFETY: each message is one task's.
                unsafe { averages.of_region(region, message, &block) };
            }
        };
        let regions = plan.regions.all();
        let own = || {
            parallel_for(regions.len(), |k| {
                let region = &regions[k];
                // SAFETY: each coarse cell lies in one region, whose task alone writes it.
                unsafe { averages.of_region(region, q, &coarse_layout.patches[region.target as usize]) };
                share(region);
            });
        };
        let unpack = |regions: &Vec<Region<D>>, message: Shared<'_, R>| {
            for (region, block) in regions.iter().zip(blocks_of(regions)) {
                let target = &coarse_layout.patches[region.target as usize];
                // SAFETY: the coarse level is borrowed alone; the message is only read.
                unsafe { copy_region(q, target, message, &block, region, [num_eqn; 2]) };
                share(region);
            }
        };
        let exchanged = exchange((&ranks, header), plan.exchange.directions(), len, pack, own, unpack);
        coarse.aux = coarse_aux;
        exchanged
    }
}

/// Averages of a fine level.
struct Averages<'a, const D: usize, R> {
    fine: &'a LevelStore<D, R>,
    capacity: Option<usize>,
    num_aux: usize,
    plan: &'a RestrictPlan<D>,
}

impl<const D: usize, R: Scalar> Averages<'_, D, R> {
    /// Averages onto a region's coarse cells. With a capacity function the caller must then divide them by the coarse cells' capacity.
    ///
    /// # Safety
    /// Nobody else touches the region's cells of `out` meanwhile.
    unsafe fn of_region(&self, region: &Region<D>, out: Shared<'_, R>, target: &PatchLayout<D>) {
        let Averages { fine, num_aux, plan, .. } = *self;
        let (num_eqn, ratio) = (fine.num_eqn, plan.ratio.0[0] as usize);
        let weight = R::from_f64(1.0 / f64::from(plan.ratio.cells()));
        let source = &fine.layout.patches[region.source as usize];
        let len = region.cells.size()[0] as usize;
        let sub_rows = sub_rows(plan, source.strides().row, source.strides().slab);
        // Component after component: the fine rows then lie one after the other in memory.
        for m in 0..num_eqn {
            for row in region.cells.rows() {
                let first = std::array::from_fn(|d| row[d] * plan.ratio.0[d]);
                // SAFETY: the caller's promise.
                let out = unsafe { out.row_mut(target.offset(num_eqn, row) + m * target.component(), len) };
                let values = &fine.q()[source.offset(num_eqn, first) + m * source.component()..];
                match self.capacity {
                    None => average_row(out, values, sub_rows, ratio, weight),
                    Some(c) => {
                        let kappa = &fine.aux[source.offset(num_aux, first) + c * source.component()..];
                        weighted_row(out, values, kappa, sub_rows, ratio, weight);
                    }
                }
            }
        }
    }
}

/// Divides the cells of a region by their capacity.
///
/// # Safety
/// Nobody else touches them meanwhile.
unsafe fn divide_by_capacity<const D: usize, R: Scalar>(
    q: Shared<'_, R>,
    patch: &PatchLayout<D>,
    cells: &CellBox<D>,
    (aux, num_aux, capacity): (&[R], usize, usize),
    num_eqn: usize,
) {
    let len = cells.size()[0] as usize;
    for row in cells.rows() {
        let kappa = &aux[patch.offset(num_aux, row) + capacity * patch.component()..][..len];
        for m in 0..num_eqn {
            // SAFETY: the caller's promise.
            let values = unsafe { q.row_mut(patch.offset(num_eqn, row) + m * patch.component(), len) };
            values.iter_mut().zip(kappa).for_each(|(value, kappa)| *value = *value / *kappa);
        }
    }
}

/// Rows of fine cells in a row of coarse cells: number and stride along y, and along z.
type SubRows = [(usize, usize); 2];

fn sub_rows<const D: usize>(plan: &RestrictPlan<D>, row: usize, slab: usize) -> SubRows {
    let count = |d: usize| plan.ratio.0.get(d).map_or(1, |&r| r as usize);
    [(count(1), row), (count(2), slab)]
}

/// Computes the bits of [`average_row`] in one pass, for two by two fine cells: the usual case.
fn average_pairs<R: Scalar>(out: &mut [R], fine: &[R], row: usize, weight: R) {
    let len = 2 * out.len();
    let pairs = |start: usize| fine[start..][..len].as_chunks::<2>().0;
    for ((value, &[a, b]), &[c, d]) in out.iter_mut().zip(pairs(0)).zip(pairs(row)) {
        let beyond_first = |x: R, y: R| (x - a) + (y - a);
        *value = a + ((R::default() + beyond_first(a, b)) + beyond_first(c, d)) * weight;
    }
}

/// Means of the fine cells over a row of coarse cells: the first cell's value and the mean of the others' differences
/// from it, so that the mean of equal values is that value, to the bit.
#[inline]
fn average_row<R: Scalar>(out: &mut [R], fine: &[R], [y, z]: SubRows, ratio: usize, weight: R) {
    if let (2, (2, row), (1, _)) = (ratio, y, z) {
        return average_pairs(out, fine, row, weight);
    }
    out.fill(R::default());
    let firsts = &fine[..out.len() * ratio];
    for kz in 0..z.0 {
        for ky in 0..y.0 {
            let row = &fine[kz * z.1 + ky * y.1..][..out.len() * ratio];
            if ratio == 2 {
                let (pairs, firsts) = (row.as_chunks::<2>().0, firsts.as_chunks::<2>().0);
                out.iter_mut().zip(pairs.iter().zip(firsts)).for_each(|(o, ([a, b], [first, _]))| {
                    *o += (*a - *first) + (*b - *first);
                });
            } else {
                let cells = row.chunks_exact(ratio).zip(firsts.chunks_exact(ratio));
                out.iter_mut().zip(cells).for_each(|(o, (cells, firsts))| {
                    *o += cells.iter().fold(R::default(), |sum, v| sum + (*v - firsts[0]));
                });
            }
        }
    }
    out.iter_mut().zip(firsts.chunks_exact(ratio)).for_each(|(o, firsts)| *o = firsts[0] + *o * weight);
}

/// Means over fine cells, weighted with their capacity.
fn weighted_row<R: Scalar>(out: &mut [R], fine: &[R], fine_kappa: &[R], [y, z]: SubRows, ratio: usize, weight: R) {
    for (i, value) in out.iter_mut().enumerate() {
        let mut sum = R::constant(0.0);
        for kz in 0..z.0 {
            for ky in 0..y.0 {
                let start = kz * z.1 + ky * y.1 + i * ratio;
                for k in start..start + ratio {
                    sum += fine_kappa[k] * fine[k];
                }
            }
        }
        *value = sum * weight;
    }
}
