//! Nodes and volumes of leaves, from their fathers' down.

use super::division::{Behind, MOST_SONS};
use super::forest::{Across, Forest, Leaves, NONE};
use super::renew::Before;
use crate::Shape;
use crate::mesh::geometry::{self, Vector, minus, plus, squared, times};
use crate::threads;
use std::collections::HashMap;

/// Where a new node of a side goes, by the number of the side's name: onto a curve.
pub type Curve<'a> = dyn Fn(usize, Vector) -> Vector + Sync + 'a;

/// Where a node of a side is at a time, by where it was before the mesh moved.
pub type NowAt<'a> = dyn Fn(Vector) -> Vector + Sync + 'a;

/// Most sides of a cell.
const SIDES: usize = 6;

/// A cell on the way down: its nodes, and the name of each side that lies on the boundary.
#[derive(Clone, Copy)]
struct Cell {
    nodes: [Vector; 8],
    /// Where they were before the mesh moved, where that is asked for.
    still: [Vector; 8],
    names: [u32; SIDES],
    /// A share of the father's, so that volumes of a root's leaves add up to its own even where faces are not plane.
    volume: f64,
    centroid: Vector,
}

/// The way from a cell down to a leaf. What the next leaf's has in common with it is not gone again.
#[derive(Clone)]
pub(super) struct Descent<'a> {
    forest: &'a Forest,
    /// What moves the new nodes of sides, as they are before the mesh moves.
    curve: Option<&'a Curve<'a>>,
    /// Where a node is that a curve has moved, if the mesh has moved.
    moved: Option<&'a NowAt<'a>>,
    /// Whether volumes are wanted.
    measures: bool,
    /// Root, level and place of the cell where it begins.
    top: Option<((u32, u8, u64), Cell)>,
    /// Of each cell on it its place, and its sons.
    fathers: Vec<(u64, [Cell; MOST_SONS])>,
}

impl<'a> Descent<'a> {
    /// A way that has not begun.
    pub fn new(
        forest: &'a Forest,
        (curve, moved): (Option<&'a Curve<'a>>, Option<&'a NowAt<'a>>),
        measures: bool,
    ) -> Self {
        Descent { forest, curve, moved, measures, top: None, fathers: Vec::new() }
    }

    /// The cell of a level at a place of the root of `top`, at or below `top`, which is `first`.
    fn to(&mut self, top: (u32, u8, u64), first: impl FnOnce() -> Cell, (level, place): (u8, u64)) -> &Cell {
        if self.top.as_ref().is_none_or(|(known, _)| *known != top) {
            (self.top, self.fathers) = (Some((top, first())), Vec::new());
        }
        let (forest, depth) = (self.forest, usize::from(level - top.1));
        let above = |k: usize| forest.ancestor(top.1 + k as u8, place);
        let common =
            self.fathers.iter().take(depth).enumerate().take_while(|(k, father)| father.0 == above(*k)).count();
        self.fathers.truncate(common);
        while self.fathers.len() < depth {
            let k = self.fathers.len();
            let sons = self.sons(top.0, self.last(top.1 + k as u8, place));
            self.fathers.push((above(k), sons));
        }
        self.last(level, place)
    }

    /// The cell that the way has come to, of this level at this place.
    fn last(&self, level: u8, place: u64) -> &Cell {
        match self.fathers.last() {
            None => &self.top.as_ref().expect("the way has begun").1,
            Some((_, sons)) => &sons[self.forest.son(level, place) as usize],
        }
    }

    fn sons(&self, root: u32, father: &Cell) -> [Cell; MOST_SONS] {
        let division = self.forest.division(root);
        let (shape, count) = (division.shape(), division.num_sons());
        let mut sons = [*father; MOST_SONS];
        for (number, son) in sons.iter_mut().enumerate().take(count) {
            son.nodes = division.nodes_of(number, &father.nodes);
            if self.moved.is_some() {
                son.still = division.nodes_of(number, &father.still);
            }
            for side in (0..shape.faces().len()).filter(|&side| father.names[side] != NONE) {
                if !matches!(division.behind(number as u8, side as u8), Behind::Part(_)) {
                    son.names[side] = NONE;
                }
                let Some(curve) = self.curve else { continue };
                for node in (0..shape.num_nodes()).filter(|&node| division.is_new_on((number, node), side)) {
                    let before = if self.moved.is_some() { &mut son.still[node] } else { &mut son.nodes[node] };
                    *before = curve(father.names[side] as usize, *before);
                    if let Some(moved) = self.moved {
                        son.nodes[node] = moved(son.still[node]);
                    }
                }
            }
            if self.measures {
                (son.volume, son.centroid) = measured(&son.nodes, shape);
            }
        }
        let sum: f64 = sons[..count].iter().map(|son| son.volume).sum();
        sons[..count].iter_mut().for_each(|son| son.volume = father.volume * (son.volume / sum));
        sons
    }
}

/// The edges around a face.
fn edges(face: &[u8]) -> impl Iterator<Item = [u8; 2]> + '_ {
    (0..face.len()).map(|k| [face[k], face[(k + 1) % face.len()]])
}

/// Volume and centroid of a cell with these nodes.
fn measured(nodes: &[Vector; 8], shape: Shape) -> (f64, Vector) {
    geometry::of_cell(nodes, shape, &[0, 1, 2, 3, 4, 5, 6, 7][..shape.num_nodes()])
}

/// What is known of leaves without their neighbours.
#[derive(Default)]
pub(super) struct Places {
    /// Nodes, leaf by leaf.
    pub points: Vec<Vector>,
    pub volume: Vec<f64>,
    pub centroid: Vec<Vector>,
}

