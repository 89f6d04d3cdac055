//! Detects solutions that grow beyond any bound from their data: an unstable scheme need not reach infinity before the end of the
//! run.
//!
//! A check takes the largest absolute value of each quantity, with the components of a vector taken together. It fails if *every*
//! nonzero quantity has grown by the limit: in a blast the momentum grows from zero while density and energy keep their size,
//! whereas the waves of an unstable scheme grow in all equations alike. Growth is relative to the value at the start or, for a
//! quantity that is zero then, to the first nonzero value seen. If sources or the user's boundaries feed the solution, growth is
//! relative to the largest value up to the last check, the limit holds per ten steps, and quantities that start at zero are ignored.
//!
//! Checks are rare and so almost free: after steps whose number is a power of two, whenever many times as many cells have been
//! updated since the last check as there are cells, and at the end of the run.

use super::{RunError, Simulation};
use crate::exec::{CellPlace, ExecError, Reduction, reduce_levels};
use crate::index::Level;
use crate::physics::Problem;
use riemann::group::Group;
use riemann::patch::PatchSolver;
use riemann::real::Scalar;
use serde::{Deserialize, Serialize};

/// Average number of updates of a cell between two checks.
const UPDATES_PER_CHECK: u64 = 128;
/// Number of coarse steps over which the limit applies if sources or boundaries feed the solution.
const STEPS_PER_LIMIT: f64 = 10.0;
/// A step is suspicious if it is smaller than the longest one by this factor.
const COLLAPSE: f64 = 1e-6;
/// A run with so many steps left will not reach its end.
const MAX_REMAINING_STEPS: f64 = 1e8;

/// What the growth check remembers between checks.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct GrowthRecord {
    /// For each group of equations the absolute value relative to which growth is measured; zero until one has been seen.
    measure: Vec<f64>,
    /// Coarse steps at the last look.
    steps: u64,
    /// Cells advanced at the last look.
    cells: u64,
    /// The longest step that the Courant number has asked for.
    longest_step: f64,
}

/// The growth check of a run.
#[derive(Debug)]
pub(super) struct GrowthCheck {
    /// Growth at which the check fails; 0 to disable it.
    limit: f64,
    /// The solution is fed by sources or boundaries.
    fed: bool,
    /// Group of each equation: components of a vector are one.
    groups: Vec<usize>,
    /// The first equation whose quantity has a least value, such as a depth.
    with_least: Option<usize>,
    record: GrowthRecord,
    /// Largest absolute values of the equations at the present look. Kept, so that a look allocates nothing.
    largest: Vec<f64>,
}

impl GrowthCheck {
    /// `groups`: which of the `num_eqn` equations are components of one vector or tensor. `with_least`: [`first_with_least`].
    pub fn new<const D: usize>(
        limit: f64,
        problem: &Problem<D>,
        has_source: bool,
        (num_eqn, groups): (usize, &[Group]),
        with_least: Option<usize>,
    ) -> Self {
        let first =
            |m: usize| groups.iter().find(|group| group.components(D).contains(&m)).map(|group| group.first as usize);
        let groups = (0..num_eqn).map(|m| first(m).unwrap_or(m)).collect();
        let fed = has_source || problem.source.is_some() || problem.has_user_sides();
        let record = GrowthRecord { measure: vec![0.0; num_eqn], ..GrowthRecord::default() };
        GrowthCheck { limit, fed, groups, with_least, record, largest: vec![0.0; num_eqn] }
    }

    /// The record to store in a checkpoint.
    pub fn record(&self) -> &GrowthRecord {
        &self.record
    }

    /// Continues from a checkpoint's record; without one the check starts anew.
    pub fn resume(&mut self, record: &GrowthRecord) {
        if record.measure.len() == self.groups.len() {
            self.record.clone_from(record);
        }
    }

    /// Whether a look is due after `steps` coarse steps that advanced `cells` cells; there are `present` cells now.
    fn is_due(&self, steps: u64, cells: u64, present: u64) -> bool {
        steps.is_power_of_two() || cells - self.record.cells >= UPDATES_PER_CHECK * present
    }

    /// Growth that is allowed since the measure was taken.
    fn allowed(&self, steps: u64) -> f64 {
        if !self.fed {
            return self.limit;
        }
        self.limit.powf(((steps - self.record.steps) as f64 / STEPS_PER_LIMIT).max(1.0))
    }

    /// The largest value in a group of equations.
    fn of_group(&self, group: usize) -> f64 {
        let values = self.groups.iter().zip(&self.largest).filter(|(g, _)| **g == group);
        values.fold(0.0, |most, (_, &value)| most.max(value))
    }

