//! Points around every place where a formula of the elementary functions changes, or where a result overflows, becomes subnormal or
//! vanishes; and special numbers. Tests of errors, of vectors and of devices share them.

use riemann::elementary::rows::{Binary, Unary};
use std::f64::consts::*;

const MIN: f64 = f64::MIN_POSITIVE;
/// The smallest positive number.
const LEAST: f64 = 5e-324;
/// tan π/8.
const TAN_EIGHTH: f64 = 0.41421356237309503;
/// A unit of the last place in single precision, in those of double precision.
const SINGLE: i64 = 1 << 29;

/// Distances from a break, in units of the last place.
const STEPS: [i64; 9] = [0, 1, -1, 2, -2, 1000, -1000, SINGLE, -SINGLE];
/// The same for both arguments.
const STEPS_OF_PAIRS: [[i64; 2]; 9] =
    [[0, 0], [1, 0], [-1, 0], [0, 1], [0, -1], [1, -1], [-1, 1], [SINGLE, 0], [0, SINGLE]];

/// 2^k, for −1022 ≤ k ≤ 1023.
fn power_of_two(k: i32) -> f64 {
    f64::from_bits(((k + 1023) as u64) << 52)
}

/// The number so many steps farther from zero than `x`; zero and infinity are the last ones.
pub fn moved(x: f64, steps: i64) -> f64 {
    let bits = x.abs().to_bits().saturating_add_signed(steps);
    f64::from_bits(bits.min(f64::INFINITY.to_bits())).copysign(x)
}

/// Breaks of a function of one number, without their signs.
pub fn places(function: Unary) -> Vec<f64> {
    // Where k in x = k log 2 + r changes.
    let halves = [0.5, 1.5, 2.5, 99.5, 1022.5, 1023.5].map(|k| k * LN_2);
    let of_exp = || [0.0, 87.3365447505531, 88.72283905206835, 103.97207708399179].into_iter().chain(halves);
    match function {
        Unary::Exp => of_exp().chain([708.3964185322641, 709.782712893384, 720.0, 745.1332191019411, 760.0]).collect(),
        Unary::Ln => vec![LEAST, MIN, FRAC_1_SQRT_2, 1.0, SQRT_2, 2.0, 2.0 * SQRT_2, f64::MAX],
        Unary::Sin | Unary::Cos | Unary::Tan => {
            let quarters = (1..12).map(|k| f64::from(k) * FRAC_PI_4);
            // Where the first piece of 2/π that matters changes.
            let pieces = (0..40).map(|n| power_of_two(78 + 24 * n));
            // The nearest of all numbers to a multiple of π/2, and another one close to such.
            let near = [6381956970095103.0 * power_of_two(797), 6381956970095103.0 * 2.0];
            let others = [0.0, power_of_two(-27), 1e6, 1e6 * PI, f64::MAX];
            quarters.chain(pieces).chain(near).chain(others).collect()
        }
        Unary::Asin | Unary::Acos => vec![0.0, 0.5, 1.0 - 1e-12, 1.0],
        Unary::Atan => vec![0.0, TAN_EIGHTH, 1.0, 1.0 / TAN_EIGHTH, power_of_two(60), f64::MAX],
        Unary::Sinh | Unary::Cosh => {
            of_exp().chain([1.0, 34.65, 89.41598629223294, 709.782712893384, 710.4758600739439, 720.0]).collect()
        }
        Unary::ExpM1 => of_exp().chain([34.65, 37.5, 40.0, 708.3964185322641, 709.782712893384, 720.0]).collect(),
        Unary::Ln1p => {
            let inside = [power_of_two(-53), power_of_two(-30), 1.0 - FRAC_1_SQRT_2, SQRT_2 - 1.0, 0.5, 1.0, 2.0];
            inside.into_iter().chain([0.0, LEAST, MIN, power_of_two(53), f64::MAX]).collect()
        }
        Unary::Asinh | Unary::Acosh => {
            let ends = [0.0, LEAST, MIN, power_of_two(-26), power_of_two(28), f64::MAX / 2.0, f64::MAX];
            ends.into_iter().chain([0.25, 0.35, SQRT_2 - 1.0, 0.75, 1.0, 1.06, 1.25]).collect()
        }
        Unary::Atanh => vec![0.0, LEAST, MIN, power_of_two(-27), 0.17157287525380988, 0.3333, 0.5, 0.7, 1.0],
        Unary::Cbrt => {
            let wholes = [-1022, -3, -2, -1, 0, 1, 2, 3, 1023].map(power_of_two);
            [0.0, LEAST, 8.0 * LEAST, MIN, 27.0, f64::MAX].into_iter().chain(wholes).collect()
        }
        Unary::Tanh => halves.map(|x| x / 2.0).into_iter().chain([0.0, 0.55, 19.0, 20.0]).collect(),
        Unary::Floor | Unary::Ceil => {
            let wholes = [31, 32, 51, 52, 53, 63].map(power_of_two);
            [0.0, 0.5, 1.0, 1.5, 2.0, f64::MAX].into_iter().chain(wholes).collect()
        }
    }
}

