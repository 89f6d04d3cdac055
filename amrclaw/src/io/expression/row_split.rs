//! Caches subexpressions that depend on x only, from one row of a patch to the next; and those that depend on position only, where the same
//! row is evaluated several times in succession.

use super::rows::{Rows, cell_names};
use super::split::{ELEMENTARY, Split, Wanted, X, axes_of};
use super::{Expression, Input};
use crate::physics::CellRow;
use std::cell::Cell;
use std::sync::Arc;

/// Most functions whose values a thread caches: the most recently used ones.
const MAX_KEPT: usize = 8;

/// Expressions split into the parts that depend on x only, which are the same in all rows of a patch, and the rest.
///
/// Parts that depend on y or z only have one value per row, so that caching them would gain nothing.
#[derive(Debug)]
pub(super) struct RowSplit {
    parts: Rows,
    /// If a row is evaluated several times: parts that depend on position only and contain elementary functions. Their further variables are
    /// those of the whole, then the parts.
    of_row: Rows,
    /// Its further variables are those of the whole, then the values of `parts`, then those of `of_row`.
    rest: Rows,
}

/// The cached values of a function's parts, for the last row that was evaluated.
#[derive(Debug)]
struct Kept {
    function: Arc<RowSplit>,
    place: Option<Place>,
    values: Vec<f64>,
    /// The row's position along the other axes, if `of_row` has been computed.
    across: Option<[u64; 2]>,
    of_row: Vec<f64>,
}

/// Bits of a row's position along x and its cell sizes, and its length: all inputs of the parts.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Place {
    lower: u64,
    dx: [u64; 3],
    len: usize,
}

thread_local! {
    static KEPT: Cell<Vec<Kept>> = const { Cell::new(Vec::new()) };
}

impl Place {
    fn of<const D: usize>(row: &CellRow<D>) -> Self {
        let dx = std::array::from_fn(|d| row.dx.get(d).map_or(0, |dx| dx.to_bits()));
        Place { lower: row.lower[0].to_bits(), dx, len: row.len }
    }
}

/// Bits of a row's position along y and z.
fn across<const D: usize>(row: &CellRow<D>) -> [u64; 2] {
    std::array::from_fn(|d| row.lower.get(d + 1).map_or(0, |lower| lower.to_bits()))
}

/// Splits off what depends on x only. In one dimension a patch is one row, so that there is nothing to gain.
fn split_along_x<const D: usize>(expressions: &[Expression], variables: &[String]) -> Split {
    if D == 1 {
        return Split { parts: Vec::new(), rest: expressions.to_vec() };
    }
    let axes = axes_of(variables, D);
    let kept = variables.iter().zip(&axes).map(|(name, &axes)| axes == X || (axes == 0 && name != "t")).collect();
    Split::of(expressions, &Wanted { kept, axes, counts: |axes| axes == X, least: 1 })
}

/// Splits off parts that depend on position only and contain an elementary function; `along_x` is a split of expressions of these variables.
fn split_of_row<const D: usize>(along_x: &Split, variables: &[String]) -> Split {
    let cell = 0..cell_names(D).len();
    let axes: Vec<u8> = axes_of(variables, D).into_iter().chain(along_x.parts.iter().map(|_| X)).collect();
    let is_kept = |slot: usize| (cell.contains(&slot) && variables[slot] != "t") || slot >= variables.len();
    let kept = (0..axes.len()).map(is_kept).collect();
    let counts = if D == 1 { |axes| axes & X != 0 } else { |axes| axes & X != 0 && axes != X };
    Split::of(&along_x.rest, &Wanted { kept, axes, counts, least: ELEMENTARY })
}

impl RowSplit {
    /// Splits expressions; `None` if there is nothing to gain. `again`: each row is evaluated several times in succession, with other values
    /// or at other times.
    pub fn of<const D: usize>(expressions: &[Expression], again: bool) -> Option<RowSplit> {
        let variables = expressions.first()?.variables();
        let along_x = split_along_x::<D>(expressions, variables);
        let none = || Split { parts: Vec::new(), rest: along_x.rest.clone() };
        let of_row = if again { split_of_row::<D>(&along_x, variables) } else { none() };
        let new = Rows::new::<D>;
        let (parts, of_row, rest) = (new(along_x.parts), new(of_row.parts), new(of_row.rest));
        let is_worth_it = !(parts.expressions.is_empty() && of_row.expressions.is_empty());
        is_worth_it.then_some(RowSplit { parts, of_row, rest })
    }

