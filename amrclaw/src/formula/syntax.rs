//! Parses text to a syntax tree. Names are looked up later.

use super::ExpressionError;
use super::function::{Operator, function};
use super::token::{Token, TokenKind, tokens};
use std::fmt;
use std::ops::Range;

/// Deepest nesting of parentheses, calls and signs; keeps hostile input from exhausting the stack.
const DEEPEST: usize = 128;

/// A part of an expression, and its place in the text.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Node {
    pub kind: NodeKind,
    pub span: Range<usize>,
}

/// What a part of an expression is.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum NodeKind {
    Number(f64),
    Name(String),
    Negate(Box<Node>),
    Not(Box<Node>),
    /// Something in parentheses; `span` includes them.
    Group(Box<Node>),
    Binary(Operator, Box<Node>, Box<Node>),
    Call(String, Vec<Node>),
    /// The formula of a name that the user has defined; its parts have the place of the name.
    Defined(String, Box<Node>),
}

/// A parsed expression, whose names have not been looked up.
#[derive(Clone, Debug, PartialEq)]
pub struct Syntax {
    pub(super) root: Node,
}

impl Syntax {
    /// Parses `text`.
    ///
    /// # Errors
    /// The first thing that is wrong, with its byte range in `text`.
    pub fn parse(text: &str) -> Result<Syntax, ExpressionError> {
        let tokens = tokens(text)?;
        let mut parser = Parser { tokens, next: 0, depth: 0, text };
        let root = parser.expression(0)?;
        let rest = parser.peek();
        match rest.kind {
            TokenKind::End => Ok(Syntax { root }),
            _ => Err(parser.unexpected_after_value()),
        }
    }
}

/// The text of an expression, which reads as the same tree.
impl fmt::Display for Syntax {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.root.fmt(f)
    }
}

impl fmt::Display for Node {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.kind {
            NodeKind::Number(value) => write!(f, "{value:?}"),
            NodeKind::Name(name) => f.write_str(name),
            NodeKind::Negate(a) => write!(f, "-{a}"),
            NodeKind::Not(a) => write!(f, "(not ({a}))"),
            NodeKind::Group(a) | NodeKind::Defined(_, a) => write!(f, "({a})"),
            NodeKind::Binary(operator, a, b) => write!(f, "{a} {} {b}", operator.sign()),
            NodeKind::Call(name, arguments) => {
                write!(f, "{name}(")?;
                for (k, argument) in arguments.iter().enumerate() {
                    write!(f, "{}{argument}", if k > 0 { ", " } else { "" })?;
                }
                f.write_str(")")
            }
        }
    }
}

/// A precedence-climbing parser.
struct Parser<'a> {
    tokens: Vec<Token>,
    next: usize,
    depth: usize,
    text: &'a str,
}

