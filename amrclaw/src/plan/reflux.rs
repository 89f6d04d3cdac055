//! Faces between a fine level and the coarse cells beside it: where the conservation fix acts.

use super::around::Around;
use super::patch_lists::{PatchLists, in_parts};
use crate::index::{CellBox, CellIndex, Ratio};
use crate::mesh::{LevelMesh, for_each_within};
use riemann::axis::{Axis, Side};
use std::ops::Range;

/// Coarse faces in a row at the edge of a fine patch, beside one coarse patch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct FaceRun<const D: usize> {
    /// Coarse patch that holds the cells beside the fine patch.
    pub coarse_patch: u32,
    /// Fine patch.
    pub fine_patch: u32,
    /// Normal of the faces.
    pub axis: Axis,
    /// Side of the faces on which the coarse cells lie.
    pub coarse_side: Side,
    /// The coarse cells, one for each face, in the coordinates of the coarse level continued from the fine patch.
    pub cells: CellBox<D>,
    /// `cell − shift` is the cell's place in the coarse patch; zero but across periodic sides.
    pub shift: CellIndex<D>,
    /// Number of the first face; the others follow, first axis fastest.
    pub first_slot: u32,
    /// Number of the first fine face; each coarse face has `ratio.faces(axis)` of them, one coarse face's after another.
    pub first_fine: u32,
}

impl<const D: usize> FaceRun<D> {
    /// The faces one by one.
    fn slots(&self, ratio: Ratio<D>) -> impl Iterator<Item = FaceSlot<D>> {
        let faces = ratio.faces(self.axis.index()) as u32;
        self.cells.cells().zip(0..).map(move |(cell, n)| {
            let under = CellBox::cell(cell).fine_from_coarse(ratio);
            let mut fine_ghost = under.lo;
            if self.coarse_side == Side::Lower {
                fine_ghost[self.axis.index()] = under.hi[self.axis.index()] - 1;
            }
            FaceSlot {
                coarse_patch: self.coarse_patch,
                coarse_cell: std::array::from_fn(|d| cell[d] - self.shift[d]),
                fine_patch: self.fine_patch,
                fine_ghost,
                axis: self.axis,
                coarse_side: self.coarse_side,
                first_fine: self.first_fine + n * faces,
            }
        })
    }
}

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

/// All faces between two levels, sorted by fine patch, then by axis and side: in runs, and on demand one by one.
#[derive(Clone, Debug)]
pub struct RefluxPlan<const D: usize> {
    /// Ratio between the levels.
    pub ratio: Ratio<D>,
    runs: PatchLists<FaceRun<D>>,
    num_coarse_patches: usize,
    num_slots: usize,
    num_fine: usize,
    /// Faces one by one, by fine patch; their numbers by coarse patch. Without patches until asked for.
    slots: PatchLists<FaceSlot<D>>,
    by_coarse: PatchLists<u32>,
}

impl<const D: usize> RefluxPlan<D> {
    /// Puts the runs of fine patches one after another, and numbers their faces.
    pub(super) fn join(parts: Vec<FaceRuns<D>>, coarse: &LevelMesh<D>, ratio: Ratio<D>) -> Self {
        let mut runs = PatchLists::join(parts.iter().map(|part| &part.0));
        let (mut num_slots, mut num_fine) = (0, 0);
        for run in runs.all_mut() {
            (run.first_slot, run.first_fine) = (num_slots as u32, num_fine as u32);
            num_slots += run.cells.volume();
            num_fine += run.cells.volume() * ratio.faces(run.axis.index()) as usize;
        }
        let (slots, by_coarse) = (PatchLists::default(), PatchLists::default());
        RefluxPlan { ratio, runs, num_coarse_patches: coarse.patches().len(), num_slots, num_fine, slots, by_coarse }
    }

