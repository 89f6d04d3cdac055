//! Tiles: the units of work of the update, with the faces whose fluxes they keep.

use super::faces::ListedFaces;
use super::tile::{PatchOrder, Tile};
use crate::fields::LevelLayout;
use crate::index::{CellBox, CellIndex};
use crate::threads::parallel_chunks;
use riemann::axis::Axis;
use riemann::patch::{KeptFace, SPACE_TILE, TILE_COLUMNS, TILE_PLANES, TILE_ROWS};
use std::ops::Range;

/// Tiles of all patches of a level, and the faces whose fluxes they keep.
///
/// Slots below `num_fine` are fine faces of the reflux plan to the coarser level; slots from there on are the coarse
/// faces of the reflux plan of the finer level.
#[derive(Clone, Debug, Default)]
pub(super) struct TilePlan {
    /// The tiles, large ones first so that threads end together.
    pub tiles: Vec<Tile>,
    /// The faces whose fluxes the tiles keep, one tile's after another.
    pub kept: Vec<KeptFace>,
    /// Slots at this level's own edge.
    pub num_fine: usize,
    /// Slots at the finer level's edge.
    pub num_coarse: usize,
    /// Threads take whole patches, so that a step may be done in place: no patch reads what another writes.
    pub whole_patches: bool,
    /// The order in which they take them, where patches have several tiles.
    pub turns: PatchOrder,
}

/// Patches are not cut along their last axis if, taken whole, they give no thread more than this multiple of the mean work: each cut costs
/// three rows of faces that both tiles solve, and a second array for the new state.
const UNEVEN: f64 = 1.04;

/// True if the threads' loads are even when each thread that is free takes the largest patch left.
fn whole_patches_are_even(mut sizes: Vec<usize>, threads: usize) -> bool {
    sizes.sort_unstable_by_key(|&size| std::cmp::Reverse(size));
    let mut loads = vec![0; threads];
    for size in &sizes {
        if let Some(least) = loads.iter_mut().min() {
            *least += size;
        }
    }
    let longest = loads.into_iter().max().unwrap_or(0);
    longest as f64 * threads as f64 <= UNEVEN * sizes.iter().sum::<usize>() as f64
}

impl TilePlan {
    /// Cuts the level's patches into tiles and gives each tile the faces that it keeps. `split`: the axes are swept one by one.
    /// `threads`: how many share the tiles.
    pub fn new<const D: usize>(
        layout: &LevelLayout<D>,
        own: Option<&ListedFaces<D>>,
        finer: Option<&ListedFaces<D>>,
        split: bool,
        threads: usize,
    ) -> Self {
        let sizes: Vec<_> = layout.here().map(|(_, patch)| patch.cells.volume()).collect();
        let num_patches = sizes.len();
        let even = whole_patches_are_even(sizes, threads);
        let in_space = D > 2 && !split;
        let largest = largest_tile(D, in_space, even);
        let num_fine = own.map_or(0, |faces| faces.plan.num_fine);
        let num_coarse = finer.map_or(0, |faces| faces.plan.num_slots);
        let parts = parallel_chunks(layout.patches.len(), |patches| {
            let mut part = TilePlan::default();
            for k in patches.filter(|&k| layout.patches[k].is_local) {
                let patch = &layout.patches[k].cells;
                let mut kept = own.map_or(Vec::new(), |reflux| fine_faces(reflux, k, patch));
                if let Some(reflux) = finer {
                    kept.extend(coarse_faces(reflux, k, patch, num_fine as u32));
                }
                let size = std::array::from_fn(|d| patch.size().get(d).copied().unwrap_or(1));
                for (lo, hi) in pieces([0; 3], size, largest) {
                    let last = std::array::from_fn(|d| hi[d] == size[d]);
                    let order = if in_space { Order::Space } else { Order::Rows { split } };
                    let kept = append_faces(&mut part.kept, &kept, lo, hi, last, order);
                    part.tiles.push(Tile { patch: k as u32, lo, hi, kept });
                }
            }
            part
        });
        let mut plan = TilePlan { num_fine, num_coarse, ..TilePlan::default() };
        for mut part in parts {
            let start = plan.kept.len();
            let moved = |kept: &Range<usize>| start + kept.start..start + kept.end;
            plan.tiles.extend(part.tiles.iter().map(|tile| Tile { kept: tile.kept.each_ref().map(moved), ..*tile }));
            plan.kept.append(&mut part.kept);
        }
        let size = |t: &Tile| (0..3).map(|d| (t.hi[d] - t.lo[d]) as usize).product::<usize>();
        plan.tiles.sort_by_key(|t| std::cmp::Reverse(size(t)));
        if in_space && even {
            plan.turns = PatchOrder::new(&plan.tiles, layout);
        }
        plan.whole_patches = if in_space { even } else { plan.tiles.len() == num_patches };
        plan
    }

