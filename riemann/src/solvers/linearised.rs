//! What linearised solvers share: sums of states, and Harten and Hyman's entropy fix.

/// Functions that a solver's block takes in with `#[riemann::kernels(with(Linearised))]`.
#[riemann::shared]
impl Linearised {
    /// An acoustic or gravity wave of a linearised solver: its speed, and the characteristic speeds before and after it.
    type Acoustic = (Real, Real, Real);

    /// What momenta are multiplied with in Roe's average of two states with these masses (densities or depths) `a` and `b`:
    /// `1/(a + s)` and `1/(b + s)`, `s = √(ab)`.
    ///
    /// `(√a ul + √b ur)/(√a + √b) = a ul/(a + s) + b ur/(b + s)`: one root and one quotient.
    fn roe_weights(a: Real, b: Real) -> (Real, Real) {
        let mean = (a * b).sqrt();
        let (sum_l, sum_r) = (a + mean, b + mean);
        let reciprocal = 1.0 / (sum_l * sum_r);
        (sum_r * reciprocal, sum_l * reciprocal)
    }

    /// `a + b`, component by component.
    fn sum(a: State, b: State) -> State {
        let mut c = a;
        for m in 0..M {
            c[m] += b[m];
        }
        c
    }

    /// `a − b`, component by component.
    fn difference(a: State, b: State) -> State {
        let mut c = a;
        for m in 0..M {
            c[m] -= b[m];
        }
        c
    }

    /// The parts of the speeds of the slowest and the fastest wave that belong to the left-going fluctuation.
    ///
    /// A wave of speed s moves to one side: the part is `min(s, 0)`. But where the characteristic speed passes from
    /// `λl < 0` before the wave to `λr > 0` after it, the wave is a transonic rarefaction and spreads to both sides: the
    /// part is then `λl (λr − s)/(λr − λl)`, Harten and Hyman's entropy fix (LeVeque 2002,
    /// doi:10.1017/CBO9780511791253, §15.3.5). The upper wave is fixed only where `fix_upper` is set.
    fn left_going(lower: Acoustic, upper: Acoustic, fix_upper: bool) -> (Real, Real) {
        let (lower_speed, lower_before, lower_after) = lower;
        let (upper_speed, upper_before, upper_after) = upper;
        let lower_transonic = lower_before < 0.0 && lower_after > 0.0;
        let upper_transonic = fix_upper && upper_before < 0.0 && upper_after > 0.0;
        // One division serves both fractions. Spreads that are not used are one, and cannot poison the product.
        let lower_spread = if lower_transonic { lower_after - lower_before } else { 1.0 };
        let upper_spread = if upper_transonic { upper_after - upper_before } else { 1.0 };
        let reciprocal = 1.0 / (lower_spread * upper_spread);
        let lower_part = lower_before * (lower_after - lower_speed) * (upper_spread * reciprocal);
        let upper_part = upper_before * (upper_after - upper_speed) * (lower_spread * reciprocal);
        (
            if lower_transonic { lower_part } else { lower_speed.min(0.0) },
            if upper_transonic { upper_part } else { upper_speed.min(0.0) },
        )
    }
}
