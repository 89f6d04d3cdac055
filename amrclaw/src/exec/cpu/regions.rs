//! Copying and interpolating regions: from patch to patch, and into and out of messages for other ranks.

use super::exchange::blocks;
use super::interpolate::{CoarseSource, Slope, SlopeLimiter, interpolate};
use super::scratch::Scratch;
use super::store::LevelStore;
use crate::fields::{LevelLayout, PatchLayout, Shared};
use crate::index::{CellBox, Ratio};
use crate::plan::{CopyRegion, InterpRegion, Regions};
use riemann::patch::{PatchSolver, Strides};
use riemann::real::Scalar;

/// A coarse level between the times of its last step, as a finer level interpolates it.
#[derive(Clone, Copy)]
pub(super) struct CoarseLevel<'a, const D: usize, R> {
    pub layout: &'a LevelLayout<D>,
    pub old: &'a [R],
    pub new: &'a [R],
    pub alpha: R,
    pub ratio: Ratio<D>,
    limiter: Option<SlopeLimiter<'a, R>>,
}

impl<'a, const D: usize, R: Scalar> CoarseLevel<'a, D, R> {
    /// The level as it is at `time`, between its old and its present state. States in it stay as `solver` allows.
    pub fn at_time(
        store: &'a LevelStore<D, R>,
        time: f64,
        ratio: Ratio<D>,
        (solver, scratch): (&'a dyn PatchSolver<R>, &'a Scratch<R>),
    ) -> Self {
        let new = store.q();
        let (old, alpha) = (store.q_old().unwrap_or(new), R::from_f64(store.states.weight_at(time)));
        let limiter = SlopeLimiter::of(solver, scratch, &store.aux);
        CoarseLevel { layout: &store.layout, old, new, alpha, ratio, limiter }
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
        unsafe {
            interpolate((fine, fine_layout), source, (region, self.ratio), num_components, (slope, self.limiter));
        }
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
                    // Rows of two ghost cells beside a patch: a call to copy them would cost more than the copy.
                    match (&mut *out, values) {
                        ([a, b], [x, y]) => (*a, *b) = (*x, *y),
                        _ => out.copy_from_slice(values),
                    }
                }
            }
        }
    }
}

/// The boxes of regions, in the order in which they lie in a message.
fn boxes<const D: usize>(regions: &Regions<D>) -> impl Iterator<Item = CellBox<D>> + '_ {
    let copies = regions.copies.iter().map(|region| region.cells);
    copies.chain(regions.interps.iter().map(|region| region.cells))
}

/// Packs regions into a message: copies from one level, interpolates from the coarser one.
///
/// # Safety
/// Nobody writes what they read meanwhile, and nobody else touches the message.
pub(super) unsafe fn pack_regions<const D: usize, R: Scalar>(
    regions: &Regions<D>,
    message: Shared<'_, R>,
    (q, layout): (Shared<'_, R>, &LevelLayout<D>),
    coarse: Option<CoarseLevel<'_, D, R>>,
    (num_components, slope): (usize, Slope),
) {
    let mut blocks = blocks(boxes(regions));
    for (region, block) in regions.copies.iter().zip(&mut blocks) {
        let source = &layout.patches[region.source as usize];
        // SAFETY: the caller's promise; blocks are disjoint.
        unsafe { copy_region(message, &block, q, source, region, num_components) };
    }
    for (region, block) in regions.interps.iter().zip(blocks) {
        let coarse = coarse.expect("what is interpolated lies over a coarser level");
        // SAFETY: likewise.
        unsafe { coarse.interpolate(message, &block, region, num_components, slope) };
    }
}

/// Unpacks regions from a message into the patches that they write.
///
/// # Safety
/// Nobody else touches the regions' cells of `q` meanwhile.
pub(super) unsafe fn unpack_regions<const D: usize, R: Scalar>(
    regions: &Regions<D>,
    message: Shared<'_, R>,
    (q, layout): (Shared<'_, R>, &LevelLayout<D>),
    num_components: usize,
) {
    let copies = regions.copies.iter().map(|region| region.target);
    let targets = copies.chain(regions.interps.iter().map(|region| region.target));
    for (target, block) in targets.zip(blocks(boxes(regions))) {
        let region = CopyRegion { target, source: target, cells: block.cells, shift: [0; D] };
        // SAFETY: the caller's promise; the message is only read.
        unsafe { copy_region(q, &layout.patches[target as usize], message, &block, &region, num_components) };
    }
}
