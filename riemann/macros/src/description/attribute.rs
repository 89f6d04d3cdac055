//! The keys of `#[riemann::solver(…)]`.

use super::components::{
    AUX_GROUPS, EQUATION_GROUPS, Keyword, Names, check_names, check_primitive, read_name, read_names,
};
use super::number::number;
use super::parameter::documentation;
use super::{Description, Form, snake_case};
use syn::parse::ParseStream;
use syn::punctuated::Punctuated;
use syn::{Error, Expr, Lit, LitStr, Result, Token};

/// The parsed attribute. Numbers that depend on the dimension are not evaluated yet.
pub struct Attribute {
    /// What does not depend on it, without the quantities.
    pub description: Description,
    pub dimensions: Vec<usize>,
    equations: Vec<Names>,
    waves: Expr,
    aux: Vec<Names>,
    /// Names of further quantities, for pictures and the like.
    pub quantities: Vec<LitStr>,
    /// Variables in place of the equations' quantities, for initial data.
    primitive: Vec<Names>,
}

/// That of `riemann::patch`.
const MAX_WAVES: usize = 64;

const KEYS: &str = "dim, equations, waves, aux, fwaves, solve_again, axes_differ, one_way, directions, positive, nonnegative, kept_nonnegative, quantities, primitive, name, title";

impl Attribute {
    /// Parses the attribute of a struct.
    pub fn parse(input: ParseStream, item: &syn::ItemStruct) -> Result<Self> {
        let span = input.span();
        let (name, title) = (snake_case(&item.ident.to_string()), documentation(&item.attrs));
        let mut description = Description { name, title, ..Description::named(item.ident.clone()) };
        let (mut dimensions, mut equations, mut waves) = (vec![2], None, None);
        let (mut aux, mut quantities, mut primitive) = (Vec::new(), Vec::new(), Vec::new());
        for meta in Punctuated::<syn::Meta, Token![,]>::parse_terminated(input)? {
            let key = meta.path().get_ident().map(ToString::to_string).unwrap_or_default();
            let is_there = || meta.require_path_only().map(|_| true);
            let value = || meta.require_name_value().map(|meta| &meta.value);
            match key.as_str() {
                "fwaves" => description.fwaves = is_there()?,
                "solve_again" => description.solve_again = is_there()?,
                "axes_differ" => description.axes_differ = is_there()?,
                "one_way" => description.one_way = is_there()?,
                "directions" => description.directions = read_flag(&meta)?,
                "dim" => dimensions = read_dimensions(value()?)?,
                "equations" => equations = Some(read_names(value()?, EQUATION_GROUPS)?),
                "waves" => waves = Some(value()?.clone()),
                "aux" => aux = read_names(value()?, AUX_GROUPS)?,
                "positive" => description.positive = read_texts(value()?)?,
                "nonnegative" => description.nonnegative = read_texts(value()?)?,
                "kept_nonnegative" => description.kept_nonnegative = read_texts(value()?)?,
                "quantities" => quantities = read_literals(value()?)?,
                "primitive" => primitive = read_names(value()?, EQUATION_GROUPS)?,
                "name" => description.name = read_name(value()?)?.value(),
                "title" => description.title = read_name(value()?)?.value(),
                _ => return Err(Error::new_spanned(meta.path(), format!("no such key: write one of {KEYS}"))),
            }
        }
        let equations = equations.filter(|names| !names.is_empty());
        let equations = equations.ok_or_else(|| Error::new(span, "name the equations: `equations = [\"q\"]`"))?;
        let waves = waves.ok_or_else(|| Error::new(span, "give the number of waves: `waves = 1`"))?;
        let Description { nonnegative, kept_nonnegative, .. } = &mut description;
        for name in kept_nonnegative {
            if !nonnegative.contains(name) {
                nonnegative.push(name.clone());
            }
        }
        check_names(&equations, &aux, &quantities)?;
        check_primitive(&primitive, &equations, &aux, &quantities)?;
        Ok(Attribute { description, dimensions, equations, waves, aux, quantities, primitive })
    }

