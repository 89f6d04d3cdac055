//! Where cells lie: the one place that turns indices into coordinates, and coordinates into indices.

use crate::index::{CellBox, CellIndex};

/// The coordinate `cells` cells of width `dx` above `lower`.
#[inline(always)]
pub fn position(lower: f64, cells: f64, dx: f64) -> f64 {
    lower + cells * dx
}

/// The cells of a level in the domain.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Geometry<const D: usize> {
    /// Lower corner of the domain, which is that of cell 0.
    pub lower: [f64; D],
    /// Cell size along each axis.
    pub dx: [f64; D],
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
    /// Lower corner of a cell.
    pub fn corner(&self, cell: CellIndex<D>) -> [f64; D] {
        std::array::from_fn(|d| position(self.lower[d], f64::from(cell[d]), self.dx[d]))
    }

    /// Centre of a cell.
    pub fn centre(&self, cell: CellIndex<D>) -> [f64; D] {
        std::array::from_fn(|d| position(self.lower[d], f64::from(cell[d]) + 0.5, self.dx[d]))
    }

    /// Centre of the first cell of a row, computed as functions of rows compute it, half a cell from the corner: equal to
    /// [`Geometry::centre`] up to round-off.
    pub fn row_centre(&self, cell: CellIndex<D>) -> [f64; D] {
        let corner = self.corner(cell);
        std::array::from_fn(|d| position(corner[d], 0.5, self.dx[d]))
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

#[cfg(test)]
mod tests {
    use super::*;

    /// A point is in the cell whose corners are around it; weights add up to one and give back a linear function, between centres and
    /// beyond the last.
    #[test]
    fn indices_and_coordinates_agree() {
        let geometry = Geometry { lower: [-1.0, 2.0], dx: [0.25, 0.5] };
        assert_eq!((geometry.corner([3, -2]), geometry.centre([3, -2])), ([-0.25, 1.0], [-0.125, 1.25]));
        assert_eq!(geometry.row_centre([3, -2]), [-0.125, 1.25]);
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
