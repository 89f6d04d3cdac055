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
use crate::{Mesh, Rows, Shape, threads};
use rayon::prelude::*;

/// Nodes of a task.
const PART: usize = 4096;

/// Lanes of a device's warp.
const LANES: usize = 32;

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
        let pieces = threads::pieces(nodes, &|range| {
            let (mut ends, mut columns, mut blocks) = (Vec::with_capacity(range.len()), Vec::new(), Vec::new());
            for node in range {
                if !is_held[node] {
                    add_row(mesh, &all, (around.row(node), node as u32), &mut columns, &mut blocks);
                }
                ends.push(columns.len() as u32);
            }
            (ends, columns, blocks)
        });
        let mut columns = Rows::with_capacity(nodes, 0);
        for (ends, ..) in &pieces {
            let first = columns.starts[columns.starts.len() - 1];
            columns.starts.extend(ends.iter().map(|end| first + end));
        }
        columns.items = threads::joined(&pieces, |(_, columns, _)| columns);
        let blocks = threads::joined(&pieces, |(.., blocks)| blocks);
        let own = |node: usize| {
            let Ok(place) = columns.row(node).binary_search(&(node as u32)) else { return [[0.0; 3]; 3] };
            let first = (columns.starts[node] as usize + place) * dim * dim;
            let of = |i: usize, j: usize| if i.max(j) < dim { blocks[first + i * dim + j] } else { 0.0 };
            inverse(dim, [0, 1, 2].map(|i| [0, 1, 2].map(|j| of(i, j))))
        };
        Springs { dim, inverses: threads::table(nodes, &own), is_held, columns, blocks }
    }

    /// Axes.
    pub fn dim(&self) -> usize {
        self.dim
    }

    /// Number of nodes.
    pub fn num_nodes(&self) -> usize {
        self.is_held.len()
    }

    /// Whether a node has been given a place.
    pub fn is_held(&self, node: usize) -> bool {
        self.is_held[node]
    }

    /// The nodes that act on a node, and the block of the matrix for each; none on held ones.
    pub fn row(&self, node: usize) -> (&[u32], &[f64]) {
        let [begin, end] = [0, 1].map(|k| self.columns.starts[node + k] as usize);
        let block = self.dim * self.dim;
        (&self.columns.items[begin..end], &self.blocks[block * begin..block * end])
    }

    /// The inverse of a free node's own block.
    pub fn inverse(&self, node: usize) -> [Vector; 3] {
        self.inverses[node]
    }

    /// The forces on free nodes, and 0 on others.
    pub fn forces(&self, displaced: &[f64]) -> Vec<f64> {
        let mut forces = vec![0.0; displaced.len()];
        self.act(displaced, &mut forces);
        forces
    }

    fn act(&self, displaced: &[f64], forces: &mut [f64]) {
        let dim = self.dim;
        self.of_nodes(forces, &|node, force| {
            let (columns, blocks) = self.row(node);
            for (column, block) in columns.iter().zip(blocks.chunks_exact(dim * dim)) {
                let from = &displaced[*column as usize * dim..][..dim];
                for i in 0..dim {
                    (0..dim).for_each(|j| force[i] += block[i * dim + j] * from[j]);
                }
            }
        });
    }

    /// Forces times the inverses of nodes' own blocks.
    pub fn precondition(&self, forces: &[f64], ahead: &mut [f64]) {
        let dim = self.dim;
        self.of_nodes(ahead, &|node, out| {
            for i in 0..dim {
                (0..dim).for_each(|j| out[i] += self.inverses[node][i][j] * forces[node * dim + j]);
            }
        });
    }

    fn of_nodes(&self, all: &mut [f64], add: &(dyn Fn(usize, &mut [f64]) + Sync)) {
        all.par_chunks_mut(self.dim * PART).enumerate().for_each(|(k, part)| {
            part.fill(0.0);
            part.chunks_mut(self.dim).enumerate().for_each(|(i, out)| add(k * PART + i, out));
        });
    }

    /// Displaces free nodes, which are at rest, until the forces on them are `tolerance` of what they are now, and counts the iterations. `displaced`: of
    /// held nodes what they are, of free ones 0. Kernels do the same operations in the same order.
    pub fn solve(&self, displaced: &mut [f64], tolerance: f64) -> usize {
        let [mut along, mut residual, mut ahead] = [0; 3].map(|_| vec![0.0; displaced.len()]);
        let mut forces = self.forces(displaced);
        let (mut step, mut left, mut enough) = (1.0, 0.0, 0.0);
        for iterations in 0.. {
            add(displaced, step, &along);
            add(&mut residual, -step, &forces);
            self.precondition(&residual, &mut ahead);
            let now = self.product(&residual, &ahead);
            let share = if iterations == 0 { 0.0 } else { now / left };
            if iterations == 0 {
                enough = tolerance * tolerance * now;
            }
            left = now;
            // So that it ends where the equations have no solution.
            let goes_on = left > enough && iterations < displaced.len();
            if !goes_on {
                return iterations;
            }
            along.par_iter_mut().zip(&ahead).for_each(|(along, ahead)| *along = ahead + share * *along);
            self.act(&along, &mut forces);
            step = left / self.product(&along, &forces);
        }
        unreachable!("the loop ends by returning")
    }

    /// The sum of products, in an order that neither threads nor devices change: of 32 nodes at a time, as a tree; of these sums every 1024th, then as
    /// trees again.
    pub fn product(&self, a: &[f64], b: &[f64]) -> f64 {
        let (dim, nodes) = (self.dim, self.is_held.len());
        let of_node = |node: usize| {
            let row = node * dim..(node + 1) * dim;
            a[row.clone()].iter().zip(&b[row]).fold(0.0, |sum, (a, b)| sum + a * b)
        };
        let of_lanes = |k: usize| {
            let node = |lane: usize| LANES * k + lane;
            tree(std::array::from_fn(|lane| if node(lane) < nodes { of_node(node(lane)) } else { 0.0 }))
        };
        let mut sums = [0.0; LANES * LANES];
        let parts = threads::table(nodes.div_ceil(LANES), &of_lanes);
        parts.iter().enumerate().for_each(|(k, part)| sums[k % (LANES * LANES)] += part);
        tree(std::array::from_fn(|k| tree(std::array::from_fn(|lane| sums[LANES * k + lane]))))
    }
}

/// The sum over the lanes of a warp.
fn tree(mut lanes: [f64; LANES]) -> f64 {
    let mut distance = LANES / 2;
    while distance > 0 {
        (0..distance).for_each(|lane| lanes[lane] += lanes[lane + distance]);
        distance /= 2;
    }
    lanes[0]
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

/// Adds the row of a node, a corner of these simplices: who acts on it, and the blocks.
fn add_row(
    mesh: &Mesh,
    all: &[Simplex],
    (around, node): (&[u32], u32),
    all_columns: &mut Vec<u32>,
    all_blocks: &mut Vec<f64>,
) {
    let dim = mesh.dim;
    let mut columns: Vec<u32> = around.iter().flat_map(|&s| &all[s as usize][..=dim]).copied().collect();
    columns.sort_unstable();
    columns.dedup();
    let begin = all_blocks.len();
    all_blocks.resize(begin + columns.len() * dim * dim, 0.0);
    let blocks = &mut all_blocks[begin..];
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
    all_columns.extend(columns);
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
