//! Flat programs: instructions that compute a value per cell of a row, from variables, numbers and one another's results.

use super::function::{Mapping, Operator, Pairing, Rule, function, truth};
use crate::physics::{Primitive, ReducedParameters};
use std::sync::Arc;

/// Where an instruction finds a value.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Operand {
    Number(f64),
    /// One of the [`ReducedParameters`].
    Parameter(usize),
    Variable(usize),
    Register(usize),
}

/// What an instruction computes.
#[derive(Clone, Copy, Debug)]
pub(super) enum Operation {
    Unary(Primitive, Mapping, Operand),
    Binary(Primitive, Pairing, Operand, Operand),
    Select(Operand, Operand, Operand),
}

impl Operation {
    /// The operation that computes a primitive from operands, of which it reads as many as it takes.
    pub fn of(primitive: Primitive, [a, b, c]: [Operand; 3]) -> Self {
        if let Some(operator) = Operator::ALL.into_iter().find(|operator| operator.primitive() == primitive) {
            return Operation::Binary(primitive, operator.pairing(), a, b);
        }
        match function(primitive.name()).map(|function| function.rule) {
            Some(Rule::Unary(mapping)) => Operation::Unary(primitive, mapping, a),
            Some(Rule::Binary(pairing)) => Operation::Binary(primitive, pairing, a, b),
            Some(Rule::Fold(f)) => Operation::Binary(primitive, Pairing::Function(f), a, b),
            _ if primitive == Primitive::Not => Operation::Unary(primitive, Mapping::Function(|a| truth(a == 0.0)), a),
            _ => Operation::Select(a, b, c),
        }
    }

    /// The value, if the operands are numbers.
    pub fn constant(&self) -> Option<f64> {
        match *self {
            Operation::Unary(_, mapping, Operand::Number(a)) => Some(mapping.apply(a)),
            Operation::Binary(_, pairing, Operand::Number(a), Operand::Number(b)) => Some(pairing.apply(a, b)),
            Operation::Select(Operand::Number(c), Operand::Number(a), Operand::Number(b)) => {
                Some(if c != 0.0 { a } else { b })
            }
            _ => None,
        }
    }

    /// What it computes from its operands.
    pub fn primitive(&self) -> Primitive {
        match *self {
            Operation::Unary(primitive, ..) | Operation::Binary(primitive, ..) => primitive,
            Operation::Select(..) => Primitive::Select,
        }
    }

    /// What it reads.
    pub fn operands(&self) -> impl Iterator<Item = Operand> + use<> {
        let operands = match *self {
            Operation::Unary(_, _, a) => [Some(a), None, None],
            Operation::Binary(_, _, a, b) => [Some(a), Some(b), None],
            Operation::Select(c, a, b) => [Some(c), Some(a), Some(b)],
        };
        operands.into_iter().flatten()
    }

    /// The operation with each operand replaced by `f`.
    pub fn with_operands(self, mut f: impl FnMut(Operand) -> Operand) -> Self {
        match self {
            Operation::Unary(primitive, mapping, a) => Operation::Unary(primitive, mapping, f(a)),
            Operation::Binary(primitive, pairing, a, b) => Operation::Binary(primitive, pairing, f(a), f(b)),
            Operation::Select(c, a, b) => Operation::Select(f(c), f(a), f(b)),
        }
    }
}

/// One instruction: a value per cell into a register. The target is never among the operands.
#[derive(Clone, Copy, Debug)]
pub(super) struct Instruction {
    pub target: usize,
    pub operation: Operation,
}

/// Instructions, and where the values are that they are for.
#[derive(Clone, Debug, Default)]
pub(super) struct Program {
    pub instructions: Vec<Instruction>,
    pub results: Vec<Operand>,
    pub registers: usize,
    pub parameters: Option<Arc<ReducedParameters>>,
}

impl Program {
    /// A program of these operations, in whose operands, and in `results`, a register stands for the operation of that number. Each value
    /// has a register until it is read for the last time; results keep theirs.
    pub fn of(operations: Vec<Operation>, results: Vec<Operand>) -> Program {
        let mut last_read = vec![0; operations.len()];
        let reads = operations.iter().enumerate().flat_map(|(i, operation)| operation.operands().map(move |o| (i, o)));
        for (i, operand) in reads.chain(results.iter().map(|&result| (usize::MAX, result))) {
            if let Operand::Register(value) = operand {
                last_read[value] = i;
            }
        }
        let (mut registers, mut is_used): (Vec<usize>, Vec<bool>) = (Vec::new(), Vec::new());
        let mut instructions = Vec::with_capacity(operations.len());
        for (i, operation) in operations.into_iter().enumerate() {
            // Before the operands' registers are free, so that no instruction writes what it reads.
            let target = is_used.iter().position(|used| !used).unwrap_or(is_used.len());
            is_used.resize(is_used.len().max(target + 1), true);
            is_used[target] = true;
            registers.push(target);
            let operation = operation.with_operands(|operand| match operand {
                Operand::Register(value) => {
                    is_used[registers[value]] &= last_read[value] != i;
                    Operand::Register(registers[value])
                }
                other => other,
            });
            instructions.push(Instruction { target, operation });
        }
        let results = results.into_iter().map(|result| match result {
            Operand::Register(value) => Operand::Register(registers[value]),
            other => other,
        });
        Program { results: results.collect(), instructions, registers: is_used.len(), parameters: None }
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{any_expression, bits, compiled_in_plane};
    use super::super::{Expression, Input};
    use super::*;
    use proptest::prelude::*;

    fn merged(expressions: &[Expression]) -> Program {
        Program::merged(expressions)
    }

    /// Equal subexpressions are computed once, within an expression and among several; constants differ by their bits.
    #[test]
    fn equal_subexpressions_are_computed_once() {
        let table: [(&[&str], usize); 6] = [
            (&["exp(sin(q)) * 0.01 + 2 * exp(sin(q)) + exp(sin(q))"], 6),
            (&["exp(sin(q))", "2 * exp(sin(q))", "exp(sin(q))"], 3),
            (&["q * x", "x * q"], 2),
            (&["0.0 * q", "-0.0 * q"], 2),
            (&["q", "2", "q"], 0),
            (&["if(q > x, q - x, x)", "q - x"], 3),
        ];
        for (texts, expected) in table {
            let program = merged(&compiled_in_plane(texts, &["q"]));
            assert_eq!((program.instructions.len(), program.results.len()), (expected, texts.len()), "{texts:?}");
        }
    }

    proptest! {
        /// A merged program gives the bits of each expression alone.
        #[test]
        fn merging_does_not_change_bits(a in any_expression("q"), b in any_expression("q")) {
            let sum = [format!("({a}) - ({b})"), format!("sin({b}) * ({a})")];
            let texts = [&a, &b, &sum[0], &sum[1]].map(String::as_str);
            let expressions = compiled_in_plane(&texts, &["q"]);
            let values = |slot| (0..5).map(|i| f64::from(3 * i - slot) * 0.3).collect();
            let rows: Vec<Vec<f64>> = (0..expressions[0].variables().len() as i32).map(values).collect();
            let inputs: Vec<Input<'_>> = rows.iter().map(|row| Input::Row(row)).collect();
            let mut found = [0.0; 20];
            merged(&expressions).eval_row(&inputs, 5, &mut found);
            for (expression, found) in expressions.iter().zip(found.chunks(5)) {
                let mut expected = [0.0; 5];
                expression.eval_row(&inputs, &mut expected);
                prop_assert_eq!(bits(found), bits(&expected));
            }
        }
    }
}
