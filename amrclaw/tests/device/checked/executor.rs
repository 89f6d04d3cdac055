//! An executor around any other that checks what plans and verbs promise. It copies every level at every verb.
//!
//! * Ghost cells and new arrays hold NaN until they are filled; afterwards every ghost cell has a value, and no step starts from a cell
//!   without one. They hold NaN again as soon as what they were filled from changes.
//! * Each face between a fine patch and a coarse cell that is not refined is in the register once.
//! * Averages hold as much as the cells averaged, and a change of the mesh keeps what all levels together hold.
//! * A step of the coarsest level keeps it too, where nothing can leave the domain.
//! * Plans are those of the mesh at hand.

use super::faces;
use amrclaw::exec::{
    CellInPatch, ExecError, Executor, FlagRequest, HostMemory, HostValues, LeafMarks, LeavesMade, LevelState,
    NewValues, Outcomes, Probe, Queries, Reduction, RefineRequest, Refinement, StepMode, Usage, reduce_levels,
};
use amrclaw::index::Level;
use amrclaw::mesh::{Hierarchy, MeshEpoch};
use amrclaw::physics::Problem;
use amrclaw::plan::{LevelPlans, MeshChange};
use std::sync::Arc;
use unstructured::adapt::Leaves;

/// Sums of some 10⁵ numbers of either sign, each rounded at 1e-16 of its size.
const ROUND_OFF: f64 = 1e-11;

/// An executor that panics where `E` or its caller breaks a promise.
pub struct Checked<const D: usize, E> {
    inner: E,
    /// Equations whose integrals nothing can change.
    kept: Vec<usize>,
    mesh: Option<(Hierarchy<D>, Arc<Vec<LevelPlans<D>>>)>,
    /// Integrals at the beginning of the coarse step.
    saved: Option<Vec<f64>>,
}

impl<const D: usize, E: Probe<D>> Checked<D, E> {
    /// Checks `inner`, whose numbers have 64 bits. `kept`: equations whose integrals neither sides of the domain nor sources change.
    pub fn new(mut inner: E, kept: &[usize]) -> Self {
        inner.poison_new_arrays();
        Checked { inner, kept: kept.to_vec(), mesh: None, saved: None }
    }

    fn epoch(&self) -> MeshEpoch {
        self.mesh.as_ref().expect("a mesh is adopted first").0.epoch()
    }

    fn num_levels(&self) -> usize {
        self.mesh.as_ref().map_or(0, |(hierarchy, _)| hierarchy.num_levels())
    }

    /// The first cell of a level that holds NaN: its patch, the cell and the equation. Ghost cells count if `ghosts`, else the others.
    fn without_value(&self, level: Level, ghosts: bool) -> Option<(usize, [i32; D], usize)> {
        let (hierarchy, _) = self.mesh.as_ref()?;
        let patches = hierarchy.level(level).patches().iter().zip(self.inner.with_ghosts(level));
        patches.enumerate().find_map(|(k, (patch, (cells, values)))| {
            let size = cells.size().map(|size| size as usize);
            // Cells are told for values that are NaN alone, since this runs at every verb.
            let cell = |n: usize| {
                let mut number = n % cells.volume();
                std::array::from_fn(|d| {
                    let along = number % size[d];
                    number /= size[d];
                    cells.lo[d] + along as i32
                })
            };
            let mut missing = values.iter().enumerate().filter(|(_, value)| value.is_nan()).map(|(n, _)| (n, cell(n)));
            let found = missing.find(|&(_, cell)| patch.contains(cell) != ghosts);
            found.map(|(n, cell)| (k, cell, n / cells.volume()))
        })
    }

    /// True if a level's own cells and all that its ghost cells come from have values: a step may have broken them.
    fn is_whole(&self, level: Level) -> bool {
        let coarser = level.coarser().is_none_or(|coarser| {
            self.without_value(coarser, false).is_none() && self.without_value(coarser, true).is_none()
        });
        coarser && self.without_value(level, false).is_none()
    }

