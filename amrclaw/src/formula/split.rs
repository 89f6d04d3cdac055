//! Splits off the subexpressions that depend only on some of the variables, so that their values can be cached while the others change.
//!
//! The parts do the same operations on the same numbers as the whole, so the values are the same to the bit.

use super::compile::Assembler;
use super::program::{Operand, Operation};
use super::{Expression, cell_names};
use crate::physics::{Formulas, Node, Primitive, Quantity};

/// Which parts to split off.
pub(super) struct Wanted {
    /// Per variable, whether parts may depend on it.
    pub kept: Vec<bool>,
    /// Per variable, the axes along which it changes: see [`axes_of`].
    pub axes: Vec<u8>,
    /// Whether caching saves the cost of an operation on values that change along these axes.
    pub counts: fn(u8) -> bool,
    /// Least [`cost`] of a part that is worth reading from memory instead.
    pub least: u32,
}

/// The bit of the x axis.
pub(super) const X: u8 = 1;

/// For each variable, a bit for each axis along which it changes from cell to cell. Variables after those of [`cell_names`] may change along
/// all axes.
pub(super) fn axes_of(variables: &[String], dimension: usize) -> Vec<u8> {
    let cell = cell_names(dimension).len();
    let axes = |(slot, name): (usize, &String)| match name.as_str() {
        _ if slot >= cell => u8::MAX,
        "x" | "x_lower" | "x_upper" => X,
        "y" | "y_lower" | "y_upper" => 2,
        "z" | "z_lower" | "z_upper" => 4,
        "r" => X | 2 | 4,
        _ => 0,
    };
    variables.iter().enumerate().map(axes).collect()
}

/// Expressions split into parts to cache and a rest.
#[derive(Clone, Debug)]
pub(super) struct Split {
    /// The largest parts that depend only on kept variables, without duplicates; in the variables of the whole.
    pub parts: Vec<Expression>,
    /// The expressions; their variables are those of the whole, then the values of the parts.
    pub rest: Vec<Expression>,
}

/// What an elementary function costs in a row of cells.
pub(super) const ELEMENTARY: u32 = 10;

/// Limit of costs: repeated squaring of a value doubles its cost each time.
const MOST: u32 = 1000;

/// Cost of an operation in a row of cells relative to a load: a division or a square root about 1, an elementary function 10.
fn cost(operation: &Operation) -> u32 {
    use Primitive::{
        Acos, Asin, Atan, Atan2, Cbrt, Cos, Cosh, Exp, ExpM1, Hypot, Log, Log1p, Modulo, Power, Sin, Sinh,
    };
    use Primitive::{Acosh, Asinh, Atanh, Tan, Tanh};
    let (Operation::Unary(primitive, ..) | Operation::Binary(primitive, ..)) = operation else { return 0 };
    match primitive {
        Primitive::Divide | Primitive::Sqrt => 1,
        Modulo | Power | Sin | Cos | Tan | Asin | Acos | Atan | Atan2 | Sinh | Cosh | Tanh | Exp | Log | Hypot => {
            ELEMENTARY
        }
        Asinh | Acosh | Atanh | ExpM1 | Log1p | Cbrt => ELEMENTARY,
        _ => 0,
    }
}

/// Where the split puts an instruction of the whole.
#[derive(Clone, Copy, PartialEq)]
enum Home {
    Rest,
    /// The part whose last instruction this is.
    Part(usize),
}

/// Properties of the value that an instruction computes.
#[derive(Clone, Copy)]
struct Value {
    kept: bool,
    /// The axes along which it changes.
    axes: u8,
    cost: u32,
    /// The instruction that reads it.
    reader: Option<usize>,
}

