//! Functions of one number in single precision, for all 2³² arguments.

use super::Function;
use riemann::elementary::rows::Unary;
use riemann::patch::Isa;

/// Length of a row of numbers.
const ROW: usize = 1 << 16;

/// The standard library's functions in double precision: their own errors are a part in 10⁸ of an ulp of single precision.
fn reference(function: Unary, x: f64) -> f64 {
    match function {
        Unary::Exp => x.exp(),
        Unary::Ln => x.ln(),
        Unary::Sin => x.sin(),
        Unary::Cos => x.cos(),
        Unary::Tan => x.tan(),
        Unary::Asin => x.asin(),
        Unary::Acos => x.acos(),
        Unary::Atan => x.atan(),
        Unary::Sinh => x.sinh(),
        Unary::Cosh => x.cosh(),
        Unary::Tanh => x.tanh(),
        // The standard library's own lose digits: these do not.
        Unary::Asinh if x.is_infinite() => x,
        Unary::Asinh => (x.abs() + x * x / (1.0 + 1.0f64.hypot(x))).ln_1p().copysign(x),
        Unary::Acosh if x < 1.0 => f64::NAN,
        Unary::Acosh if x > 1.5 => x.acosh(),
        Unary::Acosh => (x - 1.0 + ((x - 1.0) * (x + 1.0)).sqrt()).ln_1p(),
        Unary::Atanh => (0.5 * (2.0 * x.abs() / (1.0 - x.abs())).ln_1p()).copysign(x),
        Unary::ExpM1 => x.exp_m1(),
        Unary::Ln1p => x.ln_1p(),
        Unary::Cbrt => x.cbrt(),
        Unary::Floor => x.floor(),
        Unary::Ceil => x.ceil(),
    }
}

/// The distance from an exact value in units of the last place of `f32` there.
fn error(found: f32, exact: f64) -> f64 {
    let limit = 2f64.powi(128) - 2f64.powi(103);
    match (found.is_nan(), exact.is_nan()) {
        (true, true) => return 0.0,
        (false, false) => {}
        _ => return f64::INFINITY,
    }
    if found.is_infinite() || exact.is_infinite() {
        let same = exact.abs() >= limit && found.is_infinite() && (found > 0.0) == (exact > 0.0);
        return if same { 0.0 } else { f64::INFINITY };
    }
    let exponent = (exact.abs().to_bits() >> 52) as i32 - 1023;
    (f64::from(found) - exact).abs() / 2f64.powi(exponent.max(-126) - 23)
}

/// The largest error in row `row` of all numbers, and its argument.
fn largest_error(function: Unary, row: usize) -> (f64, f32) {
    let x: Vec<f32> = (0..ROW).map(|k| f32::from_bits((row * ROW + k) as u32)).collect();
    let found = Function::One(function).values(Isa::detect(), &x, &x);
    let errors = x.iter().zip(found).map(|(&x, found)| (error(found, reference(function, f64::from(x))), x));
    errors.fold((0.0, 0.0), |largest, error| if error.0 > largest.0 { error } else { largest })
}

fn check(rows: impl Iterator<Item = usize> + Clone) {
    for function in Unary::ALL {
        let largest = rows.clone().map(|row| largest_error(function, row));
        let (error, x) = largest.fold((0.0, 0.0), |largest, error| if error.0 > largest.0 { error } else { largest });
        println!("{:6} {error:.6} ulp at {x:e}", function.name());
        // Half an ulp is the best possible; these are functions in double precision, rounded.
        assert!(error < 0.5001, "{}: {error} ulp at {x:e}", function.name());
    }
}

/// Every 1499th row of numbers. The step is prime, so that most orders of magnitude occur.
#[test]
fn functions_of_many_single_numbers_are_right_to_the_last_place() {
    check((0..ROW).step_by(1499));
}

/// `cargo test --release --workspace --test elementary -- --ignored --nocapture` takes some minutes.
#[test]
#[ignore = "takes minutes"]
fn functions_of_every_single_number_are_right_to_the_last_place() {
    check(0..ROW);
}