    /// Checks the largest values of the equations. Returns the equation that has grown most, and its measure, if all have grown
    /// too much.
    fn look(&mut self, steps: u64, cells: u64) -> Option<(usize, f64)> {
        let allowed = self.allowed(steps);
        let measure = |group: usize| self.record.measure[group];
        let equations = 0..self.groups.len();
        let some = equations.clone().any(|group| measure(group) > 0.0);
        if some
            && equations.clone().all(|group| measure(group) == 0.0 || self.of_group(group) > allowed * measure(group))
        {
            let growth = |&m: &usize| {
                let measure = measure(self.groups[m]);
                if measure > 0.0 { self.largest[m] / measure } else { 0.0 }
            };
            let most = equations.max_by(|a, b| growth(a).total_cmp(&growth(b)));
            return most.map(|m| (m, measure(self.groups[m])));
        }
        for group in equations {
            let (before, now) = (self.record.measure[group], self.of_group(group));
            // A fed quantity that starts at zero has no measure: a pulse may enter as steeply as its formula says.
            let known = before > 0.0 || steps == 0;
            self.record.measure[group] = match self.fed {
                true if known => before.max(now),
                false if before == 0.0 => now,
                _ => before,
            };
        }
        (self.record.steps, self.record.cells) = (steps, cells);
        None
    }

    /// Checks the next step size, `left` before the end of the run. Returns the longest step so far if the step size has
    /// collapsed.
    fn collapsed(&mut self, dt: f64, left: f64) -> Option<f64> {
        self.record.longest_step = self.record.longest_step.max(dt.min(left));
        let longest = self.record.longest_step;
        (dt < COLLAPSE * longest && left > MAX_REMAINING_STEPS * dt).then_some(longest)
    }
}

impl<const D: usize> Simulation<D> {
    /// Checks the solution's growth if that is due, or in any case if `now`.
    pub(super) fn watch_growth(&mut self, now: bool) -> Result<(), RunError> {
        if self.checks.growth.limit <= 0.0 {
            return Ok(());
        }
        let (steps, cells) = (self.work.counts.levels[0].steps, self.work.counts.cells_total());
        if self.settings.dt_fixed.is_none()
            && let Some(longest) = self.checks.growth.collapsed(self.next.dt, self.settings.end - self.time)
        {
            let (equation, is_least) = self.checks.growth.with_least.map_or((0, false), |equation| (equation, true));
            let measure = self.checks.growth.record.measure[self.checks.growth.groups[equation]];
            let (value, place) = self.place_of(equation, is_least)?;
            let equation = self.names.equations[equation].clone();
            let dt = self.next.dt;
            return Err(RunError::StepCollapse { dt, longest, equation, value, measure, is_least, place });
        }
        let present: usize = self.hierarchy.levels().iter().map(|level| level.num_cells()).sum();
        if !(now || self.checks.growth.is_due(steps, cells, present as u64))
            || steps == self.checks.growth.record.steps && steps > 0
        {
            return Ok(());
        }
        reduce_levels(&*self.exec, Reduction::Largest, &self.plans, &mut self.checks.growth.largest)?;
        self.raise_to_largest_of_all()?;
        let since = if self.checks.growth.fed { self.checks.growth.record.steps } else { 0 };
        let Some((equation, measure)) = self.checks.growth.look(steps, cells) else { return Ok(()) };
        let (value, place) = self.place_of(equation, false)?;
        let equation = self.names.equations[equation].clone();
        Err(RunError::Growth { equation, value, measure, steps: steps - since, place })
    }

    /// Checks the solution's growth now.
    ///
    /// # Errors
    /// The solution has grown beyond any bound from its data.
    pub fn check_growth(&mut self) -> Result<(), RunError> {
        self.in_pool(|simulation| simulation.watch_growth(true))
    }

    /// Raises `largest` to the largest values over all ranks.
    fn raise_to_largest_of_all(&mut self) -> Result<(), ExecError> {
        if self.crew.ranks.is_solo() {
            return Ok(());
        }
        let own: Vec<u64> = self.checks.growth.largest.iter().map(|value| value.to_bits()).collect();
        for words in self.crew.ranks.gather(&own)? {
            let largest = self.checks.growth.largest.iter_mut().zip(words);
            largest.for_each(|(most, bits)| *most = most.max(f64::from_bits(bits)));
        }
        Ok(())
    }

