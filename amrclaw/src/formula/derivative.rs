//! Derivatives and named formulas within expressions.
//!
//! The language itself computes cell by cell. Where whole patches are available, as in frames, `dx(f)`, `dy(f)`, `dz(f)` and
//! `grad(f)` are allowed too: they are extracted from the tree and replaced by further variables.

use super::function::Operator;
use super::syntax::{Node, NodeKind, Syntax};
use super::{Expression, ExpressionError, Names};
use std::ops::Range;

pub use crate::physics::DerivativeKind;

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

impl Syntax {
    /// True where a derivative is above its limit; `variables` come before the derivatives'.
    pub fn any_above(limits: &[f64], variables: Vec<String>) -> Expression {
        let node = |kind| Node { kind, span: 0..0 };
        let above = |(number, limit): (usize, &f64)| {
            let operands =
                [NodeKind::Name(derivative_name(number)), NodeKind::Number(*limit)].map(|kind| Box::new(node(kind)));
            let [derivative, limit] = operands;
            node(NodeKind::Binary(Operator::Greater, derivative, limit))
        };
        let either = |a, b| node(NodeKind::Binary(Operator::Or, Box::new(a), Box::new(b)));
        let any = limits.iter().enumerate().map(above).reduce(either).unwrap_or(node(NodeKind::Number(0.0)));
        let names = Names::variables(variables.into_iter().chain((0..limits.len()).map(derivative_name)));
        Syntax { root: any }.compile(&names).unwrap_or_else(|wrong| unreachable!("made here: {wrong:?}"))
    }
}

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
pub(super) fn rewrite(node: &Node, replace: &mut impl FnMut(&Node) -> Option<NodeKind>) -> Node {
    let kind = replace(node).unwrap_or_else(|| match &node.kind {
        NodeKind::Number(value) => NodeKind::Number(*value),
        NodeKind::Name(name) => NodeKind::Name(name.clone()),
        NodeKind::Negate(a) => NodeKind::Negate(Box::new(rewrite(a, replace))),
        NodeKind::Not(a) => NodeKind::Not(Box::new(rewrite(a, replace))),
        NodeKind::Group(a) => NodeKind::Group(Box::new(rewrite(a, replace))),
        NodeKind::Defined(name, a) => NodeKind::Defined(name.clone(), Box::new(rewrite(a, replace))),
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
