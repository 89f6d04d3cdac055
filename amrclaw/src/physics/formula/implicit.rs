//! One implicit step of a source term, as formulas, so that every executor computes it by the same operations.
//!
//! With `A = ∂ψ/∂q` and `W = I − γ Δt A`, both of the state and the time at which the step begins,
//!
//! ```text
//! q + Δt W⁻¹ (c₁ ψ + d₁ Δt ψ_t + W⁻¹ (c₂ ψ + d₂ Δt ψ_t + W⁻¹ (c₃ ψ + d₃ Δt ψ_t)))
//! ```
//!
//! is a linearly implicit (Rosenbrock) method with three stages and one evaluation of ψ: Hairer & Wanner, Solving Ordinary Differential
//! Equations II, §IV.7, as the two-stage method of Verwer, Spee, Blom & Hundsdorfer 1999, doi:10.1137/S1064827597326651. For `ψ = λ q` it is
//! `R(z) = (1 + (1 − 3γ) z + (1/2 − 3γ + 3γ²) z²) / (1 − γz)³`, `z = λ Δt`; the coefficients follow from `R(z) = 1 + z S(z)` and
//! `S(z) = 1 + z S₁(z)`, with S and S₁ written in powers of `1 / (1 − γz)`.
//!
//! Holds: order 2, for any `γ`; L-stable for `γ ≥ 0.18043` (there `|R(iy)| ≤ 1`: `√3 γ² ≥ |1/2 − 3γ + 3γ²|`); `0 < R(z) < 1` for
//! `z < 0`, so that decay changes no sign, for `γ < 1 − √(2/3) = 0.18350`, where the numerator has no real zero. A state with `ψ = 0` stays
//! to the bit, and a sum of equations from which ψ drops out is kept to round-off.

use super::{Formulas, Node, Primitive, Quantity};
use Primitive::{Abs, Greater, Less, Sign};

/// γ, from the narrow range in which the method is L-stable and keeps signs.
const GAMMA: f64 = 0.182;
/// c₁, c₂, c₃.
const OF_RATE: [f64; 3] = [GAMMA, 3.0 - 0.5 / GAMMA - 2.0 * GAMMA, 0.5 / GAMMA - 2.0 + GAMMA];
/// d₁, d₂, d₃.
const OF_CHANGE: [f64; 3] = [GAMMA, GAMMA - GAMMA * GAMMA, 0.5 + GAMMA * GAMMA - 2.0 * GAMMA];
/// The smallest `1 − γz` that is taken for a mode that couples with no other: growth by 60 in one step, which is not resolved.
const LEAST_DIAGONAL: f64 = 0.25;

/// A system of linear equations, eliminated.
struct Eliminated {
    /// The upper triangle that is left.
    matrix: Vec<Vec<Node>>,
    steps: Vec<Elimination>,
    /// 1 where the matrix belongs to a step that resolves all growth.
    is_resolved: Node,
}

/// What elimination does with the right side.
enum Elimination {
    /// Two rows change places where a condition holds.
    Swap([usize; 2], Node),
    /// A multiple of the first row is subtracted from the second.
    Subtract([usize; 2], Node),
}

impl Formulas {
    /// The derivatives of rates of change, one per equation, by the state: `[equation, by]`, row by row.
    pub fn jacobian(&self) -> Formulas {
        let mut formulas = Formulas { results: Vec::new(), ..self.clone() };
        formulas.add_jacobian(&self.results).into_iter().flatten().for_each(|entry| formulas.give(entry));
        formulas
    }

    fn add_jacobian(&mut self, rates: &[Node]) -> Vec<Vec<Node>> {
        let columns: Vec<_> = (0..rates.len()).map(|m| self.derivatives(rates, Quantity::Value(m))).collect();
        (0..rates.len()).map(|row| columns.iter().map(|column| column[row]).collect()).collect()
    }

