//! Reports of steps: read immediately, or deferred to the end of a step of the coarsest level.
//!
//! Waiting for an executor that works asynchronously is slow. Its steps are ordered by expected Courant numbers, those of each
//! level's last step scaled to the new step size; at the end the actual reports are replayed through the schedule. If the
//! schedule would have ordered other steps, the coarse step is taken again from the saved state, and each report is read
//! immediately. So the steps taken are the same either way.

use super::gauge::middle_of;
use super::{RunError, Simulation};
use crate::exec::{Outcomes, StepReport};
use crate::index::Level;
use crate::schedule::{Step, Subcycle};

/// Steps that have been ordered and whose reports have not been read. Its memory is reused from step to step.
#[derive(Debug)]
pub(super) struct DeferredReports {
    /// Courant number divided by step size, for each level's last step.
    speeds: Vec<f64>,
    /// The steps ordered, each with the finest level after it.
    ordered: Vec<(Step, Level)>,
    /// The schedule before the first of these steps.
    schedule: Option<Subcycle>,
    /// Gauges whose sampled values have not been read yet.
    sampled: Vec<usize>,
    outcomes: Outcomes,
}

impl DeferredReports {
    pub(super) fn new(levels: usize) -> Self {
        DeferredReports {
            speeds: vec![0.0; levels],
            ordered: Vec::new(),
            schedule: None,
            sampled: Vec::new(),
            outcomes: Outcomes::default(),
        }
    }

    /// Forgets the steps ordered.
    pub(super) fn forget(&mut self) {
        self.ordered.clear();
        self.sampled.clear();
        self.outcomes.clear();
    }

    /// Begins to record the steps that `schedule` orders.
    pub(super) fn begin(&mut self, schedule: &Subcycle) {
        self.forget();
        match &mut self.schedule {
            Some(kept) => kept.clone_from(schedule),
            None => self.schedule = Some(schedule.clone()),
        }
    }

    pub(super) fn note(&mut self, step: Step, finest: Level) {
        self.ordered.push((step, finest));
    }

    /// The expected Courant number of a step.
    pub(super) fn expected(&self, level: Level, dt: f64) -> f64 {
        self.speeds[level.index()] * dt
    }
}

impl<const D: usize> Simulation<D> {
    /// Adds a row to each gauge that reads this level.
    pub(super) fn record_gauges(&mut self, level: Level, time: f64) {
        for (k, gauge) in self.gauges.iter_mut().enumerate() {
            if gauge.record(self.exec.as_mut(), level, time) {
                self.deferred.sampled.push(k);
            }
        }
    }

    /// Takes a mesh that moves to the time of the solution, and gauges to the cells that hold them then.
    pub(super) fn follow_mesh(&mut self) {
        let Some(in_time) = self.problem.on_mesh.as_ref().map(|on_mesh| &on_mesh.sides.in_time) else { return };
        in_time.set_time(self.time);
        if !in_time.moves() || self.gauges.is_empty() {
            return;
        }
        let mesh = in_time.now();
        for gauge in &mut self.gauges {
            let own = gauge.cell()..gauge.cell() + 1;
            let found = mesh.cell_among(own, &gauge.position).or_else(|| mesh.cell_at(&gauge.position));
            found.into_iter().for_each(|cell| gauge.move_to(middle_of(cell)));
        }
    }

    /// Adds a row for the present state to every gauge. Otherwise gauges have rows only for the states at which a step begins.
    ///
    /// # Errors
    /// The executor's.
    pub fn record_present_state(&mut self) -> Result<(), RunError> {
        if self.gauges.is_empty() {
            return Ok(());
        }
        self.in_pool(|simulation| {
            let plans = simulation.plans.clone();
            for (l, plans) in plans.iter().enumerate() {
                simulation.exec.fill_ghosts(Level(l as u8), plans)?;
                simulation.record_gauges(Level(l as u8), simulation.time);
            }
            simulation.collect()
        })
    }

    /// Waits for the executor's reports and samples, and completes the gauges' rows.
    pub(super) fn collect(&mut self) -> Result<(), RunError> {
        let DeferredReports { outcomes, sampled, .. } = &mut self.deferred;
        outcomes.clear();
        self.exec.collect(outcomes)?;
        let num_eqn = self.names.equations.len();
        for (k, values) in sampled.drain(..).zip(outcomes.samples.chunks_exact(num_eqn)) {
            self.gauges[k].complete(values);
        }
        Ok(())
    }

    /// Waits for the report of the step just ordered.
    pub(super) fn wait_for_report(&mut self) -> Result<StepReport, RunError> {
        self.collect()?;
        Ok(*self.deferred.outcomes.steps.last().expect("a step was ordered"))
    }

    /// Waits for the report of the step just ordered, and returns its Courant number.
    pub(super) fn report_of_step(&mut self, level: Level, time: f64, dt: f64, tries: u32) -> Result<f64, RunError> {
        let report = self.wait_for_report()?;
        if let Some(patch) = report.broken {
            self.learn_leaves()?;
            return Err(self.exec.find_failure(level, patch).into());
        }
        self.accept(report, level, time, dt, tries)
    }

    /// Waits for the reports of all steps within a step of the coarsest level. False if the schedule would have ordered other steps.
    pub(super) fn collect_deferred(&mut self, tries: u32) -> Result<bool, RunError> {
        self.collect()?;
        let Some(mut schedule) = self.deferred.schedule.take() else { return Ok(true) };
        let stands = self.replay(&mut schedule, tries);
        std::mem::swap(&mut self.subcycle, &mut schedule);
        self.deferred.schedule = Some(schedule);
        stands
    }

    fn replay(&mut self, schedule: &mut Subcycle, tries: u32) -> Result<bool, RunError> {
        let mut next = 0;
        for k in 0..self.deferred.ordered.len() {
            let (step, finest) = self.deferred.ordered[k];
            if schedule.next_step() != Some(step) {
                return Ok(false);
            }
            match step {
                Step::Regrid { base } => schedule.set_finest(base, finest),
                Step::Advance { level, time, dt } => {
                    let report = self.deferred.outcomes.steps[next];
                    next += 1;
                    if report.broken.is_some() {
                        // The failing cell is found when the step is taken again.
                        return Ok(false);
                    }
                    schedule.report(self.accept(report, level, time, dt, tries)?);
                }
                Step::Synchronize { .. } => {}
            }
        }
        Ok(schedule.next_step().is_none())
    }

    /// Rejects a step whose Courant number is too large; otherwise records its Courant number.
    fn accept(&mut self, report: StepReport, level: Level, time: f64, dt: f64, tries: u32) -> Result<f64, RunError> {
        let StepReport { courant, patch, reverses, .. } = report;
        if courant > self.settings.cfl_max {
            let tries = if self.settings.dt_fixed.is_some() { 0 } else { tries };
            return Err(RunError::Courant { courant, limit: self.settings.cfl_max, level, patch, time, dt, tries });
        }
        self.deferred.speeds[level.index()] = courant / dt;
        self.checks.sources.reverses |= reverses;
        self.work.last_courant = self.work.last_courant.max(courant);
        self.work.counts.courant_max = self.work.counts.courant_max.max(courant);
        Ok(courant)
    }
}
