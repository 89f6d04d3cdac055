//! Operators, and the conversions that they allow.

use super::Checker;
use crate::tree::{Expr, Kind};
use crate::types::Type;
use quote::ToTokens;
use syn::spanned::Spanned;
use syn::{BinOp, Error, Result};

/// Whether an operator assigns.
pub fn is_compound(op: &BinOp) -> bool {
    use BinOp::*;
    matches!(
        op,
        AddAssign(_)
            | SubAssign(_)
            | MulAssign(_)
            | DivAssign(_)
            | RemAssign(_)
            | BitXorAssign(_)
            | BitAndAssign(_)
            | BitOrAssign(_)
            | ShlAssign(_)
            | ShrAssign(_)
    )
}

/// The sign of an arithmetic operator, also of one that assigns; `?` for any other.
pub fn symbol(op: &BinOp) -> char {
    match op {
        BinOp::Add(_) | BinOp::AddAssign(_) => '+',
        BinOp::Sub(_) | BinOp::SubAssign(_) => '-',
        BinOp::Mul(_) | BinOp::MulAssign(_) => '*',
        BinOp::Div(_) | BinOp::DivAssign(_) => '/',
        BinOp::Rem(_) | BinOp::RemAssign(_) => '%',
        _ => '?',
    }
}

impl Checker<'_> {
    pub fn binary(&mut self, binary: &syn::ExprBinary) -> Result<Expr> {
        let (a, b) = (self.expression(&binary.left)?, self.expression(&binary.right)?);
        match &binary.op {
            BinOp::And(_) | BinOp::Or(_) => self.logic(a, b, binary),
            BinOp::Lt(_) => compare("<", a, b, binary),
            BinOp::Le(_) => compare("<=", a, b, binary),
            BinOp::Gt(_) => compare(">", a, b, binary),
            BinOp::Ge(_) => compare(">=", a, b, binary),
            BinOp::Eq(_) => compare("==", a, b, binary),
            BinOp::Ne(_) => compare("!=", a, b, binary),
            op => self.arithmetic(symbol(op), a, b, binary),
        }
    }

    /// `a op b` on real numbers or integers.
    pub fn arithmetic(&self, op: char, a: Expr, b: Expr, binary: &syn::ExprBinary) -> Result<Expr> {
        if op == '?' {
            return Err(Error::new_spanned(
                binary.op,
                "not in the solver language: write + − * /, comparisons, && or ||",
            ));
        }
        let span = binary.op.span();
        match (&a.ty, &b.ty) {
            (Type::Real, Type::Real) if op == '%' => {
                Ok(Expr { kind: Kind::Method("remainder", Box::new(a), vec![b]), ty: Type::Real, span })
            }
            (Type::Real, Type::Real) => {
                Ok(Expr { kind: Kind::Arithmetic(op, Box::new(a), Box::new(b)), ty: Type::Real, span })
            }
            (Type::Int, Type::Int) => {
                if let ('/', Some((a, b))) = (op, written(&binary.left).zip(written(&binary.right)))
                    && (b == 0 || a % b != 0)
                {
                    let message = format!(
                        "write `{a}.0 / {b}.0`: integers are divided without a remainder{}",
                        a.checked_div(b).map_or_else(String::new, |whole| format!(", and this is {whole}"))
                    );
                    return Err(Error::new_spanned(binary, message));
                }
                let checked = Expr { kind: Kind::Arithmetic(op, Box::new(a), Box::new(b)), ty: Type::Int, span };
                match checked.constant() {
                    Some(value) if value < 0 => {
                        Err(Error::new_spanned(binary, format!("this is {value}: a `usize` is not negative")))
                    }
                    // A constant is replaced by its value.
                    Some(value) => Ok(Expr { kind: Kind::Int(value), ..checked }),
                    None => Ok(checked),
                }
            }
            (Type::Real, Type::Int) => Err(self.integer_beside_real(&b, &binary.right)),
            (Type::Int, Type::Real) => Err(self.integer_beside_real(&a, &binary.left)),
            (Type::Array(..), _) | (_, Type::Array(..)) => Err(Error::new_spanned(
                binary.op,
                "arrays are combined element by element: `for m in 0..M { c[m] = a[m] + b[m]; }`",
            )),
            (a, b) => Err(Error::new_spanned(binary.op, format!("`{op}` does not combine {a} and {b}"))),
        }
    }

    fn integer_beside_real(&self, integer: &Expr, tokens: &syn::Expr) -> Error {
        let message = match (&integer.kind, as_real(tokens)) {
            (_, Some(text)) => format!("write `{text}`: this is an integer beside a real number"),
            (Kind::Int(value), None) => format!("write `{value}.0`: this is an integer beside a real number"),
            _ => format!("write `({} as Real)`: this is an integer beside a real number", tokens.to_token_stream()),
        };
        Error::new_spanned(tokens, message)
    }

    fn logic(&self, a: Expr, b: Expr, binary: &syn::ExprBinary) -> Result<Expr> {
        let ty = match (&a.ty, &b.ty) {
            (Type::Bool, Type::Bool) => Type::Bool,
            (Type::Bool | Type::Mask, Type::Bool | Type::Mask) => Type::Mask,
            (Type::Bool | Type::Mask, other) => return Err(not_a_truth_value(&binary.right, other)),
            (other, _) => return Err(not_a_truth_value(&binary.left, other)),
        };
        let (a, b) = (Box::new(self.coerce(a, &ty)?), Box::new(self.coerce(b, &ty)?));
        let kind = if matches!(binary.op, BinOp::And(_)) { Kind::And(a, b) } else { Kind::Or(a, b) };
        Ok(Expr { kind, ty, span: binary.op.span() })
    }

    pub fn unary(&mut self, unary: &syn::ExprUnary) -> Result<Expr> {
        let inner = self.expression(&unary.expr)?;
        let span = unary.op.span();
        match (&unary.op, &inner.ty) {
            (syn::UnOp::Neg(_), Type::Real) => Ok(Expr { kind: Kind::Negate(Box::new(inner)), ty: Type::Real, span }),
            (syn::UnOp::Neg(_), Type::Int) => {
                let message =
                    "integers here are `usize` and not negative; a real number is written with a point: `-1.0`";
                Err(Error::new_spanned(unary, message))
            }
            (syn::UnOp::Not(_), Type::Bool | Type::Mask) => {
                let ty = inner.ty.clone();
                Ok(Expr { kind: Kind::Not(Box::new(inner)), ty, span })
            }
            (syn::UnOp::Deref(_), _) => {
                Err(Error::new_spanned(unary.op, "there are no references here: leave out the `*`"))
            }
            (_, other) => Err(Error::new_spanned(unary.op, format!("this does not apply to a {other}"))),
        }
    }

    /// A value as one of type `ty`.
    pub fn coerce(&self, value: Expr, ty: &Type) -> Result<Expr> {
        if value.ty == *ty {
            return Ok(value);
        }
        let span = value.span;
        match (&value.ty, ty) {
            (Type::Bool, Type::Mask) => Ok(Expr { kind: Kind::MaskFromBool(Box::new(value)), ty: Type::Mask, span }),
            (Type::Int, Type::Real) => {
                let message = match value.kind {
                    Kind::Int(number) => format!("a real number is written with a point: `{number}.0`"),
                    _ => "this is an integer where a real number is wanted: write `… as Real`".to_owned(),
                };
                Err(Error::new(span, message))
            }
            (found, _) => Err(Error::new(span, format!("this is a {found}, where a {ty} is wanted"))),
        }
    }
}

