//! Makes faces between boundaries of which one is the other, moved.

use super::elements::{MeshError, Place};
use super::geometry::{Vector, dot, length, minus, plus};
use super::{Boundary, Faces, Mesh, Periodic};

/// How far from each other nodes of two sides may lie, in lengths of their face.
const TOLERANCE: f64 = 1e-7;

/// A face to be made: the boundary face that stays, with the left cell, and the one that goes.
type Pair = (usize, usize);

impl Mesh {
    /// Joins boundaries two by two: their faces become faces between cells, and their names are gone. How far the second of two lies from the
    /// first is found from their faces.
    ///
    /// # Errors
    ///
    /// If there is no such name, or the second boundary is not the first one moved.
    pub fn joined(mut self, pairs: &[[&str; 2]]) -> Result<Mesh, MeshError> {
        let mut joined = vec![false; self.boundary.names.len()];
        let mut groups: Vec<(Vec<Pair>, Vector)> = Vec::new();
        for names in pairs {
            let mut numbers = [0; 2];
            for (number, name) in numbers.iter_mut().zip(names) {
                let known = || self.boundary.names.join(", ");
                *number = self
                    .boundary
                    .number(name)
                    .ok_or_else(|| wrong(format!("the mesh has no boundary `{name}`; it has {}", known())))?;
                if std::mem::replace(&mut joined[*number], true) {
                    return Err(wrong(format!("boundary `{name}` can be periodic with one other alone")));
                }
            }
            let (pairs, shift) = self.matched(*names, numbers)?;
            let (forth, back): (Vec<Pair>, Vec<Pair>) =
                pairs.into_iter().partition(|&(one, other)| self.faces.left[one] <= self.faces.left[other]);
            let back = back.into_iter().map(|(one, other)| (other, one)).collect();
            groups.extend(
                [(forth, shift), (back, shift.map(|x| -x))]
                    .into_iter()
                    .filter(|(pairs, _): &(Vec<Pair>, _)| !pairs.is_empty()),
            );
        }
        self.join(groups, &joined);
        Ok(self)
    }

    /// Faces of two boundaries that lie at the same place once the first is moved, and by how much.
    fn matched(&self, names: [&str; 2], numbers: [usize; 2]) -> Result<(Vec<Pair>, Vector), MeshError> {
        let faces = numbers.map(|n| self.boundary.of_name(n).map(|b| b + self.first_boundary()).collect::<Vec<_>>());
        let [one, other] = names;
        let differ = |what: String| wrong(format!("boundaries `{one}` and `{other}` cannot be periodic: {what}"));
        if faces[0].len() != faces[1].len() {
            return Err(differ(format!("they have {} and {} sides", faces[0].len(), faces[1].len())));
        }
        let mean = |faces: &[usize]| {
            let sum = faces.iter().fold([0.0; 3], |sum, &face| plus(sum, self.faces.centre[face]));
            sum.map(|x| x / faces.len() as f64)
        };
        let shift = minus(mean(&faces[1]), mean(&faces[0]));
        // Round-off across the direction is none of it.
        let shift = shift.map(|x| if x.abs() < 1e-12 * length(shift) { 0.0 } else { x });
        // Faces are found by where they lie along a line that no mesh is aligned to.
        let along = |at: Vector| dot(at, [0.598_4, 0.632_1, 0.492_3]);
        let mut sorted: Vec<(f64, usize)> =
            faces[1].iter().map(|&face| (along(self.faces.centre[face]), face)).collect();
        sorted.sort_by(|a, b| a.0.total_cmp(&b.0));
        let mut pairs = Vec::with_capacity(sorted.len());
        for &face in &faces[0] {
            let at = plus(self.faces.centre[face], shift);
            let near = TOLERANCE * self.extent(face) + 1e-13 * length(at);
            let first = sorted.partition_point(|&(place, _)| place < along(at) - near);
            let candidates = sorted[first..].iter().take_while(|&&(place, _)| place <= along(at) + near);
            let found = candidates.map(|&(_, other)| other).find(|&other| self.is_moved(face, other, shift, near));
            pairs.push((
                face,
                found.ok_or_else(|| {
                    let [x, y, z] = self.faces.centre[face].map(|x| x as f32);
                    differ(format!("the side of `{one}` at ({x}, {y}, {z}), moved by {shift:?}, is none of `{other}`"))
                })?,
            ));
        }
        Ok((pairs, shift))
    }

    /// A length of a face.
    fn extent(&self, face: usize) -> f64 {
        if self.dim == 2 { self.faces.size[face] } else { self.faces.size[face].sqrt() }
    }

    /// True if each node of a face, moved, is one of the other's.
    fn is_moved(&self, face: usize, other: usize, shift: Vector, near: f64) -> bool {
        let at = |node: u32| self.points[node as usize];
        let (nodes, others) = (self.faces.nodes.row(face), self.faces.nodes.row(other));
        let has = |place: Vector| others.iter().any(|&node| length(minus(at(node), place)) <= near);
        nodes.len() == others.len() && nodes.iter().all(|&node| has(plus(at(node), shift)))
    }

