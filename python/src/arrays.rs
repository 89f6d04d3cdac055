//! numpy arrays that view Rust's memory.

use numpy::ndarray::{ArrayView, IxDyn, ShapeBuilder};
use numpy::{Element, PyArrayDyn};
use pyo3::prelude::*;

/// A patch's cells, and the layout of its interior values in an array.
pub struct PatchView {
    pub lo: Vec<i32>,
    pub hi: Vec<i32>,
    /// Strides, in numbers: from one component to the next, then from one cell to the next along x, y and z.
    pub strides: Vec<usize>,
}

impl PatchView {
    /// Cells along each axis.
    pub fn size(&self) -> Vec<usize> {
        self.lo.iter().zip(&self.hi).map(|(lo, hi)| (hi - lo) as usize).collect()
    }

    /// A read-only array `[component, x, y, z]` of the patch's part of `values`, from `offset` on.
    ///
    /// # Safety
    /// `values` must be neither moved, written nor freed while `owner` lives.
    pub unsafe fn array<'py, T: Element>(
        &self,
        values: &[T],
        offset: usize,
        num_components: usize,
        owner: Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let shape: Vec<usize> = std::iter::once(num_components).chain(self.size()).collect();
        let extent: usize = shape.iter().zip(&self.strides).map(|(n, stride)| n.saturating_sub(1) * stride).sum();
        let none = num_components == 0;
        assert!(none || offset + extent < values.len(), "the patch lies inside its array");
        // SAFETY: every element lies inside `values`, as just checked, or there is none.
        let view = unsafe {
            let first = if none { values.as_ptr() } else { values.as_ptr().add(offset) };
            ArrayView::from_shape_ptr(IxDyn(&shape).strides(IxDyn(&self.strides)), first)
        };
        // SAFETY: guaranteed by the caller.
        let array = unsafe { PyArrayDyn::borrow_from_array(&view, owner) };
        array.call_method1("setflags", (false,))?;
        Ok(array.into_any())
    }
}

/// Strides of a patch without ghost cells: `[component, z, y, x]`, x fastest.
pub fn packed_strides(size: &[usize]) -> Vec<usize> {
    let mut strides = vec![size.iter().product()];
    let mut cells = 1;
    for n in size {
        strides.push(cells);
        cells *= n;
    }
    strides
}
