//! Which cell holds a point.

use crate::Mesh;
use std::ops::Range;

impl Mesh {
    /// The first cell that holds a point: one that lies inside all its faces.
    pub fn cell_at(&self, point: &[f64]) -> Option<usize> {
        self.cell_among(0..self.num_cells(), point)
    }

    /// The first of these cells that holds a point.
    pub fn cell_among(&self, mut cells: Range<usize>, point: &[f64]) -> Option<usize> {
        cells.find(|&cell| {
            self.cell_faces.row(cell).iter().all(|&entry| {
                let (face, sign) = ((entry / 2) as usize, if entry % 2 == 0 { 1.0 } else { -1.0 });
                let shift = if sign < 0.0 { self.shift(face) } else { [0.0; 3] };
                let along =
                    |(d, x): (usize, &f64)| (self.faces.centre[face][d] + shift[d] - x) * self.faces.normal[face][d];
                sign * point.iter().enumerate().map(along).sum::<f64>() >= -1e-12 * self.faces.size[face]
            })
        })
    }
}
