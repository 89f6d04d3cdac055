//! Refinement where the solution can still reach what is of interest: where its product with the solution of the adjoint problem is large.
//! Davis & LeVeque 2020 (doi:10.1145/3392775), §§3 and 4.

use super::{CellRow, DeviceForm, StateFunction};
use crate::mesh::{Geometry, linear_weights};
use std::ops::RangeInclusive;
use std::sync::Arc;

/// The adjoint solution on one level, at equal intervals of the time that runs back from the functional's.
#[derive(Debug)]
pub struct AdjointSnapshots<const D: usize> {
    /// Where its cells lie.
    pub geometry: Geometry<D>,
    /// Cells along each axis.
    pub cells: [usize; D],
    /// Time from a snapshot to the next.
    pub interval: f64,
    /// Components of a cell.
    pub num_eqn: usize,
    /// `[snapshot, cell with x fastest, component]`.
    pub values: Arc<[f64]>,
}

/// A flag by an adjoint solution, in any number of dimensions: what [`AdjointFlag`] has, for kernels that do the same. Lists have one entry
/// per axis.
#[derive(Clone, Debug)]
pub struct AdjointForm {
    /// Lower corner of the snapshots' cells.
    pub lower: Vec<f64>,
    /// Size of a cell.
    pub dx: Vec<f64>,
    /// Cells, two at least.
    pub cells: Vec<usize>,
    /// Numbers of a snapshot.
    pub len: usize,
    /// Time from a snapshot to the next.
    pub interval: f64,
    /// When the functional counts.
    pub window: [f64; 2],
    /// The tolerance.
    pub tolerance: f64,
    /// `[snapshot, cell, component]`.
    pub values: Arc<[f64]>,
}

/// Flags cells where the product of values with the adjoint solution is above a tolerance, at any time of a window.
pub struct AdjointFlag<const D: usize> {
    /// The adjoint solution.
    pub snapshots: Arc<AdjointSnapshots<D>>,
    /// A state at rest, of which the values are taken off before.
    pub about: Option<Arc<dyn StateFunction<D>>>,
    /// When the functional counts.
    pub window: [f64; 2],
    /// The tolerance.
    pub tolerance: f64,
}

impl<const D: usize> AdjointSnapshots<D> {
    /// Values of a snapshot.
    fn snapshot_len(&self) -> usize {
        self.num_eqn * self.cells.iter().product::<usize>()
    }

    /// The snapshots whose functional counts in the window, for values at time `t`, and one more at either end of them. As AMRClaw does.
    fn selected(&self, window: [f64; 2], t: f64) -> RangeInclusive<usize> {
        let [from, to] = window.map(|time| (time - t) / self.interval);
        if to < 0.0 {
            return RangeInclusive::new(1, 0);
        }
        let last = self.values.len() / self.snapshot_len() - 1;
        (from.ceil() - 1.0).max(0.0) as usize..=((to.floor() + 1.0) as usize).min(last)
    }
}

impl<const D: usize> StateFunction<D> for AdjointFlag<D> {
    fn num_values(&self) -> usize {
        1
    }

    fn fill_row(&self, row: &CellRow<D>, state: &[f64], aux: &[f64], out: &mut [f64]) {
        let mut waves = vec![0.0; state.len()];
        if let Some(about) = &self.about {
            about.fill_row(row, state, aux, &mut waves);
        }
        waves.iter_mut().zip(state).for_each(|(wave, value)| *wave = value - *wave);
        let AdjointSnapshots { geometry, cells, num_eqn, values, .. } = &*self.snapshots;
        let selected = self.snapshots.selected(self.window, row.time);
        let len = self.snapshots.snapshot_len();
        for (i, out) in out.iter_mut().enumerate() {
            let mut around = [(0, 0.0); 8];
            let weights = linear_weights(geometry.in_cells(row.centre(i)), *cells);
            around.iter_mut().zip(weights).for_each(|(to, (cell, weight))| *to = (cell * num_eqn, weight));
            let product = |snapshot: &[f64]| {
                let component = |m: usize| around[..1 << D].iter().fold(0.0, |sum, (at, w)| sum + w * snapshot[at + m]);
                (0..*num_eqn).fold(0.0, |sum, m| sum + waves[m * row.len + i] * component(m))
            };
            let large = |k: usize| product(&values[k * len..][..len]).abs() > self.tolerance;
            *out = f64::from(u8::from(selected.clone().any(large)));
        }
    }

    fn device_form(&self) -> Option<DeviceForm> {
        if self.about.is_some() {
            return None;
        }
        let AdjointSnapshots { geometry, cells, interval, values, .. } = &*self.snapshots;
        Some(DeviceForm::Adjoint(Box::new(AdjointForm {
            lower: geometry.lower.to_vec(),
            dx: geometry.dx.to_vec(),
            cells: cells.to_vec(),
            len: self.snapshots.snapshot_len(),
            interval: *interval,
            window: self.window,
            tolerance: self.tolerance,
            values: values.clone(),
        })))
    }
}
