//! Copying and interpolating regions: from patch to patch, and into and out of messages for other ranks.

use super::coarse_source::CoarseSource;
use super::exchange::{blocks, exchange};
use super::interpolate::{Slope, interpolate};
use super::scratch::Scratch;
use super::store::LevelStore;
use super::transfer_variables::{CellRules, Written};
use crate::fields::{LevelLayout, PatchLayout, Shared};
use crate::index::{Ratio, Shift};
use crate::plan::{FillPlan, Region, Regions};
use crate::ranks::{CommError, MessageHeader, Ranks};
use crate::threads::parallel_for;
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
    rules: Option<CellRules<'a, R>>,
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
        let rules = CellRules::of(solver, scratch, &store.aux);
        CoarseLevel { layout: &store.layout, old, new, alpha, ratio, rules }
    }

    /// Interpolates a region of a fine patch.
    ///
    /// # Safety
    /// Nobody else touches the region's cells meanwhile.
    pub unsafe fn interpolate(
        &self,
        fine: Shared<'_, R>,
        fine_layout: &PatchLayout<D>,
        region: &Region<D>,
        num_components: usize,
        (slope, written): (Slope, Written<'_, R>),
    ) {
        let layout = &self.layout.patches[region.source as usize];
        let source = CoarseSource { layout, old: self.old, new: self.new, alpha: self.alpha };
        // SAFETY: the caller's promise.
        unsafe {
            interpolate(
                (fine, fine_layout),
                source,
                (region, self.ratio),
                num_components,
                (slope, self.rules, written),
            );
        }
    }
}

/// Copies a region from one patch to another: the components that both have.
///
/// # Safety
/// Nobody writes the source cells meanwhile, and nobody else touches the target cells.
pub(super) unsafe fn copy_region<const D: usize, R: Scalar>(
    target: Shared<'_, R>,
    target_layout: &PatchLayout<D>,
    source: Shared<'_, R>,
    source_layout: &PatchLayout<D>,
    region: &Region<D>,
    [num_target, num_source]: [usize; 2],
) {
    let turned = region.shift.turned;
    let count = |d: usize| region.cells.size().get(d).map_or(1, |&n| n as usize);
    let first = region.cells.lo;
    // Across a folded side cells are read backwards, and so are rows: from the last cell of the row that stands for the first one.
    let begin = std::array::from_fn(|d| if turned && d == 0 { region.cells.hi[0] - 1 } else { first[d] });
    let from = source_layout.offset(num_source, region.shift.source(begin));
    let to = target_layout.offset(num_target, first);
    let (from_strides, to_strides) = (source_layout.strides(), target_layout.strides());
    for m in 0..num_target.min(num_source) {
        for z in 0..count(2) {
            for y in 0..count(1) {
                let along = |s: &Strides| z * s.slab + y * s.row;
                let row = if turned { from - along(&from_strides) } else { from + along(&from_strides) };
                // SAFETY: the caller's promise.
                unsafe {
                    let values = source.row(row + m * from_strides.component, count(0));
                    let out = target.row_mut(to + m * to_strides.component + along(&to_strides), count(0));
                    // Rows of two ghost cells beside a patch: a call to copy them would cost more than the copy.
                    match (&mut *out, values) {
                        (out, values) if turned => {
                            out.iter_mut().zip(values.iter().rev()).for_each(|(out, value)| *out = *value)
                        }
                        ([a, b], [x, y]) => (*a, *b) = (*x, *y),
                        _ => out.copy_from_slice(values),
                    }
                }
            }
        }
    }
}

/// What a plan fills, and from where.
#[derive(Clone, Copy)]
pub(super) struct Filling<'a, const D: usize, R> {
    pub plan: &'a FillPlan<D>,
    pub num_eqn: usize,
    pub target: (Shared<'a, R>, &'a LevelLayout<D>),
    /// The level copied from.
    pub source: (Shared<'a, R>, &'a LevelLayout<D>),
    /// The level interpolated from.
    pub coarse: Option<CoarseLevel<'a, D, R>>,
    pub slope: Slope,
    /// Where the solver has transfer variables: what becomes of them.
    pub written: Written<'a, R>,
}

