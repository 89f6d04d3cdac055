//! Copies of levels on the host, for executors whose values are on a device: the same patches with the same layout, filled when only the
//! host can compute something.

use super::CpuExecutor;
use super::boundary::{BoundaryContext, Outside};
use super::failure::Searched;
use super::source::{SourceLevel, Sources};
use super::store::Register;
use crate::exec::step::{HostWorks, LevelSpec, bytes_of, bytes_of_mut};
use crate::exec::{ExecError, LevelState, Probe, StepMode, StepReport};
use crate::fields::Shared;
use crate::index::Level;
use crate::physics::Problem;
use crate::plan::{GhostPlan, RefluxPlan};
use crate::ranks::Ranks;
use riemann::patch::PACK_OVERRUN;
use riemann::real::Scalar;

/// The executor on the host's threads, which does what kernels cannot, on copies of levels. Arrays are the bytes of its numbers, in whichever
/// precision these are: an executor on a device is compiled once for both.
pub(in crate::exec) trait Host<const D: usize>: Probe<D> + Send {
    /// Sets the ranks; to be called before there are levels.
    fn set_ranks(&mut self, ranks: Ranks);

    /// What the host has computed.
    fn works(&self) -> &HostWorks;

    /// See [`CpuExecutor::take_over`].
    fn take_over(&mut self, keep_admissible: bool, moved: Option<&Problem<D>>) -> StepMode;

    /// Makes a copy of a level with arbitrary values, unless there is one, and sets its time: a change of the mesh drops the copies of
    /// levels that it replaces. Coarser levels must be there already.
    fn make_host_copy(&mut self, spec: LevelSpec<D>);

    /// A level's states, ghost cells included.
    fn q_of_copy(&mut self, level: Level) -> &mut [u8];

    /// A level's auxiliary values, ghost cells included.
    fn aux_of_copy(&mut self, level: Level) -> &mut [u8];

    /// Makes a copy's states NaN.
    fn poison_copy(&mut self, level: Level);

    /// Drops the levels from `first` on.
    fn truncate(&mut self, first: Level);

    /// See [`CpuExecutor::initialise_level`].
    fn initialise_level(&mut self, spec: LevelSpec<D>) -> Result<(), ExecError>;

    /// See [`CpuExecutor::load_level`].
    fn load_level(&mut self, spec: LevelSpec<D>, state: &LevelState<D>) -> Result<(), ExecError>;

    /// Fills auxiliary values for a time.
    fn fill_level_aux(&mut self, level: Level, time: f64) -> Result<(), ExecError>;

    /// Refuses values of a new level that are not allowed.
    fn check_filled(&self, level: Level) -> Result<(), ExecError>;

    /// What is wrong with some cells of a patch, in a state of time `time`.
    fn failure_in_copy(&self, level: Level, patch: usize, cells: Searched, time: f64) -> Option<ExecError>;

    /// Fills the ghost cells outside the domain, at the level's time, and checks those that users' functions fill. `before`: the states of which
    /// sources have made these.
    fn fill_outside_of_copy(
        &mut self,
        level: Level,
        plan: &GhostPlan<D>,
        before: Option<Vec<u8>>,
    ) -> Result<(), ExecError>;

    /// Applies the source terms to a level's states, and if `ghosts` gives their plan to ghost cells too.
    fn apply_source_to_copy(&mut self, level: Level, ghosts: Option<&GhostPlan<D>>, t: f64, dt: f64) -> StepReport;

    /// Applies the source terms to states, `[component, state]`, each in the place of a cell of a level's only patch.
    fn apply_source_in_places(&mut self, level: Level, cells_and_states: (&[u32], &mut [u8]), when: (f64, f64));

    /// Advances the coarse cells beside level `fine` by the sources. `cells`: as [`Register`] keeps them.
    fn advance_source_cells_of_copy(&mut self, fine: Level, plan: &RefluxPlan<D>, cells: &mut [u8], when: (f64, f64));
}

/// The numbers whose bytes these are, and `room` numbers more.
fn numbers_of<R: Scalar>(bytes: &[u8], room: usize) -> Vec<R> {
    let mut numbers = vec![R::default(); bytes.len() / R::BYTES + room];
    bytes_of_mut(&mut numbers)[..bytes.len()].copy_from_slice(bytes);
    numbers
}

impl<const D: usize, R: Scalar> Host<D> for CpuExecutor<D, R> {
    fn set_ranks(&mut self, ranks: Ranks) {
        self.ranks = ranks;
    }

    fn works(&self) -> &HostWorks {
        &self.host_works
    }

    fn take_over(&mut self, keep_admissible: bool, moved: Option<&Problem<D>>) -> StepMode {
        self.take_over(keep_admissible, moved)
    }

    fn make_host_copy(&mut self, spec: LevelSpec<D>) {
        let (l, time) = (spec.level.index(), spec.time);
        if self.levels.len() == l {
            let store = self.new_store(spec);
            self.levels.push(store);
        }
        self.levels[l].states.time = time;
    }

    fn q_of_copy(&mut self, level: Level) -> &mut [u8] {
        bytes_of_mut(self.levels[level.index()].q_mut())
    }

