//! `for` and `break`.

use super::Checker;
use crate::tree::{Block, Expr, Kind, Local, Statement};
use crate::types::Type;
use proc_macro2::Span;
use syn::spanned::Spanned;
use syn::{Error, Result};

/// A loop whose body is being checked.
pub struct Round {
    /// The truth value of each lane that goes on.
    running: Local,
    /// The place of each `break` seen so far.
    pub ends: Vec<Span>,
}

impl Checker<'_> {
    pub fn for_statement(&mut self, repeat: &syn::ExprForLoop) -> Result<Statement> {
        let message = "write the range of a loop as `0..N` with constants and variables of loops around it, so that it can be unrolled";
        let syn::Expr::Range(range) = &*repeat.expr else { return Err(Error::new_spanned(&repeat.expr, message)) };
        let (Some(first), Some(end)) = (&range.start, &range.end) else {
            return Err(Error::new_spanned(&repeat.expr, message));
        };
        let mut bound = |bound: &syn::Expr| {
            let value = self.expression(bound)?;
            match self.least_and_largest(&value) {
                Some([least, _]) if least < 0 => {
                    let message = format!("this can be {least}: begin the loop around it later");
                    Err(Error::new_spanned(bound, message))
                }
                Some(values) if value.ty == Type::Int => Ok((value, values)),
                _ => Err(Error::new_spanned(bound, message)),
            }
        };
        let ((first, [least, _]), (mut end, [_, mut largest])) = (bound(first)?, bound(end)?);
        if matches!(range.limits, syn::RangeLimits::Closed(_)) {
            end = one_more(end);
            largest += 1;
        }
        let name = match &*repeat.pat {
            syn::Pat::Ident(name) if name.mutability.is_none() => name.ident.clone(),
            syn::Pat::Wild(wild) => syn::Ident::new("_k", wild.span()),
            other => return Err(Error::new_spanned(other, "write a name here: `for m in 0..M`")),
        };
        self.scopes.enter();
        let hidden = syn::Ident::new("goes_on", repeat.for_token.span());
        let running = self.scopes.declare_hidden(&hidden, Type::Mask);
        self.scopes.enter();
        let variable = self.scopes.declare(&name, Type::Int, false);
        self.indices.insert(variable.name.to_string(), [least, largest.max(least + 1) - 1]);
        self.loops.push(Round { running: running.clone(), ends: Vec::new() });
        let body = self.statement_block(&repeat.body);
        let round = self.loops.pop().expect("the loop itself");
        let statement = body.and_then(|body| match round.ends.first() {
            None => Ok(Statement::For { variable, first, end, body, running: None }),
            Some(&place) => {
                // A lane that has left the loop keeps its values while others go on.
                let guarded = self.branch_statement(self.local_value(&running), body, None, place)?;
                let body = Block { statements: vec![guarded], value: None };
                let repeat = Statement::For { variable, first, end, body, running: Some(running.clone()) };
                let start = Statement::Let { local: running, value: truth(true, place) };
                Ok(Statement::Block(Block { statements: vec![start, repeat], value: None }))
            }
        });
        self.scopes.leave();
        self.scopes.leave();
        statement
    }

    pub fn break_statement(&mut self, end: &syn::ExprBreak) -> Result<Statement> {
        if end.label.is_some() || end.expr.is_some() {
            return Err(Error::new_spanned(end, "write `break;` alone: it ends the innermost loop"));
        }
        let Some(round) = self.loops.last_mut() else {
            return Err(Error::new_spanned(end, "`break` ends a `for`: there is none around it"));
        };
        let running = round.running.clone();
        round.ends.push(end.span());
        if let Some(&depth) = self.value_depth.last()
            && !self.scopes.is_declared_within(&running.name, depth)
        {
            let message =
                "a block that yields a value does not end a loop: write `if … { break; }` as a statement of its own";
            return Err(Error::new_spanned(end, message));
        }
        Ok(Statement::Assign { place: self.local_value(&running), value: truth(false, end.span()) })
    }

    /// What follows a statement with a `break`: it is for the lanes that go on.
    pub fn for_those_that_go_on(&self, rest: Vec<Statement>) -> Result<Statement> {
        let round = self.loops.last().expect("`break` is in a loop");
        let place = *round.ends.first().expect("there is a `break`");
        self.branch_statement(self.local_value(&round.running), Block { statements: rest, value: None }, None, place)
    }

    /// How often the innermost loop ends early, as far as it is checked.
    pub fn number_of_ends(&self) -> usize {
        self.loops.last().map_or(0, |round| round.ends.len())
    }

    /// The least and the largest value of an integer made of constants and variables of loops.
    pub fn least_and_largest(&self, expr: &Expr) -> Option<[i64; 2]> {
        match &expr.kind {
            Kind::Int(value) => Some([*value; 2]),
            Kind::Local(name) => self.indices.get(&name.to_string()).copied(),
            Kind::Direction("index", of) if of.ty == Type::Axis => Some([0, self.context.form.dim as i64 - 1]),
            Kind::Direction("index", _) => Some([0, 1]),
            Kind::Arithmetic(sign, a, b) if expr.ty == Type::Int => {
                let ([a, c], [b, d]) = (self.least_and_largest(a)?, self.least_and_largest(b)?);
                match sign {
                    '+' => Some([a.checked_add(b)?, c.checked_add(d)?]),
                    '-' => Some([a.checked_sub(d)?, c.checked_sub(b)?]),
                    '*' if a >= 0 && b >= 0 => Some([a.checked_mul(b)?, c.checked_mul(d)?]),
                    '/' if a >= 0 && b > 0 => Some([a / d, c / b]),
                    '%' if a >= 0 && b > 0 => Some([0, c.min(d - 1)]),
                    _ => None,
                }
            }
            _ => None,
        }
    }
}

fn truth(value: bool, span: Span) -> Expr {
    let value = Expr { kind: Kind::Bool(value), ty: Type::Bool, span };
    Expr { kind: Kind::MaskFromBool(Box::new(value)), ty: Type::Mask, span }
}

fn one_more(value: Expr) -> Expr {
    let span = value.span;
    let one = Expr { kind: Kind::Int(1), ty: Type::Int, span };
    Expr { kind: Kind::Arithmetic('+', Box::new(value), Box::new(one)), ty: Type::Int, span }
}