    /// As [`RowExpressions::evaluate`](super::RowExpressions::evaluate) does for the whole.
    pub fn evaluate<const D: usize>(self: &Arc<Self>, row: &CellRow<D>, further: &[Input<'_>], out: &mut [f64]) {
        let mut all = KEPT.take();
        let mut kept = match all.iter().position(|kept| Arc::ptr_eq(&kept.function, self)) {
            Some(number) => all.remove(number),
            None => Kept { function: self.clone(), place: None, values: Vec::new(), across: None, of_row: Vec::new() },
        };
        let place = Some(Place::of(row));
        if kept.place != place {
            kept.values.resize(self.parts.expressions.len() * row.len, 0.0);
            self.parts.evaluate(row, &[], &mut kept.values);
            (kept.place, kept.across) = (place, None);
        }
        let parts = kept.values.chunks_exact(row.len).map(Input::Row);
        let mut inputs: Vec<Input<'_>> = further.iter().copied().chain(parts).collect();
        if !self.of_row.expressions.is_empty() {
            let across = Some(across(row));
            if kept.across != across {
                kept.of_row.resize(self.of_row.expressions.len() * row.len, 0.0);
                self.of_row.evaluate(row, &inputs, &mut kept.of_row);
                kept.across = across;
            }
            inputs.extend(kept.of_row.chunks_exact(row.len).map(Input::Row));
        }
        self.rest.evaluate(row, &inputs, out);
        if all.len() == MAX_KEPT {
            all.remove(0);
        }
        all.push(kept);
        KEPT.set(all);
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{any_expression, bits, compiled_in_plane};
    use super::super::{Names, RowExpressions, cell_names};
    use super::*;
    use proptest::prelude::*;

    /// Parts that depend on x only and are worth caching are split off, each once and as large as possible.
    #[test]
    fn parts_depend_on_x_alone_and_are_worth_it() {
        let table: [(&[&str], usize); 9] = [
            (&["cos(t) * (1 - cos(x_lower)) * sin(y)"], 1),
            (&["sin(x) * q + exp(-x^2 / dx) * t"], 2),
            (&["sin(x) * q", "y * sin(x)", "sin(x)"], 1),
            (&["sin(-0.0 * x) * q", "sin(0.0 * x) * q"], 2),
            (&["q / (1 / x + sqrt(x))^2"], 1),
            (&["x * q + (x + x_upper) * y"], 0),
            (&["q / dx + exp(dx) * y + sin(y)"], 0),
            (&["sin(x * t) + cos(x - y) + exp(-r^2) + exp(x * q)"], 0),
            (&["if(x < 0.5, q, 1 / y)"], 0),
        ];
        for (texts, expected) in table {
            let found = RowSplit::of::<2>(&compiled_in_plane(texts, &["q"]), false)
                .map_or(0, |split| split.parts.expressions.len());
            assert_eq!(found, expected, "{texts:?}");
        }
        let line = Expression::compile("sin(x) * t", &Names::variables(cell_names(1))).unwrap();
        assert!(RowSplit::of::<1>(std::slice::from_ref(&line), false).is_none(), "a patch of a line is one row");
        let again = RowSplit::of::<1>(&[line], true).expect("asked for again");
        assert_eq!((again.parts.expressions.len(), again.of_row.expressions.len()), (0, 1));
    }

    /// If rows are evaluated again, elementary functions of several coordinates are cached.
    #[test]
    fn rows_asked_for_again_keep_what_is_of_the_place() {
        let table: [(&[&str], [usize; 2]); 6] = [
            (&["q * exp(-r^2)", "t * exp(-r^2)"], [0, 1]),
            (&["sin(x) * q + exp(x - y) * sin(t)"], [1, 1]),
            (&["sin(sin(x) * y) * q"], [1, 1]),
            (&["sin(x) * q + sin(y) * q"], [1, 0]),
            (&["q * (x * y) / r"], [0, 0]),
            (&["exp(q * x * y) + sin(r - t)"], [0, 0]),
        ];
        for (texts, expected) in table {
            let found = RowSplit::of::<2>(&compiled_in_plane(texts, &["q"]), true)
                .map_or([0, 0], |split| [split.parts.expressions.len(), split.of_row.expressions.len()]);
            assert_eq!(found, expected, "{texts:?}");
        }
    }

    proptest! {
        /// Split expressions give the same bits as whole ones: in rows of different patches, in one patch again after other expressions, and,
        /// with `again`, in one row with other values at another time.
        #[test]
        fn parts_do_not_change_bits(first in any_expression("q"), second in any_expression("q"), other in any_expression("q")) {
            let (expressions, other) = (compiled_in_plane(&[&first, &second], &["q"]), compiled_in_plane(&[&other], &["q"]));
            let whole = [Rows::new::<2>(expressions.clone()), Rows::new::<2>(other.clone())];
            let again = RowExpressions::<2>::asked_again(expressions.clone());
            let split = [RowExpressions::<2>::new(expressions), RowExpressions::<2>::new(other), again];
            let whole = [&whole[0], &whole[1], &whole[0]];
            for (patch, rows) in [(0.25, 3), (-1.5, 2), (0.25, 1)] {
                for (j, turn) in (0..2 * rows).map(|n| (f64::from(n / 2), f64::from(n % 2))) {
                    let (lower, time) = ([patch, 0.5 * j - 0.25], 0.1 * j + turn);
                    let row = CellRow { lower, dx: [0.125, 0.5], len: 7, time };
                    let q: Vec<f64> = (0..7).map(|i| f64::from(i) - 3.0 + j - 0.5 * turn).collect();
                    for (whole, split) in whole.into_iter().zip(&split) {
                        let [mut expected, mut found] = [vec![0.0; 7 * split.len()], vec![0.0; 7 * split.len()]];
                        whole.evaluate(&row, &[Input::Row(&q)], &mut expected);
                        split.evaluate(&row, &[&q], &mut found);
                        prop_assert_eq!(bits(&found), bits(&expected));
                    }
                }
            }
        }
    }
}
