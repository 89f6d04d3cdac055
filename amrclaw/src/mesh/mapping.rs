//! Mapped grids: where the nodes of a level lie, and from them the faces and areas of its cells.

use super::Domain;
use crate::index::{CellBox, CellIndex};
use std::fmt;
use std::sync::Arc;

/// Nodes along an axis from the nearest of which an inverse begins, at most.
const MOST_SEEDS: i32 = 512;
/// Cells of a row that are looked at together.
const PIECE: usize = 1 << 12;

/// Physical positions of computational ones.
pub trait MapFunction<const D: usize>: Send + Sync {
    /// Fills a position for each point.
    fn fill(&self, points: &[[f64; D]], positions: &mut [[f64; D]]);
}

/// A mapped domain in the plane.
///
/// A node is the same point on all levels: its position is asked for at its place among the nodes of the finest level that there may
/// be. Faces are straight between their ends, so that a face's vector is the sum of those of the finer faces on it. A cell's area is that
/// of the polygon through all of the finest nodes on its sides, so that it is the sum of the areas of the finest cells in it.
///
/// Beyond a periodic side nodes lie as at the other side, moved along; beyond others as the mirror images of those inside in the nodes on
/// the side.
#[derive(Clone)]
pub struct Mapping<const D: usize> {
    function: Arc<dyn MapFunction<D>>,
    domain: Domain<D>,
    /// Cells of the finest level along each axis.
    finest: [i32; D],
}

/// A cell whose nodes do not make one.
#[derive(Clone, Debug, PartialEq)]
pub enum BadCell<const D: usize> {
    /// A node's position is not finite.
    NotFinite {
        /// The node's computational position.
        at: [f64; D],
        /// Its physical one.
        position: [f64; D],
    },
    /// The area is not above zero.
    Folded {
        /// The cell.
        cell: CellIndex<D>,
        /// Its area.
        area: f64,
        /// The computational position of its centre.
        at: [f64; D],
    },
}

impl<const D: usize> fmt::Debug for Mapping<D> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Mapping").field("finest", &self.finest).finish_non_exhaustive()
    }
}

fn minus(a: [f64; 2], b: [f64; 2]) -> [f64; 2] {
    [a[0] - b[0], a[1] - b[1]]
}

fn cross(a: [f64; 2], b: [f64; 2]) -> f64 {
    a[0] * b[1] - a[1] * b[0]
}

/// Unit vector and length. A face without length, at a pole, has none: any will do.
fn unit([x, y]: [f64; 2]) -> [f64; 3] {
    let length = (x * x + y * y).sqrt();
    if length > 0.0 { [x / length, y / length, length] } else { [1.0, 0.0, 0.0] }
}

impl<const D: usize> Mapping<D> {
    /// `finest`: cells of the finest level that there may be.
    ///
    /// # Panics
    /// If there are not two dimensions.
    pub fn new(function: Arc<dyn MapFunction<D>>, domain: Domain<D>, finest: [i32; D]) -> Self {
        assert_eq!(D, 2, "mapped grids are in the plane");
        Mapping { function, domain, finest }
    }

    /// The position of one computational point.
    pub fn position(&self, point: [f64; D]) -> [f64; D] {
        let mut position = [[0.0; D]];
        self.function.fill(&[point], &mut position);
        position[0]
    }

    /// Positions of computational points.
    pub fn positions(&self, points: &[[f64; D]]) -> Vec<[f64; D]> {
        let mut positions = vec![[0.0; D]; points.len()];
        self.function.fill(points, &mut positions);
        positions
    }

    /// The computational position of a node of the finest level.
    fn point(&self, node: [i32; D]) -> [f64; D] {
        let dx = self.domain.dx(self.finest);
        std::array::from_fn(|d| match node[d] == self.finest[d] {
            true => self.domain.upper[d],
            false => self.domain.lower[d] + f64::from(node[d]) * dx[d],
        })
    }

    /// Finest cells in one of a level's along each axis; `dx` is the level's.
    fn finest_per_cell(&self, dx: [f64; D]) -> [i32; D] {
        let finest = self.domain.dx(self.finest);
        std::array::from_fn(|d| (dx[d] / finest[d]).round().max(1.0) as i32)
    }

