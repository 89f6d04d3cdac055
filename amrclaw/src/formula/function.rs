//! The functions and operators that an expression may use.

use crate::physics::Primitive;
use riemann::elementary::rows::{self, Binary, Unary};
use riemann::patch::Isa;

/// What a function computes, by its number of arguments.
#[derive(Clone, Copy)]
pub(super) enum Rule {
    /// One argument.
    Unary(Mapping),
    /// Two arguments.
    Binary(Pairing),
    /// Two arguments or more, taken pairwise from the left.
    Fold(fn(f64, f64) -> f64),
    /// `if(condition, yes, no)`.
    Select,
}

/// A function by name.
pub(super) struct Function {
    pub name: &'static str,
    pub rule: Rule,
    /// How a call is written, for messages.
    pub usage: &'static str,
}

/// Named numbers.
pub(super) const CONSTANTS: &[(&str, f64)] = &[("pi", std::f64::consts::PI), ("e", std::f64::consts::E)];

/// Every function, in the order in which the documentation lists them.
pub(super) const FUNCTIONS: &[Function] = &[
    elementary("sin", "sin(a)", Unary::Sin),
    elementary("cos", "cos(a)", Unary::Cos),
    elementary("tan", "tan(a)", Unary::Tan),
    elementary("asin", "asin(a)", Unary::Asin),
    elementary("acos", "acos(a)", Unary::Acos),
    elementary("atan", "atan(a)", Unary::Atan),
    binary("atan2", "atan2(y, x)", Pairing::Elementary(Binary::Atan2)),
    elementary("sinh", "sinh(a)", Unary::Sinh),
    elementary("cosh", "cosh(a)", Unary::Cosh),
    elementary("tanh", "tanh(a)", Unary::Tanh),
    elementary("asinh", "asinh(a)", Unary::Asinh),
    elementary("acosh", "acosh(a)", Unary::Acosh),
    elementary("atanh", "atanh(a)", Unary::Atanh),
    elementary("exp", "exp(a)", Unary::Exp),
    elementary("expm1", "expm1(a)", Unary::ExpM1),
    elementary("log", "log(a)", Unary::Ln),
    elementary("log1p", "log1p(a)", Unary::Ln1p),
    elementary("cbrt", "cbrt(a)", Unary::Cbrt),
    unary("sqrt", "sqrt(a)", f64::sqrt),
    unary("abs", "abs(a)", f64::abs),
    Function { name: "min", rule: Rule::Fold(smaller), usage: "min(a, b, ...)" },
    Function { name: "max", rule: Rule::Fold(larger), usage: "max(a, b, ...)" },
    elementary("floor", "floor(a)", Unary::Floor),
    elementary("ceil", "ceil(a)", Unary::Ceil),
    unary("sign", "sign(a)", sign),
    binary("mod", "mod(a, b)", Pairing::Function(modulo)),
    binary("hypot", "hypot(a, b)", Pairing::Elementary(Binary::Hypot)),
    unary("heaviside", "heaviside(a)", heaviside),
    Function { name: "if", rule: Rule::Select, usage: "if(condition, value where true, value elsewhere)" },
];

const fn unary(name: &'static str, usage: &'static str, f: fn(f64) -> f64) -> Function {
    Function { name, rule: Rule::Unary(Mapping::Function(f)), usage }
}

const fn elementary(name: &'static str, usage: &'static str, f: Unary) -> Function {
    Function { name, rule: Rule::Unary(Mapping::Elementary(f)), usage }
}

const fn binary(name: &'static str, usage: &'static str, pairing: Pairing) -> Function {
    Function { name, rule: Rule::Binary(pairing), usage }
}

/// The function called `name`.
pub(super) fn function(name: &str) -> Option<&'static Function> {
    FUNCTIONS.iter().find(|f| f.name == name)
}

