//! How a cell is divided: its sons, their nodes, and what lies behind each of their faces. Integers alone.

use crate::Shape;
use crate::mesh::geometry::{Vector, mean, plus, times};

/// Most sons of a cell.
pub const MOST_SONS: usize = 8;

/// What lies behind a side of a son.
#[derive(Clone, Copy, Debug)]
pub(super) enum Behind {
    /// Another son, with the side that it has there, and the turn: corner `k` of the one side is corner `turn − k` of the other.
    Son { son: u8, side: u8, turn: u8 },
    /// What lies behind this part of the father's side of the same number.
    Part(u8),
}

/// The sons of a shape. Parts of a side are numbered as its corners, which they hold; son's sides are small copies of the father's.
#[derive(Debug)]
pub(super) struct Division {
    shape: Shape,
    /// Of each son, of each of its nodes: the father's nodes whose mean it is, those across each other in pairs.
    nodes: Vec<Vec<Vec<u8>>>,
    /// Of each son and each of its sides.
    behind: Vec<Vec<Behind>>,
    /// Of each side and each of its parts: the son.
    at: Vec<Vec<u8>>,
}

/// Whether a node lies at the upper end along an axis, in quadrilaterals and hexahedra.
fn is_upper(node: u8, axis: usize) -> bool {
    match axis {
        0 => matches!(node % 4, 1 | 2),
        1 => node % 4 > 1,
        _ => node > 3,
    }
}

/// The father's nodes whose mean is node `node` of son `son`.
fn means(shape: Shape, son: u8, node: u8) -> Vec<u8> {
    let all = 0..shape.num_nodes() as u8;
    let of = |n: &u8| match shape {
        Shape::Triangle if son == 3 => *n != node,
        Shape::Triangle => *n == son || *n == node,
        _ => (0..shape.dim())
            .all(|axis| is_upper(son, axis) != is_upper(node, axis) || is_upper(*n, axis) == is_upper(son, axis)),
    };
    let set: Vec<u8> = all.filter(of).collect();
    // Both cells beside a face add the same pairs: their nodes are the same to the bit.
    let around = shape.faces().iter().find(|face| face.len() == 4 && face.iter().all(|n| set.contains(n)));
    match (set.len(), around) {
        (4, Some(face)) => vec![face[0], face[2], face[1], face[3]],
        _ => set,
    }
}

impl Division {
    /// `None` for shapes that are not divided.
    pub fn of(shape: Shape) -> Option<Self> {
        if !matches!(shape, Shape::Triangle | Shape::Quadrilateral | Shape::Hexahedron) {
            return None;
        }
        let sons = 0..1_u8 << shape.dim();
        let corners = 0..shape.num_nodes() as u8;
        let nodes: Vec<Vec<Vec<u8>>> =
            sons.map(|son| corners.clone().map(|node| means(shape, son, node)).collect()).collect();
        let side = |son: usize, side: usize| -> Vec<Vec<u8>> {
            let corner = |&k: &u8| {
                let mut set = nodes[son][k as usize].clone();
                set.sort_unstable();
                set
            };
            shape.faces()[side].iter().map(corner).collect()
        };
        let all = || (0..nodes.len()).flat_map(|son| (0..shape.faces().len()).map(move |side| (son, side)));
        let mut at: Vec<Vec<u8>> = shape.faces().iter().map(|face| vec![0; face.len()]).collect();
        let mut behind = vec![Vec::new(); nodes.len()];
        for (son, number) in all() {
            let own = side(son, number);
            let n = own.len();
            let mate = all().filter(|&(other, _)| other != son).find_map(|(other, there)| {
                let its = side(other, there);
                let turn = (0..n).find(|turn| its.len() == n && (0..n).all(|k| own[k] == its[(turn + n - k) % n]))?;
                Some(Behind::Son { son: other as u8, side: there as u8, turn: turn as u8 })
            });
            behind[son].push(mate.unwrap_or_else(|| {
                let part = own.iter().position(|set| set.len() == 1).expect("a corner of the father");
                at[number][part] = son as u8;
                Behind::Part(part as u8)
            }));
        }
        Some(Division { shape, nodes, behind, at })
    }

    /// Number of sons.
    pub fn num_sons(&self) -> usize {
        self.nodes.len()
    }

    /// What lies behind a son's side.
    pub fn behind(&self, son: u8, side: u8) -> Behind {
        self.behind[son as usize][side as usize]
    }

    /// The son at a part of a side.
    pub fn at(&self, side: u8, part: u8) -> u8 {
        self.at[side as usize][part as usize]
    }

    /// Parts of a side.
    pub fn parts(&self, side: u8) -> u8 {
        self.at[side as usize].len() as u8
    }

    /// The father's nodes whose mean a node of a son is.
    pub fn means(&self, son: usize, node: usize) -> &[u8] {
        &self.nodes[son][node]
    }

    /// Where the nodes of a son lie.
    pub fn nodes_of(&self, son: usize, father: &[Vector; 8]) -> [Vector; 8] {
        let mut nodes = [[0.0; 3]; 8];
        for (node, means) in nodes.iter_mut().zip(&self.nodes[son]) {
            let at = |k: u8| father[k as usize];
            *node = match means[..] {
                [a] => at(a),
                [a, b] => times(0.5, plus(at(a), at(b))),
                [a, b, c, d] => times(0.25, plus(plus(at(a), at(b)), plus(at(c), at(d)))),
                _ => mean(&father[..means.len()]),
            };
        }
        nodes
    }

    /// Whether a node of a son lies on a side of the father and is none of its corners.
    pub fn is_new_on(&self, (son, node): (usize, usize), side: usize) -> bool {
        let means = &self.nodes[son][node];
        means.len() > 1 && means.iter().all(|n| self.shape.faces()[side].contains(n))
    }

    /// The shape.
    pub fn shape(&self) -> Shape {
        self.shape
    }
}
