//! Gradients of any field by least squares, weighted as those of a step.

use super::stencil::{inverse, over_square, product};
use crate::mesh::geometry::{Vector, minus, plus, times};
use crate::mesh::{Across, Rows};
use crate::{Mesh, threads};
use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};

/// The gradient in each cell of a field of whose values those in cells come first, then those beyond the boundary's faces. `across`: the mesh's stencil.
pub fn gradients(mesh: &Mesh, across: &[Across], field: &[f64]) -> Vec<Vector> {
    let starts = &mesh.cell_faces.starts;
    let own = |cell: usize| {
        let mut gradient = [0.0; 3];
        for face in &across[starts[cell] as usize..starts[cell + 1] as usize] {
            let difference = field[face.neighbour as usize] - field[cell];
            for d in 0..3 {
                gradient[d] += face.weight[d] * difference;
            }
        }
        gradient
    };
    threads::table(mesh.num_cells(), &own)
}

/// The cells beside each cell: those that share a face. Needs no faces, which meshes of frames lack.
pub struct Neighbours<'a> {
    mesh: &'a Mesh,
    beside: Rows,
}

impl<'a> Neighbours<'a> {
    /// Looks for them.
    pub fn new(mesh: &'a Mesh) -> Self {
        Neighbours { mesh, beside: beside(mesh) }
    }

    /// The gradient in each cell of a field that is known in cells alone, by the cells beside it; at sides, periodic ones too, by the neighbours of these
    /// as well.
    pub fn gradients(&self, field: &[f64]) -> Vec<Vector> {
        let (mesh, beside) = (self.mesh, &self.beside);
        let distance = |from: u32, to: u32| minus(mesh.centroid[to as usize], mesh.centroid[from as usize]);
        let own = |cell: usize| {
            let mut near = beside.row(cell).to_vec();
            if near.len() < mesh.cells.shape[cell].faces().len() {
                let further =
                    near.iter().flat_map(|&next| beside.row(next as usize)).filter(|&&next| next as usize != cell);
                near.extend(further.copied().collect::<Vec<_>>());
                near.sort_unstable();
                near.dedup();
            }
            let (mut matrix, mut sum) = ([[0.0; 3]; 3], [0.0; 3]);
            for &next in &near {
                let weight = over_square(distance(cell as u32, next), &mut matrix);
                sum = plus(sum, times(field[next as usize] - field[cell], weight));
            }
            let mut inverted = inverse(mesh.dim, matrix);
            // Of cells in a row: across it, where nobody is, the gradient is zero.
            if !inverted.as_flattened().iter().all(|number| number.abs() < 1e6) {
                (0..mesh.dim).for_each(|d| matrix[d][d] += 1e-8 * near.len().max(1) as f64);
                inverted = inverse(mesh.dim, matrix);
            }
            product(inverted, sum)
        };
        threads::table(mesh.num_cells(), &own)
    }
}

/// Of each cell the cells with which it shares a face, in order.
fn beside(mesh: &Mesh) -> Rows {
    let mut pairs: Vec<[u32; 2]> = if mesh.faces.left.is_empty() {
        pairs_by_nodes(mesh)
    } else {
        let inner = mesh.periodic.first().map_or(mesh.first_boundary(), |periodic| periodic.faces.start);
        mesh.faces.left[..inner].iter().zip(&mesh.faces.right).map(|(&left, &right)| [left, right]).collect()
    };
    pairs.extend_from_within(..);
    let half = pairs.len() / 2;
    pairs[half..].iter_mut().for_each(|pair| pair.reverse());
    pairs.sort_unstable();
    pairs.dedup();
    let starts = (0..=mesh.num_cells() as u32).map(|cell| pairs.partition_point(|pair| pair[0] < cell) as u32);
    Rows { starts: starts.collect(), items: pairs.iter().map(|pair| pair[1]).collect() }
}

