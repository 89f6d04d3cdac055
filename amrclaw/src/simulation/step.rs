//! One coarse step with all finer levels' substeps; taking it again.

use super::{RunError, Simulation};
use crate::diagnose::{Counts, Phase};
use crate::exec::ExecError;
use crate::index::Level;
use crate::mesh::Hierarchy;
use crate::plan::{LevelPlans, MeshChange};
use crate::schedule::{Step, Subcycle};
use std::sync::Arc;
use std::time::Instant;
use tracing::{debug, info_span};

/// A step may be this much longer to reach a given time, instead of leaving a tiny step for the next.
const STRETCH: f64 = 1.001;

/// What a rejected step returns to, besides the values. Kept from step to step, so that saving allocates nothing.
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
    /// step. The solution grows beyond what its data give.
    pub fn step(&mut self) -> Result<(), RunError> {
        self.attempt(|simulation| simulation.step_towards(f64::INFINITY))
    }

    /// Takes steps until the time is `time`, which the last step is made to hit.
    ///
    /// # Errors
    /// As for [`Simulation::step`].
    pub fn advance_to(&mut self, time: f64) -> Result<(), RunError> {
        while self.time < time {
            self.step_to(time)?;
        }
        Ok(())
    }

    /// Takes one step, which is made to hit `limit` if it comes near.
    ///
    /// # Errors
    /// As for [`Simulation::step`].
    pub fn step_to(&mut self, limit: f64) -> Result<(), RunError> {
        self.attempt(|simulation| simulation.step_towards(limit))
    }

    fn step_towards(&mut self, limit: f64) -> Result<(), RunError> {
        let mut dt = if self.dt_next.is_finite() { self.dt_next } else { limit - self.time };
        let mut hits = self.time + STRETCH * dt >= limit;
        if hits {
            dt = limit - self.time;
        }
        let saved = self.save();
        let mut tries = 1;
        let mut ahead = self.exec.works_ahead();
        loop {
            if self.time + dt <= self.time {
                return Err(RunError::StepTooSmall { dt, time: self.time });
            }
            match self.coarse_step(dt, tries, ahead) {
                Ok(true) => break,
                Ok(false) => {
                    self.restore(&saved);
                    // What was restored knows of none of this step's retries.
                    self.counts.retries += u64::from(tries - 1);
                    ahead = false;
                }
                Err(error) => {
                    self.restore(&saved);
                    let may_retry = self.settings.dt_fixed.is_none() && tries <= self.settings.max_retries;
                    let Some(factor) = self.shortened_by(&error).filter(|_| may_retry) else {
                        return Err(error.with_help(&self.solver_name));
                    };
                    debug!(%error, dt, "step taken again");
                    self.counts.retries += u64::from(tries);
                    dt *= factor;
                    hits = false;
                    tries += 1;
                }
            }
        }
        self.time = if hits { limit } else { self.time + dt };
        self.saved = Some(saved);
        for l in 0..self.hierarchy.num_levels() {
            self.exec.set_time(Level(l as u8), self.time);
        }
        self.dt_next = match self.settings.dt_fixed {
            Some(fixed) => fixed,
            None => self.subcycle.dt_wanted(),
        };
        self.watch_growth(hits)
    }

    /// What to multiply a step by that failed, if a smaller one may succeed.
    fn shortened_by(&self, error: &RunError) -> Option<f64> {
        match error {
            RunError::Courant { courant, .. } => Some(self.settings.cfl_desired / courant),
            // A step that is too large for a source or a strong wave leaves no Courant number that would say how large.
            RunError::Exec(
                ExecError::NotFinite { .. } | ExecError::Inadmissible { .. } | ExecError::LostWithinStep { .. },
            ) => Some(0.5),
            _ => None,
        }
    }

    fn save(&mut self) -> Box<Saved<D>> {
        self.exec.save();
        let gauge_lengths = self.gauges.iter().map(super::Gauge::len);
        let Some(mut saved) = self.saved.take() else {
            return Box::new(Saved {
                hierarchy: self.hierarchy.clone(),
                plans: self.plans.clone(),
                subcycle: self.subcycle.clone(),
                counts: self.counts.clone(),
                gauge_lengths: gauge_lengths.collect(),
            });
        };
        saved.hierarchy.clone_from(&self.hierarchy);
        saved.plans.clone_from(&self.plans);
        saved.subcycle.clone_from(&self.subcycle);
        saved.counts.clone_from(&self.counts);
        saved.gauge_lengths.clear();
        saved.gauge_lengths.extend(gauge_lengths);
        saved
    }

    fn restore(&mut self, saved: &Saved<D>) {
        self.deferred.forget();
        self.filled = 0..0;
        let rejected = std::mem::replace(&mut self.hierarchy, saved.hierarchy.clone());
        self.plans = saved.plans.clone();
        self.subcycle = saved.subcycle.clone();
        self.counts = saved.counts.clone();
        let options = self.plan_options();
        self.exec.restore(&MeshChange::back(&self.hierarchy, self.plans.clone(), &rejected, options));
        for (gauge, &len) in self.gauges.iter_mut().zip(&saved.gauge_lengths) {
            gauge.truncate(len);
            gauge.locate(&self.hierarchy);
        }
    }

    /// Berger–Oliger: what the schedule says, in its order. `ahead`: without waiting for the report of each step before
    /// the next. False if that led to other steps than those to take.
    fn coarse_step(&mut self, dt: f64, tries: u32, ahead: bool) -> Result<bool, RunError> {
        self.subcycle.begin(self.time, dt);
        self.deferred.begin(&self.subcycle);
        while let Some(step) = self.subcycle.next_step() {
            if let Err(stopped) = self.check_stop() {
                // What has been ordered is waited for, and comes to nothing.
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
        // What the last conservation fixes have found is still to be said.
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
        let (exec, clock, waited) = (&mut self.exec, Instant::now(), self.ranks.traffic().waited);
        self.stopwatch.time(Phase::Advance, || exec.advance(level, &plans, dt))?;
        let counts = &mut self.counts.levels[level.index()];
        let mesh = self.hierarchy.level(level);
        counts.steps += 1;
        counts.cells += mesh.num_cells() as u64;
        counts.patches += mesh.patches().len() as u64;
        if let Some(partition) = &plans[level.index()].partition {
            let own = partition.patches_of(self.ranks.rank().number);
            let cells = own.map(|k| mesh.patches()[k].volume() as u64).sum();
            self.own_cells_advanced += cells;
            let waited = self.ranks.traffic().waited - waited;
            self.speeds.note(cells, clock.elapsed().as_secs_f64() - waited);
        }
        Ok(())
    }

    /// Asks for the ghost cells with which the next step begins before the reports of this one are looked at, so that the executor has
    /// something to do meanwhile. Functions of the user's may have a say in them only when the step is taken.
    fn fill_ahead(&mut self) -> Result<(), RunError> {
        if self.aux_stays() && !self.problem.has_user_sides() {
            self.fill_ghosts(Level::COARSEST)?;
            self.filled = 0..1;
        }
        Ok(())
    }

    /// True if auxiliary values are those of a level's cells for as long as it has these.
    pub(super) fn aux_stays(&self) -> bool {
        self.problem.aux.as_ref().is_none_or(|aux| !aux.depends_on_time())
    }

    fn fill_ghosts(&mut self, level: Level) -> Result<(), ExecError> {
        let (exec, plans) = (&mut self.exec, &self.plans[level.index()]);
        self.stopwatch.time(Phase::Ghost, || exec.fill_ghosts(level, plans))
    }

    /// True if the ghost cells with which a level's step begins have been filled.
    fn take_filled(&mut self, level: Level) -> bool {
        let is_next = self.filled.contains(&level.index());
        self.filled.start = self.filled.start.max(level.index() + 1);
        is_next
    }

    /// The slopes of the finer level's ghost cells read a level's ghost cells, at its new time too.
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
        self.stopwatch.time(Phase::Reflux, || exec.reflux(fine, &plans[fine.index()]));
        if self.problem.scheme.capacity >= 0 {
            // Averages weigh with capacities of one time; the steps have left those of their middles.
            exec.renew_aux(coarse)?;
            exec.renew_aux(fine)?;
        }
        self.stopwatch.time(Phase::Average, || exec.average_down(fine, &plans[fine.index()]));
        Ok(())
    }
}
