//! A forest in the plane as numbers, for kernels.

use super::division::{Behind, Division};
use super::forest::{Across, Forest, Leaves};
use crate::Shape;

/// Where parts of a table begin, as `cuda/kernels/leaves.cuh` has them.
const AT: usize = 16;
const MEANS: usize = 24;
const CORNERS: usize = 40;
const SIDES: usize = 44;
const WORDS: usize = 45;

/// A forest as numbers.
#[derive(Clone, Debug)]
pub struct Tables {
    /// Of each shape, triangles and quadrilaterals: for each son and side the son behind it, its side, its turn and the highest bit, or
    /// the part of the father's side; for each side and part the son; for each son and node how many of the father's nodes it is the
    /// mean of, and these; for each side its corners; the number of sides.
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
        let mut words = vec![0; WORDS];
        for (side, corners) in shape.faces().iter().enumerate() {
            words[CORNERS + side] = u32::from(corners[0]) | u32::from(corners[1]) << 4;
            for part in 0..2 {
                words[AT + 2 * side + part] = self.at(side as u8, part as u8).into();
            }
            for son in 0..self.num_sons() {
                words[4 * son + side] = match self.behind(son as u8, side as u8) {
                    Behind::Part(part) => part.into(),
                    Behind::Son { son, side, turn } => {
                        1 << 31 | u32::from(son) | u32::from(side) << 4 | u32::from(turn) << 8
                    }
                };
            }
        }
        for son in 0..self.num_sons() {
            for node in 0..shape.num_nodes() {
                let means = self.means(son, node);
                let numbers = means.iter().zip(1..).map(|(&node, k)| u32::from(node) << (4 * k));
                words[MEANS + 4 * son + node] = numbers.fold(means.len() as u32, |all, number| all | number);
            }
        }
        words[SIDES] = shape.faces().len() as u32;
        words
    }
}

impl Forest {
    /// The forest as numbers; `None` in space.
    pub fn tables(&self) -> Option<Tables> {
        let roots = &*self.roots;
        if roots.dim != 2 {
            return None;
        }
        let division = |shape| Division::of(shape).expect("shapes of the plane are divided").words();
        let (mut across, mut points) = (Vec::new(), Vec::new());
        for root in 0..roots.num_cells() {
            let sides = roots.cells.shape[root].faces().len();
            for side in 0..4 {
                across.extend(if side < sides { self.word_across(root as u32, side as u8) } else { [0; 2] });
            }
            let nodes = roots.cells.nodes.row(root);
            points.extend((0..4).flat_map(|k| {
                nodes.get(k).map_or([0.0; 2], |&node| {
                    let [x, y, _] = roots.points[node as usize];
                    [x, y]
                })
            }));
        }
        Some(Tables {
            division: [Shape::Triangle, Shape::Quadrilateral].into_iter().flat_map(division).collect(),
            across,
            shapes: roots.cells.shape.iter().map(|&shape| u32::from(shape == Shape::Quadrilateral)).collect(),
            points,
            shifts: roots.periodic.iter().flat_map(|periodic| [periodic.shift[0], periodic.shift[1]]).collect(),
        })
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