/// The cells with the same nodes of a face, and those of which one has a node in the middle of the other's: the nodes of refined cells are their own, at
/// places that are the same to the bit.
fn pairs_by_nodes(mesh: &Mesh) -> Vec<[u32; 2]> {
    let place = |at: Vector| {
        let mut hasher = DefaultHasher::new();
        at.map(|x| (x + 0.0).to_bits()).hash(&mut hasher);
        hasher.finish()
    };
    let mut faces: Vec<([u64; 4], u32, u64)> = Vec::new();
    for cell in 0..mesh.num_cells() {
        let nodes = mesh.cells.nodes.row(cell);
        for face in mesh.cells.shape[cell].faces() {
            let at: Vec<Vector> = face.iter().map(|&k| mesh.points[nodes[k as usize] as usize]).collect();
            let middle = match at[..] {
                [a, b] => times(0.5, plus(a, b)),
                [a, b, c, d] => times(0.25, plus(plus(a, c), plus(b, d))),
                _ => [f64::NAN; 3],
            };
            let mut sorted = [u64::MAX; 4];
            at.iter().zip(&mut sorted).for_each(|(at, entry)| *entry = place(*at));
            sorted.sort_unstable();
            faces.push((sorted, cell as u32, place(middle)));
        }
    }
    faces.sort_unstable();
    let (mut pairs, mut alone) = (Vec::new(), Vec::new());
    for same in faces.chunk_by(|a, b| a.0 == b.0) {
        match same {
            [(_, a, _), (_, b, _)] => pairs.push([*a, *b]),
            other => alone.extend(other),
        }
    }
    let middles: HashMap<u64, ([u64; 4], u32)> =
        alone.iter().map(|&(nodes, cell, middle)| (middle, (nodes, cell))).collect();
    for (nodes, cell, _) in &alone {
        // A part of a face has its middle and one of its corners.
        let is_part = |whole: &[u64; 4]| nodes.iter().any(|node| *node != u64::MAX && whole.contains(node));
        let wholes = nodes.iter().filter_map(|node| middles.get(node)).filter(|(whole, _)| is_part(whole));
        pairs.extend(wholes.map(|&(_, coarse)| [*cell, coarse]));
    }
    pairs
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::make::{Block, Of};
    use crate::mesh::Faces;
    use crate::mesh::geometry::{dot, minus};
    use crate::step::stencil::{seen, stencil};
    use crate::step::tests::block;
    use crate::step::{Gradient, Limiter, Scheme, SolvedBy, Stepper, TimeStep};

    /// Gradients of linear functions are exact up to round-off in all cells of shaken meshes, whether values beyond sides are known or not; in a row of
    /// cells the slope along it is, and across it there is none.
    #[test]
    fn gradients_of_linear_functions_are_exact() {
        let slopes = [2.0, -3.0, 0.5];
        for (cells, of) in [(&[4, 5][..], Of::Mixed), (&[3, 4, 3], Of::Mixed)] {
            let mesh = block(cells, of, 0.3);
            let dim = mesh.dim;
            let exact: Vector = std::array::from_fn(|d| if d < dim { slopes[d] } else { 0.0 });
            let within: Vec<f64> = mesh.centroid.iter().map(|&at| dot(slopes, at)).collect();
            let mut known = within.clone();
            for face in mesh.first_boundary()..mesh.num_faces() {
                let cell = mesh.faces.left[face] as usize;
                known.push(dot(slopes, plus(mesh.centroid[cell], seen(&mesh, cell, 2 * face as u32).1)));
            }
            let nodes_alone = Mesh { faces: Faces::default(), ..(*mesh).clone() };
            let own = Neighbours::new(&mesh).gradients(&within);
            assert!(own == Neighbours::new(&nodes_alone).gradients(&within), "nodes tell who is beside whom");
            let across = stencil(&mesh, Gradient::LeastSquares);
            for gradient in gradients(&mesh, &across, &known).into_iter().chain(own) {
                let far = minus(gradient, exact);
                assert!(dot(far, far).sqrt() < 1e-11, "{gradient:?}");
            }
        }
        let row = Mesh::new(Block::new(&[4, 1], Of::Quadrilaterals).make().expect("a block")).expect("a mesh");
        let field: Vec<f64> = row.centroid.iter().map(|at| 2.0 * at[0]).collect();
        let exact = |gradient: &Vector| (gradient[0] - 2.0).abs() < 1e-6 && gradient[1].abs() < 1e-6;
        assert!(
            Neighbours::new(&row).gradients(&field).iter().all(exact),
            "{:?}",
            Neighbours::new(&row).gradients(&field)
        );
    }

    /// What a step needs of memory is about what is known before; what threads need for themselves, a block's states each, is besides it.
    #[test]
    fn memory_is_foreseen() {
        let mesh = block(&[20, 20, 20], Of::Tetrahedra, 0.2);
        for (order, limiter) in [(1, Limiter::None), (2, Limiter::BarthJespersen), (2, Limiter::Venkatakrishnan)] {
            let (gradient, time) = (Gradient::LeastSquares, TimeStep::Rk2);
            let scheme = Scheme { order, time, gradient, limiter, is_local: false, solved_by: SolvedBy::Cells };
            let ratio = Stepper::new(mesh.clone(), scheme, 5).bytes() as f64 / scheme.bytes(&mesh, 5) as f64;
            assert!((0.9..1.5).contains(&ratio), "{order}, {limiter:?}: {ratio}");
        }
    }
}
