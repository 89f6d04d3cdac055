//! Heights of ground at the nodes of lattices, bilinear between them: exact means over cells of any size.

use super::ground::{GroundSums, depth_below};
use crate::physics::{CellFunction, CellRow};
use std::sync::Arc;

/// Heights at the nodes of a lattice; along one axis `D` may have none. Outside its nodes heights are those of the nearest point.
#[derive(Debug)]
pub struct HeightGrid {
    /// What it holds for, lower and upper corner.
    pub cover: [[f64; 2]; 2],
    /// The first node.
    first: [f64; 2],
    spacing: [f64; 2],
    count: [usize; 2],
    /// x fastest, both axes ascending.
    heights: Vec<f64>,
    rest: f64,
    /// Sums of heights and of depths below the rest level over squares of 2, 4, 8, … nodes, and the numbers of squares. A sum
    /// over any box adds few of them, and loses no digits.
    squares: Vec<([usize; 2], Vec<[f64; 2]>)>,
}

/// Nodes of a box, half open, along an axis.
type Range = [usize; 2];

impl HeightGrid {
    /// `first`, `spacing`, `count`: the lattice; `heights`: x fastest, both axes ascending; `rest`: the level of water at rest,
    /// infinitely low without any.
    ///
    /// # Panics
    /// The number of heights is another.
    pub fn new(
        cover: [[f64; 2]; 2],
        [first, spacing]: [[f64; 2]; 2],
        count: [usize; 2],
        heights: Vec<f64>,
        rest: f64,
    ) -> HeightGrid {
        assert!(!heights.is_empty() && heights.len() == count[0] * count[1], "one height for each node");
        let mut grid = HeightGrid { cover, first, spacing, count, heights, rest, squares: Vec::new() };
        let mut below = count;
        while below.iter().all(|n| *n > 3) {
            let (of, depth) = (below, grid.squares.len());
            below = below.map(|n| n / 2);
            let square = |n: usize| {
                let (i, j) = (2 * (n % below[0]), 2 * (n / below[0]));
                let nodes = [(i, j), (i + 1, j), (i, j + 1), (i + 1, j + 1)];
                nodes.into_iter().fold([0.0; 2], |sums, (i, j)| plus(sums, grid.entry(depth, i + of[0] * j), 1.0))
            };
            let squares = (0..below[0] * below[1]).map(square).collect();
            grid.squares.push((below, squares));
        }
        grid
    }

    /// Sums of a node, or of a square of nodes of a size.
    fn entry(&self, depth: usize, place: usize) -> [f64; 2] {
        match depth {
            0 => [self.heights[place], depth_below(self.rest, self.heights[place])],
            _ => self.squares[depth - 1].1[place],
        }
    }

    /// The sum over a box of nodes, or of squares of nodes.
    fn sum(&self, depth: usize, [mut x, mut y]: [Range; 2]) -> [f64; 2] {
        let width = if depth == 0 { self.count[0] } else { self.squares[depth - 1].0[0] };
        let mut sums = [0.0; 2];
        let mut add = |x: Range, y: Range| {
            for j in y[0]..y[1] {
                (x[0]..x[1]).for_each(|i| sums = plus(sums, self.entry(depth, i + width * j), 1.0));
            }
        };
        if depth == self.squares.len() || x[1] - x[0] < 4 || y[1] - y[0] < 4 {
            add(x, y);
            return sums;
        }
        // What is not in whole squares.
        for side in 0..2 {
            if x[side] % 2 == 1 {
                let i = x[side] - side;
                add([i, i + 1], y);
                x[side] = i + 1 - side;
            }
        }
        for side in 0..2 {
            if y[side] % 2 == 1 {
                let j = y[side] - side;
                add(x, [j, j + 1]);
                y[side] = j + 1 - side;
            }
        }
        plus(sums, self.sum(depth + 1, [x, y].map(|range| range.map(|n| n / 2))), 1.0)
    }

