//! Expressions of position and time, evaluated in rows of cells.

use super::graph::cell_quantities;
use super::{Expression, ExpressionError, Input, Names};
use crate::physics::{CellFunction, CellRow, Formulas, Node, Portable, Quantity, StateFunction};

/// Names that every expression of position may use, in `dimension` dimensions.
///
/// In this order: centre `x`, `y`, `z`; distance `r` from the origin; time `t`; sides `x_lower`, `x_upper`, … of the
/// cell; cell size `dx`, `dy`, `dz`.
pub fn cell_names(dimension: usize) -> Vec<String> {
    let axes = &["x", "y", "z"][..dimension];
    let mut names: Vec<String> = axes.iter().map(|a| a.to_string()).collect();
    names.extend(["r".to_string(), "t".to_string()]);
    for a in axes {
        names.extend([format!("{a}_lower"), format!("{a}_upper")]);
    }
    names.extend(axes.iter().map(|a| format!("d{a}")));
    names
}

/// Several expressions of position, time and further values per cell.
///
/// Their variables are [`cell_names`], then the further values.
#[derive(Clone, Debug)]
pub struct RowExpressions<const D: usize> {
    expressions: Vec<Expression>,
    /// Per variable of [`cell_names`], whether any expression depends on it.
    needed: Vec<bool>,
}

impl<const D: usize> RowExpressions<D> {
    /// `expressions` must all have been compiled for the same variables, which begin with [`cell_names`].
    pub fn new(expressions: Vec<Expression>) -> Self {
        let names = cell_names(D);
        for expression in &expressions {
            assert!(expression.variables().starts_with(&names), "variables must begin with those of a cell");
        }
        let needed = names.iter().map(|name| expressions.iter().any(|e| e.depends_on(name))).collect();
        RowExpressions { expressions, needed }
    }

    /// Number of expressions.
    pub fn len(&self) -> usize {
        self.expressions.len()
    }

    /// True if there is no expression.
    pub fn is_empty(&self) -> bool {
        self.expressions.is_empty()
    }

    /// True if any expression depends on the variable `name`.
    pub fn depends_on(&self, name: &str) -> bool {
        self.expressions.iter().any(|e| e.depends_on(name))
    }

    /// Adds the expressions to a graph; answers the nodes of their values. `further`: those of the variables after [`cell_names`].
    fn add_to(&self, formulas: &mut Formulas, further: &[Node]) -> Vec<Node> {
        let place = cell_quantities(D).into_iter().map(|quantity| formulas.quantity(quantity));
        let variables: Vec<Node> = place.chain(further.iter().copied()).collect();
        self.expressions.iter().map(|expression| expression.add_to(formulas, &variables)).collect()
    }

    /// Fills `out[expression * row.len + cell]`. `further`: a row of values for each variable after [`cell_names`].
    pub fn evaluate(&self, row: &CellRow<D>, further: &[&[f64]], out: &mut [f64]) {
        if row.len == 0 {
            return;
        }
        let slots = 0..self.needed.len();
        let cells = |slot: usize| if self.needed[slot] { along_row(slot, row) } else { Vec::new() };
        let rows: Vec<Vec<f64>> = slots.clone().map(cells).collect();
        let position = slots.map(|slot| match uniform(slot, row) {
            Some(value) => Input::Uniform(value),
            None => Input::Row(&rows[slot]),
        });
        let inputs: Vec<Input<'_>> = position.chain(further.iter().map(|values| Input::Row(values))).collect();
        for (expression, out) in self.expressions.iter().zip(out.chunks_mut(row.len)) {
            expression.eval_row(&inputs, out);
        }
    }
}

/// The value of variable `slot` of [`cell_names`], if it is the same along the row.
fn uniform<const D: usize>(slot: usize, row: &CellRow<D>) -> Option<f64> {
    let (time, sides, sizes) = (D + 1, D + 2, D + 2 + 2 * D);
    if slot > 0 && slot < D {
        Some(row.lower[slot] + 0.5 * row.dx[slot])
    } else if slot == time {
        Some(row.time)
    } else if (sides + 2..sizes).contains(&slot) {
        let axis = (slot - sides) / 2;
        Some(if (slot - sides).is_multiple_of(2) { row.lower[axis] } else { row.lower[axis] + row.dx[axis] })
    } else if slot >= sizes {
        Some(row.dx[slot - sizes])
    } else {
        None
    }
}

