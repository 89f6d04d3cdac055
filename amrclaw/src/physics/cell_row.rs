//! Rows of cells, for which functions of position are called.

use crate::index::CellIndex;
use crate::mesh::Geometry;

/// A row of cells along x.
#[derive(Clone, Copy, Debug)]
pub struct CellRow<const D: usize> {
    /// Where the level's cells lie.
    pub geometry: Geometry<D>,
    /// The first cell.
    pub first: CellIndex<D>,
    /// Number of cells.
    pub len: usize,
    /// Time.
    pub time: f64,
}

impl<const D: usize> CellRow<D> {
    /// Centre of cell `i` of the row.
    pub fn centre(&self, i: usize) -> [f64; D] {
        self.geometry.centre(self.cell(i))
    }

    /// Cell `i` of the row.
    pub fn cell(&self, i: usize) -> CellIndex<D> {
        let mut cell = self.first;
        cell[0] += i as i32;
        cell
    }

    /// A single point with a cell size, as a row of one cell.
    pub fn point(point: [f64; D], dx: [f64; D], time: f64) -> Self {
        CellRow { geometry: Geometry::point(point, dx), first: [0; D], len: 1, time }
    }
}
