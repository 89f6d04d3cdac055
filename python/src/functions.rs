//! Adapters from Python functions to the functions of a problem.
//!
//! `package/amrclaw/_functions.py` wraps each so that it takes and returns plain arrays `[value, z, y, x]`, x fastest.
//! An exception in a function is stored until the step ends; its cells get NaN, so that the step fails.

use amrclaw::mesh::Geometry;
use amrclaw::physics::{
    BoundaryBlockFunction, BoundaryCell, BoundaryFunction, CellBlock, CellBlockFunction, CellFunction, CellRow,
    StateBlockFunction, StateFunction,
};
use numpy::{PyArray1, PyReadonlyArray1};
use pyo3::prelude::*;
use pyo3::types::PyTuple;
use riemann::axis::{Axis, Side};
use std::sync::{Arc, Mutex};

/// The first exception that one of a simulation's functions raised.
#[derive(Clone, Default)]
pub struct Raised(Arc<Mutex<Option<PyErr>>>);

impl Raised {
    /// Takes the exception out.
    pub fn take(&self) -> Option<PyErr> {
        self.0.lock().expect("nobody panics with the lock held").take()
    }

    fn is_some(&self) -> bool {
        self.0.lock().expect("nobody panics with the lock held").is_some()
    }

    fn keep(&self, exception: PyErr) {
        self.0.lock().expect("nobody panics with the lock held").get_or_insert(exception);
    }
}

/// A Python function of cells.
pub struct PythonFunction {
    pub callable: Py<PyAny>,
    /// Values per cell.
    pub num_values: usize,
    pub depends_on_time: bool,
    pub raised: Raised,
}

impl PythonFunction {
    /// Fills `out` with what the function returns for a block and `more` arguments.
    fn ask<const D: usize>(
        &self,
        block: &CellBlock<D>,
        more: impl for<'py> FnOnce(Python<'py>) -> PyResult<Bound<'py, PyTuple>>,
        out: &mut [f64],
    ) {
        if self.raised.is_some() {
            // The step has failed already; retries with smaller steps cannot help.
            out.fill(f64::NAN);
            return;
        }
        let outcome = Python::attach(|py| {
            let Geometry { lower, upper, cells, dx } = block.geometry;
            let axes: Vec<_> = (0..D).map(|d| (lower[d], upper[d], cells[d], dx[d], block.first[d])).collect();
            let place = (axes, block.size.to_vec(), block.time);
            let arguments = place.into_pyobject(py)?.as_sequence().concat(more(py)?.as_sequence())?.to_tuple()?;
            let values = self.callable.bind(py).call1(arguments)?;
            let values: PyReadonlyArray1<'_, f64> = values.extract()?;
            out.copy_from_slice(values.as_slice()?);
            Ok(())
        });
        if let Err(exception) = outcome {
            self.raised.keep(exception);
            out.fill(f64::NAN);
        }
    }
}

impl<const D: usize> CellBlockFunction<D> for PythonFunction {
    fn fill(&self, block: &CellBlock<D>, out: &mut [f64]) {
        self.ask(block, |py| Ok(PyTuple::empty(py)), out);
    }
}

impl<const D: usize> CellFunction<D> for PythonFunction {
    fn num_values(&self) -> usize {
        self.num_values
    }

    fn depends_on_time(&self) -> bool {
        self.depends_on_time
    }

    fn fill_row(&self, row: &CellRow<D>, out: &mut [f64]) {
        CellBlockFunction::fill(self, &row.into(), out);
    }

    fn by_block(&self) -> Option<&dyn CellBlockFunction<D>> {
        Some(self)
    }
}

impl<const D: usize> StateBlockFunction<D> for PythonFunction {
    fn fill(&self, block: &CellBlock<D>, state: &[f64], aux: &[f64], out: &mut [f64]) {
        self.ask(block, |py| (PyArray1::from_slice(py, state), PyArray1::from_slice(py, aux)).into_pyobject(py), out);
    }
}

impl<const D: usize> StateFunction<D> for PythonFunction {
    fn num_values(&self) -> usize {
        self.num_values
    }

    /// A single row has no neighbours across it: the function gets copies of the row there, and of its end cells beyond its ends.
    fn fill_row(&self, row: &CellRow<D>, state: &[f64], aux: &[f64], out: &mut [f64]) {
        let copies = 3usize.pow(D as u32 - 1);
        let padded: Vec<f64> = state
            .chunks_exact(row.len)
            .flat_map(|values| {
                let ends = |i: usize| values[i.saturating_sub(1).min(row.len - 1)];
                (0..copies).flat_map(move |_| (0..row.len + 2).map(ends))
            })
            .collect();
        StateBlockFunction::fill(self, &row.into(), &padded, aux, out);
    }

    fn by_block(&self) -> Option<&dyn StateBlockFunction<D>> {
        Some(self)
    }
}

impl<const D: usize> BoundaryBlockFunction<D> for PythonFunction {
    fn fill(&self, block: &CellBlock<D>, axis: Axis, side: Side, values: &mut [f64]) {
        let name = format!("{}_{}", ["x", "y", "z"][axis.index()], ["lower", "upper"][side.index()]);
        let mirror = values.to_vec();
        self.ask(block, |py| (PyArray1::from_vec(py, mirror), name).into_pyobject(py), values);
    }
}

impl<const D: usize> BoundaryFunction<D> for PythonFunction {
    fn fill(&self, cell: &BoundaryCell<D>, mirror: &[f64], ghost: &mut [f64]) {
        // A block of one cell with zero size, at its centre.
        let block = CellBlock::from(&CellRow::point(cell.centre, [0.0; D], cell.time));
        ghost.copy_from_slice(mirror);
        BoundaryBlockFunction::fill(self, &block, cell.axis, cell.side, ghost);
    }

    fn by_block(&self) -> Option<&dyn BoundaryBlockFunction<D>> {
        Some(self)
    }
}
