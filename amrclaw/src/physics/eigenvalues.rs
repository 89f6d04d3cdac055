//! Eigenvalues of small real matrices, by the QR algorithm with complex shifts: Golub & Van Loan, Matrix Computations, §7.4 and §7.5.

use std::ops::{Add, Mul, Sub};

/// A complex number.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Complex {
    /// Real part.
    pub re: f64,
    /// Imaginary part.
    pub im: f64,
}

impl Complex {
    const ZERO: Complex = Complex { re: 0.0, im: 0.0 };

    const fn real(re: f64) -> Self {
        Complex { re, im: 0.0 }
    }

    /// Absolute value.
    pub fn abs(self) -> f64 {
        self.re.hypot(self.im)
    }

    fn conjugate(self) -> Self {
        Complex { re: self.re, im: -self.im }
    }

    fn sqrt(self) -> Self {
        let re = (0.5 * (self.abs() + self.re)).max(0.0).sqrt();
        Complex { re, im: (0.5 * (self.abs() - self.re)).max(0.0).sqrt().copysign(self.im) }
    }

    /// The number times a real one.
    pub fn scaled(self, factor: f64) -> Self {
        Complex { re: self.re * factor, im: self.im * factor }
    }
}

impl Add for Complex {
    type Output = Complex;

    fn add(self, other: Complex) -> Complex {
        Complex { re: self.re + other.re, im: self.im + other.im }
    }
}

impl Sub for Complex {
    type Output = Complex;

    fn sub(self, other: Complex) -> Complex {
        Complex { re: self.re - other.re, im: self.im - other.im }
    }
}

impl Mul for Complex {
    type Output = Complex;

    fn mul(self, other: Complex) -> Complex {
        Complex { re: self.re * other.re - self.im * other.im, im: self.re * other.im + self.im * other.re }
    }
}

/// A square matrix, row by row.
pub(super) type Matrix<T> = Vec<Vec<T>>;

/// The eigenvalues of a matrix of finite numbers, in any order.
pub fn eigenvalues(mut matrix: Matrix<f64>) -> Vec<Complex> {
    balance(&mut matrix);
    reduce(&mut matrix);
    let complex = |row: Vec<f64>| row.into_iter().map(Complex::real).collect();
    iterate(matrix.into_iter().map(complex).collect())
}

/// Scales the basis by powers of two, so that each row is about as large as its column: units must not cost accuracy. Returns the lengths of
/// the new basis vectors.
pub(super) fn balance(matrix: &mut Matrix<f64>) -> Vec<f64> {
    let size = matrix.len();
    let mut lengths = vec![1.0; size];
    for _ in 0..20 {
        let mut done = true;
        for k in 0..size {
            let others = || (0..size).filter(|&j| j != k);
            let (row, column): (f64, f64) =
                (others().map(|j| matrix[k][j].abs()).sum(), others().map(|j| matrix[j][k].abs()).sum());
            if row == 0.0 || column == 0.0 {
                continue;
            }
            let factor = (0.5 * (row / column).log2()).round().exp2();
            if factor != 1.0 && factor.is_normal() {
                (0..size).for_each(|j| matrix[k][j] /= factor);
                (0..size).for_each(|j| matrix[j][k] *= factor);
                lengths[k] *= factor;
                done = false;
            }
        }
        if done {
            break;
        }
    }
    lengths
}

/// Makes everything below the first subdiagonal zero, by elimination with pivots.
fn reduce(matrix: &mut Matrix<f64>) {
    let size = matrix.len();
    for k in 1..size.saturating_sub(1) {
        let largest = (k..size).max_by(|&a, &b| matrix[a][k - 1].abs().total_cmp(&matrix[b][k - 1].abs()));
        let pivot = largest.unwrap_or(k);
        if matrix[pivot][k - 1] == 0.0 {
            continue;
        }
        matrix.swap(k, pivot);
        matrix.iter_mut().for_each(|row| row.swap(k, pivot));
        for row in k + 1..size {
            let factor = matrix[row][k - 1] / matrix[k][k - 1];
            for column in 0..size {
                matrix[row][column] -= factor * matrix[k][column];
            }
            for of_row in matrix.iter_mut() {
                of_row[k] += factor * of_row[row];
            }
        }
    }
}