    /// Where a stretch lies along an axis: the weights of nodes at its ends, and the nodes between, which count fully.
    fn weights(&self, d: usize, [from, to]: [f64; 2]) -> (Vec<(usize, f64)>, Range) {
        let last = self.count[d] - 1;
        let [from, to] = [from, to].map(|x| (x - self.first[d]) / self.spacing[d]);
        let node = |x: f64| x.clamp(0.0, last as f64);
        let (a, b) = (node(from.floor()) as usize, node(to.ceil()) as usize);
        let weight = |n: usize| {
            let at = n as f64;
            // Up to the node and from it on; beyond the ends of the lattice heights stay the same.
            let part = |x0: f64, x1: f64, rising: f64| {
                if x1 <= x0 {
                    return 0.0;
                }
                (x1 - x0) * (1.0 + rising * (0.5 * (x0 + x1) - at))
            };
            let below = if n == 0 { (to.min(0.0) - from).max(0.0) } else { part(from.max(at - 1.0), to.min(at), 1.0) };
            let above = match n == last {
                true => (to - from.max(at)).max(0.0),
                false => part(from.max(at), to.min(at + 1.0), -1.0),
            };
            below + above
        };
        let inner = if b - a < 4 { [b + 1, b + 1] } else { [a + 2, b - 1] };
        let ends = (a..inner[0]).chain(inner[1]..b + 1).filter(|n| *n <= b);
        (ends.map(|n| (n, weight(n))).collect(), inner)
    }

    /// Integrals over a box. Means are their quotients by the weights' sum, in which round-off of positions cancels.
    pub(super) fn integral(&self, place: [[f64; 2]; 2]) -> GroundSums {
        let [(ends_x, inner_x), (ends_y, inner_y)] = [0, 1].map(|d| self.weights(d, [place[0][d], place[1][d]]));
        let mut sums = [0.0; 2];
        let mut row = |y: Range, weight: f64| {
            for &(i, of_node) in &ends_x {
                sums = plus(sums, self.sum(0, [[i, i + 1], y]), weight * of_node);
            }
            sums = plus(sums, self.sum(0, [inner_x, y]), weight);
        };
        ends_y.iter().for_each(|&(j, weight)| row([j, j + 1], weight));
        row(inner_y, 1.0);
        let weight = |ends: &[(usize, f64)], inner: Range| {
            ends.iter().map(|(_, weight)| weight).sum::<f64>() + (inner[1] - inner[0]) as f64
        };
        let area = self.spacing[0] * self.spacing[1];
        GroundSums {
            height: sums[0] * area,
            depth: sums[1] * area,
            weight: weight(&ends_x, inner_x) * weight(&ends_y, inner_y) * area,
        }
    }
}

/// Adds sums with a weight.
fn plus(sums: [f64; 2], other: [f64; 2], weight: f64) -> [f64; 2] {
    [sums[0] + weight * other[0], sums[1] + weight * other[1]]
}

/// Ground given by several lattices, of which the first that holds at a point counts; where none does, the last.
pub struct GroundGrids {
    grids: Arc<[HeightGrid]>,
}

impl GroundGrids {
    /// Each lattice has the rest level of the water on it.
    pub fn new(grids: Arc<[HeightGrid]>) -> Self {
        GroundGrids { grids }
    }

    /// Integrals over a box of what `grids` hold, and the rest level of the piece with the most water.
    fn integral(grids: &[HeightGrid], place: [[f64; 2]; 2]) -> (GroundSums, f64) {
        let (grid, others) = grids.split_first().expect("there is a lattice");
        let Some(inside) = common(place, grid.cover).filter(|_| !others.is_empty()) else {
            return if others.is_empty() { (grid.integral(place), grid.rest) } else { Self::integral(others, place) };
        };
        let (mut sums, mut rest) = (grid.integral(inside), grid.rest);
        let mut most = sums.depth;
        for piece in outside(place, inside) {
            let (more, level) = Self::integral(others, piece);
            if more.depth > most {
                (most, rest) = (more.depth, level);
            }
            sums.plus(more);
        }
        (sums, rest)
    }
}

