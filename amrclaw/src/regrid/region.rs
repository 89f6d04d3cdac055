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

/// The cell that a position lies in; a cell outside of every domain for positions that are too far away.
fn index(x: f64) -> i32 {
    const FARTHEST: i32 = i32::MAX - 1;
    x.floor().clamp(-f64::from(FARTHEST), f64::from(FARTHEST)) as i32
}

impl<const D: usize> RefinementRegion<D> {
    fn cells(&self, hierarchy: &Hierarchy<D>, level: Level) -> CellBox<D> {
        let geometry = hierarchy.geometry(level);
        let lo = geometry.in_cells(self.lower).map(|x| index(x + OVERLAP));
        let hi = geometry.in_cells(self.upper).map(|x| index(x - OVERLAP) + 1);
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::index::Ratio;
    use crate::mesh::Domain;

    /// Corners far outside of the domain, as unbounded regions have them, cover it on every level.
    #[test]
    fn far_corners_cover_the_domain() {
        let domain = Domain { lower: [0.0, -1.0], upper: [1.0, 1.0], cells: [10, 20], periodic: [false; 2] };
        let coarsest = vec![domain.coarsest()];
        let hierarchy = Hierarchy::new(domain, vec![Ratio([2, 4])], coarsest);
        let (coarsest, finest, time) = (Level(1), Level(1), [0.0, 1.0]);
        for far in [2.0, 1e10, 1e300, f64::MAX] {
            let region = RefinementRegion { coarsest, finest, lower: [-far; 2], upper: [far; 2], time };
            for level in [Level(0), Level(1)] {
                assert_eq!(region.cells(&hierarchy, level), hierarchy.domain_box(level), "{far:e}");
            }
        }
    }
}