/// The values that a program's instructions compute, and for each operand that is a register the instruction that wrote it.
fn values(whole: &Expression, wanted: &Wanted) -> (Vec<Value>, Vec<[usize; 3]>) {
    let mut written = vec![0; whole.program.registers];
    let (mut values, mut writers): (Vec<Value>, Vec<[usize; 3]>) = (Vec::new(), Vec::new());
    for (i, instruction) in whole.program.instructions.iter().enumerate() {
        let mut value = Value { kept: true, axes: 0, cost: 0, reader: None };
        let mut wrote = [0; 3];
        for (operand, wrote) in instruction.operation.operands().zip(&mut wrote) {
            let (kept, axes, cost) = match operand {
                Operand::Number(_) => (true, 0, 0),
                // It changes from step to step.
                Operand::Parameter(_) => (false, 0, 0),
                Operand::Variable(slot) => (wanted.kept[slot], wanted.axes[slot], 0),
                Operand::Register(register) => {
                    *wrote = written[register];
                    let operand = &mut values[*wrote];
                    operand.reader = Some(i);
                    (operand.kept, operand.axes, operand.cost)
                }
            };
            (value.kept, value.axes, value.cost) =
                (value.kept && kept, value.axes | axes, (value.cost + cost).min(MOST));
        }
        value.cost += if (wanted.counts)(value.axes) { cost(&instruction.operation) } else { 0 };
        values.push(value);
        writers.push(wrote);
        written[instruction.target] = i;
    }
    (values, writers)
}

/// Where each instruction goes. A part ends with an instruction whose value is kept and whose reader's value is not.
fn homes(values: &[Value], least: u32) -> Vec<Home> {
    let mut homes = vec![Home::Rest; values.len()];
    for (i, value) in values.iter().enumerate().rev() {
        homes[i] = match value.reader.map(|reader| (reader, values[reader].kept)) {
            Some((reader, true)) => homes[reader],
            _ if value.kept && value.cost >= least => Home::Part(i),
            _ => Home::Rest,
        };
    }
    homes
}

/// Collects parts without duplicates.
struct Parts {
    graph: Formulas,
    variables: Vec<Node>,
    nodes: Vec<Node>,
    parts: Vec<Expression>,
}

impl Parts {
    /// The number of a part, new or known.
    fn number(&mut self, part: Expression) -> usize {
        let node = part.add_to(&mut self.graph, &self.variables);
        if let Some(number) = self.nodes.iter().position(|known| *known == node) {
            return number;
        }
        self.nodes.push(node);
        self.parts.push(part);
        self.parts.len() - 1
    }

    /// Splits the parts off an expression; returns the program of the rest, and its result.
    fn take_from(&mut self, whole: &Expression, wanted: &Wanted) -> (Assembler, Operand) {
        let (values, writers) = values(whole, wanted);
        let homes = homes(&values, wanted.least);
        let (mut rest, mut part) = (Assembler::default(), Assembler::default());
        // Where the reader of each instruction finds its value.
        let mut places: Vec<Operand> = Vec::new();
        for (i, instruction) in whole.program.instructions.iter().enumerate() {
            let mut writers = writers[i].iter();
            let operation = instruction.operation.with_operands(|operand| {
                let writer = writers.next().expect("three operands at most");
                if let Operand::Register(_) = operand { places[*writer] } else { operand }
            });
            places.push(match homes[i] {
                Home::Rest => rest.emit(operation),
                Home::Part(last) => {
                    let result = part.emit(operation);
                    if last == i {
                        let part = std::mem::take(&mut part).finish(result, whole.variables().to_vec());
                        Operand::Variable(whole.variables().len() + self.number(part))
                    } else {
                        result
                    }
                }
            });
        }
        let result = if let Operand::Register(_) = whole.result() { places.last().copied() } else { None };
        (rest, result.unwrap_or(whole.result()))
    }
}

impl Split {
    /// Splits expressions in the same variables.
    pub fn of(expressions: &[Expression], wanted: &Wanted) -> Split {
        let mut graph = Formulas::default();
        let variables = (0..wanted.kept.len()).map(|slot| graph.quantity(Quantity::Value(slot))).collect();
        let mut parts = Parts { graph, variables, nodes: Vec::new(), parts: Vec::new() };
        let rests: Vec<_> = expressions.iter().map(|whole| (whole, parts.take_from(whole, wanted))).collect();
        let names = || (0..parts.parts.len()).map(|number| format!("part {number}"));
        let finish = |(whole, (rest, result)): (&Expression, (Assembler, Operand))| {
            let rest = rest.finish(result, whole.variables().iter().cloned().chain(names()).collect());
            rest.of_parameters(whole.program.parameters.clone())
        };
        let rest = rests.into_iter().map(finish).collect();
        Split { parts: parts.parts, rest }
    }
}
