//! From physical positions to computational ones.

use super::{Mapping, places};
use rayon::prelude::*;

/// Largest number of nodes among which the starting points of Newton's method are searched.
const MAX_SEEDS: f64 = 262_144.0;

/// Starting points tried, the nearest node first: where two sides of the mapped domain meet, the nearest node may lie on the wrong one.
const SEEDS_TRIED: usize = 4;

impl<const D: usize> Mapping<D> {
    /// The computational position of a physical one: Newton's method from the nearest of some nodes. `None` if there is
    /// none in the domain.
    pub fn inverse(&self, position: [f64; D]) -> Option<[f64; D]> {
        self.inverses(&[position])[0]
    }

    /// As [`Mapping::inverse`], for many positions.
    pub fn inverses(&self, positions: &[[f64; D]]) -> Vec<Option<[f64; D]>> {
        // In a fine mesh only some nodes are examined.
        let most = MAX_SEEDS.powf(1.0 / D as f64).round() as i32;
        let step: [i32; D] = std::array::from_fn(|d| (self.finest[d] / self.domain.cells[d].min(most)).max(1));
        let counts: [usize; D] = std::array::from_fn(|d| (self.finest[d] / step[d]) as usize + 1);
        let nodes = self.nodes([0; D], step, counts);
        let starts: Vec<[i32; D]> = places(counts).collect();
        let inverse = |position: &[f64; D]| {
            let mut farthest = 0.0_f64;
            let mut seeds: Vec<(f64, usize)> = Vec::with_capacity(SEEDS_TRIED + 1);
            for (k, node) in nodes.iter().enumerate() {
                let distance = squared_distance(node, position);
                farthest = farthest.max(distance);
                if seeds.len() < SEEDS_TRIED || distance < seeds[SEEDS_TRIED - 1].0 {
                    seeds.insert(seeds.partition_point(|(other, _)| *other <= distance), (distance, k));
                    seeds.truncate(SEEDS_TRIED);
                }
            }
            let seed = |&(_, k): &(f64, usize)| self.point(std::array::from_fn(|d| starts[k][d] * step[d]));
            let found = seeds.iter().map(|near| self.newton(seed(near), position));
            found.into_iter().find(|point| squared_distance(&self.position(*point), position) <= 1e-18 * farthest)
        };
        positions.par_iter().map(inverse).collect()
    }

    /// Where Newton's method leads from a point, within the domain.
    fn newton(&self, mut point: [f64; D], position: &[f64; D]) -> [f64; D] {
        let extent: [f64; D] = std::array::from_fn(|d| self.domain.upper[d] - self.domain.lower[d]);
        let inside = |point: &[f64; D]| -> [f64; D] {
            std::array::from_fn(|d| match self.domain.repeats.axes[d] {
                true => self.domain.lower[d] + (point[d] - self.domain.lower[d]).rem_euclid(extent[d]),
                false => point[d].clamp(self.domain.lower[d], self.domain.upper[d]),
            })
        };
        for _ in 0..50 {
            // Differences towards the inside, so that the mapping is evaluated in the domain alone.
            let here = self.position(point);
            let columns: [[f64; D]; D] = std::array::from_fn(|d| {
                let mut beside = point;
                let towards = if point[d] + 1e-7 * extent[d] <= self.domain.upper[d] { 1e-7 } else { -1e-7 };
                beside[d] += towards * extent[d];
                let moved = self.position(beside);
                std::array::from_fn(|m| (moved[m] - here[m]) / (beside[d] - point[d]))
            });
            let change = combination(columns, std::array::from_fn(|m| position[m] - here[m]));
            let before = point;
            point = inside(&std::array::from_fn(|d| point[d] + change[d]));
            if (0..D).all(|d| (point[d] - before[d]).abs() <= 1e-12 * extent[d]) {
                break;
            }
        }
        point
    }
}

fn squared_distance<const D: usize>(a: &[f64; D], b: &[f64; D]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b).powi(2)).sum()
}

impl<const D: usize> Mapping<D> {
    /// Physical volume per computational volume at points within cells of size `dx`: the determinant of the mapping's derivative, by
    /// central differences over a five hundredth of a cell.
    pub fn volume_elements(&self, points: &[[f64; D]], dx: [f64; D]) -> Vec<f64> {
        let reach = dx.map(|dx| 1e-3 * dx);
        let beside = |d: usize, side: f64| {
            let moved =
                |point: &[f64; D]| std::array::from_fn(|e| point[e] + if e == d { side * reach[d] } else { 0.0 });
            self.positions(&points.iter().map(moved).collect::<Vec<_>>())
        };
        let ends: [[Vec<[f64; D]>; 2]; D] = std::array::from_fn(|d| [beside(d, -1.0), beside(d, 1.0)]);
        let slopes = |k: usize, d: usize| -> [f64; D] {
            let [below, above] = &ends[d];
            std::array::from_fn(|e| (above[k][e] - below[k][e]) / (2.0 * reach[d]))
        };
        (0..points.len()).map(|k| determinant(&std::array::from_fn(|d| slopes(k, d)))).collect()
    }
}

/// The coefficients of a vector as a combination of two or three columns, by Cramer's rule.
pub fn combination<const D: usize>(columns: [[f64; D]; D], wanted: [f64; D]) -> [f64; D] {
    let whole = determinant(&columns);
    std::array::from_fn(|d| {
        let mut with = columns;
        with[d] = wanted;
        determinant(&with) / whole
    })
}

/// The determinant of two or three columns.
fn determinant<const D: usize>(a: &[[f64; D]; D]) -> f64 {
    let minor = |i: usize, j: usize, m: usize| a[i][m] * a[j][m + 1] - a[i][m + 1] * a[j][m];
    if D == 2 {
        return minor(0, 1, 0);
    }
    let across = a[1][2] * a[2][0] - a[1][0] * a[2][2];
    a[0][0] * minor(1, 2, 1) + a[0][1] * across + a[0][2] * minor(1, 2, 0)
}
