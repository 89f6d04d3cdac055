//! The mesh that leaves are: a cell beside finer ones has a face for each of them.

use super::division::Behind;
use super::forest::{Across, Forest, Leaves, NONE};
use super::links::{Link, Links, WHOLE};
use crate::mesh::geometry::{self, Vector};
use crate::mesh::{Boundary, Cells, Faces, Periodic};
use crate::{Mesh, Rows};

/// Where a new node of a side goes, by the number of the side's name: onto a curve.
pub type Curve<'a> = dyn Fn(usize, Vector) -> Vector + 'a;

/// Most sides of a cell.
const SIDES: usize = 6;

/// A cell on the way down: its nodes, and the name of each side that lies on the boundary.
type Outline = ([Vector; 8], [u32; SIDES]);

/// What one comes to from a root down: nodes, and volumes. These are shares of the father's, so that those of a root's leaves add up to its own
/// even where faces are not plane.
struct Descent<'a> {
    forest: &'a Forest,
    leaves: &'a Leaves,
    curve: Option<&'a Curve<'a>>,
    points: Vec<Vector>,
    volume: Vec<f64>,
    centroid: Vec<Vector>,
}

impl Descent<'_> {
    fn down(&mut self, root: u32, level: u8, (nodes, names): &Outline, volume: f64) {
        let division = self.forest.division(root);
        let (shape, count) = (division.shape(), division.shape().num_nodes());
        let own = |nodes: &[Vector; 8]| geometry::of_cell(nodes, shape, &[0, 1, 2, 3, 4, 5, 6, 7][..count]);
        if self.leaves.level[self.volume.len()] == level {
            self.points.extend_from_slice(&nodes[..count]);
            self.volume.push(volume);
            self.centroid.push(own(nodes).1);
            return;
        }
        let son = |son: usize| {
            let mut nodes = division.nodes_of(son, nodes);
            let mut own_names = [NONE; SIDES];
            for side in (0..division.shape().faces().len()).filter(|&side| names[side] != NONE) {
                if matches!(division.behind(son as u8, side as u8), Behind::Part(_)) {
                    own_names[side] = names[side];
                }
                let new =
                    nodes[..count].iter_mut().enumerate().filter(|(node, _)| division.is_new_on((son, *node), side));
                new.for_each(|(_, at)| *at = self.curve.map_or(*at, |curve| curve(names[side] as usize, *at)));
            }
            ((nodes, own_names), own(&nodes).0)
        };
        let sons: Vec<(Outline, f64)> = (0..division.num_sons()).map(son).collect();
        let sum: f64 = sons.iter().map(|(_, volume)| volume).sum();
        for (outline, part) in &sons {
            self.down(root, level + 1, outline, volume * (part / sum));
        }
    }
}

impl Forest {
    /// The mesh of leaves. Each cell has nodes of its own. Faces are in the order that [`Mesh`] says; between periodic boundaries the cell on the
    /// left is that of the root's. `curve`, in the plane: what moves new nodes of sides; volumes stay those of roots.
    pub fn mesh(&self, leaves: &Leaves, links: &Links, curve: Option<&Curve<'_>>) -> Mesh {
        let roots = &*self.roots;
        let count = leaves.len();
        let Descent { points, volume, centroid, .. } = self.descent(leaves, &roots.points, curve);
        let shape: Vec<_> = leaves.root.iter().map(|&root| roots.cells.shape[root as usize]).collect();
        let mut nodes = Rows::with_capacity(count, points.len());
        for shape in &shape {
            let first = nodes.items.len() as u32;
            nodes.push(first..first + shape.num_nodes() as u32);
        }
        let (faces, cell_faces, starts) = self.faces_of((links, &shape, &nodes));
        let inner = roots.periodic.len() + 1;
        let boundary = Boundary {
            names: roots.boundary.names.clone(),
            starts: starts[inner..].iter().map(|&start| start - starts[inner]).collect(),
        };
        let group = |(g, periodic): (usize, &Periodic)| Periodic {
            faces: starts[g + 1] as usize..starts[g + 2] as usize,
            shift: periodic.shift,
        };
        let periodic = roots.periodic.iter().enumerate().map(group).collect();
        let cells = Cells { shape, nodes, numbers: Vec::new() };
        let dim = roots.dim;
        let mut mesh = Mesh { dim, points, cells, faces, cell_faces, volume, centroid, boundary, periodic };
        geometry::of_faces(&mut mesh);
        self.seen_from_left(&mut mesh, links);
        mesh
    }

