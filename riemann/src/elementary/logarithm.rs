//! The natural logarithm and powers.

#[riemann::shared]
impl Logarithm {
    const SQRT_2: Real = 1.4142135623730951;
    const SMALLEST_NORMAL: Real = 2.2250738585072014e-308;
    const TWO_TO_54: Real = 18014398509481984.0;
    /// 2²⁸: from there on 1 beside the square changes no logarithm.
    const SQUARED_AND_MORE: Real = 268435456.0;
    const LOG_0: Real = 0.6666666666666734;
    const LOG_1: Real = 0.3999999999941467;
    const LOG_2: Real = 0.2857142874238918;
    const LOG_3: Real = 0.2222219857300936;
    const LOG_4: Real = 0.18183564335948635;
    const LOG_5: Real = 0.15314050283135294;
    const LOG_6: Real = 0.1479595255855389;
    const LOG_FINE_0: Real = 0.3999999999999998;
    const LOG_FINE_1: Real = 0.285714285714451;
    const LOG_FINE_2: Real = 0.22222222217539284;
    const LOG_FINE_3: Real = 0.18181818869967895;
    const LOG_FINE_4: Real = 0.153845568946971;
    const LOG_FINE_5: Real = 0.13336316505982457;
    const LOG_FINE_6: Real = 0.11674837063842977;
    const LOG_FINE_7: Real = 0.11988858442293966;
    const TWO_THIRDS_HIGH: Real = 0.6666666666666666;
    const TWO_THIRDS_LOW: Real = 3.700743415417188e-17;

    /// m in √½ … √2 and whole e with x = m 2^e, for positive finite x.
    fn mantissa_and_exponent(x: Real) -> (Real, Real) {
        let small = x < Self::SMALLEST_NORMAL;
        let y = if small { x * Self::TWO_TO_54 } else { x };
        let (m, e) = (y.significand(), y.exponent());
        let e = if small { e - 54.0 } else { e };
        let upper = m > Self::SQRT_2;
        (if upper { m * 0.5 } else { m }, if upper { e + 1.0 } else { e })
    }

    /// log x + part + octaves · log 2 for positive finite x and a `part` far below 1: with s = f / (2 + f), log(1 + f) = 2 s + s³ p(s²),
    /// where 2 s = f − s f.
    fn log_near(x: Real, part: Real, octaves: Real) -> Real {
        let (m, e) = Self::mantissa_and_exponent(x);
        let e = e + octaves;
        let f = m - 1.0;
        let s = f / (2.0 + f);
        let z = s * s;
        let p = Self::LOG_3 + z * (Self::LOG_4 + z * (Self::LOG_5 + z * Self::LOG_6));
        let p = z * (Self::LOG_0 + z * (Self::LOG_1 + z * (Self::LOG_2 + z * p)));
        let half = 0.5 * f * f;
        let low = s * (half + p) + e * Self::LN2_LOW + part;
        e * Self::LN2_HIGH - ((half - low) - f)
    }

    /// The natural logarithm.
    pub fn log(x: Real) -> Real {
        let value = Self::log_near(x, 0.0, 0.0);
        let edge = if x == 0.0 { -Self::infinity() } else { Self::not_a_number() };
        let finite = if x < Self::infinity() { value } else { x };
        if x > 0.0 { finite } else { edge }
    }

    /// log(x + low), for a `low` far below x or beside x = 1.
    fn log_sum(x: Real, low: Real) -> Real {
        Self::log_near(x, low / x, 0.0)
    }

    /// log(1 + w + low), for a `low` far below w.
    fn log_beside_one(w: Real, low: Real) -> Real {
        let (u, rest) = Self::sum(1.0, w);
        let value = Self::log_sum(u, rest + low);
        // 2⁻³⁰: below that 1 + w has too few digits of w, and two terms of the series are enough.
        if w.abs() < 9.313225746154785e-10 { w - (0.5 * w * w - low) } else { value }
    }

    /// log(1 + x).
    pub fn log1p(x: Real) -> Real {
        let value = Self::log_beside_one(x, 0.0).copysign(x);
        let edge = if x == -1.0 { -Self::infinity() } else { Self::not_a_number() };
        let finite = if x < Self::infinity() { value } else { x };
        if x > -1.0 { finite } else { edge }
    }

    /// log 2a, for a above 2²⁸.
    fn log_twice(a: Real) -> Real {
        let value = Self::log_near(a, 0.0, 1.0);
        if a < Self::infinity() { value } else { a }
    }

