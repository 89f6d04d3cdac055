//! Splits text into tokens.

use super::ExpressionError;
use super::function::Operator;
use std::ops::Range;

/// What a token is.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum TokenKind {
    Number(f64),
    Name(String),
    Operator(Operator),
    Not,
    Open,
    Close,
    Comma,
    End,
}

/// A token and its byte range.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Token {
    pub kind: TokenKind,
    pub span: Range<usize>,
}

/// Signs that are not letters, longest first.
const SIGNS: &[(&str, TokenKind)] = &[
    ("<=", TokenKind::Operator(Operator::LessEqual)),
    (">=", TokenKind::Operator(Operator::GreaterEqual)),
    ("==", TokenKind::Operator(Operator::Equal)),
    ("!=", TokenKind::Operator(Operator::NotEqual)),
    ("&&", TokenKind::Operator(Operator::And)),
    ("||", TokenKind::Operator(Operator::Or)),
    ("<", TokenKind::Operator(Operator::Less)),
    (">", TokenKind::Operator(Operator::Greater)),
    ("+", TokenKind::Operator(Operator::Add)),
    ("-", TokenKind::Operator(Operator::Subtract)),
    ("*", TokenKind::Operator(Operator::Multiply)),
    ("/", TokenKind::Operator(Operator::Divide)),
    ("^", TokenKind::Operator(Operator::Power)),
    ("!", TokenKind::Not),
    ("(", TokenKind::Open),
    (")", TokenKind::Close),
    (",", TokenKind::Comma),
];

impl Operator {
    /// How it is written.
    pub fn sign(self) -> &'static str {
        let sign = SIGNS.iter().find(|(_, kind)| *kind == TokenKind::Operator(self));
        sign.map(|(sign, _)| *sign).expect("every operator has a sign")
    }
}

/// Operators of other languages, and what to write here instead. Looked up before [`SIGNS`].
const HABITS: &[(&str, &str)] = &[
    ("**", "write `^` for powers"),
    ("=<", "write `<=`"),
    ("=>", "write `>=`"),
    ("≤", "write `<=`"),
    ("≥", "write `>=`"),
    ("≠", "write `!=`"),
    ("−", "write the minus sign as `-`"),
    ("·", "write `*` to multiply"),
    ("×", "write `*` to multiply"),
    ("π", "write `pi`"),
    ("?", "write `if(condition, value where true, value elsewhere)`"),
    ("%", "write `mod(a, b)` for the remainder"),
    ("[", "use round parentheses"),
    ("]", "use round parentheses"),
    ("{", "use round parentheses"),
    ("}", "use round parentheses"),
];

/// Longest expression; bounds the depth of the syntax tree, and with it the stack.
const MAX_TOKENS: usize = 2000;

/// Splits `text`; the last token is [`TokenKind::End`].
pub(super) fn tokens(text: &str) -> Result<Vec<Token>, ExpressionError> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(first) = text[at..].chars().next() {
        let rest = &text[at..];
        let (kind, length) = if first.is_whitespace() {
            at += first.len_utf8();
            continue;
        } else if first.is_ascii_digit() || first == '.' {
            number(rest, at)?
        } else if first.is_ascii_alphabetic() || first == '_' {
            name(rest)
        } else {
            sign(rest, at)?
        };
        if found.len() == MAX_TOKENS {
            let message = format!("the expression has more than {MAX_TOKENS} parts");
            return Err(ExpressionError::new(at..at + length, message, "write the problem's data in Rust instead"));
        }
        found.push(Token { kind, span: at..at + length });
        at += length;
    }
    found.push(Token { kind: TokenKind::End, span: text.len()..text.len() });
    Ok(found)
}

/// A number: digits with at most one point, then perhaps an exponent. Returns it with its length in bytes.
fn number(rest: &str, at: usize) -> Result<(TokenKind, usize), ExpressionError> {
    let bytes = rest.as_bytes();
    let mut length = bytes.iter().take_while(|b| b.is_ascii_digit() || **b == b'.').count();
    if matches!(bytes.get(length), Some(b'e' | b'E')) {
        let sign = usize::from(matches!(bytes.get(length + 1), Some(b'+' | b'-')));
        let digits = bytes[length + 1 + sign..].iter().take_while(|b| b.is_ascii_digit()).count();
        if digits > 0 {
            length += 1 + sign + digits;
        }
    }
    match rest[..length].parse::<f64>() {
        Ok(value) if value.is_infinite() => Err(ExpressionError::new(
            at..at + length,
            format!("`{}` is too large for a number", &rest[..length]),
            "write a number up to 1e308",
        )),
        Ok(value) => Ok((TokenKind::Number(value), length)),
        Err(_) => Err(ExpressionError::new(
            at..at + length,
            format!("`{}` is not a number", &rest[..length]),
            "write it like `0.5` or `1e-3`",
        )),
    }
}

/// A name, or one of the words for the logical operators.
fn name(rest: &str) -> (TokenKind, usize) {
    let length = rest.bytes().take_while(|b| b.is_ascii_alphanumeric() || *b == b'_').count();
    let kind = match &rest[..length] {
        "and" => TokenKind::Operator(Operator::And),
        "or" => TokenKind::Operator(Operator::Or),
        "not" => TokenKind::Not,
        word => TokenKind::Name(word.to_string()),
    };
    (kind, length)
}

fn sign(rest: &str, at: usize) -> Result<(TokenKind, usize), ExpressionError> {
    let wrong = |length, help: &str| {
        Err(ExpressionError::new(at..at + length, format!("`{}` has no meaning here", &rest[..length]), help))
    };
    if let Some((habit, help)) = HABITS.iter().find(|(habit, _)| rest.starts_with(habit)) {
        return wrong(habit.len(), help);
    }
    if let Some((text, kind)) = SIGNS.iter().find(|(text, _)| rest.starts_with(text)) {
        return Ok((kind.clone(), text.len()));
    }
    match rest.chars().next() {
        Some('=') => wrong(1, "write `==` to compare"),
        Some('&') => wrong(1, "write `&&` or `and`"),
        Some('|') => wrong(1, "write `||` or `or`"),
        first => wrong(
            first.map_or(0, char::len_utf8),
            "an expression holds numbers, names, + - * / ^, comparisons, &&, ||, ! and function calls",
        ),
    }
}
