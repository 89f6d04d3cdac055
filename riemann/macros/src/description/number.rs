//! Numbers in the attribute of a solver.

use syn::{Error, Expr, Lit, Result};

/// Evaluates a number that may depend on the dimension `D`.
pub(super) fn number(value: &Expr, dim: usize) -> Result<usize> {
    match value {
        Expr::Lit(syn::ExprLit { lit: Lit::Int(number), .. }) => number.base10_parse(),
        Expr::Path(path) if path.path.is_ident("D") => Ok(dim),
        Expr::Binary(syn::ExprBinary { left, op: syn::BinOp::Add(_), right, .. }) => {
            Ok(number(left, dim)? + number(right, dim)?)
        }
        Expr::Binary(syn::ExprBinary { left, op: syn::BinOp::Mul(_), right, .. }) => {
            Ok(number(left, dim)? * number(right, dim)?)
        }
        other => Err(Error::new_spanned(other, "write a number, or a sum with the dimension: `D + 2`")),
    }
}
