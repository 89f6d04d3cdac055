//! Expressions. Each is placed where the user wrote it, so that what rustc has to say points there.

use super::Writer;
use super::statement::block_contents;
use crate::tree::{Block, Expr, Kind};
use crate::types::Type;
use proc_macro2::{Literal, Punct, Spacing, TokenStream};
use quote::{format_ident, quote, quote_spanned};

impl Writer<'_> {
    pub fn expression(&self, expr: &Expr) -> TokenStream {
        let span = expr.span;
        let inner = |expr: &Expr| self.expression(expr);
        match &expr.kind {
            Kind::Real(value) => {
                let value = Literal::f64_suffixed(*value);
                quote_spanned!(span=> <V as ::riemann::real::Real>::constant(#value))
            }
            Kind::Int(value) => Literal::usize_suffixed(*value as usize).into_token_stream_at(span),
            Kind::Bool(value) => quote_spanned!(span=> #value),
            Kind::Parameter(name) => quote!(<V as ::riemann::real::Real>::constant(self.#name)),
            Kind::Local(name) => quote!(#name),
            Kind::Variant(name) => {
                let (enumeration, name) = (self.ty(&expr.ty), format_ident!("{name}"));
                quote_spanned!(span=> #enumeration::#name)
            }
            Kind::Negate(a) => {
                let a = inner(a);
                quote_spanned!(span=> (-#a))
            }
            Kind::Not(a) => {
                let a = inner(a);
                quote_spanned!(span=> (!#a))
            }
            Kind::Arithmetic(op, a, b) => {
                let (a, op, b) = (inner(a), Punct::new(*op, Spacing::Alone), inner(b));
                quote_spanned!(span=> (#a #op #b))
            }
            Kind::Compare(op, a, b) => self.comparison(op, a, b, expr),
            Kind::And(a, b) => self.logic(quote!(&), quote!(&&), a, b),
            Kind::Or(a, b) => self.logic(quote!(|), quote!(||), a, b),
            Kind::MaskFromBool(a) => {
                let a = inner(a);
                quote_spanned!(span=> <V as ::riemann::real::Real>::mask(#a))
            }
            Kind::RealFromInt(a) => {
                let a = inner(a);
                quote_spanned!(span=> <V as ::riemann::real::Real>::constant(#a as f64))
            }
            Kind::Method(name, a, others) => {
                let (name, a, others) = (format_ident!("{name}"), inner(a), others.iter().map(inner));
                quote_spanned!(span=> ::riemann::real::Real::#name(#a #(, #others)*))
            }
            Kind::Power(a, exponent) => {
                let a = inner(a);
                let base = format_ident!("__base");
                let factors = (1..*exponent).map(|_| quote!(* #base));
                quote!({ let #base = #a; #base #(#factors)* })
            }
            Kind::Direction(name, a) => {
                let (enumeration, name, a) = (self.ty(&a.ty), format_ident!("{name}"), inner(a));
                quote_spanned!(span=> #enumeration::#name(#a))
            }
            Kind::Call { name, takes_self, arguments } => {
                let arguments = arguments.iter().map(inner);
                let path = if *takes_self { quote!(self.) } else { quote!(Self::) };
                quote!(#path #name::<V>(#(#arguments),*))
            }
            Kind::Array(elements) => {
                let elements = elements.iter().map(inner);
                quote_spanned!(span=> [#(#elements),*])
            }
            Kind::Repeat(element, count) => {
                let (element, count) = (inner(element), Literal::usize_unsuffixed(*count));
                quote_spanned!(span=> [#element; #count])
            }
            Kind::Index(base, place) => {
                let (base, place) = (inner(base), inner(place));
                quote_spanned!(span=> #base[#place])
            }
            Kind::Tuple(elements) => {
                let elements = elements.iter().map(inner);
                quote_spanned!(span=> (#(#elements,)*))
            }
            Kind::Element(base, place) => {
                let (base, place) = (inner(base), Literal::usize_unsuffixed(*place));
                quote_spanned!(span=> #base.#place)
            }
            Kind::Field(base, name) => {
                let (base, name) = (inner(base), format_ident!("{name}"));
                quote_spanned!(span=> #base.#name)
            }
            Kind::Struct(fields) => self.struct_literal(fields, expr),
            Kind::If { condition, then, otherwise } => self.choice(condition, then, otherwise),
            Kind::Block(block) => {
                let block = block_contents(self, block);
                quote!({ #block })
            }
        }
    }

    fn comparison(&self, op: &str, a: &Expr, b: &Expr, expr: &Expr) -> TokenStream {
        let (span, a, b) = (expr.span, self.expression(a), self.expression(b));
        if expr.ty == Type::Bool {
            let op: TokenStream = op.parse().expect("an operator");
            return quote_spanned!(span=> (#a #op #b));
        }
        let method = match op {
            "<" => "lt",
            "<=" => "le",
            ">" => "gt",
            ">=" => "ge",
            "==" => "equal",
            _ => "unequal",
        };
        let method = format_ident!("{method}");
        quote_spanned!(span=> ::riemann::real::Real::#method(#a, #b))
    }

    fn logic(&self, lanes: TokenStream, whole: TokenStream, a: &Expr, b: &Expr) -> TokenStream {
        let op = if a.ty == Type::Mask { lanes } else { whole };
        let (a, b) = (self.expression(a), self.expression(b));
        quote!((#a #op #b))
    }

    fn struct_literal(&self, fields: &[(&'static str, Expr)], expr: &Expr) -> TokenStream {
        let name = format_ident!("{}", expr.ty.to_string());
        let fields = fields.iter().map(|(name, value)| {
            let (name, value) = (format_ident!("{name}"), self.expression(value));
            quote!(#name: #value)
        });
        quote!(::riemann::solver::#name { #(#fields),* })
    }

    fn choice(&self, condition: &Expr, then: &Block, otherwise: &Block) -> TokenStream {
        let lanes = condition.ty == Type::Mask;
        let (condition, then, otherwise) =
            (self.expression(condition), block_contents(self, then), block_contents(self, otherwise));
        if lanes {
            quote!(::riemann::real::Choose::choose(#condition, { #then }, { #otherwise }))
        } else {
            quote!((if #condition { #then } else { #otherwise }))
        }
    }
}

/// A literal that stands somewhere.
trait At {
    fn into_token_stream_at(self, span: proc_macro2::Span) -> TokenStream;
}

impl At for Literal {
    fn into_token_stream_at(mut self, span: proc_macro2::Span) -> TokenStream {
        self.set_span(span);
        quote!(#self)
    }
}
