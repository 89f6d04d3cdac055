//! Symbolic values of expressions, and their text if they are numbers.

use proc_macro2::Span;
use syn::{Error, Result};

/// Longest formula: a longer one repeats the same parts many times.
const MAX_BYTES: usize = 1 << 14;

/// Precedences of operators, lowest first.
pub const OR: u8 = 1;
pub const AND: u8 = 2;
pub const COMPARISON: u8 = 4;
pub const SUM: u8 = 5;
pub const PRODUCT: u8 = 6;
pub const NEGATION: u8 = 7;
pub const POWER: u8 = 8;
pub const ATOM: u8 = 9;

/// A formula and the precedence of its outermost operator.
#[derive(Clone, Debug, PartialEq)]
pub struct Term {
    pub text: String,
    pub binds: u8,
}

/// The value of an expression.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// A real number, or a truth value that depends on some.
    Term(Term),
    Int(i64),
    Bool(bool),
    /// An axis or a side.
    Variant(&'static str),
    /// The elements of an array, a tuple or a struct.
    Parts(Vec<Value>),
}

impl Term {
    pub fn atom(text: impl Into<String>) -> Term {
        Term { text: text.into(), binds: ATOM }
    }

    /// The text as an operand, in parentheses if its precedence is below `binds`.
    pub fn within(&self, binds: u8) -> String {
        if self.binds < binds { format!("({})", self.text) } else { self.text.clone() }
    }

    /// A left-associative operator applied to two operands.
    pub fn operator(sign: &str, binds: u8, a: &Term, b: &Term) -> Term {
        Term { text: format!("{} {sign} {}", a.within(binds), b.within(binds + 1)), binds }
    }

    pub fn number(value: f64) -> Term {
        Term { text: format!("{value:?}"), binds: if value.is_sign_negative() { NEGATION } else { ATOM } }
    }
}

/// A number or a truth value as a formula.
pub fn term(value: &Value, span: Span) -> Result<Term> {
    match value {
        Value::Term(term) if term.text.len() > MAX_BYTES => {
            let message = format!("written out as a formula this is longer than {MAX_BYTES} letters");
            Err(Error::new(span, message))
        }
        Value::Term(term) => Ok(term.clone()),
        Value::Int(value) => Ok(Term::number(*value as f64)),
        Value::Bool(value) => Ok(Term::atom(if *value { "1" } else { "0" })),
        Value::Variant(_) | Value::Parts(_) => Err(Error::new(span, "formulas have numbers alone")),
    }
}

/// `a` where the condition holds, else `b`.
pub fn choose(condition: &Term, a: Value, b: Value, span: Span) -> Result<Value> {
    Ok(match (a, b) {
        (a, b) if a == b => a,
        (Value::Parts(a), Value::Parts(b)) => {
            Value::Parts(a.into_iter().zip(b).map(|(a, b)| choose(condition, a, b, span)).collect::<Result<_>>()?)
        }
        (a, b) => {
            let (a, b) = (term(&a, span)?.text, term(&b, span)?.text);
            Value::Term(Term::atom(format!("if({}, {a}, {b})", condition.text)))
        }
    })
}
