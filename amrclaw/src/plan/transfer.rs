//! Regridding: where the values of a new level come from.

use super::fill::FillPlan;
use super::neighbours::{Neighbours, PlanInput};
use super::region::{Region, interpolations};
use crate::index::Ratio;

/// Sources of a new level's cells: the old level where there was one, the coarser level elsewhere.
///
/// Invariant: every interior cell of the new level is written by exactly one region.
pub type TransferPlan<const D: usize> = FillPlan<D>;

impl<const D: usize> TransferPlan<D> {
    /// Plans the filling of the next patch.
    pub(super) fn add_new_patch(
        &mut self,
        k: usize,
        input: &PlanInput<'_, D>,
        ratio: Ratio<D>,
        neighbours: &Neighbours<D>,
    ) {
        let (target, patch) = (k as u32, &input.mesh.patches()[k]);
        let Neighbours { before, under, .. } = neighbours;
        if input.old.is_some() {
            for image in &before.images {
                self.copies.push(Region::of_image(target, image));
            }
            before.open.iter().for_each(|cells| interpolations(under, ratio, target, cells, &mut self.interps));
        } else {
            interpolations(under, ratio, target, patch, &mut self.interps);
        }
        self.end_patch();
    }
}

#[cfg(test)]
mod tests {
    use super::super::build::BuiltPlans;
    use super::*;
    use crate::index::CellBox;
    use crate::mesh::LevelMesh;

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
        let (coarser, old_level) = (Some((&coarse, ratio)), Some(&old));
        let input =
            PlanInput { mesh: &new, coarser, transfer: true, old: old_level, num_ghost: 2, conservation_fix: false };
        let plan = BuiltPlans::new(input).transfer.expect("asked for");
        for (k, patch) in new.patches().iter().enumerate() {
            for cell in patch.cells() {
                let copies = plan.copies.of(k).iter().filter(|r| r.cells.contains(cell)).count();
                let interps = plan.interps.of(k).iter().filter(|r| r.cells.contains(cell)).count();
                let kept = usize::from(old.patches()[0].contains(cell));
                assert_eq!((copies, interps), (kept, 1 - kept), "{cell:?}");
            }
        }
    }
}