/// QR steps with Wilkinson's shift, until the subdiagonal is zero.
fn iterate(mut h: Matrix<Complex>) -> Vec<Complex> {
    let Some(mut last) = h.len().checked_sub(1) else { return Vec::new() };
    let mut count = 0;
    while last > 0 && count < 100 * h.len() {
        count += 1;
        let is_small = |k: &usize| h[*k][k - 1].abs() <= f64::EPSILON * (h[*k][*k].abs() + h[k - 1][k - 1].abs());
        let first = (1..=last).rev().find(is_small).unwrap_or(0);
        if first == last {
            last -= 1;
            continue;
        }
        // Now and then another shift, in case the usual one goes round in circles.
        let shift = if count % 11 == 0 { Complex::real(h[last][last - 1].abs()) } else { shift(&h, last) };
        (first..=last).for_each(|k| h[k][k] = h[k][k] - shift);
        let mut turns = Vec::new();
        for k in first..last {
            let [a, b] = [h[k][k], h[k + 1][k]];
            let norm = a.abs().hypot(b.abs());
            let [c, s] =
                if norm == 0.0 { [Complex::real(1.0), Complex::ZERO] } else { [a, b].map(|z| z.scaled(1.0 / norm)) };
            for column in k..=last {
                let [above, below] = [h[k][column], h[k + 1][column]];
                h[k][column] = c.conjugate() * above + s.conjugate() * below;
                h[k + 1][column] = c * below - s * above;
            }
            turns.push([c, s]);
        }
        for (k, [c, s]) in (first..).zip(turns) {
            for row in h.iter_mut().take((k + 2).min(last + 1)).skip(first) {
                let [left, right] = [row[k], row[k + 1]];
                row[k] = left * c + right * s;
                row[k + 1] = right * c.conjugate() - left * s.conjugate();
            }
        }
        (first..=last).for_each(|k| h[k][k] = h[k][k] + shift);
    }
    (0..h.len()).map(|k| h[k][k]).collect()
}

/// The eigenvalue of the 2 × 2 matrix that ends at `last` which is nearer to its last entry.
fn shift(h: &Matrix<Complex>, last: usize) -> Complex {
    let [a, b, c, d] = [h[last - 1][last - 1], h[last - 1][last], h[last][last - 1], h[last][last]];
    let half = (a - d).scaled(0.5);
    let root = (half * half + b * c).sqrt();
    let candidates = [d + half + root, d + half - root];
    if (candidates[0] - d).abs() < (candidates[1] - d).abs() { candidates[0] } else { candidates[1] }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The sorted eigenvalues of matrices of which they are known, in units that differ by ten orders of magnitude too; within the accuracy
    /// of double eigenvalues, a root of the rounding error.
    #[test]
    fn known_eigenvalues_are_found() {
        let companion = vec![vec![6.0, -11.0, 6.0], vec![1.0, 0.0, 0.0], vec![0.0, 1.0, 0.0]];
        let units: Vec<Vec<f64>> = vec![vec![0.0, 3e10], vec![-3e-10, 0.0]];
        let chain = vec![vec![-2.0, 0.0, 0.0], vec![2.0, -7.0, 0.0], vec![0.0, 7.0, 0.0]];
        let turning = vec![
            vec![0.0, 1.0, 0.0, 0.0],
            vec![-1.0, 0.0, 0.0, 0.0],
            vec![5.0, 1.0, -1.0, 4.0],
            vec![2.0, 3.0, -4.0, -1.0],
        ];
        let table: [(Matrix<f64>, Vec<[f64; 2]>); 6] = [
            (vec![vec![-4.5]], vec![[-4.5, 0.0]]),
            (companion, vec![[1.0, 0.0], [2.0, 0.0], [3.0, 0.0]]),
            (units, vec![[0.0, -3.0], [0.0, 3.0]]),
            (chain, vec![[-7.0, 0.0], [-2.0, 0.0], [0.0, 0.0]]),
            (turning, vec![[-1.0, -4.0], [-1.0, 4.0], [0.0, -1.0], [0.0, 1.0]]),
            (vec![vec![0.0; 3]; 3], vec![[0.0; 2]; 3]),
        ];
        for (matrix, expected) in table {
            let mut found: Vec<[f64; 2]> = eigenvalues(matrix.clone()).into_iter().map(|z| [z.re, z.im]).collect();
            // Real parts that are equal but for rounding are ordered by the imaginary part.
            found.sort_by(|a, b| ((a[0] * 1e6).round(), a[1]).partial_cmp(&((b[0] * 1e6).round(), b[1])).unwrap());
            for (found, expected) in found.iter().zip(&expected) {
                let error = (found[0] - expected[0]).hypot(found[1] - expected[1]);
                assert!(error < 1e-7, "{matrix:?}: {found:?}, not {expected:?}");
            }
        }
    }
}
