//! Which patches of a level contain cells.

use crate::errors;
use crate::frame::BoxTuple;
use amrclaw::index::CellBox;
use amrclaw::mesh::Bins;
use numpy::{PyArray1, PyReadonlyArray2, ToPyArray};
use pyo3::prelude::*;

/// Boxes of cells, disjoint, of one to three dimensions; along axes that they do not have they are one cell wide.
#[pyclass(frozen, module = "amrclaw._amrclaw")]
pub struct PatchIndex {
    boxes: Vec<CellBox<3>>,
    bins: Bins<3>,
    dimension: usize,
}

#[pymethods]
impl PatchIndex {
    #[new]
    fn new(boxes: Vec<BoxTuple>) -> PyResult<Self> {
        let dimension = boxes.first().map_or(3, |(lo, _)| lo.len());
        let boxes = boxes.iter().map(|(lo, hi)| in_space(lo, hi)).collect::<PyResult<Vec<_>>>()?;
        Ok(PatchIndex { bins: Bins::new(&boxes), boxes, dimension })
    }

    /// For each cell, one a row, the number of the box that contains it; −1 where there is none.
    fn containing<'py>(
        &self,
        py: Python<'py>,
        cells: PyReadonlyArray2<'py, i32>,
    ) -> PyResult<Bound<'py, PyArray1<i64>>> {
        let mut numbers = Vec::with_capacity(cells.as_array().nrows());
        for cell in cells.as_array().rows() {
            let cell = cell.to_vec();
            let mut number = -1;
            let region = in_space(&cell, &cell.iter().map(|i| i + 1).collect::<Vec<_>>())?;
            self.bins.for_each_in(&self.boxes, &region, |k, _| number = k as i64);
            numbers.push(number);
        }
        Ok(numbers.to_pyarray(py))
    }

    /// The boxes that share cells with the box from `lo` to before `hi`.
    fn sharing(&self, lo: Vec<i32>, hi: Vec<i32>) -> PyResult<Vec<BoxTuple>> {
        let mut found = Vec::new();
        self.bins.for_each_in(&self.boxes, &in_space(&lo, &hi)?, |k, _| {
            let CellBox { lo, hi } = self.boxes[k];
            found.push((lo[..self.dimension].to_vec(), hi[..self.dimension].to_vec()));
        });
        Ok(found)
    }
}

/// The box in three dimensions.
fn in_space(lo: &[i32], hi: &[i32]) -> PyResult<CellBox<3>> {
    if !(1..=3).contains(&lo.len()) || hi.len() != lo.len() {
        return Err(errors::refused(format!("cells have one to three numbers, not {} and {}", lo.len(), hi.len())));
    }
    let number = |of: &[i32], d: usize, none: i32| of.get(d).copied().unwrap_or(none);
    Ok(CellBox::new([0, 1, 2].map(|d| number(lo, d, 0)), [0, 1, 2].map(|d| number(hi, d, 1))))
}
