//! Mapped grids: where the nodes of a level lie, and from them the faces and sizes of its cells.

mod inverse;
mod plane;
mod space;

pub use inverse::combination;

use super::{Domain, Geometry};
use crate::index::{CellBox, CellIndex};
use riemann::frame::{is_no_face, no_face};
use riemann::group::Wall;
use std::fmt;
use std::sync::Arc;

/// Most cells, or nodes between them, of a row that are examined together.
const PIECE: usize = 1 << 12;

/// Most nodes of finer levels on a side of a cell that is examined.
const EXAMINED: i32 = 16;

/// Cells of the finest level where so few are finer than one of `counts` cells that each of its cells has a bounded number of nodes. `step`:
/// the finest cells that there are in one of its cells.
pub fn examined<const D: usize>(counts: [i32; D], step: [i32; D]) -> [i32; D] {
    let most = if D == 3 { EXAMINED / 4 } else { EXAMINED };
    std::array::from_fn(|d| counts[d] * step[d].min(most))
}

/// A function from computational to physical positions.
pub trait MapFunction<const D: usize>: Send + Sync {
    /// Fills a position for each point.
    fn fill(&self, points: &[[f64; D]], positions: &mut [[f64; D]]);

    /// True if positions change with time.
    fn moves(&self) -> bool {
        false
    }
}

/// A mapped domain in the plane or in space.
///
/// A node is the same point on all levels: its position is computed from its index among the nodes of the finest possible level. A
/// face's vector is its normal times its size, and the sum of the vectors of the finer faces on it: in the plane faces are straight between
/// their ends, in space they consist of the finest faces, which are bilinear. A cell's size is that of the finest cells in it, the area of
/// the polygon through all of the finest nodes on its sides, or the volume that the finest faces on its sides enclose.
///
/// Beyond a periodic side nodes are those at the opposite side, translated; beyond other sides they are the nodes inside, reflected in the
/// nodes on the side.
#[derive(Clone)]
pub struct Mapping<const D: usize> {
    function: Arc<dyn MapFunction<D>>,
    domain: Domain<D>,
    /// Cells of the finest level along each axis.
    finest: [i32; D],
}

/// Why nodes do not form a valid cell.
#[derive(Clone, Debug, PartialEq)]
pub enum BadCell<const D: usize> {
    /// A node's position is not finite.
    NotFinite {
        /// The node's computational position.
        at: [f64; D],
        /// Its physical one.
        position: [f64; D],
    },
    /// The area or volume is not above zero.
    Folded {
        /// The cell.
        cell: CellIndex<D>,
        /// Its area or volume.
        volume: f64,
        /// The computational position of its centre.
        at: [f64; D],
    },
}

impl<const D: usize> fmt::Debug for Mapping<D> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Mapping").field("finest", &self.finest).finish_non_exhaustive()
    }
}

/// A cell of a mapped grid.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MappedCell<const D: usize> {
    /// Unit normals of its lower face along each axis, towards larger coordinates.
    pub normals: [[f64; D]; D],
    /// Lengths or areas of these faces, per unit of the computational coordinates along them.
    pub sizes: [f64; D],
    /// Its area or volume per unit of the computational coordinates.
    pub capacity: f64,
}

impl<const D: usize> MappedCell<D> {
    /// Whether it has a face along an axis.
    pub fn has_face(&self, axis: usize) -> bool {
        !is_no_face(&self.normals[axis])
    }

    /// Removes its face along an axis, since it lies behind a wall: it has no size, and next to no normal.
    pub fn remove_face(&mut self, axis: usize, wall: Wall) {
        let mark = no_face(wall);
        let normal = std::array::from_fn(|d| mark.get(d).copied().unwrap_or(0.0));
        (self.normals[axis], self.sizes[axis]) = (normal, 0.0);
    }
}

