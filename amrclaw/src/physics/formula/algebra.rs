//! Operations that leave out what constants make needless: a derivative has many zeros and ones.

use super::{Formulas, Node, NodeKind, Primitive};

impl Formulas {
    /// The value of a node that is a constant.
    pub(super) fn constant(&self, node: Node) -> Option<f64> {
        match self.kind(node) {
            NodeKind::Number(bits) => Some(f64::from_bits(bits)),
            _ => None,
        }
    }

    /// True for the constant zero.
    pub fn is_zero(&self, node: Node) -> bool {
        self.constant(node) == Some(0.0)
    }

    pub(super) fn zero(&mut self) -> Node {
        self.number(0.0)
    }

    pub(super) fn sum(&mut self, a: Node, b: Node) -> Node {
        match (self.constant(a), self.constant(b)) {
            (Some(a), Some(b)) => self.number(a + b),
            (Some(0.0), _) => b,
            (_, Some(0.0)) => a,
            _ => self.apply(Primitive::Add, &[a, b]),
        }
    }

    pub(super) fn difference(&mut self, a: Node, b: Node) -> Node {
        match (self.constant(a), self.constant(b)) {
            (Some(a), Some(b)) => self.number(a - b),
            (_, Some(0.0)) => a,
            (Some(0.0), _) => self.scaled(-1.0, b),
            _ => self.apply(Primitive::Subtract, &[a, b]),
        }
    }

    pub(super) fn product(&mut self, a: Node, b: Node) -> Node {
        match (self.constant(a), self.constant(b)) {
            (Some(a), Some(b)) => self.number(a * b),
            (Some(0.0), _) | (_, Some(0.0)) => self.zero(),
            (Some(1.0), _) => b,
            (_, Some(1.0)) => a,
            _ => self.apply(Primitive::Multiply, &[a, b]),
        }
    }

    /// A constant times a node.
    pub(super) fn scaled(&mut self, factor: f64, node: Node) -> Node {
        let factor = self.number(factor);
        self.product(factor, node)
    }

    pub(super) fn quotient(&mut self, a: Node, b: Node) -> Node {
        match (self.constant(a), self.constant(b)) {
            (Some(a), Some(b)) => self.number(a / b),
            (Some(0.0), _) | (_, Some(1.0)) => a,
            _ => self.apply(Primitive::Divide, &[a, b]),
        }
    }

    /// `yes` where the condition is true, else `no`.
    pub(super) fn choice(&mut self, condition: Node, yes: Node, no: Node) -> Node {
        match self.constant(condition) {
            Some(0.0) => no,
            Some(_) => yes,
            None if yes == no => yes,
            None => self.apply(Primitive::Select, &[condition, yes, no]),
        }
    }
}
