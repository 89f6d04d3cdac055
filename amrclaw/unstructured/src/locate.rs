//! Which cell holds a point, or a part of a line, and which cells are near one another.

use crate::Mesh;
use crate::mesh::geometry::{Vector, cross, dot, mean, minus, squared, times, triangles};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::ops::Range;

/// Most cells of a [`Group`].
const MOST: usize = 2048;
/// Part of a cell by which a point may lie outside: round-off, so that none falls between two cells.
const ROUND_OFF: f64 = 1e-12;

/// Cells near one another.
pub struct Group {
    /// The cells.
    pub cells: Vec<u32>,
    /// The box around their nodes.
    pub ends: [[f64; 3]; 2],
}

impl Mesh {
    /// Lower and upper end of the nodes along each axis.
    pub fn bounds(&self) -> [[f64; 2]; 3] {
        let [lower, upper] = ends(self.points.iter().copied());
        [0, 1, 2].map(|d| [lower[d], upper[d]])
    }

    /// The cells that a straight line passes, each with the parts of the line, 0 to 1, at which it enters and leaves; a cell with a face that is not
    /// plane perhaps twice. By nodes alone: such a face is triangles around the mean of its nodes, as for [`Mesh::volume`].
    pub fn along(&self, from: [f64; 3], to: [f64; 3]) -> impl Iterator<Item = (usize, [f64; 2])> {
        let line = Line { from, way: minus(to, from) };
        (0..self.cells.shape.len())
            .flat_map(move |cell| self.parts_within(cell, line).into_iter().flatten().map(move |part| (cell, part)))
    }

    /// The parts of a line in a cell.
    fn parts_within(&self, cell: usize, line: Line) -> Option<Vec<[f64; 2]>> {
        let nodes = self.cells.nodes.row(cell);
        let point = |k: u8| self.points[nodes[k as usize] as usize];
        let faces = self.cells.shape[cell].faces();
        // A face in space has three nodes at least.
        let planes = faces.iter().map(|face| {
            let [a, b] = [point(face[0]), point(face[1])];
            let outwards = match **face {
                [_, _, c, ..] => cross(minus(b, a), minus(point(c), a)),
                _ => [b[1] - a[1], a[0] - b[0], 0.0],
            };
            (a, outwards)
        });
        let is_bent = |((a, outwards), face): ((Vector, Vector), &&[u8])| match **face {
            [_, _, _, d] => {
                let apart = minus(point(d), a);
                dot(apart, outwards).powi(2) > ROUND_OFF * ROUND_OFF * squared(apart) * squared(outwards)
            }
            _ => false,
        };
        if !planes.clone().zip(faces).any(is_bent) {
            return line.within(planes).map(|part| vec![part]);
        }
        let corners: Vec<Vector> = (0..nodes.len() as u8).map(point).collect();
        line.within(sides_of_box(ends(corners.iter().copied())))?;
        let middle = mean(&corners);
        let of_face = |face: &&[u8]| {
            let corners: Vec<Vector> = face.iter().map(|&k| point(k)).collect();
            triangles(&corners).collect::<Vec<_>>()
        };
        let of_simplex = |[a, b, c]: [Vector; 3]| {
            let corners = [a, b, c, middle];
            let planes = (0..4).map(move |k| {
                let [p, q, r, beyond] = std::array::from_fn(|i| corners[(k + i) % 4]);
                let normal = cross(minus(q, p), minus(r, p));
                (p, if dot(normal, minus(beyond, p)) > 0.0 { times(-1.0, normal) } else { normal })
            });
            line.within(planes)
        };
        let mut parts: Vec<_> = faces.iter().flat_map(of_face).filter_map(of_simplex).collect();
        parts.sort_by(|a, b| a[0].total_cmp(&b[0]));
        parts.dedup_by(|next, part| {
            let follows = next[0] <= part[1] + ROUND_OFF;
            if follows {
                part[1] = part[1].max(next[1]);
            }
            follows
        });
        Some(parts)
    }

    /// The first cell that holds a point: one that lies inside all its faces.
    pub fn cell_at(&self, point: &[f64]) -> Option<usize> {
        self.cell_among(0..self.num_cells(), point)
    }

