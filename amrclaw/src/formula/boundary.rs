//! Boundary values from expressions.

use super::cells::{fill_used, used};
use super::{Expression, Given, RowExpressions, cell_names};
use crate::physics::{
    BoundaryBlockFunction, BoundaryCell, BoundaryFunction, CellBlock, CellRow, DeviceForm, StateFunction,
};
use riemann::axis::{Axis, Side};

/// Ghost states from expressions of position, time and the state in the mirror image within the domain, and of values from files.
#[derive(Clone)]
pub struct ExpressionBoundary<const D: usize> {
    expressions: RowExpressions<D>,
    given: Vec<Option<Given<D>>>,
}

impl<const D: usize> ExpressionBoundary<D> {
    /// One expression per equation; their variables are [`cell_names`](super::cell_names), then the equations, then the `given` values.
    pub fn new(expressions: Vec<Expression>, given: Vec<Given<D>>) -> Self {
        let given = used(given, cell_names(D).len() + expressions.len(), &[&expressions]);
        ExpressionBoundary { expressions: RowExpressions::new(expressions), given }
    }

    /// Fills a row of ghost states, `ghost[equation * row.len + cell]`, from those of the mirror images.
    fn fill_row(&self, row: &CellRow<D>, mirror: &[f64], ghost: &mut [f64]) {
        let mut given = vec![0.0; self.given.len() * row.len];
        fill_used(&self.given, row, &mut given);
        let further: Vec<&[f64]> = mirror.chunks_exact(row.len).chain(given.chunks_exact(row.len)).collect();
        self.expressions.evaluate(row, &further, ghost);
    }
}

impl<const D: usize> BoundaryFunction<D> for ExpressionBoundary<D> {
    fn fill(&self, cell: &BoundaryCell<D>, mirror: &[f64], ghost: &mut [f64]) {
        self.fill_row(&CellRow::point(cell.centre, [0.0; D], cell.time), mirror, ghost);
    }

    fn depends_on_time(&self) -> bool {
        self.expressions.depends_on("t") || self.given.iter().flatten().any(|given| given.depends_on_time())
    }

    fn asks_for_side(&self) -> bool {
        false
    }

    fn by_block(&self) -> Option<&dyn BoundaryBlockFunction<D>> {
        Some(self)
    }

    /// Given values are the host's.
    fn device_form(&self) -> Option<DeviceForm> {
        let of_formulas = self.given.iter().all(Option::is_none);
        of_formulas.then(|| StateFunction::device_form(&self.expressions)).flatten()
    }
}

impl<const D: usize> BoundaryBlockFunction<D> for ExpressionBoundary<D> {
    fn fill(&self, block: &CellBlock<D>, _axis: Axis, _side: Side, values: &mut [f64]) {
        let (cells, length) = (block.num_cells(), block.size[0]);
        if cells == 0 {
            return;
        }
        let equations = self.expressions.len();
        let mut mirror = vec![0.0; equations * length];
        let mut ghost = vec![0.0; equations * length];
        for (number, row) in block.rows().enumerate() {
            let place = |m: usize| m * cells + number * length;
            for m in 0..equations {
                mirror[m * length..][..length].copy_from_slice(&values[place(m)..][..length]);
            }
            self.fill_row(&row, &mirror, &mut ghost);
            for m in 0..equations {
                values[place(m)..][..length].copy_from_slice(&ghost[m * length..][..length]);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formula::Names;
    use crate::mesh::Geometry;

    /// Every cell of a box of 3 × 2 × 4 ghost cells gets its own position, and evaluation by boxes and by cells agrees.
    #[test]
    fn boxes_agree_with_cells() {
        let mut variables = cell_names(3);
        variables.extend(["p".to_owned(), "u".to_owned()]);
        let names = Names::variables(variables);
        let compile = |text| Expression::compile(text, &names).unwrap();
        let boundary =
            ExpressionBoundary::<3>::new(vec![compile("x + 10*y + 100*z + t"), compile("-u + 0*p")], Vec::new());
        let geometry = Geometry::new([0.0, 1.0, -1.0], [1.0, 3.0, 7.0], [10, 7, 4]);
        let block = CellBlock { geometry, first: [-3, 2, 0], size: [3, 2, 4], time: 7.0 };
        let inside: Vec<f64> = (0..2 * block.num_cells()).map(|i| i as f64).collect();
        let mut values = inside.clone();
        BoundaryBlockFunction::fill(&boundary, &block, Axis::X, Side::Lower, &mut values);
        for (i, found) in values[..24].iter().enumerate() {
            let cell = [i % 3, i / 3 % 2, i / 6];
            let centre = geometry.centre(std::array::from_fn(|d| block.first[d] + cell[d] as i32));
            let place = BoundaryCell { centre, time: 7.0, axis: Axis::X, side: Side::Lower };
            let mut ghost = [0.0; 2];
            BoundaryFunction::fill(&boundary, &place, &[inside[i], inside[24 + i]], &mut ghost);
            assert_eq!([*found, values[24 + i]], ghost, "cell {cell:?}");
        }
    }
}