impl Forest {
    /// Nodes and volumes of leaves when the roots' nodes are at `points`. What was `before` stays, and new sons come from there.
    pub(super) fn places(
        &self,
        leaves: &Leaves,
        points: &[Vector],
        before: Option<&Before<'_>>,
        begin: Descent<'_>,
    ) -> Places {
        let pieces = threads::pieces(leaves.len(), &|range| {
            let mut some = Places::default();
            let mut descent = begin.clone();
            for leaf in range {
                let (root, level, place) = (leaves.root[leaf], leaves.level[leaf], leaves.place[leaf]);
                let count = self.roots.cells.shape[root as usize].num_nodes();
                let old =
                    before.map(|before| (before, before.renewed.from[leaf] as usize, before.renewed.change[leaf]));
                if let Some((before, from, 0)) = old {
                    let nodes = before.mesh.cells.nodes.row(from).iter();
                    some.points.extend(nodes.map(|&node| before.mesh.points[node as usize]));
                    some.volume.push(before.mesh.volume[from]);
                    some.centroid.push(before.mesh.centroid[from]);
                    continue;
                }
                let cell = match old {
                    Some((before, from, 1)) => {
                        let top = (root, level - 1, self.ancestor(level - 1, place));
                        descent.to(top, || self.old(root, before, from), (level, place))
                    }
                    _ => descent.to((root, 0, 0), || self.root(root, points), (level, place)),
                };
                some.points.extend_from_slice(&cell.nodes[..count]);
                some.volume.push(cell.volume);
                some.centroid.push(cell.centroid);
            }
            some
        });
        Places {
            points: threads::joined(&pieces, |piece| &piece.points),
            volume: threads::joined(&pieces, |piece| &piece.volume),
            centroid: threads::joined(&pieces, |piece| &piece.centroid),
        }
    }

    /// Where the nodes of the leaves' mesh are when those of the roots are at other points; with curves, where their nodes are then.
    pub fn points(&self, leaves: &Leaves, roots: &[Vector], curved: Option<(&Curve<'_>, &NowAt<'_>)>) -> Vec<Vector> {
        self.places(leaves, roots, None, Descent::new(self, curved.unzip(), false)).points
    }

    /// In space: the middle of an edge that a curve moves for some roots and leaves alone, or moves elsewhere, for others, which then would not touch.
    pub fn torn(&self, curve: &Curve<'_>) -> Option<Vector> {
        let roots = &*self.roots;
        let mut known = HashMap::new();
        let mut torn = None;
        // First those of curved sides, then the same of all cells.
        for of_sides in [true, false] {
            for (root, nodes) in (0..roots.num_cells()).map(|root| (root, roots.cells.nodes.row(root))) {
                let (cell, faces) = (self.root(root as u32, &roots.points), self.division(root as u32).shape().faces());
                let named = || (0..faces.len()).filter(|&side| cell.names[side] != NONE);
                let sides: Vec<usize> = if of_sides { named().collect() } else { (0..faces.len()).collect() };
                for [a, b] in sides.iter().flat_map(|&side| edges(faces[side])) {
                    let [from, to] = [a, b].map(|end| cell.nodes[end as usize]);
                    let middle = times(0.5, plus(from, to));
                    let on = named().filter(|&side| faces[side].contains(&a) && faces[side].contains(&b));
                    let moved = on.fold(middle, |at, side| curve(cell.names[side] as usize, at));
                    let mut ends = [a, b].map(|end| nodes[end as usize]);
                    ends.sort_unstable();
                    let first =
                        if of_sides { Some(*known.entry(ends).or_insert(moved)) } else { known.get(&ends).copied() };
                    let is_far = |first: Vector| squared(minus(first, moved)) > 1e-18 * squared(minus(to, from));
                    torn = torn.or(Some(middle).filter(|_| first.is_some_and(is_far)));
                }
            }
        }
        torn
    }

    /// A root whose mesh has these nodes.
    fn root(&self, root: u32, points: &[Vector]) -> Cell {
        let (number, mut names) = (root as usize, [NONE; SIDES]);
        for (side, name) in names.iter_mut().enumerate().take(self.division(root).shape().faces().len()) {
            if let Across::Boundary(face) = self.across(root, 0, 0, side as u8) {
                *name = self.name_of(face);
            }
        }
        self.cell(
            root,
            (points, &self.roots.points, self.roots.cells.nodes.row(number)),
            names,
            self.roots.volume[number],
        )
    }

    /// A leaf as it was, of this root.
    fn old(&self, root: u32, Before { mesh, links, .. }: &Before<'_>, leaf: usize) -> Cell {
        let mut names = [NONE; SIDES];
        for link in links.row(leaf).iter().filter(|link| link.is_boundary()) {
            names[link.side as usize] = self.name_of(link.face);
        }
        self.cell(root, (&mesh.points, &mesh.points, mesh.cells.nodes.row(leaf)), names, mesh.volume[leaf])
    }

    fn cell(
        &self,
        root: u32,
        (points, still, row): (&[Vector], &[Vector], &[u32]),
        names: [u32; SIDES],
        volume: f64,
    ) -> Cell {
        let gathered = |points: &[Vector]| {
            let mut nodes = [[0.0; 3]; 8];
            nodes.iter_mut().zip(row).for_each(|(at, &node)| *at = points[node as usize]);
            nodes
        };
        let (nodes, still) = (gathered(points), gathered(still));
        Cell { nodes, still, names, volume, centroid: measured(&nodes, self.division(root).shape()).1 }
    }
}
