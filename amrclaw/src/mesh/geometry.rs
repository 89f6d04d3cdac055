//! Where cells lie: the one place that turns indices into coordinates, and coordinates into indices.

use crate::index::{CellBox, CellIndex};
use riemann::lattice::{Lattice, position, sides};

/// The farthest that a side of a domain can be from the origin: a limit that keeps products of coordinates and numbers of cells finite.
pub const FARTHEST: f64 = 1e290;

/// The cells of a level in the domain. Positions depend on indices alone, in one formula: [`riemann::lattice`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Geometry<const D: usize> {
    /// Lower corner of the domain, which is that of cell 0.
    pub lower: [f64; D],
    /// Upper corner of the domain.
    pub upper: [f64; D],
    /// Cells between them along each axis; not whole where pairs of an odd number of cells are one cell.
    pub cells: [f64; D],
    /// Cell size along each axis.
    pub dx: [f64; D],
}

/// A cell or a point by three axes: zero along those beyond `D`.
pub fn in_space<const D: usize, T: Copy + Default>(place: [T; D]) -> [T; 3] {
    std::array::from_fn(|d| place.get(d).copied().unwrap_or_default())
}

/// The cells whose centres are around a point, and their weights in a linear interpolation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Surroundings<const D: usize> {
    /// The cells: two along each axis.
    pub cells: CellBox<D>,
    /// A weight for each, first axis fastest; zero beyond the last.
    pub weights: [f64; 8],
}

impl<const D: usize> Geometry<D> {
    /// The level with `cells` cells between two corners.
    pub fn new(lower: [f64; D], upper: [f64; D], cells: [i32; D]) -> Self {
        let cells = cells.map(f64::from);
        let dx = std::array::from_fn(|d| (upper[d] - lower[d]) / cells[d]);
        Geometry { lower, upper, cells, dx }
    }

    /// A single point with a cell size, as cell 0.
    pub fn point(point: [f64; D], dx: [f64; D]) -> Self {
        Geometry { lower: point, upper: point, cells: [1.0; D], dx }
    }

    /// The level whose cells are pairs of this one's along each axis.
    pub fn of_pairs(&self) -> Self {
        Geometry { cells: self.cells.map(|n| 0.5 * n), dx: self.dx.map(|dx| 2.0 * dx), ..*self }
    }

    /// The cells whose centres are the corners of these.
    pub fn corners(&self) -> Self {
        let (below, cells) = (self.moved([-0.5; D]), self.cells.map(|n| n + 1.0));
        match self.lower == self.upper {
            true => below,
            false => Geometry { upper: self.moved([0.5; D]).upper, cells, ..below },
        }
    }

    /// The same cells, moved by parts of a cell.
    pub fn moved(&self, by: [f64; D]) -> Self {
        let moved = |from: [f64; D]| std::array::from_fn(|d| from[d] + by[d] * self.dx[d]);
        Geometry { lower: moved(self.lower), upper: moved(self.upper), ..*self }
    }

    /// The coordinate of a face, or, half a cell from it, of a centre along an axis.
    #[inline(always)]
    fn along(&self, d: usize, halves: f64) -> f64 {
        position([self.lower[d], self.upper[d]], self.cells[d], halves)
    }

    /// Lower corner of a cell.
    pub fn corner(&self, cell: CellIndex<D>) -> [f64; D] {
        std::array::from_fn(|d| self.along(d, 2.0 * f64::from(cell[d])))
    }

    /// Centre of a cell.
    pub fn centre(&self, cell: CellIndex<D>) -> [f64; D] {
        std::array::from_fn(|d| self.centre_along(d, cell[d]))
    }

    /// Centre of a cell along an axis.
    #[inline(always)]
    pub fn centre_along(&self, d: usize, cell: i32) -> f64 {
        self.along(d, 2.0 * f64::from(cell) + 1.0)
    }

    /// The two sides of a cell along an axis.
    #[inline(always)]
    pub fn sides_along(&self, d: usize, cell: i32) -> [f64; 2] {
        sides([self.lower[d], self.upper[d]], self.cells[d], self.dx[d], cell)
    }

    /// Along three axes: without extent along those beyond `D`.
    pub fn in_space(&self) -> Lattice {
        let [lower, upper, dx] = [self.lower, self.upper, self.dx].map(in_space);
        Lattice { lower, upper, cells: std::array::from_fn(|d| self.cells.get(d).copied().unwrap_or(1.0)), dx }
    }

