//! Finds the faces that cells share.
//!
//! A *half* is a face as one of its cells sees it, numbered `cell · 8 + position`. Halves are gathered by their least node; of one node's few
//! halves those with the same nodes are one face.

use super::elements::{Elements, MeshError, Rows};
use super::{Boundary, Faces, geometry};
use crate::threads;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

/// No half: the face lies at the boundary.
const NONE: u32 = u32::MAX;

/// Nodes of a face in an order that all its cells find: from the least node on, towards the lesser of its neighbours. Unused places hold [`NONE`].
pub(super) type Key = [u32; 4];

/// The key of a face, and true if the key runs against the face's own order.
pub(super) fn key(nodes: &[u32]) -> (Key, bool) {
    let n = nodes.len();
    let first = (0..n).min_by_key(|&i| nodes[i]).expect("a face has nodes");
    let at = |i: usize| nodes[(first + i) % n];
    let backwards = if n == 2 { first == 1 } else { at(1) > at(n - 1) };
    let mut key = [NONE; 4];
    (0..n).for_each(|i| key[i] = if backwards { at(n - i) } else { at(i) });
    (key, backwards)
}

/// What a half is on the other side.
struct Halves<'a> {
    elements: &'a Elements,
    /// Of each cell: its first entry in `mate`.
    starts: Vec<u32>,
    /// Of each half, in the order of cells: the half on the other side.
    mate: Vec<AtomicU32>,
}

/// Nodes of a half, in its cell's order.
fn nodes_of(elements: &Elements, half: u32) -> impl ExactSizeIterator<Item = u32> + Clone + '_ {
    let cell = (half / 8) as usize;
    let nodes = elements.nodes.row(cell);
    elements.shape[cell].faces()[(half % 8) as usize].iter().map(|&k| nodes[k as usize])
}

fn key_of(elements: &Elements, half: u32) -> (Key, bool) {
    let mut nodes = [0; 4];
    let mut count = 0;
    nodes_of(elements, half).for_each(|node| {
        nodes[count] = node;
        count += 1;
    });
    key(&nodes[..count])
}

/// All halves, by cell.
fn halves(elements: &Elements) -> impl Iterator<Item = u32> + '_ {
    elements
        .shape
        .iter()
        .enumerate()
        .flat_map(|(cell, shape)| (0..shape.faces().len()).map(move |k| (cell * 8 + k) as u32))
}

/// Finds faces, and the boundary's names. Normals, sizes and centres are left empty.
pub(super) fn build(elements: &Elements) -> Result<(Faces, Rows, Boundary), MeshError> {
    let halves = Halves::paired(elements)?;
    let mut cell_faces = Rows { starts: halves.starts.clone(), items: vec![0; halves.mate.len()] };
    let mut faces = Faces::default();
    let mut open = Vec::new();
    for (at, half) in self::halves(elements).enumerate() {
        let mate = halves.mate[at].load(Relaxed);
        if mate == NONE {
            open.push((key_of(elements, half).0, half));
        } else if half < mate {
            let face = faces.push(elements, half, mate / 8);
            cell_faces.items[at] = face * 2;
            cell_faces.items[halves.at(mate)] = face * 2 + 1;
        }
    }
    let (named, boundary) = name(elements, open)?;
    for (b, half) in named.into_iter().enumerate() {
        let face = faces.push(elements, half, (elements.shape.len() + b) as u32);
        cell_faces.items[halves.at(half)] = face * 2;
    }
    Ok((faces, cell_faces, boundary))
}

impl Faces {
    fn push(&mut self, elements: &Elements, half: u32, right: u32) -> u32 {
        self.left.push(half / 8);
        self.right.push(right);
        self.nodes.push(nodes_of(elements, half));
        (self.left.len() - 1) as u32
    }
}

impl<'a> Halves<'a> {
    fn at(&self, half: u32) -> usize {
        self.starts[(half / 8) as usize] as usize + (half % 8) as usize
    }