/// The value of an integer literal.
fn written(expr: &syn::Expr) -> Option<i64> {
    match expr {
        syn::Expr::Paren(inner) => written(&inner.expr),
        syn::Expr::Lit(syn::ExprLit { lit: syn::Lit::Int(number), .. }) => number.base10_parse().ok(),
        _ => None,
    }
}

/// An expression of integer literals, rewritten with real literals for messages.
fn as_real(expr: &syn::Expr) -> Option<String> {
    match expr {
        syn::Expr::Paren(inner) => Some(format!("({})", as_real(&inner.expr)?)),
        syn::Expr::Binary(binary) => {
            Some(format!("{} {} {}", as_real(&binary.left)?, symbol(&binary.op), as_real(&binary.right)?))
        }
        other => Some(format!("{}.0", written(other)?)),
    }
}

/// A comparison.
pub fn compare(op: &'static str, a: Expr, b: Expr, place: &impl Spanned) -> Result<Expr> {
    let span = place.span();
    let ty = match (&a.ty, &b.ty) {
        (Type::Real, Type::Real) => Type::Mask,
        (Type::Int, Type::Int) => Type::Bool,
        (Type::Axis, Type::Axis) | (Type::Side, Type::Side) if matches!(op, "==" | "!=") => Type::Bool,
        (Type::Real, Type::Int) | (Type::Int, Type::Real) => {
            let integer = if a.ty == Type::Int { &a } else { &b };
            let message = match integer.kind {
                Kind::Int(value) => format!("write `{value}.0` to compare with a real number"),
                _ => "write `… as Real` to compare with a real number".to_owned(),
            };
            return Err(Error::new(integer.span, message));
        }
        (a, b) => return Err(Error::new(span, format!("`{op}` does not compare {a} with {b}"))),
    };
    Ok(Expr { kind: Kind::Compare(op, Box::new(a), Box::new(b)), ty, span })
}

fn not_a_truth_value(tokens: &syn::Expr, ty: &Type) -> Error {
    Error::new_spanned(tokens, format!("a comparison is wanted here; this is a {ty}"))
}