    /// The distance of a point from the lower corner of the domain, in cells.
    pub fn in_cells(&self, point: [f64; D]) -> [f64; D] {
        std::array::from_fn(|d| (point[d] - self.lower[d]) / self.dx[d])
    }

    /// The cell that holds a point.
    pub fn cell_at(&self, point: [f64; D]) -> CellIndex<D> {
        self.in_cells(point).map(|x| x.floor() as i32)
    }

    /// The cells of `within` between whose centres a point lies; near the boundary of `within` the nearest cells, which extrapolate.
    pub fn around(&self, point: [f64; D], within: &CellBox<D>) -> Surroundings<D> {
        let scaled = self.in_cells(point).map(|x| x - 0.5);
        let lowest: CellIndex<D> =
            std::array::from_fn(|d| (scaled[d].floor() as i32).clamp(within.lo[d], within.hi[d] - 2));
        let cells = CellBox::new(lowest, lowest.map(|i| i + 2));
        let mut weights = [0.0; 8];
        for (weight, corner) in weights.iter_mut().zip(cells.cells()) {
            let along = |d: usize| {
                let above = scaled[d] - f64::from(lowest[d]);
                if corner[d] > lowest[d] { above } else { 1.0 - above }
            };
            *weight = (0..D).map(along).product();
        }
        Surroundings { cells, weights }
    }

    /// Volume of a cell.
    pub fn volume(&self) -> f64 {
        self.dx.iter().product()
    }

    /// Cell size along three axes: 1 along the axes beyond `D`.
    pub fn dx_in_space(&self) -> [f64; 3] {
        std::array::from_fn(|d| self.dx.get(d).copied().unwrap_or(1.0))
    }
}

/// The numbers of a lattice of `count` boxes, x fastest, around a point, and their weights in a linear interpolation between the boxes'
/// centres. `place`: the point's distance from the lower corner, in boxes. Within half a box of the sides, and outside, the nearest count.
#[inline]
pub fn linear_weights<const D: usize>(place: [f64; D], count: [usize; D]) -> impl Iterator<Item = (usize, f64)> {
    let (mut first, mut part) = ([0; D], [0.0; D]);
    for d in 0..D {
        let place = (place[d] - 0.5).clamp(0.0, (count[d] - 1) as f64);
        first[d] = (place as usize).min(count[d].saturating_sub(2));
        part[d] = place - first[d] as f64;
    }
    (0..1 << D).map(move |corner| {
        let (mut weight, mut index) = (1.0, 0);
        for d in (0..D).rev() {
            let is_upper = corner >> d & 1 == 1;
            weight *= if is_upper { part[d] } else { 1.0 - part[d] };
            index = index * count[d] + (first[d] + usize::from(is_upper)).min(count[d] - 1);
        }
        (index, weight)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A point is in the cell whose corners are around it; weights add up to one and give back a linear function, between centres and
    /// beyond the last.
    #[test]
    fn indices_and_coordinates_agree() {
        let geometry = Geometry::new([-1.0, 2.0], [1.0, 5.0], [8, 6]);
        assert_eq!((geometry.corner([3, -2]), geometry.centre([3, -2])), ([-0.25, 1.0], [-0.125, 1.25]));
        assert_eq!([geometry.sides_along(0, 3), geometry.sides_along(1, -2)], [[-0.25, 0.0], [1.0, 1.5]]);
        assert_eq!(geometry.of_pairs().centre([1, -1]), [-0.25, 1.5]);
        assert_eq!(geometry.moved([0.5, -0.5]).centre([3, -2]), [0.0, 1.0]);
        assert_eq!((geometry.cell_at([-0.125, 1.25]), geometry.cell_at([-1.1, 2.0])), ([3, -2], [-1, 0]));
        assert_eq!((geometry.volume(), geometry.dx_in_space()), (0.125, [0.25, 0.5, 1.0]));
        let linear = |[x, y]: [f64; 2]| 3.0 - 2.0 * x + 0.5 * y;
        for point in [[-0.3, 2.9], [-0.99, 2.01], [1.4, 3.3]] {
            let found = geometry.around(point, &CellBox::new([0, 0], [9, 4]));
            assert!(CellBox::new([0, 0], [9, 4]).contains_box(&found.cells), "{found:?}");
            let values =
                found.cells.cells().zip(found.weights).map(|(cell, weight)| weight * linear(geometry.centre(cell)));
            assert!((values.sum::<f64>() - linear(point)).abs() < 1e-14, "{point:?}: {found:?}");
            assert!((found.weights.iter().sum::<f64>() - 1.0).abs() < 1e-14);
        }
    }
}