/// The minimum; NaN if either argument is NaN, so that NaN propagates to the result.
fn smaller(a: f64, b: f64) -> f64 {
    if a < b || a.is_nan() { a } else { b }
}

/// The maximum; NaN if either argument is NaN.
fn larger(a: f64, b: f64) -> f64 {
    if a > b || a.is_nan() { a } else { b }
}

/// −1, 0 or 1; NaN for NaN.
fn sign(a: f64) -> f64 {
    if a > 0.0 {
        1.0
    } else if a < 0.0 {
        -1.0
    } else {
        a
    }
}

/// 0 below zero, 1 from zero on.
fn heaviside(a: f64) -> f64 {
    truth(a >= 0.0)
}

/// The remainder that has the sign of the divisor, so that `mod(x, 1)` is periodic through zero.
fn modulo(a: f64, b: f64) -> f64 {
    let remainder = a % b;
    if remainder != 0.0 && (remainder < 0.0) != (b < 0.0) { remainder + b } else { remainder }
}

/// 1 for true, 0 for false.
pub(super) fn truth(holds: bool) -> f64 {
    f64::from(u8::from(holds))
}

/// A binary operator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Operator {
    Or,
    And,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
    Equal,
    NotEqual,
    Add,
    Subtract,
    Multiply,
    Divide,
    Power,
}

impl Operator {
    /// All there are.
    pub const ALL: [Operator; 13] = [
        Operator::Or,
        Operator::And,
        Operator::Less,
        Operator::LessEqual,
        Operator::Greater,
        Operator::GreaterEqual,
        Operator::Equal,
        Operator::NotEqual,
        Operator::Add,
        Operator::Subtract,
        Operator::Multiply,
        Operator::Divide,
        Operator::Power,
    ];

    /// How tightly the operator binds; larger is tighter. Unary minus stands between `*` and `^`.
    pub fn precedence(self) -> u8 {
        match self {
            Operator::Or => 1,
            Operator::And => 2,
            Operator::Add | Operator::Subtract => 5,
            Operator::Multiply | Operator::Divide => 6,
            Operator::Power => 8,
            _ => 4,
        }
    }

    /// True for `<` and its kin, which cannot be chained.
    pub fn is_comparison(self) -> bool {
        self.precedence() == 4
    }

    /// What it computes, for graphs of formulas.
    pub fn primitive(self) -> Primitive {
        match self {
            Operator::Or => Primitive::Or,
            Operator::And => Primitive::And,
            Operator::Less => Primitive::Less,
            Operator::LessEqual => Primitive::LessEqual,
            Operator::Greater => Primitive::Greater,
            Operator::GreaterEqual => Primitive::GreaterEqual,
            Operator::Equal => Primitive::Equal,
            Operator::NotEqual => Primitive::NotEqual,
            Operator::Add => Primitive::Add,
            Operator::Subtract => Primitive::Subtract,
            Operator::Multiply => Primitive::Multiply,
            Operator::Divide => Primitive::Divide,
            Operator::Power => Primitive::Power,
        }
    }

    /// The operation on two numbers; true is 1, false is 0, and any number but 0 counts as true.
    pub fn pairing(self) -> Pairing {
        Pairing::Function(match self {
            Operator::Add => return Pairing::Add,
            Operator::Subtract => return Pairing::Subtract,
            Operator::Multiply => return Pairing::Multiply,
            Operator::Divide => return Pairing::Divide,
            Operator::Or => |a, b| truth(a != 0.0 || b != 0.0),
            Operator::And => |a, b| truth(a != 0.0 && b != 0.0),
            Operator::Less => |a, b| truth(a < b),
            Operator::LessEqual => |a, b| truth(a <= b),
            Operator::Greater => |a, b| truth(a > b),
            Operator::GreaterEqual => |a, b| truth(a >= b),
            Operator::Equal => |a, b| truth(a == b),
            Operator::NotEqual => |a, b| truth(a != b),
            Operator::Power => return Pairing::Power,
        })
    }
}

