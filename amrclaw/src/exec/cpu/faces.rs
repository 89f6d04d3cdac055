//! The faces between two levels listed one by one, for the CPU's threads; plans hold them as runs.

use crate::index::{CellBox, CellIndex, Ratio};
use crate::plan::{FaceRun, PatchLists, RefluxPlan};
use crate::threads::parallel_chunks;
use riemann::axis::{Axis, Side};
use std::ops::Range;
use std::sync::Arc;

/// One coarse face at the edge of a fine patch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct FaceSlot<const D: usize> {
    /// Coarse patch that holds the cell beside the fine patch.
    pub coarse_patch: u32,
    /// That cell, in the coarse level's coordinates.
    pub coarse_cell: CellIndex<D>,
    /// Fine patch.
    pub fine_patch: u32,
    /// The first fine cell outside the fine patch, behind the face; the others follow along the later axes.
    pub fine_ghost: CellIndex<D>,
    /// Normal of the face.
    pub axis: Axis,
    /// Side of the face on which the coarse cell lies, seen from the fine patch.
    pub coarse_side: Side,
    /// The coarse patch is turned against the fine one, across a folded side.
    pub turned: bool,
    /// Number of the first fine face; the coarse face has `ratio.faces(axis)` of them.
    pub first_fine: u32,
}

impl<const D: usize> FaceSlot<D> {
    /// Side of the face on which the coarse cell lies, in its own patch.
    pub fn own_side(&self) -> Side {
        if self.turned { self.coarse_side.opposite() } else { self.coarse_side }
    }
}

/// The faces of a run, one by one.
fn slots_of<const D: usize>(run: &FaceRun<D>, ratio: Ratio<D>) -> impl Iterator<Item = FaceSlot<D>> {
    let faces = ratio.faces(run.axis.index()) as u32;
    run.cells.cells().zip(0..).map(move |(cell, n)| {
        let under = CellBox::cell(cell).fine_from_coarse(ratio);
        let mut fine_ghost = under.lo;
        if run.coarse_side == Side::Lower {
            fine_ghost[run.axis.index()] = under.hi[run.axis.index()] - 1;
        }
        FaceSlot {
            coarse_patch: run.coarse_patch,
            coarse_cell: run.shift.source(cell),
            fine_patch: run.fine_patch,
            fine_ghost,
            axis: run.axis,
            coarse_side: run.coarse_side,
            turned: run.shift.turned,
            first_fine: run.first_fine + n * faces,
        }
    })
}

/// The faces of a plan.
#[derive(Clone, Debug)]
pub(super) struct ListedFaces<const D: usize> {
    /// The plan that they are listed from.
    pub plan: Arc<RefluxPlan<D>>,
    /// By fine patch.
    slots: PatchLists<FaceSlot<D>>,
    /// Numbers of the slots by coarse patch; those beside a cell follow one another if asked for.
    by_coarse: PatchLists<u32>,
}

impl<const D: usize> ListedFaces<D> {
    pub fn new(plan: Arc<RefluxPlan<D>>, by_cell: bool) -> Self {
        let parts = parallel_chunks(plan.runs.num_patches(), |patches| {
            let mut slots = PatchLists::default();
            for k in patches {
                plan.runs.of(k).iter().for_each(|run| slots_of(run, plan.ratio).for_each(|slot| slots.push(slot)));
                slots.end_patch();
            }
            slots
        });
        let slots = PatchLists::join(parts.iter());
        let mut numbers: Vec<u32> = (0..plan.num_slots as u32).collect();
        let all = slots.all();
        if by_cell {
            numbers.sort_by_key(|&slot| all[slot as usize].coarse_cell);
        }
        let coarse_patch = |&slot: &u32| all[slot as usize].coarse_patch;
        let by_coarse = PatchLists::sorted(numbers.iter(), plan.num_coarse_patches, coarse_patch);
        ListedFaces { plan, slots, by_coarse }
    }

    /// All faces.
    pub fn slots(&self) -> &[FaceSlot<D>] {
        self.slots.all()
    }