    /// The first of these cells that holds a point.
    pub fn cell_among(&self, mut cells: Range<usize>, point: &[f64]) -> Option<usize> {
        cells.find(|&cell| {
            self.cell_faces.row(cell).iter().all(|&entry| {
                let (face, sign) = ((entry / 2) as usize, if entry % 2 == 0 { 1.0 } else { -1.0 });
                let shift = if sign < 0.0 { self.shift(face) } else { [0.0; 3] };
                let along =
                    |(d, x): (usize, &f64)| (self.faces.centre[face][d] + shift[d] - x) * self.faces.normal[face][d];
                sign * point.iter().enumerate().map(along).sum::<f64>() >= -1e-12 * self.faces.size[face]
            })
        })
    }

    /// All cells in groups: halves of halves along the longest axis. Needs no faces, which meshes of frames lack.
    pub fn groups(&self) -> Vec<Group> {
        let mut cells: Vec<u32> = (0..self.num_cells() as u32).collect();
        let (mut parts, mut groups) = (vec![&mut cells[..]], Vec::new());
        while let Some(part) = parts.pop() {
            let at = |cell: &u32| self.centroid[*cell as usize];
            if part.len() <= MOST {
                let nodes = part.iter().flat_map(|&cell| self.cells.nodes.row(cell as usize));
                groups.push(Group { ends: ends(nodes.map(|&n| self.points[n as usize])), cells: part.to_vec() });
                continue;
            }
            let [lower, upper] = ends(part.iter().map(at));
            let size = minus(upper, lower);
            let axis = (0..3).max_by(|&a, &b| size[a].total_cmp(&size[b])).unwrap_or(0);
            let middle = part.len() / 2;
            part.select_nth_unstable_by(middle, |a, b| at(a)[axis].total_cmp(&at(b)[axis]));
            let (low, high) = part.split_at_mut(middle);
            parts.extend([high, low]);
        }
        groups
    }

    /// A cell that holds a point, in one of its simplices.
    pub fn cell_in(&self, groups: &[Group], point: [f64; 3]) -> Option<usize> {
        let near = |group: &&Group| (0..self.dim).all(|d| (group.ends[0][d]..=group.ends[1][d]).contains(&point[d]));
        let mut cells = groups.iter().filter(near).flat_map(|group| &group.cells);
        cells.find(|&&cell| self.holds(cell as usize, point)).map(|&cell| cell as usize)
    }

    fn holds(&self, cell: usize, point: [f64; 3]) -> bool {
        let nodes = self.cells.nodes.row(cell);
        let beside = |d: usize| {
            let apart = |node: &u32| self.points[*node as usize][d] - point[d];
            nodes.iter().all(|node| apart(node) > 0.0) || nodes.iter().all(|node| apart(node) < 0.0)
        };
        if (0..self.dim).any(beside) {
            return false;
        }
        self.cells.shape[cell].simplices().iter().any(|simplex| {
            // Volumes with the point in place of one corner each.
            let volume = |moved: usize| {
                let corner =
                    |k: usize| if k == moved { point } else { self.points[nodes[simplex[k] as usize] as usize] };
                let [a, b] = [1, 2].map(|k| minus(corner(k), corner(0)));
                if self.dim == 2 { cross(a, b)[2] } else { dot(cross(a, b), minus(corner(3), corner(0))) }
            };
            let volumes = (0..=self.dim).map(volume);
            let whole: f64 = volumes.clone().sum();
            whole != 0.0 && volumes.into_iter().all(|part| part * whole.signum() >= -ROUND_OFF * whole.abs())
        })
    }

