//! Expressions that are evaluated again at other times or for other states, in two steps: the parts that depend on position only, whose
//! values are kept, and the rest.

use super::split::{ELEMENTARY, Split, Wanted, X, axes_of};
use super::{Expression, Input, RowExpressions, cell_names};
use crate::physics::{CachedCellFunction, CellRow};

/// Most numbers per cell kept for each expression; if there are more, the cheaper ones are not kept.
const MAX_OF_CELLS: usize = 4;

/// Expressions of position, time and further values of a cell, in two steps.
///
/// Kept per row: parts that have one value in it. Kept per cell: parts with an elementary function of several coordinates. Except in one
/// dimension, parts that depend on x only are left to [`RowExpressions`].
#[derive(Clone, Debug)]
pub(super) struct Steps<const D: usize> {
    of_rows: RowExpressions<D>,
    /// Their further variables are those of the whole, then the values of `of_rows`.
    of_cells: RowExpressions<D>,
    /// Their further variables are those of the whole, then the values of `of_rows`, then of `of_cells`.
    rest: RowExpressions<D>,
    /// Number of further variables of the whole.
    num_further: usize,
}

impl<const D: usize> Steps<D> {
    /// Splits off the parts worth keeping; `None` if there are none. The variables begin with those of [`cell_names`].
    pub fn of(expressions: &[Expression]) -> Option<Self> {
        let variables = expressions.first()?.variables();
        let (axes, cell) = (axes_of(variables, D), cell_names(D).len());
        let changes = |slot: usize| slot == D + 1 || (cell..variables.len()).contains(&slot);
        let kept = axes.iter().enumerate().map(|(slot, axes)| axes & X == 0 && !changes(slot)).collect();
        let of_rows = Wanted { kept, axes: axes.clone(), counts: |axes| axes != 0, least: ELEMENTARY };
        let of_rows = Split::of(expressions, &of_rows);

        let axes: Vec<u8> = axes.into_iter().chain(of_rows.parts.iter().map(|_| !X)).collect();
        let kept = (0..axes.len()).map(|slot| !changes(slot)).collect();
        let counts = if D == 1 { |axes| axes & X != 0 } else { |axes| axes & X != 0 && axes != X };
        let mut wanted = Wanted { kept, axes, counts, least: ELEMENTARY };
        let mut of_cells = Split::of(&of_rows.rest, &wanted);
        while of_cells.parts.len() > MAX_OF_CELLS * expressions.len() {
            wanted.least += 1;
            of_cells = Split::of(&of_rows.rest, &wanted);
        }
        let is_worth_it = !(of_rows.parts.is_empty() && of_cells.parts.is_empty());
        let new = RowExpressions::new;
        is_worth_it.then(|| Steps {
            of_rows: new(of_rows.parts),
            of_cells: new(of_cells.parts),
            rest: new(of_cells.rest),
            num_further: variables.len() - cell,
        })
    }
}

/// Rows of `len` values each, one after another.
fn rows(values: &[f64], len: usize) -> impl Iterator<Item = Input<'_>> {
    values.chunks_exact(len.max(1)).map(Input::Row)
}

impl<const D: usize> CachedCellFunction<D> for Steps<D> {
    fn cache_len(&self, cells: usize) -> usize {
        self.of_rows.len() + self.of_cells.len() * cells
    }

    fn fill_kept(&self, row: &CellRow<D>, kept: &mut [f64]) {
        let (of_row, of_cells) = kept.split_at_mut(self.of_rows.len());
        self.of_rows.evaluate(&CellRow { len: 1, ..*row }, &[], of_row);
        // Parts that are kept do not read what changes.
        let further = std::iter::repeat_n(0.0, self.num_further).chain(of_row.iter().copied());
        self.of_cells.evaluate_inputs(row, &further.map(Input::Uniform).collect::<Vec<_>>(), of_cells);
    }

