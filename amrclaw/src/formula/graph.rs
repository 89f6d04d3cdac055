//! Expressions as formula graphs, which devices evaluate and which can be differentiated, and such graphs as programs.

use super::Expression;
use super::program::{Operand, Operation, Program};
use crate::physics::{Formulas, Node, NodeKind, Primitive, Quantity};
use std::collections::HashMap;

/// The quantities that the variables of [`cell_names`](super::cell_names) stand for, in the same order.
pub(super) fn cell_quantities(dimension: usize) -> Vec<Quantity> {
    let axes = 0..dimension;
    let sides = axes.clone().flat_map(|d| [Quantity::LowerSide(d), Quantity::UpperSide(d)]);
    let place = axes.clone().map(Quantity::Centre).chain([Quantity::Radius, Quantity::Time]);
    place.chain(sides).chain(axes.map(Quantity::Size)).collect()
}

impl Expression {
    /// The graph of several expressions, which gives their values. `variables`: what their variables are.
    pub(crate) fn graph(expressions: &[Expression], variables: impl Iterator<Item = Quantity>) -> Formulas {
        let mut formulas = Formulas::default();
        let variables: Vec<Node> = variables.map(|quantity| formulas.quantity(quantity)).collect();
        for expression in expressions {
            let value = expression.add_to(&mut formulas, &variables);
            formulas.give(value);
        }
        formulas
    }

    /// Adds the expression to a graph; returns the node of its value. `variables`: the nodes of its variables.
    pub(super) fn add_to(&self, formulas: &mut Formulas, variables: &[Node]) -> Node {
        let mut registers: Vec<Option<Node>> = vec![None; self.program.registers];
        for instruction in &self.program.instructions {
            let operation = instruction.operation;
            // Cubes are products.
            let is_cube = matches!(operation, Operation::Binary(Primitive::Power, _, _, Operand::Number(3.0)));
            let operands = operation.operands().take(if is_cube { 1 } else { 3 });
            let operands: Vec<Node> = operands.map(|operand| node(formulas, operand, variables, &registers)).collect();
            let value = if is_cube {
                let square = formulas.apply(Primitive::Multiply, &[operands[0]; 2]);
                formulas.apply(Primitive::Multiply, &[square, operands[0]])
            } else {
                formulas.apply(operation.primitive(), &operands)
            };
            registers[instruction.target] = Some(value);
        }
        node(formulas, self.result(), variables, &registers)
    }
}

impl Program {
    /// The results of several expressions in the same variables, one after another; equal subexpressions are computed once.
    pub(super) fn merged(expressions: &[Expression]) -> Program {
        let count = expressions.first().map_or(0, |first| first.variables().len());
        let formulas = Expression::graph(expressions, (0..count).map(Quantity::Value));
        let variable = |quantity| match quantity {
            Quantity::Value(slot) => slot,
            other => unreachable!("no variable is {other:?}"),
        };
        let parameters = expressions.iter().find_map(|expression| expression.program.parameters.clone());
        Program { parameters, ..Program::of_formulas(&formulas, variable) }
    }

    /// The results of a graph. `variable`: the number of the variable that a quantity is.
    pub(super) fn of_formulas(formulas: &Formulas, variable: impl Fn(Quantity) -> usize) -> Program {
        let (mut operations, mut operands) = (Vec::new(), HashMap::new());
        for (node, kind) in formulas.nodes() {
            let operand = match kind {
                NodeKind::Number(bits) => Operand::Number(f64::from_bits(bits)),
                NodeKind::Quantity(Quantity::Parameter(number)) => Operand::Parameter(number),
                NodeKind::Quantity(quantity) => Operand::Variable(variable(quantity)),
                NodeKind::Apply(primitive, nodes) => {
                    operations.push(Operation::of(primitive, nodes.map(|node| operands[&node])));
                    Operand::Register(operations.len() - 1)
                }
            };
            operands.insert(node, operand);
        }
        let results = formulas.results().iter().map(|result| operands[result]).collect();
        Program::of(operations, results)
    }
}

fn node(formulas: &mut Formulas, operand: Operand, variables: &[Node], registers: &[Option<Node>]) -> Node {
    match operand {
        Operand::Number(value) => formulas.number(value),
        Operand::Parameter(number) => formulas.quantity(Quantity::Parameter(number)),
        Operand::Variable(slot) => variables[slot],
        Operand::Register(register) => registers[register].expect("registers are written before they are read"),
    }
}
