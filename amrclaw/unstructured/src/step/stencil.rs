//! What a cell sees across each of its faces: distances, and the weights of differences in its gradient.

use super::Gradient;
use crate::mesh::Across;
use crate::mesh::geometry::{Vector, cross, dot, minus, plus, squared, times};
use crate::{Mesh, threads};
use rayon::prelude::*;
use std::ops::Range;
use std::sync::Arc;

/// Cells of which a thread makes the stencil at a time.
const CELLS_AT_A_TIME: usize = 1024;

/// For each cell, in the order of its list, what it sees across its faces.
pub fn stencil(mesh: &Mesh, gradient: Gradient) -> Arc<Vec<Across>> {
    match &mesh.stencil {
        Some(known) if gradient == Gradient::LeastSquares => known.clone(),
        _ => Arc::new(in_pieces(mesh, &|all, cell| add_stencil(all, mesh, gradient, cell))),
    }
}

/// The same by least squares, in part `known`: that of cells which see what they saw is there where `kept` says.
pub(crate) fn renewed_stencil(
    mesh: &Mesh,
    known: &[Across],
    kept: &(dyn Fn(usize) -> Option<u32> + Sync),
) -> Arc<Vec<Across>> {
    Arc::new(in_pieces(mesh, &|all, cell| match kept(cell) {
        Some(first) => {
            all.extend(mesh.cell_faces.row(cell).iter().zip(&known[first as usize..]).map(|(&entry, known)| {
                let neighbour = behind(mesh, entry);
                Across { neighbour, entry, ..*known }
            }))
        }
        None => add_stencil(all, mesh, Gradient::LeastSquares, cell),
    }))
}

/// Makes the stencil of the same mesh whose nodes have moved, in the same memory if nobody else has it.
pub(super) fn renew_stencil(all: &mut Arc<Vec<Across>>, mesh: &Mesh, gradient: Gradient) {
    let Some(mut rest) = Arc::get_mut(all).map(|all| &mut all[..]) else {
        *all = stencil(mesh, gradient);
        return;
    };
    let starts = &mesh.cell_faces.starts;
    let pieces: Vec<_> = threads::parts(mesh.num_cells(), CELLS_AT_A_TIME).collect();
    let own = |cells: Range<usize>| {
        let (own, further) = std::mem::take(&mut rest).split_at_mut((starts[cells.end] - starts[cells.start]) as usize);
        rest = further;
        (cells, own)
    };
    pieces.into_iter().map(own).collect::<Vec<_>>().into_par_iter().for_each(|(cells, own)| {
        let mut some = Vec::with_capacity(own.len());
        cells.for_each(|cell| add_stencil(&mut some, mesh, gradient, cell));
        own.copy_from_slice(&some);
    });
}

fn in_pieces(mesh: &Mesh, add: &(dyn Fn(&mut Vec<Across>, usize) + Sync)) -> Vec<Across> {
    let piece = |cells: Range<usize>| {
        let starts = &mesh.cell_faces.starts;
        let mut some = Vec::with_capacity((starts[cells.end] - starts[cells.start]) as usize);
        cells.for_each(|cell| add(&mut some, cell));
        some
    };
    threads::pieces(mesh.num_cells(), &piece).concat()
}

/// The cell or ghost cell behind a face.
pub(super) fn behind(mesh: &Mesh, entry: u32) -> u32 {
    let sides = if entry.is_multiple_of(2) { &mesh.faces.right } else { &mesh.faces.left };
    sides[(entry / 2) as usize]
}

/// Adds what a cell sees.
pub(crate) fn add_stencil(all: &mut Vec<Across>, mesh: &Mesh, gradient: Gradient, cell: usize) {
    let first = all.len();
    let mut matrix = [[0.0; 3]; 3];
    for &entry in mesh.cell_faces.row(cell) {
        let (face, side) = ((entry / 2) as usize, (entry % 2) as usize);
        let (to_face, distance) = seen(mesh, cell, entry);
        let weight = match gradient {
            Gradient::LeastSquares => over_square(distance, &mut matrix),
            Gradient::GreenGauss => {
                let outwards = [0.5, -0.5][side] * mesh.faces.size[face] / mesh.volume[cell];
                times(outwards, mesh.faces.normal[face])
            }
        };
        all.push(Across { neighbour: behind(mesh, entry), entry, to_face, weight });
    }
    if gradient == Gradient::LeastSquares {
        let inverse = inverse(mesh.dim, matrix);
        all[first..].iter_mut().for_each(|across| across.weight = product(inverse, across.weight));
    }
}

/// From a cell's centroid to one of its faces, and to the centroid behind it; at a side to the mirror image in the face.
pub(super) fn seen(mesh: &Mesh, cell: usize, entry: u32) -> (Vector, Vector) {
    let (face, side) = ((entry / 2) as usize, (entry % 2) as usize);
    let (centroid, normal, moved) = (mesh.centroid[cell], mesh.faces.normal[face], mesh.shift(face));
    let seen = |at: Vector, by: f64| plus(at, times(by, moved));
    let to_face = minus(seen(mesh.faces.centre[face], side as f64), centroid);
    let distance = match mesh.centroid.get(behind(mesh, entry) as usize) {
        Some(&other) => minus(seen(other, [-1.0, 1.0][side]), centroid),
        None => times(2.0 * dot(to_face, normal), normal),
    };
    (to_face, distance)
}

/// A distance over its square, whose product with the distance a matrix gets.
pub(super) fn over_square(distance: Vector, matrix: &mut [Vector; 3]) -> Vector {
    let squared = squared(distance);
    let weight = [distance[0] / squared, distance[1] / squared, distance[2] / squared];
    for i in 0..3 {
        for j in 0..3 {
            matrix[i][j] += weight[i] * distance[j];
        }
    }
    weight
}

pub(super) fn product(matrix: [Vector; 3], v: Vector) -> Vector {
    [dot(matrix[0], v), dot(matrix[1], v), dot(matrix[2], v)]
}

/// The inverse of a matrix in `dim` dimensions.
pub(crate) fn inverse(dim: usize, mut m: [Vector; 3]) -> [Vector; 3] {
    if dim == 2 {
        m[2] = [0.0, 0.0, 1.0];
    }
    let minors = [cross(m[1], m[2]), cross(m[2], m[0]), cross(m[0], m[1])];
    let (determinant, mut inverse) = (dot(m[0], minors[0]), [[0.0; 3]; 3]);
    for i in 0..3 {
        for j in 0..3 {
            inverse[i][j] = minors[j][i] / determinant;
        }
    }
    inverse
}
