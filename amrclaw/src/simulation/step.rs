//! One coarse step with the substeps of all finer levels, and its retries.
//!
//! One thread of the run takes all steps. Ghost cells that a regrid has filled are not filled again for the steps that begin at its time
//! (`MeshChange::first_unfilled`). An executor that works asynchronously gets the first work of the next coarse step before its results are
//! waited for.

use super::{RunError, Simulation, StepLimit};
use crate::diagnose::{Counts, Phase};
use crate::exec::{ExecError, NewValues};
use crate::index::Level;
use crate::mesh::Hierarchy;
use crate::plan::{LevelPlans, MeshChange};
use crate::schedule::{Step, Subcycle};
use std::sync::Arc;
use std::time::Instant;
use tracing::{debug, info_span};

/// A step may be this much longer to reach a given time, instead of leaving a tiny step for the next.
const STRETCH: f64 = 1.001;

/// A step may exceed the longest by this fraction of it: times are sums of steps.
const ROUND_OFF: f64 = 1e-9;

/// Coarse steps in which faces fall back to first order where states would become inadmissible, once a step has needed that.
const FALLBACK_STEPS: u32 = 16;

/// The state to which a rejected step returns, besides the values. Reused from step to step, so that saving allocates nothing.
pub(super) struct Saved<const D: usize> {
    hierarchy: Hierarchy<D>,
    plans: Arc<Vec<LevelPlans<D>>>,
    subcycle: Subcycle,
    counts: Counts,
    gauge_lengths: Vec<usize>,
}

impl<const D: usize> Simulation<D> {
    /// Takes one step of the coarsest level, and the finer levels with it.
    ///
    /// # Errors
    /// The Courant number stayed too large, or the solution is no longer finite or admissible: the state is then that before the
    /// step. The solution grows beyond what its data give, or steps of the source term are unstable.
    pub fn step(&mut self) -> Result<(), RunError> {
        self.attempt(|simulation| simulation.take_step(f64::INFINITY))
    }

    /// Takes steps until `time`; the last step is adjusted to end exactly there.
    ///
    /// # Errors
    /// As for [`Simulation::step`].
    pub fn advance_to(&mut self, time: f64) -> Result<(), RunError> {
        while self.time < time {
            self.step_to(time)?;
        }
        Ok(())
    }

    /// Takes one step, which ends exactly at `limit` if it would reach or nearly reach it.
    ///
    /// # Errors
    /// As for [`Simulation::step`].
    pub fn step_to(&mut self, limit: f64) -> Result<(), RunError> {
        self.attempt(|simulation| simulation.take_step(limit))
    }

    fn take_step(&mut self, limit: f64) -> Result<(), RunError> {
        self.reduce()?;
        let taken = self.step_towards(limit);
        if taken.is_err() {
            self.log_reduced();
        }
        taken?;
        let steps = self.work.counts.levels[0].steps;
        if steps.is_multiple_of(self.settings.regrid_interval) { self.renew_leaves(false).map(drop) } else { Ok(()) }
    }