/// Unit vector and length. A face of size zero, at a pole, has no normal: any unit vector will do.
fn unit<const D: usize>(vector: [f64; D]) -> ([f64; D], f64) {
    let length = vector.iter().map(|x| x * x).sum::<f64>().sqrt();
    let other = std::array::from_fn(|d| if d == 0 { 1.0 } else { 0.0 });
    if length > 0.0 { (vector.map(|x| x / length), length) } else { (other, 0.0) }
}

/// All index tuples below `counts`, x fastest.
fn places<const D: usize>(counts: [usize; D]) -> impl Iterator<Item = [i32; D]> {
    (0..counts.iter().product()).map(move |number: usize| {
        let mut rest = number;
        counts.map(|count| {
            let at = rest % count;
            rest /= count;
            at as i32
        })
    })
}

impl<const D: usize> Mapping<D> {
    /// `finest`: cells of the finest level that there may be.
    ///
    /// # Panics
    /// If there are neither two nor three dimensions.
    pub fn new(function: Arc<dyn MapFunction<D>>, domain: Domain<D>, finest: [i32; D]) -> Self {
        assert!(D == 2 || D == 3, "mapped grids are in the plane or in space");
        Mapping { function, domain, finest }
    }

    /// The domain, in computational coordinates.
    pub fn domain(&self) -> &Domain<D> {
        &self.domain
    }

    /// Cells of the finest level that there can be along each axis.
    pub fn finest(&self) -> [i32; D] {
        self.finest
    }

    /// The position of one computational point.
    pub fn position(&self, point: [f64; D]) -> [f64; D] {
        let mut position = [[0.0; D]];
        self.function.fill(&[point], &mut position);
        position[0]
    }

    /// True if positions change with time.
    pub fn moves(&self) -> bool {
        self.function.moves()
    }

    /// Positions of computational points.
    pub fn positions(&self, points: &[[f64; D]]) -> Vec<[f64; D]> {
        let mut positions = vec![[0.0; D]; points.len()];
        self.function.fill(points, &mut positions);
        positions
    }

    /// The computational position of a node of the finest level.
    fn point(&self, node: [i32; D]) -> [f64; D] {
        Geometry::new(self.domain.lower, self.domain.upper, self.finest).corner(node)
    }

    /// Finest cells in one of a level's along each axis; `dx` is the level's.
    fn finest_per_cell(&self, dx: [f64; D]) -> [i32; D] {
        let finest = self.domain.dx(self.finest);
        std::array::from_fn(|d| (dx[d] / finest[d]).round().max(1.0) as i32)
    }

    /// Cells of a level in the domain along each axis.
    pub fn counts(&self, dx: [f64; D]) -> [i32; D] {
        let step = self.finest_per_cell(dx);
        std::array::from_fn(|d| self.finest[d] / step[d])
    }

    /// Positions of nodes of the finest level, `counts` of them along each axis in steps of `step` from node `lo`, x fastest.
    fn nodes(&self, lo: [i32; D], step: [i32; D], counts: [usize; D]) -> Vec<[f64; D]> {
        let node = |place: [i32; D]| std::array::from_fn(|d| lo[d] + place[d] * step[d]);
        self.node_positions(&places(counts).map(node).collect::<Vec<_>>())
    }

