//! The cells of a mesh from a file as roots of trees, and leaves by where they are in them.

use super::division::{Behind, Division};
use crate::mesh::MeshError;
use crate::mesh::geometry::{Vector, dot, minus};
use crate::{Mesh, Place, Shape};
use std::sync::Arc;

/// Most levels of leaves below a root.
pub const MOST_LEVELS: u8 = 20;

/// No face of a root.
pub(super) const NONE: u32 = u32::MAX;

/// Cells of a mesh that may be divided again and again.
#[derive(Debug)]
pub struct Forest {
    pub(super) roots: Arc<Mesh>,
    divisions: Vec<Option<Division>>,
    /// What lies behind each side of each root, as their lists of faces are.
    behind: Vec<Across>,
}

/// What lies behind a side of a cell.
#[derive(Clone, Copy, Debug)]
pub(super) enum Across {
    /// The boundary: a face of a root.
    Boundary(u32),
    /// A cell of the same level, which need not be a leaf.
    Cell {
        root: u32,
        place: u64,
        /// Its side.
        side: u8,
        /// Corner `k` of the one side is corner `turn − k` of the other.
        turn: u8,
        /// The periodic face between, and whether this cell is on its left.
        periodic: Option<(u32, bool)>,
    },
}

/// Leaves in order: by root, then as one comes to them from father to sons.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Leaves {
    /// Of each leaf: its root.
    pub root: Vec<u32>,
    /// Of each leaf: how often its root has been divided for it.
    pub level: Vec<u8>,
    /// Of each leaf: from the highest bits down which son to take, level by level; zeros below its own.
    pub place: Vec<u64>,
    /// Leaves `starts[r] .. starts[r + 1]` have root `r`.
    pub starts: Vec<u32>,
}

impl Leaves {
    /// Number of leaves.
    pub fn len(&self) -> usize {
        self.root.len()
    }

    /// True without leaves.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The leaf that begins at a place or holds it.
    pub(super) fn find(&self, root: u32, place: u64) -> usize {
        let [start, end] = [0, 1].map(|k| self.starts[root as usize + k] as usize);
        start + self.place[start..end].partition_point(|&at| at <= place) - 1
    }

    pub(super) fn push(&mut self, root: u32, level: u8, place: u64) {
        self.root.push(root);
        self.level.push(level);
        self.place.push(place);
    }

    /// No leaf yet.
    pub(super) fn none(capacity: usize) -> Self {
        let list = Vec::with_capacity(capacity);
        Leaves { root: list, level: Vec::with_capacity(capacity), place: Vec::with_capacity(capacity), starts: vec![] }
    }

    /// Finds where each root's leaves begin.
    pub(super) fn index(&mut self, roots: usize) {
        self.starts = (0..=roots as u32).map(|root| self.root.partition_point(|&r| r < root) as u32).collect();
    }
}

impl Forest {
    /// The cells of a mesh as roots.
    ///
    /// # Errors
    /// The mesh has cells of shapes that are not divided.
    pub fn new(roots: Arc<Mesh>) -> Result<Self, MeshError> {
        let divisions: Vec<Option<Division>> = Shape::ALL.iter().map(|&shape| Division::of(shape)).collect();
        if let Some(shape) = roots.cells.shape.iter().find(|shape| divisions[**shape as usize].is_none()) {
            let what = format!("the mesh has {}: triangles, quadrilaterals and hexahedra are refined", shape.plural());
            return Err(MeshError::new(Place::None, what));
        }
        let mut behind = Vec::with_capacity(roots.cell_faces.items.len());
        for root in 0..roots.num_cells() {
            behind.extend(roots.cell_faces.row(root).iter().map(|&entry| across_root(&roots, root, entry)));
        }
        Ok(Forest { roots, divisions, behind })
    }

    /// The mesh that the roots are.
    pub fn roots(&self) -> &Arc<Mesh> {
        &self.roots
    }

    /// The roots as leaves.
    pub fn undivided(&self) -> Leaves {
        let roots = self.roots.num_cells();
        let mut leaves = Leaves::none(roots);
        (0..roots as u32).for_each(|root| leaves.push(root, 0, 0));
        leaves.index(roots);
        leaves
    }

