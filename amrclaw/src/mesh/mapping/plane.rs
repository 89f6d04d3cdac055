//! Cells of mapped grids in the plane.

use super::{MappedCell, Mapping, unit};

fn minus(a: [f64; 2], b: [f64; 2]) -> [f64; 2] {
    [a[0] - b[0], a[1] - b[1]]
}

fn cross(a: [f64; 2], b: [f64; 2]) -> f64 {
    a[0] * b[1] - a[1] * b[0]
}

impl<const D: usize> Mapping<D> {
    /// Cells in a box of `size` from the finest node `lo` on, each of `step` finest ones.
    pub(super) fn cells_in_plane(
        &self,
        lo: [i32; D],
        step: [i32; D],
        size: [usize; D],
        dx: [f64; D],
    ) -> Vec<MappedCell<D>> {
        let counts = size.map(|n| n + 1);
        let nodes: Vec<[f64; 2]> = self.nodes(lo, step, counts).iter().map(|p| [p[0], p[1]]).collect();
        let bulges = [0, 1].map(|along| self.bulges(along, (lo, step), [counts[0], counts[1]], &nodes));
        let at = |i: usize, j: usize| j * counts[0] + i;
        let mut cells = Vec::with_capacity(size[0] * size[1]);
        for j in 0..size[1] {
            for i in 0..size[0] {
                let [p00, p10, p01, p11] = [[0, 0], [1, 0], [0, 1], [1, 1]].map(|[a, b]| nodes[at(i + a, j + b)]);
                let (up, right) = (minus(p01, p00), minus(p10, p00));
                let faces = [unit([up[1], -up[0]]), unit([-right[1], right[0]])];
                let mut area = 0.5 * cross(minus(p11, p00), minus(p01, p10));
                if let [Some(beside), Some(below)] = &bulges {
                    area += (below[at(i, j)] - below[at(i, j + 1)]) + (beside[at(i + 1, j)] - beside[at(i, j)]);
                }
                cells.push(MappedCell {
                    normals: std::array::from_fn(|axis| std::array::from_fn(|d| faces[axis].0[d])),
                    sizes: std::array::from_fn(|axis| faces[axis].1 / dx[1 - axis]),
                    capacity: area / (dx[0] * dx[1]),
                });
            }
        }
        cells
    }

    /// For each face the area between the straight line from its lower to its upper end and the polyline through the finest nodes between
    /// them, positive where the polyline lies to the right; `None` if faces of neither kind have nodes between their ends.
    /// `along`: 0 for the faces along y at the left of cells, 1 for those along x below them.
    fn bulges(
        &self,
        along: usize,
        (lo, step): ([i32; D], [i32; D]),
        counts: [usize; 2],
        nodes: &[[f64; 2]],
    ) -> Option<Vec<f64>> {
        if step.iter().all(|&n| n == 1) {
            return None;
        }
        let axis = 1 - along;
        let between = (step[axis] - 1) as usize;
        let mut places = Vec::new();
        for j in 0..counts[1] as i32 {
            for i in 0..counts[0] as i32 {
                for k in 1..step[axis] {
                    let mut node = [0; D];
                    (node[0], node[1]) = (lo[0] + i * step[0], lo[1] + j * step[1]);
                    node[axis] += k;
                    places.push(node);
                }
            }
        }
        let fine = self.node_positions(&places);
        let stride = [1, counts[0]][axis];
        let bulge = |face: usize| {
            let first = nodes[face];
            // Faces beyond the last node belong to no cell.
            let Some(last) = nodes.get(face + stride) else { return 0.0 };
            let fine = &fine[face * between..][..between];
            let line = fine.iter().map(|p| minus([p[0], p[1]], first)).chain([minus(*last, first)]);
            line.fold((0.0, [0.0; 2]), |(area, before), here| (area + 0.5 * cross(before, here), here)).0
        };
        Some((0..nodes.len()).map(bulge).collect())
    }
}
