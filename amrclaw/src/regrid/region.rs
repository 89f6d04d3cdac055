//! Boxes in which refinement is forced or forbidden.

use crate::exec::FlagRegion;
use crate::index::{CellBox, Level};
use crate::mesh::{Hierarchy, LevelMesh, TagSet};

/// A box in space and time with the coarsest and finest level allowed there.
#[derive(Clone, Debug, PartialEq)]
pub struct RefinementRegion<const D: usize> {
    /// The coarsest level allowed: the region is refined at least up to here.
    pub coarsest: Level,
    /// The finest level allowed.
    pub finest: Level,
    /// Lower corner.
    pub lower: [f64; D],
    /// Upper corner.
    pub upper: [f64; D],
    /// First and last time at which the region is active.
    pub time: [f64; 2],
}

/// A cell belongs to a region if it overlaps it by more than this fraction of the cell's width: a side that coincides with a
/// face up to round-off does not include the next cell.
const OVERLAP: f64 = 1e-7;

impl<const D: usize> RefinementRegion<D> {
    fn cells(&self, hierarchy: &Hierarchy<D>, level: Level) -> CellBox<D> {
        let geometry = hierarchy.geometry(level);
        let lo = geometry.in_cells(self.lower).map(|x| (x + OVERLAP).floor() as i32);
        let hi = geometry.in_cells(self.upper).map(|x| (x - OVERLAP).floor() as i32 + 1);
        CellBox::new(lo, hi).intersect(&hierarchy.domain_box(level))
    }
}

/// The effects of the active regions on a level at a time.
pub fn flag_regions<const D: usize>(
    regions: &[RefinementRegion<D>],
    hierarchy: &Hierarchy<D>,
    level: Level,
    time: f64,
) -> Vec<FlagRegion<D>> {
    let active = regions.iter().filter(|r| r.time[0] <= time && time <= r.time[1]).map(|r| FlagRegion {
        cells: r.cells(hierarchy, level),
        forces: r.coarsest > level,
        forbids: r.finest <= level,
    });
    active.filter(|region| !region.cells.is_empty()).collect()
}

/// Adds the tags that regions force and removes those that they forbid. Where regions overlap, the largest of their
/// coarsest levels and the largest of their finest levels apply. Tags are forced in patches for which `is_own` is true.
pub(super) fn apply<const D: usize>(
    regions: &[FlagRegion<D>],
    mesh: &LevelMesh<D>,
    is_own: impl Fn(usize) -> bool,
    tags: &mut TagSet<D>,
) {
    if regions.is_empty() {
        return;
    }
    let domain = mesh.domain();
    let (mut forbidden, mut allowed) = (TagSet::new(domain), TagSet::new(domain));
    for region in regions {
        if region.forbids { &mut forbidden } else { &mut allowed }.insert_box(&region.cells);
    }
    forbidden.subtract(&allowed);
    tags.subtract(&forbidden);
    for region in regions.iter().filter(|region| region.forces) {
        for (_, patch) in mesh.patches().iter().enumerate().filter(|(k, _)| is_own(*k)) {
            tags.insert_box(&patch.intersect(&region.cells));
        }
    }
}
