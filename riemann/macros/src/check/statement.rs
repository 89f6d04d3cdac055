//! Statements: `let`, assignments, and control flow that yields no value.

use super::Checker;
use super::refusal;
use crate::names::check_name;
use crate::tree::{Block, Expr, Kind, Local, Statement};
use crate::types::Type;
use syn::spanned::Spanned;
use syn::{Error, Result};

impl Checker<'_> {
    /// The body of a function, which must end in its value.
    pub fn function_body(&mut self, block: &syn::Block, result: &Type) -> Result<Block> {
        let mut body = self.block(block)?;
        match body.value.take() {
            Some(value) => body.value = Some(Box::new(self.coerce(*value, result)?)),
            None => {
                let message = format!("end the function in its value, of type {result}, without `;`");
                let place = block.stmts.last().map_or(block.span(), Spanned::span);
                return Err(Error::new(place, message));
            }
        }
        Ok(body)
    }

    /// A block in a scope of its own.
    pub fn block(&mut self, block: &syn::Block) -> Result<Block> {
        self.scopes.enter();
        let mut statements = Vec::new();
        let mut value = None;
        // What comes before each statement with a `break`.
        let mut before = Vec::new();
        for (k, statement) in block.stmts.iter().enumerate() {
            let ends = self.number_of_ends();
            match statement {
                syn::Stmt::Local(local) => statements.extend(self.let_statement(local)?),
                syn::Stmt::Expr(expr, semicolon) => {
                    let is_last = k + 1 == block.stmts.len();
                    if semicolon.is_none() && is_last && !self.is_statement(expr) {
                        value = Some(Box::new(self.expression(expr)?));
                    } else {
                        statements.extend(self.statement(expr)?);
                    }
                }
                syn::Stmt::Item(item) => {
                    return Err(Error::new_spanned(item, "write this beside the functions of the block"));
                }
                syn::Stmt::Macro(call) => return Err(refusal::macro_call(&call.mac)),
            }
            if self.number_of_ends() > ends && k + 1 < block.stmts.len() {
                before.push(std::mem::take(&mut statements));
            }
        }
        while let Some(first) = before.pop() {
            let rest = std::mem::replace(&mut statements, first);
            statements.push(self.for_those_that_go_on(rest)?);
        }
        self.scopes.leave();
        Ok(Block { statements, value })
    }

    /// Whether an expression at a block's end is a statement, and not the block's value.
    fn is_statement(&self, expr: &syn::Expr) -> bool {
        match expr {
            syn::Expr::ForLoop(_) | syn::Expr::Assign(_) | syn::Expr::Break(_) => true,
            syn::Expr::Binary(binary) => super::operator::is_compound(&binary.op),
            syn::Expr::If(branch) => match &branch.else_branch {
                None => true,
                Some(_) => block_is_statement(self, &branch.then_branch),
            },
            syn::Expr::Match(switch) => switch.arms.first().is_some_and(|arm| self.is_statement(&arm.body)),
            syn::Expr::Block(block) => block_is_statement(self, &block.block),
            syn::Expr::Tuple(tuple) => tuple.elems.is_empty(),
            _ => false,
        }
    }

    fn let_statement(&mut self, local: &syn::Local) -> Result<Vec<Statement>> {
        let (pattern, ty) = match &local.pat {
            syn::Pat::Type(typed) => (&*typed.pat, Some(self.context.read_type(&typed.ty)?)),
            other => (other, None),
        };
        let Some(init) = &local.init else {
            return Err(Error::new_spanned(local, "give the variable a value here: `let mut x = 0.0;`"));
        };
        if let Some((otherwise, _)) = &init.diverge {
            let message = "`let … else` is not in the solver language: write `let x = if … { a } else { b };`";
            return Err(Error::new_spanned(otherwise, message));
        }
        let mut value = self.expression(&init.expr)?;
        if let Some(ty) = ty {
            value = self.coerce(value, &ty)?;
        }
        if value.ty == Type::Unit {
            return Err(Error::new_spanned(&init.expr, "this has no value: end it in one, without `;`"));
        }
        self.bind(pattern, value)
    }

    /// Binds the names of a pattern to the parts of a value.
    pub fn bind(&mut self, pattern: &syn::Pat, value: Expr) -> Result<Vec<Statement>> {
        match pattern {
            syn::Pat::Ident(name) if name.by_ref.is_none() && name.subpat.is_none() => {
                check_name(&name.ident)?;
                let mutable = name.mutability.is_some();
                // A mutable truth value may be assigned to lane by lane.
                let value = if mutable && value.ty == Type::Bool { self.coerce(value, &Type::Mask)? } else { value };
                let range = self.least_and_largest(&value).filter(|_| !mutable && value.ty == Type::Int);
                let local = self.scopes.declare(&name.ident, value.ty.clone(), mutable);
                if let Some(range) = range {
                    self.indices.insert(local.name.to_string(), range);
                }
                Ok(vec![Statement::Let { local, value }])
            }
            syn::Pat::Wild(_) => Ok(Vec::new()),
            syn::Pat::Paren(inner) => self.bind(&inner.pat, value),
            syn::Pat::Tuple(tuple) => self.bind_parts(pattern, tuple.elems.iter().collect(), value),
            syn::Pat::Slice(slice) => self.bind_parts(pattern, slice.elems.iter().collect(), value),
            other => {
                Err(Error::new_spanned(other, "write a name, a tuple of names `(a, b)` or an array of names `[a, b]`"))
            }
        }
    }

    fn bind_parts(&mut self, pattern: &syn::Pat, parts: Vec<&syn::Pat>, value: Expr) -> Result<Vec<Statement>> {
        let types = match &value.ty {
            Type::Tuple(types) if matches!(pattern, syn::Pat::Tuple(_)) => types.clone(),
            Type::Array(element, count) if matches!(pattern, syn::Pat::Slice(_)) => vec![(**element).clone(); *count],
            other => {
                return Err(Error::new_spanned(pattern, format!("a value of type {other} does not come apart so")));
            }
        };
        if types.len() != parts.len() {
            let message = format!("{} names for {} values", parts.len(), types.len());
            return Err(Error::new_spanned(pattern, message));
        }
        // A tuple or array literal needs no variable for the whole.
        if let Kind::Tuple(values) | Kind::Array(values) = value.kind {
            let mut bound = Vec::new();
            for (part, value) in parts.into_iter().zip(values) {
                bound.push((part, value));
            }
            let mut statements = Vec::new();
            for (part, value) in bound {
                statements.extend(self.bind(part, value)?);
            }
            return Ok(statements);
        }
        let whole = syn::Ident::new("parts", value.span);
        let local = self.scopes.declare(&whole, value.ty.clone(), false);
        let is_tuple = matches!(local.ty, Type::Tuple(_));
        let mut statements = vec![Statement::Let { local: local.clone(), value }];
        for (k, (part, ty)) in parts.into_iter().zip(types).enumerate() {
            let base = Box::new(self.local_value(&local));
            let span = part.span();
            let kind = if is_tuple {
                Kind::Element(base, k)
            } else {
                Kind::Index(base, Box::new(Expr { kind: Kind::Int(k as i64), ty: Type::Int, span }))
            };
            statements.extend(self.bind(part, Expr { kind, ty, span })?);
        }
        Ok(statements)
    }

    /// The value of a variable.
    pub fn local_value(&self, local: &Local) -> Expr {
        Expr { kind: Kind::Local(local.name.clone()), ty: local.ty.clone(), span: local.name.span() }
    }

    fn statement(&mut self, expr: &syn::Expr) -> Result<Vec<Statement>> {
        match expr {
            syn::Expr::Assign(assign) => {
                let value = self.expression(&assign.right)?;
                self.assign(&assign.left, value).map(|statement| vec![statement])
            }
            syn::Expr::Binary(binary) if super::operator::is_compound(&binary.op) => {
                let place = self.expression(&binary.left)?;
                let right = self.expression(&binary.right)?;
                let value = self.arithmetic(super::operator::symbol(&binary.op), place, right, binary)?;
                self.assign(&binary.left, value).map(|statement| vec![statement])
            }
            syn::Expr::If(branch) => Ok(vec![self.if_statement(branch)?]),
            syn::Expr::Match(switch) => Ok(vec![self.match_statement(switch)?]),
            syn::Expr::ForLoop(repeat) => Ok(vec![self.for_statement(repeat)?]),
            syn::Expr::Break(end) => Ok(vec![self.break_statement(end)?]),
            syn::Expr::Block(block) => Ok(vec![Statement::Block(self.statement_block(&block.block)?)]),
            syn::Expr::Tuple(tuple) if tuple.elems.is_empty() => Ok(Vec::new()),
            other => {
                // Errors in the expression itself come first.
                self.expression(other)?;
                Err(Error::new_spanned(
                    other,
                    "this computes a value and drops it: write `let y = …;`, or leave it out",
                ))
            }
        }
    }

    /// A block that is a statement: its last statement may lack the `;`.
    pub fn statement_block(&mut self, block: &syn::Block) -> Result<Block> {
        let checked = self.block(block)?;
        match &checked.value {
            Some(value) => Err(Error::new(value.span, "this value goes nowhere: assign it, or end the block with `;`")),
            None => Ok(checked),
        }
    }

    fn assign(&mut self, left: &syn::Expr, value: Expr) -> Result<Statement> {
        let place = self.expression(left)?;
        let Some(root) = place.root().cloned() else {
            return Err(Error::new_spanned(left, "assign to a variable, an element or a field"));
        };
        let local = self.scopes.by_unique_name(&root);
        if !local.mutable {
            let shown = &local.name;
            return Err(Error::new_spanned(left, format!("declare it `let mut {shown}` to assign to it")));
        }
        if let Some(&depth) = self.value_depth.last()
            && !self.scopes.is_declared_within(&root, depth)
        {
            let message =
                "a block that yields a value changes no variable from outside: assign in a statement of its own";
            return Err(Error::new_spanned(left, message));
        }
        let value = self.coerce(value, &place.ty)?;
        Ok(Statement::Assign { place, value })
    }
}

fn block_is_statement(checker: &Checker, block: &syn::Block) -> bool {
    match block.stmts.last() {
        None => true,
        Some(syn::Stmt::Expr(expr, None)) => checker.is_statement(expr),
        Some(_) => true,
    }
}
