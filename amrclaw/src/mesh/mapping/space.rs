//! Cells of mapped grids in space.

use super::{MappedCell, Mapping, places, unit};
use riemann::frame::FaceSums;

type Point = [f64; 3];

fn minus(a: Point, b: Point) -> Point {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

fn dot(a: Point, b: Point) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

/// A face of a cell: the finest faces on it together.
#[derive(Clone, Copy)]
struct Face {
    /// Its first corner.
    corner: Point,
    /// ∫ dA.
    vector: Point,
    /// ∫ (r − corner)·dA: three times the volume of the cone from `corner` over the face.
    cone: f64,
}

impl Face {
    /// Adds a bilinear face between four points, the first two one behind the other along the first of the face's axes.
    fn add(&mut self, [p00, p10, p01, p11]: [Point; 4]) {
        let (vector, cone) = FaceSums::bilinear(self.corner, p00, p10, p01, p11);
        self.cone += cone;
        for m in 0..3 {
            self.vector[m] += vector[m];
        }
    }
}

impl<const D: usize> Mapping<D> {
    /// Cells in a box of `size` from the finest node `lo` on, each of `step` finest ones.
    ///
    /// Volume: `⅓ ∮ (r − r₀)·dA` over the finest faces on the cell's sides, `r₀` its lower corner.
    pub(super) fn cells_in_space(
        &self,
        lo: [i32; D],
        step: [i32; D],
        size: [usize; D],
        dx: [f64; D],
    ) -> Vec<MappedCell<D>> {
        // On the finest level the nodes of all faces are computed at once.
        let all = step.iter().all(|&n| n == 1).then(|| self.nodes(lo, step, size.map(|n| n + 1)));
        let faces: [Vec<Face>; 3] = std::array::from_fn(|axis| self.faces(axis, (lo, step), size, all.as_deref()));
        let face = |axis: usize, cell: [i32; D]| {
            let count = |d: usize| size[d] + usize::from(d == axis);
            faces[axis][(cell[2] as usize * count(1) + cell[1] as usize) * count(0) + cell[0] as usize]
        };
        let cell = |cell: [i32; D]| {
            let lower: [Face; 3] = std::array::from_fn(|axis| face(axis, cell));
            let mut three_volumes = 0.0;
            for (axis, lower) in lower.iter().enumerate() {
                let mut beyond = cell;
                beyond[axis] += 1;
                let upper = face(axis, beyond);
                let away = dot(minus(upper.corner, lower.corner), upper.vector);
                three_volumes += away + (upper.cone - lower.cone);
            }
            let units = lower.map(|face| unit(face.vector));
            MappedCell {
                normals: std::array::from_fn(|axis| std::array::from_fn(|d| units[axis].0[d])),
                sizes: std::array::from_fn(|axis| units[axis].1 / (dx[(axis + 1) % 3] * dx[(axis + 2) % 3])),
                capacity: three_volumes / 3.0 / dx.iter().product::<f64>(),
            }
        };
        places(size).map(cell).collect()
    }

    /// The faces across `axis` of the cells in a box, x fastest, one more along the axis than there are cells. `all`: the nodes, if each
    /// face is one of the finest.
    fn faces(
        &self,
        axis: usize,
        (lo, step): ([i32; D], [i32; D]),
        size: [usize; D],
        all: Option<&[[f64; D]]>,
    ) -> Vec<Face> {
        let [first, second] = [(axis + 1) % 3, (axis + 2) % 3];
        let counts: [usize; D] = std::array::from_fn(|d| size[d] + usize::from(d == axis));
        let nothing = Face { corner: [0.0; 3], vector: [0.0; 3], cone: 0.0 };
        let mut faces = vec![nothing; counts.iter().product()];
        let stride = |counts: [usize; D], d: usize| counts[..d].iter().product::<usize>();
        // One sheet of faces at a time: its nodes, of which there are so many along each axis.
        let of_sheet = std::array::from_fn(|d| if d == axis { 1 } else { size[d] * step[d] as usize + 1 });
        let of_nodes = if all.is_some() { size.map(|n| n + 1) } else { of_sheet };
        let (along, up) = (stride(of_nodes, first), stride(of_nodes, second));
        for k in 0..counts[axis] {
            let mut from = lo;
            from[axis] += k as i32 * step[axis];
            let asked = if all.is_none() { self.nodes(from, [1; D], of_sheet) } else { Vec::new() };
            let (nodes, start) = all.map_or((asked.as_slice(), 0), |all| (all, k * stride(of_nodes, axis)));
            let node = |i: usize, j: usize| -> Point {
                let position = nodes[start + i * along + j * up];
                std::array::from_fn(|d| position[d])
            };
            for b in 0..size[second] {
                for a in 0..size[first] {
                    let (i0, j0) = (a * step[first] as usize, b * step[second] as usize);
                    let mut face = Face { corner: node(i0, j0), ..nothing };
                    for j in j0..j0 + step[second] as usize {
                        for i in i0..i0 + step[first] as usize {
                            face.add([node(i, j), node(i + 1, j), node(i, j + 1), node(i + 1, j + 1)]);
                        }
                    }
                    faces[k * stride(counts, axis) + a * stride(counts, first) + b * stride(counts, second)] = face;
                }
            }
        }
        faces
    }
}
