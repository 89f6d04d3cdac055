//! Steady states on meshes from files, by steps of a cell's own length.

use super::Simulation;
use crate::index::Level;

/// Steps between looks.
const EVERY: u64 = 10;

/// When a state is steady. Nothing but the last step counts, so that a restart ends where the run would have.
#[derive(Clone, Debug)]
pub(super) struct SteadyCheck {
    /// Mean change of cells in a step of Courant number 1, relative to the values' mean, at which the run ends.
    pub tolerance: f64,
    /// The values before the step.
    pub before: Option<Vec<f64>>,
    /// The change at the last look.
    pub change: Option<f64>,
}

impl<const D: usize> Simulation<D> {
    /// The mean change of cells in the step of the last look, if steps are for a steady state: see `scheme.steady`.
    pub fn change(&self) -> Option<f64> {
        self.checks.steady.as_ref()?.change
    }

    /// Keeps the present values if the next step will be looked at.
    pub(super) fn keep_for_look(&mut self) {
        let is_due = (self.work.counts.levels[0].steps + 1).is_multiple_of(EVERY);
        if let Some(steady) = self.checks.steady.as_mut().filter(|_| is_due) {
            steady.before = self.exec.snapshot(Level::COARSEST).q.pop();
        }
    }

    /// True if the last step has been looked at and has changed next to nothing. `taken`: the Courant number of that step.
    pub(super) fn is_steady(&mut self, taken: f64) -> bool {
        let Some(before) = self.checks.steady.as_mut().and_then(|steady| steady.before.take()) else { return false };
        let now = self.exec.snapshot(Level::COARSEST).q.swap_remove(0);
        if now.len() != before.len() {
            // The cells are others.
            return false;
        }
        let cells = before.len() / self.names.equations.len();
        let sums = |m: usize| {
            let part = m * cells..(m + 1) * cells;
            let change: f64 = now[part.clone()].iter().zip(&before[part.clone()]).map(|(a, b)| (a - b).abs()).sum();
            [change / taken, now[part].iter().map(|value| value.abs()).sum()]
        };
        let sums: Vec<[f64; 2]> = (0..self.names.equations.len()).map(sums).collect();
        // Components of a vector are measured by the largest of them: one across the flow may be round-off alone.
        let mut scale: Vec<f64> = sums.iter().map(|[_, size]| *size).collect();
        for group in self.kernels.double.groups() {
            let of_group = group.first as usize..group.first as usize + group.len(D);
            let most = scale[of_group.clone()].iter().copied().fold(0.0, f64::max);
            scale[of_group].fill(most);
        }
        let relative = |([change, _], scale): (&[f64; 2], &f64)| if *change == 0.0 { 0.0 } else { change / scale };
        let change = sums.iter().zip(&scale).map(relative).fold(0.0, f64::max);
        let steady = self.checks.steady.as_mut().expect("it has looked");
        steady.change = Some(change);
        change < steady.tolerance
    }
}