/// Breaks of a function of two numbers, without their signs.
fn pairs(function: Binary) -> Vec<[f64; 2]> {
    match function {
        Binary::Atan2 => angles(),
        Binary::Pow => powers(),
        Binary::Hypot => lengths(),
        Binary::Remainder => remainders(),
    }
}

/// `[y, x]` on the axes, at the angles where the formula changes, and where quotients become small, subnormal or zero; of all sizes.
fn angles() -> Vec<[f64; 2]> {
    let sizes = [LEAST, 1e-310, MIN, 3e-290, 1.0, 3.0, 2e300, power_of_two(1022), power_of_two(1023), f64::MAX];
    let ratios = [0.0, power_of_two(-30), TAN_EIGHTH, 0.5, 1.0];
    let both = |[a, b]: [f64; 2]| [[a, b], [b, a]];
    let of_size = |x: f64| ratios.map(|ratio| both([ratio * x, x]));
    let quotients = [MIN, 1.5 * MIN, LEAST, 1e-200].map(|y| [y, 1.5]);
    let apart = [[LEAST, f64::MAX], [MIN, f64::MAX], [LEAST, 1.0], [1.0, f64::MAX], [1e-20, 1e290]];
    let others = quotients.into_iter().chain(apart).flat_map(both);
    sizes.into_iter().flat_map(of_size).flatten().chain(others).collect()
}

/// Where results overflow, become subnormal or vanish in either precision, where the exponent of the result changes, bases at which the
/// logarithm's formula changes, and exponents that are whole, half, odd, even or too large to be odd.
fn powers() -> Vec<[f64; 2]> {
    let below = moved(1.0, -1);
    let above = moved(1.0, 1);
    let bases = [LEAST, MIN, 0.1, 0.5, below, above, SQRT_2, 2.0, 3.0, 10.0, f64::MAX];
    // log₂ of the result, without its sign: that of the exponent changes it.
    let results = [
        0.5, 1.0, 10.5, 126.0, 127.0, 128.0, 149.0, 150.0, 1021.5, 1022.0, 1023.5, 1024.0, 1038.75, 1073.5, 1074.0,
        1075.0, 1096.5,
    ];
    let of_results = bases.into_iter().flat_map(|x| results.map(|result| [x, (result / x.log2()).abs()]));
    let exponents = [0.0, LEAST, 0.5, 1.0, 1.5, 2.0, 2.5, 3.0, 4.0, 31.0];
    let roots = [1022, 511, 1, 0].into_iter().flat_map(|e| [SQRT_2 * power_of_two(e), SQRT_2 * power_of_two(-e)]);
    let of_exponents = bases.into_iter().chain([1.0]).chain(roots).flat_map(|x| exponents.map(|y| [x, y]));
    let wholes = [51, 52, 53, 54, 65].map(power_of_two).into_iter().flat_map(|y| [y, y + 0.5, y + 1.0, y - 1.0]);
    let of_wholes = wholes.flat_map(|y| [below, 1.0, above].map(|x| [x, y]));
    of_results.chain(of_exponents).chain(of_wholes).collect()
}

