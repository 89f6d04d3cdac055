//! Special values according to IEEE 754-2019 §9.2.1 and the C standard's annex F, exact cases, and monotonicity.

use super::{Function, bits};
use riemann::elementary::rows::{Binary, Unary};
use riemann::patch::Isa;

const INF: f64 = f64::INFINITY;
const NAN: f64 = f64::NAN;

fn is(function: Function, x: f64, y: f64, expected: f64) {
    for &isa in Isa::available() {
        let found = function.values(isa, &[x], &[y])[0];
        assert!(bits(found) == bits(expected), "{}({x:?}, {y:?}) = {found:?}, not {expected:?}", function.name());
        let single = function.values(isa, &[x as f32], &[y as f32])[0];
        assert!(bits(single) == bits(expected as f32), "{}({x:?}, {y:?}) in f32", function.name());
    }
}

fn one(function: Unary, values: &[(f64, f64)]) {
    values.iter().for_each(|&(x, expected)| is(Function::One(function), x, 0.0, expected));
}

#[test]
fn functions_of_one_number() {
    use std::f64::consts::*;
    let odd = |function: Unary, values: &[(f64, f64)]| {
        one(function, values);
        values.iter().for_each(|&(x, expected)| one(function, &[(-x, -expected)]));
    };
    one(Unary::Exp, &[(0.0, 1.0), (-0.0, 1.0), (INF, INF), (-INF, 0.0), (1e6, INF), (-1e6, 0.0), (1.0, E)]);
    one(Unary::Ln, &[(1.0, 0.0), (0.0, -INF), (-0.0, -INF), (INF, INF), (-1.0, NAN), (-INF, NAN)]);
    odd(Unary::Sin, &[(0.0, 0.0), (INF, NAN)]);
    one(Unary::Cos, &[(0.0, 1.0), (-0.0, 1.0), (INF, NAN), (-INF, NAN)]);
    odd(Unary::Tan, &[(0.0, 0.0), (INF, NAN)]);
    odd(Unary::Asin, &[(0.0, 0.0), (1.0, FRAC_PI_2), (1.5, NAN), (INF, NAN)]);
    one(Unary::Acos, &[(1.0, 0.0), (-1.0, PI), (0.0, FRAC_PI_2), (1.5, NAN), (-1.5, NAN), (INF, NAN), (-INF, NAN)]);
    odd(Unary::Atan, &[(0.0, 0.0), (1.0, FRAC_PI_4), (INF, FRAC_PI_2), (1e300, FRAC_PI_2)]);
    odd(Unary::Sinh, &[(0.0, 0.0), (INF, INF), (1e6, INF)]);
    one(Unary::Cosh, &[(0.0, 1.0), (INF, INF), (-INF, INF), (1e6, INF)]);
    odd(Unary::Tanh, &[(0.0, 0.0), (INF, 1.0), (1e6, 1.0)]);
    odd(Unary::Asinh, &[(0.0, 0.0), (INF, INF), (5e-324, 5e-324)]);
    one(Unary::Acosh, &[(1.0, 0.0), (INF, INF), (0.5, NAN), (-1.0, NAN), (-INF, NAN)]);
    odd(Unary::Atanh, &[(0.0, 0.0), (1.0, INF), (1.5, NAN), (INF, NAN), (5e-324, 5e-324)]);
    one(
        Unary::ExpM1,
        &[(0.0, 0.0), (-0.0, -0.0), (INF, INF), (-INF, -1.0), (1e6, INF), (-1e6, -1.0), (-5e-324, -5e-324)],
    );
    one(
        Unary::Ln1p,
        &[(0.0, 0.0), (-0.0, -0.0), (INF, INF), (-1.0, -INF), (-2.0, NAN), (-INF, NAN), (-5e-324, -5e-324)],
    );
    odd(Unary::Cbrt, &[(0.0, 0.0), (INF, INF), (1.0, 1.0), (8.0, 2.0), (27.0, 3.0), (0.125, 0.5), (1e-300, 1e-100)]);
    odd(Unary::Floor, &[(0.0, 0.0), (INF, INF), (7.0, 7.0), (1e300, 1e300)]);
    one(Unary::Floor, &[(0.75, 0.0), (-0.25, -1.0), (-1.5, -2.0), (2.5, 2.0), (3.5, 3.0)]);
    odd(Unary::Ceil, &[(0.0, 0.0), (INF, INF), (7.0, 7.0), (1e300, 1e300)]);
    one(Unary::Ceil, &[(0.25, 1.0), (-0.75, -0.0), (-1.5, -1.0), (2.5, 3.0), (3.5, 4.0)]);
    for function in Unary::ALL {
        one(function, &[(NAN, NAN)]);
    }
}

