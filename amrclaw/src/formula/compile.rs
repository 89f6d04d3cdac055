//! Compiles a syntax tree to a flat program.

use super::function::{CONSTANTS, FUNCTIONS, Operator, Rule, function};
use super::program::{Operand, Operation, Program};
use super::syntax::{Node, NodeKind, Syntax};
use super::{ExpressionError, nearest};
use crate::physics::{Primitive, ReducedParameters};
use std::sync::Arc;

/// Names that an expression may use besides functions, `pi` and `e`.
#[derive(Clone, Debug, Default)]
pub struct Names {
    /// Variables, in the order in which the evaluation takes their values.
    pub variables: Vec<String>,
    /// Named numbers. A variable hides a constant of the same name; both hide `pi` and `e`.
    pub constants: Vec<(String, f64)>,
    /// Parameters that change from step to step, which hide constants.
    pub reduced: Option<Arc<ReducedParameters>>,
}

impl Names {
    /// Variables alone.
    pub fn variables<S: Into<String>>(names: impl IntoIterator<Item = S>) -> Self {
        Names { variables: names.into_iter().map(Into::into).collect(), ..Names::default() }
    }

    /// True if the name is a variable or a constant here; `pi` and `e` do not count.
    pub fn knows(&self, name: &str) -> bool {
        self.variables.iter().any(|v| v == name) || self.constants.iter().any(|(c, _)| c == name)
    }

    fn look_up(&self, name: &str) -> Option<Operand> {
        if let Some(slot) = self.variables.iter().position(|v| v == name) {
            return Some(Operand::Variable(slot));
        }
        let reduced = self.reduced.iter().flat_map(|reduced| reduced.names()).position(|parameter| parameter == name);
        if let Some(number) = reduced {
            return Some(Operand::Parameter(number));
        }
        let own = self.constants.iter().find(|(c, _)| c == name).map(|(_, value)| *value);
        let value = own.or_else(|| CONSTANTS.iter().find(|(c, _)| *c == name).map(|(_, value)| *value));
        value.map(Operand::Number)
    }

    /// Every name, for messages.
    fn all(&self) -> impl Iterator<Item = &str> {
        let constants = self.constants.iter().map(|(c, _)| c.as_str());
        self.variables.iter().map(String::as_str).chain(constants).chain(CONSTANTS.iter().map(|(c, _)| *c))
    }
}

/// A compiled expression.
#[derive(Clone, Debug)]
pub struct Expression {
    /// It has one result.
    pub(super) program: Program,
    variables: Vec<String>,
    used: Vec<bool>,
}

impl Expression {
    /// Parses and compiles `text`.
    ///
    /// # Errors
    /// The first mistake of form, or every name and call that is wrong.
    pub fn compile(text: &str, names: &Names) -> Result<Expression, Vec<ExpressionError>> {
        Syntax::parse(text).map_err(|e| vec![e])?.compile(names)
    }

    /// A constant, as an expression in the variables of `names`.
    pub fn number(value: f64, names: &Names) -> Expression {
        Expression {
            program: Program { results: vec![Operand::Number(value)], ..Program::default() },
            variables: names.variables.clone(),
            used: vec![false; names.variables.len()],
        }
    }

    /// The variables, in the order in which their values are to be given.
    pub fn variables(&self) -> &[String] {
        &self.variables
    }

    /// True if the value depends on the variable `name`.
    pub fn depends_on(&self, name: &str) -> bool {
        self.variables.iter().zip(&self.used).any(|(v, used)| *used && v == name)
    }

    /// The same expression of other values of parameters that change from step to step.
    pub fn of_parameters(mut self, parameters: Option<Arc<ReducedParameters>>) -> Expression {
        self.program.parameters = parameters;
        self
    }

    /// Where its value is after the last instruction.
    pub(super) fn result(&self) -> Operand {
        self.program.results[0]
    }

    /// The value, if it is the same everywhere.
    pub fn constant(&self) -> Option<f64> {
        match self.result() {
            Operand::Number(value) => Some(value),
            _ => None,
        }
    }
}

impl Syntax {
    /// Looks up the names and compiles the expression.
    ///
    /// # Errors
    /// Every unknown name, unknown function and wrong number of arguments.
    pub fn compile(&self, names: &Names) -> Result<Expression, Vec<ExpressionError>> {
        let mut compiler = Compiler { names, assembler: Assembler::default(), errors: Vec::new(), within: None };
        let result = compiler.node(&self.root);
        if !compiler.errors.is_empty() {
            return Err(compiler.errors);
        }
        Ok(compiler.assembler.finish(result, names.variables.clone()).of_parameters(names.reduced.clone()))
    }
}

/// Builds a program, operation by operation.
#[derive(Debug, Default)]
pub(super) struct Assembler {
    operations: Vec<Operation>,
}

impl Assembler {
    /// Adds an operation; returns where its value is, for those that follow.
    pub fn emit(&mut self, operation: Operation) -> Operand {
        self.operations.push(operation);
        Operand::Register(self.operations.len() - 1)
    }

    /// The program with its result, as an expression in `variables`.
    pub fn finish(self, result: Operand, variables: Vec<String>) -> Expression {
        let mut used = vec![false; variables.len()];
        for operand in self.operations.iter().flat_map(Operation::operands).chain([result]) {
            if let Operand::Variable(slot) = operand {
                used[slot] = true;
            }
        }
        Expression { program: Program::of(self.operations, vec![result]), variables, used }
    }
}

