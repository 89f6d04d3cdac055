//! Cells, their faces, and geometry.

mod check;
mod elements;
mod faces;
pub(crate) mod geometry;
mod order;
mod periodic;
mod quality;
mod shape;

pub use elements::{Elements, MeshError, Place, Rows, Sides};
pub use order::Order;
pub use shape::Shape;

use crate::threads;
use std::ops::Range;
use std::sync::Arc;

/// A mesh that has been checked: cells fit together, every side of the mesh has a name, every cell is closed.
///
/// Units: positions have the user's length L; in the plane face sizes are L and volumes L², in space L² and L³.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Mesh {
    /// 2 or 3.
    pub dim: usize,
    /// Positions of nodes; in the plane z is 0.
    pub points: Vec<[f64; 3]>,
    /// The cells.
    pub cells: Cells,
    /// The faces: first those between cells, by left cell; then those between periodic boundaries; last those of the boundary, by name and
    /// left cell.
    pub faces: Faces,
    /// Of each cell: its faces, as `face · 2 + side`, side 0 if the cell is on the left; in the order of [`Shape::faces`], which no order of
    /// cells changes.
    pub cell_faces: Rows,
    /// Of each cell: volume; in the plane area.
    pub volume: Vec<f64>,
    /// Of each cell: what its volume is more than that of its faces, where a curve has moved sides' new nodes; empty where none has.
    pub bulge: Vec<f64>,
    /// Of each cell: centroid.
    pub centroid: Vec<[f64; 3]>,
    /// The boundary's names.
    pub boundary: Boundary,
    /// The faces between periodic boundaries.
    pub periodic: Vec<Periodic>,
    /// What gradients by least squares need, if several ask for it: for each cell in the order of its list what it sees across its faces.
    pub stencil: Option<Arc<Vec<Across>>>,
}

/// Cells of a mesh.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Cells {
    /// Of each cell: its shape.
    pub shape: Vec<Shape>,
    /// Of each cell: its nodes, in the order that [`Shape`] says.
    pub nodes: Rows,
    /// Of each cell: its number in the file, counted from 0; empty if that is the order of cells.
    pub numbers: Vec<u32>,
}

/// Faces of a mesh.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Faces {
    /// The cell on the left: of two the lower one.
    pub left: Vec<u32>,
    /// The cell on the right. Boundary face `b` has the ghost cell `cells + b` there.
    pub right: Vec<u32>,
    /// Unit normal from left to right.
    pub normal: Vec<[f64; 3]>,
    /// Area; in the plane length. Of a face that is not plane the area of its projection along `normal`.
    pub size: Vec<f64>,
    /// Centroid, where the left cell sees it (see [`Periodic`]).
    pub centre: Vec<[f64; 3]>,
    /// Nodes, where the left cell sees them: in space counterclockwise seen from the right, in the plane with the left cell on the left.
    pub nodes: Rows,
}

/// Boundary faces by name. They are the last faces: boundary face `b` is face `faces − boundary + b`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Boundary {
    /// The names; each has a face.
    pub names: Vec<String>,
    /// Boundary faces `starts[n] .. starts[n + 1]` have name `n`.
    pub starts: Vec<u32>,
}

/// Faces whose cells lie at two boundaries, one of which is the other, moved.
#[derive(Clone, Debug, PartialEq)]
pub struct Periodic {
    /// The faces.
    pub faces: Range<usize>,
    /// Added to a position that the left cell sees, gives where the right cell sees it.
    pub shift: [f64; 3],
}

/// One face of a cell.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Across {
    /// The cell or ghost cell behind the face.
    pub neighbour: u32,
    /// The face, and the cell's side of it, as the cell's list has them.
    pub entry: u32,
    /// From the cell's centroid to the face's.
    pub to_face: [f64; 3],
    /// The gradient is the sum of these times the differences.
    pub weight: [f64; 3],
}

impl Boundary {
    /// Number of boundary faces.
    pub fn len(&self) -> usize {
        self.starts.last().map_or(0, |&last| last as usize)
    }

    /// True for a mesh without sides.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The boundary faces of name `n`.
    pub fn of_name(&self, n: usize) -> Range<usize> {
        self.starts[n] as usize..self.starts[n + 1] as usize
    }

    /// The number of the name of a boundary face.
    pub fn name_of(&self, number: usize) -> usize {
        self.starts.partition_point(|&start| start as usize <= number) - 1
    }