#[test]
fn powers() {
    let is = |x, y, expected| is(Function::Two(Binary::Pow), x, y, expected);
    for x in [NAN, 0.0, -0.0, 1.0, -1.0, 2.5, INF, -INF] {
        is(x, 0.0, 1.0);
        is(x, -0.0, 1.0);
        is(1.0, x, 1.0);
    }
    for (x, y, expected) in [
        (0.0, -3.0, INF),
        (-0.0, -3.0, -INF),
        (-0.0, -2.0, INF),
        (-0.0, -2.5, INF),
        (-0.0, -INF, INF),
        (0.0, 3.0, 0.0),
        (-0.0, 3.0, -0.0),
        (-0.0, 2.0, 0.0),
        (-0.0, 2.5, 0.0),
        (-1.0, INF, 1.0),
        (-1.0, -INF, 1.0),
        (-8.0, 1.0 / 3.0, NAN),
        (-2.0, 3.0, -8.0),
        (-2.0, -2.0, 0.25),
        (0.5, -INF, INF),
        (-0.5, INF, 0.0),
        (2.0, INF, INF),
        (-2.0, -INF, 0.0),
        (-INF, -3.0, -0.0),
        (-INF, -2.0, 0.0),
        (-INF, 3.0, -INF),
        (-INF, 2.5, INF),
        (INF, -0.5, 0.0),
        (INF, 0.5, INF),
        (NAN, 2.0, NAN),
        (2.0, NAN, NAN),
        (10.0, 400.0, INF),
        (-10.0, 401.0, -INF),
        (10.0, -400.0, 0.0),
        (3.0, 1e300, INF),
        (4.0, 0.5, 2.0),
    ] {
        is(x, y, expected);
    }
}

#[test]
fn angles() {
    use std::f64::consts::*;
    for (y, x, expected) in [
        (0.0, 0.0, 0.0),
        (0.0, -0.0, PI),
        (0.0, 1.0, 0.0),
        (0.0, -1.0, PI),
        (1.0, 0.0, FRAC_PI_2),
        (1.0, -0.0, FRAC_PI_2),
        (1.0, 1.0, FRAC_PI_4),
        (1.0, -1.0, 3.0 * FRAC_PI_4),
        (1.0, INF, 0.0),
        (1.0, -INF, PI),
        (INF, 1.0, FRAC_PI_2),
        (INF, INF, FRAC_PI_4),
        (INF, -INF, 3.0 * FRAC_PI_4),
        (1.0, NAN, NAN),
        (NAN, INF, NAN),
    ] {
        is(Function::Two(Binary::Atan2), y, x, expected);
        is(Function::Two(Binary::Atan2), -y, x, -expected);
    }
}

#[test]
fn lengths_and_remainders() {
    for (x, y, expected) in
        [(3.0, 4.0, 5.0), (0.0, -0.0, 0.0), (-0.0, 2.0, 2.0), (INF, NAN, INF), (NAN, -INF, INF), (1.0, NAN, NAN)]
    {
        is(Function::Two(Binary::Hypot), x, y, expected);
        is(Function::Two(Binary::Hypot), y, x, expected);
    }
    let hypot = |x, y| Binary::Hypot.of::<f64>(x, y);
    assert_eq!(hypot(3e300, 4e300), 5e300);
    assert_eq!(hypot(3.0 * 5e-324, 4.0 * 5e-324), 5.0 * 5e-324);
    for (x, y, expected) in [
        (7.5, 2.0, 1.5),
        (-7.5, 2.0, -1.5),
        (7.5, -2.0, 1.5),
        (-6.0, 3.0, -0.0),
        (1.0, INF, 1.0),
        (INF, 1.0, NAN),
        (1.0, 0.0, NAN),
        (NAN, 1.0, NAN),
    ] {
        is(Function::Two(Binary::Remainder), x, y, expected);
    }
    assert_eq!(Binary::Remainder.of(1e300, 3.0), 1e300 % 3.0);
}

/// Increasing functions do not decrease between neighbouring numbers, in particular where formulas change. Errors below an ulp would allow
/// a decrease by one ulp; here there is none.
#[test]
fn functions_that_grow_never_fall() {
    use std::f64::consts::{FRAC_1_SQRT_2, LN_2, SQRT_2};
    let tan_eighth = SQRT_2 - 1.0;
    let places = [LN_2 / 2.0, tan_eighth, 0.5, 0.55, FRAC_1_SQRT_2, 1.0, 1.5 * LN_2, SQRT_2, 1.0 / tan_eighth, 20.0];
    let growing = [
        Unary::Exp,
        Unary::Ln,
        Unary::Asin,
        Unary::Atan,
        Unary::Sinh,
        Unary::Tanh,
        Unary::Asinh,
        Unary::ExpM1,
        Unary::Ln1p,
        Unary::Cbrt,
    ];
    for function in growing {
        for place in places.into_iter().filter(|&place| function != Unary::Asin || place < 0.99) {
            let x: Vec<f64> = (0..4000u64).map(|k| f64::from_bits(place.to_bits() - 2000 + k)).collect();
            let y = Function::One(function).values(Isa::detect(), &x, &x);
            for (k, pair) in y.windows(2).enumerate() {
                assert!(pair[0] <= pair[1], "{} falls after {:?}", function.name(), x[k]);
            }
        }
    }
}