    fn step_towards(&mut self, limit: f64) -> Result<(), RunError> {
        let mut dt = if self.next.dt.is_finite() { self.next.dt } else { self.step_without_motion(limit) };
        let (asked, mut limited) = (dt, self.next.limited_by);
        let mut hits = self.time + STRETCH * dt >= limit;
        if hits {
            (dt, limited) = (limit - self.time, StepLimit::Courant);
        }
        if dt > self.next.limits.longest_at(self.time) * (1.0 + ROUND_OFF) {
            // Two equal steps, rather than a long and a tiny one.
            (dt, limited, hits) = (0.5 * dt, StepLimit::DtMax, false);
        }
        let (mut tries, mut fell_back, falls_back) = (1, false, self.next.fallback_left > 0);
        let mut ahead = self.exec.prepare_steps(falls_back, None)?.works_ahead;
        let saved = self.save();
        loop {
            if self.time + dt <= self.time {
                return Err(RunError::StepTooSmall { dt, time: self.time });
            }
            match self.coarse_step(dt, tries, ahead) {
                Ok(true) => break,
                Err(error) if !(ahead && is_invalid(&error)) => {
                    self.restore(&saved)?;
                    let may_fall_back = is_invalid(&error) && !falls_back && !fell_back;
                    if may_fall_back && self.exec.prepare_steps(true, None)?.can_fall_back {
                        debug!(%error, dt, "step taken again, at first order where states would be inadmissible");
                        self.work.counts.retries += u64::from(tries - 1);
                        fell_back = true;
                        continue;
                    }
                    let may_retry = self.settings.dt_fixed.is_none() && tries <= self.settings.max_retries;
                    let Some(factor) = self.shortened_by(&error).filter(|_| may_retry) else {
                        return Err(error.with_help(&self.names.solver));
                    };
                    debug!(%error, dt, "step taken again");
                    dt *= factor;
                    if tries > 1 && self.hierarchy.num_levels() > 1 {
                        // Levels are asked in turn, and the try before has stopped at another one than this.
                        let shortened = self.shortened_by_first_steps(dt);
                        self.restore(&saved)?;
                        dt *= shortened?;
                    }
                    self.work.counts.retries += u64::from(tries);
                    (hits, limited) = (false, StepLimit::Courant);
                    tries += 1;
                }
                // Taken again step by step: errors then come in the order in which every executor finds them.
                _ => {
                    self.restore(&saved)?;
                    // The restored counts do not include this step's retries.
                    self.work.counts.retries += u64::from(tries - 1);
                    ahead = false;
                }
            }
        }
        self.count_fallback(falls_back, fell_back);
        self.time = if hits { limit } else { self.time + dt };
        self.saved = Some(saved);
        for l in 0..self.hierarchy.num_levels() {
            self.exec.set_time(Level(l as u8), self.time);
        }
        self.follow_mesh();
        limited.count(&mut self.work.counts.limited);
        // A step that only a time to reach has shortened leaves the next as long as it would have been.
        self.choose_next_step(if tries == 1 { asked } else { dt });
        self.watch_source(hits)?;
        self.watch_growth(hits)
    }

    /// Chooses the step that the next coarse step will try, after one of size `dt`.
    fn choose_next_step(&mut self, dt: f64) {
        let is_second = self.work.counts.levels[0].steps == 1;
        (self.next.dt, self.next.limited_by) = match self.settings.dt_fixed {
            Some(fixed) => (fixed, StepLimit::Courant),
            None => self.next.limits.next(self.time, dt, self.subcycle.dt_wanted(), is_second),
        };
    }

    /// The step where nothing moves, which no Courant number limits: up to the limit, or to the end.
    fn step_without_motion(&self, limit: f64) -> f64 {
        let rest = [limit, self.settings.end].map(|end| end - self.time).into_iter().find(|rest| rest.is_finite());
        rest.filter(|&rest| rest > 0.0).unwrap_or(self.settings.dt_initial)
    }

    /// The factor for the step size of the next try, if a smaller step may succeed.
    fn shortened_by(&self, error: &RunError) -> Option<f64> {
        match error {
            RunError::Courant { courant, .. } => Some(self.settings.cfl_desired / courant),
            // If a step was too large for a source or a strong wave, no Courant number tells by how much.
            error if is_invalid(error) || matches!(error, RunError::Exec(ExecError::Folded(_))) => Some(0.5),
            _ => None,
        }
    }

    /// Counts a step and decides about the next. `falls_back`: faces could fall back from the start; `fell_back`: since the step was repeated.
    fn count_fallback(&mut self, falls_back: bool, fell_back: bool) {
        if fell_back {
            self.next.fallback_left = FALLBACK_STEPS;
        }
        if falls_back || fell_back {
            self.next.fallback_left -= 1;
            self.work.counts.fallback.taken += 1;
            self.work.counts.fallback.repeated += u64::from(fell_back);
        }
    }