    /// Adds the lists of single faces, for executors that work through them one by one.
    pub fn with_slots(mut self) -> Self {
        let parts = in_parts(self.runs.num_patches(), |patches| {
            let mut slots = PatchLists::default();
            for k in patches {
                self.runs.of(k).iter().for_each(|run| run.slots(self.ratio).for_each(|slot| slots.push(slot)));
                slots.end_patch();
            }
            slots
        });
        self.slots = PatchLists::join(parts.iter());
        let numbers: Vec<u32> = (0..self.num_slots as u32).collect();
        let slots = self.slots.all();
        self.by_coarse =
            PatchLists::sorted(numbers.iter(), self.num_coarse_patches, |&slot| slots[slot as usize].coarse_patch);
        self
    }

    /// Runs of faces, by fine patch.
    pub fn runs(&self) -> &PatchLists<FaceRun<D>> {
        &self.runs
    }

    /// Number of faces.
    pub fn num_slots(&self) -> usize {
        self.num_slots
    }

    /// Number of fine faces.
    pub fn num_fine(&self) -> usize {
        self.num_fine
    }

    /// All faces one by one, once [`RefluxPlan::with_slots`] has listed them.
    pub fn slots(&self) -> &[FaceSlot<D>] {
        debug_assert_eq!(self.slots.all().len(), self.num_slots, "single faces have not been asked for");
        self.slots.all()
    }

    /// Number of fine patches.
    pub fn num_fine_patches(&self) -> usize {
        self.runs.num_patches()
    }

    /// Slots of a fine patch.
    pub fn fine_range(&self, patch: usize) -> Range<usize> {
        self.slots.range(patch)
    }

    /// Numbers of the slots beside a coarse patch's cells.
    pub fn of_coarse_patch(&self, patch: usize) -> &[u32] {
        self.by_coarse.of(patch)
    }

    /// Number of coarse patches.
    pub fn num_coarse_patches(&self) -> usize {
        self.num_coarse_patches
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

/// Runs of faces of fine patches, not yet numbered.
pub(super) struct FaceRuns<const D: usize>(PatchLists<FaceRun<D>>);

impl<const D: usize> FaceRuns<D> {
    /// No runs, with room for those of so many patches.
    pub fn with_room(patches: usize) -> Self {
        FaceRuns(PatchLists::with_room(patches, 5))
    }

    /// Finds the faces between the next fine patch, which covers these coarse cells, and coarse cells that its level does
    /// not cover. `None`: there are none, since other patches enclose it.
    pub fn add_patch(&mut self, k: usize, covered: Option<&CellBox<D>>, ratio: Ratio<D>, around: &mut Around<D>) {
        let Some(covered) = covered else { return self.0.end_patch() };
        let Around { beside, under, cover, .. } = around;
        for axis in Axis::ALL.into_iter().take(D) {
            for coarse_side in Side::BOTH {
                cover.find_among(beside, &strip_beside(covered, axis, coarse_side).fine_from_coarse(ratio));
                for open in &cover.open {
                    for_each_within(under, &open.coarse_from_fine(ratio), |image| {
                        self.0.push(FaceRun {
                            coarse_patch: image.patch as u32,
                            fine_patch: k as u32,
                            axis,
                            coarse_side,
                            cells: image.part,
                            shift: image.shift,
                            first_slot: 0,
                            first_fine: 0,
                        });
                    });
                }
            }
        }
        self.0.end_patch();
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

/// The plan of the faces between two levels, with single faces.
#[cfg(test)]
pub(super) fn faces_between<const D: usize>(
    coarse: &LevelMesh<D>,
    mesh: &LevelMesh<D>,
    ratio: Ratio<D>,
) -> RefluxPlan<D> {
    use super::around::{JoiningPlans, LevelSight};
    let coarser = Some((coarse, ratio));
    let sight = LevelSight { mesh, coarser, transfer: false, old: None, num_ghost: 2, conservation_fix: true };
    JoiningPlans::new(sight).reflux.expect("asked for").with_slots()
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
        let plan = faces_between(&coarse, &LevelMesh::new(fine_domain, [true, false], fine), ratio);

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