    /// Finds the mates.
    fn paired(elements: &'a Elements) -> Result<Self, MeshError> {
        let mut starts = Vec::with_capacity(elements.shape.len() + 1);
        starts.push(0);
        starts.extend(elements.shape.iter().scan(0, |end, shape| {
            *end += shape.faces().len() as u32;
            Some(*end)
        }));
        let count = *starts.last().expect("not empty") as usize;
        let mate = threads::table(count, &|_| NONE).into_iter().map(AtomicU32::new).collect();
        let halves = Halves { elements, starts, mate };
        let by_node = by_least_node(elements);
        let wrong = OnceLock::new();
        threads::in_ranges(elements.points.len(), &|nodes| {
            let mut keys: Vec<(Key, u32, bool)> = Vec::new();
            for node in nodes {
                keys.clear();
                keys.extend(by_node.row(node).iter().map(|&half| {
                    let (key, backwards) = key_of(elements, half);
                    (key, half, backwards)
                }));
                keys.sort_unstable();
                if keys.chunk_by(|a, b| a.0 == b.0).any(|same| !halves.pair(same)) {
                    // Which of several errors is told does not matter: the first is searched for below.
                    let _ = wrong.set(());
                }
            }
        });
        match wrong.get() {
            None => Ok(halves),
            Some(()) => Err(halves.mismatch(&by_node)),
        }
    }

    /// Notes who is whose mate; false if these halves are not one face.
    fn pair(&self, same: &[(Key, u32, bool)]) -> bool {
        match same {
            [_] => true,
            [(_, one, there), (_, other, back)] if there != back && one / 8 != other / 8 => {
                self.mate[self.at(*one)].store(*other, Relaxed);
                self.mate[self.at(*other)].store(*one, Relaxed);
                true
            }
            _ => false,
        }
    }

    /// Says what is wrong with the first halves that are not one face.
    fn mismatch(&self, by_node: &Rows) -> MeshError {
        let elements = self.elements;
        let of_node = |node: usize| {
            let mut keys: Vec<_> = by_node.row(node).iter().map(|&half| (key_of(elements, half), half)).collect();
            keys.sort_unstable_by_key(|&((key, _), half)| (key, half));
            let same = keys.chunk_by(|a, b| a.0.0 == b.0.0).find(|same| match same {
                [_] => false,
                [a, b] => a.0.1 == b.0.1 || a.1 / 8 == b.1 / 8,
                _ => true,
            });
            same.map(|same| same.iter().map(|&(_, half)| half).collect::<Vec<_>>())
        };
        let same = (0..elements.points.len()).find_map(of_node).expect("some halves do not fit");
        let cells: Vec<usize> = same.iter().map(|half| (half / 8) as usize).collect();
        let sorted = |cell: usize| {
            let mut nodes = elements.nodes.row(cell).to_vec();
            nodes.sort_unstable();
            nodes
        };
        let (first, last) = (cells[0], cells[cells.len() - 1]);
        let place = centre(elements, same[0]);
        let twice =
            (0..cells.len()).find_map(|i| (0..i).find(|&j| sorted(cells[i]) == sorted(cells[j])).map(|j| (j, i)));
        if let Some((j, i)) = twice {
            return elements
                .cell_error(cells[i], format!("is {} once more: list each cell once", elements.cell(cells[j]).0));
        }
        if cells.len() > 2 {
            let names: Vec<String> = cells.iter().map(|&cell| elements.cell(cell).0).collect();
            let names = names.join(", ");
            return elements.cell_error(
                last,
                format!("has a face at {place} that belongs to {names}: a face has two cells at most"),
            );
        }
        let other = elements.cell(first).0;
        elements.cell_error(
            last,
            format!("and {other} lie on the same side of their face at {place}: one of them is turned inside out"),
        )
    }
}

/// Halves by their least node.
fn by_least_node(elements: &Elements) -> Rows {
    let least = |half: u32| nodes_of(elements, half).min().expect("a face has nodes") as usize;
    let mut starts = vec![0_u32; elements.points.len() + 2];
    halves(elements).for_each(|half| starts[least(half) + 2] += 1);
    (2..starts.len()).for_each(|i| starts[i] += starts[i - 1]);
    let mut items = vec![0; starts[starts.len() - 1] as usize];
    for half in halves(elements) {
        let at = &mut starts[least(half) + 1];
        items[*at as usize] = half;
        *at += 1;
    }
    starts.pop();
    Rows { starts, items }
}