    /// Slots of a fine patch.
    pub fn fine_range(&self, patch: usize) -> Range<usize> {
        self.slots.range(patch)
    }

    /// Numbers of the slots beside a coarse patch's cells.
    pub fn of_coarse_patch(&self, patch: usize) -> &[u32] {
        self.by_coarse.of(patch)
    }

    /// Numbers of the slots beside a cell of a coarse patch, if they have been listed by cell.
    pub fn of_cell(&self, patch: usize, cell: CellIndex<D>) -> impl Iterator<Item = u32> {
        let (all, slots) = (self.slots(), self.of_coarse_patch(patch));
        let at = slots.partition_point(|&slot| all[slot as usize].coarse_cell < cell);
        slots[at..].iter().copied().take_while(move |&slot| all[slot as usize].coarse_cell == cell)
    }

    /// Whether fine patches cover what lies on a side of a cell of a coarse patch that they do not cover.
    pub fn cover_beside(&self, patch: usize, cell: CellIndex<D>, (d, side): (usize, Side)) -> bool {
        let mut faces = self.of_cell(patch, cell).map(|slot| &self.slots()[slot as usize]);
        faces.any(|face| face.axis.index() == d && face.coarse_side != side)
    }

    /// Fine ghost cells of a slot, in the order of their fine faces.
    pub fn fine_ghosts(&self, slot: &FaceSlot<D>) -> CellBox<D> {
        let mut hi = slot.fine_ghost;
        for d in 0..D {
            hi[d] += if d == slot.axis.index() { 1 } else { self.plan.ratio.0[d] };
        }
        CellBox::new(slot.fine_ghost, hi)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::LevelMesh;
    use crate::plan::faces_between;

    /// The faces found are those of a search cell by cell, across periodic sides too, each once.
    #[test]
    fn faces_agree_with_a_search_of_all_cells() {
        let ratio = Ratio([2, 4]);
        let domain = CellBox::new([0, 0], [11, 8]);
        let fine_domain = domain.fine_from_coarse(ratio);
        let halves = [CellBox::new([0, 0], [4, 8]), CellBox::new([4, 0], [11, 8])];
        let coarse = LevelMesh::new(domain, [true, false], halves.to_vec());
        let covered = [CellBox::new([0, 2], [3, 5]), CellBox::new([3, 2], [5, 4]), CellBox::new([9, 4], [10, 8])];
        let fine = covered.map(|c| c.fine_from_coarse(ratio)).to_vec();
        let plan = faces_between(&coarse, &LevelMesh::new(fine_domain, [true, false], fine), ratio);
        let plan = ListedFaces::new(plan, false);

        let is_fine = |c: CellIndex<2>| covered.iter().any(|b| b.contains([c[0].rem_euclid(11), c[1]]));
        let mut expected = Vec::new();
        for cell in covered.iter().flat_map(CellBox::cells) {
            for axis in [Axis::X, Axis::Y] {
                for side in Side::BOTH {
                    let mut beside = cell;
                    beside[axis.index()] += side.sign();
                    if !is_fine(beside) && (0..8).contains(&beside[1]) {
                        expected.push(([beside[0].rem_euclid(11), beside[1]], axis, side));
                    }
                }
            }
        }
        let mut found: Vec<_> = plan.slots().iter().map(|s| (s.coarse_cell, s.axis, s.coarse_side)).collect();
        expected.sort_unstable();
        found.sort_unstable();
        assert_eq!(found, expected);
        for slot in plan.slots() {
            assert!(halves[slot.coarse_patch as usize].contains(slot.coarse_cell));
            assert_eq!(plan.fine_ghosts(slot).volume() as i32, ratio.faces(slot.axis.index()));
        }
        assert_eq!((0..2).map(|k| plan.of_coarse_patch(k).len()).sum::<usize>(), expected.len());
        let fine_faces: Vec<_> = plan.slots().iter().map(|s| (s.first_fine, ratio.faces(s.axis.index()))).collect();
        assert!(fine_faces.windows(2).all(|pair| pair[1].0 == pair[0].0 + pair[0].1 as u32), "{fine_faces:?}");
    }
}
