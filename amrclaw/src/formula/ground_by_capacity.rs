//! Ground where cells have a capacity: means weighted by it.

use super::Given;
use super::ground::{GroundSums, depth_below};
use crate::mesh::Geometry;
use crate::physics::{CellFunction, CellRow};

/// Values of cells in two dimensions, such that water at rest has the same volume on all levels although cells have a capacity: plain means
/// along each row of the finest level's cells, and of a cell's rows weighted by their capacity.
pub struct GroundByCapacity<const D: usize> {
    ground: Given<D>,
    capacity: Given<D>,
    rest: f64,
    finest: Geometry<D>,
}

impl<const D: usize> GroundByCapacity<D> {
    /// `ground`: plain means; `rest`: its level of water at rest; `capacity`: one value, on all levels the mean of that of finer cells.
    pub fn new(ground: Given<D>, capacity: Given<D>, rest: f64, finest: Geometry<D>) -> Self {
        GroundByCapacity { ground, capacity, rest, finest }
    }
}

impl<const D: usize> CellFunction<D> for GroundByCapacity<D> {
    fn num_values(&self) -> usize {
        1
    }

    fn depends_on_time(&self) -> bool {
        self.ground.depends_on_time()
    }

    fn changes_within(&self) -> [f64; 2] {
        self.ground.changes_within()
    }

    fn fill_row(&self, row: &CellRow<D>, out: &mut [f64]) {
        let rows = if D == 2 { (self.finest.cells[1] / row.geometry.cells[1]) as i32 } else { 1 };
        if rows <= 1 {
            return self.ground.fill_row(row, out);
        }
        let cells = std::array::from_fn(|d| if d == 1 { self.finest.cells[d] } else { row.geometry.cells[d] } as i32);
        let geometry = Geometry::new(row.geometry.lower, row.geometry.upper, cells);
        let (mut sums, mut weights) = (vec![GroundSums::default(); row.len], vec![0.0; row.len]);
        let mut first = row.first;
        for j in rows * row.first[1]..rows * (row.first[1] + 1) {
            first[1] = j;
            let fine = CellRow { geometry, first, ..*row };
            self.ground.fill_row(&fine, out);
            self.capacity.fill_row(&fine, &mut weights);
            for ((sums, &weight), &height) in sums.iter_mut().zip(&weights).zip(&*out) {
                let depth = weight * depth_below(self.rest, height);
                sums.plus(GroundSums { height: weight * height, depth, weight });
            }
        }
        out.iter_mut().zip(sums).for_each(|(out, sums)| *out = sums.value(self.rest));
    }
}
