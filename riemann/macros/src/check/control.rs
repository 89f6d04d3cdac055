//! `if` and `match`.

use super::Checker;
use crate::tree::{Block, Expr, Kind, Statement};
use crate::types::Type;
use syn::spanned::Spanned;
use syn::{Error, Result};

/// An arm of a `match`: the condition, none for the last arm, and the body.
type Arm<'a> = (Option<Expr>, &'a syn::Expr);

impl Checker<'_> {
    pub fn if_statement(&mut self, branch: &syn::ExprIf) -> Result<Statement> {
        let condition = self.condition(&branch.cond)?;
        // A constant condition is decided here: the other side may use what this number of dimensions does not have.
        match (condition.known_truth(), &branch.else_branch) {
            (Some(true), _) => return Ok(Statement::Block(self.statement_block(&branch.then_branch)?)),
            (Some(false), Some((_, otherwise))) => return Ok(Statement::Block(self.statement_body(otherwise)?)),
            (Some(false), None) => return Ok(Statement::Block(Block { statements: Vec::new(), value: None })),
            (None, _) => {}
        }
        let then = self.statement_block(&branch.then_branch)?;
        let otherwise = match &branch.else_branch {
            None => None,
            Some((_, otherwise)) => Some(self.statement_body(otherwise)?),
        };
        self.branch_statement(condition, then, otherwise, branch.if_token.span())
    }

    /// The body of an `else` or of an arm, as a block.
    fn statement_body(&mut self, body: &syn::Expr) -> Result<Block> {
        match body {
            syn::Expr::Block(block) => self.statement_block(&block.block),
            syn::Expr::If(branch) => Ok(Block { statements: vec![self.if_statement(branch)?], value: None }),
            other => {
                let statement = syn::Stmt::Expr(other.clone(), Some(Default::default()));
                self.statement_block(&syn::Block { brace_token: Default::default(), stmts: vec![statement] })
            }
        }
    }

    pub fn branch_statement(
        &self,
        condition: Expr,
        then: Block,
        otherwise: Option<Block>,
        span: proc_macro2::Span,
    ) -> Result<Statement> {
        if condition.ty == Type::Mask {
            for name in
                then.assigned().iter().chain(otherwise.iter().flat_map(Block::assigned).collect::<Vec<_>>().iter())
            {
                let local = self.scopes.by_unique_name(name);
                if !local.ty.is_selectable() {
                    let message = format!(
                        "`{name}`, of type {}, is the same in all lanes and cannot depend on a comparison of real numbers",
                        local.ty
                    );
                    return Err(Error::new(span, message));
                }
            }
        }
        Ok(Statement::If { condition, then, otherwise })
    }

    pub fn if_expression(&mut self, branch: &syn::ExprIf) -> Result<Expr> {
        let condition = self.condition(&branch.cond)?;
        let Some((_, otherwise)) = &branch.else_branch else {
            return Err(Error::new_spanned(branch, "add `else { … }`: both sides must have a value"));
        };
        if let Some(truth) = condition.known_truth() {
            let block = if truth { self.value_block(&branch.then_branch)? } else { self.value_body(otherwise)? };
            return Ok(block_as_value(block, branch.if_token.span()));
        }
        let then = self.value_block(&branch.then_branch)?;
        let otherwise = self.value_body(otherwise)?;
        self.choose(condition, then, otherwise, branch.if_token.span())
    }

    /// A block that yields a value and changes nothing outside.
    pub fn value_block(&mut self, block: &syn::Block) -> Result<Block> {
        self.value_depth.push(self.scopes.depth());
        let checked = self.block(block);
        self.value_depth.pop();
        let checked = checked?;
        if checked.value.is_none() {
            return Err(Error::new(block.span(), "end this block in a value, without `;`"));
        }
        Ok(checked)
    }

    fn value_body(&mut self, body: &syn::Expr) -> Result<Block> {
        match body {
            syn::Expr::Block(block) => self.value_block(&block.block),
            other => {
                self.value_depth.push(self.scopes.depth());
                let value = self.expression(other);
                self.value_depth.pop();
                Ok(Block { statements: Vec::new(), value: Some(Box::new(value?)) })
            }
        }
    }

    /// `if condition { then } else { otherwise }` as a value.
    fn choose(&self, condition: Expr, mut then: Block, mut otherwise: Block, span: proc_macro2::Span) -> Result<Expr> {
        let (a, b) = (then.value.take().expect("a value block"), otherwise.value.take().expect("a value block"));
        // If one side is a truth value per lane, so is the result.
        let ty = if a.ty == Type::Bool && (b.ty == Type::Mask || condition.ty == Type::Mask) {
            Type::Mask
        } else {
            a.ty.clone()
        };
        let (a, b) = (self.coerce(*a, &ty)?, self.coerce(*b, &ty)?);
        if condition.ty == Type::Mask && !ty.is_selectable() {
            let message = format!("a comparison of real numbers cannot choose a {ty}, which is the same in all lanes");
            return Err(Error::new(span, message));
        }
        then.value = Some(Box::new(a));
        otherwise.value = Some(Box::new(b));
        Ok(Expr { kind: Kind::If { condition: Box::new(condition), then, otherwise }, ty, span })
    }

    /// A comparison, or `rarely(comparison)`.
    fn condition(&mut self, condition: &syn::Expr) -> Result<Expr> {
        if let Some(compared) = inside_rarely(condition) {
            let compared = self.condition(compared)?;
            if compared.ty == Type::Bool {
                return Ok(compared);
            }
            return Ok(Expr { kind: Kind::Rarely(Box::new(compared)), ty: Type::Mask, span: condition.span() });
        }
        let checked = self.expression(condition)?;
        match checked.ty {
            Type::Bool | Type::Mask => Ok(checked),
            other => Err(Error::new_spanned(condition, format!("a condition is a comparison; this is a {other}"))),
        }
    }

    pub fn match_statement(&mut self, switch: &syn::ExprMatch) -> Result<Statement> {
        let mut statement = None;
        for (condition, body) in self.arms(switch)?.into_iter().rev() {
            let body = self.statement_body(body)?;
            statement = Some(match (condition, statement.take()) {
                (None, _) => Statement::Block(body),
                (Some(condition), rest) => {
                    let otherwise = rest.map(|rest| Block { statements: vec![rest], value: None });
                    self.branch_statement(condition, body, otherwise, switch.match_token.span())?
                }
            });
        }
        Ok(statement.expect("a match has arms"))
    }

    pub fn match_expression(&mut self, switch: &syn::ExprMatch) -> Result<Expr> {
        let mut chosen: Option<Block> = None;
        for (condition, body) in self.arms(switch)?.into_iter().rev() {
            let body = self.value_body(body)?;
            chosen = Some(match (condition, chosen.take()) {
                (Some(condition), Some(rest)) => {
                    let value = self.choose(condition, body, rest, switch.match_token.span())?;
                    Block { statements: Vec::new(), value: Some(Box::new(value)) }
                }
                _ => body,
            });
        }
        let block = chosen.expect("a match has arms");
        let ty = block.value.as_ref().expect("a value block").ty.clone();
        Ok(Expr { kind: Kind::Block(block), ty, span: switch.match_token.span() })
    }

    /// The arms with their conditions; the last arm, which takes all remaining values, has none.
    fn arms<'s>(&mut self, switch: &'s syn::ExprMatch) -> Result<Vec<Arm<'s>>> {
        let value = self.expression(&switch.expr)?;
        let variants = match value.ty {
            Type::Axis => 3,
            Type::Side => 2,
            Type::Int => usize::MAX,
            _ => {
                let message = "`match` chooses by an axis, a side or an integer: write `if` for real numbers";
                return Err(Error::new_spanned(&switch.expr, message));
            }
        };
        let mut arms: Vec<Arm> = Vec::new();
        for (k, arm) in switch.arms.iter().enumerate() {
            if let syn::Pat::Guard(guard) = &arm.pat {
                return Err(Error::new_spanned(
                    guard.if_token,
                    "arms with conditions are not in the solver language: write `if`",
                ));
            }
            let is_last = k + 1 == switch.arms.len();
            match &arm.pat {
                syn::Pat::Wild(_) if is_last => arms.push((None, &arm.body)),
                pattern if is_last && k + 1 == variants => {
                    self.pattern_condition(pattern, &value)?;
                    arms.push((None, &arm.body));
                }
                pattern => arms.push((Some(self.pattern_condition(pattern, &value)?), &arm.body)),
            }
        }
        match arms.last() {
            Some((None, _)) => Ok(arms),
            _ => Err(Error::new_spanned(switch.match_token, "end the `match` with an arm `_ => …`")),
        }
    }

    /// `value == pattern`.
    fn pattern_condition(&mut self, pattern: &syn::Pat, value: &Expr) -> Result<Expr> {
        let wanted = match pattern {
            syn::Pat::Path(path) => self.expression(&syn::Expr::Path(path.clone()))?,
            syn::Pat::Ident(name) if name.by_ref.is_none() && name.subpat.is_none() => {
                self.expression(&syn::Expr::Path(syn::ExprPath {
                    attrs: Vec::new(),
                    qself: None,
                    path: name.ident.clone().into(),
                }))?
            }
            syn::Pat::Lit(literal) => self.expression(&syn::Expr::Lit(literal.clone()))?,
            other => return Err(Error::new_spanned(other, "write `Axis::X`, `Side::Lower`, a number or `_`")),
        };
        if wanted.ty != value.ty {
            return Err(Error::new_spanned(pattern, format!("this is a {}, not a {}", wanted.ty, value.ty)));
        }
        let span = pattern.span();
        let kind = Kind::Compare("==", Box::new(value.clone()), Box::new(wanted));
        Ok(Expr { kind, ty: Type::Bool, span })
    }
}

/// The argument of `rarely(…)`.
fn inside_rarely(condition: &syn::Expr) -> Option<&syn::Expr> {
    let syn::Expr::Call(call) = condition else { return None };
    let syn::Expr::Path(name) = &*call.func else { return None };
    (name.path.is_ident("rarely") && call.args.len() == 1).then(|| &call.args[0])
}

/// A block with a value as an expression: the value alone if the block has no statements.
fn block_as_value(block: Block, span: proc_macro2::Span) -> Expr {
    match block {
        Block { statements, value: Some(value) } if statements.is_empty() => *value,
        block => {
            let ty = block.value.as_ref().expect("a value block").ty.clone();
            Expr { kind: Kind::Block(block), ty, span }
        }
    }
}
