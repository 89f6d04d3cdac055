//! Adapters from Python functions to the functions of a problem.
//!
//! `package/amrclaw/_functions.py` wraps each so that it takes and returns plain arrays `[value, z, y, x]`, x fastest.
//! An exception in a function is stored until the step ends; its cells get NaN, so that the step fails.

use crate::case::Case;
use amrclaw::mesh::Geometry;
use amrclaw::physics::{
    AnyUserFunctions, BoundaryBlockFunction, BoundaryCell, BoundaryFunction, CellBlock, CellBlockFunction,
    CellFunction, CellRow, StateBlockFunction, StateFunction, UserFunctions,
};
use numpy::{PyArray1, PyReadonlyArray1};
use pyo3::prelude::*;
use pyo3::types::PyTuple;
use riemann::axis::{Axis, Side};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

/// The first exception that one of a simulation's functions raised.
#[derive(Clone, Default)]
pub struct Raised {
    exception: Arc<Mutex<Option<PyErr>>>,
    stop: Arc<AtomicBool>,
}

impl Raised {
    /// `stop` is set when there is an exception.
    pub fn stopping(stop: Arc<AtomicBool>) -> Self {
        Raised { stop, ..Raised::default() }
    }

    /// Takes the exception out.
    pub fn take(&self) -> Option<PyErr> {
        self.exception.lock().expect("nobody panics with the lock held").take()
    }

    fn is_some(&self) -> bool {
        self.exception.lock().expect("nobody panics with the lock held").is_some()
    }

    fn keep(&self, exception: PyErr) {
        self.exception.lock().expect("nobody panics with the lock held").get_or_insert(exception);
        self.stop.store(true, Ordering::Relaxed);
    }
}

/// Functions in place of entries of the case, by name.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub struct Functions {
    initial: Option<Py<PyAny>>,
    aux: Option<Py<PyAny>>,
    aux_depends_on_time: bool,
    boundary: Option<Py<PyAny>>,
    flag: Option<Py<PyAny>>,
    source: Option<Py<PyAny>>,
}

impl Functions {
    /// The same for the program, in any number of dimensions.
    pub fn of(self, case: &Case, raised: &Raised) -> AnyUserFunctions {
        let (num_eqn, num_aux) = (case.case.shape().equations.len(), case.case.shape().aux.len());
        let function = |callable: Option<Py<PyAny>>, num_values, depends_on_time| {
            let raised = raised.clone();
            callable.map(|callable| Arc::new(PythonFunction { callable, num_values, depends_on_time, raised }))
        };
        let functions = Adapted {
            initial: function(self.initial, num_eqn, false),
            aux: function(self.aux, num_aux, self.aux_depends_on_time),
            boundary: function(self.boundary, num_eqn, false),
            flag: function(self.flag, 1, false),
            source: function(self.source, num_eqn, false).map(|function| Arc::new(PythonSource(function))),
        };
        AnyUserFunctions { one: functions.of(), two: functions.of(), three: functions.of() }
    }
}

/// The functions, adapted.
struct Adapted {
    initial: Option<Arc<PythonFunction>>,
    aux: Option<Arc<PythonFunction>>,
    boundary: Option<Arc<PythonFunction>>,
    flag: Option<Arc<PythonFunction>>,
    source: Option<Arc<PythonSource>>,
}

impl Adapted {
    fn of<const D: usize>(&self) -> UserFunctions<D> {
        UserFunctions {
            initial: self.initial.clone().map(|function| function as _),
            aux: self.aux.clone().map(|function| function as _),
            flag: self.flag.clone().map(|function| function as _),
            boundary: self.boundary.clone().map(|function| function as _),
            source: self.source.clone().map(|function| function as _),
        }
    }
}

/// Where cells lie along an axis: the level's ends, their number and size, the first cell.
type AlongAxis = (f64, f64, f64, f64, i32);

/// A Python function of cells.
struct PythonFunction {
    callable: Py<PyAny>,
    /// Values per cell.
    num_values: usize,
    depends_on_time: bool,
    raised: Raised,
}

/// A Python function of cells and their state, without that of their neighbours.
struct PythonSource(Arc<PythonFunction>);

impl PythonFunction {
    /// Fills `out` with what the function returns for a block and `more` arguments.
    fn ask<const D: usize>(
        &self,
        block: &CellBlock<D>,
        more: impl for<'py> FnOnce(Python<'py>) -> PyResult<Bound<'py, PyTuple>>,
        out: &mut [f64],
    ) {
        let Geometry { lower, upper, cells, dx } = block.geometry;
        let axes = (0..D).map(|d| (lower[d], upper[d], cells[d], dx[d], block.first[d])).collect();
        self.ask_at((axes, &block.size, block.time), more, out);
    }

    /// The same where cells lie on these axes, in a box of this size.
    fn ask_at(
        &self,
        (axes, size, time): (Vec<AlongAxis>, &[usize], f64),
        more: impl for<'py> FnOnce(Python<'py>) -> PyResult<Bound<'py, PyTuple>>,
        out: &mut [f64],
    ) {
        if self.raised.is_some() {
            // The step has failed already; retries with smaller steps cannot help.
            out.fill(f64::NAN);
            return;
        }
        let outcome = Python::attach(|py| {
            let place = (axes, size.to_vec(), time);
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

impl<const D: usize> StateFunction<D> for PythonSource {
    fn num_values(&self) -> usize {
        self.0.num_values
    }

    fn fill_row(&self, row: &CellRow<D>, state: &[f64], aux: &[f64], out: &mut [f64]) {
        let block = CellBlock::from(row);
        self.0.ask(
            &block,
            |py| (PyArray1::from_slice(py, state), PyArray1::from_slice(py, aux)).into_pyobject(py),
            out,
        );
    }
}

impl<const D: usize> BoundaryBlockFunction<D> for PythonFunction {
    fn fill(&self, block: &CellBlock<D>, axis: Axis, side: Side, values: &mut [f64]) {
        let name = format!("{}_{}", ["x", "y", "z"][axis.index()], ["lower", "upper"][side.index()]);
        let mirror = values.to_vec();
        self.ask(block, |py| (PyArray1::from_vec(py, mirror), name).into_pyobject(py), values);
    }

    /// A row of cells without axes.
    fn fill_side(&self, name: &str, places: &[[f64; D]], time: f64, values: &mut [f64]) {
        let inside = values.to_vec();
        let along = |d: usize| places.iter().map(|place| place[d]).collect::<Vec<_>>();
        self.ask_at(
            (Vec::new(), &[places.len()], time),
            |py| {
                let places: Vec<_> = (0..D).map(|d| PyArray1::from_vec(py, along(d))).collect();
                (PyArray1::from_vec(py, inside), name, places).into_pyobject(py)
            },
            values,
        );
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
