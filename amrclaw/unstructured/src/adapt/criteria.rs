//! Where leaves are too coarse: numbers of a field, which has a value in each cell and then beyond each boundary face.

use super::links::Links;
use crate::Mesh;
use crate::mesh::geometry::{Vector, dot, minus, times};
use crate::threads;

/// Keeps the denominator of the curvature from zero: the α of the paper.
const ALPHA: f64 = 0.03;

/// Of each cell: the largest difference between two of the values of the cell and its neighbours, as those to the left and right of it.
pub fn differences(mesh: &Mesh, field: &[f64]) -> Vec<f64> {
    let of = |cell: usize| {
        let own = (field[cell], field[cell]);
        let (low, high) = mesh.cell_faces.row(cell).iter().fold(own, |(low, high), &entry| {
            let face = (entry / 2) as usize;
            let value = field[[mesh.faces.right[face], mesh.faces.left[face]][(entry % 2) as usize] as usize];
            (low.min(value), high.max(value))
        });
        high - low
    };
    threads::table(mesh.num_cells(), &of)
}

/// The same of the fathers of complete families, at their sons: `coarse` has the values of fathers in their sons.
pub fn differences_of_families(
    (mesh, links): (&Mesh, &Links),
    (levels, families): (&[u8], &[u32]),
    (field, coarse): (&[f64], &[f64]),
) -> Vec<f64> {
    let (cells, sons) = (mesh.num_cells(), 1 << mesh.dim);
    let of = |cell: usize| {
        let first = families[cell] as usize;
        if first >= cells {
            return 0.0;
        }
        let (mut low, mut high) = (coarse[cell], coarse[cell]);
        for son in first..first + sons {
            for (link, &entry) in links.row(son).iter().zip(mesh.cell_faces.row(son)) {
                let to = if link.is_boundary() { mesh.faces.right[(entry / 2) as usize] } else { link.to } as usize;
                // Values on the father's level, if there are any.
                let is_coarser = levels.get(to).is_some_and(|&level| level < levels[son]);
                let value = if is_coarser { field[to] } else { coarse[to] };
                (low, high) = (low.min(value), high.max(value));
            }
        }
        high - low
    };
    threads::table(cells, &of)
}

/// Of each cell: the largest of its faces' differences that its gradient does not explain, relative to what it explains: eq. (6) of
/// Comput. Phys. Commun. 207 (2016), 114–122. `gradients`: the field's.
pub fn curvature(mesh: &Mesh, gradients: &[Vector], field: &[f64]) -> Vec<f64> {
    let cells = mesh.num_cells();
    let of_face = |face: usize| {
        let (left, right) = (mesh.faces.left[face] as usize, mesh.faces.right[face] as usize);
        let from = mesh.centroid[left];
        let to = match mesh.centroid.get(right) {
            Some(&right) => minus(right, mesh.shift(face)),
            None => minus(times(2.0, mesh.faces.centre[face]), from),
        };
        let (far, difference) = (minus(to, from), field[right] - field[left]);
        let mean = 0.5 * (field[right].abs() + field[left].abs());
        let error = |cell: usize| {
            let along = dot(gradients[cell], far);
            let below = ALPHA * mean + along.abs();
            if below > 0.0 { (difference - along).abs() / below } else { 0.0 }
        };
        if right < cells { error(left).max(error(right)) } else { error(left) }
    };
    let errors = threads::table(mesh.num_faces(), &of_face);
    let largest = |cell: usize| mesh.cell_faces.row(cell).iter().map(|&e| errors[(e / 2) as usize]).fold(0.0, f64::max);
    threads::table(cells, &largest)
}