    /// Makes the faces, and numbers what is left of the boundary.
    fn join(&mut self, groups: Vec<(Vec<Pair>, Vector)>, joined: &[bool]) {
        let first = self.first_boundary();
        let mut order: Vec<usize> = (0..first).collect();
        let mut right: Vec<u32> = self.faces.right[..first].to_vec();
        // Of each boundary face: its new entry in the lists of cells.
        let mut entries = vec![0_u32; self.boundary.len()];
        for (mut pairs, shift) in groups {
            let start = order.len();
            pairs.sort_by_key(|&(one, _)| (self.faces.left[one], one));
            for (one, other) in pairs {
                entries[one - first] = 2 * order.len() as u32;
                entries[other - first] = 2 * order.len() as u32 + 1;
                order.push(one);
                right.push(self.faces.left[other]);
            }
            self.periodic.push(Periodic { faces: start..order.len(), shift });
        }
        let start = order.len();
        let mut boundary = Boundary { names: Vec::new(), starts: vec![0] };
        for n in (0..joined.len()).filter(|&n| !joined[n]) {
            for face in self.boundary.of_name(n).map(|b| b + first) {
                entries[face - first] = 2 * order.len() as u32;
                right.push((self.num_cells() + order.len() - start) as u32);
                order.push(face);
            }
            boundary.names.push(self.boundary.names[n].clone());
            boundary.starts.push((order.len() - start) as u32);
        }
        for entry in self.cell_faces.items.iter_mut().filter(|entry| **entry / 2 >= first as u32) {
            *entry = entries[(*entry / 2) as usize - first];
        }
        self.boundary = boundary;
        self.faces = Faces { right, ..self.faces.in_order(&order) };
    }
}

impl Faces {
    /// These faces in this order.
    fn in_order(&self, order: &[usize]) -> Faces {
        let mut nodes = super::Rows::with_capacity(order.len(), self.nodes.items.len());
        order.iter().for_each(|&face| nodes.push(self.nodes.row(face).iter().copied()));
        Faces {
            left: order.iter().map(|&face| self.left[face]).collect(),
            right: Vec::new(),
            normal: order.iter().map(|&face| self.normal[face]).collect(),
            size: order.iter().map(|&face| self.size[face]).collect(),
            centre: order.iter().map(|&face| self.centre[face]).collect(),
            nodes,
        }
    }
}

fn wrong(what: String) -> MeshError {
    MeshError::new(Place::None, what)
}

#[cfg(test)]
mod tests {
    use crate::Mesh;
    use crate::make::{Block, Of};

    /// Joined sides are between cells, each once, and see each other moved; the rest of the boundary keeps its names and its ghosts follow the
    /// cells. Cells stay closed.
    #[test]
    fn opposite_sides_are_joined() {
        for (cells, of) in [
            (&[5, 4][..], Of::Triangles),
            (&[1, 3], Of::Quadrilaterals),
            (&[4, 3, 3], Of::Hexahedra),
            (&[3, 3, 2], Of::Tetrahedra),
        ] {
            let block = Block { lower: vec![-1.0; cells.len()], shake: 0.2, ..Block::new(cells, of) };
            let whole = Mesh::new(block.make().unwrap()).unwrap();
            let (sides, cells) = (whole.boundary.len(), whole.num_cells());
            let removed = [0, 1].map(|n| whole.boundary.of_name(n).len()).iter().sum::<usize>();
            let mesh = whole.clone().joined(&[["x_upper", "x_lower"]]).unwrap();
            assert_eq!(mesh.boundary.len(), sides - removed);
            assert_eq!(mesh.num_faces(), whole.num_faces() - removed / 2);
            assert_eq!(mesh.boundary.names, whole.boundary.names[2..]);
            assert!(mesh.closedness() < 1e-14);
            let mut seen = 0;
            for group in &mesh.periodic {
                for face in group.faces.clone() {
                    let (left, right) = (mesh.faces.left[face] as usize, mesh.faces.right[face] as usize);
                    assert!(left <= right && right < cells);
                    let from_right: f64 = (0..3)
                        .map(|d| {
                            (mesh.faces.centre[face][d] + group.shift[d] - mesh.centroid[right][d])
                                * mesh.faces.normal[face][d]
                        })
                        .sum();
                    assert!(from_right < 0.0);
                    assert_eq!(
                        mesh.cell_faces.row(right).iter().filter(|&&entry| entry as usize == 2 * face + 1).count(),
                        1
                    );
                    seen += 1;
                }
            }
            assert_eq!(seen, removed / 2);
            for face in mesh.first_boundary()..mesh.num_faces() {
                assert_eq!(mesh.faces.right[face] as usize, cells + face - mesh.first_boundary());
                assert!(mesh.cell_faces.row(mesh.faces.left[face] as usize).contains(&(2 * face as u32)));
            }
            let all = mesh.joined(&[["y_lower", "y_upper"]]).unwrap();
            assert!(all.closedness() < 1e-14);
        }
    }

    /// Sides that do not match are told.
    #[test]
    fn other_sides_are_not_joined() {
        let told = |cells: &[usize], pairs: &[[&str; 2]]| {
            Mesh::new(Block::new(cells, Of::Triangles).make().unwrap()).unwrap().joined(pairs).unwrap_err().what
        };
        assert!(told(&[3, 2], &[["x_lower", "left"]]).contains("no boundary `left`; it has x_lower, x_upper"));
        assert!(told(&[3, 2], &[["x_lower", "y_lower"]]).contains("they have 2 and 3 sides"));
        assert!(told(&[3, 3], &[["x_lower", "y_lower"]]).contains("is none of `y_lower`"));
        assert!(
            told(&[3, 3], &[["x_lower", "x_upper"], ["x_upper", "y_lower"]]).contains("periodic with one other alone")
        );
    }
}
