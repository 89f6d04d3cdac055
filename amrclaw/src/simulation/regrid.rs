//! Replacing levels by new ones, at the start of a run and during it.

use super::{RunError, Simulation};
use crate::diagnose::Phase;
use crate::exec::{ExecError, MemoryUse, NewValues};
use crate::index::{CellBox, Level};
use crate::mesh::Hierarchy;
use crate::plan::MeshChange;
use crate::regrid::{RegridTime, finer_boxes};
use std::time::Instant;
use tracing::{debug, info_span};

impl<const D: usize> Simulation<D> {
    /// Replaces all levels finer than `base`. `dt`: the coarsest level's step.
    pub(super) fn regrid(&mut self, base: Level, dt: f64) -> Result<(), RunError> {
        let _span = info_span!("regrid", %base).entered();
        let clock = Instant::now();
        let time = self.subcycle.time(base);
        let plans = self.plans.clone();
        let coarsest = self.subcycle.level();
        let unfilled =
            if self.next.filled.contains(&coarsest.index()) { Level(self.next.filled.end as u8) } else { coarsest };
        let at = RegridTime { time, unfilled, dt, time_ratios: &self.settings.time_ratios };
        let exec = self.exec.as_mut();
        let boxes = finer_boxes(base, &self.hierarchy, exec, &self.crew.ranks, &plans, &self.settings.regrid, at)?;
        let found = clock.elapsed();
        self.check_memory(base, &boxes)?;
        let old = self.hierarchy.clone();
        self.hierarchy.replace_finer(base, boxes);
        let first_unfilled = if self.hierarchy.has_levels_of(&old) {
            self.hierarchy = old;
            self.hierarchy.finest()
        } else {
            self.measure_speeds()?;
            self.adopt(Some(&old), NewValues::Transferred)?
        };
        // Ghost cells have been filled for flagging, and those of new levels for the transfer to the next finer level. All are of this time,
        // at which these levels' next steps begin. With time-dependent auxiliary values they are filled again, as user functions may read these.
        self.next.filled =
            if self.aux_is_final() { coarsest.index()..first_unfilled.max(base.finer()).index() } else { 0..0 };
        self.subcycle.set_finest(base, self.hierarchy.finest());
        self.work.counts.regrids += 1;
        let MemoryUse { held: [host, device], states: state, .. } = self.exec.usage().memory;
        debug!(boxes = ?found, adopted = ?clock.elapsed() - found, state, host, device, "regridded");
        self.work.stopwatch.book(Phase::Regrid, clock.elapsed());
        Ok(())
    }

    /// Refuses new levels finer than `base` that do not fit in memory.
    fn check_memory(&self, base: Level, finer: &[Vec<CellBox<D>>]) -> Result<(), RunError> {
        let kept = self.hierarchy.levels()[..=base.index()].iter().map(|mesh| mesh.patches());
        let levels: Vec<_> = kept.chain(finer.iter().map(Vec::as_slice)).collect();
        self.memory.check(levels.into_iter())
    }

    /// Lets the executor adopt the hierarchy in place of `before`, and keeps the new plans. Returns
    /// [`MeshChange::first_unfilled`].
    pub(super) fn adopt(
        &mut self,
        before: Option<&Hierarchy<D>>,
        values: NewValues<'_, D>,
    ) -> Result<Level, ExecError> {
        let known = self.plans.clone();
        let before = before.map(|before| (before, known.as_slice()));
        let mut change =
            MeshChange::new(&self.hierarchy, before, self.plan_options()).among(self.work.speeds.speeds.clone());
        let outcome = self.exec.adopt(&mut change, values);
        let first_unfilled = change.first_unfilled();
        self.plans = change.into_plans();
        outcome?;
        self.work.most_state_bytes = self.work.most_state_bytes.max(self.exec.usage().memory.states);
        self.gauges.iter_mut().for_each(|gauge| gauge.locate(&self.hierarchy));
        Ok(first_unfilled)
    }

    /// Builds level after level from exact initial data, then averages the finer onto the coarser ones.
    pub(super) fn build_initial_hierarchy(&mut self) -> Result<(), RunError> {
        let clock = Instant::now();
        let mut before = None;
        for l in 0..self.hierarchy.max_levels() {
            self.check_stop()?;
            let level = Level(l as u8);
            self.adopt(before.as_ref(), NewValues::Initial(self.time))?;
            debug!(%level, since_start = ?clock.elapsed(), "level has its initial values");
            if l + 1 == self.hierarchy.max_levels() {
                break;
            }
            let time_ratios = &self.settings.time_ratios;
            let at = RegridTime { time: self.time, unfilled: Level::COARSEST, dt: self.next.dt, time_ratios };
            let exec = self.exec.as_mut();
            let boxes =
                finer_boxes(level, &self.hierarchy, exec, &self.crew.ranks, &self.plans, &self.settings.regrid, at)?;
            if boxes.iter().all(Vec::is_empty) {
                break;
            }
            self.check_memory(level, &boxes)?;
            before = Some(self.hierarchy.clone());
            self.hierarchy.replace_finer(level, boxes);
        }
        for _ in 1..self.refined.as_ref().map_or(1, |refined| refined.levels()) {
            if !self.renew_leaves(true)? {
                break;
            }
        }
        for fine in (1..self.hierarchy.num_levels()).rev().map(|l| Level(l as u8)) {
            self.exec.average_down(fine, &self.plans[fine.index()]);
        }
        self.subcycle.begin(self.time, self.next.dt);
        self.subcycle.set_finest(Level::COARSEST, self.hierarchy.finest());
        self.work.stopwatch.book(Phase::Regrid, clock.elapsed());
        Ok(())
    }
}
