//! Numbers on a regular lattice, read from a file: values of cells as functions of position.

use crate::mesh::linear_weights;
use crate::physics::{CellFunction, CellRow};

/// Numbers on a regular lattice, between which values are linear, in time too if they have times. Each is the value at the centre of its box;
/// within half a box of the lattice's sides, and outside, values are those of the nearest number, and so before the first time and after the
/// last.
#[derive(Clone, Debug, PartialEq)]
pub struct Samples {
    lower: Vec<f64>,
    width: Vec<f64>,
    count: Vec<usize>,
    /// Ascending; empty if the values hold at all times.
    times: Vec<f64>,
    /// x fastest, time slowest.
    values: Vec<f64>,
}

impl Samples {
    /// `count` boxes along each axis, x first, between the lower and the upper of the corners; at each of the `times`, or if there are none at
    /// all times, one of the `values` for each box, with x fastest.
    ///
    /// # Panics
    /// The numbers of axes or of values differ, or there are no values.
    pub fn new(corners: [&[f64]; 2], count: Vec<usize>, times: Vec<f64>, values: Vec<f64>) -> Samples {
        let [lower, upper] = corners;
        assert!(lower.len() == count.len() && upper.len() == count.len(), "one number for each axis");
        let all = count.iter().product::<usize>() * times.len().max(1);
        assert!(!values.is_empty() && values.len() == all, "one value for each box and time");
        let width = (0..count.len()).map(|d| (upper[d] - lower[d]) / count[d] as f64).collect();
        Samples { lower: lower.to_vec(), width, count, times, values }
    }

    /// The value at a point: the mean of the numbers at the corners around it, weighted linearly along each axis, and of two times.
    fn at<const D: usize>(&self, point: [f64; D], stages: [(usize, f64); 2]) -> f64 {
        let place = std::array::from_fn(|d| (point[d] - self.lower[d]) / self.width[d]);
        let size = self.values.len() / self.times.len().max(1);
        let of_stage = |(stage, part): (usize, f64)| {
            let weights = linear_weights::<D>(place, std::array::from_fn(|d| self.count[d]));
            let counting = weights.filter(|(_, weight)| *weight != 0.0);
            part * counting.fold(0.0, |sum, (index, weight)| sum + weight * self.values[stage * size + index])
        };
        stages.into_iter().filter(|(_, part)| *part != 0.0).map(of_stage).sum()
    }
}

/// The ascending times before and after one, by their numbers, and how much each counts in between; before the first and after the last that
/// alone.
pub(super) fn stages_at(times: &[f64], time: f64) -> [(usize, f64); 2] {
    let after = times.partition_point(|t| *t <= time);
    let before = after.saturating_sub(1);
    let part = match times.get(after) {
        Some(next) if after > 0 => (time - times[before]) / (next - times[before]),
        _ => 0.0,
    };
    [(before, 1.0 - part), (after, part)]
}

impl<const D: usize> CellFunction<D> for Samples {
    fn num_values(&self) -> usize {
        1
    }

    fn depends_on_time(&self) -> bool {
        self.times.len() > 1
    }

    fn fill_row(&self, row: &CellRow<D>, out: &mut [f64]) {
        let stages = stages_at(&self.times, row.time);
        for (i, out) in out.iter_mut().enumerate() {
            *out = self.at(row.centre(i), stages);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// At centres the numbers themselves, between them linear along each axis (exact for these binary fractions), outside the nearest ones;
    /// an axis with a single number does not matter.
    #[test]
    fn values_are_linear_between_centres() {
        let values = vec![1.0, 2.0, 4.0, 5.0, 6.0, 8.0];
        let samples = Samples::new([&[0.0, 10.0], &[3.0, 14.0]], vec![3, 2], Vec::new(), values);
        let at = |samples: &Samples, point| samples.at(point, stages_at(&[], 7.0));
        assert_eq!(at(&samples, [0.5, 11.0]), 1.0);
        assert_eq!(at(&samples, [2.5, 13.0]), 8.0);
        assert_eq!(at(&samples, [1.0, 12.0]), 3.5);
        assert_eq!([at(&samples, [-9.0, 0.0]), at(&samples, [9.0, 99.0])], [1.0, 8.0]);
        let flat = Samples::new([&[0.0, 0.0], &[2.0, 1.0]], vec![2, 1], Vec::new(), vec![1.0, 3.0]);
        assert_eq!([at(&flat, [1.0, -5.0]), at(&flat, [1.0, 5.0])], [2.0, 2.0]);
    }

    /// Between times linear, at the times their own numbers, outside the nearest time's. Exact for these binary fractions.
    #[test]
    fn values_are_linear_in_time() {
        let times = vec![1.0, 2.0, 4.0];
        let samples = Samples::new([&[0.0], &[2.0]], vec![2], times.clone(), vec![0.0, 8.0, 4.0, 4.0, 1.0, 3.0]);
        let at = |time| samples.at([0.75], stages_at(&times, time));
        assert_eq!([0.0, 1.0, 1.5, 2.0, 3.0, 4.0, 9.0].map(at), [2.0, 2.0, 3.0, 4.0, 2.75, 1.5, 1.5]);
        assert!(CellFunction::<1>::depends_on_time(&samples));
    }
}
