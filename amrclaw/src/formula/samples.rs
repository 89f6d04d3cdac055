//! Numbers on a regular lattice, read from a file: values of cells as functions of position.

use crate::mesh::linear_weights;
use crate::physics::{CellFunction, CellRow};

/// Numbers on a regular lattice, between which values are linear. Each is the value at the centre of its box; within half a box of the
/// lattice's sides, and outside, values are those of the nearest number.
#[derive(Clone, Debug, PartialEq)]
pub struct Samples {
    lower: Vec<f64>,
    width: Vec<f64>,
    count: Vec<usize>,
    /// x fastest.
    values: Vec<f64>,
}

impl Samples {
    /// `count` boxes along each axis, x first, between the corners `lower` and `upper`; `values` with x fastest.
    ///
    /// # Panics
    /// The numbers of axes or of values differ, or there are no values.
    pub fn new(lower: &[f64], upper: &[f64], count: Vec<usize>, values: Vec<f64>) -> Samples {
        assert!(lower.len() == count.len() && upper.len() == count.len(), "one number for each axis");
        assert!(!values.is_empty() && values.len() == count.iter().product::<usize>(), "one value for each box");
        let width = (0..count.len()).map(|d| (upper[d] - lower[d]) / count[d] as f64).collect();
        Samples { lower: lower.to_vec(), width, count, values }
    }

    /// The value at a point: the mean of the numbers at the corners around it, weighted linearly along each axis.
    fn at<const D: usize>(&self, point: [f64; D]) -> f64 {
        let place = std::array::from_fn(|d| (point[d] - self.lower[d]) / self.width[d]);
        let weights = linear_weights::<D>(place, std::array::from_fn(|d| self.count[d]));
        let counting = weights.filter(|(_, weight)| *weight != 0.0);
        counting.fold(0.0, |sum, (index, weight)| sum + weight * self.values[index])
    }
}

impl<const D: usize> CellFunction<D> for Samples {
    fn num_values(&self) -> usize {
        1
    }

    fn fill_row(&self, row: &CellRow<D>, out: &mut [f64]) {
        for (i, out) in out.iter_mut().enumerate() {
            *out = self.at(row.centre(i));
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
        let samples = Samples::new(&[0.0, 10.0], &[3.0, 14.0], vec![3, 2], vec![1.0, 2.0, 4.0, 5.0, 6.0, 8.0]);
        assert_eq!(samples.at([0.5, 11.0]), 1.0);
        assert_eq!(samples.at([2.5, 13.0]), 8.0);
        assert_eq!(samples.at([1.0, 12.0]), 3.5);
        assert_eq!([samples.at([-9.0, 0.0]), samples.at([9.0, 99.0])], [1.0, 8.0]);
        let flat = Samples::new(&[0.0, 0.0], &[2.0, 1.0], vec![2, 1], vec![1.0, 3.0]);
        assert_eq!([flat.at([1.0, -5.0]), flat.at([1.0, 5.0])], [2.0, 2.0]);
    }
}
