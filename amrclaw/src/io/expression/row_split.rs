//! What expressions compute from the place along x alone, kept from one row of a patch to the next.

use super::rows::Rows;
use super::split::{Split, Wanted, X, axes_of};
use super::{Expression, Input};
use crate::physics::CellRow;
use std::cell::Cell;
use std::sync::Arc;

/// Most functions whose values a thread keeps: those that it asked for last.
const MOST_KEPT: usize = 8;

/// Expressions with what depends on the place along x alone set apart: it is the same in all rows of a patch.
///
/// What depends on y or z alone has one value in a row, and costs next to nothing as it is.
#[derive(Debug)]
pub(super) struct RowSplit {
    parts: Rows,
    rest: Rows,
}

/// The values of a function's parts in the last row that it was asked for.
#[derive(Debug)]
struct Kept {
    function: Arc<RowSplit>,
    place: Option<Place>,
    values: Vec<f64>,
}

/// Where a row lies along x, to the bit: all that the parts know.
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

impl RowSplit {
    /// Splits expressions; nothing if there is nothing to gain, as in one dimension, where a patch is one row.
    pub fn of<const D: usize>(expressions: &[Expression]) -> Option<RowSplit> {
        let variables = expressions.first().filter(|_| D > 1)?.variables();
        let axes = axes_of(variables, D);
        let kept = variables.iter().zip(&axes).map(|(name, &axes)| axes == X || (axes == 0 && name != "t")).collect();
        let wanted = Wanted { kept, axes, counts: |axes| axes == X, least: 1 };
        let Split { parts, rest } = Split::of(expressions, &wanted);
        let (parts, rest) = (Rows::new::<D>(parts), Rows::new::<D>(rest));
        (!parts.expressions.is_empty()).then_some(RowSplit { parts, rest })
    }

    /// As [`RowExpressions::evaluate`](super::RowExpressions::evaluate) does for the whole.
    pub fn evaluate<const D: usize>(self: &Arc<Self>, row: &CellRow<D>, further: &[Input<'_>], out: &mut [f64]) {
        let mut all = KEPT.take();
        let mut kept = match all.iter().position(|kept| Arc::ptr_eq(&kept.function, self)) {
            Some(number) => all.remove(number),
            None => Kept { function: self.clone(), place: None, values: Vec::new() },
        };
        let place = Some(Place::of(row));
        if kept.place != place {
            kept.values.resize(self.parts.expressions.len() * row.len, 0.0);
            self.parts.evaluate(row, &[], &mut kept.values);
            kept.place = place;
        }
        let parts = kept.values.chunks_exact(row.len).map(Input::Row);
        self.rest.evaluate(row, &further.iter().copied().chain(parts).collect::<Vec<_>>(), out);
        if all.len() == MOST_KEPT {
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

    /// What is worth it and depends on x alone is set apart, each part once and as large as can be.
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
            let found =
                RowSplit::of::<2>(&compiled_in_plane(texts, &["q"])).map_or(0, |split| split.parts.expressions.len());
            assert_eq!(found, expected, "{texts:?}");
        }
        let line = Expression::compile("sin(x) * t", &Names::variables(cell_names(1))).unwrap();
        assert!(RowSplit::of::<1>(&[line]).is_none(), "a patch of a line is one row");
    }

    proptest! {
        /// In parts any expressions have the bits that they have as a whole, in the rows of one patch after the other and of one patch again
        /// after other expressions.
        #[test]
        fn parts_do_not_change_bits(first in any_expression("q"), second in any_expression("q"), other in any_expression("q")) {
            let (expressions, other) = (compiled_in_plane(&[&first, &second], &["q"]), compiled_in_plane(&[&other], &["q"]));
            let whole = [Rows::new::<2>(expressions.clone()), Rows::new::<2>(other.clone())];
            let split = [RowExpressions::<2>::new(expressions), RowExpressions::<2>::new(other)];
            for (patch, rows) in [(0.25, 3), (-1.5, 2), (0.25, 1)] {
                for (time, j) in (0..rows).map(|j| (0.1 * f64::from(j), f64::from(j))) {
                    let row = CellRow { lower: [patch, 0.5 * j - 0.25], dx: [0.125, 0.5], len: 7, time };
                    let q: Vec<f64> = (0..7).map(|i| f64::from(i) - 3.0 + j).collect();
                    for (whole, split) in whole.iter().zip(&split) {
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
