//! Derivatives and named formulas within expressions.
//!
//! The language itself computes cell by cell. Where whole patches are available, as in frames, `dx(f)`, `dy(f)`, `dz(f)` and
//! `grad(f)` are allowed too: they are extracted from the tree and replaced by further variables.

use super::syntax::{Node, NodeKind, Syntax};
use super::{ExpressionError, Names};
use std::ops::Range;

/// The kind of a derivative.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DerivativeKind {
    /// The partial derivative along an axis.
    Along(usize),
    /// The magnitude of the gradient.
    Gradient,
}

/// A derivative of an expression.
#[derive(Clone, Debug, PartialEq)]
pub struct Derivative {
    /// Its kind.
    pub kind: DerivativeKind,
    /// The expression that is differentiated.
    pub of: Syntax,
}

/// How derivatives are written.
const DERIVATIVES: [(&str, DerivativeKind); 4] = [
    ("dx", DerivativeKind::Along(0)),
    ("dy", DerivativeKind::Along(1)),
    ("dz", DerivativeKind::Along(2)),
    ("grad", DerivativeKind::Gradient),
];

/// Name of the variable for derivative `number`: one that no formula can contain.
pub fn derivative_name(number: usize) -> String {
    format!("derivative {number}")
}

impl Syntax {
    /// Replaces the outermost derivatives by variables ([`derivative_name`]); returns the expression and the derivatives.
    ///
    /// # Errors
    /// A derivative with no or several arguments, or along an axis that `dimension` does not have.
    pub fn without_derivatives(&self, dimension: usize) -> Result<(Syntax, Vec<Derivative>), ExpressionError> {
        let mut found = Vec::new();
        let mut wrong = None;
        let root = rewrite(&self.root, &mut |node| {
            let NodeKind::Call(name, arguments) = &node.kind else { return None };
            let (name, kind) = *DERIVATIVES.iter().find(|(word, _)| word == name)?;
            let [argument] = &arguments[..] else {
                let message = format!("`{name}` takes one argument");
                wrong = Some(ExpressionError::new(node.span.clone(), message, format!("write `{name}(f)`")));
                return Some(NodeKind::Number(0.0));
            };
            if let DerivativeKind::Along(axis) = kind
                && axis >= dimension
            {
                let message = format!("`{name}` is a derivative along an axis that does not exist in {dimension}D");
                wrong = Some(ExpressionError::new(node.span.clone(), message, "remove it"));
            }
            found.push(Derivative { kind, of: Syntax { root: argument.clone() } });
            Some(NodeKind::Name(derivative_name(found.len() - 1)))
        });
        wrong.map_or(Ok((Syntax { root }, found)), Err)
    }

    /// The expression with each name that `formulas` defines replaced by its formula, unless `names` has it.
    pub fn with_formulas(&self, formulas: &[(String, Syntax)], names: &Names) -> Syntax {
        let root = rewrite(&self.root, &mut |node| {
            let NodeKind::Name(name) = &node.kind else { return None };
            let (_, formula) = formulas.iter().rev().find(|(n, _)| n == name && !names.knows(n))?;
            Some(NodeKind::Group(Box::new(formula.root.clone())))
        });
        Syntax { root }
    }
}

impl Syntax {
    /// The first occurrence of one of these names, with its place.
    pub fn first_of(&self, names: &[&str]) -> Option<(String, Range<usize>)> {
        let mut found = None;
        rewrite(&self.root, &mut |node| {
            if let NodeKind::Name(name) = &node.kind
                && found.is_none()
                && names.contains(&name.as_str())
            {
                found = Some((name.clone(), node.span.clone()));
            }
            None
        });
        found
    }
}

/// The tree with each node replaced for which `replace` returns another kind; nodes within a replacement are not visited.
fn rewrite(node: &Node, replace: &mut impl FnMut(&Node) -> Option<NodeKind>) -> Node {
    let kind = replace(node).unwrap_or_else(|| match &node.kind {
        NodeKind::Number(value) => NodeKind::Number(*value),
        NodeKind::Name(name) => NodeKind::Name(name.clone()),
        NodeKind::Negate(a) => NodeKind::Negate(Box::new(rewrite(a, replace))),
        NodeKind::Not(a) => NodeKind::Not(Box::new(rewrite(a, replace))),
        NodeKind::Group(a) => NodeKind::Group(Box::new(rewrite(a, replace))),
        NodeKind::Binary(operator, a, b) => {
            let a = rewrite(a, replace);
            NodeKind::Binary(*operator, Box::new(a), Box::new(rewrite(b, replace)))
        }
        NodeKind::Call(name, arguments) => {
            NodeKind::Call(name.clone(), arguments.iter().map(|a| rewrite(a, replace)).collect())
        }
    });
    Node { kind, span: node.span.clone() }
}