/// Where the scale changes or reaches its limits, results overflow or are subnormal, and the shorter side begins to matter.
fn lengths() -> Vec<[f64; 2]> {
    let single = f64::from(f32::MAX);
    let large =
        [power_of_two(1022), power_of_two(1023), f64::MAX * FRAC_1_SQRT_2, f64::MAX, single * FRAC_1_SQRT_2, single];
    let small = [LEAST, 3.0 * LEAST, 1e-310, MIN / 2.0, MIN * FRAC_1_SQRT_2, MIN, 2.0 * MIN];
    let sizes = large.into_iter().chain(small).chain([1.0, 1.5, 2.0]);
    let ratios =
        [0.0, power_of_two(-600), power_of_two(-54), power_of_two(-27), 0.5 * SQRT_2 * power_of_two(-26), 0.5, 1.0];
    sizes.flat_map(|x| ratios.map(|ratio| [x, x * ratio])).flat_map(|[a, b]| [[a, b], [b, a]]).collect()
}

/// Exact multiples, quotients around powers of two that have no fraction, and the largest and smallest ones.
fn remainders() -> Vec<[f64; 2]> {
    let divisors = [LEAST, 3.0 * LEAST, 1e-310, MIN, 3e-290, 0.1, 1.0, 3.0, PI, 1e290];
    let whole = [24, 52, 53, 54].map(power_of_two);
    let quotients = [0.0, 0.5, 1.0, 2.0, 3.0, 7.0, whole[2] - 1.0].into_iter().chain(whole).collect::<Vec<_>>();
    let multiples = divisors.into_iter().flat_map(|y| quotients.iter().map(move |n| [n * y, y]).collect::<Vec<_>>());
    let ends = divisors.map(|y| [f64::MAX, y]).into_iter().chain(divisors.map(|x| [x, f64::MAX]));
    multiples.chain(ends).collect()
}

/// Points around the breaks of a function of one number, with either sign; the second coordinate is zero.
pub fn around_one(function: Unary) -> Vec<[f64; 2]> {
    let near = |place: f64| STEPS.map(|steps| moved(place, steps));
    places(function).into_iter().flat_map(near).flat_map(|x| [[x, 0.0], [-x, 0.0]]).collect()
}

/// Points around the breaks of a function of two numbers, with all signs.
pub fn around_two(function: Binary) -> Vec<[f64; 2]> {
    let near = |[x, y]: [f64; 2]| STEPS_OF_PAIRS.map(|[a, b]| [moved(x, a), moved(y, b)]);
    let signed = |[x, y]: [f64; 2]| [[x, y], [-x, y], [x, -y], [-x, -y]];
    pairs(function).into_iter().flat_map(near).flat_map(signed).collect()
}

/// Special numbers: zeros, infinities, NaN and the like.
pub const SPECIAL: [f64; 29] = {
    let inf = f64::INFINITY;
    [
        0.0,
        -0.0,
        1.0,
        -1.0,
        0.5,
        -0.5,
        2.0,
        -2.0,
        3.0,
        -3.0,
        inf,
        -inf,
        f64::NAN,
        5e-324,
        -5e-324,
        f64::MAX,
        f64::MIN,
        f64::MIN_POSITIVE,
        PI,
        1e300,
        -1e300,
        1e-300,
        9007199254740992.0,
        9007199254740994.0,
        -9007199254740993.0,
        -4503599627370497.0,
        4503599627370495.5,
        -2.5,
        1e22,
    ]
};