    /// The factor for a step of size `dt` with which no level's first step within it exceeds the largest Courant number. The values are then
    /// those after these steps.
    fn shortened_by_first_steps(&mut self, mut dt: f64) -> Result<f64, RunError> {
        let mut factor = 1.0;
        for l in 0..self.hierarchy.num_levels() {
            let level = Level(l as u8);
            if l > 0 {
                dt /= f64::from(self.settings.time_ratios[l - 1]);
            }
            self.advance_level(level, self.time, factor * dt)?;
            let report = self.wait_for_report()?;
            if report.broken.is_some() {
                break;
            }
            if report.courant > self.settings.cfl_max {
                factor *= self.settings.cfl_desired / report.courant;
            }
            self.fill_for_finer(level)?;
        }
        Ok(factor)
    }

    /// What is remembered besides the values.
    fn save(&mut self) -> Box<Saved<D>> {
        let gauge_lengths = self.gauges.iter().map(super::Gauge::len);
        let Some(mut saved) = self.saved.take() else {
            return Box::new(Saved {
                hierarchy: self.hierarchy.clone(),
                plans: self.plans.clone(),
                subcycle: self.subcycle.clone(),
                counts: self.work.counts.clone(),
                gauge_lengths: gauge_lengths.collect(),
            });
        };
        saved.hierarchy.clone_from(&self.hierarchy);
        saved.plans.clone_from(&self.plans);
        saved.subcycle.clone_from(&self.subcycle);
        saved.counts.clone_from(&self.work.counts);
        saved.gauge_lengths.clear();
        saved.gauge_lengths.extend(gauge_lengths);
        saved
    }

    fn restore(&mut self, saved: &Saved<D>) -> Result<(), ExecError> {
        self.deferred.forget();
        self.next.filled = 0..0;
        for (repeated, (done, before)) in
            self.work.repeated.iter_mut().zip(self.work.counts.levels.iter().zip(&saved.counts.levels))
        {
            repeated.add_since(done, before);
        }
        let rejected = std::mem::replace(&mut self.hierarchy, saved.hierarchy.clone());
        self.plans = saved.plans.clone();
        self.subcycle = saved.subcycle.clone();
        self.work.counts = saved.counts.clone();
        let options = self.plan_options();
        let mut back = MeshChange::back(&self.hierarchy, self.plans.clone(), &rejected, options);
        self.exec.adopt(&mut back, NewValues::Saved)?;
        if let Some(on_mesh) = &self.problem.on_mesh {
            on_mesh.sides.in_time.set_time(self.time);
        }
        for (gauge, &len) in self.gauges.iter_mut().zip(&saved.gauge_lengths) {
            gauge.truncate(len);
            gauge.locate(&self.hierarchy);
        }
        self.monitors.forget();
        Ok(())
    }

    /// One Berger–Oliger step in the order of the schedule. `ahead`: order each step without waiting for the report of the one
    /// before. False if the steps ordered ahead turn out to be wrong.
    fn coarse_step(&mut self, dt: f64, tries: u32, ahead: bool) -> Result<bool, RunError> {
        self.subcycle.begin(self.time, dt);
        self.work.last_courant = 0.0;
        self.checks.sources.reverses = false;
        self.deferred.begin(&self.subcycle);
        while let Some(step) = self.subcycle.next_step() {
            if let Err(stopped) = self.check_stop() {
                // Waits for the steps already ordered, and discards them.
                self.collect()?;
                return Err(stopped);
            }
            match step {
                Step::Regrid { base } => self.regrid(base, dt)?,
                Step::Advance { level, time, dt } => {
                    self.advance_level(level, time, dt)?;
                    let courant = match ahead {
                        true => self.deferred.expected(level, dt),
                        false => self.report_of_step(level, time, dt, tries)?,
                    };
                    self.subcycle.report(courant);
                    self.fill_for_finer(level)?;
                }
                Step::Synchronize { coarse, time } => self.synchronize(coarse, time)?,
            }
            self.deferred.note(step, self.hierarchy.finest());
        }
        if ahead {
            self.fill_ahead()?;
            return self.collect_deferred(tries);
        }
        // The last conservation fixes may still have errors to report.
        self.collect()?;
        Ok(true)
    }

