//! e^x and the hyperbolic functions.

#[riemann::shared]
impl Exponential {
    const LOG2_E: Real = 1.4426950408889634;
    /// log 2 in two parts, of which the first has 32 bits: its products with whole numbers up to 2²⁰ are exact.
    const LN2_HIGH: Real = 0.6931471803691238;
    const LN2_LOW: Real = 1.9082149292705877e-10;
    const EXP_0: Real = 0.16666666666666685;
    const EXP_1: Real = 0.041666666666602896;
    const EXP_2: Real = 0.008333333333313986;
    const EXP_3: Real = 0.0013888888927222273;
    const EXP_4: Real = 0.00019841269904775411;
    const EXP_5: Real = 2.480150815664845e-05;
    const EXP_6: Real = 2.755722620171171e-06;
    const EXP_7: Real = 2.762539149948053e-07;
    const EXP_8: Real = 2.5115056806948613e-08;
    const SINH_0: Real = 0.16666666666666666;
    const SINH_1: Real = 0.008333333333333333;
    const SINH_2: Real = 0.0001984126984126959;
    const SINH_3: Real = 2.755731922412024e-06;
    const SINH_4: Real = 2.5052108345641485e-08;
    const SINH_5: Real = 1.605905070587357e-10;
    const SINH_6: Real = 7.646476360514686e-13;
    const SINH_7: Real = 2.84839831347627e-15;
    const TANH_0: Real = -0.333333333333333;
    const TANH_1: Real = 0.13333333333326833;
    const TANH_2: Real = -0.05396825396387859;
    const TANH_3: Real = 0.021869488389102028;
    const TANH_4: Real = -0.00886323265276473;
    const TANH_5: Real = 0.0035920925322952173;
    const TANH_6: Real = -0.0014555459825299428;
    const TANH_7: Real = 0.000588457042929904;
    const TANH_8: Real = -0.0002334127135771099;
    const TANH_9: Real = 8.336004905463845e-05;
    const TANH_10: Real = -1.952101588733101e-05;

    /// k, r and c with x + low = k log 2 + r + c, |r| ≤ ½ log 2, for |x| < 1000 and a `low` far below it.
    fn exp_reduced(x: Real, low: Real) -> (Real, Real, Real) {
        let k = Self::nearest(x * Self::LOG2_E);
        let a = x - k * Self::LN2_HIGH;
        let b = k * Self::LN2_LOW - low;
        let r = a - b;
        (k, r, (a - r) - b)
    }

    /// p with e^r = 1 + r + r² (½ + r p).
    fn exp_tail(r: Real) -> Real {
        let p = Self::EXP_5 + r * (Self::EXP_6 + r * (Self::EXP_7 + r * Self::EXP_8));
        let p = Self::EXP_1 + r * (Self::EXP_2 + r * (Self::EXP_3 + r * (Self::EXP_4 + r * p)));
        Self::EXP_0 + r * p
    }

    /// k, h and l with e^(x + low) = 2^k (h + l), |l| < 0.07, h + l in 0.7 … 1.42, for |x| < 1000 and a `low` far below it.
    fn exp_parts(x: Real, low: Real) -> (Real, Real, Real) {
        let (k, r, c) = Self::exp_reduced(x, low);
        let p = r * r * (0.5 + r * Self::exp_tail(r));
        let (h, e) = Self::ordered_sum(1.0, r);
        (k, h, e + (p + (c + c * r)))
    }

    /// x, or the end of −760 … 720 that it is beyond; what is not a number stays so.
    fn within_exp(x: Real) -> Real {
        let x = if x > 720.0 { 720.0 } else { x };
        if x < -760.0 { -760.0 } else { x }
    }

    /// e^x.
    pub fn exp(x: Real) -> Real {
        let (k, h, l) = Self::exp_parts(Self::within_exp(x), 0.0);
        Self::scaled(h + l, k)
    }

    /// e^x − 1.
    pub fn expm1(x: Real) -> Real {
        let bounded = if x > 720.0 { 720.0 } else { x };
        let bounded = if bounded < -40.0 { -40.0 } else { bounded };
        let (k, r, c) = Self::exp_reduced(bounded, 0.0);
        // Where 1 cancels half of e^r, half the square counts to its last bit.
        let (square, square_low) = Self::product(r, r);
        let p = 0.5 * square_low + square * (r * Self::exp_tail(r));
        let (h, e) = Self::ordered_sum(1.0, r);
        let one = (if k < 100.0 { -k } else { -100.0 }).power_of_two();
        let (d, d_low) = Self::sum(h, -one);
        let low = d_low + (e + (c + c * r));
        Self::scaled(d + (0.5 * square + (low + p)), k).copysign(x)
    }

    /// (e^x − e^−x) / 2.
    pub fn sinh(x: Real) -> Real {
        let a = x.abs();
        let z = x * x;
        let p = Self::SINH_4 + z * (Self::SINH_5 + z * (Self::SINH_6 + z * Self::SINH_7));
        let p = Self::SINH_0 + z * (Self::SINH_1 + z * (Self::SINH_2 + z * (Self::SINH_3 + z * p)));
        let (k, h, l) = Self::exp_parts(Self::within_exp(a), 0.0);
        let (h, l) = Self::ordered_sum(h, l);
        let (other, other_low) = Self::inverse_parts(k, h, l);
        let (d, e) = Self::ordered_sum(h, -other);
        let large = Self::scaled(d + (e + (l - other_low)), k - 1.0).copysign(x);
        if a < 1.0 { x + x * (z * p) } else { large }
    }

    /// (e^x + e^−x) / 2.
    pub fn cosh(x: Real) -> Real {
        let (k, h, l) = Self::exp_parts(Self::within_exp(x.abs()), 0.0);
        let (h, l) = Self::ordered_sum(h, l);
        let (other, other_low) = Self::inverse_parts(k, h, l);
        let (s, e) = Self::ordered_sum(h, other);
        Self::scaled(s + (e + (l + other_low)), k - 1.0)
    }

    /// 2^−2k / (h + l) as a sum of two, for k not negative and l far below h; where that is negligible beside 1, something else that is.
    fn inverse_parts(k: Real, h: Real, l: Real) -> (Real, Real) {
        let inverse = 1.0 / h;
        let m = if k < 100.0 { k * -2.0 } else { -200.0 };
        let other = m.power_of_two() * inverse;
        (other, -(other * (l * inverse)))
    }

    /// sinh x / cosh x.
    pub fn tanh(x: Real) -> Real {
        let a = x.abs();
        let z = x * x;
        let p = Self::TANH_7 + z * (Self::TANH_8 + z * (Self::TANH_9 + z * Self::TANH_10));
        let p = Self::TANH_3 + z * (Self::TANH_4 + z * (Self::TANH_5 + z * (Self::TANH_6 + z * p)));
        let p = Self::TANH_0 + z * (Self::TANH_1 + z * (Self::TANH_2 + z * p));
        let bounded = if a > 20.0 { 20.0 } else { a };
        let (k, h, l) = Self::exp_parts(bounded + bounded, 0.0);
        let (h, l) = Self::ordered_sum(h, l);
        let scale = k.power_of_two();
        let (d, e) = Self::sum(h * scale, 1.0);
        let (q, q_low) = Self::quotient(2.0, 0.0, d, e + l * scale);
        let (s, e) = Self::ordered_sum(1.0, -q);
        (if a < 0.55 { a + a * (z * p) } else { s + (e - q_low) }).copysign(x)
    }
}
