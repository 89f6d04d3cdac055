//! What linearised solvers share: sums of states, Harten and Hyman's entropy fix, and the solver HLLE in terms of their waves.

/// Functions that a solver's block takes in with `#[riemann::kernels(with(Linearised))]`.
#[riemann::shared]
impl Linearised {
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

    /// The part of a wave's speed that belongs to the left-going fluctuation, `before` and `after`: the characteristic speeds.
    ///
    /// A wave of speed s moves to one side: the part is `min(s, 0)`. But where the characteristic speed passes from
    /// `λl < 0` before the wave to `λr > 0` after it, the wave is a transonic rarefaction and spreads to both sides: the
    /// part is then `λl (λr − s)/(λr − λl)`, Harten and Hyman's entropy fix (LeVeque 2002,
    /// doi:10.1017/CBO9780511791253, §15.3.5); the right-going one is what the mirror image gives, `λr (s − λl)/(λr − λl)`.
    fn left_going(speed: Real, before: Real, after: Real) -> Real {
        let transonic = before < 0.0 && after > 0.0;
        let spread = if transonic { after - before } else { 1.0 };
        let part = before * (after - speed) * (1.0 / spread);
        if transonic { part } else { speed.min(0.0) }
    }

    /// Whether a wave is a rarefaction that its linearisation does not know: a strong one, of which more than half of the mass `m` before it, or
    /// beside it, is its jump `dm`, with a speed outside those of its characteristics. Harten and Hyman's part of it has the wrong sign, or is
    /// larger than its mass.
    fn astray(speed: Real, before: Real, after: Real, (dm, m): (Real, Real)) -> bool {
        dm.abs() > 0.5 * m && (speed < before || speed > after)
    }

    /// The part of a wave's speed that belongs to the left-going fluctuation in the solver HLLE, `λ₋ (λ₊ − s)/(λ₊ − λ₋)` with
    /// `λ₋ = min(lowest, 0)`, `λ₊ = max(highest, 0)`: of the waves of a Roe solver this makes its flux, which keeps densities, depths and
    /// pressures positive (Einfeldt, Munz, Roe & Sjögreen 1991, doi:10.1016/0021-9991(91)90211-3).
    fn left_going_of_both(speed: Real, lowest: Real, highest: Real) -> Real {
        let (below, above) = (lowest.min(0.0), highest.max(0.0));
        let part = below * (above - speed) * (1.0 / (above - below));
        // Without round-off where nothing goes to the right.
        if highest > 0.0 { part } else { speed }
    }
}

/// A solver of two waves, with `#[riemann::kernels(with(TwoWaves))]`.
#[riemann::shared]
impl TwoWaves {
    /// Harten, Lax and van Leer's solver: one state between two waves, of the jump and that of the flux, `rise`.
    fn two_waves(jump: State, rise: State, speeds: [Real; 2]) -> Normal {
        let [lowest, highest] = speeds;
        let reciprocal = 1.0 / (highest - lowest);
        let (mut waves, mut amdq, mut apdq) = ([[0.0; M]; W], [0.0; M], [0.0; M]);
        for m in 0..M {
            waves[0][m] = (highest * jump[m] - rise[m]) * reciprocal;
            waves[1][m] = (rise[m] - lowest * jump[m]) * reciprocal;
            amdq[m] = lowest.min(0.0) * waves[0][m] + highest.min(0.0) * waves[1][m];
            apdq[m] = lowest.max(0.0) * waves[0][m] + highest.max(0.0) * waves[1][m];
        }
        Normal { waves, speeds, amdq, apdq }
    }
}
