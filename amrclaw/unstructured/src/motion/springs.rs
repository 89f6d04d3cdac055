//! Torsional springs: inner nodes follow those of the boundary so that the angles of cells change little, and those of thin cells least.
//!
//! In the plane a spring is in each corner of a triangle, of stiffness 1/sin² of its angle: Farhat, Degand, Koobus & Lesoinne 1998,
//! doi:10.1016/S0045-7825(98)00016-4. In space one is at each edge of a tetrahedron, between the faces that meet there, as flat tetrahedra are those
//! whose faces close up: Degand & Farhat 2002, doi:10.1016/S0045-7949(02)00002-0. Other cells are the triangles or tetrahedra of their corners.
//!
//! With angles θ = R u linear in displacements u the forces are Rᵀ C R u, whose matrix is symmetric and, with the boundary held, definite. So conjugate
//! gradients find where they vanish; their preconditioner is each node's own block.

use crate::mesh::geometry::{Vector, cross, dot, minus, squared};
use crate::step::inverse;
use crate::{Mesh, Rows, Shape};
use rayon::prelude::*;

/// Numbers that are added up one after the other: sums do not depend on threads.
const PART: usize = 4096;

/// The forces of the springs of a mesh. Displacements are `[node, axis]`.
#[derive(Debug)]
pub struct Springs {
    dim: usize,
    /// Of each node whether it has been given a place: those of the boundary and of periodic sides.
    is_held: Vec<bool>,
    /// Of each free node those that act on it, itself too.
    columns: Rows,
    /// Of each of these the block of the matrix.
    blocks: Vec<f64>,
    /// Of each free node the inverse of its own block.
    inverses: Vec<[Vector; 3]>,
}

/// A triangle or, with a fourth node, a tetrahedron.
type Simplex = [u32; 4];

impl Springs {
    /// The springs of a mesh, at rest where its nodes are.
    pub fn new(mesh: &Mesh) -> Self {
        let (dim, nodes) = (mesh.dim, mesh.points.len());
        let is_held = held(mesh);
        let parts: Vec<Vec<[u8; 4]>> = Shape::ALL.iter().map(|&shape| simplices(shape)).collect();
        let of_cell = |cell: usize| {
            let row = mesh.cells.nodes.row(cell);
            parts[mesh.cells.shape[cell] as usize].iter().map(move |part| part.map(|k| row[k as usize]))
        };
        let all: Vec<Simplex> = (0..mesh.num_cells()).flat_map(of_cell).collect();
        let around = around(nodes, dim, &all);
        let row = |node: usize| match is_held[node] {
            true => (Vec::new(), Vec::new()),
            false => row_of(mesh, &all, around.row(node), node as u32),
        };
        let rows: Vec<(Vec<u32>, Vec<f64>)> = (0..nodes).into_par_iter().map(row).collect();
        let mut columns = Rows::with_capacity(nodes, 0);
        rows.iter().for_each(|(row, _)| columns.push(row.iter().copied()));
        let blocks: Vec<f64> = rows.into_iter().flat_map(|(_, blocks)| blocks).collect();
        let own = |node: usize| {
            let Ok(place) = columns.row(node).binary_search(&(node as u32)) else { return [[0.0; 3]; 3] };
            let first = (columns.starts[node] as usize + place) * dim * dim;
            let of = |i: usize, j: usize| if i.max(j) < dim { blocks[first + i * dim + j] } else { 0.0 };
            inverse(dim, [0, 1, 2].map(|i| [0, 1, 2].map(|j| of(i, j))))
        };
        Springs { dim, inverses: (0..nodes).map(own).collect(), is_held, columns, blocks }
    }

    /// Whether a node has been given a place.
    pub fn is_held(&self, node: usize) -> bool {
        self.is_held[node]
    }

    /// The forces on free nodes, and 0 on others.
    pub fn forces(&self, displaced: &[f64]) -> Vec<f64> {
        let dim = self.dim;
        self.of_nodes(&|node, force| {
            let starts = &self.columns.starts;
            for entry in starts[node] as usize..starts[node + 1] as usize {
                let (block, from) = (&self.blocks[entry * dim * dim..], self.columns.items[entry] as usize * dim);
                for i in 0..dim {
                    (0..dim).for_each(|j| force[i] += block[i * dim + j] * displaced[from + j]);
                }
            }
        })
    }