impl Parser<'_> {
    /// The next token; the last one, `End`, is never passed.
    fn peek(&self) -> &Token {
        &self.tokens[self.next]
    }

    fn take(&mut self) -> Token {
        let token = self.tokens[self.next].clone();
        if token.kind != TokenKind::End {
            self.next += 1;
        }
        token
    }

    /// An expression whose operators all bind at least as tightly as `lowest`.
    fn expression(&mut self, lowest: u8) -> Result<Node, ExpressionError> {
        self.depth += 1;
        if self.depth > DEEPEST {
            let span = self.peek().span.clone();
            return Err(ExpressionError::new(span, format!("nested more than {DEEPEST} deep"), "split the formula up"));
        }
        let mut left = self.operand()?;
        while let TokenKind::Operator(operator) = self.peek().kind {
            let precedence = operator.precedence();
            if precedence < lowest {
                break;
            }
            let at = self.take().span;
            // `^` is right-associative: its right side may hold another `^`.
            let right = self.expression(if operator == Operator::Power { precedence } else { precedence + 1 })?;
            if operator.is_comparison() {
                self.refuse_chain(&left, &right, at)?;
            }
            let span = left.span.start..right.span.end;
            left = Node { kind: NodeKind::Binary(operator, Box::new(left), Box::new(right)), span };
        }
        self.depth -= 1;
        Ok(left)
    }

    /// `a < b < c` would compare a truth value with `c`.
    fn refuse_chain(&self, left: &Node, right: &Node, at: Range<usize>) -> Result<(), ExpressionError> {
        let NodeKind::Binary(operator, _, middle) = &left.kind else { return Ok(()) };
        if !operator.is_comparison() {
            return Ok(());
        }
        let (first, middle) = (&self.text[left.span.clone()], &self.text[middle.span.clone()]);
        let (sign, last) = (&self.text[at.clone()], &self.text[right.span.clone()]);
        Err(ExpressionError::new(
            at,
            "comparisons cannot be chained",
            format!("write `{first} && {middle} {sign} {last}`"),
        ))
    }

    /// A number, a name, a call, or something in parentheses, with the signs before it.
    fn operand(&mut self) -> Result<Node, ExpressionError> {
        let token = self.take();
        let start = token.span.start;
        match token.kind {
            TokenKind::Number(value) => Ok(Node { kind: NodeKind::Number(value), span: token.span }),
            TokenKind::Name(name) if self.peek().kind == TokenKind::Open => self.call(name, token.span),
            TokenKind::Name(name) => {
                if let Some(f) = function(&name) {
                    let message = format!("`{name}` is a function and needs its arguments");
                    return Err(ExpressionError::new(token.span, message, format!("write `{}`", f.usage)));
                }
                Ok(Node { kind: NodeKind::Name(name), span: token.span })
            }
            TokenKind::Open => {
                let inner = self.expression(0)?;
                let end = self.close(token.span)?;
                Ok(Node { kind: NodeKind::Group(Box::new(inner)), span: start..end })
            }
            // Looser than `^`, tighter than `*`: −x² is −(x²).
            TokenKind::Operator(Operator::Subtract) => {
                let a = self.expression(7)?;
                let span = start..a.span.end;
                Ok(Node { kind: NodeKind::Negate(Box::new(a)), span })
            }
            TokenKind::Operator(Operator::Add) => self.expression(7),
            // Looser than comparisons, tighter than `and`: `not a < b` is `not (a < b)`, but `!a` binds to its operand.
            TokenKind::Not => {
                let a = self.expression(if &self.text[token.span] == "!" { 7 } else { 3 })?;
                let span = start..a.span.end;
                Ok(Node { kind: NodeKind::Not(Box::new(a)), span })
            }
            TokenKind::End if self.next == 0 => Err(ExpressionError::new(
                token.span,
                "the expression is empty",
                "write a number or a formula such as `0`",
            )),
            TokenKind::End => Err(ExpressionError::new(
                token.span,
                "the expression ends where a value is expected",
                "add a number, a name or a formula",
            )),
            TokenKind::Operator(_) | TokenKind::Comma | TokenKind::Close => {
                let found = self.text[token.span.clone()].to_string();
                Err(ExpressionError::new(
                    token.span,
                    format!("a value is expected instead of `{found}`"),
                    format!("put a number, a name or a formula before `{found}`"),
                ))
            }
        }
    }

    fn call(&mut self, name: String, name_span: Range<usize>) -> Result<Node, ExpressionError> {
        let open = self.take().span;
        let mut arguments = Vec::new();
        if self.peek().kind == TokenKind::Close {
            let close = self.take();
            return Ok(Node { kind: NodeKind::Call(name, arguments), span: name_span.start..close.span.end });
        }
        loop {
            arguments.push(self.expression(0)?);
            if self.peek().kind != TokenKind::Comma {
                break;
            }
            self.take();
        }
        let end = self.close(open)?;
        Ok(Node { kind: NodeKind::Call(name, arguments), span: name_span.start..end })
    }

    /// Takes the parenthesis that closes the one at `open`; returns the byte after it.
    fn close(&mut self, open: Range<usize>) -> Result<usize, ExpressionError> {
        match self.peek().kind {
            TokenKind::Close => Ok(self.take().span.end),
            TokenKind::End => {
                Err(ExpressionError::new(open, "this parenthesis is never closed", "add the missing `)`"))
            }
            _ => Err(self.unexpected_after_value()),
        }
    }

    /// The next token cannot follow a complete value.
    fn unexpected_after_value(&self) -> ExpressionError {
        let token = self.peek();
        let found = &self.text[token.span.clone()];
        let (message, help) = match &token.kind {
            TokenKind::Close => {
                ("this `)` has no matching `(`".to_string(), "remove it, or add the missing `(`".to_string())
            }
            TokenKind::Comma => {
                ("a comma may only stand between a function's arguments".into(), "write decimals with a point".into())
            }
            _ => (format!("`{found}` follows a value without an operator"), format!("write `* {found}` to multiply")),
        };
        ExpressionError::new(token.span.clone(), message, help)
    }
}
