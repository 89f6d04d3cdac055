//! Expressions. Each has the span of the user's expression, so that messages of rustc point there.

use super::Writer;
use super::statement::block_contents;
use crate::names::{ELEMENTARY, PRIMITIVES};
use crate::tree::{Block, Expr, Kind};
use crate::types::Type;
use proc_macro2::{Literal, Punct, Spacing, Span, TokenStream};
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
            Kind::Parameter(name) => quote!(<V as ::riemann::real::Real>::runtime(self.#name)),
            Kind::Local(name) => quote!(#name),
            Kind::Variant(name) => {
                let (enumeration, name) = (self.ty(&expr.ty), format_ident!("{name}"));
                quote_spanned!(span=> #enumeration::#name)
            }
            Kind::Negate(a) => self.of(a, |a| quote_spanned!(span=> (-#a))),
            Kind::Not(a) => self.of(a, |a| quote_spanned!(span=> (!#a))),
            Kind::Arithmetic(op, a, b) => {
                let (a, op, b) = (inner(a), Punct::new(*op, Spacing::Alone), inner(b));
                quote_spanned!(span=> (#a #op #b))
            }
            Kind::Compare(op, a, b) => self.comparison(op, a, b, expr),
            Kind::And(a, b) => self.logic(quote!(&), quote!(&&), a, b),
            Kind::Or(a, b) => self.logic(quote!(|), quote!(||), a, b),
            Kind::MaskFromBool(a) => self.of(a, |a| quote_spanned!(span=> <V as ::riemann::real::Real>::mask(#a))),
            Kind::Rarely(a) => inner(a),
            Kind::RealFromInt(a) => {
                self.of(a, |a| quote_spanned!(span=> <V as ::riemann::real::Real>::constant(#a as f64)))
            }
            Kind::Method(name, a, others) => self.method(name, a, others, span),
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
                let path = if *takes_self { quote!(self.) } else { quote!(Self::) };
                self.list(arguments, |arguments| quote!(#path #name::<V>(#(#arguments),*)))
            }
            Kind::Array(elements) => self.list(elements, |elements| quote_spanned!(span=> [#(#elements),*])),
            Kind::Repeat(element, count) => {
                let count = Literal::usize_unsuffixed(*count);
                self.of(element, |element| quote_spanned!(span=> [#element; #count]))
            }
            Kind::Index(base, place) => {
                let (base, place) = (inner(base), inner(place));
                quote_spanned!(span=> #base[#place])
            }
            Kind::Tuple(elements) => self.list(elements, |elements| quote_spanned!(span=> (#(#elements,)*))),
            Kind::Element(base, place) => {
                let place = Literal::usize_unsuffixed(*place);
                self.of(base, |base| quote_spanned!(span=> #base.#place))
            }
            Kind::Field(base, name) => {
                let name = format_ident!("{name}");
                self.of(base, |base| quote_spanned!(span=> #base.#name))
            }
            Kind::Table(numbers, place) => {
                let numbers = numbers.iter().map(|&number| {
                    let (sign, size) =
                        (number.is_sign_negative().then(|| quote!(-)), Literal::f64_suffixed(number.abs()));
                    quote!(#sign #size)
                });
                self.of(place, |place| quote_spanned!(span=> ::riemann::real::interpolated(&[#(#numbers),*], #place)))
            }
            Kind::Struct(fields) => self.struct_literal(fields, expr),
            Kind::If { condition, then, otherwise } => self.choice(condition, then, otherwise),
            Kind::Block(block) => {
                let block = block_contents(self, block);
                quote!({ #block })
            }
        }
    }

    /// Applies `write` to an expression's tokens.
    fn of(&self, expr: &Expr, write: impl FnOnce(TokenStream) -> TokenStream) -> TokenStream {
        write(self.expression(expr))
    }

    /// Applies `write` to the tokens of several expressions.
    fn list(&self, exprs: &[Expr], write: impl FnOnce(Vec<TokenStream>) -> TokenStream) -> TokenStream {
        write(exprs.iter().map(|expr| self.expression(expr)).collect())
    }

    fn method(&self, name: &str, a: &Expr, others: &[Expr], span: Span) -> TokenStream {
        let among = |known: &[(&str, usize)]| known.iter().any(|(known, _)| *known == name);
        let of = match name {
            _ if among(&PRIMITIVES) => quote!(::riemann::elementary::Double),
            _ if among(&ELEMENTARY) || name == "remainder" => quote!(::riemann::elementary::Functions),
            _ => quote!(::riemann::real::Real),
        };
        let (name, a) = (format_ident!("{name}"), self.expression(a));
        self.list(others, |others| quote_spanned!(span=> #of::#name(#a #(, #others)*)))
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
        let (lanes, rarely) = (condition.ty == Type::Mask, matches!(condition.kind, Kind::Rarely(_)));
        let (condition, then, otherwise) =
            (self.expression(condition), block_contents(self, then), block_contents(self, otherwise));
        if rarely {
            quote!({
                let (__mask, __no) = (#condition, { #otherwise });
                if ::riemann::real::Mask::any(__mask) {
                    ::riemann::real::Choose::choose(__mask, { #then }, __no)
                } else {
                    __no
                }
            })
        } else if lanes {
            quote!(::riemann::real::Choose::choose(#condition, { #then }, { #otherwise }))
        } else {
            quote!((if #condition { #then } else { #otherwise }))
        }
    }
}

/// A literal with a span.
trait At {
    fn into_token_stream_at(self, span: Span) -> TokenStream;
}

impl At for Literal {
    fn into_token_stream_at(mut self, span: Span) -> TokenStream {
        self.set_span(span);
        quote!(#self)
    }
}
