//! Regridding: where the values of a new level come from.

use super::region::{CopyRegion, InterpRegion, interpolations};
use crate::index::Ratio;
use crate::mesh::LevelMesh;

/// Sources of a new level's cells: the old level where there was one, the coarser level elsewhere.
///
/// Invariant: every interior cell of the new level is written by exactly one region.
#[derive(Clone, Debug)]
pub struct TransferPlan<const D: usize> {
    copies: Vec<CopyRegion<D>>,
    interps: Vec<InterpRegion<D>>,
    ends: Vec<[usize; 2]>,
}

impl<const D: usize> TransferPlan<D> {
    /// Plans the filling of `new` from `old` (the same level before) and `coarse` (the next coarser level, new).
    pub fn new(new: &LevelMesh<D>, old: Option<&LevelMesh<D>>, coarse: &LevelMesh<D>, ratio: Ratio<D>) -> Self {
        let mut plan = TransferPlan { copies: Vec::new(), interps: Vec::new(), ends: Vec::new() };
        for (k, patch) in new.patches().iter().enumerate() {
            let target = k as u32;
            let mut open = vec![*patch];
            if let Some(old) = old {
                for image in old.images(patch) {
                    let source = image.patch as u32;
                    plan.copies.push(CopyRegion { target, source, cells: image.part, shift: image.shift });
                }
                open = old.uncovered(patch);
            }
            for cells in &open {
                interpolations(coarse, ratio, target, cells, &mut plan.interps);
            }
            plan.ends.push([plan.copies.len(), plan.interps.len()]);
        }
        plan
    }

    /// Number of new patches.
    pub fn num_patches(&self) -> usize {
        self.ends.len()
    }

    /// Copies into a new patch from the old level.
    pub fn copies(&self, patch: usize) -> &[CopyRegion<D>] {
        let start = if patch == 0 { 0 } else { self.ends[patch - 1][0] };
        &self.copies[start..self.ends[patch][0]]
    }

    /// Interpolations into a new patch from the coarser level.
    pub fn interps(&self, patch: usize) -> &[InterpRegion<D>] {
        let start = if patch == 0 { 0 } else { self.ends[patch - 1][1] };
        &self.interps[start..self.ends[patch][1]]
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
