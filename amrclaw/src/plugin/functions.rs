//! Adapters from a plugin's functions of position and state to those of a problem.

use crate::mesh::in_space;
use crate::physics::{
    BoundaryCell, BoundaryFunction, CellBlock, CellFunction, CellRow, DeviceForm, StateBlockFunction, StateFunction,
};
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

/// The solver's refinement criterion.
pub struct Flag {
    pub solver: Instance,
    /// Number of its own auxiliary values: on mapped meshes others follow them.
    pub num_aux: usize,
    pub looks_around: bool,
}

impl<const D: usize> StateFunction<D> for Flag {
    fn num_values(&self) -> usize {
        1
    }

    /// A single row has no neighbours: a criterion that looks around gets copies of the row.
    fn fill_row(&self, row: &CellRow<D>, state: &[f64], aux: &[f64], out: &mut [f64]) {
        let states = state.repeat(if self.looks_around { 1 + 2 * D } else { 1 });
        self.solver.flag(&row_of(row), &states, &aux[..self.num_aux * row.len], out);
    }

    fn by_block(&self) -> Option<&dyn StateBlockFunction<D>> {
        self.looks_around.then_some(self)
    }

    fn device_form(&self) -> Option<DeviceForm> {
        Some(DeviceForm::OfSolver)
    }
}

impl<const D: usize> StateBlockFunction<D> for Flag {
    fn fill(&self, block: &CellBlock<D>, state: &[f64], aux: &[f64], out: &mut [f64]) {
        // A ghost cell on every side.
        let mut strides = [1; D];
        for d in 1..D {
            strides[d] = strides[d - 1] * (block.size[d - 1] + 2);
        }
        let component = strides[D - 1] * (block.size[D - 1] + 2);
        let len = block.size[0];
        let mut states = Vec::new();
        for (r, row) in block.rows().enumerate() {
            let place = |d: usize| ((row.first[d] - block.first[d]) as usize + 1) * strides[d];
            let here: usize = (0..D).map(place).sum();
            let neighbours = strides.iter().flat_map(|stride| [here - stride, here + stride]);
            states.clear();
            for first in std::iter::once(here).chain(neighbours) {
                state.chunks_exact(component).for_each(|values| states.extend_from_slice(&values[first..first + len]));
            }
            let of_row = |values: &[f64]| values[r * len..(r + 1) * len].to_vec();
            let aux: Vec<f64> = aux.chunks_exact(block.num_cells()).take(self.num_aux).flat_map(of_row).collect();
            self.solver.flag(&row_of(&row), &states, &aux, &mut out[r * len..(r + 1) * len]);
        }
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