    /// Forces times the inverses of nodes' own blocks.
    pub fn preconditioned(&self, forces: &[f64]) -> Vec<f64> {
        let dim = self.dim;
        self.of_nodes(&|node, out| {
            for i in 0..dim {
                (0..dim).for_each(|j| out[i] += self.inverses[node][i][j] * forces[node * dim + j]);
            }
        })
    }

    fn of_nodes(&self, value: &(dyn Fn(usize, &mut [f64]) + Sync)) -> Vec<f64> {
        let mut all = vec![0.0; self.dim * self.is_held.len()];
        all.par_chunks_mut(self.dim * PART).enumerate().for_each(|(k, part)| {
            part.chunks_mut(self.dim).enumerate().for_each(|(i, out)| value(k * PART + i, out));
        });
        all
    }

    /// Displaces free nodes until the forces on them are `tolerance` of those where they stay at rest, and counts the iterations. `displaced`: of held
    /// nodes what they are, of free ones a guess.
    pub fn solve(&self, displaced: &mut [f64], tolerance: f64) -> usize {
        let of_held = |k: usize| if self.is_held[k / self.dim] { displaced[k] } else { 0.0 };
        let at_rest = self.forces(&(0..displaced.len()).map(of_held).collect::<Vec<f64>>());
        let enough = tolerance * tolerance * product(&at_rest, &self.preconditioned(&at_rest));
        let mut residual = self.forces(displaced);
        residual.iter_mut().for_each(|force| *force = -*force);
        let mut ahead = self.preconditioned(&residual);
        let (mut along, mut left) = (ahead.clone(), product(&residual, &ahead));
        let mut iterations = 0;
        while left > enough && iterations < displaced.len() {
            let forces = self.forces(&along);
            let step = left / product(&along, &forces);
            add(displaced, step, &along);
            add(&mut residual, -step, &forces);
            ahead = self.preconditioned(&residual);
            let next = product(&residual, &ahead);
            let share = next / left;
            along.par_iter_mut().zip(&ahead).for_each(|(along, ahead)| *along = ahead + share * *along);
            left = next;
            iterations += 1;
        }
        iterations
    }
}

/// The sum of products.
pub fn product(a: &[f64], b: &[f64]) -> f64 {
    let part = |(a, b): (&[f64], &[f64])| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
    a.par_chunks(PART).zip(b.par_chunks(PART)).map(part).collect::<Vec<f64>>().iter().sum()
}

/// Adds a multiple.
pub fn add(to: &mut [f64], factor: f64, what: &[f64]) {
    to.par_iter_mut().zip(what).for_each(|(to, what)| *to += factor * what);
}

/// Of each node whether it lies on a side of the mesh, periodic ones too.
fn held(mesh: &Mesh) -> Vec<bool> {
    let first = mesh.periodic.first().map_or(mesh.first_boundary(), |periodic| periodic.faces.start);
    let mut held = vec![false; mesh.points.len()];
    for cell in 0..mesh.num_cells() {
        let (nodes, sides) = (mesh.cells.nodes.row(cell), mesh.cells.shape[cell].faces());
        let outer = mesh.cell_faces.row(cell).iter().zip(sides).filter(|(entry, _)| (**entry / 2) as usize >= first);
        outer.flat_map(|(_, side)| side.iter()).for_each(|&k| held[nodes[k as usize] as usize] = true);
    }
    held
}

/// The triangles or tetrahedra whose angles count: of other cells a corner with the ends of its edges, where there are as many as axes.
fn simplices(shape: Shape) -> Vec<[u8; 4]> {
    match shape {
        Shape::Triangle => return vec![[0, 1, 2, 0]],
        Shape::Tetrahedron => return vec![[0, 1, 2, 3]],
        _ => {}
    }
    let edges = || shape.faces().iter().flat_map(|face| (0..face.len()).map(|k| [face[k], face[(k + 1) % face.len()]]));
    let corner = |node: u8| {
        let other = |[a, b]: [u8; 2]| if a == node { Some(b) } else { (b == node).then_some(a) };
        let mut ends: Vec<u8> = edges().filter_map(other).collect();
        ends.sort_unstable();
        ends.dedup();
        match ends[..] {
            [a, b] => Some([node, a, b, node]),
            [a, b, c] => Some([node, a, b, c]),
            _ => None,
        }
    };
    (0..shape.num_nodes() as u8).filter_map(corner).collect()
}

