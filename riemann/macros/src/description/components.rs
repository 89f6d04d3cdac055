//! The names of equations and auxiliary values: formulas, files and Python know the values by them.

use super::number::number;
use crate::formula_words::{COLUMNS, WORDS};
use proc_macro2::Span;
use std::collections::HashSet;
use syn::spanned::Spanned;
use syn::{Error, Expr, Lit, LitStr, Result};

/// Names of components: of one, of one that exists from this number of dimensions on, or of one per axis.
pub enum Names {
    One(LitStr),
    From(usize, LitStr),
    PerAxis(Vec<LitStr>, Span),
}

impl Names {
    /// The names that exist in `dim` dimensions.
    pub fn along(&self, dim: usize) -> Result<Vec<String>> {
        let here = match self {
            Names::From(least, _) if dim < *least => &[],
            Names::PerAxis(names, span) => {
                names.get(..dim).ok_or_else(|| Error::new(*span, format!("give one name for each of {dim} axes")))?
            }
            _ => self.all(),
        };
        Ok(here.iter().map(LitStr::value).collect())
    }

    /// The names in all dimensions.
    fn all(&self) -> &[LitStr] {
        match self {
            Names::One(name) | Names::From(_, name) => std::slice::from_ref(name),
            Names::PerAxis(names, _) => names,
        }
    }
}

/// A list of names; `group` is the keyword for components along the axes: `vector` or `faces`.
pub fn read_names(value: &Expr, group: &str) -> Result<Vec<Names>> {
    let Expr::Array(array) = value else {
        return Err(Error::new_spanned(value, "write a list of names: `[\"pressure\", \"u\"]`"));
    };
    let names = |entry: &Expr| match entry {
        Expr::Call(call) if matches!(&*call.func, Expr::Path(path) if path.path.is_ident(group)) => {
            let names = call.args.iter().map(read_name).collect::<Result<_>>()?;
            Ok(Names::PerAxis(names, call.span()))
        }
        Expr::Call(call) if matches!(&*call.func, Expr::Path(path) if path.path.is_ident("from")) => {
            let mut given = call.args.iter();
            match (given.next(), given.next(), given.next()) {
                (Some(least), Some(name), None) => Ok(Names::From(number(least, 0)?, read_name(name)?)),
                _ => Err(Error::new_spanned(call, "write `from(3, \"…\")` for a component from three dimensions on")),
            }
        }
        one => match read_name(one) {
            Ok(name) => Ok(Names::One(name)),
            Err(_) => {
                let message = format!("write a name in quotes, or {group}(\"…\", \"…\") for one along each axis");
                Err(Error::new_spanned(one, message))
            }
        },
    };
    array.elems.iter().map(names).collect()
}

fn read_name(value: &Expr) -> Result<LitStr> {
    match value {
        Expr::Lit(syn::ExprLit { lit: Lit::Str(text), .. }) => Ok(text.clone()),
        other => Err(Error::new_spanned(other, "write a text in quotes")),
    }
}

/// Refuses every name that formulas or files could not tell from something else.
pub fn check_names(equations: &[Names], aux: &[Names]) -> Result<()> {
    let mut earlier = HashSet::new();
    let mut wrong: Option<Error> = None;
    for literal in equations.iter().chain(aux).flat_map(Names::all) {
        let name = literal.value();
        let refused = refusal(&name).or_else(|| {
            let is_new = earlier.insert(name.clone());
            let message = "give each equation and auxiliary value a name of its own";
            (!is_new).then(|| format!("there is another `{name}`: {message}"))
        });
        let Some(message) = refused else { continue };
        let error = Error::new(literal.span(), message);
        match &mut wrong {
            Some(wrong) => wrong.combine(error),
            None => wrong = Some(error),
        }
    }
    wrong.map_or(Ok(()), Err)
}

/// Why a name cannot be that of a value.
fn refusal(name: &str) -> Option<String> {
    let fine = |c: char| c.is_ascii_alphanumeric() || c == '_';
    if name.is_empty() {
        return Some("the name is empty: write one such as `\"q\"`".to_owned());
    }
    if !name.chars().all(fine) || name.starts_with(|c: char| c.is_ascii_digit()) {
        let plain: String = name.chars().map(|c| if fine(c) { c } else { '_' }).collect();
        let plain = match plain.trim_matches('_') {
            "" => "q".to_owned(),
            word if word.starts_with(|c: char| c.is_ascii_digit()) => format!("q_{word}"),
            word => word.to_owned(),
        };
        return Some(format!("a name in formulas has letters, digits and `_`, no digit first: write `\"{plain}\"`"));
    }
    let other = format!("choose another name, such as `\"q_{name}\"`");
    if WORDS.contains(&name) {
        return Some(format!("`{name}` is a word of the formulas in case files: {other}"));
    }
    COLUMNS.contains(&name).then(|| format!("`{name}` is a column of the gauges' files: {other}"))
}
