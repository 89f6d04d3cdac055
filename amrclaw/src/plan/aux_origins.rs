//! Auxiliary values: which cells have theirs from the function of position, and which from another cell.

use crate::index::{CellBox, CellIndex};
use crate::mesh::{AxisEnds, Beyond, Image, LevelMesh};

/// Where the auxiliary values of a level's cells come from, ghost cells included: inside the domain from a function of position, across
/// periodic sides from the image, outside from the cell, or the cell's face, that the sides name.
///
/// Invariant: a cell is inside, or has its values from cells of the same patch that are.
#[derive(Clone, Debug)]
pub struct AuxOrigins<const D: usize> {
    ends: [AxisEnds; D],
    inside: LevelMesh<D>,
    /// The cells inside, and beyond them those whose lower faces lie on an upper side.
    asked: LevelMesh<D>,
}

impl<const D: usize> AuxOrigins<D> {
    /// `sides`: what those of the domain show beyond them. `on_faces`: axes along which some value lives on cells' lower faces.
    pub fn new(mesh: &LevelMesh<D>, sides: &[[Beyond; 2]; D], on_faces: [bool; D]) -> Self {
        let (inside, ends) = (mesh.domain(), mesh.ends(sides));
        // Faces on an upper side that is a mirror belong to cells outside, which are asked for besides.
        let mut asked = inside;
        for d in (0..D).filter(|&d| !mesh.periodic()[d] && on_faces[d]) {
            asked.hi[d] += i32::from(ends[d].origin_of_face(inside.hi[d]) == inside.hi[d]);
        }
        let whole = |cells: CellBox<D>| LevelMesh::new(cells, mesh.periodic(), vec![cells]);
        AuxOrigins { ends, inside: whole(inside), asked: whole(asked) }
    }

    /// The parts of a box whose values are the function's, at the cells that the shifts lead to.
    pub fn asked(&self, cells: &CellBox<D>) -> Vec<Image<D>> {
        self.asked.images(cells)
    }

    /// The cells of a box outside the domain, but for those beyond periodic sides.
    pub fn outside(&self, cells: &CellBox<D>) -> impl Iterator<Item = CellIndex<D>> + use<D> {
        self.inside.uncovered(cells).into_iter().flat_map(|part| part.cells())
    }

    /// The cell from which a cell has a value. `face`: the axis along which the value lives on lower faces.
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

    /// Beside walls the face on the upper side is asked for, and every other cell outside has its values from one that is asked for.
    #[test]
    fn every_value_has_an_origin() {
        let domain = CellBox::new([0, 0], [3, 4]);
        let mesh = LevelMesh::new(domain, [false, true], vec![domain]);
        let sides = [[Beyond::Wall, Beyond::Wall], [Beyond::Periodic; 2]];
        let origins = AuxOrigins::new(&mesh, &sides, [true, false]);
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
    }
}
