//! Formulas as data: a function's operations one by one, so that any device can execute the same operations in the same order.

mod algebra;
mod around;
mod derivative;
mod implicit;

pub use around::{AroundFormulas, DerivativeKind};

use super::AdjointForm;
use crate::mesh::Beyond;
use riemann::group::Wall;
use std::collections::HashMap;

/// The inputs of a formula: properties of a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Quantity {
    /// Centre along an axis.
    Centre(usize),
    /// Distance of the centre from the origin.
    Radius,
    /// Time.
    Time,
    /// Lower side along an axis.
    LowerSide(usize),
    /// Upper side along an axis.
    UpperSide(usize),
    /// Size along an axis.
    Size(usize),
    /// A value by number: components of the state, then auxiliary values.
    Value(usize),
    /// How long a source acts.
    Duration,
    /// A parameter that changes from step to step, by its number in [`ReducedParameters`](super::ReducedParameters).
    Parameter(usize),
}

macro_rules! primitives {
    ($($(#[$doc:meta])* $primitive:ident = $name:literal, $arity:literal;)*) => {
        /// An operation on one, two or three numbers. True is 1, false is 0, and any number but 0 counts as true.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Primitive {
            $($(#[$doc])* $primitive,)*
        }

        impl Primitive {
            /// All there are.
            pub const ALL: &[Primitive] = &[$(Primitive::$primitive),*];

            /// Its name.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Primitive::$primitive => $name,)*
                }
            }

            /// The one of that name.
            pub fn named(name: &str) -> Option<Primitive> {
                Primitive::ALL.iter().copied().find(|primitive| primitive.name() == name)
            }

            /// How many numbers it takes.
            pub const fn arity(self) -> usize {
                match self {
                    $(Primitive::$primitive => $arity,)*
                }
            }
        }
    };
}

primitives! {
    /// `a + b`.
    Add = "add", 2;
    /// `a - b`.
    Subtract = "subtract", 2;
    /// `a * b`.
    Multiply = "multiply", 2;
    /// `a / b`.
    Divide = "divide", 2;
    /// `a < b`.
    Less = "less", 2;
    /// `a <= b`.
    LessEqual = "less_equal", 2;
    /// `a > b`.
    Greater = "greater", 2;
    /// `a >= b`.
    GreaterEqual = "greater_equal", 2;
    /// `a == b`.
    Equal = "equal", 2;
    /// `a != b`.
    NotEqual = "not_equal", 2;
    /// `a && b`.
    And = "and", 2;
    /// `a || b`.
    Or = "or", 2;
    /// `!a`.
    Not = "not", 1;
    /// `b` where `a` is true, else `c`.
    Select = "select", 3;
    /// Square root.
    Sqrt = "sqrt", 1;
    /// Absolute value.
    Abs = "abs", 1;
    /// The smaller number; NaN if either is.
    Min = "min", 2;
    /// The larger number; NaN if either is.
    Max = "max", 2;
    /// The largest integer that is not larger.
    Floor = "floor", 1;
    /// The smallest integer that is not smaller.
    Ceil = "ceil", 1;
    /// −1, 0 or 1.
    Sign = "sign", 1;
    /// 0 below zero, 1 from zero on.
    Heaviside = "heaviside", 1;
    /// The remainder that has the sign of the divisor.
    Modulo = "mod", 2;
    /// `a` to the power `b`.
    Power = "power", 2;
    /// Sine.
    Sin = "sin", 1;
    /// Cosine.
    Cos = "cos", 1;
    /// Tangent.
    Tan = "tan", 1;
    /// Inverse sine.
    Asin = "asin", 1;
    /// Inverse cosine.
    Acos = "acos", 1;
    /// Inverse tangent.
    Atan = "atan", 1;
    /// Angle of the point `(b, a)`.
    Atan2 = "atan2", 2;
    /// Hyperbolic sine.
    Sinh = "sinh", 1;
    /// Hyperbolic cosine.
    Cosh = "cosh", 1;
    /// Hyperbolic tangent.
    Tanh = "tanh", 1;
    /// Inverse hyperbolic sine.
    Asinh = "asinh", 1;
    /// Inverse hyperbolic cosine.
    Acosh = "acosh", 1;
    /// Inverse hyperbolic tangent.
    Atanh = "atanh", 1;
    /// Exponential.
    Exp = "exp", 1;
    /// `exp(a) - 1`.
    ExpM1 = "expm1", 1;
    /// Natural logarithm.
    Log = "log", 1;
    /// `log(1 + a)`.
    Log1p = "log1p", 1;
    /// Cube root.
    Cbrt = "cbrt", 1;
    /// `sqrt(a² + b²)`.
    Hypot = "hypot", 2;
}

/// A number in a graph of formulas.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Node(usize);

/// What a node computes. Its operands precede it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum NodeKind {
    /// A constant, by its bits.
    Number(u64),
    /// A property of the cell.
    Quantity(Quantity),
    /// An operation; operands beyond its arity repeat the first.
    Apply(Primitive, [Node; 3]),
}

