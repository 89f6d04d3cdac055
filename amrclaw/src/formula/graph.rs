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
    /// Adds the expression to a graph; returns the node of its value. `variables`: the nodes of its variables.
    pub(super) fn add_to(&self, formulas: &mut Formulas, variables: &[Node]) -> Node {
        let mut registers: Vec<Option<Node>> = vec![None; self.program.registers];
        for instruction in &self.program.instructions {
            let operand = |formulas: &mut Formulas, operand| node(formulas, operand, variables, &registers);
            let value = match instruction.operation {
                Operation::Unary(primitive, _, a) => {
                    let a = operand(formulas, a);
                    formulas.apply(primitive, &[a])
                }
                // Cubes are products.
                Operation::Binary(Primitive::Power, _, a, Operand::Number(3.0)) => {
                    let a = operand(formulas, a);
                    let square = formulas.apply(Primitive::Multiply, &[a, a]);
                    formulas.apply(Primitive::Multiply, &[square, a])
                }
                Operation::Binary(primitive, _, a, b) => {
                    let operands = [operand(formulas, a), operand(formulas, b)];
                    formulas.apply(primitive, &operands)
                }
                Operation::Select(c, a, b) => {
                    let operands = [operand(formulas, c), operand(formulas, a), operand(formulas, b)];
                    formulas.apply(Primitive::Select, &operands)
                }
            };
            registers[instruction.target] = Some(value);
        }
        node(formulas, self.result(), variables, &registers)
    }
}

impl Program {
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
