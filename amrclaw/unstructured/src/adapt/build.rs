//! The mesh that leaves are: a cell beside finer ones has a face for each of them.

use super::descent::{Curve, Descent, Places};
use super::forest::{Forest, Leaves, NONE};
use super::links::{Link, Links, WHOLE};
use super::renew::Before;
use crate::mesh::geometry::{self, minus, plus, squared, times};
use crate::mesh::{Boundary, Cells, Faces, Periodic};
use crate::step::renewed_stencil;
use crate::{Mesh, Rows, threads};
use std::ops::Range;

/// Leaves with their links, and what they are made of.
struct Parts<'a> {
    forest: &'a Forest,
    links: &'a Links,
    mesh: &'a Mesh,
    before: Option<&'a Before<'a>>,
    curve: Option<&'a Curve<'a>>,
    /// Of each leaf where its faces began in the lists `before`, if they are the same.
    kept: Vec<u32>,
    /// Of each leaf the first of the faces between two leaves, on whose left it is.
    firsts: Vec<u32>,
}

/// True if a leaf is on the left of a face that lies between leaves of one root or of two that share a side.
fn is_left(leaf: usize, link: &Link) -> bool {
    link.face == NONE && leaf < link.to as usize
}

impl Forest {
    /// The mesh of leaves. Each cell has nodes of its own. Faces are in the order that [`Mesh`] says; between periodic boundaries the cell on the
    /// left is that of the root's. `curve`: what moves new nodes of sides; volumes stay those of roots. Where nothing has changed
    /// geometry is that of the mesh `before`, to the bit.
    pub fn mesh(&self, leaves: &Leaves, links: &Links, before: Option<&Before<'_>>, curve: Option<&Curve<'_>>) -> Mesh {
        let roots = &*self.roots;
        let descent = Descent::new(self, (curve, None), true);
        let Places { points, volume, centroid } = self.places(leaves, &roots.points, before, descent);
        let shape = threads::table(leaves.len(), &|leaf| roots.cells.shape[leaves.root[leaf] as usize]);
        let mut nodes = Rows { starts: Vec::with_capacity(shape.len() + 1), items: (0..points.len() as u32).collect() };
        nodes.starts.push(0);
        let mut end = 0;
        nodes.starts.extend(shape.iter().map(|shape| {
            end += shape.num_nodes() as u32;
            end
        }));
        let cells = Cells { shape, nodes, numbers: Vec::new() };
        let mut mesh = Mesh { dim: roots.dim, points, cells, volume, centroid, ..Mesh::default() };
        mesh.cell_faces = Rows { starts: links.starts.clone(), items: Vec::new() };
        let parts = self.parts(links, &mesh, before, curve);
        let (faces, items, starts) = parts.faces();
        let kept = parts.kept;
        (mesh.faces, mesh.cell_faces.items) = (faces, items);
        let inner = roots.periodic.len() + 1;
        mesh.boundary = Boundary {
            names: roots.boundary.names.clone(),
            starts: starts[inner..].iter().map(|&start| start - starts[inner]).collect(),
        };
        let group = |(g, periodic): (usize, &Periodic)| Periodic {
            faces: starts[g + 1] as usize..starts[g + 2] as usize,
            shift: periodic.shift,
        };
        mesh.periodic = roots.periodic.iter().enumerate().map(group).collect();
        self.seen_from_left(&mut mesh, links);
        if curve.is_some() {
            mesh.bulge = vec![0.0; mesh.num_cells()];
            let of_faces = geometry::of_mesh(&mesh, &mesh.points).0;
            mesh.bulge = mesh.volume.iter().zip(of_faces).map(|(volume, of_faces)| volume - of_faces).collect();
        }
        if let Some(known) = before.and_then(|before| before.mesh.stencil.as_ref()) {
            mesh.stencil = Some(renewed_stencil(&mesh, known, &|leaf| Some(kept[leaf]).filter(|&first| first != NONE)));
        }
        mesh
    }

