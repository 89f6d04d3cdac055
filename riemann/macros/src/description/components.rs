//! The names of equations and auxiliary values: formulas, files and Python know the values by them.

use super::number::number;
use crate::formula_words::{COLUMNS, WORDS};
use proc_macro2::Span;
use std::collections::HashSet;
use syn::spanned::Spanned;
use syn::{Error, Expr, Lit, LitStr, Result};

/// Names of components: of one, of one that exists from this number of dimensions on, or of a group.
pub enum Names {
    One(LitStr),
    From(usize, LitStr),
    Group(Keyword, Vec<LitStr>, Span),
}

/// What components are together.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Keyword {
    /// Auxiliary values on faces, one along each axis.
    Faces,
    Vector,
    /// A vector with three components in every number of dimensions.
    Vector3,
    PseudoVector,
    PseudoVector3,
    PseudoScalar,
    Tensor,
}

use Keyword::{Faces, PseudoScalar, PseudoVector, PseudoVector3, Tensor, Vector, Vector3};

/// The groups that auxiliary values may be in.
pub const AUX_GROUPS: &[Keyword] = &[Faces, Vector, Vector3, PseudoVector, PseudoVector3, PseudoScalar, Tensor];

/// The groups that equations may be in.
pub const EQUATION_GROUPS: &[Keyword] = AUX_GROUPS.split_at(1).1;

impl Keyword {
    const fn name(self) -> &'static str {
        match self {
            Faces => "faces",
            Vector => "vector",
            Vector3 => "vector3",
            PseudoVector => "pseudo_vector",
            PseudoVector3 => "pseudo_vector3",
            PseudoScalar => "pseudo_scalar",
            Tensor => "tensor",
        }
    }

    /// Which of `given` names are those in `dim` dimensions.
    fn chosen(self, given: usize, dim: usize) -> std::result::Result<Vec<usize>, String> {
        let refused = |message: &str| Err(message.to_owned());
        match (self, given) {
            (PseudoScalar, 1) => Ok(vec![0]),
            (PseudoScalar, _) => refused("a pseudo-scalar has one name"),
            (Vector3 | PseudoVector3, 3) => Ok(vec![0, 1, 2]),
            (Vector3 | PseudoVector3, _) => refused("give three names, along x, y and z"),
            (Tensor, 1 | 3) if given >= dim * (dim + 1) / 2 => Ok((0..dim * (dim + 1) / 2).collect()),
            (Tensor, 6) => Ok([&[0][..], &[0, 1, 3], &[0, 1, 2, 3, 4, 5]][dim - 1].to_vec()),
            (Tensor, _) => refused(
                "a symmetric tensor has three components in the plane, xx, yy, xy, and six in space, xx, yy, zz, xy, xz, yz: \
                 give their names in this order",
            ),
            (Faces | Vector | PseudoVector, _) if given >= dim => Ok((0..dim).collect()),
            (Faces | Vector | PseudoVector, _) => Err(format!("give one name for each of {dim} axes")),
        }
    }
}

impl Names {
    /// The names that exist in `dim` dimensions.
    pub fn along(&self, dim: usize) -> Result<Vec<String>> {
        let here: Vec<usize> = match self {
            Names::From(least, _) if dim < *least => Vec::new(),
            Names::Group(keyword, names, span) => {
                keyword.chosen(names.len(), dim).map_err(|message| Error::new(*span, message))?
            }
            _ => vec![0],
        };
        Ok(here.into_iter().map(|k| self.all()[k].value()).collect())
    }

    /// What these components are in `dim` dimensions, other than scalars: kinds as positions in [`super::GROUP_KINDS`], and the first
    /// component of each. Across mirrors in a plane, a pseudo-vector's third component is a pseudo-scalar.
    pub fn groups(&self, dim: usize) -> Vec<(usize, usize)> {
        let Names::Group(keyword, ..) = self else { return Vec::new() };
        match keyword {
            Faces => Vec::new(),
            PseudoScalar => vec![(0, 0)],
            Vector => vec![(1, 0)],
            Vector3 => [(1, 0)].into_iter().chain((dim..3).map(|k| (4, k))).collect(),
            PseudoVector => vec![(2, 0)],
            PseudoVector3 => [(2, 0)].into_iter().chain((dim..3).map(|k| (0, k))).collect(),
            Tensor => vec![(3, 0)],
        }
    }