/// Of each node the simplices that it is a corner of.
fn around(nodes: usize, dim: usize, all: &[Simplex]) -> Rows {
    let mut starts = vec![0_u32; nodes + 1];
    all.iter().flat_map(|simplex| &simplex[..=dim]).for_each(|&node| starts[node as usize + 1] += 1);
    (0..nodes).for_each(|node| starts[node + 1] += starts[node]);
    let (mut next, mut items) = (starts.clone(), vec![0; (dim + 1) * all.len()]);
    for (number, simplex) in all.iter().enumerate() {
        for &node in &simplex[..=dim] {
            items[next[node as usize] as usize] = number as u32;
            next[node as usize] += 1;
        }
    }
    Rows { starts, items }
}

/// The row of a node: who acts on it, and the blocks.
fn row_of(mesh: &Mesh, all: &[Simplex], around: &[u32], node: u32) -> (Vec<u32>, Vec<f64>) {
    let dim = mesh.dim;
    let mut columns: Vec<u32> = around.iter().flat_map(|&s| &all[s as usize][..=dim]).copied().collect();
    columns.sort_unstable();
    columns.dedup();
    let mut blocks = vec![0.0; columns.len() * dim * dim];
    for simplex in around.iter().map(|&s| &all[s as usize][..=dim]) {
        let own = simplex.iter().position(|&corner| corner == node).expect("it is a corner");
        let mut points = [[0.0; 3]; 4];
        points.iter_mut().zip(simplex).for_each(|(point, &corner)| *point = mesh.points[corner as usize]);
        for Angle { stiffness, turn } in if dim == 2 { angles_in_plane(points) } else { angles_in_space(points) } {
            for (corner, other) in simplex.iter().zip(&turn) {
                let first = columns.binary_search(corner).expect("listed above") * dim * dim;
                for i in 0..dim {
                    (0..dim).for_each(|j| blocks[first + i * dim + j] += stiffness * turn[own][i] * other[j]);
                }
            }
        }
    }
    (columns, blocks)
}

/// An angle of a simplex: how it changes with its corners, and the stiffness of the spring in it.
struct Angle {
    stiffness: f64,
    turn: [Vector; 4],
}

/// The angles in a triangle's corners.
fn angles_in_plane(points: [Vector; 4]) -> Vec<Angle> {
    let angle = |k: usize| {
        let (a, b) = ((k + 1) % 3, (k + 2) % 3);
        let (to_a, to_b) = (minus(points[a], points[k]), minus(points[b], points[k]));
        let (far_a, far_b) = (squared(to_a), squared(to_b));
        let mut turn = [[0.0; 3]; 4];
        turn[a] = [to_a[1] / far_a, -to_a[0] / far_a, 0.0];
        turn[b] = [-to_b[1] / far_b, to_b[0] / far_b, 0.0];
        turn[k] = [0, 1, 2].map(|d| -(turn[a][d] + turn[b][d]));
        Angle { stiffness: far_a * far_b / squared(cross(to_a, to_b)), turn }
    };
    (0..3).map(angle).collect()
}

/// The angles between a tetrahedron's faces, at its edges. Their derivatives: Blondel & Karplus 1996,
/// doi:10.1002/(SICI)1096-987X(19960715)17:9<1132::AID-JCC5>3.0.CO;2-T.
fn angles_in_space(points: [Vector; 4]) -> Vec<Angle> {
    let angle = |[i, j, k, l]: [usize; 4]| {
        let (f, g, h) = (minus(points[i], points[j]), minus(points[j], points[k]), minus(points[l], points[k]));
        let (a, b) = (cross(f, g), cross(h, g));
        let (aa, bb, edge) = (squared(a), squared(b), squared(g).sqrt());
        let mut turn = [[0.0; 3]; 4];
        for d in 0..3 {
            let along = dot(f, g) / (aa * edge) * a[d] - dot(h, g) / (bb * edge) * b[d];
            turn[i][d] = -edge / aa * a[d];
            turn[l][d] = edge / bb * b[d];
            turn[j][d] = along - turn[i][d];
            turn[k][d] = -along - turn[l][d];
        }
        Angle { stiffness: aa * bb / squared(cross(a, b)), turn }
    };
    [[2, 0, 1, 3], [1, 0, 2, 3], [1, 0, 3, 2], [0, 1, 2, 3], [0, 1, 3, 2], [0, 2, 3, 1]].map(angle).into()
}