    /// Positions of nodes, which may lie outside the domain.
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
        // For each node outside: its image inside, and the two nodes whose difference is the translation, or in which it is reflected.
        let (mut inside, mut from, mut to) = (nodes.to_vec(), Vec::new(), Vec::new());
        let mut outside = Vec::new();
        for (k, node) in inside.iter_mut().enumerate().filter(|(_, node)| !(0..=count).contains(&node[axis])) {
            let beyond_upper = node[axis] > count;
            let (side, other) = if beyond_upper { (count, 0) } else { (0, count) };
            let image = match self.domain.repeats.axes[axis] {
                true => other + (node[axis] - side),
                false => (2 * side - node[axis]).clamp(0, count),
            };
            outside.push(k);
            from.push(place(node, if self.domain.repeats.axes[axis] { other } else { side }));
            to.push(place(node, side));
            *node = place(node, image);
        }
        let (mut positions, from, to) =
            (self.node_positions(&inside), self.node_positions(&from), self.node_positions(&to));
        for (n, &k) in outside.iter().enumerate() {
            let image = positions[k];
            positions[k] = std::array::from_fn(|d| match self.domain.repeats.axes[axis] {
                true => image[d] + (to[n][d] - from[n][d]),
                false => to[n][d] + (from[n][d] - image[d]),
            });
        }
        positions
    }

    /// The cells of a level in a box from `first` on, x fastest.
    pub fn cells(&self, first: CellIndex<D>, dx: [f64; D], size: [usize; D]) -> Vec<MappedCell<D>> {
        let step = self.finest_per_cell(dx);
        let lo: [i32; D] = std::array::from_fn(|d| first[d] * step[d]);
        if D == 3 { self.cells_in_space(lo, step, size, dx) } else { self.cells_in_plane(lo, step, size, dx) }
    }

    /// Positions of the corners of a box's cells, x fastest: one more along each axis than there are cells.
    pub fn corners(&self, cells: &CellBox<D>, dx: [f64; D]) -> Vec<[f64; D]> {
        let step = self.finest_per_cell(dx);
        self.nodes(std::array::from_fn(|d| cells.lo[d] * step[d]), step, cells.size().map(|n| n as usize + 1))
    }

    /// The mapping with so few levels finer than this one that a cell has a bounded number of nodes: for examinations, whose cost would
    /// grow with the number of levels as that of their nodes does.
    fn examined(&self, dx: [f64; D]) -> Self {
        Mapping { finest: examined(self.counts(dx), self.finest_per_cell(dx)), ..self.clone() }
    }

    /// Pieces of rows of a level's cells, each as its first cell and its size: all pieces, or a sample at equal distances with about `most`
    /// nodes on a cell's side.
    fn pieces(&self, dx: [f64; D], most: usize) -> impl Iterator<Item = ([i32; D], [usize; D])> {
        let counts = self.counts(dx).map(|n| n as usize);
        // The finer nodes between those of the level are computed too.
        let between = self.finest_per_cell(dx).into_iter().fold(1, |n, step| n.max(step as usize)).pow(D as u32 - 1);
        let length = counts[0].min((PIECE / between).max(1));
        let (pieces, rows) = (counts[0].div_ceil(length), counts[1..].iter().product::<usize>());
        let every = pieces.saturating_mul(rows).div_ceil((most / (between * length)).max(1));
        (0..pieces.saturating_mul(rows)).step_by(every).map(move |number| {
            let mut row = number / pieces;
            let mut cell = counts.map(|_| 0);
            cell[0] = (number % pieces * length) as i32;
            for d in 1..D {
                cell[d] = (row % counts[d]) as i32;
                row /= counts[d];
            }
            let mut size = [1; D];
            size[0] = length.min(counts[0] - cell[0] as usize);
            (cell, size)
        })
    }

    /// Checks the cells of a level, or a sample of about `most`.
    ///
    /// # Errors
    /// The first invalid cell.
    pub fn check(&self, dx: [f64; D], most: usize) -> Result<(), BadCell<D>> {
        let examined = self.examined(dx);
        examined.pieces(dx, most).try_for_each(|(first, size)| examined.check_row(first, size, dx))
    }

    /// The largest relative difference between the vectors of a cell's two faces along an axis, over the cells of a level or a sample of
    /// about `most`: zero where grid lines are straight lines along fixed axes, whatever their spacing.
    pub fn face_variation(&self, dx: [f64; D], most: usize) -> f64 {
        let (examined, mut twist) = (self.examined(dx), 0.0_f64);
        for (first, size) in examined.pieces(dx, most) {
            let counts = size.map(|n| n + 1);
            let cells = examined.cells(first, dx, counts);
            let number = |place: [i32; D]| (0..D).rev().fold(0, |n, d| n * counts[d] + place[d] as usize);
            for place in places(size) {
                for axis in 0..D {
                    let mut next = place;
                    next[axis] += 1;
                    let [a, b] = [place, next].map(|place| &cells[number(place)]);
                    let parts = (0..D).map(|d| a.normals[axis][d] * a.sizes[axis] - b.normals[axis][d] * b.sizes[axis]);
                    let difference = parts.map(|part| part * part).sum::<f64>().sqrt();
                    let size = a.sizes[axis].max(b.sizes[axis]);
                    twist = if size > 0.0 { twist.max(difference / size) } else { twist };
                }
            }
        }
        twist
    }

    /// The largest deviation from orthogonality, as the cosine between the normals of a cell's faces along different axes, over the cells of
    /// a level or a sample of about `most`.
    pub fn nonorthogonality(&self, dx: [f64; D], most: usize) -> f64 {
        let examined = self.examined(dx);
        let cells = examined.pieces(dx, most).flat_map(|(first, size)| examined.cells(first, dx, size));
        let cosine = |cell: &MappedCell<D>, a: usize, b: usize| {
            (0..D).map(|d| cell.normals[a][d] * cell.normals[b][d]).sum::<f64>().abs()
        };
        let pairs = (0..D).flat_map(|a| (0..a).map(move |b| (a, b))).collect::<Vec<_>>();
        cells
            .flat_map(|cell| pairs.iter().map(move |&(a, b)| cosine(&cell, a, b)).collect::<Vec<_>>())
            .fold(0.0, f64::max)
    }

    /// Checks the cells of a piece of a row.
    fn check_row(&self, first: [i32; D], size: [usize; D], dx: [f64; D]) -> Result<(), BadCell<D>> {
        let (step, counts) = (self.finest_per_cell(dx), size.map(|n| n + 1));
        let lo: [i32; D] = std::array::from_fn(|d| first[d] * step[d]);
        let nodes = self.nodes(lo, step, counts);
        if let Some((place, position)) =
            places(counts).zip(&nodes).find(|(_, position)| position.iter().any(|x| !x.is_finite()))
        {
            let node = std::array::from_fn(|d| lo[d] + place[d] * step[d]);
            return Err(BadCell::NotFinite { at: self.point(node), position: *position });
        }
        let cells = self.cells(first, dx, size);
        let bad = |cell: &MappedCell<D>| cell.capacity <= 0.0 || cell.capacity.is_nan();
        let Some(i) = cells.iter().position(bad) else { return Ok(()) };
        let mut cell = first;
        cell[0] += i as i32;
        let at = Geometry::new(self.domain.lower, self.domain.upper, self.counts(dx)).centre(cell);
        Err(BadCell::Folded { cell, volume: cells[i].capacity * dx.iter().product::<f64>(), at })
    }

    /// The largest deviation of the nodes on the upper side along `axis` from a translation of those on the lower side, and the largest
    /// extent of these two sides. Of very many nodes a sample is examined.
    pub fn periodic_mismatch(&self, axis: usize) -> [f64; 2] {
        let most = if D == 3 { (PIECE as f64).sqrt() as i32 } else { PIECE as i32 };
        let along = |d: usize| -> Vec<i32> {
            let every = (self.finest[d] / most).max(1);
            (0..self.finest[d]).step_by(every as usize).chain([self.finest[d]]).collect()
        };
        let side = |at: i32| -> Vec<[f64; D]> {
            let nodes = std::array::from_fn(|d| if d == axis { vec![at] } else { along(d) });
            let node = |place: [i32; D]| std::array::from_fn(|d| nodes[d][place[d] as usize]);
            self.node_positions(&places(nodes.each_ref().map(Vec::len)).map(node).collect::<Vec<_>>())
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
}
