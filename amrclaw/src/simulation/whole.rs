//! Values of the whole solution, and when they end a run. [`reduce`](super::reduce) makes parameters of them.
//!
//! The host takes them of snapshots, cell by cell where the solution is finest, so that they have the same bits on all devices and ranks.

use super::{RunError, Simulation};
use crate::exec::ExecError;
use crate::frames::derived::{Formula, Whole, WholeFormula};
use crate::frames::frame::Frame;
use crate::plan::LevelPlans;
use crate::threads::parallel_map;

/// When a run ends before its time.
#[derive(Clone, Debug)]
pub(super) struct StopCondition<const D: usize> {
    /// It ends when this is not 0.
    pub formula: WholeFormula<D>,
    /// Steps of the coarsest level between looks.
    pub every: u64,
}

impl<const D: usize> Simulation<D> {
    /// True if the case's condition for an early end holds after the present step; the same on all ranks.
    ///
    /// # Errors
    /// A value is not a number; errors of the executor.
    pub fn stops(&mut self) -> Result<bool, RunError> {
        let Some(condition) = self.stop_when.take() else { return Ok(false) };
        let due = self.counts.levels[0].steps.is_multiple_of(condition.every);
        let look = |simulation: &mut Self| {
            simulation.reduce()?;
            simulation.values_of(std::slice::from_ref(&condition.formula))
        };
        let values = if due { self.in_pool(look) } else { Ok(vec![0.0]) };
        self.stop_when = Some(condition);
        match values?[0] {
            value if value.is_nan() => Err(RunError::NoStopValue { time: self.time }),
            value => Ok(value != 0.0),
        }
    }

    /// The values of formulas at the present time, the same on all ranks; NaN where a value that one is of is NaN.
    ///
    /// # Errors
    /// Those of the executor.
    pub(super) fn values_of(&mut self, formulas: &[WholeFormula<D>]) -> Result<Vec<f64>, RunError> {
        if !self.aux_stays() {
            self.renew_aux()?;
        }
        let parts: Vec<&Whole<D>> = formulas.iter().flat_map(WholeFormula::parts).collect();
        let is_extreme = |part: &&Whole<D>| matches!(part, Whole::Extreme { .. });
        let frame = parts.iter().any(is_extreme).then(|| self.frame());
        let totals = parts.iter().any(|part| !is_extreme(part)).then(|| self.totals());
        let own = |part: &&Whole<D>| match (part, &frame, &totals) {
            (Whole::Extreme { is_max, of }, Some(frame), _) => self.extreme(*is_max, of, frame),
            (Whole::Total(equation), _, Some(totals)) => totals[*equation],
            _ => unreachable!("what a part needs has been taken"),
        };
        let mut values: Vec<f64> = parts.iter().map(own).collect();
        self.join(&parts, &mut values)?;
        let mut rest = &values[..];
        let value = |formula: &WholeFormula<D>| {
            let (own, others) = rest.split_at(formula.parts().len());
            rest = others;
            if own.iter().any(|part| part.is_nan()) { f64::NAN } else { formula.value(self.time, own) }
        };
        Ok(formulas.iter().map(value).collect())
    }

    /// The largest or the smallest value of a formula where the solution is finest, in this rank's patches; NaN if there is one.
    fn extreme(&self, is_max: bool, of: &Formula<D>, frame: &Frame<D>) -> f64 {
        let mut most = start(is_max);
        for (l, level) in frame.levels.iter().enumerate() {
            let finer = self.plans.get(l + 1);
            let of_patch = |k: usize| {
                let (patch, mut most) = (&level.patches[k], start(is_max));
                if patch.q.is_empty() {
                    return most;
                }
                let values = of.on_patch(frame, l, patch);
                for open in LevelPlans::uncovered_cells(finer, k, &patch.cells) {
                    for row in open.rows() {
                        let row = &values[patch.cells.number_of(row)..][..open.size()[0] as usize];
                        most = row.iter().fold(most, |most, &value| further(is_max, most, value));
                    }
                }
                most
            };
            let of_patches = parallel_map(level.patches.len(), of_patch);
            most = of_patches.into_iter().fold(most, |most, value| further(is_max, most, value));
        }
        most
    }

    /// Joins the extremes of all ranks.
    fn join(&mut self, parts: &[&Whole<D>], values: &mut [f64]) -> Result<(), ExecError> {
        if self.ranks.is_solo() {
            return Ok(());
        }
        let own: Vec<u64> = values.iter().map(|value| value.to_bits()).collect();
        for words in self.ranks.gather(&own)? {
            for ((part, value), bits) in parts.iter().zip(&mut *values).zip(words) {
                if let Whole::Extreme { is_max, .. } = part {
                    *value = further(*is_max, *value, f64::from_bits(bits));
                }
            }
        }
        Ok(())
    }
}

fn start(is_max: bool) -> f64 {
    if is_max { f64::NEG_INFINITY } else { f64::INFINITY }
}

/// The larger of two values, or the smaller one; NaN if one is.
fn further(is_max: bool, a: f64, b: f64) -> f64 {
    if a.is_nan() || a > b && is_max || a < b && !is_max { a } else { b }
}
