//! Errors for what is not in the language; they say what to write instead.

use crate::names::ELEMENTARY;
use quote::ToTokens;
use syn::spanned::Spanned;
use syn::{Error, Expr, Ident};

/// Methods of floating-point numbers that the language lacks, and the expression to write instead.
const OTHERWISE: &[(&str, &str)] = &[
    ("log", "x.ln() for the natural logarithm, x.ln() / base.ln() for another"),
    ("pow", "x.powf(y), or x.powi(3) with a number"),
    ("exp2", "2.0.powf(x)"),
    ("log2", "x.ln() / LN_2 with a constant LN_2"),
    ("log10", "x.ln() / LN_10 with a constant LN_10"),
    ("sin_cos", "(x.sin(), x.cos())"),
    ("rem_euclid", "x - y * (x / y).floor()"),
    ("round", "(x + 0.5).floor()"),
    ("trunc", "x - x % 1.0"),
    ("fract", "x % 1.0"),
    ("recip", "1.0 / x"),
    ("mul_add", "a * b + c, which rounds twice on every machine"),
    ("clamp", "x.max(low).min(high)"),
    ("signum", "if x < 0.0 { -1.0 } else { 1.0 }"),
    ("copysign", "if y < 0.0 { -x.abs() } else { x.abs() }"),
    ("is_nan", "!(x == x)"),
    ("to_degrees", "x * (180.0 / PI) with a constant PI"),
    ("to_radians", "x * (PI / 180.0) with a constant PI"),
];

/// A method that real numbers do not have here.
pub fn real_method(method: &Ident) -> Error {
    let name = method.to_string();
    let message = if let Some((_, instead)) = OTHERWISE.iter().find(|(known, _)| *known == name) {
        format!("`{name}` is not in the solver language: write {instead}")
    } else {
        format!(
            "real numbers have no `{name}` here: there are abs, sqrt, cbrt, min, max, powi, powf, exp, exp_m1, ln, ln_1p, sin, cos, tan, \
             asin, acos, atan, atan2, sinh, cosh, tanh, asinh, acosh, atanh, hypot, floor and ceil"
        )
    };
    Error::new(method.span(), message)
}

/// A method of arrays.
pub fn array_method(method: &Ident) -> Error {
    let message = match method.to_string().as_str() {
        "linear" => "a table is a `const` array of numbers in this block: `const TABLE: [Real; 3] = [1.0, 2.0, 4.0];`",
        "len" => "write the number, or one of the constants M (equations), W (waves), A (auxiliary values)",
        _ => "arrays have no methods here: write a loop `for m in 0..M { … }`",
    };
    Error::new(method.span(), message)
}

/// A function from outside the block.
pub fn function(place: &Expr, name: &str) -> Error {
    let message = if ELEMENTARY.iter().any(|(known, _)| *known == name) {
        format!("write it as a method: `x.{name}(…)`")
    } else if name == "from_fn" {
        "write `let mut a = [0.0; N];` and a loop `for m in 0..N { a[m] = …; }`".to_owned()
    } else if ["constant", "zero", "splat"].contains(&name) {
        "write the number itself: `0.5`".to_owned()
    } else if name == "select" {
        "write `if condition { a } else { b }`".to_owned()
    } else if name == "rarely" {
        "`rarely` stands around the whole condition of an `if`: `if rarely(a < b) { … }`".to_owned()
    } else {
        "only functions of this block can be called: no others are compiled for the GPU".to_owned()
    };
    Error::new_spanned(place, message)
}

/// A path that leads out of the block.
pub fn path(place: &syn::ExprPath, name: &str) -> Error {
    let known = |known: &str| known == name;
    let message = if let Some((name, value)) = CONSTANTS.iter().find(|(constant, _)| known(constant)) {
        format!("write `const {name}: Real = {value};` inside this block: the GPU has its text and no other")
    } else {
        format!("write `const {name}: Real = …;` inside this block: the GPU has its text and no other")
    };
    Error::new_spanned(place, message)
}

/// Constants of the standard library that formulas use.
const CONSTANTS: &[(&str, &str)] = &[
    ("PI", "3.141592653589793"),
    ("TAU", "6.283185307179586"),
    ("SQRT_2", "1.4142135623730951"),
    ("FRAC_1_SQRT_2", "0.7071067811865476"),
    ("E", "2.718281828459045"),
];

/// A macro.
pub fn macro_call(call: &syn::Macro) -> Error {
    let name = call.path.segments.last().map(|segment| segment.ident.to_string()).unwrap_or_default();
    let instead = match name.as_str() {
        "println" | "print" | "eprintln" | "eprint" | "dbg" | "format" | "write" | "writeln" => {
            "leave it out, and let `amrclaw solver check` show the numbers at a face, or call the function from a test"
        }
        "assert" | "assert_eq" | "assert_ne" | "debug_assert" | "debug_assert_eq" | "debug_assert_ne" => {
            "leave it out; what the attribute lists as `positive` is checked in every state"
        }
        "panic" | "unreachable" | "todo" | "unimplemented" => {
            "write the value that it should be there: a solver cannot fail"
        }
        "vec" => "write an array: `[0.0; 3]`",
        "matches" => "compare: `axis == Axis::X`",
        _ => "write out what it stands for",
    };
    Error::new_spanned(&call.path, format!("`{name}!` is not in the solver language: {instead}"))
}

const BOUNDED: &str = "the most rounds must be known: write `for _ in 0..20 { …; if done { break; } }`";

/// An expression of a kind that is not in the language.
pub fn expression(expr: &Expr) -> Error {
    let (place, message) = match expr {
        Expr::Closure(closure) => {
            (closure.inputs_begin.span(), "closures are not in the solver language: write a function in this block")
        }
        Expr::Reference(reference) => (reference.and_token.span(), "values are passed as copies: leave out the `&`"),
        Expr::Return(end) => (end.return_token.span(), "let the function end in its value: `if … { a } else { b }`"),
        Expr::While(repeat) => (repeat.while_token.span(), BOUNDED),
        Expr::Loop(repeat) => (repeat.loop_token.span(), BOUNDED),
        Expr::Break(_) => (expr.span(), "write `if … { break; }` as a statement of its own"),
        Expr::Continue(_) => (expr.span(), "put the rest of the round into an `if`"),
        Expr::Macro(call) => return macro_call(&call.mac),
        Expr::Unsafe(block) => (block.unsafe_token.span(), "leave out `unsafe`: there is nothing here that needs it"),
        Expr::Try(attempt) => (attempt.question_token.span(), "leave out the `?`: nothing here can fail"),
        Expr::Let(condition) => {
            (condition.let_token.span(), "compare instead: `if axis == Axis::X { … }`, or write `match`")
        }
        Expr::Range(_) => (expr.span(), "a range stands only in `for m in 0..M`"),
        Expr::Assign(_) | Expr::ForLoop(_) => (expr.span(), "this is a statement and has no value"),
        Expr::Lit(_) => (expr.span(), "write a number, `true` or `false`: there is no text here"),
        _ => {
            let message = "not in the solver language: write numbers, arrays, tuples, `if`, `match`, `for` and calls of \
                           this block's functions";
            return Error::new_spanned(expr.to_token_stream(), message);
        }
    };
    Error::new(place, message)
}