/// The values of variable `slot` of [`cell_names`] in the row's cells; empty if they are all the same.
fn along_row<const D: usize>(slot: usize, row: &CellRow<D>) -> Vec<f64> {
    let edge = |i: usize| row.lower[0] + i as f64 * row.dx[0];
    let cells = 0..row.len;
    if uniform(slot, row).is_some() {
        Vec::new()
    } else if slot == 0 {
        cells.map(|i| row.centre(i)[0]).collect()
    } else if slot == D {
        cells.map(|i| row.centre(i).iter().map(|x| x * x).sum::<f64>().sqrt()).collect()
    } else {
        let upper = slot - (D + 2);
        cells.map(|i| edge(i + upper)).collect()
    }
}

/// Values per cell from expressions: initial data, auxiliary values.
#[derive(Clone, Debug)]
pub struct ExpressionCells<const D: usize> {
    /// Values that the outputs may use by name.
    definitions: RowExpressions<D>,
    outputs: RowExpressions<D>,
    needs_definitions: bool,
}

impl<const D: usize> ExpressionCells<D> {
    /// One value per expression; their variables are [`cell_names`].
    pub fn new(expressions: Vec<Expression>) -> Self {
        Self::with_definitions(Vec::new(), expressions)
    }

    /// Expressions whose variables are [`cell_names`], then the values of `definitions`.
    pub fn with_definitions(definitions: Vec<Expression>, expressions: Vec<Expression>) -> Self {
        let cell = cell_names(D).len();
        let needs_definitions = expressions.iter().any(|e| e.variables()[cell..].iter().any(|name| e.depends_on(name)));
        ExpressionCells {
            definitions: RowExpressions::new(definitions),
            outputs: RowExpressions::new(expressions),
            needs_definitions,
        }
    }

    /// Compiles one expression per value.
    ///
    /// # Errors
    /// Everything that is wrong, with the number of the expression it is wrong in.
    pub fn compile(texts: &[&str]) -> Result<Self, Vec<(usize, ExpressionError)>> {
        let names = Names::variables(cell_names(D));
        let (mut expressions, mut errors) = (Vec::new(), Vec::new());
        for (number, text) in texts.iter().enumerate() {
            match Expression::compile(text, &names) {
                Ok(expression) => expressions.push(expression),
                Err(wrong) => errors.extend(wrong.into_iter().map(|e| (number, e))),
            }
        }
        if errors.is_empty() { Ok(Self::new(expressions)) } else { Err(errors) }
    }
}

impl<const D: usize> CellFunction<D> for ExpressionCells<D> {
    fn num_values(&self) -> usize {
        self.outputs.len()
    }

    fn depends_on_time(&self) -> bool {
        self.outputs.depends_on("t") || (self.needs_definitions && self.definitions.depends_on("t"))
    }

    fn fill_row(&self, row: &CellRow<D>, out: &mut [f64]) {
        let mut values = vec![0.0; self.definitions.len() * row.len];
        if self.needs_definitions {
            self.definitions.evaluate(row, &[], &mut values);
        }
        let further: Vec<&[f64]> = values.chunks(row.len.max(1)).collect();
        self.outputs.evaluate(row, &further, out);
    }

    fn portable(&self) -> Option<Portable> {
        let mut formulas = Formulas::default();
        let further = self.definitions.add_to(&mut formulas, &[]);
        self.outputs.add_to(&mut formulas, &further).into_iter().for_each(|value| formulas.give(value));
        Some(Portable::Formulas(formulas))
    }
}

/// Most values of a cell besides those of position and time.
const MAX_FURTHER: usize = 64;

impl<const D: usize> StateFunction<D> for RowExpressions<D> {
    fn num_values(&self) -> usize {
        self.len()
    }

    fn fill_row(&self, row: &CellRow<D>, state: &[f64], aux: &[f64], out: &mut [f64]) {
        let mut further: [&[f64]; MAX_FURTHER] = [&[]; MAX_FURTHER];
        let values = state.chunks_exact(row.len).chain(aux.chunks_exact(row.len));
        let count = (state.len() + aux.len()) / row.len;
        further.iter_mut().zip(values).for_each(|(place, values)| *place = values);
        self.evaluate(row, &further[..count], out);
    }

    fn portable(&self) -> Option<Portable> {
        let cell = cell_names(D).len();
        let count = self.expressions.first().map_or(0, |expression| expression.variables().len() - cell);
        let mut formulas = Formulas::default();
        let further: Vec<Node> = (0..count).map(|k| formulas.quantity(Quantity::Value(k))).collect();
        self.add_to(&mut formulas, &further).into_iter().for_each(|value| formulas.give(value));
        Some(Portable::Formulas(formulas))
    }
}
