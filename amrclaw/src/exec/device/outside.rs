//! Ghost cells outside the domain, in parts that have their values from one place each: the patch itself, or what fills its
//! ghost cells inside. So one launch can fill all of them, none waiting for another.

use crate::index::CellBox;
use crate::mesh::LevelMesh;
use crate::physics::{Boundary, Problem};
use crate::plan::{BoundaryRegion, CopyRegion, GhostPlan, InterpRegion};
use cuda::amr::{BOUNDARY_EXTRAPOLATE, BOUNDARY_PERIODIC, BOUNDARY_WALL};

/// The domain's sides as the device sees them.
#[derive(Clone, Copy, Debug)]
pub(in crate::exec) struct Sides<const D: usize> {
    /// Kinds of the lower and the upper side along each axis.
    pub kinds: [[u32; 2]; D],
    /// Component that changes its sign at walls across each axis, or −1.
    pub normals: [i32; D],
}

impl<const D: usize> Sides<D> {
    /// Nothing where the user has a say: the host then fills what lies outside.
    pub fn of(problem: &Problem<D>, wall_normal: [Option<usize>; D]) -> Option<Self> {
        let kind = |boundary: &Boundary<D>| match boundary {
            Boundary::Extrapolate => Some(BOUNDARY_EXTRAPOLATE),
            Boundary::Wall => Some(BOUNDARY_WALL),
            Boundary::Periodic => Some(BOUNDARY_PERIODIC),
            Boundary::User(_) => None,
        };
        let mut kinds = [[BOUNDARY_PERIODIC; 2]; D];
        for (kinds, boundaries) in kinds.iter_mut().zip(&problem.boundary) {
            *kinds = [kind(&boundaries[0])?, kind(&boundaries[1])?];
        }
        Some(Sides { kinds, normals: wall_normal.map(|normal| normal.map_or(-1, |m| m as i32)) })
    }

    /// The cells of an axis in three parts, each with the way to the cells that its values come from. `count`: cells of the
    /// domain.
    fn ways(&self, axis: usize, count: i32) -> [([i32; 2], Way); 3] {
        let way = |kind, nearest, sum| match kind {
            BOUNDARY_WALL => Way::Mirrored(sum),
            BOUNDARY_EXTRAPOLATE => Way::Nearest(nearest),
            _ => Way::Same,
        };
        let [lower, upper] = self.kinds[axis];
        [
            ([i32::MIN, 0], way(lower, 0, -1)),
            ([0, count], Way::Same),
            ([count, i32::MAX], way(upper, count - 1, 2 * count - 1)),
        ]
    }
}

/// Where a cell's values come from along an axis.
#[derive(Clone, Copy, Debug)]
enum Way {
    /// From the cell itself.
    Same,
    /// From this one.
    Nearest(i32),
    /// From this number less the cell's.
    Mirrored(i32),
}

impl Way {
    /// The cells `lo .. hi` that have their values from `source`.
    fn back_from(self, source: [i32; 2], [lo, hi]: [i32; 2]) -> [i32; 2] {
        match self {
            Way::Same => [lo.max(source[0]), hi.min(source[1])],
            Way::Nearest(cell) if source[0] <= cell && cell < source[1] => [lo, hi],
            Way::Nearest(_) => [lo, lo],
            Way::Mirrored(sum) => [lo.max(sum + 1 - source[1]), hi.min(sum + 1 - source[0])],
        }
    }
}

/// Parts of the ghost cells outside the domain: first those copied, then those interpolated. Their regions are those of the
/// cells that the values come from, but for the cells written.
pub(in crate::exec) fn parts_outside<const D: usize>(
    plan: &GhostPlan<D>,
    mesh: &LevelMesh<D>,
    sides: &Sides<D>,
) -> (Vec<CopyRegion<D>>, Vec<InterpRegion<D>>) {
    let (mut copies, mut interps) = (Vec::new(), Vec::new());
    for boundary in plan.all_boundaries().all() {
        let k = boundary.target as usize;
        let own =
            CopyRegion { target: boundary.target, source: boundary.target, cells: mesh.patches()[k], shift: [0; D] };
        let mut covered = 0;
        for region in std::iter::once(&own).chain(plan.copies(k)) {
            each_part(boundary, &region.cells, mesh, sides, |cells| {
                covered += cells.volume();
                copies.push(CopyRegion { cells, ..*region });
            });
        }
        for region in plan.interps(k) {
            each_part(boundary, &region.cells, mesh, sides, |cells| {
                covered += cells.volume();
                interps.push(InterpRegion { cells, ..*region });
            });
        }
        assert_eq!(covered, boundary.cells.volume(), "ghost cells {boundary:?} have their values from one place each");
    }
    (copies, interps)
}

/// The cells of a boundary region that have their values from `source`, in boxes.
fn each_part<const D: usize>(
    boundary: &BoundaryRegion<D>,
    source: &CellBox<D>,
    mesh: &LevelMesh<D>,
    sides: &Sides<D>,
    mut found: impl FnMut(CellBox<D>),
) {
    let count = mesh.domain().hi;
    let ways: [_; D] = std::array::from_fn(|d| sides.ways(d, count[d]));
    for choice in 0..3usize.pow(D as u32) {
        let mut part = boundary.cells;
        for d in 0..D {
            let (range, way) = ways[d][choice / 3usize.pow(d as u32) % 3];
            let cells = [part.lo[d].max(range[0]), part.hi[d].min(range[1])];
            [part.lo[d], part.hi[d]] = way.back_from([source.lo[d], source.hi[d]], cells);
        }
        if !part.is_empty() {
            found(part);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each ghost cell is reached from the cell that `inside` of `fill.cu` names, and from no other.
    #[test]
    fn ways_lead_back_to_the_cells_that_take_a_value() {
        for kinds in [[BOUNDARY_WALL, BOUNDARY_EXTRAPOLATE], [BOUNDARY_EXTRAPOLATE, BOUNDARY_WALL]] {
            let sides = Sides { kinds: [kinds], normals: [-1] };
            let inside = |i: i32| match i {
                0..10 => i,
                ..0 if kinds[0] == BOUNDARY_WALL => -1 - i,
                ..0 => 0,
                _ if kinds[1] == BOUNDARY_WALL => 19 - i,
                _ => 9,
            };
            for source in 0..10 {
                let back: Vec<i32> = sides
                    .ways(0, 10)
                    .into_iter()
                    .flat_map(|([lo, hi], way)| {
                        let [lo, hi] = way.back_from([source, source + 1], [lo.max(-3), hi.min(13)]);
                        lo..hi
                    })
                    .collect();
                let expected: Vec<i32> = (-3..13).filter(|&i| inside(i) == source).collect();
                assert_eq!(back, expected, "{kinds:?}, cell {source}");
            }
        }
    }
}
