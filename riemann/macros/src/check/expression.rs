//! Expressions.

use super::Checker;
use super::call::is_self;
use super::refusal;
use crate::tree::{Expr, Kind};
use crate::types::Type;
use syn::spanned::Spanned;
use syn::{Error, Lit, Result};

impl Checker<'_> {
    pub fn expression(&mut self, expr: &syn::Expr) -> Result<Expr> {
        let span = expr.span();
        match expr {
            syn::Expr::Paren(inner) => self.expression(&inner.expr),
            syn::Expr::Group(inner) => self.expression(&inner.expr),
            syn::Expr::Lit(literal) => self.literal(literal, expr),
            syn::Expr::Path(path) => self.path(path),
            syn::Expr::Binary(binary) if super::operator::is_compound(&binary.op) => {
                Err(Error::new_spanned(binary.op, "this is a statement and has no value"))
            }
            syn::Expr::Binary(binary) => self.binary(binary),
            syn::Expr::Unary(unary) => self.unary(unary),
            syn::Expr::Call(call) => self.call(call),
            syn::Expr::MethodCall(call) => self.method_call(call),
            syn::Expr::Field(field) => self.field(field),
            syn::Expr::Index(index) => self.index(index),
            syn::Expr::Array(array) => self.array(array),
            syn::Expr::Repeat(repeat) => {
                let count = self.context.read_count(&repeat.len)?;
                let element = self.expression(&repeat.expr)?;
                let ty = Type::array(element.ty.clone(), count, &repeat.len)?;
                Ok(Expr { kind: Kind::Repeat(Box::new(element), count), ty, span })
            }
            syn::Expr::Tuple(tuple) if tuple.elems.is_empty() => {
                Err(Error::new(span, "write a value here: `()` is none"))
            }
            syn::Expr::Tuple(tuple) => {
                let elements =
                    tuple.elems.iter().map(|element| self.expression(element)).collect::<Result<Vec<_>>>()?;
                let ty = Type::Tuple(elements.iter().map(|element| element.ty.clone()).collect());
                Ok(Expr { kind: Kind::Tuple(elements), ty, span })
            }
            syn::Expr::Struct(literal) => self.struct_literal(literal),
            syn::Expr::If(branch) => self.if_expression(branch),
            syn::Expr::Match(switch) => self.match_expression(switch),
            syn::Expr::Block(block) => {
                let block = self.value_block(&block.block)?;
                let ty = block.value.as_ref().expect("a value block").ty.clone();
                Ok(Expr { kind: Kind::Block(block), ty, span })
            }
            syn::Expr::Cast(cast) => self.cast(cast),
            other => Err(refusal::expression(other)),
        }
    }

    fn literal(&mut self, literal: &syn::ExprLit, expr: &syn::Expr) -> Result<Expr> {
        let span = literal.lit.span();
        let suffix = |suffix: &str, allowed: &[&str]| match suffix {
            "" => Ok(()),
            found if allowed.contains(&found) => Ok(()),
            found => Err(Error::new(span, format!("leave out the `{found}`: the solver is compiled for f64 and f32"))),
        };
        match &literal.lit {
            Lit::Float(number) => {
                suffix(number.suffix(), &[])?;
                Ok(Expr { kind: Kind::Real(number.base10_parse()?), ty: Type::Real, span })
            }
            Lit::Int(number) => {
                suffix(number.suffix(), &["usize"])?;
                Ok(Expr { kind: Kind::Int(number.base10_parse()?), ty: Type::Int, span })
            }
            Lit::Bool(truth) => Ok(Expr { kind: Kind::Bool(truth.value), ty: Type::Bool, span }),
            _ => Err(refusal::expression(expr)),
        }
    }

    fn path(&mut self, path: &syn::ExprPath) -> Result<Expr> {
        let segments: Vec<_> = path.path.segments.iter().map(|segment| segment.ident.to_string()).collect();
        let segments: Vec<_> = segments.iter().map(String::as_str).collect();
        let span = path.span();
        let variant = |name, ty| Ok(Expr { kind: Kind::Variant(name), ty, span });
        match segments.as_slice() {
            ["Axis", "X"] => variant("X", Type::Axis),
            ["Axis", "Y"] => variant("Y", Type::Axis),
            ["Axis", "Z"] => variant("Z", Type::Axis),
            ["Side", "Lower"] => variant("Lower", Type::Side),
            ["Side", "Upper"] => variant("Upper", Type::Side),
            ["Self", name] => self.constant(name, path).unwrap_or_else(|| Err(self.unknown(name, path))),
            [name] => {
                if let Some(local) = self.scopes.find(name) {
                    let (name, ty) = (syn::Ident::new(&local.name.to_string(), span), local.ty.clone());
                    return Ok(Expr { kind: Kind::Local(name), ty, span });
                }
                self.constant(name, path).unwrap_or_else(|| Err(self.unknown(name, path)))
            }
            _ => Err(refusal::path(path, segments.last().copied().unwrap_or_default())),
        }
    }

    /// A constant of the block, or one of those that every solver has.
    fn constant(&mut self, name: &str, path: &syn::ExprPath) -> Option<Result<Expr>> {
        if let Some((ty, value)) = self.context.constants.get(name) {
            if self.within.iter().any(|outer| outer == name) {
                let message = format!("the constant `{name}` needs itself: write its value as a number");
                return Some(Err(Error::new_spanned(path, message)));
            }
            let mut inside = Checker::new(self.context);
            inside.within.clone_from(&self.within);
            inside.within.push(name.to_owned());
            let value = inside.expression(value).and_then(|value| inside.coerce(value, ty));
            self.calls.append(&mut inside.calls);
            return Some(value.map(|value| Expr { span: path.span(), ..value }));
        }
        let form = self.context.form;
        let number = match name {
            "D" => form.dim,
            "M" => form.equations.len(),
            "W" => form.waves,
            "A" => form.aux.len(),
            _ => return None,
        };
        Some(Ok(Expr { kind: Kind::Int(number as i64), ty: Type::Int, span: path.span() }))
    }

    fn unknown(&self, name: &str, path: &syn::ExprPath) -> Error {
        let message = if name == "self" {
            "write `self.` and the name of a parameter or a function".to_owned()
        } else if self.context.description.parameters.iter().any(|parameter| parameter.name == name) {
            format!("write `self.{name}` for the parameter")
        } else {
            format!(
                "`{name}` is no variable here, nor a constant of this block, and the GPU's text has only these: declare it \
                 with `let`, or write `const {name}: Real = …;` inside this block"
            )
        };
        Error::new_spanned(path, message)
    }

    fn field(&mut self, field: &syn::ExprField) -> Result<Expr> {
        let span = field.member.span();
        if is_self(&field.base) {
            let parameters = &self.context.description.parameters;
            let syn::Member::Named(name) = &field.member else {
                return Err(Error::new_spanned(&field.member, "a parameter has a name"));
            };
            if parameters.iter().any(|parameter| parameter.name == *name) {
                return Ok(Expr { kind: Kind::Parameter(name.clone()), ty: Type::Real, span });
            }
            let known: Vec<_> = parameters.iter().map(|parameter| parameter.name.to_string()).collect();
            let known =
                if known.is_empty() { "it has none".to_owned() } else { format!("it has: {}", known.join(", ")) };
            return Err(Error::new(span, format!("the solver has no parameter `{name}`; {known}")));
        }
        let base = self.expression(&field.base)?;
        match (&field.member, &base.ty) {
            (syn::Member::Unnamed(index), Type::Tuple(types)) => match types.get(index.index as usize) {
                Some(ty) => {
                    let ty = ty.clone();
                    Ok(Expr { kind: Kind::Element(Box::new(base), index.index as usize), ty, span })
                }
                None => Err(Error::new(span, format!("the tuple has {} values, counted from 0", types.len()))),
            },
            (syn::Member::Named(name), ty) => {
                let Some(fields) = ty.fields(self.context.form) else {
                    return Err(Error::new(span, format!("a {ty} has no field `{name}`")));
                };
                match fields.iter().find(|(known, _)| name == known) {
                    Some((known, ty)) => Ok(Expr { kind: Kind::Field(Box::new(base), known), ty: ty.clone(), span }),
                    None => {
                        let names: Vec<_> = fields.iter().map(|(name, _)| *name).collect();
                        Err(Error::new(span, format!("{ty} has the fields {}", names.join(", "))))
                    }
                }
            }
            (_, ty) => Err(Error::new(span, format!("a {ty} has no parts by number"))),
        }
    }

    fn index(&mut self, index: &syn::ExprIndex) -> Result<Expr> {
        let base = self.expression(&index.expr)?;
        let Type::Array(element, count) = base.ty.clone() else {
            return Err(Error::new_spanned(&index.expr, format!("only arrays have elements; this is a {}", base.ty)));
        };
        let place = self.expression(&index.index)?;
        if place.ty != Type::Int {
            return Err(Error::new_spanned(
                &index.index,
                format!("an element has a whole number; this is a {}", place.ty),
            ));
        }
        if place.constant().is_some_and(|place| place >= count as i64) {
            let message = match count {
                0 => "the array is empty".to_owned(),
                _ => format!("the array has {count} elements, 0 to {}", count - 1),
            };
            return Err(Error::new_spanned(&index.index, message));
        }
        let span = index.span();
        Ok(Expr { kind: Kind::Index(Box::new(base), Box::new(place)), ty: *element, span })
    }

    fn array(&mut self, array: &syn::ExprArray) -> Result<Expr> {
        let mut elements = Vec::new();
        for element in &array.elems {
            elements.push(self.expression(element)?);
        }
        let Some(first) = elements.first() else {
            return Err(Error::new_spanned(array, "an empty array has no use here: write its elements, `[0.0; 3]`"));
        };
        let ty = first.ty.clone();
        let count = elements.len();
        let elements = elements.into_iter().map(|element| self.coerce(element, &ty)).collect::<Result<_>>()?;
        let ty = Type::array(ty, count, array)?;
        Ok(Expr { kind: Kind::Array(elements), ty, span: array.span() })
    }

    fn struct_literal(&mut self, literal: &syn::ExprStruct) -> Result<Expr> {
        let name = literal.path.segments.last().map(|segment| segment.ident.to_string()).unwrap_or_default();
        let ty = match name.as_str() {
            "Normal" => Type::Normal,
            "Transverse" => Type::Transverse,
            "TransverseAux" => Type::TransverseAux,
            _ => {
                return Err(Error::new_spanned(
                    &literal.path,
                    "write a tuple: only Normal and Transverse are structs here",
                ));
            }
        };
        if let Some(rest) = &literal.rest {
            return Err(Error::new_spanned(rest, "give every field its value"));
        }
        let mut given = Vec::new();
        for field in &literal.fields {
            given.push((field, self.expression(&field.expr)?));
        }
        let fields = ty.fields(self.context.form).expect("a struct");
        let names: Vec<_> = fields.iter().map(|(name, _)| *name).collect();
        if let Some((field, _)) =
            given.iter().find(|(field, _)| !names.iter().any(|name| member_is(&field.member, name)))
        {
            return Err(Error::new_spanned(&field.member, format!("{ty} has the fields {}", names.join(", "))));
        }
        let mut values = Vec::new();
        for (name, ty) in fields {
            let Some(at) = given.iter().position(|(field, _)| member_is(&field.member, name)) else {
                return Err(Error::new_spanned(&literal.path, format!("the field `{name}` is missing")));
            };
            values.push((name, self.coerce(given.swap_remove(at).1, &ty)?));
        }
        Ok(Expr { kind: Kind::Struct(values), ty, span: literal.path.span() })
    }

    fn cast(&mut self, cast: &syn::ExprCast) -> Result<Expr> {
        let value = self.expression(&cast.expr)?;
        let target = self.context.read_type(&cast.ty)?;
        match (&value.ty, &target) {
            (Type::Int, Type::Real) => {
                let span = cast.as_token.span();
                Ok(Expr { kind: Kind::RealFromInt(Box::new(value)), ty: Type::Real, span })
            }
            (Type::Real, Type::Int) => {
                let message = "a real number differs from lane to lane and cannot become an index";
                Err(Error::new_spanned(cast.as_token, message))
            }
            (from, to) => Err(Error::new_spanned(cast.as_token, format!("a {from} does not become a {to}"))),
        }
    }
}

fn member_is(member: &syn::Member, name: &str) -> bool {
    matches!(member, syn::Member::Named(ident) if ident == name)
}
