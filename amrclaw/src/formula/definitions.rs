//! Formulas by name, which other formulas may use.

use super::ExpressionError;
use super::derivative::rewrite;
use super::syntax::{Node, NodeKind, Syntax};
use std::collections::HashMap;
use std::ops::Range;

/// Most parts of a formula after all names have been replaced: names that stand for names grow fast.
const MOST_PARTS: usize = 20_000;
/// Most names that are defined through each other, so that formulas do not exhaust the stack.
const DEEPEST: usize = 32;

/// Formulas by name, in any order: each may use the others, but not itself.
#[derive(Clone, Debug, Default)]
pub struct Definitions {
    /// Complete formulas, with the number of their parts.
    known: HashMap<String, (Syntax, usize)>,
}

impl Definitions {
    /// The formulas, and what is wrong with some of them, by number; a wrong one is taken for 1.
    pub fn new(given: &[(&str, &Syntax)]) -> (Self, Vec<(usize, ExpressionError)>) {
        let numbers = given.iter().enumerate().map(|(number, (name, _))| (*name, number)).collect();
        let mut order = Order { given, numbers, path: Vec::new(), made: Definitions::default(), wrong: Vec::new() };
        (0..given.len()).for_each(|number| order.define(number));
        (order.made, order.wrong)
    }

    /// The formula with all defined names replaced.
    ///
    /// # Errors
    /// It becomes too long.
    pub fn put_in(&self, syntax: &Syntax) -> Result<Syntax, ExpressionError> {
        let parts = self.parts(syntax);
        if parts > MOST_PARTS {
            let message = format!("has {parts} parts when all names are replaced, more than {MOST_PARTS}");
            return Err(ExpressionError::new(syntax.root.span.clone(), message, "write a shorter formula"));
        }
        let root = rewrite(&syntax.root, &mut |node| {
            let NodeKind::Name(name) = &node.kind else { return None };
            let (formula, _) = self.known.get(name)?;
            let mut formula = formula.root.clone();
            move_to(&mut formula, &node.span);
            Some(NodeKind::Defined(name.clone(), Box::new(formula)))
        });
        Ok(Syntax { root })
    }

    /// Number of parts of a formula with all names replaced.
    fn parts(&self, syntax: &Syntax) -> usize {
        let mut parts: usize = 0;
        rewrite(&syntax.root, &mut |node| {
            let of_name = match &node.kind {
                NodeKind::Name(name) => self.known.get(name).map_or(1, |(_, parts)| *parts),
                _ => 1,
            };
            parts = parts.saturating_add(of_name);
            None
        });
        parts
    }
}

impl Syntax {
    /// A number.
    pub fn number(value: f64) -> Syntax {
        Syntax { root: Node { kind: NodeKind::Number(value), span: 0..0 } }
    }

    /// The names in the formula, except those of functions, each with its places.
    pub fn names(&self) -> Vec<(String, Range<usize>)> {
        let mut names = Vec::new();
        rewrite(&self.root, &mut |node| {
            if let NodeKind::Name(name) = &node.kind {
                names.push((name.clone(), node.span.clone()));
            }
            None
        });
        names
    }
}

/// Puts definitions in the order in which they need each other.
struct Order<'a> {
    given: &'a [(&'a str, &'a Syntax)],
    numbers: HashMap<&'a str, usize>,
    /// Those that are being defined.
    path: Vec<usize>,
    made: Definitions,
    wrong: Vec<(usize, ExpressionError)>,
}

impl Order<'_> {
    fn define(&mut self, number: usize) {
        let (name, syntax) = self.given[number];
        if self.made.known.contains_key(name) {
            return;
        }
        self.path.push(number);
        let mut outcome = Ok(());
        for (needed, span) in syntax.names() {
            let Some(&other) = self.numbers.get(needed.as_str()) else { continue };
            if let Some(first) = self.path.iter().position(|on_path| *on_path == other) {
                let circle: Vec<&str> = self.path[first..].iter().map(|&k| self.given[k].0).collect();
                let message = format!("is defined by itself: {} → {needed}", circle.join(" → "));
                let error = ExpressionError::new(span, message, format!("write a formula without `{needed}`"));
                outcome = outcome.and(Err(error));
            } else if self.path.len() >= DEEPEST {
                let message = format!("is defined through more than {DEEPEST} other names");
                outcome = outcome.and(Err(ExpressionError::new(span, message, "write longer formulas")));
            } else {
                self.define(other);
            }
        }
        self.path.pop();
        let whole = outcome.and_then(|()| self.made.put_in(syntax)).unwrap_or_else(|error| {
            self.wrong.push((number, error));
            Syntax::number(1.0)
        });
        let parts = self.made.parts(&whole);
        self.made.known.insert(name.to_owned(), (whole, parts));
    }
}

/// Gives all parts of a tree one place.
fn move_to(node: &mut Node, place: &Range<usize>) {
    node.span = place.clone();
    match &mut node.kind {
        NodeKind::Number(_) | NodeKind::Name(_) => {}
        NodeKind::Negate(a) | NodeKind::Not(a) | NodeKind::Group(a) | NodeKind::Defined(_, a) => move_to(a, place),
        NodeKind::Binary(_, a, b) => [a, b].into_iter().for_each(|part| move_to(part, place)),
        NodeKind::Call(_, parts) => parts.iter_mut().for_each(|part| move_to(part, place)),
    }
}
