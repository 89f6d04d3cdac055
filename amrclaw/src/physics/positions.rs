//! The user's functions on a mapped grid: they are called with physical positions.

use super::{
    BoundaryCell, BoundaryFunction, CellBlock, CellFunction, CellRow, DeviceForm, Formulas, SourceStep,
    StateBlockFunction, StateFunction,
};
use crate::index::CellBox;
use crate::mesh::{Geometry, Mapping};
use riemann::patch::SourceRow;
use std::sync::Arc;

/// A function of position that gets physical positions: it is called for each cell separately, with the cell's centre at its physical position.
pub struct AtPositions<const D: usize, F: ?Sized> {
    mapping: Arc<Mapping<D>>,
    /// The mapping's positions, for devices.
    positions: Formulas,
    function: Arc<F>,
}

impl<const D: usize, F: ?Sized> AtPositions<D, F> {
    /// The function on a mapped grid; `positions`: the mapping as formulas.
    pub fn new(mapping: &Arc<Mapping<D>>, positions: &Formulas, function: Arc<F>) -> Self {
        AtPositions { mapping: mapping.clone(), positions: positions.clone(), function }
    }

    /// The function in a form that a device can compute, if there is one.
    fn moved(&self, device_form: DeviceForm) -> Option<DeviceForm> {
        match device_form {
            DeviceForm::Formulas(formulas) => Some(DeviceForm::Formulas(formulas.at_positions(&self.positions))),
            DeviceForm::OfSolver => Some(DeviceForm::OfSolverAt(self.positions.clone())),
            _ => None,
        }
    }

    /// One row for each cell.
    fn cells(&self, row: &CellRow<D>) -> impl Iterator<Item = CellRow<D>> {
        let (dx, time) = (row.geometry.dx, row.time);
        centres(&self.mapping, row).into_iter().map(move |centre| CellRow::point(centre, dx, time))
    }
}

impl<const D: usize> CellFunction<D> for AtPositions<D, dyn CellFunction<D>> {
    fn num_values(&self) -> usize {
        self.function.num_values()
    }

    fn depends_on_time(&self) -> bool {
        self.function.depends_on_time() || self.mapping.moves()
    }

    fn fill_row(&self, row: &CellRow<D>, out: &mut [f64]) {
        let mut values = vec![0.0; self.num_values()];
        for (i, cell) in self.cells(row).enumerate() {
            self.function.fill_row(&cell, &mut values);
            values.iter().enumerate().for_each(|(n, value)| out[n * row.len + i] = *value);
        }
    }

    fn device_form(&self) -> Option<DeviceForm> {
        self.moved(self.function.device_form()?)
    }
}

impl<const D: usize> StateFunction<D> for AtPositions<D, dyn StateFunction<D>> {
    fn num_values(&self) -> usize {
        self.function.num_values()
    }

    fn fill_row(&self, row: &CellRow<D>, state: &[f64], aux: &[f64], out: &mut [f64]) {
        self.fill_cells(row, [state, aux], out, |cell, [state, aux], out| {
            self.function.fill_row(cell, state, aux, out)
        });
    }

    fn implicit(&self) -> Option<&dyn SourceStep<D>> {
        self.function.implicit().map(|_| self as _)
    }

    fn by_block(&self) -> Option<&dyn StateBlockFunction<D>> {
        self.function.by_block().map(|_| self as _)
    }

    fn depends_on_time(&self) -> bool {
        self.function.depends_on_time()
    }

    fn device_form(&self) -> Option<DeviceForm> {
        self.moved(self.function.device_form()?)
    }
}

impl<const D: usize> SourceStep<D> for AtPositions<D, dyn StateFunction<D>> {
    fn fill_row(&self, row: &CellRow<D>, dt: f64, values: [&[f64]; 2], out: &mut [f64]) {
        let step = self.function.implicit().unwrap_or_else(|| unreachable!("it is integrated by steps of its own"));
        self.fill_cells(row, values, out, |cell, values, out| step.fill_row(cell, dt, values, out));
    }
}