/// Where a half is, as text.
fn centre(elements: &Elements, half: u32) -> String {
    let nodes = nodes_of(elements, half);
    let count = nodes.len() as f64;
    let mean = |d: usize| nodes.clone().map(|node| elements.points[node as usize][d]).sum::<f64>() / count;
    let mean: Vec<String> = (0..elements.dim).map(|d| format!("{}", mean(d) as f32)).collect();
    format!("({})", mean.join(", "))
}

/// The halves of the boundary by name, in the order of cells, and the names.
fn name(elements: &Elements, mut open: Vec<(Key, u32)>) -> Result<(Vec<u32>, Boundary), MeshError> {
    let sides = &elements.sides;
    open.sort_unstable();
    let mut names = vec![NONE; open.len()];
    for side in 0..sides.nodes.len() {
        let wanted = key(sides.nodes.row(side)).0;
        let Ok(at) = open.binary_search_by_key(&wanted, |&(key, _)| key) else {
            return Err(misplaced(elements, side, wanted));
        };
        let name = std::mem::replace(&mut names[at], sides.name[side]);
        if name != NONE && name != sides.name[side] {
            let other = &sides.names[name as usize];
            return Err(elements.side_error(side, format!("is also a side of `{other}`: give it one name")));
        }
    }
    let unnamed = || names.iter().zip(&open).filter(|&(&name, _)| name == NONE).map(|(_, &(_, half))| half);
    if let Some(half) = unnamed().min() {
        let place = centre(elements, half);
        let hanging = unnamed().find_map(|other| hanging(elements, half, other));
        let what = hanging.unwrap_or("has no cell and no name beyond it: the mesh is open there".to_owned());
        return Err(elements.cell_error((half / 8) as usize, format!("has a side at {place} that {what}")));
    }
    let mut order: Vec<(u32, u32)> = names.iter().zip(&open).map(|(&name, &(_, half))| (name, half)).collect();
    order.sort_unstable();
    let mut boundary = Boundary { names: Vec::new(), starts: vec![0] };
    for of_name in order.chunk_by(|a, b| a.0 == b.0) {
        boundary.names.push(sides.names[of_name[0].0 as usize].clone());
        boundary.starts.push(boundary.starts[boundary.starts.len() - 1] + of_name.len() as u32);
    }
    Ok((order.into_iter().map(|(_, half)| half).collect(), boundary))
}

/// Says if a node of one side lies on another one without being its node.
fn hanging(elements: &Elements, half: u32, other: u32) -> Option<String> {
    let (these, those): (Vec<u32>, Vec<u32>) =
        (nodes_of(elements, half).collect(), nodes_of(elements, other).collect());
    let at = |node: &u32| elements.points[*node as usize];
    let on = |side: &[u32], node: &&u32| {
        let corners: Vec<_> = side.iter().map(at).collect();
        !side.contains(node) && geometry::lies_on(&corners, at(node))
    };
    let node = those.iter().find(|node| on(&these, node)).or_else(|| these.iter().find(|node| on(&those, node)))?;
    let place: Vec<String> = at(node)[..elements.dim].iter().map(|x| format!("{}", *x as f32)).collect();
    let other = elements.cell((other / 8) as usize).0;
    Some(format!(
        "meets a part of a side of {other}, with a hanging node at ({}): cells share whole sides",
        place.join(", ")
    ))
}

/// Says why a side is none of the boundary's.
fn misplaced(elements: &Elements, side: usize, wanted: Key) -> MeshError {
    let cells: Vec<String> = halves(elements)
        .filter(|&half| key_of(elements, half).0 == wanted)
        .map(|half| elements.cell((half / 8) as usize).0)
        .collect();
    if cells.is_empty() {
        return elements.side_error(side, "belongs to no cell: its nodes are no cell's face");
    }
    let cells = cells.join(" and ");
    elements.side_error(side, format!("lies between {cells}: names are for the mesh's boundary, leave this one out"))
}