    fn advance_level(&mut self, level: Level, time: f64, dt: f64) -> Result<(), RunError> {
        let _span = info_span!("advance", %level, time, dt).entered();
        let plans = self.plans.clone();
        if !self.take_filled(level) {
            self.fill_ghosts(level)?;
        }
        self.record_gauges(level, time);
        self.look_within(level, time)?;
        let (exec, clock, waited) = (&mut self.exec, Instant::now(), self.crew.ranks.traffic().waited);
        self.work.stopwatch.time(Phase::Advance, || exec.advance(level, &plans, dt))?;
        let counts = &mut self.work.counts.levels[level.index()];
        let mesh = self.hierarchy.level(level);
        counts.steps += 1;
        counts.cells += mesh.num_cells() as u64;
        counts.patches += mesh.patches().len() as u64;
        if let Some(partition) = &plans[level.index()].partition {
            let own = partition.patches_of(self.crew.ranks.rank().number);
            let cells = own.map(|k| mesh.patches()[k].volume() as u64).sum();
            self.work.own_cells_advanced += cells;
            let waited = self.crew.ranks.traffic().waited - waited;
            self.work.speeds.note(cells, clock.elapsed().as_secs_f64() - waited);
        }
        Ok(())
    }

    /// Orders the filling of the ghost cells for the next step before the reports of this one are read, so that the executor has work
    /// meanwhile. Not with the user's boundary functions, which may be called only when the step is taken.
    fn fill_ahead(&mut self) -> Result<(), RunError> {
        if self.aux_is_final() && !self.problem.has_user_sides() {
            self.fill_ghosts(Level::COARSEST)?;
            self.next.filled = 0..1;
        }
        Ok(())
    }

    /// True if auxiliary values do not depend on time.
    pub fn aux_stays(&self) -> bool {
        self.problem.aux.as_ref().is_none_or(|aux| !aux.depends_on_time())
    }

    /// True if auxiliary values no longer change.
    pub(super) fn aux_is_final(&self) -> bool {
        self.problem.aux.as_ref().is_none_or(|aux| aux.stays(self.time, f64::INFINITY))
    }

    fn fill_ghosts(&mut self, level: Level) -> Result<(), ExecError> {
        let (exec, plans) = (&mut self.exec, &self.plans[level.index()]);
        self.work.stopwatch.time(Phase::Ghost, || exec.fill_ghosts(level, plans))
    }

    /// True if the ghost cells for a level's next step have been filled; they count as used then.
    fn take_filled(&mut self, level: Level) -> bool {
        let is_next = self.next.filled.contains(&level.index());
        self.next.filled.start = self.next.filled.start.max(level.index() + 1);
        is_next
    }

    /// Fills a level's ghost cells at its new time, for the slopes from which the finer level's ghost cells are interpolated.
    fn fill_for_finer(&mut self, level: Level) -> Result<(), RunError> {
        if level < self.hierarchy.finest() {
            self.fill_ghosts(level)?;
        }
        Ok(())
    }

    fn synchronize(&mut self, coarse: Level, time: f64) -> Result<(), ExecError> {
        let fine = coarse.finer();
        let plans = self.plans.clone();
        let exec = &mut self.exec;
        exec.set_time(fine, time);
        self.work.stopwatch.time(Phase::Reflux, || exec.reflux(fine, &plans[fine.index()]));
        if self.problem.scheme.capacity >= 0 {
            // Averages weigh with capacities of one time; the steps have left those of their middles.
            exec.renew_aux(coarse, None)?;
            exec.renew_aux(fine, None)?;
        }
        self.work.stopwatch.time(Phase::Average, || exec.average_down(fine, &plans[fine.index()]));
        Ok(())
    }
}

/// True if values are not finite or not admissible.
fn is_invalid(error: &RunError) -> bool {
    use ExecError::{Inadmissible, LostWithinStep, NotFinite};
    matches!(error, RunError::Exec(NotFinite { .. } | Inadmissible { .. } | LostWithinStep { .. }))
}
