//! A solver's parameters: the fields of its struct.

use crate::names::check_shared_name;
use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};
use syn::{Error, Expr, Lit, Result};

/// A field of the struct.
pub struct Parameter {
    pub name: Ident,
    about: String,
    default: Option<f64>,
    check: &'static str,
    /// The least number of dimensions in which the solver has this parameter.
    pub from_dim: usize,
}

/// The checks: keyword of the attribute, and variant of `ParameterCheck`.
const CHECKS: [(&str, &str); 3] = [("any", "Any"), ("positive", "Positive"), ("greater_than_one", "GreaterThanOne")];

/// Keys under `[solver]` that are no parameters, and what they are.
const KEYS_OF_SOLVER: [(&str, &str); 2] = [("name", "the solver's name"), ("path", "the solver's file")];

impl Parameter {
    pub fn new(field: &syn::Field) -> Result<Self> {
        if !matches!(&field.ty, syn::Type::Path(path) if path.path.is_ident("Real")) {
            return Err(Error::new_spanned(&field.ty, "a parameter is a real number: write `Real`"));
        }
        let name = field.ident.clone().expect("a named field");
        check_shared_name(&name)?;
        if let Some(meaning) = KEYS_OF_SOLVER.iter().find_map(|(key, meaning)| (name == key).then_some(meaning)) {
            let message = format!("`{name}` under `[solver]` is {meaning}: choose another name, such as `{name}_1`");
            return Err(Error::new(name.span(), message));
        }
        let mut parameter = Parameter { about: documentation(&field.attrs), ..Parameter::named(name) };
        let mut default = None;
        for attribute in field.attrs.iter().filter(|attribute| attribute.path().is_ident("parameter")) {
            attribute.parse_nested_meta(|meta| {
                if meta.path.is_ident("default") {
                    default = Some(meta.value()?.parse::<Expr>()?);
                    return Ok(());
                }
                if meta.path.is_ident("dim") {
                    parameter.from_dim = meta.value()?.parse::<syn::LitInt>()?.base10_parse()?;
                    return Ok(());
                }
                let check = CHECKS.iter().find(|(word, _)| meta.path.is_ident(word));
                let (_, check) = check.ok_or_else(|| {
                    meta.error(
                        "no such check: write `positive`, `greater_than_one`, `any`, `default = 1.0` or `dim = 2`",
                    )
                })?;
                parameter.check = check;
                Ok(())
            })?;
        }
        if let Some(value) = default {
            let number = read_number(&value)?;
            if let Some(wanted) = parameter.unmet(number) {
                return Err(Error::new_spanned(value, format!("the default must be {wanted}: write `default = 2.0`")));
            }
            parameter.default = Some(number);
        }
        Ok(parameter)
    }

    /// What the check asks for, if `value` is not that.
    fn unmet(&self, value: f64) -> Option<&'static str> {
        let (fine, wanted) = match self.check {
            "Positive" => (value > 0.0, "a positive number"),
            "GreaterThanOne" => (value > 1.0, "a number greater than one"),
            _ => (true, "a finite number"),
        };
        (!fine || !value.is_finite()).then_some(wanted)
    }

    /// A parameter of which only the name is known.
    pub fn named(name: Ident) -> Self {
        Parameter { name, about: String::new(), default: None, check: "Any", from_dim: 1 }
    }

    /// The parameter as a `ParameterInfo`.
    pub fn info(&self) -> TokenStream {
        let (name, about, check) = (self.name.to_string(), &self.about, format_ident!("{}", self.check));
        let default = match self.default {
            Some(value) => quote!(::core::option::Option::Some(#value)),
            None => quote!(::core::option::Option::None),
        };
        quote! {
            ::riemann::parameters::ParameterInfo {
                name: #name,
                about: #about,
                default: #default,
                check: ::riemann::parameters::ParameterCheck::#check,
            }
        }
    }
}

fn read_number(value: &Expr) -> Result<f64> {
    match value {
        Expr::Lit(syn::ExprLit { lit: Lit::Float(number), .. }) => number.base10_parse(),
        Expr::Lit(syn::ExprLit { lit: Lit::Int(number), .. }) => number.base10_parse(),
        Expr::Unary(syn::ExprUnary { op: syn::UnOp::Neg(_), expr, .. }) => Ok(-read_number(expr)?),
        other => Err(Error::new_spanned(other, "write a number")),
    }
}

/// The first sentence of a doc comment, without its full stop.
pub fn documentation(attributes: &[syn::Attribute]) -> String {
    let mut words = String::new();
    for attribute in attributes {
        let syn::Meta::NameValue(meta) = &attribute.meta else { continue };
        if let (true, Expr::Lit(syn::ExprLit { lit: Lit::Str(line), .. })) = (meta.path.is_ident("doc"), &meta.value) {
            let line = line.value();
            if line.trim().is_empty() {
                break;
            }
            words.push_str(line.trim());
            words.push(' ');
        }
    }
    let sentence = words.split(". ").next().unwrap_or_default();
    sentence.trim().trim_end_matches('.').to_owned()
}
