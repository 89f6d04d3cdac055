//! The cube root.

#[riemann::shared]
impl Cubic {
    const THIRD: Real = 0.3333333333333333;
    /// 2^−⅓ and 2^⅓.
    const LESS: Real = 0.7937005259840998;
    const MORE: Real = 1.2599210498948732;
    const CBRT_0: Real = 1.7810576170069916;
    const CBRT_1: Real = -1.566028342432993;
    const CBRT_2: Real = 1.2437848626633767;
    const CBRT_3: Real = -0.5978722041493992;
    const CBRT_4: Real = 0.15607131065967025;
    const CBRT_5: Real = -0.017018992402510383;

    /// The cube root. An approximation y of m^−⅓ is improved by Newton's method, and so is t = m y² at last, with t³ to twice the digits.
    pub fn cbrt(x: Real) -> Real {
        let a = x.abs();
        let small = a < Self::SMALLEST_NORMAL;
        let scaled = if small { a * Self::TWO_TO_54 } else { a };
        let e = scaled.exponent();
        let k = Self::nearest(e * Self::THIRD);
        let octave = e - 3.0 * k;
        let m = scaled.significand();
        let p = Self::CBRT_2 + m * (Self::CBRT_3 + m * (Self::CBRT_4 + m * Self::CBRT_5));
        let p = Self::CBRT_0 + m * (Self::CBRT_1 + m * p);
        let beside = if octave > 0.0 { Self::LESS } else { Self::MORE };
        let y = if octave == 0.0 { p } else { p * beside };
        let m = m * octave.power_of_two();
        let y = y + y * ((1.0 - m * (y * y * y)) * Self::THIRD);
        let t = m * (y * y);
        let (square, square_low) = Self::product(t, t);
        let (cube, cube_low) = Self::product(square, t);
        let rest = (m - cube) - (cube_low + square_low * t);
        let t = t + rest * (y * y * Self::THIRD);
        let value = t * (if small { k - 18.0 } else { k }).power_of_two();
        if a > 0.0 && a < Self::infinity() { value.copysign(x) } else { x }
    }
}