    fn parts<'a>(
        &'a self,
        links: &'a Links,
        mesh: &'a Mesh,
        before: Option<&'a Before<'a>>,
        curve: Option<&'a Curve<'a>>,
    ) -> Parts<'a> {
        let count = |leaf: usize| links.row(leaf).iter().filter(|link| is_left(leaf, link)).count() as u32;
        let mut firsts =
            threads::table(mesh.num_cells() + 1, &|leaf| if leaf < mesh.num_cells() { count(leaf) } else { 0 });
        let mut sum = 0;
        firsts.iter_mut().for_each(|first| sum += std::mem::replace(first, sum));
        let kept = before.map_or(Vec::new(), |Before { mesh: old, renewed, .. }| {
            threads::table(mesh.num_cells(), &|leaf| match renewed.stays(leaf, links.row(leaf)) {
                true => old.cell_faces.starts[renewed.from[leaf] as usize],
                false => NONE,
            })
        });
        Parts { forest: self, links, mesh, before, curve, kept, firsts }
    }

    /// The group of the face of a link that is not between leaves alone: those of each periodic pair, then the boundary by name.
    fn group(&self, link: &Link) -> usize {
        self.group_of(link.face, link.is_boundary())
    }

    /// The same of a face of a root.
    pub(super) fn group_of(&self, face: u32, is_boundary: bool) -> usize {
        let roots = &*self.roots;
        match is_boundary {
            true => roots.periodic.len() + self.name_of(face) as usize + 1,
            false => {
                let is_it = |periodic: &Periodic| periodic.faces.contains(&(face as usize));
                1 + roots.periodic.iter().position(is_it).expect("a periodic face")
            }
        }
    }

    /// Moves centres of periodic faces that are the right cell's to where the left cell sees them.
    fn seen_from_left(&self, mesh: &mut Mesh, links: &Links) {
        for periodic in &mesh.periodic {
            for face in periodic.faces.clone() {
                let left = mesh.faces.left[face] as usize;
                let row = mesh.cell_faces.row(left).iter().position(|&entry| entry as usize == 2 * face);
                let link = links.row(left)[row.expect("the face is the cell's")];
                if link.part != WHOLE {
                    (0..3).for_each(|d| mesh.faces.centre[face][d] -= periodic.shift[d]);
                }
            }
        }
    }
}