    /// The nodes of the faces that one of these cells alone has. Nodes at the same place count as one: where cells are refined each has its own.
    pub fn outline(&self, cells: impl Iterator<Item = usize>) -> Vec<Vec<u32>> {
        let place = |node: u32| {
            let mut hasher = DefaultHasher::new();
            self.points[node as usize].map(|x| (x + 0.0).to_bits()).hash(&mut hasher);
            hasher.finish()
        };
        let of = |cell: usize, face: &'static [u8]| face.iter().map(move |&n| self.cells.nodes.row(cell)[n as usize]);
        let mut faces = Vec::new();
        for cell in cells {
            for face in self.cells.shape[cell].faces() {
                let mut sorted = [u64::MAX; 4];
                of(cell, face).zip(&mut sorted).for_each(|(node, entry)| *entry = place(node));
                sorted.sort_unstable();
                faces.push((sorted, cell, *face));
            }
        }
        faces.sort_unstable();
        let alone = faces.chunk_by(|a, b| a.0 == b.0).filter(|same| same.len() == 1);
        alone.map(|same| of(same[0].1, same[0].2).collect()).collect()
    }
}

/// A straight line: `from + part · way`, parts from 0 to 1.
#[derive(Clone, Copy)]
struct Line {
    from: Vector,
    way: Vector,
}

impl Line {
    /// The parts at which the line enters and leaves what is below planes, of each of which a point and the normal are given.
    fn within(self, planes: impl Iterator<Item = (Vector, Vector)>) -> Option<[f64; 2]> {
        let (mut enters, mut leaves) = (0.0_f64, 1.0_f64);
        for (point, outwards) in planes {
            let (above, rises) = (dot(minus(self.from, point), outwards), dot(self.way, outwards));
            match rises {
                _ if rises > 0.0 => leaves = leaves.min(-above / rises),
                _ if rises < 0.0 => enters = enters.max(-above / rises),
                _ if above > 0.0 => return None,
                _ => {}
            }
        }
        (enters <= leaves).then_some([enters, leaves])
    }
}

/// The planes of a box.
fn sides_of_box(ends: [Vector; 2]) -> impl Iterator<Item = (Vector, Vector)> {
    (0..6).map(move |k| {
        let mut outwards = [0.0; 3];
        outwards[k % 3] = if k < 3 { -1.0 } else { 1.0 };
        (ends[k / 3], outwards)
    })
}

/// The box around points.
fn ends(points: impl Iterator<Item = [f64; 3]>) -> [[f64; 3]; 2] {
    points.fold([[f64::INFINITY; 3], [f64::NEG_INFINITY; 3]], |[lower, upper], point| {
        [std::array::from_fn(|d| lower[d].min(point[d])), std::array::from_fn(|d| upper[d].max(point[d]))]
    })
}

#[cfg(test)]
mod tests {
    use crate::make::Of;
    use crate::step::tests::block;

    /// A line through shaken cells of all shapes, in space with bent faces, is cut into parts that follow one another without gap; where faces are plane
    /// each is inside its cell.
    #[test]
    fn a_line_is_cut_into_cells() {
        let flat = [(&[5, 4][..], Of::Triangles), (&[4, 5], Of::Quadrilaterals), (&[3, 3, 4], Of::Tetrahedra)];
        let bent = [(&[3, 3, 4][..], Of::Hexahedra), (&[4, 3, 3], Of::Mixed)];
        for (k, (cells, of)) in flat.into_iter().chain(bent).enumerate() {
            let mesh = block(cells, of, 0.3);
            let [from, to] = [[0.03, 0.11, 0.27], [0.96, 0.87, 0.58]];
            let mut parts: Vec<_> = mesh.along(from, to).collect();
            parts.sort_by(|a, b| a.1[0].total_cmp(&b.1[0]));
            let mut end = 0.0_f64;
            for (cell, [enters, leaves]) in parts {
                assert!((enters - end).abs() < 1e-12, "{of:?}: a gap of {}", enters - end);
                let middle: Vec<f64> =
                    (0..mesh.dim).map(|d| from[d] + 0.5 * (enters + leaves) * (to[d] - from[d])).collect();
                let is_inside = || mesh.cell_at(&middle) == Some(cell);
                assert!(leaves - enters < 1e-9 || k >= flat.len() || is_inside(), "{of:?}: {middle:?}");
                end = leaves;
            }
            assert!((end - 1.0).abs() < 1e-12, "{of:?}: the line ends at {end}");
        }
    }
}
