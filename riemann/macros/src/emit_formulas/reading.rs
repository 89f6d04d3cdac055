//! The symbolic evaluation of a function, from its parameters to its value.

use super::term::{AND, ATOM, COMPARISON, NEGATION, OR, POWER, PRODUCT, SUM, Term, Value, choose, term};
use crate::description::Form;
use crate::tree::{self, Block, Expr, Function, Kind, Program, Statement};
use crate::types::Type;
use proc_macro2::{Ident, Span};
use std::cell::Cell;
use std::collections::HashMap;
use syn::{Error, Result};

/// Most rounds of all loops together: each is evaluated while the solver is compiled.
const MAX_ROUNDS: u32 = 1 << 16;

/// The value of a function for these arguments. `rounds` counts those of its loops.
pub fn call(
    form: &Form,
    program: &Program,
    function: &Function,
    arguments: Vec<Value>,
    rounds: &Cell<u32>,
) -> Result<Value> {
    let names = function.parameters.iter().map(|local| local.name.to_string());
    let mut reading = Reading { form, program, variables: names.zip(arguments).collect(), rounds };
    reading.block(&function.body)?.ok_or_else(|| Error::new(function.name.span(), "the function has no value"))
}

/// The evaluation of one function.
struct Reading<'a> {
    form: &'a Form,
    program: &'a Program,
    /// The values of variables, by their unique names.
    variables: HashMap<String, Value>,
    rounds: &'a Cell<u32>,
}

