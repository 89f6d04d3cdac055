//! Ghost cells: same level, coarser level, physical boundary.

use super::fill::FillPlan;
use super::neighbours::{Neighbours, PlanInput};
use super::patch_lists::PatchLists;
use super::region::{Region, interpolations};
use crate::index::{CellBox, Ratio};
use crate::mesh::{LevelMesh, Partition, for_each_within};
use riemann::axis::{Axis, Side};
use std::ops::Deref;

/// Cells of the next coarser level that must lie between a patch and that level's edge, so that the patch's ghost
/// cells lie over that level: `⌈num_ghost / ratio⌉`, with the smallest ratio, at most 2.
///
/// The slopes for interpolation read one more coarse cell, which may be a ghost cell of the coarser level: its ghost
/// cells are filled at both its old and its new time.
pub fn nesting_width<const D: usize>(num_ghost: i32, ratios: &[Ratio<D>]) -> i32 {
    let least = ratios.iter().flat_map(|ratio| ratio.0).fold(2, i32::min);
    (num_ghost + least - 1) / least
}

/// Ghost cells beyond one side of the domain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BoundaryRegion<const D: usize> {
    /// The patch.
    pub target: u32,
    /// Cells written; all lie outside the domain along `axis`.
    pub cells: CellBox<D>,
    /// Normal of the domain's side.
    pub axis: Axis,
    /// Which side.
    pub side: Side,
}

/// Regions that fill one level's ghost cells, sorted by destination patch: those of a [`FillPlan`] from the same and from the coarser level,
/// and those outside the domain.
///
/// Invariant: every ghost cell is written by exactly one region. Boundary regions come in the order of their axes and
/// read cells that earlier regions have written.
#[derive(Clone, Debug, Default)]
pub struct GhostPlan<const D: usize> {
    inside: FillPlan<D>,
    /// Ghost cells of each patch outside the domain.
    pub boundaries: PatchLists<BoundaryRegion<D>>,
}

impl<const D: usize> Deref for GhostPlan<D> {
    type Target = FillPlan<D>;

    fn deref(&self) -> &FillPlan<D> {
        &self.inside
    }
}

impl<const D: usize> GhostPlan<D> {
    /// An empty plan with capacity for `patches` patches with a typical number of neighbours.
    pub(super) fn with_capacity(patches: usize) -> Self {
        GhostPlan {
            inside: FillPlan::with_capacity(patches, [8, 6]),
            boundaries: PatchLists::with_capacity(patches, 0),
        }
    }

    /// Concatenates the plans of consecutive runs of patches.
    pub(super) fn join(parts: Vec<Self>) -> Self {
        let boundaries = PatchLists::join(parts.iter().map(|part| &part.boundaries));
        GhostPlan { inside: FillPlan::join(parts.into_iter().map(|part| part.inside).collect()), boundaries }
    }

    /// Plans the ghost cells of the next patch. True if patches of its own level cover all of its ghost cells inside the domain.
    pub(super) fn add_patch(&mut self, k: usize, input: &PlanInput<'_, D>, neighbours: &mut Neighbours<D>) -> bool {
        let patch = &input.mesh.patches()[k];
        let target = k as u32;
        let grown = patch.grow(input.num_ghost);
        self.add_boundaries(target, &grown, input.mesh);
        let inside = input.mesh.inside_domain(&grown);
        let Neighbours { beside, under, cover, rim, .. } = neighbours;
        let mut open = inside.volume() - patch.volume();
        for_each_within(beside, &inside, |image| {
            open -= image.part.volume();
            self.inside.copies.push(Region::of_image(target, &image));
        });
        if let Some((_, ratio)) = input.coarser.filter(|_| open > 0) {
            rim.clear();
            inside.subtract_into(patch, rim);
            for region in rim {
                cover.find_among(beside, region);
                cover
                    .open
                    .iter()
                    .for_each(|cells| interpolations(under, ratio, target, cells, &mut self.inside.interps));
            }
        }
        self.skip_patch();
        open == 0
    }

    /// Plans nothing for the next patch.
    pub(super) fn skip_patch(&mut self) {
        self.inside.end_patch();
        self.boundaries.end_patch();
    }

    /// Adds the ghost cells outside the domain. A region extends over all ghost cells along axes before its own, and stays
    /// within the domain along later ones, so that corners are written once, by the last axis.
    fn add_boundaries(&mut self, target: u32, grown: &CellBox<D>, mesh: &LevelMesh<D>) {
        let domain = mesh.domain();
        for (d, axis) in Axis::ALL.into_iter().enumerate().take(D).filter(|&(d, _)| !mesh.periodic()[d]) {
            let mut within = *grown;
            for later in (d + 1..D).filter(|&later| !mesh.periodic()[later]) {
                within.lo[later] = within.lo[later].max(domain.lo[later]);
                within.hi[later] = within.hi[later].min(domain.hi[later]);
            }
            for side in Side::BOTH {
                let mut cells = within;
                match side {
                    Side::Lower => cells.hi[d] = cells.hi[d].min(domain.lo[d]),
                    Side::Upper => cells.lo[d] = cells.lo[d].max(domain.hi[d]),
                }
                if !cells.is_empty() {
                    self.boundaries.push(BoundaryRegion { target, cells, axis, side });
                }
            }
        }
    }