    /// The cell of a level whose lower corner a computational point is.
    pub fn cell_at(&self, corner: [f64; D], dx: [f64; D]) -> CellIndex<D> {
        std::array::from_fn(|d| ((corner[d] - self.domain.lower[d]) / dx[d]).round() as i32)
    }

    /// Lower corner of a cell of a level in computational coordinates.
    pub fn corner(&self, cell: CellIndex<D>, dx: [f64; D]) -> [f64; D] {
        std::array::from_fn(|d| self.domain.lower[d] + f64::from(cell[d]) * dx[d])
    }

    /// Cells of a level in the domain along each axis.
    pub fn counts(&self, dx: [f64; D]) -> [i32; D] {
        let step = self.finest_per_cell(dx);
        std::array::from_fn(|d| self.finest[d] / step[d])
    }

    /// Positions of nodes of the finest level, the first `counts[0]` of a row, `counts[1]` rows, from node `lo` in steps of `step`.
    fn nodes(&self, lo: [i32; D], step: [i32; D], counts: [usize; 2]) -> Vec<[f64; D]> {
        let places = (0..counts[1]).flat_map(|j| (0..counts[0]).map(move |i| [i, j]));
        let nodes: Vec<[i32; D]> =
            places.map(|place| std::array::from_fn(|d| lo[d] + place[d] as i32 * step[d])).collect();
        self.node_positions(&nodes)
    }

    /// Positions of nodes, also of such outside the domain.
    fn node_positions(&self, nodes: &[[i32; D]]) -> Vec<[f64; D]> {
        let Some(axis) = (0..D).find(|&d| nodes.iter().any(|node| !(0..=self.finest[d]).contains(&node[d]))) else {
            return self.positions(&nodes.iter().map(|&node| self.point(node)).collect::<Vec<_>>());
        };
        let count = self.finest[axis];
        let place = |node: &[i32; D], at: i32| {
            let mut node = *node;
            node[axis] = at;
            node
        };
        // Inside, and the two nodes that say how far outside lies.
        let (mut inside, mut from, mut to) = (nodes.to_vec(), Vec::new(), Vec::new());
        let mut outside = Vec::new();
        for (k, node) in inside.iter_mut().enumerate().filter(|(_, node)| !(0..=count).contains(&node[axis])) {
            let beyond_upper = node[axis] > count;
            let (side, other) = if beyond_upper { (count, 0) } else { (0, count) };
            let image = match self.domain.periodic[axis] {
                true => other + (node[axis] - side),
                false => (2 * side - node[axis]).clamp(0, count),
            };
            outside.push(k);
            from.push(place(node, if self.domain.periodic[axis] { other } else { side }));
            to.push(place(node, side));
            *node = place(node, image);
        }
        let (mut positions, from, to) =
            (self.node_positions(&inside), self.node_positions(&from), self.node_positions(&to));
        for (n, &k) in outside.iter().enumerate() {
            let image = positions[k];
            positions[k] = std::array::from_fn(|d| match self.domain.periodic[axis] {
                true => image[d] + (to[n][d] - from[n][d]),
                false => to[n][d] + (from[n][d] - image[d]),
            });
        }
        positions
    }

    /// Geometry of the cells of a level in a box, x fastest; the lower corner of the box is the computational point `corner`. Per cell:
    /// unit normal and length of its lower face along x, the same along y, area; lengths and area per unit of the computational
    /// coordinates.
    pub fn cells(&self, corner: [f64; D], dx: [f64; D], size: [usize; D]) -> Vec<[f64; 7]> {
        let (step, lo) = (self.finest_per_cell(dx), self.cell_at(corner, dx));
        let lo: [i32; D] = std::array::from_fn(|d| lo[d] * step[d]);
        let (columns, rows) = (size[0] + 1, size[1] + 1);
        let nodes: Vec<[f64; 2]> = self.nodes(lo, step, [columns, rows]).iter().map(|p| [p[0], p[1]]).collect();
        let bulges = [0, 1].map(|along| self.bulges(along, (lo, step), [columns, rows], &nodes));
        let at = |i: usize, j: usize| j * columns + i;
        let mut faces = Vec::with_capacity(size[0] * size[1]);
        for j in 0..size[1] {
            for i in 0..size[0] {
                let [p00, p10, p01, p11] = [[0, 0], [1, 0], [0, 1], [1, 1]].map(|[a, b]| nodes[at(i + a, j + b)]);
                let (up, right) = (minus(p01, p00), minus(p10, p00));
                let [xn, ym, xl] = unit([up[1], -up[0]]);
                let [yn, yy, yl] = unit([-right[1], right[0]]);
                let mut area = 0.5 * cross(minus(p11, p00), minus(p01, p10));
                if let [Some(beside), Some(below)] = &bulges {
                    area += (below[at(i, j)] - below[at(i, j + 1)]) + (beside[at(i + 1, j)] - beside[at(i, j)]);
                }
                faces.push([xn, ym, xl / dx[1], yn, yy, yl / dx[0], area / (dx[0] * dx[1])]);
            }
        }
        faces
    }

