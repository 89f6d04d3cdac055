//! Statements, as lines of C++.

use super::Text;
use crate::tree::{Block, Statement};
use crate::types::Type;
use proc_macro2::Ident;
use std::fmt::Write;

/// Lines of a function, one after the other.
pub struct Lines<'a> {
    pub writer: &'a Text,
    pub text: String,
    indent: usize,
    /// Variables that depend on parameters and constants alone.
    pub of_parameters: Vec<Ident>,
    /// Number of variables generated so far. Their names contain two underscores, which the user's may not.
    made_up: usize,
}

impl<'a> Lines<'a> {
    pub fn new(writer: &'a Text) -> Self {
        Lines { writer, text: String::new(), indent: 2, of_parameters: Vec::new(), made_up: 0 }
    }

    pub fn line(&mut self, line: &str) {
        let _ = writeln!(self.text, "{:width$}{line}", "", width = 4 * self.indent);
    }

    /// A variable for a value that is needed more than once.
    pub fn keep(&mut self, ty: &Type, value: &str) -> String {
        let (name, ty) = (self.new_name(), self.writer.ty(ty));
        self.line(&format!("{ty} {name} = {value};"));
        name
    }

    pub fn new_name(&mut self) -> String {
        self.made_up += 1;
        format!("v__{}", self.made_up)
    }

    pub fn function_body(&mut self, body: &Block) {
        self.statements(&body.statements);
        let value = self.expression(body.value.as_ref().expect("a function's value"));
        self.line(&format!("return {value};"));
    }

    pub fn statements(&mut self, statements: &[Statement]) {
        for statement in statements {
            self.statement(statement);
        }
    }

    fn statement(&mut self, statement: &Statement) {
        match statement {
            Statement::Let { local, value } => {
                if !local.mutable && self.of_parameters(value) {
                    self.of_parameters.push(local.name.clone());
                }
                let (ty, value) = (self.writer.ty(&local.ty), self.expression(value));
                self.line(&format!("{ty} {} = {value};", local.name));
            }
            Statement::Assign { place, value } => {
                let value = self.expression(value);
                let place = self.expression(place);
                self.line(&format!("{place} = {value};"));
            }
            Statement::If { condition, then, otherwise } => {
                let condition = self.expression(condition);
                self.line(&format!("if ({condition}) {{"));
                self.inside(then);
                if let Some(otherwise) = otherwise {
                    self.line("} else {");
                    self.inside(otherwise);
                }
                self.line("}");
            }
            Statement::For { variable, first, end, body, running } => {
                let name = &variable.name;
                let (first, end) = (self.expression(first), self.expression(end));
                self.line(if running.is_some() { "#pragma unroll 1" } else { "#pragma unroll" });
                self.line(&format!("for (int {name} = {first}; {name} < {end}; ++{name}) {{"));
                self.inside(body);
                if let Some(running) = running {
                    self.line(&format!("    if (!{}) break;", running.name));
                }
                self.line("}");
            }
            Statement::Block(block) => {
                self.line("{");
                self.inside(block);
                self.line("}");
            }
        }
    }

    fn inside(&mut self, block: &Block) {
        self.indent += 1;
        self.statements(&block.statements);
        self.indent -= 1;
    }

    /// Calls `write` one indentation deeper; returns the lines that it writes, apart from the others, and its result.
    pub fn apart<T>(&mut self, write: impl FnOnce(&mut Self) -> T) -> (String, T) {
        let before = std::mem::take(&mut self.text);
        self.indent += 1;
        let answer = write(self);
        self.indent -= 1;
        (std::mem::replace(&mut self.text, before), answer)
    }
}
