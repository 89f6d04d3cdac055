//! Going on from a snapshot as if the run had never stopped, bit for bit.

use super::{GrowthRecord, RunError, Simulation, StepLimit};
use crate::case::{Case, CaseErrors};
use crate::diagnose::{Counts, LevelCounts};
use crate::exec::{LevelState, NewValues};
use crate::frames::frame::{Frame, FrameLevel, PatchSource};
use crate::index::{CellBox, Level, Ratio, Shift};
use crate::mesh::{Hierarchy, LevelMesh};
use crate::physics::Criterion;
use crate::regrid::nest::LevelNesting;
use parking_lot::Mutex;
use serde::{Deserialize, Serialize};

/// What a run knows besides the solution, between two steps of the coarsest level.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ScheduleState {
    /// The step that the next coarse step will try; `None` if nothing limits it.
    pub dt_next: Option<f64>,
    /// What limits it.
    #[serde(default)]
    pub dt_limit: StepLimit,
    /// Steps of each level since its finer ones were regridded.
    pub steps_since_regrid: Vec<u64>,
    /// What the run has done.
    pub counts: Counts,
    /// Work on steps that were taken again, per level.
    #[serde(default)]
    pub repeated: Vec<LevelCounts>,
    /// Coarse steps to come in which faces fall back to first order where states would become inadmissible.
    #[serde(default)]
    pub fallback_left: u32,
    /// The record of the growth check.
    #[serde(default)]
    pub growth: GrowthRecord,
    /// The leaves that the cells of a mesh from a file are, where these are refined.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub leaves: Option<String>,
    /// A digest of the mesh from a file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mesh: Option<u32>,
}

impl<const D: usize> Simulation<D> {
    /// The state that a restart from here needs besides [`Simulation::frame`].
    pub fn schedule_state(&self) -> ScheduleState {
        // A device that is lost has no frame either.
        let _ = self.learn_leaves();
        ScheduleState {
            dt_next: Some(self.next.dt).filter(|dt| dt.is_finite()),
            dt_limit: self.next.limited_by,
            steps_since_regrid: self.subcycle.steps_since_regrid(),
            counts: self.work.counts.clone(),
            repeated: self.work.repeated.clone(),
            fallback_left: self.next.fallback_left,
            growth: self.checks.growth.record().clone(),
            leaves: self.refined.as_ref().map(|refined| refined.text()),
            mesh: self.mesh_digest(),
        }
    }

    /// A digest of the mesh from a file: of its cells before they are refined, at rest.
    fn mesh_digest(&self) -> Option<u32> {
        let on_mesh = self.problem.on_mesh.as_ref()?;
        let still = on_mesh.sides.mesh();
        let mesh = on_mesh.forest.as_ref().map_or(&*still, |forest| forest.roots());
        let mut hasher = crc32fast::Hasher::new();
        mesh.cells.nodes.items.iter().for_each(|node| hasher.update(&node.to_le_bytes()));
        mesh.points.as_flattened().iter().for_each(|x| hasher.update(&x.to_le_bytes()));
        Some(hasher.finalize())
    }

    /// Refuses a mesh from a file that is not the checkpoint's.
    pub(super) fn check_mesh(&self, case: &Case, state: &ScheduleState) -> Result<(), RunError> {
        if state.mesh.is_none_or(|digest| self.mesh_digest() == Some(digest)) {
            return Ok(());
        }
        let message = "is not the mesh that the checkpoint was written on";
        Err(case.error("mesh.file", message, "restart with the case that wrote the checkpoint").into())
    }

    /// Refuses a frame of another problem.
    pub(super) fn check_fit(&self, case: &Case, frame: &Frame<D>) -> Result<(), RunError> {
        let domain = &self.problem.domain;
        let num_levels = frame.levels.len();
        let (ratios, frame_ratios) = (&self.settings.ratios, &frame.ratios);
        let refined = num_levels.saturating_sub(1).min(ratios.len());
        let list = |ratios: &[Ratio<D>]| format!("{:?}", ratios.iter().map(|ratio| ratio.0).collect::<Vec<_>>());
        let names = |names: &[String]| names.join(", ");
        let pairs = [
            ("mesh.cells", format!("{:?}", domain.cells), format!("{:?}", frame.cells)),
            ("mesh.lower", format!("{:?}", domain.lower), format!("{:?}", frame.lower)),
            ("mesh.upper", format!("{:?}", domain.upper), format!("{:?}", frame.upper)),
            ("solver", names(&self.names.equations), names(&frame.equations)),
            ("solver", names(&self.names.aux), names(&frame.aux)),
            ("mesh.mapping", self.names.mapping.join(", "), frame.mapping.join(", ")),
            ("levels.ratio", list(&ratios[..refined]), list(&frame_ratios[..refined])),
        ];
        let unlike = pairs.into_iter().filter(|(_, here, there)| here != there);
        let fewer = (num_levels > ratios.len() + 1)
            .then(|| ("levels.max", (ratios.len() + 1).to_string(), num_levels.to_string()));
        let error = |(key, here, there): (&str, String, String)| {
            let or_none = |list: String| if list.is_empty() { "none".to_owned() } else { list };
            let message = format!("{} does not fit the checkpoint, which has {}", or_none(here), or_none(there));
            case.error(key, message, "restart with the case that wrote the checkpoint")
        };
        match unlike.chain(fewer).map(error).reduce(CaseErrors::and) {
            None => Ok(()),
            Some(errors) => Err(errors.into()),
        }
    }