    /// Number of slots.
    pub fn num_slots(&self) -> usize {
        self.num_fine + self.num_coarse
    }
}

/// Cells of the largest tiles along each axis. `in_space`: three axes are swept at once; `whole`: patches are not cut for
/// threads to share.
pub(super) fn largest_tile(dim: usize, in_space: bool, whole: bool) -> [i32; 3] {
    if in_space {
        return [SPACE_TILE[0] as i32, SPACE_TILE[1] as i32, i32::MAX];
    }
    let mut largest = [TILE_COLUMNS as i32, i32::MAX, i32::MAX];
    if !whole && dim > 1 {
        largest[dim - 1] = if dim > 2 { TILE_PLANES } else { TILE_ROWS } as i32;
    }
    largest
}

/// Cuts a block of cells into tiles, first axis fastest.
pub(super) fn pieces(lo: [i32; 3], hi: [i32; 3], largest: [i32; 3]) -> Vec<([i32; 3], [i32; 3])> {
    let cuts = |d: usize| {
        let end = move |from: i32| (from, hi[d].min(from.saturating_add(largest[d])));
        (lo[d]..hi[d]).step_by(largest[d] as usize).map(end)
    };
    let mut boxes = Vec::new();
    for (z_lo, z_hi) in cuts(2) {
        for (y_lo, y_hi) in cuts(1) {
            boxes.extend(cuts(0).map(|(x_lo, x_hi)| ([x_lo, y_lo, z_lo], [x_hi, y_hi, z_hi])));
        }
    }
    boxes
}

/// In which order an update completes faces.
#[derive(Clone, Copy, PartialEq)]
enum Order {
    /// Row by row of each plane; a list for each axis where axes are swept one by one.
    Rows { split: bool },
    /// Plane by plane, one behind: three axes at once.
    Space,
}

/// A face below `cell`, in coordinates of the patch.
fn local<const D: usize>(cell: CellIndex<D>, patch: &CellBox<D>) -> [i32; 3] {
    std::array::from_fn(|d| if d < D { cell[d] - patch.lo[d] } else { 0 })
}

fn fine_faces<const D: usize>(reflux: &ListedFaces<D>, k: usize, patch: &CellBox<D>) -> Vec<KeptFace> {
    let mut kept = Vec::new();
    for slot in &reflux.slots()[reflux.fine_range(k)] {
        for (n, ghost) in reflux.fine_ghosts(slot).cells().enumerate() {
            // The ghost cell lies on the face's coarse side; a kept face is named by the cell above it.
            let mut cell = local(ghost, patch);
            cell[slot.axis.index()] += i32::from(slot.coarse_side == riemann::axis::Side::Lower);
            kept.push(KeptFace {
                cell,
                axis: slot.axis,
                seen_from: slot.coarse_side,
                slot: slot.first_fine + n as u32,
            });
        }
    }
    kept
}