    /// Where they stand.
    pub fn span(&self) -> proc_macro2::Span {
        self.all().first().map_or_else(proc_macro2::Span::call_site, LitStr::span)
    }

    /// The names in all dimensions.
    fn all(&self) -> &[LitStr] {
        match self {
            Names::One(name) | Names::From(_, name) => std::slice::from_ref(name),
            Names::Group(_, names, _) => names,
        }
    }
}

/// A list of names, some of them in groups of these kinds.
pub fn read_names(value: &Expr, groups: &[Keyword]) -> Result<Vec<Names>> {
    let Expr::Array(array) = value else {
        return Err(Error::new_spanned(value, "write a list of names: `[\"pressure\", \"u\"]`"));
    };
    let names = |entry: &Expr| match entry {
        Expr::Call(call) => {
            let is_called = |name: &str| matches!(&*call.func, Expr::Path(path) if path.path.is_ident(name));
            if let Some(&keyword) = groups.iter().find(|keyword| is_called(keyword.name())) {
                let names = call.args.iter().map(read_name).collect::<Result<_>>()?;
                return Ok(Names::Group(keyword, names, call.span()));
            }
            if !is_called("from") {
                let known: Vec<_> = groups.iter().map(|keyword| keyword.name()).collect();
                let message = format!("no such kind of components: write {}, or a name in quotes", known.join(", "));
                return Err(Error::new_spanned(&call.func, message));
            }
            let mut given = call.args.iter();
            match (given.next(), given.next(), given.next()) {
                (Some(least), Some(name), None) => Ok(Names::From(number(least, 0)?, read_name(name)?)),
                _ => Err(Error::new_spanned(call, "write `from(3, \"…\")` for a component from three dimensions on")),
            }
        }
        one => match read_name(one) {
            Ok(name) => Ok(Names::One(name)),
            Err(_) => {
                let group = groups[0].name();
                let message = format!("write a name in quotes, or {group}(\"…\", \"…\") for one along each axis");
                Err(Error::new_spanned(one, message))
            }
        },
    };
    array.elems.iter().map(names).collect()
}

pub fn read_name(value: &Expr) -> Result<LitStr> {
    match value {
        Expr::Lit(syn::ExprLit { lit: Lit::Str(text), .. }) => Ok(text.clone()),
        other => Err(Error::new_spanned(other, "write a text in quotes")),
    }
}

/// Refuses every name that formulas or files could not tell from something else.
pub fn check_names(equations: &[Names], aux: &[Names], quantities: &[LitStr]) -> Result<()> {
    let mut earlier = HashSet::new();
    let mut wrong: Option<Error> = None;
    for literal in equations.iter().chain(aux).flat_map(Names::all).chain(quantities) {
        let name = literal.value();
        let refused = refusal(&name).or_else(|| {
            let is_new = earlier.insert(name.clone());
            let message = "give each equation, auxiliary value and quantity a name of its own";
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

/// Refuses names of primitive variables that formulas could not tell from something else. One may be that of an equation, whose quantity it
/// then is.
pub fn check_primitive(primitive: &[Names], equations: &[Names], aux: &[Names], quantities: &[LitStr]) -> Result<()> {
    let of = |names: &[Names]| names.iter().flat_map(Names::all).map(LitStr::value).collect::<Vec<_>>();
    let taken: HashSet<String> = of(aux).into_iter().chain(quantities.iter().map(LitStr::value)).collect();
    let equations: HashSet<String> = of(equations).into_iter().collect();
    let mut earlier = HashSet::new();
    for literal in primitive.iter().flat_map(Names::all) {
        let name = literal.value();
        let is_new = earlier.insert(name.clone()) && !taken.contains(&name);
        let message = (!is_new).then(|| format!("there is another `{name}`: give each variable a name of its own"));
        let wrong = message.or_else(|| refusal(&name).filter(|_| !equations.contains(&name)));
        if let Some(message) = wrong {
            return Err(Error::new(literal.span(), message));
        }
    }
    Ok(())
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
    if WORDS.split(' ').any(|word| word == name) {
        return Some(format!("`{name}` is a word of the formulas in case files: {other}"));
    }
    COLUMNS.contains(&name).then(|| format!("`{name}` is a column of the gauges' files: {other}"))
}