    /// The inverse hyperbolic sine: sign x · log(1 + a + a² / (1 + √(1 + a²))), a = |x|.
    pub fn asinh(x: Real) -> Real {
        let a = x.abs();
        let large = a > Self::SQUARED_AND_MORE;
        let b = if large { 1.0 } else { a };
        let (s, s_low) = Self::product(b, b);
        let (q, q_low) = Self::sum(1.0, s);
        let (root, root_low) = Self::root(q, q_low + s_low);
        let (d, d_low) = Self::sum(1.0, root);
        let (t, t_low) = Self::quotient(s, s_low, d, d_low + root_low);
        let (w, w_low) = Self::sum(b, t);
        let small = Self::log_beside_one(w, w_low + t_low);
        (if large { Self::log_twice(a) } else { small }).copysign(x)
    }

    /// The inverse hyperbolic cosine, from 0 on: log(x + √(x² − 1)).
    pub fn acosh(x: Real) -> Real {
        let large = x > Self::SQUARED_AND_MORE;
        let b = if large { 1.0 } else { x };
        let (s, s_low) = Self::product(b, b);
        let (q, q_low) = Self::sum(s, -1.0);
        let (q, q_low) = Self::ordered_sum(q, q_low + s_low);
        let (root, root_low) = Self::root(q, q_low);
        let (u, low) = Self::sum(b, root);
        let small = Self::log_sum(u, low + root_low);
        let value = if large { Self::log_twice(x) } else { small };
        if x >= 1.0 { value } else { Self::not_a_number() }
    }

    /// The inverse hyperbolic tangent: sign x · ½ log(1 + 2a / (1 − a)), a = |x|.
    pub fn atanh(x: Real) -> Real {
        let a = x.abs();
        let (d, d_low) = Self::sum(1.0, -a);
        let (t, t_low) = Self::quotient(2.0 * a, 0.0, if a < 1.0 { d } else { 1.0 }, d_low);
        let value = (0.5 * Self::log_beside_one(t, t_low)).copysign(x);
        let edge = if a == 1.0 { Self::infinity().copysign(x) } else { Self::not_a_number() };
        if a < 1.0 { value } else { edge }
    }

    /// The logarithm of a positive finite number to 64 bits and more, as a sum of two.
    fn log_pair(x: Real) -> (Real, Real) {
        let (m, e) = Self::mantissa_and_exponent(x);
        let f = m - 1.0;
        let (d, d_low) = Self::sum(m, 1.0);
        let (s, s_low) = Self::quotient(f, 0.0, d, d_low);
        let (z, z_low) = Self::product(s, s);
        let z_low = z_low + 2.0 * (s * s_low);
        let q = Self::LOG_FINE_4 + z * (Self::LOG_FINE_5 + z * (Self::LOG_FINE_6 + z * Self::LOG_FINE_7));
        let q = Self::LOG_FINE_0 + z * (Self::LOG_FINE_1 + z * (Self::LOG_FINE_2 + z * (Self::LOG_FINE_3 + z * q)));
        let (t, t_low) = Self::product(z, Self::TWO_THIRDS_HIGH);
        let t_low = t_low + (z * Self::TWO_THIRDS_LOW + z_low * Self::TWO_THIRDS_HIGH);
        let (u, u_low) = Self::ordered_sum(t, t_low + z * z * q);
        let (v, v_low) = Self::product(s, u);
        let v_low = v_low + (s * u_low + s_low * u);
        let (a, a_low) = Self::sum(e * Self::LN2_HIGH, 2.0 * s);
        let (b, b_low) = Self::ordered_sum(a, v);
        Self::ordered_sum(b, (a_low + b_low) + (v_low + 2.0 * s_low + e * Self::LN2_LOW))
    }

    /// x to the power y.
    pub fn pow(x: Real, y: Real) -> Real {
        let a = x.abs();
        // 2⁶⁵: with such an exponent all powers but those of 1 are 0 or infinite.
        let limit = 36893488147419103232.0;
        let factor = if y.abs() > limit { limit.copysign(y) } else { y };
        let (l, l_low) = Self::log_pair(a);
        let (p, p_low) = Self::product(factor, l);
        let bounded = Self::within_exp(p);
        let low = if bounded == p { p_low + factor * l_low } else { 0.0 };
        let (k, h, t) = Self::exp_parts(bounded, low);
        let regular = Self::scaled(h + t, k);
        let infinity = Self::infinity();
        let grows = (a < 1.0 && y < 0.0) || (a > 1.0 && y > 0.0);
        let extreme = if a == 1.0 { 1.0 } else { if grows { infinity } else { 0.0 } };
        let magnitude = if a == 0.0 || a == infinity || y.abs() == infinity { extreme } else { regular };
        let whole = Self::nearest_magnitude(y) == y.abs();
        let even = Self::nearest_magnitude(y * 0.5) == (y * 0.5).abs();
        let negative = 1.0.copysign(x) < 0.0;
        let signed = if negative && whole && !even { -magnitude } else { magnitude };
        let value = if x < 0.0 && !whole && a < infinity { Self::not_a_number() } else { signed };
        let value = if x == x && y == y { value } else { x + y };
        if x == 1.0 || y == 0.0 { 1.0 } else { value }
    }
}
