//! Auxiliary values: which cells get them from the function of position, and which from another cell.

use crate::index::{CellBox, CellIndex, Repeats};
use crate::mesh::{AxisEnds, Beyond, Image, LevelMesh, OriginRun};
use riemann::axis::Axis;

/// Where the auxiliary values of a level's cells come from, ghost cells included: inside the domain from a function of position, across
/// periodic sides from the periodic image, beyond folded ones from the function too, elsewhere outside from the cell or face that [`AxisEnds`] gives, possibly the cell itself.
///
/// Invariant: a cell's values are evaluated, or copied from cells of the same patch whose values are evaluated.
#[derive(Clone, Debug)]
pub struct AuxOrigins<const D: usize> {
    ends: [AxisEnds; D],
    inside: LevelMesh<D>,
    /// Cells whose values are evaluated: those inside, those whose lower faces lie on an upper side, and those beyond [`Beyond::Itself`] sides.
    asked: LevelMesh<D>,
}

impl<const D: usize> AuxOrigins<D> {
    /// `sides`: what lies beyond the domain's sides. `on_faces`: axes along which some value is located on cells' lower faces.
    pub fn new(mesh: &LevelMesh<D>, sides: &[[Beyond; 2]; D], on_faces: [bool; D], num_ghost: i32) -> Self {
        let (inside, ends) = (mesh.domain(), mesh.ends(sides));
        let (mut asked, repeats) = (inside, mesh.repeats().unfolded());
        for d in (0..D).filter(|&d| !repeats.axes[d]) {
            let is_folded = mesh.repeats().folded == Some(d);
            let reach = |side: Beyond| if is_folded || side == Beyond::Itself { num_ghost } else { 0 };
            // Faces on an upper side belong to cells outside.
            asked.hi[d] += reach(sides[d][1]).max(i32::from(on_faces[d]));
            asked.lo[d] -= reach(sides[d][0]);
        }
        let whole = |cells: CellBox<D>, repeats: Repeats<D>| LevelMesh::new(cells, repeats, vec![cells]);
        AuxOrigins { ends, inside: whole(inside, mesh.repeats()), asked: whole(asked, repeats) }
    }

    /// The parts of a box whose values are evaluated, at `cell − shift`.
    pub fn asked(&self, cells: &CellBox<D>) -> Vec<Image<D>> {
        self.asked.images(cells)
    }

    /// The cells of a box outside the domain, except those beyond periodic sides.
    pub fn outside(&self, cells: &CellBox<D>) -> impl Iterator<Item = CellIndex<D>> + use<D> {
        self.inside.uncovered(cells).into_iter().flat_map(|part| part.cells())
    }

    /// The cells of a box that take a value from another cell, in parts with the origins along each axis. `face`: as for
    /// [`AuxOrigins::origin`].
    pub fn continued(&self, cells: &CellBox<D>, face: Option<usize>) -> Vec<(CellBox<D>, [OriginRun; D])> {
        let mut parts = Vec::new();
        for outside in self.inside.uncovered(cells) {
            let runs: [Vec<OriginRun>; D] = std::array::from_fn(|d| {
                let (lo, hi) = (outside.lo[d], outside.hi[d]);
                if face == Some(d) { self.ends[d].face_runs(lo, hi) } else { self.ends[d].runs(lo, hi).collect() }
            });
            let choices = CellBox::new([0; D], runs.each_ref().map(|runs| runs.len() as i32));
            for choice in choices.cells() {
                let origins: [OriginRun; D] = std::array::from_fn(|d| runs[d][choice[d] as usize]);
                if !origins.iter().all(OriginRun::is_identity) {
                    parts.push((CellBox::new(origins.map(|run| run.lo), origins.map(|run| run.hi)), origins));
                }
            }
        }
        parts
    }

    /// The walls at which a cell's values are mirrored an odd number of times along an axis: see [`Origin`](crate::mesh::Origin).
    pub fn walls(&self, cell: CellIndex<D>, axis: Axis) -> u8 {
        self.ends[axis.index()].origin(cell[axis.index()]).walls
    }

    /// The cell from which a cell takes a value. `face`: the axis along which the value is located on lower faces.
    pub fn origin(&self, cell: CellIndex<D>, face: Option<usize>) -> CellIndex<D> {
        std::array::from_fn(|d| match face == Some(d) {
            true => self.ends[d].origin_of_face(cell[d]),
            false => self.ends[d].origin(cell[d]).cell,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// At walls the face on the upper side is evaluated, and every other cell outside takes its values from an evaluated one.
    #[test]
    fn every_value_has_an_origin() {
        let domain = CellBox::new([0, 0], [3, 4]);
        let mesh = LevelMesh::new(domain, [false, true], vec![domain]);
        let sides = [[Beyond::Wall, Beyond::Wall], [Beyond::Periodic; 2]];
        let origins = AuxOrigins::new(&mesh, &sides, [true, false], 2);
        let cells = domain.grow(2);
        let asked: Vec<_> = origins.asked(&cells).iter().flat_map(|image| image.part.cells()).collect();
        assert_eq!(asked.len(), 4 * 8, "three columns of cells, and one of faces on the upper side");
        let outside: Vec<_> = origins.outside(&cells).collect();
        assert_eq!(outside.len(), 4 * 8);
        for cell in outside {
            for face in [None, Some(0), Some(1)] {
                let from = origins.origin(cell, face);
                assert!(asked.contains(&from) && (face == Some(0) || from[0] < 3), "{cell:?}, {face:?}: {from:?}");
            }
        }
        assert_eq!((origins.origin([-1, 2], Some(0)), origins.origin([-1, 2], None)), ([1, 2], [0, 2]));
        // In parts all of them have the same origins.
        for face in [None, Some(0), Some(1)] {
            let mut moved: Vec<_> =
                origins.outside(&cells).filter(|&cell| origins.origin(cell, face) != cell).collect();
            for (part, runs) in origins.continued(&cells, face) {
                for cell in part.cells() {
                    let from = std::array::from_fn(|d| runs[d].scale * cell[d] + runs[d].offset);
                    assert_eq!(from, origins.origin(cell, face), "{cell:?}, {face:?}");
                    moved.retain(|other| *other != cell);
                }
            }
            assert!(moved.is_empty(), "{face:?}: {moved:?}");
        }
    }

    /// Beyond a [`Beyond::Itself`] side cells are evaluated, including those that are mirror images of cells behind a wall.
    #[test]
    fn cells_beyond_open_sides_may_be_asked_for() {
        let domain = CellBox::new([0, 0], [3, 4]);
        let mesh = LevelMesh::new(domain, [false, false], vec![domain]);
        let sides = [[Beyond::Wall, Beyond::Itself], [Beyond::Itself, Beyond::Nearest]];
        let origins = AuxOrigins::new(&mesh, &sides, [false, false], 2);
        let asked: Vec<_> = origins.asked(&domain.grow(2)).iter().flat_map(|image| image.part.cells()).collect();
        assert_eq!(asked.len(), 5 * 6);
        for (cell, from) in [([-2, -1], [1, -1]), ([4, 5], [4, 3]), ([4, -2], [4, -2])] {
            assert_eq!(origins.origin(cell, None), from);
            assert!(asked.contains(&from));
        }
    }
}
