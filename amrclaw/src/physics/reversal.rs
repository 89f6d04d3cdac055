//! The adjoint solution of equations that are the same when time runs backwards, made of one of their own.
//!
//! For solutions of `q_t + Σ_d A_d q_d = 0` the integral of `q · p` is the same at all times if `p_s = Σ_d (A_dᵀ p)_d`, s = T − t: Davis &
//! LeVeque 2020 (doi:10.1145/3392775), §2. Where a matrix M of the place has `M A_d = −A_dᵀ M`, and `M A_d` is the same everywhere, `p = M r`
//! solves this for every solution r of the equations themselves in the time s. In acoustics `M = diag(1/K, −ρ)`, whatever K and ρ: energies,
//! and the sign of what changes its own when time is reversed.

use super::eigenvalues::{Matrix, balance};

/// Weight of what is known before, where equations of size 1 do not say more; it acts to the power of [`ROUNDS`].
const WEIGHT: f64 = 1e-8;
/// Rounds that remove its trace where they do.
const ROUNDS: usize = 3;
/// Largest relative error of the equations for M.
const ACCURACY: f64 = 1e-9;

/// The equations' reversal.
#[derive(Clone, Debug)]
pub struct Reversal {
    /// M at some place.
    matrix: Matrix<f64>,
    /// `M A_d` everywhere.
    products: Vec<Matrix<f64>>,
}

impl Reversal {
    /// The reversal of equations that have the matrices A_d at some place. `is_odd`: components that are likely to change sign with time.
    /// `None` if there is none.
    pub fn new(matrices: &[Matrix<f64>], is_odd: &[bool]) -> Option<Reversal> {
        let scaled = Scaled::new(matrices)?;
        let size = is_odd.len();
        let sign = |i: usize| if is_odd[i] { -1.0 } else { 1.0 };
        let mut near = square(size, |i, j| if i == j { sign(i) } else { 0.0 });
        // The normal equations of `N A_d + A_dᵀ N = 0`, column by column.
        let of_unit = |n: usize| scaled.normal(&square(size, |i, j| f64::from(u8::from(i * size + j == n))));
        let columns: Vec<Matrix<f64>> = (0..size * size).map(of_unit).collect();
        let whole = square(size * size, |row, column| {
            columns[column][row / size][row % size] + if row == column { WEIGHT } else { 0.0 }
        });
        for _ in 0..ROUNDS {
            let wanted = near.iter().flatten().map(|value| WEIGHT * value).collect();
            let found = solve(whole.clone(), wanted)?;
            near = square(size, |i, j| found[i * size + j]);
        }
        let matrix = scaled.reverses(&near).then(|| scaled.unscaled(&near))?;
        let products = matrices.iter().map(|a| product(&matrix, a)).collect();
        Some(Reversal { matrix, products })
    }

    /// M where the equations have these matrices; `None` if there is none.
    pub fn at(&self, matrices: &[Matrix<f64>]) -> Option<Matrix<f64>> {
        let scaled = Scaled::new(matrices)?;
        let size = self.matrix.len();
        let lengths = &scaled.lengths;
        let outer = |m: &Matrix<f64>, by: f64| square(size, |i, j| lengths[i] * m[i][j] * lengths[j] * by);
        let wanted: Vec<Matrix<f64>> = self.products.iter().map(|m| outer(m, 1.0 / scaled.size)).collect();
        let mut near = outer(&self.matrix, 1.0);
        let sum = |terms: Vec<Matrix<f64>>| square(size, |i, j| terms.iter().map(|m| m[i][j]).sum::<f64>());
        let pairs = || scaled.matrices.iter().map(transposed);
        let gram = sum(scaled.matrices.iter().zip(pairs()).map(|(a, t)| product(a, &t)).collect());
        let right = sum(wanted.iter().zip(pairs()).map(|(c, t)| product(c, &t)).collect());
        let whole = square(size, |i, j| gram[i][j] + if i == j { WEIGHT } else { 0.0 });
        for _ in 0..ROUNDS {
            let row = |i: usize| solve(whole.clone(), (0..size).map(|j| right[i][j] + WEIGHT * near[i][j]).collect());
            near = (0..size).map(row).collect::<Option<_>>()?;
        }
        let fits = scaled.matrices.iter().zip(&wanted).all(|(a, wanted)| {
            let found = product(&near, a);
            largest(&square(size, |i, j| found[i][j] - wanted[i][j])) <= ACCURACY * largest(wanted)
        });
        (fits && scaled.reverses(&near)).then(|| scaled.unscaled(&near))
    }
}

/// Matrices in a basis in which their entries are of like size, divided by the largest.
struct Scaled {
    matrices: Vec<Matrix<f64>>,
    /// Lengths of the basis vectors.
    lengths: Vec<f64>,
    /// The largest entry.
    size: f64,
}

impl Scaled {
    /// `None` if numbers are not finite, or all zero.
    fn new(matrices: &[Matrix<f64>]) -> Option<Scaled> {
        let n = matrices[0].len();
        let mut sum = square(n, |i, j| matrices.iter().map(|m| m[i][j].abs()).sum::<f64>());
        let lengths = balance(&mut sum);
        let scaled = |m: &Matrix<f64>, by: f64| square(n, |i, j| m[i][j] * (lengths[j] / lengths[i]) * by);
        let size = matrices.iter().map(|m| largest(&scaled(m, 1.0))).fold(0.0, f64::max);
        let matrices = matrices.iter().map(|m| scaled(m, 1.0 / size)).collect();
        (size.is_normal()).then_some(Scaled { matrices, lengths, size })
    }

