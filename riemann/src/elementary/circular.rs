//! Sine, cosine and tangent.

#[riemann::shared]
impl Circular {
    const TWO_OVER_PI: Real = 0.6366197723675814;
    /// π/2 in parts of 33 bits, whose products with whole numbers up to 2²⁰ are exact, and the rest.
    const HALF_PI_1: Real = 1.5707963267341256;
    const HALF_PI_2: Real = 6.077100506303966e-11;
    const HALF_PI_3: Real = 2.0222662487111665e-21;
    const HALF_PI_4: Real = 8.4784276603689e-32;
    const HALF_PI_HIGH: Real = 1.5707963267948966;
    const HALF_PI_LOW: Real = 6.123233995736766e-17;
    /// Beyond it π/2 in four parts is not enough.
    const FAR: Real = 1000000.0;
    /// 2⁻²⁴.
    const PIECE: Real = 5.960464477539063e-8;
    /// Below it sin x = tan x = x and cos x = 1: 2⁻²⁷.
    const TINY: Real = 7.450580596923828e-9;
    const SIN_0: Real = -0.16666666666666632;
    const SIN_1: Real = 0.008333333333322425;
    const SIN_2: Real = -0.00019841269829816863;
    const SIN_3: Real = 2.7557313695195174e-06;
    const SIN_4: Real = -2.5050758648174946e-08;
    const SIN_5: Real = 1.5896827623194143e-10;
    const COS_0: Real = 0.0416666666666666;
    const COS_1: Real = -0.0013888888888874138;
    const COS_2: Real = 2.4801587289491773e-05;
    const COS_3: Real = -2.755731435522404e-07;
    const COS_4: Real = 2.0875723681750366e-09;
    const COS_5: Real = -1.1359669716011995e-11;

    /// q, r and low with x = (4 n + q) π/2 + r + low, q in −2 … 2, |r| ≤ π/4. Cody and Waite 1980, Software Manual for the
    /// Elementary Functions, ch. 8, and where x is large Payne and Hanek 1983, doi:10.1145/1057600.1057602.
    fn quadrant(x: Real) -> (Real, Real, Real) {
        let far = x.abs() > Self::FAR;
        let near = Self::quadrant_near(x);
        let (k, r, low) = if rarely(far) { Self::quadrant_far(x) } else { near };
        (k - 4.0 * Self::nearest(k * 0.25), r, low)
    }

    fn quadrant_near(x: Real) -> (Real, Real, Real) {
        let k = Self::nearest(x * Self::TWO_OVER_PI);
        let a = x - k * Self::HALF_PI_1;
        let (b, b_low) = Self::sum(a, -(k * Self::HALF_PI_2));
        let (c, c_low) = Self::sum(b, -(k * Self::HALF_PI_3));
        let (r, low) = Self::ordered_sum(c, (b_low + c_low) - k * Self::HALF_PI_4);
        (k, r, low)
    }

    /// What is left of p when multiples of 4 are taken away, and those of 1 to `whole`.
    fn without_fours(p: Real) -> Real {
        // All numbers from 2⁵⁵ on are multiples of 8.
        if p.abs() < 18014398509481984.0 { p - 4.0 * Self::nearest(p * 0.25) } else { 0.0 }
    }

    /// x · 2/π with 2/π in pieces of 24 bits: those that make multiples of 4 only are left out, nine others follow. Products of a
    /// piece with either half of x are exact.
    #[rare]
    fn quadrant_far(x: Real) -> (Real, Real, Real) {
        let e = x.exponent();
        let skipped = Self::nearest((e - 65.5) * 0.041666666666666664);
        let skipped = if skipped > 0.0 { skipped } else { 0.0 };
        let y = x * (skipped * -24.0).power_of_two();
        let high = y.head();
        let low = y - high;
        let mut scale = 1.0;
        let mut s = 0.0;
        let mut s_1 = 0.0;
        let mut s_2 = 0.0;
        for i in 0..9 {
            scale *= Self::PIECE;
            let piece = (skipped + (i as Real)).two_over_pi();
            let (a, a_low) = Self::sum(s, Self::without_fours(high * piece * scale));
            let (b, b_low) = Self::sum(a, Self::without_fours(low * piece * scale));
            let (c, c_low) = Self::sum(s_1, a_low);
            let (d, d_low) = Self::sum(c, b_low);
            s = b;
            s_1 = d;
            s_2 += c_low + d_low;
        }
        let k = Self::nearest(s);
        let (a, a_low) = Self::sum(s - k, s_1);
        let (t, t_low) = Self::ordered_sum(a, a_low + s_2);
        let (p, p_low) = Self::product(t, Self::HALF_PI_HIGH);
        let (r, low) = Self::ordered_sum(p, p_low + (t * Self::HALF_PI_LOW + t_low * Self::HALF_PI_HIGH));
        // x − x is 0, or no number where x is infinite.
        (k, r + (x - x), low)
    }

    /// sin (r + low), |r| ≤ π/4, as a sum of two, the second a tenth of the first or less.
    fn sin_parts(r: Real, low: Real) -> (Real, Real) {
        let z = r * r;
        let p = Self::SIN_2 + z * (Self::SIN_3 + z * (Self::SIN_4 + z * Self::SIN_5));
        let p = Self::SIN_0 + z * (Self::SIN_1 + z * p);
        (r, r * (z * p) + (low - low * (0.5 * z)))
    }

    /// cos (r + low), |r| ≤ π/4, as a sum of two, the second a fiftieth of the first or less.
    fn cos_parts(r: Real, low: Real) -> (Real, Real) {
        let z = r * r;
        let p = Self::COS_2 + z * (Self::COS_3 + z * (Self::COS_4 + z * Self::COS_5));
        let p = Self::COS_0 + z * (Self::COS_1 + z * p);
        let half = 0.5 * z;
        let w = 1.0 - half;
        (w, ((1.0 - w) - half) + (z * (z * p) - r * low))
    }

    /// The sine of x in radians.
    pub fn sin(x: Real) -> Real {
        let (q, r, low) = Self::quadrant(x);
        let (s, s_low) = Self::sin_parts(r, low);
        let (c, c_low) = Self::cos_parts(r, low);
        let odd = q.abs() == 1.0;
        let value = (if odd { c } else { s }) + (if odd { c_low } else { s_low });
        let value = if q > 1.5 || q < -0.5 { -value } else { value };
        if x.abs() < Self::TINY { x } else { value }
    }

    /// The cosine of x in radians.
    pub fn cos(x: Real) -> Real {
        let (q, r, low) = Self::quadrant(x);
        let (s, s_low) = Self::sin_parts(r, low);
        let (c, c_low) = Self::cos_parts(r, low);
        let odd = q.abs() == 1.0;
        let value = (if odd { s } else { c }) + (if odd { s_low } else { c_low });
        if q > 0.5 || q < -1.5 { -value } else { value }
    }

    /// The tangent of x in radians.
    pub fn tan(x: Real) -> Real {
        let (q, r, low) = Self::quadrant(x);
        let (s, s_low) = Self::sin_parts(r, low);
        let (s, s_low) = Self::ordered_sum(s, s_low);
        let (c, c_low) = Self::cos_parts(r, low);
        let (c, c_low) = Self::ordered_sum(c, c_low);
        let odd = q.abs() == 1.0;
        let (n, n_low) = if odd { (-c, -c_low) } else { (s, s_low) };
        let (d, d_low) = if odd { (s, s_low) } else { (c, c_low) };
        let (value, value_low) = Self::quotient(n, n_low, d, d_low);
        if x.abs() < Self::TINY { x } else { value + value_low }
    }
}