fn coarse_faces<const D: usize>(reflux: &ListedFaces<D>, k: usize, patch: &CellBox<D>, first: u32) -> Vec<KeptFace> {
    let numbers = reflux.of_coarse_patch(k).iter();
    let face = |&number: &u32| {
        let slot = &reflux.slots()[number as usize];
        let mut cell = local(slot.coarse_cell, patch);
        cell[slot.axis.index()] += i32::from(slot.own_side() == riemann::axis::Side::Lower);
        KeptFace { cell, axis: slot.axis, seen_from: slot.own_side(), slot: first + number }
    };
    numbers.map(face).collect()
}

/// Appends the faces that belong to a tile, in the order in which the update completes them. A face between two
/// tiles belongs to the upper one; a patch's last faces belong to its last tiles.
fn append_faces(
    all: &mut Vec<KeptFace>,
    faces: &[KeptFace],
    lo: [i32; 3],
    hi: [i32; 3],
    last: [bool; 3],
    order: Order,
) -> [Range<usize>; 3] {
    let in_tile = |face: &&KeptFace| {
        (0..3).all(|d| {
            let end = hi[d] + i32::from(d == face.axis.index() && last[d]);
            lo[d] <= face.cell[d] && face.cell[d] < end
        })
    };
    Axis::ALL.map(|axis| {
        let start = all.len();
        let in_sweep = |face: &&KeptFace| match order {
            Order::Rows { split: true } => face.axis == axis,
            _ => axis == Axis::X,
        };
        all.extend(faces.iter().filter(in_tile).filter(in_sweep));
        all[start..].sort_by_key(|face| (face.complete_at(order == Order::Space), face.axis, face.cell, face.slot));
        start..all.len()
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::index::Ratio;
    use crate::mesh::LevelMesh;
    use crate::plan::faces_between;

    /// One thread, or many patches, need no cuts; one patch for two threads does, and so does one that outweighs the rest.
    #[test]
    fn cuts_are_made_where_threads_would_wait() {
        assert!(whole_patches_are_even(vec![100], 1));
        assert!(!whole_patches_are_even(vec![100], 2));
        assert!(whole_patches_are_even(vec![10, 50, 25, 50, 10, 25], 2));
        assert!(!whole_patches_are_even(vec![100, 40, 30], 2));
    }

    /// Tiles cover each patch once, and every face of the reflux plan is kept once on either level.
    #[test]
    fn tiles_and_kept_faces_cover_everything_once() {
        let ratio = Ratio([2, 2]);
        let domain = CellBox::new([0, 0], [150, 131]);
        let coarse = LevelMesh::new(domain, [false, true], vec![domain]);
        let covered = [CellBox::new([0, 0], [75, 131]), CellBox::new([80, 10], [81, 11])];
        let fine = LevelMesh::new(
            domain.fine_from_coarse(ratio),
            [false, true],
            covered.map(|c| c.fine_from_coarse(ratio)).to_vec(),
        );
        let reflux = ListedFaces::new(faces_between(&coarse, &fine, ratio), false);
        let fine_plan = TilePlan::new(&LevelLayout::new(&fine, 2), Some(&reflux), None, false, 2);
        let coarse_plan = TilePlan::new(&LevelLayout::new(&coarse, 2), None, Some(&reflux), true, 1);

        let area = |t: &Tile| (0..3).map(|d| (t.hi[d] - t.lo[d]) as usize).product::<usize>();
        assert_eq!(fine_plan.tiles.iter().map(area).sum::<usize>(), fine.num_cells());
        let mut slots: Vec<_> = fine_plan.kept.iter().map(|t| t.slot as usize).collect();
        slots.sort_unstable();
        assert_eq!(slots, (0..reflux.plan.num_fine).collect::<Vec<_>>());
        let mut slots: Vec<_> = coarse_plan.kept.iter().map(|t| t.slot as usize).collect();
        slots.sort_unstable();
        assert_eq!(slots, (0..reflux.slots().len()).collect::<Vec<_>>());
    }
}
