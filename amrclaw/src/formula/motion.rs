//! Ground that moves: displacements at the nodes of lattices at some times, bilinear between nodes and linear between times.

use super::height_grid::corners;
use super::samples::stages_at;
use super::{Given, HeightGrid, common};
use crate::physics::{CachedCellFunction, CellFunction, CellRow};
use std::sync::Arc;

/// A displacement of the ground. There is none before the first time and outside what the lattices cover; the last one stays.
#[derive(Debug)]
pub struct Motion {
    times: Vec<f64>,
    stages: Vec<HeightGrid>,
}

impl Motion {
    /// `times`: ascending; `stages`: the displacements at these, all on the same lattice.
    ///
    /// # Panics
    /// There are other numbers of them, or none.
    pub fn new(times: Vec<f64>, stages: Vec<HeightGrid>) -> Motion {
        assert!(!times.is_empty() && times.len() == stages.len(), "one displacement for each time");
        Motion { times, stages }
    }

    /// When it begins and ends.
    fn duration(&self) -> [f64; 2] {
        [self.times[0], self.times[self.times.len() - 1]]
    }

    /// Adds the means over the cells of a row.
    fn add_to<const D: usize>(&self, row: &CellRow<D>, out: &mut [f64]) {
        let cover = self.stages[0].cover;
        let whole = [corners(row, 0)[0], corners(row, row.len - 1)[1]];
        if row.time < self.times[0] || common(whole, cover).is_none() {
            return;
        }
        let stages = stages_at(&self.times, row.time).into_iter().filter(|(_, weight)| *weight > 0.0);
        let area = |[lower, upper]: [[f64; 2]; 2]| (upper[0] - lower[0]) * (upper[1] - lower[1]);
        for (i, out) in out.iter_mut().enumerate() {
            let place = corners(row, i);
            let Some(inside) = common(place, cover) else { continue };
            let mean = |(stage, weight): (usize, f64)| {
                let sums = self.stages[stage].integral(inside);
                weight * (sums.height / sums.weight)
            };
            *out += stages.clone().map(mean).sum::<f64>() * (area(inside) / area(place));
        }
    }
}

/// The shortest span of time that holds all spans.
pub(super) fn span_of(spans: impl Iterator<Item = [f64; 2]>) -> [f64; 2] {
    spans.fold([f64::INFINITY, f64::NEG_INFINITY], |[a, b], [begin, end]| [a.min(begin), b.max(end)])
}

/// Heights of ground, and what moves it. Displacements add up, in a cell to its own height: water at rest that the ground lifts
/// keeps its volume on all levels.
pub struct MovingGround<const D: usize> {
    still: Given<D>,
    motions: Arc<[Motion]>,
}

impl<const D: usize> MovingGround<D> {
    /// `still`: heights without motion.
    pub fn new(still: Given<D>, motions: Arc<[Motion]>) -> Self {
        MovingGround { still, motions }
    }
}

impl<const D: usize> CellFunction<D> for MovingGround<D> {
    fn num_values(&self) -> usize {
        1
    }

    fn depends_on_time(&self) -> bool {
        true
    }

    fn changes_within(&self) -> [f64; 2] {
        if self.still.depends_on_time() {
            return self.still.changes_within();
        }
        span_of(self.motions.iter().map(Motion::duration))
    }

    fn fill_row(&self, row: &CellRow<D>, out: &mut [f64]) {
        self.still.fill_row(row, out);
        self.motions.iter().for_each(|motion| motion.add_to(row, out));
    }

    fn in_steps(&self) -> Option<&dyn CachedCellFunction<D>> {
        (!self.still.depends_on_time()).then_some(self as _)
    }
}

/// Kept are the heights without motion.
impl<const D: usize> CachedCellFunction<D> for MovingGround<D> {
    fn cache_len(&self, cells: usize) -> usize {
        cells
    }

    fn fill_kept(&self, row: &CellRow<D>, kept: &mut [f64]) {
        self.still.fill_row(row, kept);
    }

    fn fill_row_from(&self, row: &CellRow<D>, kept: &[f64], _values: [&[f64]; 2], out: &mut [f64]) {
        out.copy_from_slice(kept);
        self.motions.iter().for_each(|motion| motion.add_to(row, out));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::Geometry;

    struct Flat;

    impl CellFunction<2> for Flat {
        fn num_values(&self) -> usize {
            1
        }

        fn fill_row(&self, _row: &CellRow<2>, out: &mut [f64]) {
            out.fill(-3.0);
        }
    }

    /// Cells get the exact mean of the displacement over what of them the lattice covers, linear in time: none before the first
    /// time, the last one ever after; two motions add up. The kept form gives the same bits. Tolerance: round-off.
    #[test]
    fn displacements_are_exact_means_linear_in_time() {
        let (first, spacing, count) = ([0.5, -0.5], [0.5, 1.0], [3, 2]);
        let stage = |scale: f64| {
            let height = |n: usize| scale * (1.0 + first[0] + spacing[0] * (n % 3) as f64);
            let heights = (0..6).map(height).collect();
            HeightGrid::new([[0.5, -0.5], [1.5, 0.5]], [first, spacing], count, heights, f64::NEG_INFINITY)
        };
        let motion =
            |from: f64| Motion::new(vec![from, from + 2.0, from + 3.0], vec![stage(0.0), stage(4.0), stage(2.0)]);
        let ground = MovingGround::<2>::new(Arc::new(Flat), Arc::new([motion(1.0), motion(10.0)]));
        // Cells of 0.5 by 1, of which the lattice covers half of the second and the third: there the displacement is 1 + x.
        let geometry = Geometry::new([0.0, 0.0], [2.0, 2.0], [4, 2]);
        for (time, scale) in
            [(0.9, 0.0), (1.0, 0.0), (2.5, 3.0), (3.5, 3.0), (4.0, 2.0), (9.0, 2.0), (12.5, 5.0), (99.0, 4.0)]
        {
            let row = CellRow { geometry, first: [0, 0], len: 4, time };
            let (mut found, mut kept, mut again) = ([0.0; 4], [0.0; 4], [0.0; 4]);
            ground.fill_row(&row, &mut found);
            ground.fill_kept(&row, &mut kept);
            ground.fill_row_from(&row, &kept, [&[], &[]], &mut again);
            let wanted = [0.0, 1.75, 2.25, 0.0].map(|mean| -3.0 + 0.5 * scale * mean);
            assert!(found.iter().zip(wanted).all(|(a, b)| (a - b).abs() < 1e-14), "{time}: {found:?}, {wanted:?}");
            assert_eq!(found, again);
        }
        assert!(
            ground.stays(0.0, 0.99) && !ground.stays(0.0, 1.0) && !ground.stays(4.0, 9.0) && ground.stays(13.0, 1e9)
        );
    }
}
