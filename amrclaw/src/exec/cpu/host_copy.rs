//! Copies of levels on the host, for executors whose values are on a device: the same patches with the same layout, filled when only the
//! host can compute something.

use super::CpuExecutor;
use super::boundary::{BoundaryContext, Outside};
use super::failure::Searched;
use super::source::{SourceLevel, Sources};
use super::store::Register;
use crate::exec::step::LevelSpec;
use crate::exec::{ExecError, StepReport};
use crate::fields::Shared;
use crate::index::Level;
use crate::plan::{GhostPlan, RefluxPlan};
use riemann::patch::PACK_OVERRUN;
use riemann::real::Scalar;

impl<const D: usize, R: Scalar> CpuExecutor<D, R> {
    /// Makes a copy of a level with arbitrary values, unless there is one, and sets its time: a change of the mesh drops the copies of
    /// levels that it replaces. Coarser levels must be there already.
    pub(in crate::exec) fn make_host_copy(&mut self, spec: LevelSpec<D>) {
        let (l, time) = (spec.level.index(), spec.time);
        if self.levels.len() == l {
            let store = self.new_store(spec);
            self.levels.push(store);
        }
        self.levels[l].states.time = time;
    }

    /// A level's states, ghost cells included.
    pub(in crate::exec) fn q_of_copy(&mut self, level: Level) -> &mut [R] {
        self.levels[level.index()].q_mut()
    }

    /// A level's auxiliary values, ghost cells included.
    pub(in crate::exec) fn aux_of_copy(&mut self, level: Level) -> &mut [R] {
        &mut self.levels[level.index()].aux
    }

    /// What is wrong with some cells of a patch, in a state of time `time`.
    pub(in crate::exec) fn failure_in_copy(
        &self,
        level: Level,
        patch: usize,
        cells: Searched,
        time: f64,
    ) -> Option<ExecError> {
        self.failure_in(level, patch, self.levels[level.index()].q(), cells, time)
    }

    /// Fills the ghost cells outside the domain, at the level's time, and checks those that users' functions fill. `before`: the states of which
    /// sources have made these.
    pub(in crate::exec) fn fill_outside_of_copy(
        &mut self,
        level: Level,
        plan: &GhostPlan<D>,
        mut before: Option<Vec<R>>,
    ) -> Result<(), ExecError> {
        let store = &mut self.levels[level.index()];
        let context = BoundaryContext::new(&self.problem, &self.signs, store);
        let layout = store.layout.clone();
        let sides = Outside { plan, context };
        let (q, aux) = store.q_mut_and_aux();
        let q = Shared::new(q);
        let before = before.as_mut().map(|before| Shared::new(before));
        layout.patches.iter().enumerate().for_each(|(k, patch)| match before {
            // SAFETY: the level is borrowed alone.
            Some(before) => unsafe { sides.fill_after_sources((q, aux), before, patch, k) },
            // SAFETY: likewise.
            None => unsafe { sides.fill((q, aux), patch, k) },
        });
        self.check_boundaries(level, plan)
    }

    /// Applies the source terms to a level's states, and if `ghosts` gives their plan to ghost cells too.
    pub(in crate::exec) fn apply_source_to_copy(
        &mut self,
        level: Level,
        ghosts: Option<&GhostPlan<D>>,
        t: f64,
        dt: f64,
    ) -> StepReport {
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

    /// Applies the source terms to states, `[component, state]`, each in the place of a cell of a level's only patch.
    pub(in crate::exec) fn apply_source_in_places(
        &mut self,
        level: Level,
        (cells, states): (&[u32], &mut [R]),
        when: (f64, f64),
    ) {
        let store = &mut self.levels[level.index()];
        let mut aux = std::mem::take(&mut store.aux);
        let (layout, mesh, kept) = (&*store.layout, &*store.mesh, &store.source_cache);
        let sources = Sources::new(&self.problem, self.solver.as_ref(), store.geometry, &self.scratch.sources);
        let num_eqn = sources.num_eqn;
        let level = SourceLevel { sources, layout, mesh, aux: Shared::new(&mut aux), kept };
        for (k, &cell) in cells.iter().enumerate() {
            let mut state: Vec<R> = states.iter().skip(k).step_by(cells.len()).copied().collect();
            state.resize(num_eqn + PACK_OVERRUN, R::default());
            level.apply_in_place_of(std::array::from_fn(|d| if d == 0 { cell as i32 } else { 0 }), &mut state, when);
            states.iter_mut().skip(k).step_by(cells.len()).zip(state).for_each(|(value, after)| *value = after);
        }
        store.aux = aux;
    }

    /// Advances the coarse cells beside level `fine` by the sources. `cells`: as [`Register`] keeps them.
    pub(in crate::exec) fn advance_source_cells_of_copy(
        &mut self,
        fine: Level,
        plan: &RefluxPlan<D>,
        cells: &mut Vec<R>,
        when: (f64, f64),
    ) {
        let layout = self.levels[fine.index()].layout.clone();
        let geometry = self.levels[fine.index() - 1].geometry;
        let sources = Sources::new(&self.problem, self.solver.as_ref(), geometry, &self.scratch.sources);
        let mut register = Register { source_cells: std::mem::take(cells), ..Register::default() };
        register.advance_source_cells(plan, &sources, &layout, when);
        *cells = register.source_cells;
    }
}
