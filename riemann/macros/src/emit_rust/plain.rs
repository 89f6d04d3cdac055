//! Functions that run on the CPU only, and constants for them: the user's Rust unchanged, over `f64`.

use crate::description::Form;
use crate::tree::Expr;
use proc_macro2::{Ident, TokenStream};
use quote::quote;
use syn::visit_mut::VisitMut;

/// Names of the parameters that the trait gives these functions.
const PARAMETERS: &[(&str, &[&str])] = &[
    ("initial", &["cell", "aux"]),
    ("aux_values", &["cell"]),
    ("admissible", &["unit"]),
    ("admissible_aux", &["unit"]),
    ("exchanged", &["axes"]),
    ("mirrored", &["axis"]),
];

/// The function with the language's type names replaced, the constants D, M, W and A defined, and parameters that it leaves out added.
pub fn function(form: &Form, function: &syn::ImplItemFn) -> TokenStream {
    let mut function = function.clone();
    Names { form }.visit_impl_item_fn_mut(&mut function);
    let wanted = PARAMETERS.iter().find(|(name, _)| function.sig.ident == name).map_or(&[][..], |(_, wanted)| wanted);
    let aux = form.aux.len();
    for name in wanted.iter().skip(function.sig.inputs.len().saturating_sub(1)) {
        function.sig.inputs.push(match *name {
            "cell" => syn::parse_quote!(_: &::riemann::solver::Cell),
            "axes" => syn::parse_quote!(_: [::riemann::axis::Axis; 2]),
            "axis" => syn::parse_quote!(_: ::riemann::axis::Axis),
            _ => syn::parse_quote!(_: [f64; #aux]),
        });
    }
    function.vis = syn::Visibility::Inherited;
    let counts = [("D", form.dim), ("M", form.equations.len()), ("W", form.waves), ("A", aux)];
    let counts = counts.map(|(name, count)| {
        let name = quote::format_ident!("{name}");
        quote!(#[allow(dead_code)] const #name: usize = #count;)
    });
    let body = &function.block;
    function.block = syn::parse_quote!({ #(#counts)* #body });
    quote!(#function)
}

/// A constant whose value is a number.
pub fn constant(name: &Ident, value: &Expr) -> Option<TokenStream> {
    if let Some(value) = value.constant() {
        let value = value as usize;
        return Some(quote!(#[allow(dead_code)] const #name: usize = #value;));
    }
    let value = value.constant_real()?;
    Some(quote!(#[allow(dead_code)] const #name: f64 = #value;))
}

/// Replaces `Real`, `State` and `Aux`.
struct Names<'a> {
    form: &'a Form,
}

impl VisitMut for Names<'_> {
    fn visit_type_mut(&mut self, ty: &mut syn::Type) {
        let (m, a) = (self.form.equations.len(), self.form.aux.len());
        let name = match ty {
            syn::Type::Path(path) => path.path.get_ident().map(ToString::to_string),
            _ => None,
        };
        match name.as_deref() {
            Some("Real") => *ty = syn::parse_quote!(f64),
            Some("State") => *ty = syn::parse_quote!([f64; #m]),
            Some("Aux") => *ty = syn::parse_quote!([f64; #a]),
            _ => syn::visit_mut::visit_type_mut(self, ty),
        }
    }
}