    /// The name's number.
    pub fn number(&self, name: &str) -> Option<usize> {
        self.names.iter().position(|known| known == name)
    }
}

impl Faces {
    /// Lists of faces one after another.
    pub(crate) fn joined<P>(pieces: &[P], faces: impl Fn(&P) -> &Faces + Copy) -> Faces {
        let items = threads::joined(pieces, |piece| &faces(piece).nodes.items);
        let mut starts = vec![0];
        for piece in pieces {
            let first = starts[starts.len() - 1];
            starts.extend(faces(piece).nodes.starts[1..].iter().map(|start| first + start));
        }
        Faces {
            left: threads::joined(pieces, |piece| &faces(piece).left),
            right: threads::joined(pieces, |piece| &faces(piece).right),
            normal: threads::joined(pieces, |piece| &faces(piece).normal),
            size: threads::joined(pieces, |piece| &faces(piece).size),
            centre: threads::joined(pieces, |piece| &faces(piece).centre),
            nodes: Rows { starts, items },
        }
    }
}

impl Mesh {
    /// As [`Mesh::in_order`], with cells in the file's order.
    ///
    /// # Errors
    ///
    /// As there.
    pub fn new(elements: Elements) -> Result<Mesh, MeshError> {
        Mesh::in_order(elements, Order::File)
    }

    /// Orders cells, builds faces and geometry.
    ///
    /// # Errors
    ///
    /// With the place, what is wrong: nodes that are not there or not finite, cells that are turned inside out or listed twice, faces of more than
    /// two cells, sides without name, names on no side.
    pub fn in_order(elements: Elements, order: Order) -> Result<Mesh, MeshError> {
        let elements = check::checked(elements)?;
        let elements = match order {
            Order::File => elements,
            Order::Shuffled => order::apply(&elements, &order::shuffled(elements.shape.len())),
            Order::Hilbert => order::apply(&elements, &order::hilbert(&elements)),
            Order::Rcm => {
                let (faces, ..) = faces::build(&elements)?;
                let cells = elements.shape.len();
                let pairs = faces.left.into_iter().zip(faces.right).filter(|&(_, right)| (right as usize) < cells);
                order::apply(&elements, &order::rcm(cells, &pairs.collect::<Vec<_>>()))
            }
        };
        let (faces, cell_faces, boundary) = faces::build(&elements)?;
        let Elements { dim, points, shape, nodes, numbers, .. } = elements;
        let (volume, centroid) = geometry::of_cells(&points, &shape, &nodes);
        let mut mesh = Mesh {
            dim,
            points,
            cells: Cells { shape, nodes, numbers },
            faces,
            cell_faces,
            volume,
            centroid,
            boundary,
            ..Mesh::default()
        };
        geometry::of_faces(&mut mesh);
        Ok(mesh)
    }

    /// Number of cells.
    pub fn num_cells(&self) -> usize {
        self.cells.shape.len()
    }

    /// Number of faces.
    pub fn num_faces(&self) -> usize {
        self.faces.left.len()
    }

    /// The face that is boundary face 0.
    pub fn first_boundary(&self) -> usize {
        self.num_faces() - self.boundary.len()
    }

    /// What is added to a position beside a face that the left cell sees, for where the right cell sees it; nothing but between periodic
    /// boundaries.
    pub fn shift(&self, face: usize) -> [f64; 3] {
        self.periodic.iter().find(|periodic| periodic.faces.contains(&face)).map_or([0.0; 3], |periodic| periodic.shift)
    }

    /// Largest `|Σ size · normal|` of a cell, relative to `Σ size`: round-off alone in a mesh whose cells are closed.
    pub fn closedness(&self) -> f64 {
        let of = |cell: usize| {
            let (mut sum, mut surface) = ([0.0; 3], 0.0);
            for &entry in self.cell_faces.row(cell) {
                let (face, sign) = ((entry / 2) as usize, if entry % 2 == 0 { 1.0 } else { -1.0 });
                let size = self.faces.size[face];
                (0..3).for_each(|d| sum[d] += sign * size * self.faces.normal[face][d]);
                surface += size;
            }
            geometry::length(sum) / surface
        };
        (0..self.num_cells()).map(of).fold(0.0, f64::max)
    }
}

#[cfg(test)]
mod tests;
