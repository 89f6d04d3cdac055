//! Where the cells of a level lie: the one formula, from a cell's index.

/// A coordinate `halves` half cells above the lower of two sides that are `cells` cells apart: the weighted mean of the sides.
///
/// It depends on the index alone, is the same along equal axes, and is exactly opposite for indices that mirror each other between −a and a.
/// `cuda/kernels/lattice.cuh` has the same operations.
#[inline(always)]
pub fn position([lower, upper]: [f64; 2], cells: f64, halves: f64) -> f64 {
    let all = cells + cells;
    let mean = (lower * (all - halves) + upper * halves) / all;
    // The quotient of a product need not give the factor back.
    if halves == 0.0 {
        lower
    } else if halves == all {
        upper
    } else {
        mean
    }
}

/// The two sides of a cell along an axis. A point is a lattice without extent: its sides are half a cell away.
#[inline(always)]
pub fn sides(ends: [f64; 2], cells: f64, dx: f64, cell: i32) -> [f64; 2] {
    if ends[0] == ends[1] {
        return [ends[0] - 0.5 * dx, ends[0] + 0.5 * dx];
    }
    [0.0, 2.0].map(|halves| position(ends, cells, 2.0 * f64::from(cell) + halves))
}

/// The cells of a level along three axes. Those beyond the dimension have no extent, at zero.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C)]
pub struct Lattice {
    /// Lower corner of the domain.
    pub lower: [f64; 3],
    /// Upper corner of the domain.
    pub upper: [f64; 3],
    /// Cells between them.
    pub cells: [f64; 3],
    /// Cell size.
    pub dx: [f64; 3],
}

impl Lattice {
    /// A single point with a cell size.
    pub const fn point(point: [f64; 3], dx: [f64; 3]) -> Self {
        Lattice { lower: point, upper: point, cells: [1.0; 3], dx }
    }

    /// The centre of a cell along an axis.
    #[inline(always)]
    pub fn centre(&self, axis: usize, cell: i32) -> f64 {
        position([self.lower[axis], self.upper[axis]], self.cells[axis], 2.0 * f64::from(cell) + 1.0)
    }

    /// The sides of a cell along an axis.
    #[inline(always)]
    pub fn sides(&self, axis: usize, cell: i32) -> [f64; 2] {
        sides([self.lower[axis], self.upper[axis]], self.cells[axis], self.dx[axis], cell)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Ends are exact, cells that mirror each other in a domain from −a to a are exactly opposite, and a point is itself: whatever the
    /// rounding, with numbers of cells that are no powers of two and indices outside too.
    #[test]
    fn positions_mirror_each_other() {
        for (a, cells) in [(0.1, 3), (0.3, 50), (1.0 / 3.0, 77), (1e6, 12)] {
            let at = |halves: i32| position([-a, a], f64::from(cells), f64::from(halves));
            assert_eq!([at(0), at(2 * cells)], [-a, a]);
            for halves in -7..2 * cells + 7 {
                assert_eq!(at(halves), -at(2 * cells - halves), "{a}, {halves} of {cells}");
                assert!(at(halves) < at(halves + 1));
            }
        }
        let point = Lattice::point([0.1, -7.3, 0.0], [0.5, 0.25, 0.0]);
        assert_eq!([0, 1, 2].map(|d| point.centre(d, 0)), [0.1, -7.3, 0.0]);
        assert_eq!([0, 1].map(|d| point.sides(d, 0)), [[0.1 - 0.25, 0.1 + 0.25], [-7.3 - 0.125, -7.3 + 0.125]]);
    }
}
