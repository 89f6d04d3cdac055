//! Partial derivatives of formulas, by the chain rule from node to node.

use super::{Formulas, Node, NodeKind, Primitive, Quantity};
use Primitive::{Cos, Cosh, Divide, Exp, Floor, Greater, Less, Log, Multiply, NotEqual, Power, Sign, Sin, Sinh, Sqrt};

impl Formulas {
    /// Adds the derivatives of the nodes `of` by a quantity; returns their nodes.
    ///
    /// Functions with kinks and jumps are differentiated on the branch that holds. Where a derivative is infinite at a single point, as
    /// those of roots at zero, it is taken as 0 there: so that what rests at that point stays at rest.
    pub fn derivatives(&mut self, of: &[Node], by: Quantity) -> Vec<Node> {
        let count = of.iter().map(|node| node.0 + 1).max().unwrap_or(0);
        let mut known = Vec::with_capacity(count);
        for k in 0..count {
            known.push(match self.nodes[k] {
                NodeKind::Number(_) => self.zero(),
                NodeKind::Quantity(quantity) => self.number(f64::from(u8::from(quantity == by))),
                NodeKind::Apply(primitive, operands) => {
                    self.chain_rule(primitive, Node(k), operands, operands.map(|operand| known[operand.0]))
                }
            });
        }
        of.iter().map(|node| known[node.0]).collect()
    }

    /// The derivative of an operation `whole` on `a`, `b` and a third number, whose derivatives are `da`, `db` and `dc`.
    fn chain_rule(&mut self, primitive: Primitive, whole: Node, [a, b, _]: [Node; 3], [da, db, dc]: [Node; 3]) -> Node {
        let changes = [da, db, dc].iter().take(primitive.arity()).any(|&node| !self.is_zero(node));
        if !changes {
            return self.zero();
        }
        match primitive {
            Primitive::Add => self.sum(da, db),
            Primitive::Subtract => self.difference(da, db),
            Primitive::Multiply => {
                let (left, right) = (self.product(da, b), self.product(a, db));
                self.sum(left, right)
            }
            Primitive::Divide => {
                let part = self.product(whole, db);
                let numerator = self.difference(da, part);
                self.quotient(numerator, b)
            }
            Primitive::Select => self.choice(a, db, dc),
            Primitive::Min | Primitive::Max => {
                let first = self.apply(if primitive == Primitive::Min { Less } else { Greater }, &[a, b]);
                self.choice(first, da, db)
            }
            Primitive::Modulo => {
                let turns = self.apply(Divide, &[a, b]);
                let turns = self.apply(Floor, &[turns]);
                let part = self.product(turns, db);
                self.difference(da, part)
            }
            Primitive::Power => self.power_rule(whole, [a, b], [da, db]),
            Primitive::Hypot => {
                let (x, y) = (self.product(a, da), self.product(b, db));
                let numerator = self.sum(x, y);
                self.quotient_or_zero(numerator, whole)
            }
            Primitive::Atan2 => {
                let (x, y) = (self.product(b, da), self.product(a, db));
                let numerator = self.difference(x, y);
                let [a, b] = [a, b].map(|node| self.apply(Multiply, &[node, node]));
                let squares = self.sum(a, b);
                self.quotient_or_zero(numerator, squares)
            }
            _ => {
                let slope = self.slope(primitive, whole, a);
                match slope {
                    Slope::Factor(factor) => self.product(factor, da),
                    Slope::Divisor(divisor) => self.quotient_or_zero(da, divisor),
                    Slope::Zero => self.zero(),
                }
            }
        }
    }

    /// The derivative of a function of one number.
    fn slope(&mut self, primitive: Primitive, whole: Node, a: Node) -> Slope {
        let one = self.number(1.0);
        let square = |formulas: &mut Self, node| formulas.apply(Multiply, &[node, node]);
        match primitive {
            Primitive::Sqrt => Slope::Divisor(self.scaled(2.0, whole)),
            Primitive::Abs => Slope::Factor(self.apply(Sign, &[a])),
            Primitive::Sin => Slope::Factor(self.apply(Cos, &[a])),
            Primitive::Cos => {
                let sine = self.apply(Sin, &[a]);
                Slope::Factor(self.scaled(-1.0, sine))
            }
            Primitive::Tan => {
                let square = square(self, whole);
                Slope::Factor(self.sum(one, square))
            }
            Primitive::Asin | Primitive::Acos => {
                let square = square(self, a);
                let rest = self.difference(one, square);
                let root = self.apply(Sqrt, &[rest]);
                Slope::Divisor(if primitive == Primitive::Asin { root } else { self.scaled(-1.0, root) })
            }
            Primitive::Atan => {
                let square = square(self, a);
                Slope::Divisor(self.sum(one, square))
            }
            Primitive::Sinh => Slope::Factor(self.apply(Cosh, &[a])),
            Primitive::Cosh => Slope::Factor(self.apply(Sinh, &[a])),
            Primitive::Tanh => {
                let square = square(self, whole);
                Slope::Factor(self.difference(one, square))
            }
            Primitive::Asinh | Primitive::Acosh => {
                let square = square(self, a);
                let inside =
                    if primitive == Primitive::Asinh { self.sum(square, one) } else { self.difference(square, one) };
                Slope::Divisor(self.apply(Sqrt, &[inside]))
            }
            Primitive::Atanh => {
                let square = square(self, a);
                Slope::Divisor(self.difference(one, square))
            }
            Exp => Slope::Factor(whole),
            Primitive::ExpM1 => Slope::Factor(self.sum(whole, one)),
            Log => Slope::Divisor(a),
            Primitive::Log1p => Slope::Divisor(self.sum(one, a)),
            Primitive::Cbrt => {
                let square = square(self, whole);
                Slope::Divisor(self.scaled(3.0, square))
            }
            // Constant but for jumps.
            _ => Slope::Zero,
        }
    }

    /// The derivative of `a` to the power `b`.
    fn power_rule(&mut self, whole: Node, [a, b]: [Node; 2], [da, db]: [Node; 2]) -> Node {
        let by_base = match self.constant(b) {
            Some(power) if power >= 1.0 => {
                let (less, scaled) = (self.number(power - 1.0), self.scaled(power, da));
                let factor = match power - 1.0 {
                    0.0 => self.number(1.0),
                    1.0 => a,
                    _ => self.apply(Power, &[a, less]),
                };
                self.product(factor, scaled)
            }
            _ => {
                let scaled = self.product(b, da);
                let numerator = self.product(whole, scaled);
                self.quotient_or_zero(numerator, a)
            }
        };
        if self.is_zero(db) {
            return by_base;
        }
        let zero = self.zero();
        let is_positive = self.apply(Greater, &[a, zero]);
        let logarithm = self.apply(Log, &[a]);
        let factor = self.product(whole, logarithm);
        let by_power = self.product(factor, db);
        let by_power = self.choice(is_positive, by_power, zero);
        self.sum(by_base, by_power)
    }

    fn quotient_or_zero(&mut self, a: Node, b: Node) -> Node {
        let zero = self.zero();
        let is_regular = self.apply(NotEqual, &[b, zero]);
        let quotient = self.quotient(a, b);
        self.choice(is_regular, quotient, zero)
    }
}

/// A derivative, or one over it.
enum Slope {
    Factor(Node),
    Divisor(Node),
    Zero,
}