    /// The least value of an equation, or that with the largest absolute value, and its cell.
    fn place_of(&self, equation: usize, least: bool) -> Result<(f64, Box<CellPlace>), ExecError> {
        let order: fn(&(u64, CellPlace)) -> usize = if least {
            |(bits, _)| ascending(f64::from_bits(*bits))
        } else {
            |(bits, _)| !ascending(f64::from_bits(*bits).abs())
        };
        let is_beyond = |a: f64, b: f64| if least { a < b } else { a.abs() > b.abs() };
        let first = if least { f64::INFINITY } else { 0.0 };
        let mut found = (first, Level::COARSEST, 0, self.hierarchy.level(Level::COARSEST).patches()[0].lo);
        for l in 0..self.hierarchy.num_levels() {
            let level = Level(l as u8);
            let state = self.exec.snapshot(level);
            let patches = self.hierarchy.level(level).patches().iter().zip(&state.q).enumerate();
            for (k, (patch, q)) in patches.filter(|(_, (_, q))| !q.is_empty()) {
                let values = &q[equation * patch.volume()..][..patch.volume()];
                for (cell, &value) in patch.cells().zip(values) {
                    if is_beyond(value, found.0) {
                        found = (value, level, k, cell);
                    }
                }
            }
        }
        let (value, level, patch, cell) = found;
        let centre = self.problem.centre(&self.hierarchy.geometry(level), cell).to_vec();
        let own =
            (value.to_bits(), CellPlace { level, patch, cell: cell.to_vec(), ghost: false, centre, time: self.time });
        let told = match self.crew.ranks.is_solo() {
            true => None,
            false => self.crew.ranks.first(Some(&own), order)?,
        };
        let (bits, place) = told.map_or(own, |(_, found)| found);
        Ok((f64::from_bits(bits), Box::new(place)))
    }
}

/// An integer that has the order of the numbers, except NaN.
fn ascending(x: f64) -> usize {
    let bits = x.to_bits();
    (if x.is_sign_negative() { !bits } else { bits | 1 << 63 }) as usize
}

/// The first equation of a solver whose quantity must be positive, or must not be negative.
pub(super) fn first_with_least<R: Scalar>(solver: &dyn PatchSolver<R>) -> Option<usize> {
    let with_least: Vec<&str> = solver.positive().iter().chain(solver.nonnegative()).copied().collect();
    solver.equations().iter().position(|name| with_least.contains(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An alarm for a gas: density, a vector of momentum, energy.
    fn gas(fed: bool) -> GrowthCheck {
        let record = GrowthRecord { measure: vec![0.0; 4], ..GrowthRecord::default() };
        GrowthCheck { limit: 1e6, fed, groups: vec![0, 1, 1, 3], with_least: Some(0), record, largest: vec![0.0; 4] }
    }

    /// A look at these values after so many steps.
    fn look(growth: &mut GrowthCheck, values: [f64; 4], steps: u64) -> Option<(usize, f64)> {
        growth.largest.copy_from_slice(&values);
        growth.look(steps, 100 * steps)
    }

    /// A blast creates momentum from zero or from noise, while density keeps its size.
    #[test]
    fn a_blast_is_no_alarm() {
        let mut growth = gas(false);
        assert_eq!(look(&mut growth, [1.0, 0.0, 1e-17, 1e5], 0), None);
        assert_eq!(look(&mut growth, [3.0, 2e2, 3e2, 9e5], 1), None);
        assert_eq!(look(&mut growth, [5.0, 9e3, 9e3, 9e9], 2), None);
    }

    /// All equations a million times what they were: an alarm that names the one which has grown most.
    #[test]
    fn growth_of_everything_is_an_alarm() {
        let mut growth = gas(false);
        assert_eq!(look(&mut growth, [1.0, 0.0, 0.0, 2.0], 0), None);
        assert_eq!(look(&mut growth, [1.0, 1e-2, 0.0, 2.0], 1), None);
        assert_eq!(look(&mut growth, [1e7, 1e5, 1e6, 4e6], 2), Some((2, 1e-2)));
    }

    /// A fed solution may grow by a factor of three per step, but not by a million in ten steps; a quantity that starts at zero may
    /// grow to any size.
    #[test]
    fn what_is_fed_may_grow_steadily() {
        let mut growth = gas(true);
        let mut value = 1e-20;
        assert_eq!(look(&mut growth, [value; 4], 0), None);
        for step in 1..60 {
            value *= 3.0;
            assert_eq!(look(&mut growth, [value; 4], step), None, "step {step}");
        }
        assert_eq!(look(&mut growth, [1e7 * value; 4], 65).map(|(_, measure)| measure), Some(value));
        let mut empty = gas(true);
        for (step, value) in [0.0, 1e-20, 1e-3, 1e9].into_iter().enumerate() {
            assert_eq!(look(&mut empty, [value; 4], step as u64), None);
        }
    }

    /// A step size that falls by many orders of magnitude is an error only if the run could not reach its end.
    #[test]
    fn a_collapse_leaves_too_many_steps() {
        let mut growth = gas(false);
        assert_eq!(growth.collapsed(f64::INFINITY, 1.0), None, "nothing moves yet");
        assert_eq!(growth.collapsed(1e-7, 1.0), None, "a wave has set in, and ten million steps are left");
        assert_eq!(growth.collapsed(1e-12, 0.5), Some(1.0));
        let mut small = gas(false);
        assert_eq!(small.collapsed(1e-12, 1.0), None, "small from the start");
    }
}
