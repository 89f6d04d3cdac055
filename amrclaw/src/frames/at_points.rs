//! Values at points of a mesh from a file.

use super::derived::field_values;
use super::frame::Frame;
use crate::threads::parallel_table;
use unstructured::step::Neighbours;

impl<const D: usize> Frame<D> {
    /// The values of all fields at points, `[field, point]`: those of the cells that hold them, if `linear` with the cells' gradients; NaN where there is
    /// no cell. `None` if the frame is not on a mesh from a file.
    pub fn at_points(&self, points: &[[f64; D]], linear: bool) -> Option<Vec<f64>> {
        let mesh = self.mesh.as_ref()?;
        let (patch, groups) = (&self.levels[0].patches[0], mesh.groups());
        let in_space = |at: &[f64; D]| std::array::from_fn(|d| if d < D { at[d] } else { 0.0 });
        let cells = parallel_table(points.len(), |k| mesh.cell_in(&groups, in_space(&points[k])));
        let neighbours = linear.then(|| Neighbours::new(mesh));
        let of_field = |number: usize| {
            let values = field_values(patch, number);
            let slopes = neighbours.as_ref().map_or_else(Vec::new, |neighbours| neighbours.gradients(values));
            let value = |(at, cell): (&[f64; D], &Option<usize>)| {
                let Some(cell) = *cell else { return f64::NAN };
                let change =
                    |slope: &[f64; 3]| (0..D).map(|d| slope[d] * (at[d] - mesh.centroid[cell][d])).sum::<f64>();
                values[cell] + slopes.get(cell).map_or(0.0, change)
            };
            points.iter().zip(&cells).map(value).collect::<Vec<f64>>()
        };
        Some((0..self.fields().count()).flat_map(of_field).collect())
    }
}