    fn fill_row_from(&self, row: &CellRow<D>, kept: &[f64], values: [&[f64]; 2], out: &mut [f64]) {
        let (of_row, of_cells) = kept.split_at(self.of_rows.len());
        let of_row = of_row.iter().map(|value| Input::Uniform(*value));
        let further = values.into_iter().flat_map(|values| rows(values, row.len));
        let inputs: Vec<Input<'_>> = further.chain(of_row).chain(rows(of_cells, row.len)).collect();
        self.rest.evaluate_inputs(row, &inputs, out);
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{any_expression, bits, compiled_in_plane};
    use super::super::{ExpressionCells, Names, SourceExpressions};
    use super::*;
    use crate::mesh::Geometry;
    use crate::physics::{CellFunction, StateFunction};
    use proptest::prelude::*;

    /// Kept per row and per cell: the largest parts with elementary functions that do not change with time.
    #[test]
    fn what_costs_and_stays_is_kept() {
        let table: [(&[&str], usize, usize); 10] = [
            (&["cos(t) * (1 - cos(x_lower)) * (cos(y_lower) - cos(y_upper))"], 1, 0),
            (&["t * exp(-(x^2 + y^2)) / dx"], 0, 1),
            (&["t * exp(-r^2)", "2 * t * exp(-r^2)"], 0, 1),
            (&["sin(sin(y) * x) + t"], 1, 1),
            (&["sin(x) * sin(y) * t"], 1, 0),
            (&["x * y * t + x / y"], 0, 0),
            (&["sin(r - t) + sin(t)"], 0, 0),
            (&["q * exp(-r^2) + sin(sin(y) * q)"], 1, 1),
            (&["q * (x * y) / r + exp(q * x * y)"], 0, 0),
            // Two of five: those that cost two elementary functions.
            (&["t*sin(r) + t*cos(r) + t*tan(r) + t*exp(sin(r)) + t*exp(cos(r))"], 0, 2),
        ];
        for (texts, rows, cells) in table {
            let steps = Steps::<2>::of(&compiled_in_plane(texts, &["q"]));
            let found = steps.map_or((0, 0), |steps| (steps.of_rows.len(), steps.of_cells.len()));
            assert_eq!(found, (rows, cells), "{texts:?}");
        }
        let line = Expression::compile("sin(x) * t", &Names::variables(cell_names(1))).unwrap();
        let kept = Steps::<1>::of(&[line]).map(|steps| steps.cache_len(10));
        assert_eq!(kept, Some(10), "a patch of a line is one row");
    }

    proptest! {
        /// Source terms for other states, computed from kept parts, have the same bits as whole expressions.
        #[test]
        fn sources_from_kept_parts_have_the_same_bits(first in any_expression("q"), second in any_expression("aux")) {
            let expressions = compiled_in_plane(&[&first, &second], &["q", "aux"]);
            let source = SourceExpressions::<2>::new(expressions, false);
            let geometry = Geometry::new([0.0, -0.75], [2.0, 1.25], [16, 4]);
            let row = |j: i32, len| CellRow { geometry, first: [2, j], len, time: 0.1 };
            for (steps, (j, len)) in source.in_steps().iter().flat_map(|steps| [(steps, (0, 7)), (steps, (1, 1))]) {
                let mut kept = vec![f64::NAN; steps.cache_len(len)];
                steps.fill_kept(&row(j, len), &mut kept);
                for turn in [0.5, 2.0] {
                    let values = |shift| (0..len).map(|i| turn * (i as f64 - shift)).collect::<Vec<_>>();
                    let (q, aux) = (values(3.0), values(0.25));
                    let [mut expected, mut found] = [vec![0.0; 2 * len], vec![0.0; 2 * len]];
                    source.fill_row(&row(j, len), &q, &aux, &mut expected);
                    steps.fill_row_from(&row(j, len), &kept, [&q, &aux], &mut found);
                    prop_assert_eq!(bits(&found), bits(&expected));
                }
            }
        }

        /// Values computed at another time from kept parts have the same bits as whole expressions.
        #[test]
        fn what_is_kept_does_not_change_bits(first in any_expression("t"), second in any_expression("t")) {
            let expressions = compiled_in_plane(&[&first, &second], &[]);
            let (whole, steps) = (ExpressionCells::<2>::new(expressions.clone()), Steps::<2>::of(&expressions));
            let geometry = Geometry::new([0.0, -0.75], [2.0, 1.25], [16, 4]);
            let row = |j: i32, len, time| CellRow { geometry, first: [2, j], len, time };
            for (steps, (j, len)) in steps.iter().flat_map(|steps| [(steps, (0, 7)), (steps, (1, 7)), (steps, (2, 1))]) {
                let mut kept = vec![f64::NAN; steps.cache_len(len)];
                steps.fill_kept(&row(j, len, 0.0), &mut kept);
                for time in [0.0, 0.7] {
                    let [mut expected, mut found] = [vec![0.0; 2 * len], vec![0.0; 2 * len]];
                    whole.fill_row(&row(j, len, time), &mut expected);
                    steps.fill_row_from(&row(j, len, time), &kept, [&[], &[]], &mut found);
                    prop_assert_eq!(bits(&found), bits(&expected));
                }
            }
        }
    }
}
