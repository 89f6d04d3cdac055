//! Adapters from a plugin's functions of position and state to those of a problem.

use crate::mesh::in_space;
use crate::physics::{BoundaryCell, BoundaryFunction, CellFunction, CellRow, DeviceForm, StateFunction};
use riemann::plugin::{Instance, Row};
use std::sync::Arc;

fn row_of<const D: usize>(row: &CellRow<D>) -> Row {
    Row { lattice: row.geometry.in_space(), first: in_space(row.first), len: row.len, time: row.time }
}

/// The solver's initial data. They may depend on the auxiliary values.
pub struct Initial<const D: usize> {
    pub solver: Instance,
    pub num_eqn: usize,
    pub aux: Option<Arc<dyn CellFunction<D>>>,
}

impl<const D: usize> CellFunction<D> for Initial<D> {
    fn num_values(&self) -> usize {
        self.num_eqn
    }

    fn fill_row(&self, row: &CellRow<D>, out: &mut [f64]) {
        let mut aux = Vec::new();
        if let Some(function) = &self.aux {
            aux.resize(function.num_values() * row.len, 0.0);
            function.fill_row(row, &mut aux);
        }
        self.solver.initial(&row_of(row), &aux, out);
    }
}

/// The solver's auxiliary values.
pub struct AuxValues {
    pub solver: Instance,
    pub num_aux: usize,
}

impl<const D: usize> CellFunction<D> for AuxValues {
    fn num_values(&self) -> usize {
        self.num_aux
    }

    fn fill_row(&self, row: &CellRow<D>, out: &mut [f64]) {
        self.solver.aux_values(&row_of(row), out);
    }
}

/// The solver's refinement criterion, and the number of its own auxiliary values: on mapped meshes others follow them.
pub struct Flag(pub Instance, pub usize);

impl<const D: usize> StateFunction<D> for Flag {
    fn num_values(&self) -> usize {
        1
    }

    fn fill_row(&self, row: &CellRow<D>, state: &[f64], aux: &[f64], out: &mut [f64]) {
        self.0.flag(&row_of(row), state, &aux[..self.1 * row.len], out);
    }

    fn device_form(&self) -> Option<DeviceForm> {
        Some(DeviceForm::OfSolver)
    }
}

/// The solver's boundary values, and whether they may change with time.
pub struct Boundary(pub Instance, pub bool);

impl<const D: usize> BoundaryFunction<D> for Boundary {
    fn fill(&self, cell: &BoundaryCell<D>, mirror: &[f64], ghost: &mut [f64]) {
        self.0.boundary(cell.axis, cell.side, in_space(cell.centre), cell.time, mirror, ghost);
    }

    fn depends_on_time(&self) -> bool {
        self.1
    }

    fn device_form(&self) -> Option<DeviceForm> {
        Some(DeviceForm::OfSolver)
    }
}