/// Emits the instructions of a tree, and looks up names and functions.
struct Compiler<'a> {
    names: &'a Names,
    assembler: Assembler,
    errors: Vec<ExpressionError>,
    /// The defined name whose formula is being compiled.
    within: Option<String>,
}

impl Compiler<'_> {
    fn node(&mut self, node: &Node) -> Operand {
        match &node.kind {
            NodeKind::Number(value) => Operand::Number(*value),
            NodeKind::Name(name) => self.names.look_up(name).unwrap_or_else(|| {
                self.unknown_name(name, node);
                Operand::Number(f64::NAN)
            }),
            NodeKind::Group(inner) => self.node(inner),
            NodeKind::Defined(name, inner) => {
                let outer = self.within.replace(name.clone());
                let value = self.node(inner);
                self.within = outer;
                value
            }
            NodeKind::Negate(a) => {
                let a = self.node(a);
                self.apply(Primitive::Multiply, &[Operand::Number(-1.0), a])
            }
            NodeKind::Not(a) => {
                let a = self.node(a);
                self.apply(Primitive::Not, &[a])
            }
            NodeKind::Binary(operator, a, b) => match (*operator, self.node(a), self.node(b)) {
                (Operator::Power, a, Operand::Number(2.0)) => self.apply(Primitive::Multiply, &[a, a]),
                (_, a, b) => self.apply(operator.primitive(), &[a, b]),
            },
            NodeKind::Call(name, arguments) => self.call(name, arguments, node),
        }
    }

    fn call(&mut self, name: &str, arguments: &[Node], node: &Node) -> Operand {
        let values: Vec<Operand> = arguments.iter().map(|a| self.node(a)).collect();
        let name_span =
            if self.within.is_some() { node.span.clone() } else { node.span.start..node.span.start + name.len() };
        let Some(function) = function(name) else {
            let (message, help) = if self.names.look_up(name).is_some() {
                (format!("`{name}` is a value, not a function"), "write `*` before the parenthesis to multiply".into())
            } else {
                (format!("unknown function `{name}`"), instead_of(name))
            };
            self.note(ExpressionError::new(name_span, message, help));
            return Operand::Number(f64::NAN);
        };
        let primitive = match function.rule {
            Rule::Select => Primitive::Select,
            _ => Primitive::named(name).expect("every other function is a primitive"),
        };
        match (function.rule, values.as_slice()) {
            (Rule::Fold(_), &[first, ref rest @ ..]) if !rest.is_empty() => {
                rest.iter().fold(first, |a, &b| self.apply(primitive, &[a, b]))
            }
            (_, operands) if operands.len() == primitive.arity() => self.apply(primitive, operands),
            _ => {
                let count = arguments.len();
                let plural = if count == 1 { "" } else { "s" };
                let message = format!("`{name}` cannot take {count} argument{plural}");
                let help = format!("write `{}`", function.usage);
                self.note(ExpressionError::new(node.span.clone(), message, help));
                Operand::Number(f64::NAN)
            }
        }
    }

    fn unknown_name(&mut self, name: &str, node: &Node) {
        let help = suggestion(name, self.names.all(), "names");
        let error = ExpressionError::new(node.span.clone(), format!("unknown name `{name}`"), help);
        self.note(ExpressionError { is_unknown_name: true, ..error });
    }

    fn note(&mut self, error: ExpressionError) {
        let message = match &self.within {
            Some(name) => format!("`{name}` cannot be used here: {}", error.message),
            None => error.message,
        };
        self.errors.push(ExpressionError { message, ..error });
    }

    /// Adds an operation. Constants are folded, by the same functions as in a row.
    fn apply(&mut self, primitive: Primitive, operands: &[Operand]) -> Operand {
        let operand = |k: usize| operands.get(k).copied().unwrap_or(operands[0]);
        let operation = Operation::of(primitive, [operand(0), operand(1), operand(2)]);
        operation.constant().map_or_else(|| self.assembler.emit(operation), Operand::Number)
    }
}

/// Functions of other languages, and what to write here instead.
const HABITS: &[(&str, &str)] = &[
    ("pow", "write `a ^ b`"),
    ("power", "write `a ^ b`"),
    ("ln", "write `log(a)`, the natural logarithm"),
    ("log10", "write `log(a) / log(10)`: `log(a)` is the natural logarithm"),
    ("log2", "write `log(a) / log(2)`: `log(a)` is the natural logarithm"),
    ("fmod", "write `mod(a, b)`, which has the sign of b, or `sign(a) * mod(abs(a), abs(b))`, which has that of a"),
    ("fabs", "write `abs(a)`"),
    ("ln_1p", "write `log1p(a)`"),
    ("exp_m1", "write `expm1(a)`"),
    ("round", "write `floor(a + 0.5)`"),
    ("where", "write `if(condition, value where true, value elsewhere)`"),
];

/// Help for an unknown function.
fn instead_of(name: &str) -> String {
    match HABITS.iter().find(|(habit, _)| *habit == name) {
        Some((_, help)) => (*help).to_owned(),
        None => suggestion(name, FUNCTIONS.iter().map(|f| f.name), "functions"),
    }
}

/// `did you mean ...?`, or the list of known words.
fn suggestion<'a>(word: &str, known: impl Iterator<Item = &'a str>, what: &str) -> String {
    let known: Vec<&str> = known.collect();
    match nearest(word, known.iter().copied()) {
        Some(near) => format!("did you mean `{near}`?"),
        None => format!("the {what} known here are {}", known.join(", ")),
    }
}