impl Reading<'_> {
    fn block(&mut self, block: &Block) -> Result<Option<Value>> {
        block.statements.iter().try_for_each(|statement| self.statement(statement))?;
        block.value.as_ref().map(|value| self.expression(value)).transpose()
    }

    fn statement(&mut self, statement: &Statement) -> Result<()> {
        match statement {
            Statement::Let { local, value } => {
                let value = self.expression(value)?;
                self.variables.insert(local.name.to_string(), value);
            }
            Statement::Assign { place, value } => {
                let value = self.expression(value)?;
                *self.place(place)? = value;
            }
            Statement::If { condition, then, otherwise } => self.branch(condition, then, otherwise.as_ref())?,
            Statement::For { variable, first, end, body, running } => {
                let (first, end) = (self.integer(first)?, self.integer(end)?);
                for k in first..end {
                    self.rounds.set(self.rounds.get() + 1);
                    if self.rounds.get() > MAX_ROUNDS {
                        let message = format!("written out as formulas the loops have more than {MAX_ROUNDS} rounds");
                        return Err(Error::new(variable.name.span(), message));
                    }
                    self.variables.insert(variable.name.to_string(), Value::Int(k));
                    self.block(body)?;
                    let running = running.as_ref().and_then(|local| self.variables.get(&local.name.to_string()));
                    if running == Some(&Value::Bool(false)) {
                        break;
                    }
                }
            }
            Statement::Block(block) => drop(self.block(block)?),
        }
        Ok(())
    }

    /// An `if` that assigns to variables. Unless the condition is constant, each variable becomes an `if` of its two values.
    fn branch(&mut self, condition: &Expr, then: &Block, otherwise: Option<&Block>) -> Result<()> {
        let truth = self.expression(condition)?;
        if let Value::Bool(holds) = truth {
            if let Some(block) = if holds { Some(then) } else { otherwise } {
                self.block(block)?;
            }
            return Ok(());
        }
        let truth = term(&truth, condition.span)?;
        let before = self.variables.clone();
        self.block(then)?;
        let after = std::mem::replace(&mut self.variables, before);
        if let Some(otherwise) = otherwise {
            self.block(otherwise)?;
        }
        for (name, value) in &mut self.variables {
            if let Some(then) = after.get(name) {
                *value = choose(&truth, then.clone(), value.clone(), condition.span)?;
            }
        }
        Ok(())
    }

    /// The value that an assignment replaces.
    fn place(&mut self, place: &Expr) -> Result<&mut Value> {
        let (base, number) = match &place.kind {
            Kind::Local(name) => {
                let known = self.variables.get_mut(&name.to_string());
                return known.ok_or_else(|| Error::new(place.span, "formulas have no such variable"));
            }
            Kind::Index(base, at) => (base, self.integer(at)? as usize),
            Kind::Element(base, number) => (base, *number),
            Kind::Field(base, name) => (base, self.field(base, name, place.span)?),
            _ => return Err(Error::new(place.span, "formulas have no such place")),
        };
        match self.place(base)? {
            Value::Parts(parts) if number < parts.len() => Ok(&mut parts[number]),
            _ => Err(Error::new(place.span, "there is no such element")),
        }
    }

    /// The index of a struct's field.
    fn field(&self, base: &Expr, name: &str, span: Span) -> Result<usize> {
        let fields = base.ty.fields(self.form).unwrap_or_default();
        fields.iter().position(|(known, _)| *known == name).ok_or_else(|| Error::new(span, "there is no such field"))
    }

    fn integer(&mut self, expr: &Expr) -> Result<i64> {
        match self.expression(expr)? {
            Value::Int(value) => Ok(value),
            _ => Err(Error::new(expr.span, "formulas have no such integer")),
        }
    }

    fn term(&mut self, expr: &Expr) -> Result<Term> {
        term(&self.expression(expr)?, expr.span)
    }

    fn all(&mut self, values: &[Expr]) -> Result<Vec<Value>> {
        values.iter().map(|value| self.expression(value)).collect()
    }

    fn expression(&mut self, expr: &Expr) -> Result<Value> {
        let real = |term| Ok(Value::Term(term));
        match &expr.kind {
            Kind::Real(value) => real(Term::number(*value)),
            Kind::Int(value) => Ok(Value::Int(*value)),
            Kind::Bool(value) => Ok(Value::Bool(*value)),
            Kind::Parameter(name) => real(Term::atom(format!("{{{name}}}"))),
            Kind::Local(name) => self.variable(name),
            Kind::Variant(name) => Ok(Value::Variant(name)),
            Kind::Negate(a) => match self.expression(a)? {
                Value::Int(value) => Ok(Value::Int(-value)),
                value => {
                    let a = term(&value, a.span)?;
                    real(Term { text: format!("-{}", a.within(POWER)), binds: NEGATION })
                }
            },
            Kind::Not(a) => match self.expression(a)? {
                Value::Bool(value) => Ok(Value::Bool(!value)),
                value => real(Term::atom(format!("!({})", term(&value, a.span)?.text))),
            },
            Kind::Arithmetic(sign, a, b) => self.arithmetic(*sign, a, b, expr),
            Kind::Compare(sign, a, b) => self.comparison(sign, a, b),
            Kind::And(a, b) => self.joined("&&", AND, a, b),
            Kind::Or(a, b) => self.joined("||", OR, a, b),
            Kind::MaskFromBool(a) | Kind::Rarely(a) => self.expression(a),
            Kind::RealFromInt(a) => Ok(Value::Term(Term::number(self.integer(a)? as f64))),
            Kind::Method(name, a, others) => self.method(name, a, others, expr.span),
            Kind::Power(a, exponent) => {
                let base = self.term(a)?.within(ATOM);
                real(Term { text: format!("{base}^{exponent}"), binds: POWER })
            }
            Kind::Direction(name, a) => self.direction(name, a),
            Kind::Call { name, arguments, .. } => {
                let arguments = self.all(arguments)?;
                let called = self.program.functions.iter().find(|function| function.name == *name);
                let called = called.ok_or_else(|| Error::new(expr.span, "formulas have no such function"))?;
                call(self.form, self.program, called, arguments, self.rounds)
            }
            Kind::Array(values) | Kind::Tuple(values) => Ok(Value::Parts(self.all(values)?)),
            Kind::Repeat(value, count) => Ok(Value::Parts(vec![self.expression(value)?; *count])),
            Kind::Struct(fields) => {
                Ok(Value::Parts(fields.iter().map(|(_, value)| self.expression(value)).collect::<Result<_>>()?))
            }
            Kind::Index(base, at) => {
                let number = self.integer(at)?;
                self.part(base, number as usize)
            }
            Kind::Element(base, number) => self.part(base, *number),
            Kind::Field(base, name) => {
                let number = self.field(base, name, expr.span)?;
                self.part(base, number)
            }
            Kind::Table(..) => Err(Error::new(expr.span, "formulas have no tables")),
            Kind::If { condition, then, otherwise } => self.choice(condition, then, otherwise),
            Kind::Block(block) => self.value(block, expr.span),
        }
    }

    fn variable(&self, name: &Ident) -> Result<Value> {
        let known = self.variables.get(&name.to_string()).cloned();
        known.ok_or_else(|| Error::new(name.span(), "formulas have no such variable"))
    }

    fn part(&mut self, base: &Expr, number: usize) -> Result<Value> {
        match self.expression(base)? {
            Value::Parts(mut parts) if number < parts.len() => Ok(parts.swap_remove(number)),
            _ => Err(Error::new(base.span, "there is no such element")),
        }
    }

    fn value(&mut self, block: &Block, span: Span) -> Result<Value> {
        self.block(block)?.ok_or_else(|| Error::new(span, "the block has no value"))
    }

    fn choice(&mut self, condition: &Expr, then: &Block, otherwise: &Block) -> Result<Value> {
        let span = condition.span;
        match self.expression(condition)? {
            Value::Bool(holds) => self.value(if holds { then } else { otherwise }, span),
            truth => {
                let truth = term(&truth, span)?;
                let (a, b) = (self.value(then, span)?, self.value(otherwise, span)?);
                choose(&truth, a, b, span)
            }
        }
    }

    fn arithmetic(&mut self, sign: char, a: &Expr, b: &Expr, whole: &Expr) -> Result<Value> {
        if whole.ty == Type::Int {
            let value = tree::whole(sign, self.integer(a)?, self.integer(b)?);
            return value.map(Value::Int).ok_or_else(|| Error::new(whole.span, "there is no such integer"));
        }
        let (a, b) = (self.term(a)?, self.term(b)?);
        let binds = if matches!(sign, '+' | '-') { SUM } else { PRODUCT };
        Ok(Value::Term(Term::operator(&sign.to_string(), binds, &a, &b)))
    }

    /// A comparison. Of integers, axes and sides it is a constant.
    fn comparison(&mut self, sign: &str, a: &Expr, b: &Expr) -> Result<Value> {
        let order = match (self.expression(a)?, self.expression(b)?) {
            (Value::Int(a), Value::Int(b)) => a.cmp(&b),
            (Value::Variant(a), Value::Variant(b)) => a.cmp(b),
            (left, right) => {
                let (left, right) = (term(&left, a.span)?, term(&right, b.span)?);
                let text = format!("{} {sign} {}", left.within(SUM), right.within(SUM));
                return Ok(Value::Term(Term { text, binds: COMPARISON }));
            }
        };
        Ok(Value::Bool(tree::holds(sign, order)))
    }

    fn joined(&mut self, sign: &str, binds: u8, a: &Expr, b: &Expr) -> Result<Value> {
        let of = |a: bool, b: bool| if binds == AND { a && b } else { a || b };
        match (self.expression(a)?, self.expression(b)?) {
            (Value::Bool(a), Value::Bool(b)) => Ok(Value::Bool(of(a, b))),
            (left, right) => {
                Ok(Value::Term(Term::operator(sign, binds, &term(&left, a.span)?, &term(&right, b.span)?)))
            }
        }
    }

    fn method(&mut self, name: &str, a: &Expr, others: &[Expr], span: Span) -> Result<Value> {
        let a = self.term(a)?;
        let others = others.iter().map(|other| self.term(other)).collect::<Result<Vec<_>>>()?;
        let name = match name {
            "ln" => "log",
            "exp_m1" => "expm1",
            "ln_1p" => "log1p",
            "remainder" => return Err(Error::new(span, "formulas have no remainder with the sign of what is divided")),
            "powf" => {
                let text = format!("{}^{}", a.within(ATOM), others[0].within(ATOM));
                return Ok(Value::Term(Term { text, binds: POWER }));
            }
            name => name,
        };
        let arguments: Vec<_> = std::iter::once(a).chain(others).map(|term| term.text).collect();
        Ok(Value::Term(Term::atom(format!("{name}({})", arguments.join(", ")))))
    }

    /// A method of an axis or a side, which are constants.
    fn direction(&mut self, name: &str, a: &Expr) -> Result<Value> {
        let Value::Variant(variant) = self.expression(a)? else {
            return Err(Error::new(a.span, "formulas have no such axis or side"));
        };
        let number = ["X", "Y", "Z"].into_iter().position(|axis| axis == variant);
        let number = number.unwrap_or(usize::from(variant == "Upper")) as i64;
        Ok(match name {
            "index" => Value::Int(number),
            "transverse_2d" => Value::Variant(if variant == "X" { "Y" } else { "X" }),
            "opposite" => Value::Variant(if variant == "Lower" { "Upper" } else { "Lower" }),
            _ => Value::Parts(vec![Value::Int(number + 1), Value::Int(if number == 0 { 2 } else { 1 })]),
        })
    }
}