    /// For each face the area between the straight line from its lower end to its upper one and the line through the finest nodes
    /// between, which counts where this lies to the right of that; `None` where there are no nodes between on either kind of face.
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

    /// Unit normals, towards larger coordinates, of the faces on the domain's side along `axis`, of `count` rows or columns of a level
    /// from `first` on.
    pub fn side_normals(&self, axis: usize, upper: bool, first: i32, count: usize, dx: [f64; D]) -> Vec<[f64; 2]> {
        let (step, along) = (self.finest_per_cell(dx), 1 - axis);
        let node = |k: i32| {
            let mut node = [if upper { self.finest[axis] } else { 0 }; D];
            node[along] = (first + k) * step[along];
            node
        };
        let nodes = self.node_positions(&(0..=count as i32).map(node).collect::<Vec<_>>());
        let normal = |ends: &[[f64; D]]| {
            let [x, y] = minus([ends[1][0], ends[1][1]], [ends[0][0], ends[0][1]]);
            let [nx, ny, _] = unit(if axis == 0 { [y, -x] } else { [-y, x] });
            [nx, ny]
        };
        nodes.windows(2).map(normal).collect()
    }

    /// Positions of the corners of a box's cells, x fastest: one more along each axis than there are cells.
    pub fn corners(&self, cells: &CellBox<D>, dx: [f64; D]) -> Vec<[f64; D]> {
        let (step, size) = (self.finest_per_cell(dx), cells.size());
        self.nodes(std::array::from_fn(|d| cells.lo[d] * step[d]), step, [size[0] as usize + 1, size[1] as usize + 1])
    }

    /// Looks at the cells of a level: at all of them, or of many at pieces of rows at equal distances, `most` cells together.
    ///
    /// # Errors
    /// The first cell that is none.
    pub fn check(&self, dx: [f64; D], most: usize) -> Result<(), BadCell<D>> {
        let counts = self.counts(dx).map(|n| n as usize);
        // Nodes between those of the level count too.
        let between = self.finest_per_cell(dx).into_iter().fold(1, |n, step| n.max(step as usize));
        let length = counts[0].min((PIECE / between).max(1));
        let (pieces, rows) = (counts[0].div_ceil(length), counts[1]);
        let every = pieces.saturating_mul(rows).div_ceil((most / length).max(1));
        for number in (0..pieces.saturating_mul(rows)).step_by(every) {
            let mut cell = [0; D];
            (cell[0], cell[1]) = ((number % pieces * length) as i32, (number / pieces) as i32);
            let mut size = [1; D];
            size[0] = length.min(counts[0] - cell[0] as usize);
            self.check_row(cell, size, dx)?;
        }
        Ok(())
    }

    /// Looks at a row of cells from one on.
    fn check_row(&self, first: [i32; D], size: [usize; D], dx: [f64; D]) -> Result<(), BadCell<D>> {
        let (step, columns) = (self.finest_per_cell(dx), size[0] + 1);
        let lo: [i32; D] = std::array::from_fn(|d| first[d] * step[d]);
        let nodes = self.nodes(lo, step, [columns, 2]);
        if let Some(k) = nodes.iter().position(|p| p.iter().any(|x| !x.is_finite())) {
            let mut node = lo;
            (node[0], node[1]) = (lo[0] + (k % columns) as i32 * step[0], lo[1] + (k / columns) as i32 * step[1]);
            return Err(BadCell::NotFinite { at: self.point(node), position: nodes[k] });
        }
        let cells = self.cells(self.corner(first, dx), dx, size);
        let Some(i) = cells.iter().position(|cell| cell[6] <= 0.0 || cell[6].is_nan()) else { return Ok(()) };
        let mut cell = first;
        cell[0] += i as i32;
        let at = std::array::from_fn(|d| self.domain.lower[d] + (f64::from(cell[d]) + 0.5) * dx[d]);
        Err(BadCell::Folded { cell, area: cells[i][6] * dx[0] * dx[1], at })
    }