/// Formulas of a cell that are evaluated together, as a graph in which common subexpressions occur once.
#[derive(Clone, Debug, Default)]
pub struct Formulas {
    nodes: Vec<NodeKind>,
    known: HashMap<NodeKind, Node>,
    results: Vec<Node>,
}

impl Formulas {
    /// The node of a number.
    pub fn number(&mut self, value: f64) -> Node {
        self.node(NodeKind::Number(value.to_bits()))
    }

    /// The node of a property of the cell.
    pub fn quantity(&mut self, quantity: Quantity) -> Node {
        self.node(NodeKind::Quantity(quantity))
    }

    /// The node of an operation.
    ///
    /// # Panics
    /// If the number of operands is not the operation's arity.
    pub fn apply(&mut self, primitive: Primitive, operands: &[Node]) -> Node {
        assert_eq!(operands.len(), primitive.arity(), "operands of {primitive:?}");
        let operand = |k: usize| operands.get(k).copied().unwrap_or(operands[0]);
        self.node(NodeKind::Apply(primitive, [operand(0), operand(1), operand(2)]))
    }

    fn node(&mut self, kind: NodeKind) -> Node {
        let next = Node(self.nodes.len());
        let node = *self.known.entry(kind).or_insert(next);
        if node == next {
            self.nodes.push(kind);
        }
        node
    }

    /// Adds the nodes of other formulas, with the nodes from `known` in place of their quantities. Returns the nodes of their results.
    fn add(&mut self, other: &Formulas, mut known: impl FnMut(&mut Formulas, Quantity) -> Node) -> Vec<Node> {
        let mut nodes = HashMap::new();
        for (node, kind) in other.nodes() {
            let here = match kind {
                NodeKind::Quantity(quantity) => known(self, quantity),
                NodeKind::Apply(primitive, operands) => {
                    let operands = operands.map(|operand| nodes[&operand]);
                    self.apply(primitive, &operands[..primitive.arity()])
                }
                number => self.node(number),
            };
            nodes.insert(node, here);
        }
        other.results.iter().map(|result| nodes[result]).collect()
    }

    /// The same formulas for a cell whose centre is given by `positions`, one formula per axis, and whose sides are half its size away: as for
    /// [`CellRow::point`](super::CellRow::point).
    pub fn at_positions(&self, positions: &Formulas) -> Formulas {
        let mut moved = Formulas::default();
        let positions = moved.add(positions, |moved, quantity| moved.quantity(quantity));
        let half = moved.number(0.5);
        let (mut lower, mut upper) = (Vec::new(), Vec::new());
        for (d, &position) in positions.iter().enumerate() {
            let dx = moved.quantity(Quantity::Size(d));
            let step = moved.apply(Primitive::Multiply, &[half, dx]);
            lower.push(moved.apply(Primitive::Subtract, &[position, step]));
            upper.push(moved.apply(Primitive::Add, &[position, step]));
        }
        let squares: Vec<Node> = positions.iter().map(|&x| moved.apply(Primitive::Multiply, &[x, x])).collect();
        let sum = squares[1..].iter().fold(squares[0], |sum, &square| moved.apply(Primitive::Add, &[sum, square]));
        let radius = moved.apply(Primitive::Sqrt, &[sum]);
        let results = moved.add(self, |moved, quantity| match quantity {
            Quantity::Centre(d) => positions[d],
            Quantity::LowerSide(d) => lower[d],
            Quantity::UpperSide(d) => upper[d],
            Quantity::Radius => radius,
            other => moved.quantity(other),
        });
        results.into_iter().for_each(|result| moved.give(result));
        moved
    }