    /// The part of one rank in the plans of a run of patches. `own`: owners of the patches; `coarser`: of the next coarser level's.
    pub(super) fn split(mut self, rank: usize, own: &Partition, coarser: Option<&Partition>) -> Self {
        let inside = self.inside.split(rank, [own, own, coarser.unwrap_or(own)]);
        self.boundaries.retain(|region| own.owner(region.target as usize) == rank);
        GhostPlan { inside, boundaries: self.boundaries }
    }
}

#[cfg(test)]
mod tests {
    use super::super::build::BuiltPlans;
    use super::super::outside::{OutsidePart, OutsideParts};
    use super::*;
    use crate::index::Repeats;
    use crate::mesh::Beyond;
    use proptest::prelude::*;
    use std::collections::HashMap;

    /// Cuts a domain into a checkerboard of patches and keeps some.
    fn some_patches<const D: usize>(domain: CellBox<D>, piece: i32, keep: &[bool]) -> Vec<CellBox<D>> {
        let blocks = domain.coarse_from_fine(Ratio::uniform(piece));
        let chosen = blocks.cells().zip(keep.iter().cycle()).filter(|(_, keep)| **keep);
        chosen.map(|(c, _)| CellBox::cell(c).fine_from_coarse(Ratio::uniform(piece)).intersect(&domain)).collect()
    }

    fn every_ghost_cell_once<const D: usize>(
        cells: [i32; D],
        repeats: impl Into<Repeats<D>>,
        keep: &[bool],
        ratio: i32,
        num_ghost: i32,
    ) {
        let (repeats, coarse_domain) = (repeats.into(), CellBox::new([0; D], cells));
        let coarse = LevelMesh::new(coarse_domain, repeats, some_patches(coarse_domain, 5, &[true]));
        let ratio = Ratio::uniform(ratio);
        let domain = coarse_domain.fine_from_coarse(ratio);
        let patches = some_patches(domain, 4 * ratio.0[0], keep);
        let mesh = LevelMesh::new(domain, repeats, patches);
        let coarser = Some((&coarse, ratio));
        let input = PlanInput { mesh: &mesh, coarser, transfer: false, old: None, num_ghost, conservation_fix: false };
        let plan = BuiltPlans::new(input).ghost;
        // `OutsideParts::new` asserts that each cell outside has exactly one origin.
        let sides =
            repeats.axes.map(|periodic| if periodic { [Beyond::Periodic; 2] } else { [Beyond::Wall, Beyond::Nearest] });
        let outside = OutsideParts::new(&plan, &mesh, &sides);
        let turned = |list: &PatchLists<Region<D>>| list.all().iter().filter(|region| region.shift.turned).count();
        let beyond = |parts: &[OutsidePart<D>]| parts.iter().filter(|part| part.origins[0].scale == -1).count();
        if repeats.folded.is_some() {
            assert_eq!(
                [turned(&plan.copies), turned(&plan.interps)],
                [&outside.copies, &outside.interps].map(|p| beyond(p))
            );
        }
        for (k, patch) in mesh.patches().iter().enumerate() {
            let mut written = HashMap::new();
            let regions = plan.copies.of(k).iter().map(|r| r.cells);
            let regions = regions.chain(plan.interps.of(k).iter().map(|r| r.cells));
            for cells in regions.chain(plan.boundaries.of(k).iter().map(|r| r.cells)) {
                cells.cells().for_each(|c| *written.entry(c).or_insert(0) += 1);
            }
            for cell in patch.grow(num_ghost).cells() {
                let times = written.get(&cell).copied().unwrap_or(0);
                assert_eq!(times, i32::from(!patch.contains(cell)), "{cell:?} of {patch:?}");
            }
            for copy in plan.copies.of(k) {
                let source = mesh.patches()[copy.source as usize];
                assert!(source.contains_box(&copy.shift.source_box(&copy.cells)));
            }
        }
    }

    const FOLDED: Repeats<2> = Repeats { axes: [true; 2], folded: Some(1) };

    proptest! {
        /// Every ghost cell is written exactly once, in 1, 2 and 3 dimensions, whatever sides are periodic or folded.
        #[test]
        fn ghost_cells_are_written_once(
            keep in proptest::collection::vec(any::<bool>(), 4..23),
            periodic in any::<[bool; 3]>(),
            ratio in prop_oneof![Just(2), Just(4)],
        ) {
            prop_assume!(keep.iter().any(|k| *k));
            every_ghost_cell_once([23], [periodic[0]], &keep, ratio, 2);
            every_ghost_cell_once([13, 9], [periodic[0], periodic[1]], &keep, ratio, 2);
            every_ghost_cell_once([14, 9], FOLDED, &keep, ratio, 2);
            every_ghost_cell_once([7, 6, 5], periodic, &keep, ratio, 2);
        }

        /// Every ghost cell is written once in domains narrower than their ghost cells, where a patch is its own neighbour more than once.
        #[test]
        fn ghost_cells_of_narrow_domains_are_written_once(
            cells in [1..6i32, 1..6i32, 1..6i32],
            periodic in any::<[bool; 3]>(),
            ratio in 2..4i32,
            num_ghost in 2..7i32,
        ) {
            every_ghost_cell_once([cells[0]], [periodic[0]], &[true], ratio, num_ghost);
            every_ghost_cell_once([cells[0], cells[1]], [periodic[0], periodic[1]], &[true], ratio, num_ghost);
            every_ghost_cell_once([2 * cells[0], cells[1]], FOLDED, &[true], ratio, num_ghost);
            every_ghost_cell_once(cells, periodic, &[true], ratio, num_ghost);
        }
    }
}
