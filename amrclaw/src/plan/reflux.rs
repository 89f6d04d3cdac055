//! Faces between a fine level and the coarse cells beside it: where the conservation fix acts.

use super::exchange::{Exchange, Owners};
use super::neighbours::Neighbours;
use super::patch_lists::PatchLists;
use crate::index::{CellBox, Ratio, Shift};
use crate::mesh::{LevelMesh, Partition, for_each_within};
use riemann::axis::{Axis, Side};

/// A box of coarse faces at the edge of a fine patch, beside one coarse patch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct FaceRun<const D: usize> {
    /// Coarse patch that holds the cells beside the fine patch.
    pub coarse_patch: u32,
    /// Fine patch.
    pub fine_patch: u32,
    /// Normal of the faces.
    pub axis: Axis,
    /// Side of the faces on which the coarse cells lie, seen from the fine patch.
    pub coarse_side: Side,
    /// The coarse cells, one for each face, in the coordinates of the coarse level continued from the fine patch.
    pub cells: CellBox<D>,
    /// Where the cells lie in the coarse patch.
    pub shift: Shift<D>,
    /// Number of the first face; the others follow, first axis fastest.
    pub first_slot: u32,
    /// Number of the first fine face; each coarse face has `ratio.faces(axis)` consecutive ones.
    pub first_fine: u32,
}

/// All faces between two levels, sorted by fine patch, then by axis and side.
#[derive(Clone, Debug)]
pub struct RefluxPlan<const D: usize> {
    /// Ratio between the levels.
    pub ratio: Ratio<D>,
    /// Runs of faces, by fine patch.
    pub runs: PatchLists<FaceRun<D>>,
    /// Number of coarse patches.
    pub num_coarse_patches: usize,
    /// Number of faces.
    pub num_slots: usize,
    /// Number of fine faces.
    pub num_fine: usize,
    /// Faces between patches of this rank and of others: sent from coarse patches to fine ones, and back.
    pub exchange: Exchange<Vec<FaceRun<D>>>,
}

impl<const D: usize> RefluxPlan<D> {
    /// Concatenates the runs of fine patches, and numbers their faces.
    pub(super) fn join(parts: Vec<FaceRuns<D>>, coarse: &LevelMesh<D>, ratio: Ratio<D>) -> Self {
        Self::numbered(PatchLists::join(parts.iter().map(|part| &part.0)), coarse.patches().len(), ratio)
    }

    /// Numbers the faces of runs.
    fn numbered(mut runs: PatchLists<FaceRun<D>>, num_coarse_patches: usize, ratio: Ratio<D>) -> Self {
        let (mut num_slots, mut num_fine) = (0, 0);
        for run in runs.all_mut() {
            (run.first_slot, run.first_fine) = (num_slots as u32, num_fine as u32);
            num_slots += run.cells.volume();
            num_fine += run.cells.volume() * ratio.faces(run.axis.index()) as usize;
        }
        RefluxPlan { ratio, runs, num_coarse_patches, num_slots, num_fine, exchange: Exchange::default() }
    }

    /// One rank's part: the faces with a patch of the rank on at least one side, numbered anew. `fine`, `coarse`: owners of the levels'
    /// patches.
    pub(super) fn split(self, rank: usize, fine: &Partition, coarse: &Partition) -> Self {
        // A face is first sent from its coarse patch to its fine one.
        let owners = Owners { rank, sources: coarse, targets: fine, both: true };
        let ends = |run: &FaceRun<D>| [run.coarse_patch, run.fine_patch];
        let runs = owners.split(self.runs, &mut Exchange::<()>::default(), ends, |(), _| ());
        let mut plan = Self::numbered(runs, self.num_coarse_patches, self.ratio);
        plan.runs = owners.split(plan.runs, &mut plan.exchange, ends, |message, run| message.push(run));
        plan
    }
}

/// Runs of faces of fine patches, not yet numbered.
pub(super) struct FaceRuns<const D: usize>(PatchLists<FaceRun<D>>);

impl<const D: usize> FaceRuns<D> {
    /// No runs, with capacity for those of `patches` patches.
    pub fn with_capacity(patches: usize) -> Self {
        FaceRuns(PatchLists::with_capacity(patches, 5))
    }

    /// Adds no faces for the next fine patch.
    pub fn skip_patch(&mut self) {
        self.0.end_patch();
    }

    /// Adds the faces between the next fine patch and the coarse cells beside it that its level does not cover. `covered`: the
    /// coarse cells under the patch; `None` if other patches enclose it, so that it has no such faces.
    pub fn add_patch(
        &mut self,
        k: usize,
        covered: Option<&CellBox<D>>,
        ratio: Ratio<D>,
        neighbours: &mut Neighbours<D>,
    ) {
        let Some(covered) = covered else { return self.0.end_patch() };
        let Neighbours { beside, under, cover, .. } = neighbours;
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
