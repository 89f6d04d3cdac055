//! Calls: of functions of the block, and methods of numbers, axes and sides.

use super::Checker;
use super::calls::called_name;
use super::operator::compare;
use super::refusal;
use super::signature::PLAIN;
use crate::names::{ELEMENTARY, PRIMITIVES};
use crate::tree::{Expr, Kind};
use crate::types::Type;
use syn::punctuated::Punctuated;
use syn::spanned::Spanned;
use syn::{Error, Result, Token};

/// Comparisons that may also be written as methods.
const COMPARISONS: [(&str, &str); 4] = [("lt", "<"), ("le", "<="), ("gt", ">"), ("ge", ">=")];

/// Methods of axes and sides, with the type of the receiver and of the result.
const DIRECTIONS: [(&str, Type, Type); 4] = [
    ("index", Type::Axis, Type::Int),
    ("transverse_2d", Type::Axis, Type::Axis),
    ("index", Type::Side, Type::Int),
    ("opposite", Type::Side, Type::Side),
];

type Arguments = Punctuated<syn::Expr, Token![,]>;

impl Checker<'_> {
    pub fn call(&mut self, call: &syn::ExprCall) -> Result<Expr> {
        let syn::Expr::Path(path) = &*call.func else {
            let message = "write `self.name(…)` or `Self::name(…)`: only functions of this block can be called";
            return Err(Error::new_spanned(&call.func, message));
        };
        let segments: Vec<_> = path.path.segments.iter().map(|segment| segment.ident.to_string()).collect();
        let segments: Vec<_> = segments.iter().map(String::as_str).collect();
        let solver = self.context.description.solver.to_string();
        match segments.as_slice() {
            ["Self", name] => self.call_helper(name, &call.args, &path.path.segments[1].ident, false),
            [first, name] if *first == solver => {
                self.call_helper(name, &call.args, &path.path.segments[1].ident, false)
            }
            [name] if self.context.signatures.contains_key(*name) => {
                let signature = &self.context.signatures[*name];
                let way = if signature.takes_self { format!("self.{name}(…)") } else { format!("Self::{name}(…)") };
                Err(Error::new_spanned(&call.func, format!("write `{way}`")))
            }
            _ => Err(refusal::function(&call.func, segments.last().copied().unwrap_or_default())),
        }
    }

    fn call_helper(&mut self, name: &str, arguments: &Arguments, place: &syn::Ident, on_self: bool) -> Result<Expr> {
        let context = self.context;
        let Some(signature) = context.signatures.get(name) else {
            if PLAIN.contains(&name) {
                let message = format!(
                    "`{name}` is any Rust and runs on the CPU alone: move what you need into a function of another name"
                );
                return Err(Error::new(place.span(), message));
            }
            let mut known: Vec<_> = context.signatures.values().map(|s| s.name.to_string()).collect();
            known.sort();
            let known =
                if known.is_empty() { "it has none".to_owned() } else { format!("it has: {}", known.join(", ")) };
            return Err(Error::new(place.span(), format!("there is no function `{name}` in this block; {known}")));
        };
        if signature.takes_self != on_self {
            let way = if on_self { "Self::" } else { "self." };
            return Err(Error::new(place.span(), format!("write `{way}{name}(…)`")));
        }
        if signature.parameters.len() != arguments.len() {
            let names = signature.parameter_names.join(", ");
            let message = match signature.parameters.len() {
                0 => format!("write `{name}()`: it takes no values"),
                _ => format!("write `{name}({names})`: there {} here", are(arguments.len())),
            };
            return Err(Error::new(place.span(), message));
        }
        let mut checked = Vec::new();
        for (argument, ty) in arguments.iter().zip(&signature.parameters) {
            let value = self.expression(argument)?;
            checked.push(self.coerce(value, ty)?);
        }
        self.calls.push(place.clone());
        let kind = Kind::Call { name: called_name(place), takes_self: on_self, arguments: checked };
        Ok(Expr { kind, ty: signature.result.clone(), span: place.span() })
    }

    pub fn method_call(&mut self, call: &syn::ExprMethodCall) -> Result<Expr> {
        let name = call.method.to_string();
        if is_self(&call.receiver) {
            return self.call_helper(&name, &call.args, &call.method, true);
        }
        let receiver = self.expression(&call.receiver)?;
        match &receiver.ty {
            Type::Real => self.real_method(receiver, &name, call),
            Type::Axis if self.context.form.dim == 3 && matches!(&*name, "normal_and_transverse" | "transverse_2d") => {
                let message = "a face in three dimensions has two axes along it: `transverse` is given one as `across`; \
                               `axis.index() + 1` is the component along `axis`, `(axis.index() + 1) % D + 1` the next";
                Err(Error::new_spanned(&call.method, message))
            }
            Type::Axis if name == "normal_and_transverse" && call.args.is_empty() => {
                let pair = Type::Tuple(vec![Type::Int, Type::Int]);
                let kind = Kind::Direction("normal_and_transverse", Box::new(receiver));
                Ok(Expr { kind, ty: pair, span: call.method.span() })
            }
            ty @ (Type::Axis | Type::Side) => {
                let known = DIRECTIONS.iter().find(|(known, of, _)| *known == name && of == ty && call.args.is_empty());
                let Some((known, _, result)) = known else {
                    let message = "write `.index()`, of an axis also `.transverse_2d()` or `.normal_and_transverse()`, \
                                   of a side also `.opposite()`";
                    return Err(Error::new_spanned(&call.method, message));
                };
                let kind = Kind::Direction(known, Box::new(receiver));
                Ok(Expr { kind, ty: result.clone(), span: call.method.span() })
            }
            Type::Cell => self.face_of_cell(receiver, &name, call),
            Type::Int => {
                Err(Error::new_spanned(&call.method, "integers have no methods here; for a real number write `2.0`"))
            }
            Type::Array(..) => self.table(receiver, call),
            other => {
                let instead = match other {
                    Type::Bool | Type::Mask => "write `&&`, `||`, `!` or `if`",
                    Type::Tuple(_) => "take it apart with `let (a, b) = …;`, or write `.0`",
                    _ => "it has fields",
                };
                Err(Error::new_spanned(&call.method, format!("a {other} has no methods here: {instead}")))
            }
        }
    }

    /// `TABLE.linear(x)`, of a constant array of numbers.
    fn table(&mut self, table: Expr, call: &syn::ExprMethodCall) -> Result<Expr> {
        let refused = || refusal::array_method(&call.method);
        let (Kind::Array(numbers), "linear") = (&table.kind, &*call.method.to_string()) else { return Err(refused()) };
        let numbers: Option<Vec<f64>> = numbers.iter().map(Expr::constant_real).collect();
        let numbers = numbers.ok_or_else(refused)?;
        let span = call.method.span();
        let Ok([place]) = <[Expr; 1]>::try_from(self.arguments(&call.args)?) else {
            return Err(Error::new(
                span,
                "`linear` takes one value in the parentheses, a number from 0 to the last place",
            ));
        };
        let place = self.coerce(place, &Type::Real)?;
        Ok(Expr { kind: Kind::Table(numbers, Box::new(place)), ty: Type::Real, span })
    }

    /// The coordinate of a cell's lower or upper face along an axis.
    fn face_of_cell(&mut self, cell: Expr, name: &str, call: &syn::ExprMethodCall) -> Result<Expr> {
        let span = call.method.span();
        let fields = Type::Cell.fields(self.context.form).unwrap_or_default();
        let field = fields.iter().find(|(field, _)| *field == name && matches!(name, "lower" | "upper"));
        let (Some((field, faces)), [axis]) = (field, &*self.arguments(&call.args)?) else {
            return Err(Error::new(span, "a cell has `lower(axis)`, `upper(axis)` and fields"));
        };
        let faces = Expr { kind: Kind::Field(Box::new(cell), field), ty: faces.clone(), span };
        let place = Expr { kind: Kind::Direction("index", Box::new(axis.clone())), ty: Type::Int, span };
        Ok(Expr { kind: Kind::Index(Box::new(faces), Box::new(place)), ty: Type::Real, span })
    }

    fn real_method(&mut self, receiver: Expr, name: &str, call: &syn::ExprMethodCall) -> Result<Expr> {
        let span = call.method.span();
        let count = call.args.len();
        let wrong_count = |wanted: usize| {
            let values = if wanted == 1 { "one value" } else { "no value" };
            Error::new(span, format!("`{name}` takes {values} in the parentheses"))
        };
        if let Some((_, op)) = COMPARISONS.iter().find(|(method, _)| *method == name) {
            let [other] = self.arguments(&call.args)?.try_into().map_err(|_| wrong_count(1))?;
            return compare(op, receiver, other, call);
        }
        let kind = match name {
            "abs" | "sqrt" if count == 0 => {
                let method = if name == "abs" { "abs" } else { "sqrt" };
                Kind::Method(method, Box::new(receiver), Vec::new())
            }
            "abs" | "sqrt" => return Err(wrong_count(0)),
            "min" | "max" if count == 1 => {
                let method = if name == "min" { "min" } else { "max" };
                let other = self.expression(&call.args[0])?;
                Kind::Method(method, Box::new(receiver), vec![self.coerce(other, &Type::Real)?])
            }
            "min" | "max" => return Err(wrong_count(1)),
            "powi" => return self.power(receiver, call),
            _ => {
                let (method, wanted) = self.known_method(name).ok_or_else(|| refusal::real_method(&call.method))?;
                let others = self.arguments(&call.args)?;
                if others.len() != wanted {
                    return Err(wrong_count(wanted));
                }
                let others = others.into_iter().map(|other| self.coerce(other, &Type::Real)).collect::<Result<_>>()?;
                Kind::Method(method, Box::new(receiver), others)
            }
        };
        Ok(Expr { kind, ty: Type::Real, span })
    }

    /// An elementary function, or in a block without a solver one of the primitives that these are made of, with its number of arguments.
    fn known_method(&self, name: &str) -> Option<(&'static str, usize)> {
        let known: &[_] = if self.context.description.functions_alone { &PRIMITIVES } else { &ELEMENTARY };
        known.iter().copied().find(|(method, _)| *method == name)
    }

    fn power(&mut self, base: Expr, call: &syn::ExprMethodCall) -> Result<Expr> {
        let wanted = "write a whole number from 1 to 16: `x.powi(3)`";
        let exponent = match call.args.first() {
            Some(argument) => self.expression(argument)?.constant(),
            None => None,
        };
        match exponent {
            Some(exponent @ 1..=16) => {
                let span = call.method.span();
                Ok(Expr { kind: Kind::Power(Box::new(base), exponent as u32), ty: Type::Real, span })
            }
            _ => Err(Error::new(call.args.span(), wanted)),
        }
    }

    pub fn arguments(&mut self, arguments: &Arguments) -> Result<Vec<Expr>> {
        arguments.iter().map(|argument| self.expression(argument)).collect()
    }
}

/// A number of values, for messages.
fn are(count: usize) -> String {
    match count {
        0 => "is no value".to_owned(),
        1 => "is one value".to_owned(),
        _ => format!("are {count} values"),
    }
}

/// Whether an expression is `self`.
pub fn is_self(expr: &syn::Expr) -> bool {
    matches!(expr, syn::Expr::Path(path) if path.path.is_ident("self"))
}