    /// Where the nodes of the leaves' mesh are when those of the roots are at other points.
    pub fn points(&self, leaves: &Leaves, roots: &[Vector]) -> Vec<Vector> {
        self.descent(leaves, roots, None).points
    }

    fn descent<'a>(&'a self, leaves: &'a Leaves, points: &[Vector], curve: Option<&'a Curve<'a>>) -> Descent<'a> {
        let (roots, count) = (&*self.roots, leaves.len());
        let (volume, centroid) = (Vec::with_capacity(count), Vec::with_capacity(count));
        let mut all = Descent { forest: self, leaves, curve, points: Vec::with_capacity(8 * count), volume, centroid };
        for root in 0..roots.num_cells() {
            let mut nodes = [[0.0; 3]; 8];
            let of_root = roots.cells.nodes.row(root).iter();
            of_root.zip(&mut nodes).for_each(|(&node, at)| *at = points[node as usize]);
            let mut names = [NONE; SIDES];
            for (side, name) in names.iter_mut().enumerate().take(roots.cells.shape[root].faces().len()) {
                if let Across::Boundary(face) = self.across(root as u32, 0, 0, side as u8) {
                    let number = face - roots.first_boundary() as u32;
                    *name = roots.boundary.starts.partition_point(|&start| start <= number) as u32 - 1;
                }
            }
            all.down(root as u32, 0, &(nodes, names), roots.volume[root]);
        }
        all
    }

    /// The group of the face of a link: faces between cells, then those of each periodic pair, then the boundary by name.
    fn group(&self, link: &Link) -> usize {
        let roots = &*self.roots;
        let face = link.face as usize;
        if link.is_boundary() {
            let b = (face - roots.first_boundary()) as u32;
            roots.periodic.len() + roots.boundary.starts.partition_point(|&start| start <= b)
        } else if link.face == NONE {
            0
        } else {
            1 + roots.periodic.iter().position(|p| p.faces.contains(&face)).expect("a periodic face")
        }
    }

    /// Faces without geometry, those of each cell, and where each group of faces begins.
    fn faces_of(&self, (links, shape, nodes): (&Links, &[crate::Shape], &Rows)) -> (Faces, Rows, Vec<u32>) {
        let count = shape.len();
        let groups = 1 + self.roots.periodic.len() + self.roots.boundary.names.len();
        let is_left = |leaf: usize, link: &Link| match (link.is_boundary(), link.face == NONE) {
            (true, _) => true,
            (false, true) => leaf < link.to as usize,
            (false, false) => link.is_left,
        };
        let left_links = || {
            (0..count).flat_map(|leaf| links.row(leaf).iter().filter(move |l| is_left(leaf, l)).map(move |l| (leaf, l)))
        };
        let mut starts = vec![0_u32; groups + 1];
        left_links().for_each(|(_, link)| starts[self.group(link) + 1] += 1);
        (0..groups).for_each(|g| starts[g + 1] += starts[g]);
        let total = starts[groups] as usize;
        let mut next = starts.clone();
        // Of each face the leaf on the left and its link.
        let mut order = vec![(0_u32, 0_u32); total];
        let mut cell_faces = Rows { starts: links.starts.clone(), items: vec![0; links.items.len()] };
        for leaf in 0..count {
            for (k, link) in links.row(leaf).iter().enumerate().filter(|(_, link)| is_left(leaf, link)) {
                let (at, place) = (links.starts[leaf] + k as u32, &mut next[self.group(link)]);
                order[*place as usize] = (leaf as u32, at);
                cell_faces.items[at as usize] = 2 * *place;
                if !link.is_boundary() {
                    cell_faces.items[links.mate(link)] = 2 * *place + 1;
                }
                *place += 1;
            }
        }
        let boundary = starts[self.roots.periodic.len() + 1];
        let mut faces = Faces { nodes: Rows::with_capacity(total, 4 * total), ..Faces::default() };
        for (face, &(leaf, at)) in order.iter().enumerate() {
            let link = &links.items[at as usize];
            faces.left.push(leaf);
            faces.right.push(if link.is_boundary() { (count + face) as u32 - boundary } else { link.to });
            let of = |leaf: u32, side: u8| {
                let row = nodes.row(leaf as usize);
                shape[leaf as usize].faces()[side as usize].iter().map(move |&k| row[k as usize])
            };
            // The nodes are those of the finer cell.
            if link.part == WHOLE {
                faces.nodes.push(of(leaf, link.side));
            } else {
                faces.nodes.push(of(link.to, link.its_side).rev());
            }
        }
        (faces, cell_faces, starts)
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