    /// The state after a step of the length [`Quantity::Duration`] with these rates of change, one per equation; NaN where the source grows
    /// faster than the step can follow.
    pub fn implicit_step(&self) -> Formulas {
        let mut step = Formulas { results: Vec::new(), ..self.clone() };
        let rates = &self.results;
        let duration = step.quantity(Quantity::Duration);
        let part = step.scaled(GAMMA, duration);
        let mut matrix = step.add_jacobian(rates);
        for (row, entries) in matrix.iter_mut().enumerate() {
            for (column, entry) in entries.iter_mut().enumerate() {
                let (scaled, unit) = (step.product(part, *entry), step.number(f64::from(u8::from(row == column))));
                *entry = step.difference(unit, scaled);
            }
        }
        let eliminated = step.eliminate(matrix);
        let changes = step.derivatives(rates, Quantity::Time);
        let mut stage = vec![step.zero(); rates.len()];
        for (of_rate, of_change) in OF_RATE.into_iter().zip(OF_CHANGE).rev() {
            for ((value, &rate), &change) in stage.iter_mut().zip(rates).zip(&changes) {
                let (scaled, change) = (step.scaled(of_rate, rate), step.scaled(of_change, change));
                let change = step.product(duration, change);
                let right = step.sum(scaled, change);
                *value = step.sum(right, *value);
            }
            step.solve(&eliminated, &mut stage);
        }
        let nothing = step.number(f64::NAN);
        for (m, value) in stage.into_iter().enumerate() {
            let (before, change) = (step.quantity(Quantity::Value(m)), step.product(duration, value));
            let after = step.sum(before, change);
            // What has no source is not touched.
            let after = if after == before { before } else { step.choice(eliminated.is_resolved, after, nothing) };
            step.give(after);
        }
        step
    }

    /// Gaussian elimination with the largest pivot of each column. Entries that are zero whatever the state cost nothing.
    fn eliminate(&mut self, mut matrix: Vec<Vec<Node>>) -> Eliminated {
        let size = matrix.len();
        let mut steps = Vec::new();
        let mut couples = vec![false; size];
        let (mut sign, mut is_resolved) = (self.number(1.0), self.number(1.0));
        for k in 0..size {
            let below: Vec<usize> = (k + 1..size).filter(|&row| !self.is_zero(matrix[row][k])).collect();
            for &row in &below {
                let [pivot, other] = [k, row].map(|row| self.apply(Abs, &[matrix[row][k]]));
                let is_larger = self.apply(Less, &[pivot, other]);
                for column in k..size {
                    let [above, here] = [k, row].map(|row| matrix[row][column]);
                    matrix[k][column] = self.choice(is_larger, here, above);
                    matrix[row][column] = self.choice(is_larger, above, here);
                }
                steps.push(Elimination::Swap([k, row], is_larger));
                let turned = self.scaled(-1.0, sign);
                sign = self.choice(is_larger, turned, sign);
            }
            let pivot = matrix[k][k];
            for &row in &below {
                let factor = self.quotient(matrix[row][k], pivot);
                for column in k + 1..size {
                    let part = self.product(factor, matrix[k][column]);
                    matrix[row][column] = self.difference(matrix[row][column], part);
                }
                steps.push(Elimination::Subtract([k, row], factor));
            }
            below.iter().for_each(|&row| couples[row] = true);
            if below.is_empty() && !couples[k] {
                let least = self.number(LEAST_DIAGONAL);
                let holds = self.holds(Greater, pivot, least);
                is_resolved = self.product(is_resolved, holds);
            } else {
                let of_pivot = self.apply(Sign, &[pivot]);
                sign = self.product(sign, of_pivot);
            }
        }
        // The determinant is positive for a short step, and changes its sign where a growing mode's `1 − γz` does.
        let (one, zero) = (self.number(1.0), self.zero());
        let keeps_sign = if sign == one { one } else { self.holds(Greater, sign, zero) };
        Eliminated { matrix, steps, is_resolved: self.product(is_resolved, keeps_sign) }
    }

    /// 1 where a comparison holds, else 0.
    fn holds(&mut self, comparison: Primitive, a: Node, b: Node) -> Node {
        match (self.constant(a), self.constant(b)) {
            (Some(a), Some(b)) if comparison == Greater => self.number(f64::from(u8::from(a > b))),
            _ => self.apply(comparison, &[a, b]),
        }
    }

    /// Replaces a right side by the solution.
    fn solve(&mut self, eliminated: &Eliminated, side: &mut [Node]) {
        for step in &eliminated.steps {
            match *step {
                Elimination::Swap([a, b], is_larger) => {
                    let [above, here] = [side[a], side[b]];
                    side[a] = self.choice(is_larger, here, above);
                    side[b] = self.choice(is_larger, above, here);
                }
                Elimination::Subtract([a, b], factor) => {
                    let part = self.product(factor, side[a]);
                    side[b] = self.difference(side[b], part);
                }
            }
        }
        for row in (0..side.len()).rev() {
            let entries = &eliminated.matrix[row];
            for (column, &entry) in entries.iter().enumerate().skip(row + 1) {
                let part = self.product(entry, side[column]);
                side[row] = self.difference(side[row], part);
            }
            side[row] = self.quotient(side[row], entries[row]);
        }
    }
}
