//! Regions in which refinement is forced or forbidden.

use super::shape::{OVERLAP, Shape};
use crate::exec::FlagRegion;
use crate::index::{CellBox, Level};
use crate::mesh::{Bins, Hierarchy, LevelMesh, TagSet};
use std::sync::Arc;

/// Where and when which levels are allowed.
#[derive(Clone, Debug)]
pub struct RefinementRegion<const D: usize> {
    /// The coarsest level allowed: the region is refined at least up to here.
    pub coarsest: Level,
    /// The finest level allowed.
    pub finest: Level,
    /// Where.
    pub place: RegionPlace<D>,
    /// First and last time at which the region is active.
    pub time: [f64; 2],
}

/// Where a region is.
#[derive(Clone, Debug)]
pub enum RegionPlace<const D: usize> {
    /// Between two corners, in computational coordinates.
    Box {
        /// Lower corner.
        lower: [f64; D],
        /// Upper corner.
        upper: [f64; D],
    },
    /// Any shape, in physical coordinates.
    Shape(Arc<Shape<D>>),
}

/// The cell that a position lies in; a cell outside of every domain for positions that are too far away.
fn index(x: f64) -> i32 {
    const FARTHEST: i32 = i32::MAX - 1;
    x.floor().clamp(-f64::from(FARTHEST), f64::from(FARTHEST)) as i32
}

impl<const D: usize> RefinementRegion<D> {
    fn cells(&self, hierarchy: &Hierarchy<D>, level: Level) -> Vec<CellBox<D>> {
        match &self.place {
            RegionPlace::Box { lower, upper } => {
                let geometry = hierarchy.geometry(level);
                let lo = geometry.in_cells(*lower).map(|x| index(x + OVERLAP));
                let hi = geometry.in_cells(*upper).map(|x| index(x - OVERLAP) + 1);
                vec![CellBox::new(lo, hi).intersect(&hierarchy.domain_box(level))]
            }
            RegionPlace::Shape(shape) => shape.cells(hierarchy, level),
        }
    }
}

impl<const D: usize> RefinementRegion<D> {
    /// True if the region holds a part of a convex cell with these corners; a face alone is none. Positions are physical.
    pub fn touches(&self, corners: &[[f64; D]]) -> bool {
        match &self.place {
            RegionPlace::Box { lower, upper } => (0..D).all(|d| {
                let low = corners.iter().map(|corner| corner[d]).fold(f64::INFINITY, f64::min);
                let high = corners.iter().map(|corner| corner[d]).fold(f64::NEG_INFINITY, f64::max);
                let overlap = OVERLAP * (high - low);
                low + overlap < upper[d] && lower[d] < high - overlap
            }),
            RegionPlace::Shape(shape) => shape.touches(corners),
        }
    }
}

/// The effects of the active regions on a level at a time, as boxes of cells.
pub fn flag_regions<const D: usize>(
    regions: &[RefinementRegion<D>],
    hierarchy: &Hierarchy<D>,
    level: Level,
    time: f64,
) -> Vec<FlagRegion<D>> {
    let active = regions.iter().filter(|r| r.time[0] <= time && time <= r.time[1]).flat_map(|r| {
        let (forces, forbids) = (r.coarsest > level, r.finest <= level);
        r.cells(hierarchy, level).into_iter().map(move |cells| FlagRegion { cells, forces, forbids })
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
    let cells = |is_wanted: fn(&FlagRegion<D>) -> bool| -> Vec<CellBox<D>> {
        regions.iter().filter(|region| is_wanted(region)).map(|region| region.cells).collect()
    };
    let (mut forbidden, mut allowed) = (TagSet::new(mesh.domain()), TagSet::new(mesh.domain()));
    forbidden.insert_boxes(&cells(|region| region.forbids));
    allowed.insert_boxes(&cells(|region| !region.forbids));
    forbidden.subtract(&allowed);
    tags.subtract(&forbidden);
    let forced = cells(|region| region.forces);
    let bins = Bins::new(&forced);
    let mut parts = Vec::new();
    for (_, patch) in mesh.patches().iter().enumerate().filter(|(k, _)| is_own(*k)) {
        bins.for_each_in(&forced, patch, |_, part| parts.push(part));
    }
    tags.insert_boxes(&parts);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::index::Ratio;
    use crate::mesh::Domain;

    /// Corners far outside of the domain, as unbounded regions have them, cover it on every level.
    #[test]
    fn far_corners_cover_the_domain() {
        let domain = Domain { lower: [0.0, -1.0], upper: [1.0, 1.0], cells: [10, 20], repeats: [false; 2].into() };
        let coarsest = vec![domain.coarsest()];
        let hierarchy = Hierarchy::new(domain, vec![Ratio([2, 4])], coarsest);
        let (coarsest, finest, time) = (Level(1), Level(1), [0.0, 1.0]);
        for far in [2.0, 1e10, 1e300, f64::MAX] {
            let place = RegionPlace::Box { lower: [-far; 2], upper: [far; 2] };
            let region = RefinementRegion { coarsest, finest, place, time };
            for level in [Level(0), Level(1)] {
                assert_eq!(region.cells(&hierarchy, level), [hierarchy.domain_box(level)], "{far:e}");
            }
        }
    }
}