    /// Refuses patches that do not form a valid mesh for this case.
    pub(super) fn check_levels(&self, case: &Case, frame: &Frame<D>) -> Result<(), RunError> {
        let width = self.settings.regrid.nesting_width;
        let mut coarser: Option<LevelMesh<D>> = None;
        for (l, level) in frame.levels.iter().enumerate() {
            let damaged = || RunError::Damaged { level: Level(l as u8) };
            let patches: Vec<CellBox<D>> = level.patches.iter().map(|p| p.cells).collect();
            let (domain, repeats) = (frame.domain(l), self.problem.domain.repeats);
            if patches.iter().any(|p| p.is_empty() || !domain.contains_box(p)) {
                return Err(damaged());
            }
            let mesh = LevelMesh::new(domain, repeats, patches);
            let alone = |p: &CellBox<D>| mesh.images(p).iter().filter(|image| image.shift == Shift::NONE).count() == 1;
            if mesh.patches().is_empty() || !mesh.patches().iter().all(alone) {
                return Err(damaged());
            }
            if let Some(coarser) = coarser {
                let ratio = frame.ratios[l - 1];
                let beneath = |p: &CellBox<D>| p.coarse_from_fine(ratio);
                if mesh.patches().iter().any(|p| beneath(p).fine_from_coarse(ratio) != *p) {
                    return Err(damaged());
                }
                let nested_in = |coarser: &LevelMesh<D>, width| {
                    let nesting = LevelNesting::new(coarser, &[], width);
                    mesh.patches().iter().all(|p| nesting.nests(&beneath(p)))
                };
                let between_walls = || LevelMesh::new(coarser.domain(), [false; D], coarser.patches().to_vec());
                let nested = |width| nested_in(&coarser, width);
                if !nested(1) && repeats.axes.contains(&true) && nested_in(&between_walls(), 1) {
                    return Err(self.not_nested_around(case, l));
                } else if !nested(1) {
                    return Err(damaged());
                } else if !nested(width) {
                    return Err(self.too_narrow(case, l));
                }
            } else if !mesh.covers_domain() {
                return Err(damaged());
            }
            coarser = Some(mesh);
        }
        if coarser.is_some() { Ok(()) } else { Err(RunError::Damaged { level: Level::COARSEST }) }
    }

    /// Level `l` touches sides that were not periodic where it was made.
    fn not_nested_around(&self, case: &Case, l: usize) -> RunError {
        let message =
            format!("is periodic, but level {} of the checkpoint is not nested across these sides", Level(l as u8));
        case.error("mesh.boundary", message, "restart with the sides that the checkpoint was written with").into()
    }

    /// The scheme wants more coarse cells around level `l` than the one that made it.
    fn too_narrow(&self, case: &Case, l: usize) -> RunError {
        let key = match self.problem.criterion {
            Criterion::Richardson { .. } => "regrid.flag.criterion",
            _ => "scheme.split",
        };
        let message = format!("needs level {} nested more widely than it is in the checkpoint", Level(l as u8));
        case.error(key, message, "restart with the value that the checkpoint was written with").into()
    }

    /// Loads the frame's levels, their values from `values`, and the schedule.
    pub(super) fn load(
        &mut self,
        frame: &Frame<D>,
        values: &dyn PatchSource<D>,
        schedule: &ScheduleState,
    ) -> Result<(), RunError> {
        let boxes = |level: &FrameLevel<D>| level.patches.iter().map(|p| p.cells).collect::<Vec<_>>();
        let mut levels = frame.levels.iter().map(boxes);
        let coarsest: Vec<CellBox<D>> = levels.next().unwrap_or_default();
        self.hierarchy = Hierarchy::new(self.problem.domain.clone(), self.settings.ratios.clone(), coarsest);
        self.hierarchy.replace_finer(Level::COARSEST, levels.collect());
        for (l, from) in frame.levels.iter().enumerate() {
            let level = Level(l as u8);
            // The values below belong to the patches in the order of the mesh.
            if self.hierarchy.num_levels() <= l || self.hierarchy.level(level).patches() != boxes(from) {
                return Err(RunError::Damaged { level });
            }
        }
        self.time = frame.time;
        self.follow_mesh();
        // A read error is reported only after `adopt`, which is collective: all ranks must reach its end.
        let unread = Mutex::new(None);
        let state = |level: Level, is_wanted: &dyn Fn(usize) -> bool| {
            let patch = |k: usize| {
                let read = is_wanted(k).then(|| values.patch(level.index(), k)).transpose();
                let patch = read.unwrap_or_else(|error| {
                    unread.lock().get_or_insert(error);
                    None
                });
                patch.map(|patch| patch.into_owned()).map_or_else(Default::default, |patch| (patch.q, patch.aux))
            };
            let (q, aux) = (0..frame.levels[level.index()].patches.len()).map(patch).unzip();
            LevelState { time: frame.time, q, aux }
        };
        self.adopt(None, NewValues::Given(&state))?;
        if let Some(error) = unread.into_inner() {
            return Err(RunError::Values(error));
        }
        let known = self.settings.dt_fixed.or(schedule.dt_next);
        (self.next.dt, self.next.limited_by) =
            (self.next.limits.or_first(self.time, known, self.settings.dt_initial), schedule.dt_limit);
        self.work.counts = schedule.counts.clone();
        self.work.repeated = schedule.repeated.clone();
        self.next.fallback_left = schedule.fallback_left;
        for levels in [&mut self.work.counts.levels, &mut self.work.repeated] {
            levels.resize(self.hierarchy.max_levels(), LevelCounts::default());
        }
        self.subcycle.begin(self.time, self.next.dt);
        self.subcycle.set_finest(Level::COARSEST, self.hierarchy.finest());
        self.checks.growth.resume(&schedule.growth);
        self.subcycle.set_steps_since_regrid(&schedule.steps_since_regrid);
        Ok(())
    }
}
