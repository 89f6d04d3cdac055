//! Expressions of position and time, evaluated in rows of cells.

use super::graph::cell_quantities;
use super::motion::span_of;
use super::row_split::RowSplit;
use super::rows::{Rows, cell_names};
use super::steps::Steps;
use super::{Expression, ExpressionError, Input, Names};
use crate::physics::{CachedCellFunction, CellFunction, CellRow, DeviceForm, Formulas, Node, Quantity, StateFunction};
use std::sync::Arc;

/// Several expressions of position, time and further values per cell.
///
/// Their variables are [`cell_names`], then the further values.
#[derive(Clone, Debug)]
pub struct RowExpressions<const D: usize> {
    whole: Rows,
    /// The same expressions with cached parts, if that gains anything.
    split: Option<Arc<RowSplit>>,
}

impl<const D: usize> RowExpressions<D> {
    /// `expressions` must all have been compiled for the same variables, which begin with [`cell_names`].
    pub fn new(expressions: Vec<Expression>) -> Self {
        let names = cell_names(D);
        for expression in &expressions {
            assert!(expression.variables().starts_with(&names), "variables must begin with those of a cell");
        }
        let split = RowSplit::of::<D>(&expressions).map(Arc::new);
        RowExpressions { whole: Rows::new::<D>(expressions), split }
    }

    /// The expressions of several, one after another.
    pub fn joined<'a>(all: impl Iterator<Item = &'a Self>) -> Self {
        Self::new(all.flat_map(|these| these.whole.expressions.iter().cloned()).collect())
    }

    /// Number of expressions.
    pub fn len(&self) -> usize {
        self.whole.expressions.len()
    }

    /// True if there is no expression.
    pub fn is_empty(&self) -> bool {
        self.whole.expressions.is_empty()
    }

    /// True if any expression depends on the variable `name`.
    pub fn depends_on(&self, name: &str) -> bool {
        self.whole.expressions.iter().any(|e| e.depends_on(name))
    }

    /// Their variables.
    pub fn variables(&self) -> &[String] {
        self.whole.expressions.first().map_or(&[], Expression::variables)
    }

    /// Number of variables after [`cell_names`].
    pub(super) fn num_further(&self) -> usize {
        let first = self.whole.expressions.first();
        first.map_or(0, |expression| expression.variables().len() - cell_names(D).len())
    }

    /// The expressions as a graph, in which the variables after [`cell_names`] are the cell's values.
    pub fn formulas(&self) -> Formulas {
        let mut formulas = Formulas::default();
        let further: Vec<Node> = (0..self.num_further()).map(|k| formulas.quantity(Quantity::Value(k))).collect();
        self.add_to(&mut formulas, &further).into_iter().for_each(|value| formulas.give(value));
        formulas
    }

    /// Adds the expressions to a graph; returns the nodes of their values. `further`: nodes of the variables after [`cell_names`].
    fn add_to(&self, formulas: &mut Formulas, further: &[Node]) -> Vec<Node> {
        let place = cell_quantities(D).into_iter().map(|quantity| formulas.quantity(quantity));
        let variables: Vec<Node> = place.chain(further.iter().copied()).collect();
        self.whole.expressions.iter().map(|expression| expression.add_to(formulas, &variables)).collect()
    }

    /// Fills `out[expression * row.len + cell]`. `further`: a row of values for each variable after [`cell_names`].
    pub fn evaluate(&self, row: &CellRow<D>, further: &[&[f64]], out: &mut [f64]) {
        self.evaluate_inputs(row, &further.iter().map(|values| Input::Row(values)).collect::<Vec<_>>(), out);
    }

    /// As [`RowExpressions::evaluate`], with further values that may be uniform along the row.
    pub(super) fn evaluate_inputs(&self, row: &CellRow<D>, further: &[Input<'_>], out: &mut [f64]) {
        match &self.split {
            // Single cells are evaluated at changing positions, where a cache gains nothing.
            Some(split) if row.len > 1 => split.evaluate(row, further, out),
            _ => self.whole.evaluate(row, further, out),
        }
    }
}

