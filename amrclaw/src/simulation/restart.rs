//! Going on from a snapshot as if the run had never stopped, bit for bit.

use super::{RunError, RunOptions, Simulation};
use crate::diagnose::{Counts, LevelCounts};
use crate::exec::LevelState;
use crate::index::{CellBox, Level};
use crate::io::config::Case;
use crate::io::frame::{Frame, FrameLevel};
use crate::mesh::Hierarchy;
use crate::physics::UserFunctions;
use serde::{Deserialize, Serialize};

/// What a run knows besides the solution, between two steps of the coarsest level.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ScheduleState {
    /// The step that the next coarse step will try; `None` if nothing limits it.
    pub dt_next: Option<f64>,
    /// Steps of each level since its finer ones were regridded.
    pub steps_since_regrid: Vec<u64>,
    /// What the run has done.
    pub counts: Counts,
}

impl<const D: usize> Simulation<D> {
    /// What has to be kept together with [`Simulation::frame`] for the run to go on from here.
    pub fn schedule_state(&self) -> ScheduleState {
        ScheduleState {
            dt_next: Some(self.dt_next).filter(|dt| dt.is_finite()),
            steps_since_regrid: self.subcycle.steps_since_regrid(),
            counts: self.counts.clone(),
        }
    }

    /// A simulation that goes on from a frame, which holds auxiliary values if the solver has any. The case may differ
    /// from that of the frame in everything but the domain, the equations and the ratios of the frame's levels.
    ///
    /// # Errors
    /// Whatever is wrong with the case, or does not fit the frame.
    pub fn resume(
        case: &Case,
        options: &RunOptions,
        frame: &Frame<D>,
        state: &ScheduleState,
    ) -> Result<Self, RunError> {
        let mut simulation = Self::assemble_chosen(case, options, UserFunctions::default())?;
        simulation.check_fit(case, frame)?;
        simulation.attempt(|simulation| simulation.load(frame, state))?;
        Ok(simulation)
    }

    /// Refuses a frame of another problem.
    fn check_fit(&self, case: &Case, frame: &Frame<D>) -> Result<(), RunError> {
        let domain = &self.problem.domain;
        let num_levels = frame.levels.len();
        let (ratios, frame_ratios) = (&self.settings.ratios, &frame.ratios);
        let fewer = num_levels > ratios.len() + 1;
        let refined = num_levels.saturating_sub(1);
        let pairs = [
            ("mesh.cells", format!("{:?}", domain.cells), format!("{:?}", frame.cells)),
            ("mesh.lower", format!("{:?}", domain.lower), format!("{:?}", frame.lower)),
            ("mesh.upper", format!("{:?}", domain.upper), format!("{:?}", frame.upper)),
            ("solver.name", self.equations.join(", "), frame.equations.join(", ")),
        ];
        let mut different = pairs.iter().find(|(_, here, there)| here != there).cloned();
        if different.is_none() && fewer {
            different = Some(("levels.max", (ratios.len() + 1).to_string(), num_levels.to_string()));
        } else if different.is_none() && ratios[..refined] != frame_ratios[..refined] {
            different = Some(("levels.ratio", format!("{ratios:?}"), format!("{frame_ratios:?}")));
        }
        different.map_or(Ok(()), |(key, here, there)| {
            let message = format!("{here} does not fit the checkpoint, which has {there}");
            Err(case.error(key, message, "restart with the case that wrote the checkpoint").into())
        })
    }

    /// Takes over levels, values and schedule.
    fn load(&mut self, frame: &Frame<D>, state: &ScheduleState) -> Result<(), RunError> {
        let boxes = |level: &FrameLevel<D>| level.patches.iter().map(|p| p.cells).collect::<Vec<_>>();
        let mut levels = frame.levels.iter().map(boxes);
        let coarsest: Vec<CellBox<D>> = levels.next().unwrap_or_default();
        if coarsest.iter().map(CellBox::volume).sum::<usize>() != self.problem.domain.coarsest().volume() {
            return Err(RunError::Damaged { level: Level::COARSEST });
        }
        self.hierarchy = Hierarchy::new(self.problem.domain.clone(), self.settings.ratios.clone(), coarsest);
        self.hierarchy.replace_finer(Level::COARSEST, levels.collect());
        self.plans = self.build_plans(None);
        self.exec.set_epoch(self.hierarchy.epoch());
        for (l, from) in frame.levels.iter().enumerate() {
            let level = Level(l as u8);
            // The values below belong to the patches in the order of the mesh.
            if self.hierarchy.num_levels() <= l || self.hierarchy.level(level).patches() != boxes(from) {
                return Err(RunError::Damaged { level });
            }
            let (q, aux) = from.patches.iter().map(|p| (p.q.clone(), p.aux.clone())).unzip();
            self.exec.load(&self.hierarchy, level, &LevelState { time: frame.time, q, aux })?;
        }
        self.exec.make_room(&self.plans);
        self.time = frame.time;
        self.dt_next = self.settings.dt_fixed.or(state.dt_next).unwrap_or(f64::INFINITY);
        self.counts = state.counts.clone();
        self.counts.levels.resize(self.hierarchy.max_levels(), LevelCounts::default());
        self.subcycle.begin(self.time, self.dt_next);
        self.subcycle.set_finest(Level::COARSEST, self.hierarchy.finest());
        self.subcycle.set_steps_since_regrid(&state.steps_since_regrid);
        self.gauges.iter_mut().for_each(|gauge| gauge.locate(&self.hierarchy));
        Ok(())
    }
}