    fn aux_of_copy(&mut self, level: Level) -> &mut [u8] {
        bytes_of_mut(&mut self.levels[level.index()].aux)
    }

    fn poison_copy(&mut self, level: Level) {
        self.levels[level.index()].q_mut().fill(R::from_f64(f64::NAN));
    }

    fn truncate(&mut self, first: Level) {
        self.truncate(first);
    }

    fn initialise_level(&mut self, spec: LevelSpec<D>) -> Result<(), ExecError> {
        self.initialise_level(spec)
    }

    fn load_level(&mut self, spec: LevelSpec<D>, state: &LevelState<D>) -> Result<(), ExecError> {
        self.load_level(spec, state)
    }

    fn fill_level_aux(&mut self, level: Level, time: f64) -> Result<(), ExecError> {
        self.fill_level_aux(level, time)
    }

    fn check_filled(&self, level: Level) -> Result<(), ExecError> {
        self.check_filled(level)
    }

    fn failure_in_copy(&self, level: Level, patch: usize, cells: Searched, time: f64) -> Option<ExecError> {
        self.failure_in(level, patch, self.levels[level.index()].q(), cells, time)
    }

    fn fill_outside_of_copy(
        &mut self,
        level: Level,
        plan: &GhostPlan<D>,
        before: Option<Vec<u8>>,
    ) -> Result<(), ExecError> {
        let store = &mut self.levels[level.index()];
        let context = BoundaryContext::new(&self.problem, &self.signs, store);
        let layout = store.layout.clone();
        let sides = Outside { plan, context };
        let (q, aux) = store.q_mut_and_aux();
        let q = Shared::new(q);
        let mut before = before.map(|before| numbers_of(&before, 0));
        let before = before.as_mut().map(|before| Shared::new(before));
        layout.patches.iter().enumerate().for_each(|(k, patch)| match before {
            // SAFETY: the level is borrowed alone.
            Some(before) => unsafe { sides.fill_after_sources((q, aux), before, patch, k) },
            // SAFETY: likewise.
            None => unsafe { sides.fill((q, aux), patch, k) },
        });
        self.check_boundaries(level, plan)
    }

    fn apply_source_to_copy(&mut self, level: Level, ghosts: Option<&GhostPlan<D>>, t: f64, dt: f64) -> StepReport {
        let store = &mut self.levels[level.index()];
        let (mut aux, kept) = (std::mem::take(&mut store.aux), std::mem::take(&mut store.source_cache));
        let (layout, mesh) = (store.layout.clone(), store.mesh.clone());
        let context = BoundaryContext::new(&self.problem, &self.signs, store);
        let mut before = if ghosts.is_some() { store.q().to_vec() } else { Vec::new() };
        let before = Shared::new(&mut before);
        let outside = ghosts.map(|plan| (Outside { plan, context }, before));
        let sources = Sources::new(&self.problem, self.solver.as_ref(), store.geometry, &self.scratch.sources);
        let level = SourceLevel { sources, layout: &layout, mesh: &mesh, aux: Shared::new(&mut aux), kept: &kept };
        // SAFETY: the level is borrowed alone.
        let found = unsafe { level.apply(Shared::new(store.q_mut()), outside, t, dt) };
        (store.aux, store.source_cache) = (aux, kept);
        found
    }

    fn apply_source_in_places(&mut self, level: Level, (cells, states): (&[u32], &mut [u8]), when: (f64, f64)) {
        let mut numbers: Vec<R> = numbers_of(states, 0);
        let store = &mut self.levels[level.index()];
        let mut aux = std::mem::take(&mut store.aux);
        let (layout, mesh, kept) = (&*store.layout, &*store.mesh, &store.source_cache);
        let sources = Sources::new(&self.problem, self.solver.as_ref(), store.geometry, &self.scratch.sources);
        let num_eqn = sources.num_eqn;
        let level = SourceLevel { sources, layout, mesh, aux: Shared::new(&mut aux), kept };
        for (k, &cell) in cells.iter().enumerate() {
            let mut state: Vec<R> = numbers.iter().skip(k).step_by(cells.len()).copied().collect();
            state.resize(num_eqn + PACK_OVERRUN, R::default());
            level.apply_in_place_of(std::array::from_fn(|d| if d == 0 { cell as i32 } else { 0 }), &mut state, when);
            numbers.iter_mut().skip(k).step_by(cells.len()).zip(state).for_each(|(value, after)| *value = after);
        }
        store.aux = aux;
        states.copy_from_slice(bytes_of(&numbers));
    }

    fn advance_source_cells_of_copy(&mut self, fine: Level, plan: &RefluxPlan<D>, cells: &mut [u8], when: (f64, f64)) {
        let layout = self.levels[fine.index()].layout.clone();
        let geometry = self.levels[fine.index() - 1].geometry;
        let sources = Sources::new(&self.problem, self.solver.as_ref(), geometry, &self.scratch.sources);
        let mut register = Register { source_cells: numbers_of(cells, PACK_OVERRUN), ..Register::<R>::default() };
        register.advance_source_cells(plan, &sources, &layout, when);
        cells.copy_from_slice(&bytes_of(&register.source_cells)[..cells.len()]);
    }
}
