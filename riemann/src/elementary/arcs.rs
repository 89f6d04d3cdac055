//! Inverse functions of sine, cosine and tangent, and the length of a vector.

#[riemann::shared]
impl Arcs {
    const PI_HIGH: Real = 3.141592653589793;
    const PI_LOW: Real = 1.2246467991473532e-16;
    const QUARTER_PI_HIGH: Real = 0.7853981633974483;
    const QUARTER_PI_LOW: Real = 3.061616997868383e-17;
    /// tan π/8.
    const TAN_EIGHTH: Real = 0.41421356237309503;
    const ATAN_0: Real = -0.333333333333332;
    const ATAN_1: Real = 0.19999999999954082;
    const ATAN_2: Real = -0.14285714280248393;
    const ATAN_3: Real = 0.11111110786131699;
    const ATAN_4: Real = -0.09090897836269869;
    const ATAN_5: Real = 0.07692061633920014;
    const ATAN_6: Real = -0.06663120347610643;
    const ATAN_7: Real = 0.05848008653088297;
    const ATAN_8: Real = -0.05039844330671561;
    const ATAN_9: Real = 0.03807829110111191;
    const ATAN_10: Real = -0.017922246751719512;
    const ASIN_0: Real = 0.16666666666666763;
    const ASIN_1: Real = 0.07499999999970261;
    const ASIN_2: Real = 0.044642857175121585;
    const ASIN_3: Real = 0.030381942683586516;
    const ASIN_4: Real = 0.022372215661015982;
    const ASIN_5: Real = 0.0173516000811222;
    const ASIN_6: Real = 0.013980961561104375;
    const ASIN_7: Real = 0.011397775201357804;
    const ASIN_8: Real = 0.01078653302295945;
    const ASIN_9: Real = 0.003683028132004026;
    const ASIN_10: Real = 0.02176353087600699;
    const ASIN_11: Real = -0.021077335055605845;
    const ASIN_12: Real = 0.032676915516495625;

    /// The half-angle formula's argument, its root as a sum of two, and p with asin of the root = root + root · p: for |x| < ½ of x
    /// itself, else of √((1 − |x|)/2).
    fn arcsine_parts(x: Real) -> (Real, Real, Real) {
        let a = x.abs();
        let inner = a < 0.5;
        let z = if inner { a * a } else { (1.0 - a) * 0.5 };
        let p = Self::ASIN_8 + z * (Self::ASIN_9 + z * (Self::ASIN_10 + z * (Self::ASIN_11 + z * Self::ASIN_12)));
        let p = Self::ASIN_4 + z * (Self::ASIN_5 + z * (Self::ASIN_6 + z * (Self::ASIN_7 + z * p)));
        let p = z * (Self::ASIN_0 + z * (Self::ASIN_1 + z * (Self::ASIN_2 + z * (Self::ASIN_3 + z * p))));
        let (root, low) = Self::root(z, 0.0);
        (if inner { a } else { root }, if inner { 0.0 } else { low }, p)
    }

    /// The arcsine, in −π/2 … π/2.
    pub fn asin(x: Real) -> Real {
        let (s, low, p) = Self::arcsine_parts(x);
        let (h, e) = Self::ordered_sum(Self::HALF_PI_HIGH, -(2.0 * s));
        let outer = h + (e + (Self::HALF_PI_LOW - 2.0 * (low + s * p)));
        (if x.abs() < 0.5 { s + s * p } else { outer }).copysign(x)
    }

    /// The arccosine, in 0 … π.
    pub fn acos(x: Real) -> Real {
        let (s, low, p) = Self::arcsine_parts(x);
        let t = low + s * p;
        let (h, e) = Self::ordered_sum(Self::HALF_PI_HIGH, -(s.copysign(x)));
        let inner = h + (e + (Self::HALF_PI_LOW - (s * p).copysign(x)));
        let (h, e) = Self::ordered_sum(Self::PI_HIGH, -(2.0 * s));
        let left = h + (e + (Self::PI_LOW - 2.0 * t));
        let outer = if x < 0.0 { left } else { 2.0 * (s + t) };
        if x.abs() < 0.5 { inner } else { outer }
    }

