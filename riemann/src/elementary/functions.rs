//! The functions as methods of numbers and packs of them.

use super::{Double, Elementary};
use crate::real::Real;

/// One method for each function. The closures are marked to be inlined: a function that is called on its own cannot use a pack's
/// instructions.
macro_rules! functions {
    (
        one: { $($(#[$doc:meta])* $name:ident => |$x:ident| $value:expr;)* }
        two: { $($(#[$doc_two:meta])* $name_two:ident($other:ident) => |$a:ident, $b:ident| $value_two:expr;)* }
    ) => {
        /// Elementary functions of every number and pack: those of the solver language. A plain `f64` has methods of these names from the
        /// standard library, which round as the machine does: write `Functions::exp(x)` there.
        pub trait Functions: Real {
            $(
                $(#[$doc])*
                #[inline(always)]
                fn $name(self) -> Self {
                    self.in_double(self, #[inline(always)] |$x, _| $value)
                }
            )*
            $(
                $(#[$doc_two])*
                #[inline(always)]
                #[allow(clippy::redundant_closure, reason = "a function's name would be called by itself")]
                fn $name_two(self, $other: Self) -> Self {
                    self.in_double($other, #[inline(always)] |$a, $b| $value_two)
                }
            )*
        }
    };
}

functions! {
    one: {
    /// e^x.
    exp => |x| Elementary::exp(x);
    /// The natural logarithm.
    ln => |x| Elementary::log(x);
    /// The sine of radians.
    sin => |x| Elementary::sin(x);
    /// The cosine of radians.
    cos => |x| Elementary::cos(x);
    /// The tangent of radians.
    tan => |x| Elementary::tan(x);
    /// The arcsine, in −π/2 … π/2.
    asin => |x| Elementary::asin(x);
    /// The arccosine, in 0 … π.
    acos => |x| Elementary::acos(x);
    /// The arctangent, in −π/2 … π/2.
    atan => |x| Elementary::atan(x);
    /// The hyperbolic sine.
    sinh => |x| Elementary::sinh(x);
    /// The hyperbolic cosine.
    cosh => |x| Elementary::cosh(x);
    /// The hyperbolic tangent.
    tanh => |x| Elementary::tanh(x);
    /// The inverse hyperbolic sine.
    asinh => |x| Elementary::asinh(x);
    /// The inverse hyperbolic cosine, from 0 on.
    acosh => |x| Elementary::acosh(x);
    /// The inverse hyperbolic tangent.
    atanh => |x| Elementary::atanh(x);
    /// e^x − 1, accurate for small x too.
    exp_m1 => |x| Elementary::expm1(x);
    /// log(1 + x), accurate for small x too.
    ln_1p => |x| Elementary::log1p(x);
    /// The cube root, of negative numbers too.
    cbrt => |x| Elementary::cbrt(x);
    /// The largest whole number that is not above.
    floor => |x| Elementary::floor(x);
    /// The smallest whole number that is not below.
    ceil => |x| Elementary::ceil(x);
    }
    two: {
    /// The angle of the point (`x`, self) above the first axis, in −π … π.
    atan2(x) => |a, b| Elementary::atan2(a, b);
    /// self to the power `y`.
    powf(y) => |a, b| Elementary::pow(a, b);
    /// √(self² + y²), without overflow on the way.
    hypot(y) => |a, b| Elementary::hypot(a, b);
    /// The remainder of self divided by `y`, the quotient rounded towards zero: exact, with the sign of self.
    remainder(y) => |a, b| a.lane_by_lane(b, |a, b| a % b);
    }
}

impl<V: Real> Functions for V {}
