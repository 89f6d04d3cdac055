//! Boundary values from expressions.

use super::{Expression, RowExpressions};
use crate::physics::{
    BoundaryBlockFunction, BoundaryCell, BoundaryFunction, CellBlock, CellRow, DeviceForm, StateFunction,
};
use riemann::axis::{Axis, Side};

/// Ghost states from expressions of position, time and the state in the mirror image within the domain.
#[derive(Clone, Debug)]
pub struct ExpressionBoundary<const D: usize>(RowExpressions<D>);

impl<const D: usize> ExpressionBoundary<D> {
    /// One expression per equation; their variables are [`cell_names`](super::cell_names), then the equations.
    pub fn new(expressions: Vec<Expression>) -> Self {
        ExpressionBoundary(RowExpressions::new(expressions))
    }
}

impl<const D: usize> BoundaryFunction<D> for ExpressionBoundary<D> {
    fn fill(&self, cell: &BoundaryCell<D>, mirror: &[f64], ghost: &mut [f64]) {
        let row = CellRow::point(cell.centre, [0.0; D], cell.time);
        let further: Vec<&[f64]> = mirror.iter().map(std::slice::from_ref).collect();
        self.0.evaluate(&row, &further, ghost);
    }

    fn depends_on_time(&self) -> bool {
        self.0.depends_on("t")
    }

    fn by_block(&self) -> Option<&dyn BoundaryBlockFunction<D>> {
        Some(self)
    }

    fn device_form(&self) -> Option<DeviceForm> {
        StateFunction::device_form(&self.0)
    }
}

impl<const D: usize> BoundaryBlockFunction<D> for ExpressionBoundary<D> {
    fn fill(&self, block: &CellBlock<D>, _axis: Axis, _side: Side, values: &mut [f64]) {
        let (cells, length) = (block.num_cells(), block.size[0]);
        if cells == 0 {
            return;
        }
        let equations = self.0.len();
        let mut mirror = vec![0.0; equations * length];
        let mut ghost = vec![0.0; equations * length];
        for (number, row) in block.rows().enumerate() {
            let place = |m: usize| m * cells + number * length;
            for m in 0..equations {
                mirror[m * length..][..length].copy_from_slice(&values[place(m)..][..length]);
            }
            let further: Vec<&[f64]> = mirror.chunks_exact(length).collect();
            self.0.evaluate(&row, &further, &mut ghost);
            for m in 0..equations {
                values[place(m)..][..length].copy_from_slice(&ghost[m * length..][..length]);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formula::{Names, cell_names};
    use crate::mesh::Geometry;

    /// Every cell of a box of 3 × 2 × 4 ghost cells gets its own position, and evaluation by boxes and by cells agrees.
    #[test]
    fn boxes_agree_with_cells() {
        let mut variables = cell_names(3);
        variables.extend(["p".to_owned(), "u".to_owned()]);
        let names = Names::variables(variables);
        let compile = |text| Expression::compile(text, &names).unwrap();
        let boundary = ExpressionBoundary::<3>::new(vec![compile("x + 10*y + 100*z + t"), compile("-u + 0*p")]);
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