    /// The solver in `dim` dimensions.
    pub fn form(&self, dim: usize) -> Result<Form> {
        let names = |all: &[Names]| -> Result<Vec<String>> {
            Ok(all.iter().map(|names| names.along(dim)).collect::<Result<Vec<_>>>()?.concat())
        };
        let (equations, aux, primitive) = (names(&self.equations)?, names(&self.aux)?, names(&self.primitive)?);
        let (groups, aux_groups) = (groups(&self.equations, dim)?, groups(&self.aux, dim)?);
        let mut aux_face = Vec::new();
        for names in &self.aux {
            let on_faces = matches!(names, Names::Group(Keyword::Faces, ..));
            aux_face.extend((0..names.along(dim)?.len()).map(|axis| on_faces.then_some(axis)));
        }
        if let Some(first) = self.primitive.first().filter(|_| primitive.len() != equations.len()) {
            let (given, wanted) = (primitive.len(), equations.len());
            let message =
                format!("in {dim}D there are {given} primitive variables, but {wanted} equations: name as many");
            return Err(Error::new(first.span(), message));
        }
        let waves = self.number_of_waves(dim)?;
        if !(1..=MAX_WAVES).contains(&waves) {
            return Err(Error::new_spanned(&self.waves, format!("a solver has between 1 and {MAX_WAVES} waves")));
        }
        Ok(Form { dim, equations, waves, aux, aux_face, groups, aux_groups, primitive })
    }

    /// One number for all dimensions, or one for each.
    fn number_of_waves(&self, dim: usize) -> Result<usize> {
        let Expr::Array(list) = &self.waves else { return number(&self.waves, dim) };
        if list.elems.len() != self.dimensions.len() {
            return Err(Error::new_spanned(list, "write one number, or one for each of the dimensions in `dim`"));
        }
        let mut numbers = self.dimensions.iter().zip(&list.elems).filter(|(given, _)| **given == dim);
        let (_, value) = numbers.next().expect("a form is one of the dimensions");
        number(value, dim)
    }
}

/// The groups among components in `dim` dimensions, as [`Form`] has them.
fn groups(all: &[Names], dim: usize) -> Result<Vec<(usize, usize)>> {
    let (mut groups, mut first) = (Vec::new(), 0);
    for names in all {
        groups.extend(names.groups(dim).into_iter().map(|(kind, offset)| (kind, first + offset)));
        first += names.along(dim)?.len();
    }
    Ok(groups)
}

/// The value of a flag: `key` alone is true; or `key = true`, `key = false`.
fn read_flag(meta: &syn::Meta) -> Result<bool> {
    match meta {
        syn::Meta::NameValue(syn::MetaNameValue {
            value: Expr::Lit(syn::ExprLit { lit: Lit::Bool(flag), .. }),
            ..
        }) => Ok(flag.value),
        syn::Meta::NameValue(other) => Err(Error::new_spanned(&other.value, "write true or false")),
        _ => meta.require_path_only().map(|_| true),
    }
}

fn read_dimensions(value: &Expr) -> Result<Vec<usize>> {
    let list = match value {
        Expr::Array(array) => array.elems.iter().collect(),
        one => vec![one],
    };
    let dimension = |value: &Expr| match number(value, 0) {
        Ok(dim @ 1..=3) => Ok(dim),
        _ => Err(Error::new_spanned(value, "write 1, 2 or 3, or several as `[1, 2]`")),
    };
    list.into_iter().map(dimension).collect()
}

/// A list of texts.
fn read_texts(value: &Expr) -> Result<Vec<String>> {
    Ok(read_literals(value)?.iter().map(LitStr::value).collect())
}

/// A list of string literals.
fn read_literals(value: &Expr) -> Result<Vec<LitStr>> {
    match value {
        Expr::Array(array) => array.elems.iter().map(read_name).collect(),
        other => Err(Error::new_spanned(other, "write a list of names in quotes: `[\"density\", \"pressure\"]`")),
    }
}