/// Values of cells that expressions may use by name: numbers from files, heights of ground. One value each.
pub type Given<const D: usize> = Arc<dyn CellFunction<D>>;

/// Those of the given values that expressions use, whose variables from `first` on they are.
pub(super) fn used<const D: usize>(
    given: Vec<Given<D>>,
    first: usize,
    expressions: &[&[Expression]],
) -> Vec<Option<Given<D>>> {
    let is_used = |k: usize| expressions.iter().copied().flatten().any(|e| e.depends_on(&e.variables()[first + k]));
    given.into_iter().enumerate().map(|(k, given)| is_used(k).then_some(given)).collect()
}

/// Fills a row of each given value that is used, one after another.
pub(super) fn fill_used<const D: usize>(given: &[Option<Given<D>>], row: &CellRow<D>, out: &mut [f64]) {
    for (given, out) in given.iter().zip(out.chunks_mut(row.len.max(1))) {
        if let Some(given) = given {
            given.fill_row(row, out);
        }
    }
}

/// Values per cell from expressions: initial data, auxiliary values.
#[derive(Clone)]
pub struct ExpressionCells<const D: usize> {
    /// Values that all expressions may use; `None` for those that none uses.
    given: Vec<Option<Given<D>>>,
    /// Values that the outputs may use by name.
    definitions: RowExpressions<D>,
    outputs: RowExpressions<D>,
    needs_definitions: bool,
    /// The outputs in two steps, if they change with time and this gains anything.
    steps: Option<Steps<D>>,
}

impl<const D: usize> ExpressionCells<D> {
    /// One value per expression; their variables are [`cell_names`].
    pub fn new(expressions: Vec<Expression>) -> Self {
        Self::with_definitions(Vec::new(), Vec::new(), expressions)
    }

    /// Expressions whose variables are [`cell_names`], then `given` values, then those of `definitions`, which may use the given ones too.
    pub fn with_definitions(given: Vec<Given<D>>, definitions: Vec<Expression>, expressions: Vec<Expression>) -> Self {
        let cell = cell_names(D).len();
        let needs_definitions = expressions.iter().any(|e| e.variables()[cell..].iter().any(|name| e.depends_on(name)));
        let given = used(given, cell, &[&expressions, if needs_definitions { &definitions } else { &[] }]);
        let of_formulas = definitions.is_empty() && given.iter().all(Option::is_none);
        let in_time = of_formulas && expressions.iter().any(|e| e.depends_on("t"));
        ExpressionCells {
            given,
            steps: if in_time { Steps::of(&expressions) } else { None },
            definitions: RowExpressions::new(definitions),
            outputs: RowExpressions::new(expressions),
            needs_definitions,
        }
    }

