//! Whether an explicit step of a source term is stable: the midpoint rule multiplies a mode of its Jacobian, with eigenvalue λ, by
//! `R(z) = 1 + z + z²/2`, `z = λ Δt`, which is at most 1 from −2 to 0 on the real axis, and `1 + |z|⁴/8` on the imaginary one.

use super::eigenvalues::{Complex, eigenvalues};
use serde::{Deserialize, Serialize};

/// Growth of an oscillation in one step that is too much in any case.
const MOST_GROWTH: f64 = 0.05;

/// A mode of a source that its steps amplify although it does not grow.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct UnstableMode {
    /// The eigenvalue λ of the source's Jacobian, real and imaginary part.
    pub eigenvalue: [f64; 2],
    /// The factor `|R(λ Δt)|`.
    pub factor: f64,
}

/// What a step does to a mode beyond what the mode itself does: `|R(z)| / max(1, exp(Re z)) − 1`.
fn excess(z: Complex) -> f64 {
    factor(z) / z.re.exp().max(1.0) - 1.0
}

fn factor(z: Complex) -> f64 {
    let half_square = (z * z).scaled(0.5);
    (Complex { re: 1.0 + z.re + half_square.re, im: z.im + half_square.im }).abs()
}

/// Growth of a pure oscillation in a step that `steps` further steps may have: altogether by a factor e.
fn tolerated(steps: f64) -> f64 {
    (1.0 / steps.max(1.0)).min(MOST_GROWTH)
}

/// True if such a step is unstable. What decays must not grow at all; what oscillates may grow by a little.
fn is_unstable(z: Complex, steps: f64) -> bool {
    // Rounding of the eigenvalue counts as stable.
    z.abs() > 0.0 && excess(z) > tolerated(steps) * z.im.abs() / z.abs() + 1e-9
}

/// A norm of `Δt ∂ψ/∂q` up to which no step is unstable: no eigenvalue is larger, and a smaller one grows by less than is tolerated.
pub fn harmless_norm(steps: f64) -> f64 {
    (8.0 * tolerated(steps)).powf(0.25)
}

/// The mode of a source's Jacobian, row by row, that explicit steps `dt` amplify most, if they amplify any; `steps`: how many are to come.
pub fn unstable_mode(jacobian: &[Vec<f64>], dt: f64, steps: f64) -> Option<UnstableMode> {
    if !jacobian.iter().flatten().all(|entry| entry.is_finite()) {
        return None;
    }
    let modes = eigenvalues(jacobian.to_vec()).into_iter();
    let unstable = modes.filter(|mode| is_unstable(mode.scaled(dt), steps));
    let most = unstable.max_by(|a, b| excess(a.scaled(dt)).total_cmp(&excess(b.scaled(dt))))?;
    Some(UnstableMode { eigenvalue: [most.re, most.im], factor: factor(most.scaled(dt)) })
}

impl UnstableMode {
    /// A part of the step `dt` at which this mode is stable.
    pub fn stable_part(&self, dt: f64, steps: f64) -> f64 {
        let z = Complex { re: self.eigenvalue[0] * dt, im: self.eigenvalue[1] * dt };
        let mut parts = std::iter::successors(Some(0.9), |part| Some(0.9 * part)).take(1000);
        parts.find(|part| !is_unstable(z.scaled(*part), steps / part)).unwrap_or(0.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Decay is stable up to `z = −2`, growth always; an oscillation is stable as long as it grows by less than a factor e to the end.
    #[test]
    fn what_is_stable() {
        let turning = |y: f64| vec![vec![0.0, y], vec![-y, 0.0]];
        let table = [
            (vec![vec![-1.999]], 1e4, false),
            (vec![vec![-2.001]], 1.0, true),
            (vec![vec![-1e6]], 1.0, true),
            (vec![vec![5.0]], 1e6, false),
            (vec![vec![500.0]], 1e6, false),
            (turning(0.1), 1e4, false),
            (turning(0.3), 100.0, false),
            (turning(0.3), 2000.0, true),
            (turning(1.0), 1.0, true),
            // A reaction at a rate beyond the limit; the other mode is what it keeps.
            (vec![vec![-2.5, 0.0], vec![2.5, 0.0]], 10.0, true),
            (vec![vec![-1.5, 0.0], vec![1.5, 0.0]], 10.0, false),
            // Slow modes beside a fast one whose steps are stable; the matrix is far from symmetric.
            (vec![vec![-0.01, 0.0], vec![1e4, -1.9]], 1e4, false),
            // Heat of a reaction, in another unit.
            (vec![vec![-3.0, 0.0], vec![3e7, 0.0]], 10.0, true),
        ];
        for (jacobian, steps, expected) in table {
            let found = unstable_mode(&jacobian, 1.0, steps);
            assert_eq!(found.is_some(), expected, "{jacobian:?} for {steps} steps: {found:?}");
            if let Some(mode) = found {
                let part = mode.stable_part(1.0, steps);
                let shorter: Vec<Vec<f64>> =
                    jacobian.iter().map(|row| row.iter().map(|entry| part * entry).collect()).collect();
                assert!(part > 0.0 && unstable_mode(&shorter, 1.0, steps / part).is_none(), "{part}");
            }
        }
    }
}