impl<const D: usize> AtPositions<D, dyn StateFunction<D>> {
    /// Fills values of a row cell by cell. `values`: the states and auxiliary values of the row, of which `fill` gets each cell's.
    fn fill_cells(
        &self,
        row: &CellRow<D>,
        values: [&[f64]; 2],
        out: &mut [f64],
        fill: impl Fn(&CellRow<D>, [&[f64]; 2], &mut [f64]),
    ) {
        let of_cell = |values: &[f64], i: usize| values.iter().skip(i).step_by(row.len).copied().collect::<Vec<f64>>();
        let mut filled = vec![0.0; self.num_values()];
        for (i, cell) in self.cells(row).enumerate() {
            let [state, aux] = values.map(|values| of_cell(values, i));
            fill(&cell, [&state, &aux], &mut filled);
            filled.iter().enumerate().for_each(|(n, value)| out[n * row.len + i] = *value);
        }
    }
}

impl<const D: usize> StateBlockFunction<D> for AtPositions<D, dyn StateFunction<D>> {
    /// One box for each cell.
    fn fill(&self, block: &CellBlock<D>, state: &[f64], aux: &[f64], out: &mut [f64]) {
        let function = self.function.by_block().unwrap_or_else(|| unreachable!("it is one over boxes"));
        let (dx, time) = (block.geometry.dx, block.time);
        let all = CellBox::new(block.first, std::array::from_fn(|d| block.first[d] + block.size[d] as i32));
        let wide = all.grow(1);
        for (k, cell) in all.cells().enumerate() {
            let centre = self.mapping.position(block.geometry.centre(cell));
            let around = CellBox::new(cell, cell.map(|i| i + 1)).grow(1);
            let places: Vec<usize> = around.cells().map(|cell| wide.number_of(cell)).collect();
            let of_cells = |values: &[f64]| places.iter().map(|&place| values[place]).collect::<Vec<_>>();
            let states: Vec<f64> = state.chunks_exact(wide.volume()).flat_map(of_cells).collect();
            let aux: Vec<f64> = aux.iter().skip(k).step_by(all.volume()).copied().collect();
            let here = CellBlock::from(&CellRow::point(centre, dx, time));
            function.fill(&here, &states, &aux, &mut out[k..k + 1]);
        }
    }
}

impl<const D: usize> BoundaryFunction<D> for AtPositions<D, dyn BoundaryFunction<D>> {
    fn fill(&self, cell: &BoundaryCell<D>, mirror: &[f64], ghost: &mut [f64]) {
        self.function.fill(&BoundaryCell { centre: self.mapping.position(cell.centre), ..*cell }, mirror, ghost);
    }

    fn depends_on_time(&self) -> bool {
        self.function.depends_on_time()
    }

    /// `None` for formulas: these are evaluated for rows of ghost cells.
    fn device_form(&self) -> Option<DeviceForm> {
        self.function
            .device_form()
            .filter(|device_form| matches!(device_form, DeviceForm::OfSolver))
            .and_then(|own| self.moved(own))
    }
}

/// The physical positions of a row's centres.
fn centres<const D: usize>(mapping: &Mapping<D>, row: &CellRow<D>) -> Vec<[f64; D]> {
    mapping.positions(&(0..row.len).map(|i| row.centre(i)).collect::<Vec<_>>())
}

/// Positions for a solver's own source on a mapped grid: the source gets the physical positions of cells.
#[derive(Clone)]
pub struct SourceCentres<const D: usize> {
    mapping: Arc<Mapping<D>>,
    /// The mapping's positions, for devices.
    pub positions: Formulas,
}

impl<const D: usize> SourceCentres<D> {
    /// `positions`: the mapping as formulas.
    pub fn new(mapping: Arc<Mapping<D>>, positions: Formulas) -> Self {
        SourceCentres { mapping, positions }
    }

    /// A row as rows of one cell each, at physical positions. `cells`: the row in computational coordinates.
    pub fn rows<R>(&self, cells: &CellRow<D>, row: &SourceRow<R>) -> impl Iterator<Item = SourceRow<R>> + use<D, R> {
        let (&SourceRow { q, aux, component, t, dt, .. }, dx) = (row, cells.geometry.dx);
        centres(&self.mapping, cells).into_iter().enumerate().map(move |(i, centre)| {
            let (q, aux, lattice) = (q.wrapping_add(i), aux.wrapping_add(i), Geometry::point(centre, dx).in_space());
            SourceRow { q, aux, len: 1, component, lattice, first: [0; 3], t, dt }
        })
    }
}
