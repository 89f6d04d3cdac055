//! What a cell sees across each of its faces: distances, and the weights of differences in its gradient.

use super::Gradient;
use crate::Mesh;
use crate::mesh::geometry::{Vector, dot, minus};

/// One face of a cell.
#[derive(Clone, Copy, Debug)]
pub struct Across {
    /// The cell or ghost cell behind the face.
    pub neighbour: u32,
    /// The place of the cell's state at the face.
    pub at_face: u32,
    /// From the cell's centroid to the face's.
    pub to_face: [f64; 3],
    /// The gradient is the sum of these times the differences.
    pub weight: [f64; 3],
}

/// For each cell, in the order of its list, what it sees across its faces. `first_place`: of the states at faces.
pub fn stencil(mesh: &Mesh, gradient: Gradient, first_place: usize) -> Vec<Across> {
    let mut all = Vec::with_capacity(mesh.cell_faces.items.len());
    (0..mesh.num_cells()).for_each(|cell| add_stencil(&mut all, mesh, gradient, first_place, cell));
    all
}

/// Adds what a cell sees.
pub(crate) fn add_stencil(all: &mut Vec<Across>, mesh: &Mesh, gradient: Gradient, first_place: usize, cell: usize) {
    let first = all.len();
    let centroid = mesh.centroid[cell];
    let mut matrix = [[0.0; 3]; 3];
    for &entry in mesh.cell_faces.row(cell) {
        let (face, side) = ((entry / 2) as usize, (entry % 2) as usize);
        let neighbour = [mesh.faces.right[face], mesh.faces.left[face]][side];
        let (normal, moved) = (mesh.faces.normal[face], mesh.shift(face));
        let seen = |at: Vector, by: f64| [0, 1, 2].map(|d| at[d] + by * moved[d]);
        let to_face = minus(seen(mesh.faces.centre[face], side as f64), centroid);
        let distance = match mesh.centroid.get(neighbour as usize) {
            Some(&other) => minus(seen(other, [-1.0, 1.0][side]), centroid),
            // The mirror image in the face.
            None => normal.map(|n| 2.0 * dot(to_face, normal) * n),
        };
        let weight = match gradient {
            Gradient::LeastSquares => distance.map(|d| d / dot(distance, distance)),
            Gradient::GreenGauss => {
                let outwards = [0.5, -0.5][side] * mesh.faces.size[face] / mesh.volume[cell];
                normal.map(|n| outwards * n)
            }
        };
        for i in 0..3 {
            (0..3).for_each(|j| matrix[i][j] += weight[i] * distance[j]);
        }
        let at_face = (first_place + side * mesh.num_faces() + face) as u32;
        all.push(Across { neighbour, at_face, to_face, weight });
    }
    if gradient == Gradient::LeastSquares {
        let inverse = inverse(mesh.dim, matrix);
        for across in &mut all[first..] {
            across.weight = inverse.map(|row| dot(row, across.weight));
        }
    }
}

/// The inverse of a matrix in `dim` dimensions.
pub(crate) fn inverse(dim: usize, mut m: [Vector; 3]) -> [Vector; 3] {
    if dim == 2 {
        m[2] = [0.0, 0.0, 1.0];
    }
    let minor = |i: usize, j: usize| {
        let ([a, b], [c, d]) = ([(i + 1) % 3, (i + 2) % 3], [(j + 1) % 3, (j + 2) % 3]);
        m[a][c] * m[b][d] - m[a][d] * m[b][c]
    };
    let determinant = (0..3).map(|j| m[0][j] * minor(0, j)).sum::<f64>();
    [0, 1, 2].map(|i| [0, 1, 2].map(|j| minor(j, i) / determinant))
}
