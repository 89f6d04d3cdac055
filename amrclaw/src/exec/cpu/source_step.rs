//! One step of a source term that is given as a function, for a row of cells; `source_step.cuh` is the same for a cell.

use crate::physics::{CachedCellFunction, CellRow, StateFunction};

/// The function of a source term for a row of cells.
#[derive(Clone, Copy)]
pub(super) struct RowSource<'a, const D: usize> {
    pub function: &'a dyn StateFunction<D>,
    /// The function in two steps, and what it keeps for the row.
    pub in_steps: Option<(&'a dyn CachedCellFunction<D>, &'a [f64])>,
}

impl<const D: usize> RowSource<'_, D> {
    /// Fills `out` with dq/dt of the row.
    fn fill(&self, row: &CellRow<D>, state: &[f64], aux: &[f64], out: &mut [f64]) {
        match self.in_steps {
            Some((steps, kept)) => steps.fill_row_from(row, kept, [state, aux], out),
            None => self.function.fill_row(row, state, aux, out),
        }
    }
}

/// A row's values, component by component.
pub(super) struct RowValues<'a> {
    pub state: &'a mut [f64],
    pub aux: &'a mut [f64],
    middle: &'a mut [f64],
    rate: &'a mut [f64],
}

impl<'a> RowValues<'a> {
    /// Room for a row of `len` cells in a buffer, which grows if it is too small.
    pub fn of(buffer: &'a mut Vec<f64>, [num_eqn, num_aux]: [usize; 2], len: usize) -> Self {
        let (values, wanted) = (num_eqn * len, (3 * num_eqn + num_aux) * len);
        if buffer.len() < wanted {
            buffer.resize(wanted, 0.0);
        }
        let (state, rest) = buffer.split_at_mut(values);
        let (middle, rest) = rest.split_at_mut(values);
        let (rate, rest) = rest.split_at_mut(values);
        RowValues { state, aux: &mut rest[..num_aux * len], middle, rate }
    }

    /// Advances the states by `dt` from the row's time: one step of the midpoint rule, second order in time.
    pub fn advance<const D: usize>(&mut self, source: RowSource<'_, D>, row: &CellRow<D>, dt: f64) {
        source.fill(row, self.state, self.aux, self.rate);
        for (m, (s, r)) in self.middle.iter_mut().zip(self.state.iter().zip(self.rate.iter())) {
            *m = s + 0.5 * dt * r;
        }
        source.fill(&CellRow { time: row.time + 0.5 * dt, ..*row }, self.middle, self.aux, self.rate);
        self.state.iter_mut().zip(self.rate.iter()).for_each(|(s, r)| *s += dt * r);
    }
}