impl Parts<'_> {
    /// The faces, those of each cell, and where each group of faces begins: between leaves, each periodic pair, the boundary by name.
    fn faces(&self) -> (Faces, Vec<u32>, Vec<u32>) {
        let pieces = threads::pieces(self.mesh.num_cells(), &|leaves| self.piece(leaves));
        let groups = 1 + self.forest.roots.periodic.len() + self.forest.roots.boundary.names.len();
        let mut faces = Faces::joined(&pieces, |(faces, ..)| faces);
        let mut items = threads::joined(&pieces, |(_, entries, _)| entries);
        let mut others = threads::joined(&pieces, |(.., others)| others);
        others.sort_by_key(|&(group, ..)| group);
        let mut starts = vec![faces.left.len() as u32; groups + 1];
        starts[0] = 0;
        let boundary = others.partition_point(|&(group, ..)| group <= self.forest.roots.periodic.len());
        for (number, &(group, leaf, k)) in others.iter().enumerate() {
            let (face, at) = (faces.left.len() as u32, self.links.starts[leaf] as usize + k);
            let link = &self.links.items[at];
            items[at] = 2 * face;
            if !link.is_boundary() {
                items[self.links.mate(link)] = 2 * face + 1;
            }
            self.add(&mut faces, (leaf, k));
            if link.is_boundary() {
                *faces.right.last_mut().expect("added") = (self.mesh.num_cells() + number - boundary) as u32;
            }
            starts[group + 1..].fill(face + 1);
        }
        (faces, items, starts)
    }

    /// Of some leaves: the faces between leaves on whose left they are, the entries of their lists, and by group, leaf and link the other faces,
    /// whose entries are not known yet.
    fn piece(&self, leaves: Range<usize>) -> (Faces, Vec<u32>, Vec<(usize, usize, usize)>) {
        let (mut faces, mut entries, mut others) = (Faces::default(), Vec::with_capacity(6 * leaves.len()), Vec::new());
        for leaf in leaves {
            let mut next = self.firsts[leaf];
            for (k, link) in self.links.row(leaf).iter().enumerate() {
                if link.face != NONE {
                    if link.is_boundary() || link.is_left {
                        others.push((self.forest.group(link), leaf, k));
                    }
                    entries.push(NONE);
                } else if is_left(leaf, link) {
                    self.add(&mut faces, (leaf, k));
                    entries.push(2 * next);
                    next += 1;
                } else {
                    let other = link.to as usize;
                    let before = &self.links.items[self.links.starts[other] as usize..self.links.mate(link)];
                    let rank = before.iter().filter(|link| is_left(other, link)).count() as u32;
                    entries.push(2 * (self.firsts[other] + rank) + 1);
                }
            }
        }
        (faces, entries, others)
    }

    /// Adds the face of a leaf's link.
    fn add(&self, faces: &mut Faces, (leaf, k): (usize, usize)) {
        let (mesh, link) = (self.mesh, &self.links.row(leaf)[k]);
        faces.left.push(leaf as u32);
        faces.right.push(link.to);
        let of = |leaf: u32, side: u8| {
            let row = mesh.cells.nodes.row(leaf as usize);
            mesh.cells.shape[leaf as usize].faces()[side as usize].iter().map(move |&k| row[k as usize])
        };
        // The nodes are those of the finer cell.
        match link.part {
            WHOLE => {
                let further = self.further(leaf, link);
                let nodes = of(leaf as u32, link.side).zip(further.into_iter().chain([None; 4]));
                faces.nodes.push(nodes.flat_map(|(node, further)| std::iter::once(node).chain(further)));
            }
            _ => faces.nodes.push(of(link.to, link.its_side).rev()),
        }
        let kept = self.kept.get(leaf).filter(|&&first| first != NONE && link.face == NONE);
        match self.before.zip(kept) {
            Some((Before { mesh: old, .. }, &first)) => {
                let face = (old.cell_faces.items[first as usize + k] / 2) as usize;
                faces.normal.push(old.faces.normal[face]);
                faces.size.push(old.faces.size[face]);
                faces.centre.push(old.faces.centre[face]);
            }
            None => geometry::add_face(&mesh.points, faces),
        }
    }

    /// In space: of each edge of a leaf's face on a curved side the node that finer leaves beside it have there.
    fn further(&self, leaf: usize, link: &Link) -> [Option<u32>; 4] {
        let Some(curve) = self.curve.filter(|_| self.mesh.dim == 3 && link.is_boundary()) else { return [None; 4] };
        let of = |leaf: usize| (self.mesh.cells.nodes.row(leaf), self.mesh.cells.shape[leaf].faces());
        let at = |node: u32| self.mesh.points[node as usize];
        let (nodes, faces) = of(leaf);
        let (side, name) = (faces[link.side as usize], self.forest.name_of(link.face) as usize);
        let is_finer = |link: &&Link| link.part != WHOLE;
        std::array::from_fn(|k| {
            let ends = [side[k], side[(k + 1) % 4]];
            let mut finer = self.links.row(leaf).iter().filter(is_finer);
            let beside = finer.find(|link| {
                let across = faces[link.side as usize];
                across[link.part as usize] == ends[0] && across.contains(&ends[1])
            })?;
            let [a, b] = ends.map(|end| at(nodes[end as usize]));
            let middle = curve(name, times(0.5, plus(a, b)));
            let (nodes, faces) = of(beside.to as usize);
            let far = |node: &u32| squared(minus(at(*node), middle));
            let of_side = faces[beside.its_side as usize].iter().map(|&corner| nodes[corner as usize]);
            of_side.min_by(|a, b| far(a).total_cmp(&far(b)))
        })
    }
}