    /// Compiles one expression per value.
    ///
    /// # Errors
    /// All mistakes, each with the number of its expression.
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
        self.given.iter().flatten().any(|given| given.depends_on_time())
            || self.outputs.depends_on("t")
            || (self.needs_definitions && self.definitions.depends_on("t"))
    }

    fn changes_within(&self) -> [f64; 2] {
        let of_formulas = self.outputs.depends_on("t") || (self.needs_definitions && self.definitions.depends_on("t"));
        if of_formulas {
            return [f64::NEG_INFINITY, f64::INFINITY];
        }
        let moving = self.given.iter().flatten().filter(|given| given.depends_on_time());
        span_of(moving.map(|given| given.changes_within()))
    }

    /// Given values are not computed again without need.
    fn depends_on_cell_alone(&self) -> bool {
        self.given.iter().any(Option::is_some)
    }

    fn fill_row(&self, row: &CellRow<D>, out: &mut [f64]) {
        let len = row.len.max(1);
        let mut values = vec![0.0; (self.given.len() + self.definitions.len()) * row.len];
        let (given, defined) = values.split_at_mut(self.given.len() * row.len);
        fill_used(&self.given, row, given);
        if self.needs_definitions {
            self.definitions.evaluate(row, &given.chunks(len).collect::<Vec<_>>(), defined);
        }
        let further: Vec<&[f64]> = values.chunks(len).collect();
        self.outputs.evaluate(row, &further, out);
    }

    fn in_steps(&self) -> Option<&dyn CachedCellFunction<D>> {
        let in_parts = self.given.iter().flatten().any(|given| given.in_steps().is_some()) && !self.needs_definitions;
        self.steps.as_ref().map(|steps| steps as _).or(in_parts.then_some(self as _))
    }

    fn device_form(&self) -> Option<DeviceForm> {
        // Given values are the host's.
        if self.given.iter().any(Option::is_some) {
            return None;
        }
        let mut formulas = Formulas::default();
        let unused: Vec<Node> = self.given.iter().map(|_| formulas.number(0.0)).collect();
        let further = [&unused[..], &self.definitions.add_to(&mut formulas, &unused)].concat();
        self.outputs.add_to(&mut formulas, &further).into_iter().for_each(|value| formulas.give(value));
        Some(DeviceForm::Formulas(formulas))
    }
}

/// Kept are the given values that stay, and what others keep.
impl<const D: usize> CachedCellFunction<D> for ExpressionCells<D> {
    fn cache_len(&self, cells: usize) -> usize {
        self.given.iter().flatten().map(|given| given.in_steps().map_or(cells, |steps| steps.cache_len(cells))).sum()
    }

    fn fill_kept(&self, row: &CellRow<D>, mut kept: &mut [f64]) {
        for given in self.given.iter().flatten() {
            let len = given.in_steps().map_or(row.len, |steps| steps.cache_len(row.len));
            let own = kept.split_off_mut(..len).expect("as long as asked for");
            match given.in_steps() {
                Some(steps) => steps.fill_kept(row, own),
                None => given.fill_row(row, own),
            }
        }
    }

    fn fill_row_from(&self, row: &CellRow<D>, mut kept: &[f64], _values: [&[f64]; 2], out: &mut [f64]) {
        let len = row.len.max(1);
        let mut values = vec![0.0; self.given.len() * row.len];
        for (given, out) in self.given.iter().zip(values.chunks_mut(len)) {
            let Some(given) = given else { continue };
            let steps = given.in_steps();
            let own =
                kept.split_off(..steps.map_or(row.len, |steps| steps.cache_len(row.len))).expect("as long as asked");
            match steps {
                Some(steps) => steps.fill_row_from(row, own, [&[], &[]], out),
                None if given.depends_on_time() => given.fill_row(row, out),
                None => out.copy_from_slice(own),
            }
        }
        self.outputs.evaluate(row, &values.chunks(len).collect::<Vec<_>>(), out);
    }
}

/// Most values of a cell besides those of position and time.
const MAX_FURTHER: usize = 64;

impl<const D: usize> StateFunction<D> for RowExpressions<D> {
    fn num_values(&self) -> usize {
        self.len()
    }

    fn depends_on_time(&self) -> bool {
        self.depends_on("t")
    }

    fn fill_row(&self, row: &CellRow<D>, state: &[f64], aux: &[f64], out: &mut [f64]) {
        let mut further: [&[f64]; MAX_FURTHER] = [&[]; MAX_FURTHER];
        let values = state.chunks_exact(row.len).chain(aux.chunks_exact(row.len));
        let count = (state.len() + aux.len()) / row.len;
        further.iter_mut().zip(values).for_each(|(place, values)| *place = values);
        self.evaluate(row, &further[..count], out);
    }

    fn device_form(&self) -> Option<DeviceForm> {
        Some(DeviceForm::Formulas(self.formulas()))
    }
}
