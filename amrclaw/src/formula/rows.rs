//! Expressions of cell positions, evaluated along a row of cells.

use super::graph::cell_quantities;
use super::program::Program;
use super::{Expression, Input};
use crate::physics::{CellRow, Formulas, NodeKind, Quantity, ReducedParameters};
use std::sync::Arc;

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

/// Expressions of a cell, whose variables begin with those of [`cell_names`].
#[derive(Clone, Debug)]
pub(super) struct Rows {
    pub expressions: Vec<Expression>,
    /// All of them, with what they have in common computed once.
    program: Program,
    /// Per variable of [`cell_names`], whether any expression depends on it.
    needed: Vec<bool>,
    num_variables: usize,
}

impl Rows {
    /// Expressions in `D` dimensions.
    pub fn new<const D: usize>(expressions: Vec<Expression>) -> Self {
        let needed = cell_names(D).iter().map(|name| expressions.iter().any(|e| e.depends_on(name))).collect();
        let program = Program::merged(&expressions);
        let num_variables = expressions.first().map_or(0, |first| first.variables().len());
        Rows { expressions, program, needed, num_variables }
    }

    /// The results of a graph in `D` dimensions. Their variables are those of [`cell_names`], `num_values` values of the cell, and how long a
    /// source acts.
    pub fn of_formulas<const D: usize>(
        formulas: &Formulas,
        num_values: usize,
        parameters: Option<Arc<ReducedParameters>>,
    ) -> Self {
        let cell = cell_quantities(D);
        let place = |quantity| cell.iter().position(|known| *known == quantity);
        let variable = |quantity| match quantity {
            Quantity::Value(k) => cell.len() + k,
            other => place(other).unwrap_or(cell.len() + num_values),
        };
        let mut needed = vec![false; cell.len()];
        for (_, kind) in formulas.nodes() {
            if let NodeKind::Quantity(quantity) = kind
                && let Some(slot) = place(quantity)
            {
                needed[slot] = true;
            }
        }
        let program = Program { parameters, ..Program::of_formulas(formulas, variable) };
        Rows { expressions: Vec::new(), program, needed, num_variables: cell.len() + num_values + 1 }
    }

    /// Fills `out[expression * row.len + cell]`. `further`: the values of the variables after [`cell_names`]; it may end early if no
    /// expression depends on the missing ones.
    pub fn evaluate<const D: usize>(&self, row: &CellRow<D>, further: &[Input<'_>], out: &mut [f64]) {
        if self.num_variables == 0 || row.len == 0 {
            return;
        }
        let slots = 0..self.needed.len();
        let cells = |slot: usize| if self.needed[slot] { along_row(slot, row) } else { Vec::new() };
        let rows: Vec<Vec<f64>> = slots.clone().map(cells).collect();
        let position = slots.map(|slot| match uniform(slot, row) {
            Some(value) => Input::Uniform(value),
            None => Input::Row(&rows[slot]),
        });
        let mut inputs: Vec<Input<'_>> = position.chain(further.iter().copied()).collect();
        inputs.resize(self.num_variables, Input::Uniform(0.0));
        self.program.eval_row(&inputs, row.len, out);
    }
}

/// The value of variable `slot` of [`cell_names`], if it is the same along the row.
fn uniform<const D: usize>(slot: usize, row: &CellRow<D>) -> Option<f64> {
    let (time, sides, sizes) = (D + 1, D + 2, D + 2 + 2 * D);
    if slot > 0 && slot < D {
        Some(row.geometry.centre_along(slot, row.first[slot]))
    } else if slot == time {
        Some(row.time)
    } else if (sides + 2..sizes).contains(&slot) {
        let axis = (slot - sides) / 2;
        Some(row.geometry.sides_along(axis, row.first[axis])[(slot - sides) % 2])
    } else if slot >= sizes {
        Some(row.geometry.dx[slot - sizes])
    } else {
        None
    }
}

/// The values of variable `slot` of [`cell_names`] in the row's cells; empty if they are all the same.
fn along_row<const D: usize>(slot: usize, row: &CellRow<D>) -> Vec<f64> {
    let (geometry, cells) = (&row.geometry, 0..row.len);
    let along = |i: usize| row.first[0] + i as i32;
    if uniform(slot, row).is_some() {
        Vec::new()
    } else if slot == 0 {
        cells.map(|i| geometry.centre_along(0, along(i))).collect()
    } else if slot == D {
        cells.map(|i| row.centre(i).iter().map(|x| x * x).sum::<f64>().sqrt()).collect()
    } else {
        let upper = slot - (D + 2);
        cells.map(|i| geometry.sides_along(0, along(i))[upper]).collect()
    }
}