/// What two boxes have in common.
pub fn common(a: [[f64; 2]; 2], b: [[f64; 2]; 2]) -> Option<[[f64; 2]; 2]> {
    let both = [[0, 1].map(|d| a[0][d].max(b[0][d])), [0, 1].map(|d| a[1][d].min(b[1][d]))];
    (0..2).all(|d| both[0][d] < both[1][d]).then_some(both)
}

/// The parts of a box around another within it.
pub fn outside([lower, upper]: [[f64; 2]; 2], [from, to]: [[f64; 2]; 2]) -> impl Iterator<Item = [[f64; 2]; 2]> {
    let parts = [
        [lower, [from[0], upper[1]]],
        [[to[0], lower[1]], upper],
        [[from[0], lower[1]], [to[0], from[1]]],
        [[from[0], to[1]], [to[0], upper[1]]],
    ];
    parts.into_iter().filter(|[lower, upper]| lower[0] < upper[0] && lower[1] < upper[1])
}

/// Lower and upper corner of a cell of a row in the plane; on a line y goes from 0 to 1.
pub(super) fn corners<const D: usize>(row: &CellRow<D>, i: usize) -> [[f64; 2]; 2] {
    let cell = row.cell(i);
    let sides = |d: usize| if d < D { row.geometry.sides_along(d, cell[d]) } else { [0.0, 1.0] };
    let [x, y] = [sides(0), sides(1)];
    [[x[0], y[0]], [x[1], y[1]]]
}

impl<const D: usize> CellFunction<D> for GroundGrids {
    fn num_values(&self) -> usize {
        1
    }

