//! Ghost cells outside the domain, in parts that each take their values from one source: the patch itself, or a region that fills its
//! ghost cells inside. So a device can fill all ghost cells in one launch, without dependencies between them.

use super::ghost::{BoundaryRegion, GhostPlan};
use super::region::Region;
use crate::index::{CellBox, Shift};
use crate::mesh::{AxisEnds, Beyond, LevelMesh, OriginRun};

/// Cells outside the domain that have their values from one place.
#[derive(Clone, Copy, Debug)]
pub struct OutsidePart<const D: usize> {
    /// The copy or interpolation that fills the origins of these cells, with `cells` replaced by the cells written.
    pub region: Region<D>,
    /// The origins along each axis.
    pub origins: [OriginRun; D],
}

/// All cells outside the domain of a level's patches, and those beyond folded sides.
#[derive(Clone, Debug, Default)]
pub struct OutsideParts<const D: usize> {
    /// Those that have copied values.
    pub copies: Vec<OutsidePart<D>>,
    /// Those that have interpolated values.
    pub interps: Vec<OutsidePart<D>>,
}

impl<const D: usize> OutsideParts<D> {
    /// Finds the sources of all ghost cells outside the domain. `sides`: what lies beyond the lower and the upper side along each
    /// axis.
    pub fn new(plan: &GhostPlan<D>, mesh: &LevelMesh<D>, sides: &[[Beyond; 2]; D]) -> Self {
        let (mut copies, mut interps) = (Vec::new(), Vec::new());
        let ends = mesh.ends(sides);
        for boundary in plan.boundaries.all() {
            let (target, cells) = (boundary.target, mesh.patches()[boundary.target as usize]);
            let own = Region { target, source: target, cells, shift: Shift::NONE };
            let mut covered = 0;
            for region in std::iter::once(&own).chain(plan.copies.of(target as usize)) {
                each_part(boundary, &region.cells, &ends, |cells, origins| {
                    covered += cells.volume();
                    copies.push(OutsidePart { region: Region { cells, ..*region }, origins });
                });
            }
            for region in plan.interps.of(target as usize) {
                each_part(boundary, &region.cells, &ends, |cells, origins| {
                    covered += cells.volume();
                    interps.push(OutsidePart { region: Region { cells, ..*region }, origins });
                });
            }
            let all = boundary.cells.volume();
            assert_eq!(covered, all, "ghost cells {boundary:?} have their values from one place each");
        }
        copies.extend(plan.copies.all().iter().filter_map(beyond_fold));
        interps.extend(plan.interps.all().iter().filter_map(beyond_fold));
        OutsideParts { copies, interps }
    }

    /// As [`OutsideParts::new`] if each patch's ghost cells inside the domain are filled first: all values come from the patch itself.
    pub fn of_own(plan: &GhostPlan<D>, mesh: &LevelMesh<D>, sides: &[[Beyond; 2]; D], num_ghost: i32) -> Self {
        let (mut copies, ends) = (Vec::new(), mesh.ends(sides));
        for boundary in plan.boundaries.all() {
            let target = boundary.target;
            let inside = mesh.inside_domain(&mesh.patches()[target as usize].grow(num_ghost));
            let mut covered = 0;
            each_part(boundary, &inside, &ends, |cells, origins| {
                covered += cells.volume();
                copies.push(OutsidePart {
                    region: Region { target, source: target, cells, shift: Shift::NONE },
                    origins,
                });
            });
            assert_eq!(covered, boundary.cells.volume(), "the patch holds what {boundary:?} shows");
        }
        OutsideParts { copies, interps: Vec::new() }
    }
}

/// A region whose cells are read backwards, as cells with origins that are not: cell `−1 − i` lies in the coarser cell `−1 − ⌊i / ratio⌋`.
fn beyond_fold<const D: usize>(region: &Region<D>) -> Option<OutsidePart<D>> {
    let CellBox { lo, hi } = region.cells;
    let origins = std::array::from_fn(|d| OriginRun { lo: lo[d], hi: hi[d], scale: -1, offset: -1, walls: 0 });
    let shift = Shift { by: region.shift.by.map(|by| -1 - by), turned: false };
    region.shift.turned.then_some(OutsidePart { region: Region { shift, ..*region }, origins })
}

/// Calls `found` for boxes of the cells of a boundary region that take their values from `source`.
fn each_part<const D: usize>(
    boundary: &BoundaryRegion<D>,
    source: &CellBox<D>,
    ends: &[AxisEnds; D],
    mut found: impl FnMut(CellBox<D>, [OriginRun; D]),
) {
    let cells = boundary.cells;
    let runs: [Vec<OriginRun>; D] = std::array::from_fn(|d| ends[d].runs(cells.lo[d], cells.hi[d]).collect());
    let choices = CellBox::new([0; D], runs.each_ref().map(|runs| runs.len() as i32));
    for choice in choices.cells() {
        let origins: [OriginRun; D] = std::array::from_fn(|d| runs[d][choice[d] as usize]);
        let ranges: [_; D] = std::array::from_fn(|d| origins[d].cells_from(source.lo[d], source.hi[d]));
        let part = CellBox::new(ranges.map(|range| range[0]), ranges.map(|range| range[1]));
        if !part.is_empty() {
            found(part, origins);
        }
    }
}
