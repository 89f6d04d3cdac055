//! Runs compiled expressions over rows of cells.

use super::Expression;
use super::function::{Mapping, Pairing};
use super::program::{Operand, Operation, Program};
use std::cell::Cell;

/// Cells evaluated together: a register has 2 KiB, so that several fit in the first-level cache.
const BLOCK: usize = 256;

/// The values of a variable along a row.
#[derive(Clone, Copy, Debug)]
pub enum Input<'a> {
    /// One value for the whole row.
    Uniform(f64),
    /// A value per cell.
    Row(&'a [f64]),
}

/// A value per cell of a block, or one for all of them.
#[derive(Debug)]
struct Register {
    uniform: Option<f64>,
    cells: Vec<f64>,
}

thread_local! {
    /// Reused from one evaluation to the next.
    static REGISTERS: Cell<Vec<Register>> = const { Cell::new(Vec::new()) };
}

/// An operand's values in the current block.
#[derive(Clone, Copy)]
enum Values<'a> {
    Uniform(f64),
    Cells(&'a [f64]),
}

impl Values<'_> {
    #[inline(always)]
    fn at(&self, i: usize) -> f64 {
        match self {
            Values::Uniform(value) => *value,
            Values::Cells(cells) => cells[i],
        }
    }
}

impl Expression {
    /// Fills `out` with a value per cell. `inputs`: one per variable, in the order of [`Expression::variables`];
    /// those that the expression does not depend on may hold anything.
    pub fn eval_row(&self, inputs: &[Input<'_>], out: &mut [f64]) {
        assert_eq!(inputs.len(), self.variables().len(), "one input per variable");
        self.program.eval_row(inputs, out.len(), out);
    }

    /// The value at one point. `values`: one per variable.
    pub fn eval(&self, values: &[f64]) -> f64 {
        let inputs: Vec<Input<'_>> = values.iter().map(|&v| Input::Uniform(v)).collect();
        let mut out = [0.0];
        self.eval_row(&inputs, &mut out);
        out[0]
    }
}

impl Program {
    /// Fills `out[result * len + cell]` in a row of `len` cells. `inputs`: one per variable.
    pub(super) fn eval_row(&self, inputs: &[Input<'_>], len: usize, out: &mut [f64]) {
        let parameters: Vec<f64> = self.parameters.iter().flat_map(|parameters| parameters.values()).collect();
        let inputs = (inputs, &*parameters);
        let mut registers = REGISTERS.take();
        while registers.len() < self.registers {
            registers.push(Register { uniform: None, cells: vec![0.0; BLOCK] });
        }
        for start in (0..len).step_by(BLOCK) {
            let cells = BLOCK.min(len - start);
            self.run(inputs, (start, cells), &mut registers);
            for (result, out) in self.results.iter().zip(out.chunks_mut(len)) {
                let out = &mut out[start..start + cells];
                match values(*result, inputs, &registers, start, cells) {
                    Values::Uniform(value) => out.fill(value),
                    Values::Cells(row) => out.copy_from_slice(row),
                }
            }
        }
        REGISTERS.set(registers);
    }

    /// Runs the instructions for the row's cells `start .. start + cells`.
    fn run(&self, inputs: (&[Input<'_>], &[f64]), (start, cells): (usize, usize), registers: &mut [Register]) {
        for instruction in &self.instructions {
            let mut target = std::mem::take(&mut registers[instruction.target].cells);
            let uniform = {
                let values = |operand| values(operand, inputs, registers, start, cells);
                match instruction.operation {
                    Operation::Unary(_, f, a) => unary(f, values(a), &mut target[..cells]),
                    Operation::Binary(_, pairing, a, b) => pair(pairing, values(a), values(b), &mut target[..cells]),
                    Operation::Select(c, a, b) => select(values(c), values(a), values(b), &mut target[..cells]),
                }
            };
            registers[instruction.target] = Register { uniform, cells: target };
        }
    }
}

fn values<'a>(
    operand: Operand,
    (inputs, parameters): (&[Input<'a>], &[f64]),
    registers: &'a [Register],
    start: usize,
    cells: usize,
) -> Values<'a> {
    match operand {
        Operand::Number(value) => Values::Uniform(value),
        Operand::Parameter(number) => Values::Uniform(parameters[number]),
        Operand::Variable(slot) => match inputs[slot] {
            Input::Uniform(value) => Values::Uniform(value),
            Input::Row(row) => Values::Cells(&row[start..start + cells]),
        },
        Operand::Register(r) => match registers[r].uniform {
            Some(value) => Values::Uniform(value),
            None => Values::Cells(&registers[r].cells[..cells]),
        },
    }
}

/// Fills `target`, or returns the one value where the operand is uniform.
fn unary(f: Mapping, a: Values<'_>, target: &mut [f64]) -> Option<f64> {
    match a {
        Values::Uniform(a) => return Some(f.apply(a)),
        Values::Cells(a) => f.fill(a, target),
    }
    None
}

/// As [`unary`], one loop for each kind of arithmetic.
fn pair(pairing: Pairing, a: Values<'_>, b: Values<'_>, target: &mut [f64]) -> Option<f64> {
    match pairing {
        Pairing::Add => binary(|a, b| a + b, a, b, target),
        Pairing::Subtract => binary(|a, b| a - b, a, b, target),
        Pairing::Multiply => binary(|a, b| a * b, a, b, target),
        Pairing::Divide => binary(|a, b| a / b, a, b, target),
        Pairing::Function(f) => binary(f, a, b, target),
        Pairing::Power | Pairing::Elementary(_) => {
            let mut uniform = [0.0; BLOCK];
            let (a, b) = match (a, b) {
                (Values::Uniform(a), Values::Uniform(b)) => return Some(pairing.apply(a, b)),
                (Values::Cells(a), Values::Cells(b)) => (a, b),
                (Values::Cells(a), Values::Uniform(b)) => (a, filled(&mut uniform[..a.len()], b)),
                (Values::Uniform(a), Values::Cells(b)) => (filled(&mut uniform[..b.len()], a), b),
            };
            pairing.fill(a, b, target);
            None
        }
    }
}

/// A row of one value.
fn filled(row: &mut [f64], value: f64) -> &[f64] {
    row.fill(value);
    row
}

#[inline(always)]
fn binary(f: impl Fn(f64, f64) -> f64, a: Values<'_>, b: Values<'_>, target: &mut [f64]) -> Option<f64> {
    match (a, b) {
        (Values::Uniform(a), Values::Uniform(b)) => return Some(f(a, b)),
        (Values::Cells(a), Values::Uniform(b)) => {
            for (t, &a) in target.iter_mut().zip(a) {
                *t = f(a, b);
            }
        }
        (Values::Uniform(a), Values::Cells(b)) => {
            for (t, &b) in target.iter_mut().zip(b) {
                *t = f(a, b);
            }
        }
        (Values::Cells(a), Values::Cells(b)) => {
            for ((t, &a), &b) in target.iter_mut().zip(a).zip(b) {
                *t = f(a, b);
            }
        }
    }
    None
}

fn select(condition: Values<'_>, yes: Values<'_>, no: Values<'_>, target: &mut [f64]) -> Option<f64> {
    if let (Values::Uniform(c), Values::Uniform(a), Values::Uniform(b)) = (condition, yes, no) {
        return Some(if c != 0.0 { a } else { b });
    }
    for (i, t) in target.iter_mut().enumerate() {
        *t = if condition.at(i) != 0.0 { yes.at(i) } else { no.at(i) };
    }
    None
}