/// An operation on one number.
#[derive(Clone, Copy, Debug)]
pub(super) enum Mapping {
    /// One of those with the same bits on every machine, row by row in vectors.
    Elementary(Unary),
    Function(fn(f64) -> f64),
}

impl Mapping {
    /// The result for one number.
    pub fn apply(self, a: f64) -> f64 {
        match self {
            Mapping::Elementary(f) => f.of(a),
            Mapping::Function(f) => f(a),
        }
    }

    /// The results for a row.
    pub fn fill(self, a: &[f64], out: &mut [f64]) {
        match self {
            Mapping::Elementary(f) => f.fill(Isa::detect(), a, out),
            Mapping::Function(f) => out.iter_mut().zip(a).for_each(|(out, &a)| *out = f(a)),
        }
    }
}

/// An operation on two numbers. Arithmetic has variants of its own so that its loops over rows are vectorised.
#[derive(Clone, Copy, Debug)]
pub(super) enum Pairing {
    Add,
    Subtract,
    Multiply,
    Divide,
    /// Squares and cubes are products: quick, and what one expects to the last bit.
    Power,
    /// One of those with the same bits on every machine.
    Elementary(rows::Binary),
    Function(fn(f64, f64) -> f64),
}

impl Pairing {
    /// The result for one pair.
    pub fn apply(self, a: f64, b: f64) -> f64 {
        match self {
            Pairing::Add => a + b,
            Pairing::Subtract => a - b,
            Pairing::Multiply => a * b,
            Pairing::Divide => a / b,
            Pairing::Power if b == 2.0 => a * a,
            Pairing::Power if b == 3.0 => a * a * a,
            Pairing::Power => Binary::Pow.of(a, b),
            Pairing::Elementary(f) => f.of(a, b),
            Pairing::Function(f) => f(a, b),
        }
    }

    /// The results for two rows of a power or an elementary function.
    ///
    /// # Panics
    /// It is neither.
    pub fn fill(self, a: &[f64], b: &[f64], out: &mut [f64]) {
        match self {
            Pairing::Elementary(f) => f.fill(Isa::detect(), a, b, out),
            Pairing::Power => {
                Binary::Pow.fill(Isa::detect(), a, b, out);
                for ((out, &a), &b) in out.iter_mut().zip(a).zip(b).filter(|(_, b)| **b == 2.0 || **b == 3.0) {
                    *out = self.apply(a, b);
                }
            }
            _ => unreachable!("arithmetic has loops of its own"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The remainder is in `[0, b)` for positive `b` on both sides of zero: what makes `mod(x, 1)` a sawtooth.
    #[test]
    fn modulo_follows_the_divisor() {
        assert_eq!(modulo(-0.25, 1.0), 0.75);
        assert_eq!(modulo(1.25, 1.0), 0.25);
        assert_eq!(modulo(0.25, -1.0), -0.75);
        assert_eq!(modulo(-2.0, 1.0), 0.0);
    }

    /// Every function except `if` is a primitive of the same name with the same number of arguments; `if` has another name there.
    #[test]
    fn functions_are_primitives() {
        for function in FUNCTIONS {
            let arity = match function.rule {
                Rule::Unary(_) => 1,
                Rule::Binary(_) | Rule::Fold(_) => 2,
                Rule::Select => continue,
            };
            let primitive = Primitive::named(function.name);
            assert_eq!(primitive.map(Primitive::arity), Some(arity), "{}", function.name);
        }
    }

    /// `min` and `max` return NaN if either argument is NaN.
    #[test]
    fn extrema_pass_nan_on() {
        for f in [smaller, larger] {
            assert!(f(f64::NAN, 1.0).is_nan() && f(1.0, f64::NAN).is_nan());
        }
        assert_eq!((smaller(1.0, 2.0), larger(1.0, 2.0)), (1.0, 2.0));
    }
}
