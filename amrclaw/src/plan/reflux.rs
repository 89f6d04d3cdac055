//! Faces between a fine level and the coarse cells beside it: where the conservation fix acts.

use crate::index::{CellBox, CellIndex, Ratio};
use crate::mesh::LevelMesh;
use riemann::axis::{Axis, Side};

/// One coarse face at the edge of a fine patch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FaceSlot<const D: usize> {
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
    /// Side of the face on which the coarse cell lies.
    pub coarse_side: Side,
    /// Number of the first fine face; the coarse face has `ratio.faces(axis)` of them.
    pub first_fine: u32,
}

/// All faces between two levels, sorted by fine patch, then by axis and side.
#[derive(Clone, Debug)]
pub struct RefluxPlan<const D: usize> {
    /// Ratio between the levels.
    pub ratio: Ratio<D>,
    slots: Vec<FaceSlot<D>>,
    num_fine: usize,
    /// End of each fine patch's slots.
    ends: Vec<usize>,
    /// Slot numbers sorted by coarse patch, then by slot, and the end of each coarse patch's.
    by_coarse: Vec<u32>,
    coarse_ends: Vec<usize>,
}

impl<const D: usize> RefluxPlan<D> {
    /// Finds the faces between `fine` and the cells of `coarse` that it does not cover.
    pub fn new(coarse: &LevelMesh<D>, fine: &LevelMesh<D>, ratio: Ratio<D>) -> Self {
        let mut slots = Vec::new();
        let mut ends = Vec::new();
        let mut num_fine = 0;
        for (k, patch) in fine.patches().iter().enumerate() {
            let covered = patch.coarse_from_fine(ratio);
            for axis in Axis::ALL.into_iter().take(D) {
                for side in Side::BOTH {
                    let outside = strip_beside(&covered, axis, side);
                    for image in coarse.images(&outside) {
                        for fine_cells in fine.uncovered(&image.part.fine_from_coarse(ratio)) {
                            for cell in fine_cells.coarse_from_fine(ratio).cells() {
                                let under = CellBox::cell(cell).fine_from_coarse(ratio);
                                let mut fine_ghost = under.lo;
                                if side == Side::Lower {
                                    fine_ghost[axis.index()] = under.hi[axis.index()] - 1;
                                }
                                slots.push(FaceSlot {
                                    coarse_patch: image.patch as u32,
                                    coarse_cell: std::array::from_fn(|d| cell[d] - image.shift[d]),
                                    fine_patch: k as u32,
                                    fine_ghost,
                                    axis,
                                    coarse_side: side,
                                    first_fine: num_fine as u32,
                                });
                                num_fine += ratio.faces(axis.index()) as usize;
                            }
                        }
                    }
                }
            }
            ends.push(slots.len());
        }
        let mut by_coarse: Vec<u32> = (0..slots.len() as u32).collect();
        by_coarse.sort_by_key(|&s| (slots[s as usize].coarse_patch, s));
        let patch_of = |s: &u32| slots[*s as usize].coarse_patch as usize;
        let coarse_ends =
            (0..coarse.patches().len()).map(|k| by_coarse.partition_point(|s| patch_of(s) <= k)).collect();
        RefluxPlan { ratio, slots, num_fine, ends, by_coarse, coarse_ends }
    }

    /// All faces.
    pub fn slots(&self) -> &[FaceSlot<D>] {
        &self.slots
    }

    /// Number of fine faces.
    pub fn num_fine(&self) -> usize {
        self.num_fine
    }

    /// Number of fine patches.
    pub fn num_fine_patches(&self) -> usize {
        self.ends.len()
    }

    /// Slots of a fine patch.
    pub fn fine_range(&self, patch: usize) -> std::ops::Range<usize> {
        let start = if patch == 0 { 0 } else { self.ends[patch - 1] };
        start..self.ends[patch]
    }

    /// Numbers of the slots beside a coarse patch's cells.
    pub fn of_coarse_patch(&self, patch: usize) -> &[u32] {
        let start = if patch == 0 { 0 } else { self.coarse_ends[patch - 1] };
        &self.by_coarse[start..self.coarse_ends[patch]]
    }

    /// Number of coarse patches.
    pub fn num_coarse_patches(&self) -> usize {
        self.coarse_ends.len()
    }

    /// Fine ghost cells of a slot, in the order of their fine faces.
    pub fn fine_ghosts(&self, slot: &FaceSlot<D>) -> CellBox<D> {
        let mut hi = slot.fine_ghost;
        for d in 0..D {
            hi[d] += if d == slot.axis.index() { 1 } else { self.ratio.0[d] };
        }
        CellBox::new(slot.fine_ghost, hi)
    }
}

/// The layer of cells, one thick, beside a box.
fn strip_beside<const D: usize>(cells: &CellBox<D>, axis: Axis, side: Side) -> CellBox<D> {
    let d = axis.index();
    let mut strip = *cells;
    match side {
        Side::Lower => (strip.lo[d], strip.hi[d]) = (cells.lo[d] - 1, cells.lo[d]),
        Side::Upper => (strip.lo[d], strip.hi[d]) = (cells.hi[d], cells.hi[d] + 1),
    }
    strip
}

#[cfg(test)]
mod tests {
    use super::*;

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
        let plan = RefluxPlan::new(&coarse, &LevelMesh::new(fine_domain, [true, false], fine), ratio);

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
    }
}