    fn assert_ghosts(&self, level: Level, when: &str) {
        if let Some((patch, cell, equation)) = self.without_value(level, true) {
            panic!("{when}: ghost cell {cell:?} of level {level}, patch {patch}, has no value (equation {equation})");
        }
    }

    /// Integrals over the composite grid; none before there is a mesh.
    fn composite(&self) -> Vec<f64> {
        let mut totals = Vec::new();
        let plans = self.mesh.as_ref().map_or(&[][..], |(_, plans)| plans);
        reduce_levels(&self.inner, Reduction::Totals, plans, &mut totals).expect("the device answers");
        totals
    }

    /// An upper bound of a level's integrals, by which round-off is measured.
    fn scale(&self, level: Level) -> f64 {
        let Some((hierarchy, _)) = &self.mesh else { return 0.0 };
        let (state, volume) = (self.inner.snapshot(level), hierarchy.geometry(level).volume());
        let largest = |arrays: &[Vec<f64>]| arrays.iter().flatten().fold(0.0, |most: f64, value| most.max(value.abs()));
        largest(&state.q) * largest(&state.aux).max(1.0) * hierarchy.level(level).num_cells() as f64 * volume
    }

    fn assert_same(&self, expected: &[f64], found: &[f64], equations: impl Iterator<Item = usize>, what: &str) {
        let scale: f64 = (0..self.num_levels()).map(|l| self.scale(Level(l as u8))).sum();
        for m in equations {
            // Levels that a step has broken hold NaN, and are reported as such.
            let differs = (expected[m] - found[m]).abs() > ROUND_OFF * scale;
            assert!(!differs, "{what}: equation {m} held {:e} and now holds {:e}", expected[m], found[m]);
        }
    }
}

/// Sums over a level's cells that are not covered.
pub fn totals<const D: usize>(exec: &impl Queries<D>, level: Level, finer: Option<&LevelPlans<D>>) -> Vec<f64> {
    let mut totals = Vec::new();
    exec.reduce(Reduction::Totals, level, finer, &mut totals).expect("the device answers");
    totals
}

impl<const D: usize, E: Probe<D>> Executor<D> for Checked<D, E> {
    fn adopt(&mut self, change: &mut MeshChange<'_, D>, values: NewValues<'_, D>) -> Result<(), ExecError> {
        let before = self.composite();
        let outcome = self.inner.adopt(change, values);
        let (hierarchy, plans) = (change.hierarchy(), change.plans());
        for (fine, plans) in plans.iter().enumerate() {
            assert_eq!(plans.epoch, hierarchy.epoch(), "plans of level {fine}");
            if let Some(reflux) = plans.reflux() {
                faces::assert_once(hierarchy, Level(fine as u8), reflux);
            }
        }
        self.mesh = Some((hierarchy.clone(), plans.clone()));
        outcome?;
        for level in change.new_levels() {
            assert_eq!(
                self.without_value(level, false),
                None,
                "level {level} has cells without values: patch, cell, equation"
            );
        }
        if values.are_transferred() {
            let after = self.composite();
            self.assert_same(&before, &after, 0..after.len(), "a change of the mesh");
        }
        if let (NewValues::Saved, Some(saved)) = (values, &self.saved) {
            assert_eq!(*saved, self.composite(), "the state restored is another one");
        }
        Ok(())
    }

    fn renew_leaves(&mut self, marks: &LeafMarks<'_>) -> Result<LeavesMade, ExecError> {
        self.inner.renew_leaves(marks)
    }

    fn fill_ghosts(&mut self, level: Level, plans: &LevelPlans<D>) -> Result<(), ExecError> {
        plans.assert_epoch(self.epoch());
        let whole = self.is_whole(level);
        self.inner.poison_ghosts(level);
        self.inner.fill_ghosts(level, plans)?;
        if whole {
            self.assert_ghosts(level, "filled");
        }
        Ok(())
    }