    /// Adds a node as the next result.
    pub fn give(&mut self, node: Node) {
        self.results.push(node);
    }

    /// The nodes that the results depend on, operands first.
    pub fn nodes(&self) -> impl Iterator<Item = (Node, NodeKind)> + '_ {
        let mut needed = vec![false; self.nodes.len()];
        self.results.iter().for_each(|result| needed[result.0] = true);
        for (k, kind) in self.nodes.iter().enumerate().rev() {
            if let NodeKind::Apply(_, operands) = kind
                && needed[k]
            {
                operands.iter().for_each(|operand| needed[operand.0] = true);
            }
        }
        let nodes = self.nodes.iter().copied().enumerate().filter(move |(k, _)| needed[*k]);
        nodes.map(|(k, kind)| (Node(k), kind))
    }

    /// The nodes of the results, in order.
    pub fn results(&self) -> &[Node] {
        &self.results
    }

    /// What a node computes.
    pub fn kind(&self, node: Node) -> NodeKind {
        self.nodes[node.0]
    }
}

impl Node {
    /// Its number.
    pub fn index(self) -> usize {
        self.0
    }
}

/// A function of the user's in a form that any machine can compute.
#[derive(Clone, Debug)]
pub enum DeviceForm {
    /// As formulas.
    Formulas(Formulas),
    /// The geometry of a mapped grid's cells.
    Mapped(Box<MappedFormulas>),
    /// The function is part of the solver's source.
    OfSolver,
    /// As `OfSolver`, called with the cell centre that these formulas give.
    OfSolverAt(Formulas),
    /// As formulas of the cell and its neighbours, for criteria.
    Around(AroundFormulas),
    /// As several of them, each with the derivatives within the cell's patch, for extremes.
    Within(Vec<AroundFormulas>),
    /// The product with an adjoint solution, for criteria.
    Adjoint(Box<AdjointForm>),
}

/// The input from which the geometry of a mapped grid's cells is computed, see [`crate::mesh::Mapping`]. Each list has one entry per axis.
#[derive(Clone, Debug)]
pub struct MappedFormulas {
    /// Physical coordinates of a computational point, which the formulas read as the cell's centre.
    pub positions: Formulas,
    /// Lower corner of the domain.
    pub lower: Vec<f64>,
    /// Upper corner.
    pub upper: Vec<f64>,
    /// Cells of the finest level that there can be.
    pub finest: Vec<i32>,
    /// Their size.
    pub dx: Vec<f64>,
    /// Whether the domain repeats.
    pub periodic: Vec<bool>,
    /// What lies beyond the sides, the lower one first.
    pub beyond: Vec<[Beyond; 2]>,
    /// What the walls among them are.
    pub walls: Vec<[Wall; 2]>,
    /// Whether cells behind walls have faces between them.
    pub faces_behind_walls: bool,
    /// The solver's own auxiliary values in cells of the domain, which precede the geometry. Other cells take theirs as `beyond` says.
    pub own: Formulas,
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A repeated subexpression is the existing node; zeros of different sign are different constants.
    #[test]
    fn equal_parts_are_one_node() {
        let mut formulas = Formulas::default();
        let x = formulas.quantity(Quantity::Centre(0));
        let one = formulas.number(1.0);
        let sum = formulas.apply(Primitive::Add, &[x, one]);
        let again = [formulas.quantity(Quantity::Centre(0)), formulas.number(1.0)];
        assert_eq!(formulas.apply(Primitive::Add, &again), sum);
        assert_ne!(formulas.apply(Primitive::Add, &[one, x]), sum);
        assert_ne!(formulas.number(0.0), formulas.number(-0.0));
        formulas.give(sum);
        assert_eq!(formulas.nodes().map(|(node, _)| node.index()).collect::<Vec<_>>(), [0, 1, 2], "what is needed");
    }
}