    /// The angle of (x, y) above the first axis as a sum of two, for x and y not negative, not both 0, neither very large.
    fn angle(y: Real, x: Real) -> (Real, Real) {
        let (flat, steep) = (y <= Self::TAN_EIGHTH * x, x <= Self::TAN_EIGHTH * y);
        let between = !(flat || steep);
        // Seen from the nearest of 0, π/4 and π/2, the tangent is n / d.
        let (difference, difference_low) = Self::sum(y, -x);
        let (sum, sum_low) = Self::sum(x, y);
        let n = if flat { y } else { if steep { -x } else { difference } };
        let d = if flat { x } else { if steep { y } else { sum } };
        let n_low = if between { difference_low } else { 0.0 };
        let d_low = if between { sum_low } else { 0.0 };
        let (t, t_low) = Self::quotient(n, n_low, d, d_low);
        let z = t * t;
        let p = Self::ATAN_7 + z * (Self::ATAN_8 + z * (Self::ATAN_9 + z * Self::ATAN_10));
        let p = Self::ATAN_3 + z * (Self::ATAN_4 + z * (Self::ATAN_5 + z * (Self::ATAN_6 + z * p)));
        let p = Self::ATAN_0 + z * (Self::ATAN_1 + z * (Self::ATAN_2 + z * p));
        let base = if flat { 0.0 } else { if steep { Self::HALF_PI_HIGH } else { Self::QUARTER_PI_HIGH } };
        let base_low = if flat { 0.0 } else { if steep { Self::HALF_PI_LOW } else { Self::QUARTER_PI_LOW } };
        let (h, e) = Self::ordered_sum(base, t);
        (h, e + (base_low + ((t_low - t_low * z) + t * (z * p))))
    }

    /// The arctangent, in −π/2 … π/2.
    pub fn atan(x: Real) -> Real {
        let a = x.abs();
        // 2⁶⁰: from there on the arctangent is π/2.
        let bounded = if a > 1152921504606846976.0 { 1152921504606846976.0 } else { a };
        let (h, l) = Self::angle(bounded, 1.0);
        (h + l).copysign(x)
    }

    /// 2^e with a / 2^e in 1 … 2, for a not negative; e is at least −1022 and at most 1022.
    fn exponent_within(a: Real) -> Real {
        let e = a.exponent();
        let e = if e > 1022.0 { 1022.0 } else { e };
        if e < -1022.0 { -1022.0 } else { e }
    }

    /// The angle of (x, y) above the first axis, in −π … π.
    pub fn atan2(y: Real, x: Real) -> Real {
        let infinity = Self::infinity();
        let (a, b) = (x.abs(), y.abs());
        let (a_infinite, b_infinite) = (a == infinity, b == infinity);
        // Infinite beside finite is as 1 beside 0.
        let a_edge = if a_infinite { 1.0 } else { 0.0 };
        let b_edge = if b_infinite { 1.0 } else { 0.0 };
        let a = if a_infinite || b_infinite { a_edge } else { a };
        let b = if a_infinite || b_infinite { b_edge } else { b };
        let scale = (-Self::exponent_within(if a > b { a } else { b })).power_of_two();
        let (h, l) = Self::angle(b * scale, a * scale);
        // Beside a small quotient its cube is nothing, and to divide rounds once, also where numbers get small: 2⁻³⁰.
        let small = b < a * 9.313225746154785e-10;
        let quotient = b / (if small { a } else { 1.0 });
        let both_zero = a == 0.0 && b == 0.0;
        let h = if both_zero { 0.0 } else { if small { quotient } else { h } };
        let l = if both_zero || small { 0.0 } else { l };
        let (m, e) = Self::ordered_sum(Self::PI_HIGH, -h);
        let value = if 1.0.copysign(x) < 0.0 { m + (e + (Self::PI_LOW - l)) } else { h + l };
        if x == x && y == y { value.copysign(y) } else { x + y }
    }

    /// √(x² + y²), without overflow on the way.
    pub fn hypot(x: Real, y: Real) -> Real {
        let (a, b) = (x.abs(), y.abs());
        let (a, b) = if a > b { (a, b) } else { (b, a) };
        let e = Self::exponent_within(a);
        let scale = (-e).power_of_two();
        let (u, v) = (a * scale, b * scale);
        let (uu, uu_low) = Self::product(u, u);
        let (vv, vv_low) = Self::product(v, v);
        let (s, s_low) = Self::ordered_sum(uu, vv);
        let (root, low) = Self::root(s, s_low + (uu_low + vv_low));
        let value = (root + low) * e.power_of_two();
        let infinity = Self::infinity();
        if x.abs() == infinity || y.abs() == infinity { infinity } else { value }
    }
}
