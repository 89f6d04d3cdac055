//! Values of the whole solution, and when they end a run. [`reduce`](super::reduce) makes parameters of them.
//!
//! They are taken where the solution is finest, in double precision and without fused operations, so that they have the same bits on all
//! devices and ranks. The executor finds the largest ones where the values lie.

use super::{RunError, Simulation};
use crate::exec::{ExecError, Reduction, larger, reduce_levels};
use crate::frames::derived::{Whole, WholeFormula};

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
        let Some(condition) = self.checks.stop_when.take() else { return Ok(false) };
        let due = self.work.counts.levels[0].steps.is_multiple_of(condition.every);
        let look = |simulation: &mut Self| {
            simulation.reduce()?;
            simulation.values_of(std::slice::from_ref(&condition.formula), condition.first)
        };
        let values = if due { self.in_pool(look) } else { Ok(vec![0.0]) };
        self.checks.stop_when = Some(condition);
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
        let is_total = |part: &&&Whole<D>| matches!(part, Whole::Total(_));
        let num_totals = parts.iter().filter(is_total).count();
        let totals = if num_totals > 0 { self.totals() } else { Vec::new() };
        let mut found = Vec::new();
        if num_totals < parts.len() {
            self.learn_leaves()?;
            reduce_levels(&*self.exec, Reduction::Extremes, &self.plans, &mut found)?;
        }
        let mut found = found.into_iter().skip(first);
        let own = |part: &&Whole<D>| match part {
            Whole::Total(equation) => totals[*equation],
            Whole::Largest { .. } => found.next().expect("the problem's extremes are those of all formulas"),
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

    /// Joins the largest values of all ranks, and makes smallest ones of them. Zeros become positive: which of two is taken depends on the
    /// order of cells.
    fn join(&mut self, parts: &[&Whole<D>], values: &mut [f64]) -> Result<(), ExecError> {
        let own: Vec<u64> = values.iter().map(|value| value.to_bits()).collect();
        let all = if self.crew.ranks.is_solo() { vec![own] } else { self.crew.ranks.gather(&own)? };
        for ((k, part), value) in parts.iter().enumerate().zip(values) {
            let Whole::Largest { negated, .. } = part else { continue };
            let most = all.iter().map(|words| f64::from_bits(words[k])).fold(f64::NEG_INFINITY, larger);
            *value = if *negated { 0.0 - most } else { 0.0 + most };
        }
        Ok(())
    }
}
