//! Values of the whole solution, and when they end a run. [`reduce`](super::reduce) makes parameters of them.
//!
//! They are taken where the solution is finest, in double precision and without fused operations, so that they have the same bits on all
//! devices and ranks. Where the values lie the executor finds the largest ones; those of derivatives, which differ by patches, the host finds
//! in snapshots.

use super::{RunError, Simulation};
use crate::exec::{ExecError, larger, raise};
use crate::frames::derived::{Formula, Whole, WholeFormula};
use crate::frames::frame::Frame;
use crate::index::Level;
use crate::plan::LevelPlans;
use crate::threads::parallel_map;

/// When a run ends before its time.
#[derive(Clone, Debug)]
pub(super) struct StopCondition<const D: usize> {
    /// It ends when this is not 0.
    pub formula: WholeFormula<D>,
    /// As for [`Simulation::values_of`].
    pub first: usize,
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
            simulation.values_of(std::slice::from_ref(&condition.formula), condition.first)
        };
        let values = if due { self.in_pool(look) } else { Ok(vec![0.0]) };
        self.stop_when = Some(condition);
        match values?[0] {
            value if value.is_nan() => Err(RunError::NoStopValue { time: self.time }),
            value => Ok(value != 0.0),
        }
    }

    /// The values of formulas at the present time, the same on all ranks; NaN where a value that one is of is NaN. `first`: the place of
    /// their first among the problem's `extremes`.
    ///
    /// # Errors
    /// Those of the executor.
    pub(super) fn values_of(&mut self, formulas: &[WholeFormula<D>], first: usize) -> Result<Vec<f64>, RunError> {
        if !self.aux_stays() {
            self.renew_aux()?;
        }
        let parts: Vec<&Whole<D>> = formulas.iter().flat_map(WholeFormula::parts).collect();
        let is_within = |part: &&&Whole<D>| matches!(part, Whole::Largest { .. }) && part.of_cell().is_none();
        let frame = parts.iter().any(|part| is_within(&part)).then(|| self.frame());
        let totals = parts.iter().any(|part| matches!(part, Whole::Total(_))).then(|| self.totals());
        let found = if parts.iter().any(|part| part.of_cell().is_some()) { self.extremes()? } else { Vec::new() };
        let mut found = found.into_iter().skip(first);
        let own = |part: &&Whole<D>| match (part, &frame, &totals) {
            (Whole::Total(equation), _, Some(totals)) => totals[*equation],
            (Whole::Largest { of, .. }, Some(frame), _) if part.of_cell().is_none() => self.largest(of, frame),
            _ => found.next().unwrap_or_else(|| unreachable!("what a part needs has been taken")),
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

    /// The problem's extremes, over all levels.
    fn extremes(&self) -> Result<Vec<f64>, ExecError> {
        let of_level = |l: usize| self.exec.extremes(Level(l as u8), self.plans.get(l + 1));
        let mut most = of_level(0)?;
        for l in 1..self.hierarchy.num_levels() {
            raise(&mut most, &of_level(l)?);
        }
        Ok(most)
    }

    /// The largest value of a formula with derivatives where the solution is finest, in this rank's patches; NaN if there is one.
    fn largest(&self, of: &Formula<D>, frame: &Frame<D>) -> f64 {
        let mut most = f64::NEG_INFINITY;
        for (l, level) in frame.levels.iter().enumerate() {
            let finer = self.plans.get(l + 1);
            let of_patch = |k: usize| {
                let (patch, mut most) = (&level.patches[k], f64::NEG_INFINITY);
                if patch.q.is_empty() {
                    return most;
                }
                let values = of.on_patch(frame, l, patch);
                for open in LevelPlans::uncovered_cells(finer, k, &patch.cells) {
                    for row in open.rows() {
                        let row = &values[patch.cells.number_of(row)..][..open.size()[0] as usize];
                        most = row.iter().fold(most, |most, &value| larger(most, value));
                    }
                }
                most
            };
            most = parallel_map(level.patches.len(), of_patch).into_iter().fold(most, larger);
        }
        most
    }

    /// Joins the largest values of all ranks, and makes smallest ones of them. Zeros become positive: which of two is taken depends on the
    /// order of cells.
    fn join(&mut self, parts: &[&Whole<D>], values: &mut [f64]) -> Result<(), ExecError> {
        let own: Vec<u64> = values.iter().map(|value| value.to_bits()).collect();
        let all = if self.ranks.is_solo() { vec![own] } else { self.ranks.gather(&own)? };
        for ((k, part), value) in parts.iter().enumerate().zip(values) {
            let Whole::Largest { negated, .. } = part else { continue };
            let most = all.iter().map(|words| f64::from_bits(words[k])).fold(f64::NEG_INFINITY, larger);
            *value = if *negated { 0.0 - most } else { 0.0 + most };
        }
        Ok(())
    }
}
