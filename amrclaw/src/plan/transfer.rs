//! Regridding: where the values of a new level come from.

use super::patch_lists::{PatchLists, in_parts};
use super::region::{CopyRegion, InterpRegion, interpolations};
use crate::index::Ratio;
use crate::mesh::{Cover, LevelMesh};

/// Sources of a new level's cells: the old level where there was one, the coarser level elsewhere.
///
/// Invariant: every interior cell of the new level is written by exactly one region.
#[derive(Clone, Debug, Default)]
pub struct TransferPlan<const D: usize> {
    copies: PatchLists<CopyRegion<D>>,
    interps: PatchLists<InterpRegion<D>>,
}

impl<const D: usize> TransferPlan<D> {
    /// Plans the filling of `new` from `old` (the same level before) and `coarse` (the next coarser level, new).
    pub fn new(new: &LevelMesh<D>, old: Option<&LevelMesh<D>>, coarse: &LevelMesh<D>, ratio: Ratio<D>) -> Self {
        let parts = in_parts(new.patches().len(), |patches| {
            let mut part = TransferPlan::default();
            let mut cover = Cover::default();
            patches.for_each(|k| part.add_patch(k, new, old, (coarse, ratio), &mut cover));
            part
        });
        let mut parts = parts.into_iter();
        let mut plan = parts.next().unwrap_or_default();
        for part in parts {
            plan.copies.append(part.copies);
            plan.interps.append(part.interps);
        }
        plan
    }

    fn add_patch(
        &mut self,
        k: usize,
        new: &LevelMesh<D>,
        old: Option<&LevelMesh<D>>,
        (coarse, ratio): (&LevelMesh<D>, Ratio<D>),
        cover: &mut Cover<D>,
    ) {
        let (target, patch) = (k as u32, &new.patches()[k]);
        match old {
            Some(old) => {
                cover.find(old, patch);
                for image in &cover.images {
                    let source = image.patch as u32;
                    self.copies.push(CopyRegion { target, source, cells: image.part, shift: image.shift });
                }
                for cells in &cover.open {
                    interpolations(coarse, ratio, target, cells, &mut self.interps);
                }
            }
            None => interpolations(coarse, ratio, target, patch, &mut self.interps),
        }
        self.copies.end_patch();
        self.interps.end_patch();
    }

    /// Number of new patches.
    pub fn num_patches(&self) -> usize {
        self.copies.num_patches()
    }

    /// Copies into a new patch from the old level.
    pub fn copies(&self, patch: usize) -> &[CopyRegion<D>] {
        self.copies.of(patch)
    }

    /// Interpolations into a new patch from the coarser level.
    pub fn interps(&self, patch: usize) -> &[InterpRegion<D>] {
        self.interps.of(patch)
    }

    /// Copies into all new patches.
    pub fn all_copies(&self) -> &PatchLists<CopyRegion<D>> {
        &self.copies
    }

    /// Interpolations into all new patches.
    pub fn all_interps(&self) -> &PatchLists<InterpRegion<D>> {
        &self.interps
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::index::CellBox;

    /// Every new cell has one source; cells that were refined before keep their values.
    #[test]
    fn every_new_cell_has_one_source() {
        let ratio = Ratio([4, 2]);
        let domain = CellBox::new([0, 0], [9, 7]);
        let fine_domain = domain.fine_from_coarse(ratio);
        let coarse = LevelMesh::new(domain, [true, false], vec![domain]);
        let at = |lo, hi| CellBox::new(lo, hi).fine_from_coarse(ratio);
        let old = LevelMesh::new(fine_domain, [true, false], vec![at([1, 1], [5, 4])]);
        let new = LevelMesh::new(fine_domain, [true, false], vec![at([3, 2], [8, 6]), at([0, 0], [2, 2])]);
        let plan = TransferPlan::new(&new, Some(&old), &coarse, ratio);
        for (k, patch) in new.patches().iter().enumerate() {
            for cell in patch.cells() {
                let copies = plan.copies(k).iter().filter(|r| r.cells.contains(cell)).count();
                let interps = plan.interps(k).iter().filter(|r| r.cells.contains(cell)).count();
                let kept = usize::from(old.patches()[0].contains(cell));
                assert_eq!((copies, interps), (kept, 1 - kept), "{cell:?}");
            }
        }
    }
}