    fn advance(&mut self, level: Level, plans: &[LevelPlans<D>], dt: f64) -> Result<(), ExecError> {
        plans[level.index()].assert_epoch(self.epoch());
        if self.without_value(level, false).is_none() {
            self.assert_ghosts(level, "a step starts");
        }
        self.inner.advance(level, plans, dt)?;
        // The finest level may step in place: the state that it read is checked if the step fails.
        if level.index() + 1 < self.num_levels() {
            self.inner.poison_ghosts(level);
        }
        Ok(())
    }

    fn collect(&mut self, outcomes: &mut Outcomes) -> Result<(), ExecError> {
        self.inner.collect(outcomes)
    }

    fn sample(&mut self, level: Level, patch: usize, position: [f64; D]) {
        self.inner.sample(level, patch, position);
    }

    fn prepare_steps(&mut self, keep_admissible: bool, moved: Option<&Problem<D>>) -> Result<StepMode, ExecError> {
        if moved.is_some() {
            self.mesh = None;
        }
        self.saved = self.mesh.is_some().then(|| self.composite());
        self.inner.prepare_steps(keep_admissible, moved)
    }

    fn set_time(&mut self, level: Level, time: f64) {
        self.inner.set_time(level, time);
    }

    fn reflux(&mut self, fine: Level, plans: &LevelPlans<D>) {
        plans.assert_epoch(self.epoch());
        self.inner.reflux(fine, plans);
    }

    fn average_down(&mut self, fine: Level, plans: &LevelPlans<D>) {
        plans.assert_epoch(self.epoch());
        self.inner.average_down(fine, plans);
        let coarse = Level(fine.0 - 1);
        let [whole, open, over] = [(coarse, None), (coarse, Some(plans)), (fine, None)]
            .map(|(level, finer)| totals(&self.inner, level, finer));
        let parts: Vec<f64> = open.iter().zip(&over).map(|(open, over)| open + over).collect();
        self.assert_same(&parts, &whole, 0..parts.len(), "averages");
        if let Some(saved) = self.saved.as_ref().filter(|_| coarse == Level::COARSEST) {
            self.assert_same(saved, &self.composite(), self.kept.iter().copied(), "a step of all levels");
        }
        // Ghost cells were filled from values that the conservation fix and the averages have changed.
        [coarse, fine].into_iter().for_each(|level| self.inner.poison_ghosts(level));
    }

    fn renew_aux(&mut self, level: Level, flags: Option<FlagRequest<'_, D>>) -> Result<(), ExecError> {
        if flags.is_some() && self.without_value(level, false).is_none() {
            self.assert_ghosts(level, "flagged");
        }
        self.inner.renew_aux(level, flags)
    }

    fn refine(&mut self, request: RefineRequest<'_, D>) -> Result<Refinement<D>, ExecError> {
        self.inner.refine(request)
    }
}

impl<const D: usize, E: Probe<D>> Queries<D> for Checked<D, E> {
    fn find_failure(&self, level: Level, patch: usize) -> ExecError {
        self.inner.find_failure(level, patch)
    }

    fn leaves(&self) -> Result<Option<Leaves>, ExecError> {
        self.inner.leaves()
    }

    fn snapshot(&self, level: Level) -> LevelState<D> {
        self.inner.snapshot(level)
    }

    fn values_in_cells(&self, level: Level, cells: &[CellInPatch<D>]) -> Result<Vec<f64>, ExecError> {
        self.inner.values_in_cells(level, cells)
    }

    fn host_values(&self, level: Level) -> Option<HostValues<'_, D>> {
        self.inner.host_values(level)
    }

    fn take_values(&mut self, level: Level) -> Option<HostMemory> {
        self.inner.take_values(level)
    }

    fn reduce(
        &self,
        what: Reduction,
        level: Level,
        finer: Option<&LevelPlans<D>>,
        values: &mut Vec<f64>,
    ) -> Result<(), ExecError> {
        self.inner.reduce(what, level, finer, values)
    }

    fn usage(&self) -> Usage {
        self.inner.usage()
    }
}
