//! What the functions have in common: exact sums and products, rounding to whole numbers, special numbers.

/// Numbers with twice the digits are unevaluated sums of two: Dekker 1971, doi:10.1007/BF01397083; Knuth, The Art of Computer
/// Programming, vol. 2, §4.2.2. There is no fused multiply-add in it, so that all processors can do the same.
#[riemann::shared]
impl Pairs {
    /// Added and taken away, it rounds to the nearest whole number: 1.5 · 2⁵².
    const ROUNDER: Real = 6755399441055744.0;
    /// All numbers of this size are whole: 2⁵².
    const ALL_WHOLE: Real = 4503599627370496.0;

    /// `a + b` and its rounding error.
    fn sum(a: Real, b: Real) -> (Real, Real) {
        let s = a + b;
        let c = s - a;
        (s, (a - (s - c)) + (b - c))
    }

    /// The same where `a` is not smaller than `b` in magnitude, or zero.
    fn ordered_sum(a: Real, b: Real) -> (Real, Real) {
        let s = a + b;
        (s, b - (s - a))
    }

    /// `a · b` and its rounding error, to a part in 2¹⁰⁵ of the product.
    fn product(a: Real, b: Real) -> (Real, Real) {
        let p = a * b;
        let (ah, bh) = (a.head(), b.head());
        let (al, bl) = (a - ah, b - bh);
        (p, ((ah * bh - p) + ah * bl + al * bh) + al * bl)
    }

    /// (n + n_low) / (d + d_low) as a sum of two, for `low` parts far below the others.
    fn quotient(n: Real, n_low: Real, d: Real, d_low: Real) -> (Real, Real) {
        let inverse = 1.0 / d;
        let q = n * inverse;
        let (p, p_low) = Self::product(q, d);
        (q, ((((n - p) - p_low) + n_low) - q * d_low) * inverse)
    }

    /// √(s + s_low) as a sum of two, for s not negative and s_low far below it.
    fn root(s: Real, s_low: Real) -> (Real, Real) {
        let root = s.sqrt();
        let (square, square_low) = Self::product(root, root);
        (root, (((s - square) - square_low) + s_low) / (if root > 0.0 { 2.0 * root } else { 1.0 }))
    }

    /// The nearest whole number to x, |x| < 2⁵¹; halves go to the even one.
    fn nearest(x: Real) -> Real {
        (x + Self::ROUNDER) - Self::ROUNDER
    }

    /// The same for any |x|, without its sign.
    fn nearest_magnitude(x: Real) -> Real {
        let a = x.abs();
        if a < Self::ALL_WHOLE { (a + Self::ALL_WHOLE) - Self::ALL_WHOLE } else { a }
    }

    /// m · 2^k for whole k in −2000 … 2000: in two steps, since 2^k alone may be no number.
    fn scaled(m: Real, k: Real) -> Real {
        let first = Self::nearest(k * 0.5);
        m * first.power_of_two() * (k - first).power_of_two()
    }

    fn infinity() -> Real {
        1e300 * 1e300
    }

    fn not_a_number() -> Real {
        Self::infinity() - Self::infinity()
    }
}