    fn fill_row(&self, row: &CellRow<D>, out: &mut [f64]) {
        for (i, out) in out.iter_mut().enumerate() {
            let (sums, rest) = Self::integral(&self.grids, corners(row, i));
            *out = sums.value(rest);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::Geometry;

    const REST: f64 = 0.1;

    /// A lattice of heights without any order, and what it holds for.
    fn grid(cover: [[f64; 2]; 2], first: [f64; 2], spacing: [f64; 2], count: [usize; 2]) -> HeightGrid {
        let height = |n: usize| (1234.5 * (n as f64 + 1.0) * (n as f64 + 0.5)).sin();
        HeightGrid::new(cover, [first, spacing], count, (0..count[0] * count[1]).map(height).collect(), REST)
    }

    /// Integrals of heights and of depths at rest over a box, by the midpoint rule on cells that no edge of a lattice crosses,
    /// where the rule of two by two of Gauss' points is exact for a bilinear function.
    fn slowly(grids: &[HeightGrid], [lower, upper]: [[f64; 2]; 2]) -> GroundSums {
        let cuts = |d: usize| {
            let of_grid = |grid: &HeightGrid| {
                let nodes = (0..grid.count[d]).map(move |n| n as f64).map({
                    let (first, spacing) = (grid.first[d], grid.spacing[d]);
                    move |n| first + n * spacing
                });
                nodes.chain(grid.cover.map(|corner| corner[d])).collect::<Vec<_>>()
            };
            let mut cuts: Vec<f64> = grids.iter().flat_map(of_grid).chain([lower[d], upper[d]]).collect();
            cuts.retain(|x| (lower[d]..=upper[d]).contains(x));
            cuts.sort_by(f64::total_cmp);
            cuts
        };
        let mut sums = GroundSums::default();
        for x in cuts(0).windows(2) {
            for y in cuts(1).windows(2) {
                let quarter = 0.25 * (x[1] - x[0]) * (y[1] - y[0]);
                for (a, b) in [(-1.0, -1.0), (-1.0, 1.0), (1.0, -1.0), (1.0, 1.0)] {
                    let at =
                        |range: &[f64], s: f64| 0.5 * (range[0] + range[1] + s / 3f64.sqrt() * (range[1] - range[0]));
                    let point = [at(x, a), at(y, b)];
                    let holds =
                        |grid: &&HeightGrid| (0..2).all(|d| grid.cover[0][d] < point[d] && point[d] < grid.cover[1][d]);
                    let grid = grids.iter().find(holds).unwrap_or(&grids[grids.len() - 1]);
                    let place = [0, 1].map(|d| {
                        let last = (grid.count[d] - 1) as f64;
                        ((point[d] - grid.first[d]) / grid.spacing[d]).clamp(0.0, last)
                    });
                    for corner in 0..4 {
                        let mut weight = quarter;
                        let node = [0, 1].map(|d| {
                            let below = place[d].floor().min((grid.count[d].max(2) - 2) as f64);
                            let upper = corner >> d & 1;
                            let part = place[d] - below;
                            weight *= if upper == 1 { part } else { 1.0 - part };
                            (below as usize + upper).min(grid.count[d] - 1)
                        });
                        let height = grid.heights[node[0] + grid.count[0] * node[1]];
                        sums.plus(GroundSums {
                            height: weight * height,
                            depth: weight * depth_below(REST, height),
                            weight,
                        });
                    }
                }
            }
        }
        sums
    }

    /// Cells of any size and place, within a lattice's cell or over many, within one lattice or cut by the sides of others, have
    /// the mean that summing over all pieces gives; also beyond the lattices. Tolerance: round-off of up to 10⁴ terms.
    #[test]
    fn means_are_exact_over_cells_of_any_size() {
        let grids: Arc<[HeightGrid]> = Arc::new([
            grid([[0.21, 0.3], [0.52, 0.71]], [0.2, 0.3], [0.01, 0.013], [37, 33]),
            grid([[0.45, -9.0], [0.8, 0.5]], [0.4, -0.1], [0.1, 0.07], [7, 11]),
            grid([[0.0, 0.0], [1.0, 1.0]], [0.005, 0.01], [0.01, 0.02], [100, 50]),
        ]);
        let ground = GroundGrids::new(grids.clone());
        for (cells, first, len) in
            [([1, 1], [0, 0], 1), ([7, 3], [-1, -1], 9), ([7, 3], [0, 1], 7), ([413, 211], [80, 60], 200)]
        {
            let geometry = Geometry::new([0.0, 0.0], [1.0, 1.0], cells);
            let mut values = vec![0.0; len];
            ground.fill_row(&CellRow { geometry, first, len, time: 0.0 }, &mut values);
            for (i, value) in values.into_iter().enumerate() {
                let [x, y] = [geometry.sides_along(0, first[0] + i as i32), geometry.sides_along(1, first[1])];
                let wanted = slowly(&grids, [[x[0], y[0]], [x[1], y[1]]]).value(REST);
                assert!((value - wanted).abs() < 1e-12, "{cells:?}, cell {i}: {value}, {wanted}");
            }
        }
    }

    /// Water at rest has the same volume on all levels, over several lattices that fit no cell. Tolerance: round-off.
    #[test]
    fn volumes_of_water_at_rest_are_equal_on_all_levels() {
        let grids = [
            grid([[0.21, 0.3], [0.52, 0.71]], [0.2, 0.3], [0.01, 0.013], [37, 33]),
            grid([[0.0, 0.0], [1.0, 1.0]], [0.005, 0.01], [0.01, 0.02], [100, 50]),
        ];
        let ground = GroundGrids::new(Arc::new(grids));
        let level = |ratio: i32| {
            let geometry = Geometry::new([0.0, 0.0], [1.0, 1.0], [6 * ratio, 4 * ratio]);
            let row = |j: i32| {
                let mut values = vec![0.0; 6 * ratio as usize];
                ground.fill_row(&CellRow { geometry, first: [0, j], len: values.len(), time: 0.0 }, &mut values);
                values
            };
            (0..4 * ratio).map(row).collect::<Vec<_>>()
        };
        let (coarse, fine) = (level(1), level(16));
        for (j, row) in coarse.iter().enumerate() {
            for (i, height) in row.iter().enumerate() {
                let of_cell = fine[16 * j..16 * j + 16].iter().flat_map(|row| &row[16 * i..16 * i + 16]);
                let mean = of_cell.map(|height| depth_below(REST, *height)).sum::<f64>() / 256.0;
                assert!((mean - depth_below(REST, *height)).abs() < 1e-15, "cell {i}, {j}");
            }
        }
    }
}