    /// Sons of a divided cell.
    pub fn num_sons(&self) -> usize {
        1 << self.roots.dim
    }

    /// How cells of a root are divided.
    pub(super) fn division(&self, root: u32) -> &Division {
        self.divisions[self.roots.cells.shape[root as usize] as usize].as_ref().expect("checked as it was made")
    }

    /// Where the number of the son of level `level` stands in a place.
    pub(super) fn shift(&self, level: u8) -> u32 {
        self.roots.dim as u32 * u32::from(MOST_LEVELS - level)
    }

    /// Which son of its father a cell is.
    pub(super) fn son(&self, level: u8, place: u64) -> u8 {
        (place >> self.shift(level)) as u8 & (self.num_sons() - 1) as u8
    }

    /// The place of the ancestor of a level.
    pub(super) fn ancestor(&self, level: u8, place: u64) -> u64 {
        let shift = self.shift(level);
        if level == 0 { 0 } else { place >> shift << shift }
    }

    /// The number of the name of a boundary face of a root.
    pub(super) fn name_of(&self, face: u32) -> u32 {
        self.roots.boundary.name_of(face as usize - self.roots.first_boundary()) as u32
    }

    /// What lies behind a side of a cell: up to the ancestor whose side it is, and down again on the other side.
    pub(super) fn across(&self, root: u32, level: u8, place: u64, side: u8) -> Across {
        if level == 0 {
            return self.behind[self.roots.cell_faces.starts[root as usize] as usize + side as usize];
        }
        let (shift, son) = (self.shift(level), self.son(level, place));
        let father = self.ancestor(level - 1, place);
        match self.division(root).behind(son, side) {
            Behind::Son { son, side, turn } => {
                Across::Cell { root, place: father | u64::from(son) << shift, side, turn, periodic: None }
            }
            Behind::Part(part) => match self.across(root, level - 1, father, side) {
                Across::Cell { root, place, side, turn, periodic } => {
                    let division = self.division(root);
                    let parts = division.parts(side);
                    let son = division.at(side, (turn + parts - part) % parts);
                    Across::Cell { root, place: place | u64::from(son) << shift, side, turn, periodic }
                }
                boundary => boundary,
            },
        }
    }
}

/// What lies behind a root's side.
fn across_root(roots: &Mesh, root: usize, entry: u32) -> Across {
    let (face, is_left) = ((entry / 2) as usize, entry.is_multiple_of(2));
    if face >= roots.first_boundary() {
        return Across::Boundary(face as u32);
    }
    let other = [roots.faces.left[face], roots.faces.right[face]][usize::from(is_left)];
    let its = roots.cell_faces.row(other as usize).iter().position(|&e| e == entry ^ 1).expect("both cells have it");
    let mine = roots.cell_faces.row(root).iter().position(|&e| e == entry).expect("it is the cell's");
    let shift = roots.shift(face).map(|x| if is_left { x } else { -x });
    let corners = |cell: usize, side: usize| -> Vec<Vector> {
        let nodes = roots.cells.nodes.row(cell);
        let at = |&k: &u8| roots.points[nodes[k as usize] as usize];
        roots.cells.shape[cell].faces()[side].iter().map(at).collect()
    };
    let (own, there) = (corners(root, mine), corners(other as usize, its));
    let n = own.len();
    let apart = |turn: usize| -> f64 {
        let apart = |k: usize| {
            let seen: Vector = std::array::from_fn(|d| own[k][d] + shift[d]);
            let far = minus(there[(turn + n - k) % n], seen);
            dot(far, far)
        };
        (0..n).map(apart).sum()
    };
    let turn = (0..n).min_by(|&a, &b| apart(a).total_cmp(&apart(b))).expect("a side has corners");
    let is_periodic = roots.periodic.iter().any(|periodic| periodic.faces.contains(&face));
    let periodic = is_periodic.then_some((face as u32, is_left));
    Across::Cell { root: other, place: 0, side: its as u8, turn: turn as u8, periodic }
}
