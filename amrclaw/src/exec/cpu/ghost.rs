//! Filling ghost cells: same level, coarser level, physical boundary, patch by patch.

use super::CpuExecutor;
use super::boundary::{self, BoundaryContext};
use super::interpolate::{CoarseSource, Slope, interpolate};
use super::store::LevelStore;
use super::turns::each_in_turn;
use crate::fields::{LevelLayout, PatchLayout, Shared};
use crate::index::{Level, Ratio};
use crate::plan::{CopyRegion, GhostPlan, InterpRegion};
use riemann::patch::Strides;
use riemann::real::Scalar;

/// A coarse level between the times of its last step, as a finer level interpolates it.
#[derive(Clone, Copy)]
pub(super) struct CoarseLevel<'a, const D: usize, R> {
    pub layout: &'a LevelLayout<D>,
    pub old: &'a [R],
    pub new: &'a [R],
    pub alpha: R,
    pub ratio: Ratio<D>,
}

impl<'a, const D: usize, R: Scalar> CoarseLevel<'a, D, R> {
    /// The level as it is at `time`, between its old and its present state.
    pub fn at_time(store: &'a LevelStore<D, R>, time: f64, ratio: Ratio<D>) -> Self {
        let new = store.q();
        let (old, alpha) = (store.q_old().unwrap_or(new), R::from_f64(store.states.weight_at(time)));
        CoarseLevel { layout: &store.layout, old, new, alpha, ratio }
    }

    /// Interpolates a region of a fine patch.
    ///
    /// # Safety
    /// Nobody else touches the region's cells meanwhile.
    pub unsafe fn interpolate(
        &self,
        fine: Shared<'_, R>,
        fine_layout: &PatchLayout<D>,
        region: &InterpRegion<D>,
        num_components: usize,
        slope: Slope,
    ) {
        let layout = &self.layout.patches[region.source as usize];
        let source = CoarseSource { layout, old: self.old, new: self.new, alpha: self.alpha };
        // SAFETY: the caller's promise.
        unsafe { interpolate(fine, fine_layout, source, region, self.ratio, num_components, slope) }
    }
}

/// Copies a region from one patch to another.
///
/// # Safety
/// Nobody writes the source cells meanwhile, and nobody else touches the target cells.
pub(super) unsafe fn copy_region<const D: usize, R: Scalar>(
    target: Shared<'_, R>,
    target_layout: &PatchLayout<D>,
    source: Shared<'_, R>,
    source_layout: &PatchLayout<D>,
    region: &CopyRegion<D>,
    num_components: usize,
) {
    let count = |d: usize| region.cells.size().get(d).map_or(1, |&n| n as usize);
    let first = region.cells.lo;
    let from = source_layout.offset(num_components, std::array::from_fn(|d| first[d] - region.shift[d]));
    let to = target_layout.offset(num_components, first);
    let (from_strides, to_strides) = (source_layout.strides(), target_layout.strides());
    for m in 0..num_components {
        for z in 0..count(2) {
            for y in 0..count(1) {
                let at = |start: usize, s: &Strides| start + m * s.component + z * s.slab + y * s.row;
                // SAFETY: the caller's promise.
                unsafe {
                    let values = source.row(at(from, &from_strides), count(0));
                    let out = target.row_mut(at(to, &to_strides), count(0));
                    // Two ghost cells beside a patch: a call would cost more than the copy.
                    match (&mut *out, values) {
                        ([a, b], [x, y]) => (*a, *b) = (*x, *y),
                        _ => out.copy_from_slice(values),
                    }
                }
            }
        }
    }
}

impl<const D: usize, R: Scalar> CpuExecutor<D, R> {
    pub(super) fn fill_level(&mut self, level: Level, plan: &GhostPlan<D>) {
        let (coarser, from_here) = self.levels.split_at_mut(level.index());
        let store = &mut from_here[0];
        let coarse = coarser.last().map(|c| CoarseLevel::at_time(c, store.states.time, self.ratios[level.index() - 1]));
        let context = BoundaryContext::new(&self.problem, store);
        let layout = store.layout.clone();
        let num_eqn = store.num_eqn;
        let q = Shared::new(store.q_mut());
        let solver = &self.solver;
        each_in_turn(plan.num_patches(), |k| {
            let target = &layout.patches[k];
            // SAFETY: each patch's ghost cells are written by its own task alone; tasks read interior cells of other
            // patches, which nobody writes.
            unsafe {
                for region in plan.copies(k) {
                    copy_region(q, target, q, &layout.patches[region.source as usize], region, num_eqn);
                }
                if let Some(coarse) = coarse {
                    for region in plan.interps(k) {
                        coarse.interpolate(q, target, region, num_eqn, Slope::Central);
                    }
                }
                for region in plan.boundaries(k) {
                    boundary::fill(q, target, region, solver.wall_normal(region.axis), &context);
                }
            }
        });
    }
}