impl<const D: usize, R: Scalar> Filling<'_, D, R> {
    /// Fills the cells of patch `k` whose sources are here.
    ///
    /// # Safety
    /// Nobody else touches these cells or writes what is read meanwhile.
    pub unsafe fn patch(&self, k: usize) {
        let (q, target) = (self.target.0, &self.target.1.patches[k]);
        for region in self.plan.copies.of(k) {
            let source = &self.source.1.patches[region.source as usize];
            // SAFETY: the caller's promise.
            unsafe { copy_region(q, target, self.source.0, source, region, [self.num_eqn; 2]) };
        }
        let Some(coarse) = self.coarse else { return };
        for region in self.plan.interps.of(k) {
            // SAFETY: likewise.
            unsafe { coarse.interpolate(q, target, region, self.num_eqn, (self.slope, self.written)) };
        }
    }

    /// Fills all cells, in exchange with other ranks.
    ///
    /// # Safety
    /// As for [`Self::patch`], for all patches.
    pub unsafe fn all(&self, to: (&Ranks, MessageHeader)) -> Result<(), CommError> {
        let len = |regions: &Regions<D>| self.num_sent() * regions.num_cells();
        // SAFETY: the caller's promise; each message and each patch is one task's.
        let pack = |regions: &Regions<D>, message: Shared<'_, R>| unsafe { self.pack(regions, message) };
        // SAFETY: likewise.
        let own = || parallel_for(self.plan.num_patches(), |k| unsafe { self.patch(k) });
        // SAFETY: likewise.
        let unpack = |regions: &Regions<D>, message: Shared<'_, R>| unsafe { self.unpack(regions, message) };
        exchange(to, self.plan.exchange.directions(), len, pack, own, unpack)
    }

    /// What the solver asks of interpolation, where there is a coarser level.
    fn rules(&self) -> Option<CellRules<'_, R>> {
        self.coarse.and_then(|coarse| coarse.rules)
    }

    /// Components of a message.
    fn num_sent(&self) -> usize {
        self.rules().map_or(self.num_eqn, |rules| rules.num_sent(self.num_eqn))
    }

    /// Copies and interpolates regions into a message for another rank.
    ///
    /// # Safety
    /// Nobody else touches the message, or writes what is read.
    unsafe fn pack(&self, regions: &Regions<D>, message: Shared<'_, R>) {
        let mut blocks = blocks(regions.all().map(|region| region.cells));
        for (region, block) in regions.copies.iter().zip(&mut blocks) {
            let source = &self.source.1.patches[region.source as usize];
            // SAFETY: the caller's promise; blocks are disjoint.
            unsafe { copy_region(message, &block, self.source.0, source, region, [self.num_sent(), self.num_eqn]) };
        }
        for (region, block) in regions.interps.iter().zip(blocks) {
            let coarse = self.coarse.expect("what is interpolated lies over a coarser level");
            // SAFETY: likewise.
            unsafe { coarse.interpolate(message, &block, region, self.num_eqn, (self.slope, Written::Message)) };
        }
    }

    /// Copies the regions of a message from another rank to their patches.
    ///
    /// # Safety
    /// Nobody else touches these cells.
    unsafe fn unpack(&self, regions: &Regions<D>, message: Shared<'_, R>) {
        let (q, layout) = self.target;
        let counts = [self.num_eqn, self.num_sent()];
        let interpolated = (0..).map(|number| number >= regions.copies.len());
        let blocks = blocks(regions.all().map(|region| region.cells));
        for ((region, block), interpolated) in regions.all().zip(blocks).zip(interpolated) {
            let (patch, region) = (&layout.patches[region.target as usize], Region { shift: Shift::NONE, ..*region });
            // SAFETY: the caller's promise; the message is only read.
            unsafe { copy_region(q, patch, message, &block, &region, counts) };
            let rules = self.rules().filter(|rules| interpolated && rules.kept.is_some());
            let (Some(rules), Written::States(aux)) = (rules, self.written) else { continue };
            for row in block.cells.rows() {
                let most = message.at(block.offset(counts[1], row)).wrapping_add(counts[0] * block.component());
                let (row, strides) = ((row, block.cells.size()[0] as usize), [block.component(), 1]);
                // SAFETY: likewise.
                unsafe { rules.states_of_row((q, patch), row, aux, (most, strides)) };
            }
        }
    }
}
