//! A forest as numbers, for kernels.

use super::division::{Behind, Division};
use super::forest::{Across, Forest, Leaves};
use crate::{Mesh, Shape};

/// Where parts of the table of a shape's division begin, as `cuda/kernels/leaves.cuh` has them, and how many there are of what there is most.
struct Layout {
    sides: usize,
    parts: usize,
    nodes: usize,
    at: usize,
    means: usize,
    corners: usize,
    words: usize,
}

impl Layout {
    fn of(dim: usize) -> Self {
        let (sides, parts, nodes) = (2 * dim, 1 << (dim - 1), 1 << dim);
        let at = nodes * sides;
        let means = at + sides * parts;
        let corners = means + nodes * nodes;
        Layout { sides, parts, nodes, at, means, corners, words: corners + sides + 1 }
    }
}

/// A forest as numbers.
#[derive(Clone, Debug)]
pub struct Tables {
    /// Of each shape, triangles and quadrilaterals or hexahedra: for each son and side the son behind it, its side, its turn and the highest bit, or
    /// the part of the father's side; for each side and part the son; for each son and node how many of the father's nodes it is the
    /// mean of, and up to four of these; for each side its corners; the number of sides.
    pub division: Vec<u32>,
    /// Of each root and side: the root behind it; its side, its turn, whether the root is on the left of a periodic face, whether the
    /// boundary is there, and the group of the face.
    pub across: Vec<u32>,
    /// Of each root the number of its shape.
    pub shapes: Vec<u32>,
    /// Of each root its nodes.
    pub points: Vec<f64>,
    /// Of each pair of periodic sides the shift.
    pub shifts: Vec<f64>,
}

impl Division {
    fn words(&self) -> Vec<u32> {
        let shape = self.shape();
        let Layout { sides, parts, nodes, at, means, corners, words } = Layout::of(shape.dim());
        let mut words = vec![0; words];
        let packed = |numbers: &[u8], first| {
            numbers.iter().zip(first..).map(|(&number, k)| u32::from(number) << (4 * k)).sum::<u32>()
        };
        for (side, of_side) in shape.faces().iter().enumerate() {
            words[corners + side] = packed(of_side, 0);
            for part in 0..parts {
                words[at + parts * side + part] = self.at(side as u8, part as u8).into();
            }
            for son in 0..self.num_sons() {
                words[sides * son + side] = match self.behind(son as u8, side as u8) {
                    Behind::Part(part) => part.into(),
                    Behind::Son { son, side, turn } => {
                        1 << 31 | u32::from(son) | u32::from(side) << 4 | u32::from(turn) << 8
                    }
                };
            }
        }
        for son in 0..self.num_sons() {
            for node in 0..shape.num_nodes() {
                let of = self.means(son, node);
                words[means + nodes * son + node] = of.len() as u32 + packed(if of.len() > 4 { &[] } else { of }, 1);
            }
        }
        words[corners + sides] = shape.faces().len() as u32;
        words
    }
}

/// The shapes that are divided, in the order of their numbers.
fn divided_shapes(dim: usize) -> &'static [Shape] {
    if dim == 3 { &[Shape::Hexahedron] } else { &[Shape::Triangle, Shape::Quadrilateral] }
}

/// [`Tables::division`].
pub fn division_words(dim: usize) -> Vec<u32> {
    let words = |&shape: &Shape| Division::of(shape).expect("these shapes are divided").words();
    divided_shapes(dim).iter().flat_map(words).collect()
}

impl Forest {
    /// The forest as numbers.
    pub fn tables(&self) -> Tables {
        let roots = &*self.roots;
        let Layout { sides, nodes, .. } = Layout::of(roots.dim);
        let shapes = divided_shapes(roots.dim);
        let mut across = Vec::new();
        for root in 0..roots.num_cells() {
            let own = roots.cells.shape[root].faces().len();
            for side in 0..sides {
                across.extend(if side < own { self.word_across(root as u32, side as u8) } else { [0; 2] });
            }
        }
        let number = |shape: &Shape| shapes.iter().position(|other| other == shape).expect("checked") as u32;
        Tables {
            division: division_words(roots.dim),
            across,
            shapes: roots.cells.shape.iter().map(number).collect(),
            points: (0..roots.num_cells()).flat_map(|root| points_of(roots, root, nodes)).collect(),
            shifts: roots.periodic.iter().flat_map(|periodic| periodic.shift[..roots.dim].to_vec()).collect(),
        }
    }

    fn word_across(&self, root: u32, side: u8) -> [u32; 2] {
        match self.across(root, 0, 0, side) {
            Across::Boundary(face) => [0, 1 << 9 | (self.group_of(face, true) as u32) << 10],
            Across::Cell { root, side, turn, periodic, .. } => {
                let (group, is_left) =
                    periodic.map_or((0, false), |(face, is_left)| (self.group_of(face, false), is_left));
                [root, u32::from(side) | u32::from(turn) << 4 | u32::from(is_left) << 8 | (group as u32) << 10]
            }
        }
    }
}

impl Leaves {
    /// Leaves of so many roots, in order.
    pub fn of(root: Vec<u32>, level: Vec<u8>, place: Vec<u64>, roots: usize) -> Self {
        let mut leaves = Leaves { root, level, place, starts: Vec::new() };
        leaves.index(roots);
        leaves
    }
}

/// Where the nodes of a cell are, axis by axis: so many nodes, of which some may not be there.
pub fn points_of(mesh: &Mesh, cell: usize, nodes: usize) -> impl Iterator<Item = f64> + '_ {
    let own = mesh.cells.nodes.row(cell);
    let at = |k: usize| own.get(k).map_or([0.0; 3], |&node| mesh.points[node as usize]);
    (0..nodes).flat_map(move |k| (0..mesh.dim).map(move |d| at(k)[d]))
}
