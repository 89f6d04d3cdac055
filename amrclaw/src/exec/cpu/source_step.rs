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
    /// Rates at the beginning of a step, or the state after it.
    first: &'a mut [f64],
    middle: &'a mut [f64],
    /// Rates in the middle.
    second: &'a mut [f64],
}

impl<'a> RowValues<'a> {
    /// Room for a row of `len` cells in a buffer, which grows if it is too small.
    pub fn of(buffer: &'a mut Vec<f64>, [num_eqn, num_aux]: [usize; 2], len: usize) -> Self {
        let (values, wanted) = (num_eqn * len, (4 * num_eqn + num_aux) * len);
        if buffer.len() < wanted {
            buffer.resize(wanted, 0.0);
        }
        let (state, rest) = buffer.split_at_mut(values);
        let (first, rest) = rest.split_at_mut(values);
        let (middle, rest) = rest.split_at_mut(values);
        let (second, rest) = rest.split_at_mut(values);
        RowValues { state, aux: &mut rest[..num_aux * len], first, middle, second }
    }

    /// Advances the states by `dt` from the row's time: by the source's own implicit step, or by one step of the midpoint rule, both second
    /// order in time. True if the rates of the midpoint rule change their sign in some cell.
    pub fn advance<const D: usize>(&mut self, source: RowSource<'_, D>, row: &CellRow<D>, dt: f64) -> bool {
        if let Some(step) = source.function.implicit() {
            step.fill_row(row, dt, [self.state, self.aux], self.first);
            self.state.copy_from_slice(self.first);
            return false;
        }
        source.fill(row, self.state, self.aux, self.first);
        for (m, (s, r)) in self.middle.iter_mut().zip(self.state.iter().zip(self.first.iter())) {
            *m = s + 0.5 * dt * r;
        }
        let midpoint = CellRow { time: row.time + 0.5 * dt, ..*row };
        source.fill(&midpoint, self.middle, self.aux, self.second);
        let turns = self.first.iter().zip(self.second.iter()).fold(false, |turns, (a, b)| turns | (a * b < 0.0));
        let reverses = turns && self.reverses(source, &midpoint, dt);
        self.state.iter_mut().zip(self.second.iter()).for_each(|(s, r)| *s += dt * r);
        reverses
    }

    /// True if in some cell the rates in the middle point against those at the beginning, and not because time has passed. Each equation's are
    /// measured by its value, and what is within rounding does not count.
    fn reverses<const D: usize>(&mut self, source: RowSource<'_, D>, midpoint: &CellRow<D>, dt: f64) -> bool {
        // Rates of the first state at the time of the second, in the room for the middle state, which is no longer needed.
        source.fill(midpoint, self.state, self.aux, self.middle);
        let product_in = |i: usize| {
            let mut sum = 0.0;
            for m in (i..self.state.len()).step_by(midpoint.len) {
                let value = self.state[m];
                let product = self.first[m] * (self.first[m] + (self.second[m] - self.middle[m]));
                if product != 0.0 {
                    sum += product / (value * value);
                }
            }
            sum * dt * dt
        };
        (0..midpoint.len).any(|i| product_in(i) < -NEGLIGIBLE)
    }
}

/// Square of a relative change that rounding may cause.
const NEGLIGIBLE: f64 = 1e-24;