    /// How far the nodes on the two periodic sides along `axis` are from lying as one another, moved along by the same distance
    /// everywhere; and the largest extent of these sides. Of very many nodes some are looked at.
    pub fn seam(&self, axis: usize) -> [f64; 2] {
        let along = 1 - axis;
        let every = (self.finest[along] / PIECE as i32).max(1);
        let side = |at: i32| -> Vec<[f64; D]> {
            let node = |k: i32| std::array::from_fn(|d| if d == along { k } else { at });
            let places = (0..self.finest[along]).step_by(every as usize).chain([self.finest[along]]);
            self.node_positions(&places.map(node).collect::<Vec<_>>())
        };
        let (lower, upper) = (side(0), side(self.finest[axis]));
        let distance = |a: &[f64; D], b: &[f64; D]| a.iter().zip(b).map(|(a, b)| (a - b).powi(2)).sum::<f64>().sqrt();
        let moved = |k: usize| -> [f64; D] { std::array::from_fn(|d| upper[k][d] - lower[k][d]) };
        // Written so that NaN is not lost.
        let largest = |a: f64, b: f64| if b > a || b.is_nan() { b } else { a };
        let gap = (0..lower.len()).map(|k| distance(&moved(k), &moved(0))).fold(0.0, largest);
        let extent = lower.iter().chain(&upper).map(|p| distance(p, &lower[0])).fold(0.0, largest);
        [gap, extent]
    }

    /// The computational position of a physical one: Newton's method from the nearest of some nodes. `None` if there is
    /// none in the domain.
    pub fn inverse(&self, position: [f64; D]) -> Option<[f64; D]> {
        // Of a fine mesh not all nodes are looked at.
        let step: [i32; D] = std::array::from_fn(|d| (self.finest[d] / self.domain.cells[d].min(MOST_SEEDS)).max(1));
        let counts = [0, 1].map(|d| (self.finest[d] / step[d]) as usize + 1);
        let nodes = self.nodes([0; D], step, counts);
        let distance = |p: &[f64; D]| p.iter().zip(position).map(|(a, b)| (a - b).powi(2)).sum::<f64>();
        let (nearest, _) = nodes.iter().map(distance).enumerate().min_by(|a, b| a.1.total_cmp(&b.1))?;
        let place = [nearest % counts[0], nearest / counts[0]];
        let mut point = self.point(std::array::from_fn(|d| place[d] as i32 * step[d]));
        let extent: [f64; D] = std::array::from_fn(|d| self.domain.upper[d] - self.domain.lower[d]);
        let inside = |point: &[f64; D]| -> [f64; D] {
            std::array::from_fn(|d| match self.domain.periodic[d] {
                true => self.domain.lower[d] + (point[d] - self.domain.lower[d]).rem_euclid(extent[d]),
                false => point[d].clamp(self.domain.lower[d], self.domain.upper[d]),
            })
        };
        for _ in 0..50 {
            // Differences towards the inside, so that the mapping is asked in the domain alone.
            let here = self.position(point);
            let columns: [[f64; D]; D] = std::array::from_fn(|d| {
                let mut beside = point;
                let towards = if point[d] + 1e-7 * extent[d] <= self.domain.upper[d] { 1e-7 } else { -1e-7 };
                beside[d] += towards * extent[d];
                let moved = self.position(beside);
                std::array::from_fn(|m| (moved[m] - here[m]) / (beside[d] - point[d]))
            });
            let wanted = [position[0] - here[0], position[1] - here[1]];
            let [a, b] = [[columns[0][0], columns[0][1]], [columns[1][0], columns[1][1]]];
            let determinant = cross(a, b);
            let change = [cross(wanted, b) / determinant, cross(a, wanted) / determinant];
            let before = point;
            (point[0], point[1]) = (point[0] + change[0], point[1] + change[1]);
            point = inside(&point);
            if (0..D).all(|d| (point[d] - before[d]).abs() <= 1e-12 * extent[d]) {
                break;
            }
        }
        let farthest = nodes.iter().map(distance).fold(0.0, f64::max);
        (distance(&self.position(point)) <= 1e-18 * farthest).then_some(point)
    }
}