    /// What is left of `N A_d + A_dᵀ N` for each axis.
    fn residuals<'a>(&'a self, n: &'a Matrix<f64>) -> impl Iterator<Item = Matrix<f64>> + 'a {
        self.matrices.iter().map(|a| {
            let (left, right) = (product(n, a), product(&transposed(a), n));
            square(n.len(), |i, j| left[i][j] + right[i][j])
        })
    }

    /// The gradient of half the sum of the residuals' squares.
    fn normal(&self, n: &Matrix<f64>) -> Matrix<f64> {
        let terms = self.residuals(n).zip(&self.matrices).map(|(r, a)| {
            let (left, right) = (product(&r, &transposed(a)), product(a, &r));
            square(n.len(), |i, j| left[i][j] + right[i][j])
        });
        terms.fold(square(n.len(), |_, _| 0.0), |sum, term| square(n.len(), |i, j| sum[i][j] + term[i][j]))
    }

    /// True if the matrix reverses time, and has an inverse.
    fn reverses(&self, n: &Matrix<f64>) -> bool {
        let most = largest(n);
        let regular = (0..n.len()).all(|k| {
            let unit = (0..n.len()).map(|i| f64::from(u8::from(i == k))).collect();
            // Not worse than M of a medium beside one of another nature.
            solve(n.clone(), unit).is_some_and(|x| x.iter().all(|x| x.abs() * most <= 1.0 / ACCURACY))
        });
        regular && self.residuals(n).all(|r| largest(&r) <= ACCURACY * most)
    }

    /// N in the basis of the equations. Entries that are round-off become zero.
    fn unscaled(&self, n: &Matrix<f64>) -> Matrix<f64> {
        let (least, l) = (1e-13 * largest(n), &self.lengths);
        square(n.len(), |i, j| if n[i][j].abs() > least { n[i][j] / (l[i] * l[j]) } else { 0.0 })
    }
}

fn square(size: usize, entry: impl Fn(usize, usize) -> f64) -> Matrix<f64> {
    (0..size).map(|i| (0..size).map(|j| entry(i, j)).collect()).collect()
}

fn transposed(a: &Matrix<f64>) -> Matrix<f64> {
    square(a.len(), |i, j| a[j][i])
}

fn product(a: &Matrix<f64>, b: &Matrix<f64>) -> Matrix<f64> {
    square(a.len(), |i, j| a[i].iter().zip(b).map(|(x, row)| x * row[j]).sum())
}

fn largest(a: &Matrix<f64>) -> f64 {
    a.iter().flatten().fold(0.0, |most, x| if x.abs() > most || x.is_nan() { x.abs() } else { most })
}

/// Solves a linear system by elimination with pivots; `None` if a pivot is zero.
pub fn solve(mut matrix: Matrix<f64>, mut right: Vec<f64>) -> Option<Vec<f64>> {
    let size = right.len();
    for k in 0..size {
        let pivot = (k..size).max_by(|&a, &b| matrix[a][k].abs().total_cmp(&matrix[b][k].abs()))?;
        matrix.swap(k, pivot);
        right.swap(k, pivot);
        let (above, below) = matrix.split_at_mut(k + 1);
        let from = &above[k];
        for (i, row) in below.iter_mut().enumerate().filter(|(_, row)| row[k] != 0.0) {
            let factor = row[k] / from[k];
            row[k..].iter_mut().zip(&from[k..]).for_each(|(x, y)| *x -= factor * y);
            right[k + 1 + i] -= factor * right[k];
        }
    }
    for k in (0..size).rev() {
        let known: f64 = (k + 1..size).map(|j| matrix[k][j] * right[j]).sum();
        right[k] = (right[k] - known) / matrix[k][k];
    }
    right.iter().all(|x| x.is_finite()).then_some(right)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn acoustics(density: f64, bulk: f64) -> Vec<Matrix<f64>> {
        let along = |n: usize| {
            square(3, |i, j| match (i, j) {
                (0, j) if j == n => bulk,
                (i, 0) if i == n => 1.0 / density,
                _ => 0.0,
            })
        };
        vec![along(1), along(2)]
    }

    /// The matrix of acoustics is the known one in any units and in a medium of another kind beside it, up to one factor for all; round-off
    /// alone is allowed. What runs one way has none, nor has a medium whose equations are of another form there.
    #[test]
    fn energies_are_found() {
        let reversal = Reversal::new(&acoustics(1e3, 2e9), &[false, true, true]).unwrap();
        for (density, bulk) in [(1e3, 2e9), (1.2, 1.4e5), (8e3, 1e11)] {
            let found = reversal.at(&acoustics(density, bulk)).unwrap();
            let factor = reversal.matrix[0][0] * 2e9;
            let known = [1.0 / bulk, -density, -density];
            for i in 0..3 {
                for j in 0..3 {
                    let known = if i == j { factor * known[i] } else { 0.0 };
                    assert!((found[i][j] - known).abs() <= 1e-12 * known.abs(), "{found:?}");
                }
            }
        }
        assert!(Reversal::new(&[vec![vec![2.0]]], &[false]).is_none(), "advection");
        let turned = vec![acoustics(1.0, 1.0)[1].clone(), acoustics(1.0, 1.0)[0].clone()];
        assert!(reversal.at(&turned).is_none());
    }
}
