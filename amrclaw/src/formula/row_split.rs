//! Caches subexpressions that depend on x only, from one row of a patch to the next.

use super::rows::Rows;
use super::split::{Split, Wanted, X, axes_of};
use super::{Expression, Input};
use crate::physics::CellRow;
use riemann::lattice::Lattice;
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
    /// Its further variables are those of the whole, then the values of `parts`.
    rest: Rows,
}

/// The cached values of a function's parts, for the last row that was evaluated.
#[derive(Debug)]
struct Kept {
    function: Arc<RowSplit>,
    place: Option<Place>,
    values: Vec<f64>,
}

/// A row's level and place along x, and its length: all inputs of the parts.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Place {
    lattice: Lattice,
    first: i32,
    len: usize,
}

thread_local! {
    static KEPT: Cell<Vec<Kept>> = const { Cell::new(Vec::new()) };
}

impl Place {
    fn of<const D: usize>(row: &CellRow<D>) -> Self {
        Place { lattice: row.geometry.in_space(), first: row.first[0], len: row.len }
    }
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

impl RowSplit {
    /// Splits expressions; `None` if there is nothing to gain.
    pub fn of<const D: usize>(expressions: &[Expression]) -> Option<RowSplit> {
        let Split { parts, rest } = split_along_x::<D>(expressions, expressions.first()?.variables());
        (!parts.is_empty()).then(|| RowSplit { parts: Rows::new::<D>(parts), rest: Rows::new::<D>(rest) })
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
        let inputs: Vec<Input<'_>> = further.iter().copied().chain(parts).collect();
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
    use crate::mesh::Geometry;
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
            let found =
                RowSplit::of::<2>(&compiled_in_plane(texts, &["q"])).map_or(0, |split| split.parts.expressions.len());
            assert_eq!(found, expected, "{texts:?}");
        }
        let line = Expression::compile("sin(x) * t", &Names::variables(cell_names(1))).unwrap();
        assert!(RowSplit::of::<1>(&[line]).is_none(), "a patch of a line is one row");
    }

    proptest! {
        /// Split expressions give the same bits as whole ones: in rows of different patches, and in one patch again after other
        /// expressions, with other values at another time.
        #[test]
        fn parts_do_not_change_bits(first in any_expression("q"), second in any_expression("q"), other in any_expression("q")) {
            let (expressions, other) = (compiled_in_plane(&[&first, &second], &["q"]), compiled_in_plane(&[&other], &["q"]));
            let whole = [Rows::new::<2>(expressions.clone()), Rows::new::<2>(other.clone())];
            let split = [RowExpressions::<2>::new(expressions), RowExpressions::<2>::new(other)];
            let geometry = Geometry::new([-1.5, -0.25], [2.5, 1.75], [32, 4]);
            for (patch, rows) in [(14, 3), (0, 2), (14, 1)] {
                for (row, turn) in (0..2 * rows).map(|n| (n / 2, f64::from(n % 2))) {
                    let (j, first) = (f64::from(row), [patch, row]);
                    let row = CellRow { geometry, first, len: 7, time: 0.1 * j + turn };
                    let q: Vec<f64> = (0..7).map(|i| f64::from(i) - 3.0 + j - 0.5 * turn).collect();
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
