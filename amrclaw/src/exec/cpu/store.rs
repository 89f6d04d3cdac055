//! A level's values in host memory.

use super::faces::ListedFaces;
use super::tiles::TilePlan;
use crate::exec::CellInPatch;
use crate::exec::step::States;
use crate::fields::{LevelLayout, Pool, Shared};
use crate::mesh::{Geometry, LevelMesh, Partition};
use crate::plan::{LevelPlans, RefluxPlan};
use riemann::patch::PACK_OVERRUN;
use riemann::real::Scalar;
use std::sync::{Arc, OnceLock};

/// Terms of the conservation fix between a level and the next coarser one.
#[derive(Debug, Default)]
pub(super) struct Register<R> {
    /// `Σ Δt (fine flux + C1) − Δt coarse flux` per coarse face: `[equation, slot]`.
    pub sums: Vec<R>,
    /// State and aux of the coarse cell beside each face at the start of each sweep of the coarse step:
    /// `[sweep, equation then aux, slot]`.
    pub coarse_cells: Vec<R>,
    /// Ghost cells of the finer level beside each of its faces, saved before a sweep that may overwrite them:
    /// `[equation, face]`.
    pub ghosts: Vec<R>,
    /// Where there are source terms, the coarse cells beside the faces: the state at the beginning of the coarse step, to which sources are
    /// applied with the finer level's steps; the state by which the coarse step solved its first Riemann problems; aux:
    /// `[2 num_eqn + num_aux, slot]`, and some numbers behind.
    pub source_cells: Vec<R>,
    /// What the finer level may take through each face beyond the coarse flux, of quantities that are kept from being negative: `[quantity, slot]`.
    pub allowances: Vec<R>,
}

/// The time-independent part of source terms for each patch, for rows of interior cells and for rows with ghost cells.
pub(super) type SourceCache = [OnceLock<Vec<Vec<f64>>>; 2];

/// A level's values.
#[derive(Debug)]
pub(super) struct LevelStore<const D: usize, R> {
    pub mesh: Arc<LevelMesh<D>>,
    /// Owners of the patches, if there are several ranks.
    pub partition: Option<Arc<Partition>>,
    pub layout: Arc<LevelLayout<D>>,
    pub geometry: Geometry<D>,
    pub num_eqn: usize,
    /// Arrays of q; `states` says which holds which state.
    buffers: Vec<Vec<R>>,
    pub states: States,
    pub aux: Vec<R>,
    /// The time of which the auxiliary values are; NaN before they are filled.
    pub aux_time: f64,
    /// For each patch, the time-independent part of auxiliary values that change with time: see
    /// [`CachedCellFunction`](crate::physics::CachedCellFunction). Empty until it is first needed.
    pub aux_cache: Vec<Vec<f64>>,
    /// The same of source terms, for rows of interior cells and for rows with ghost cells. Empty until they are first needed.
    pub source_cache: SourceCache,
    /// Fluxes that the last sweep kept: `[equation, slot]`.
    pub kept: Vec<R>,
    pub register: Register<R>,
    /// Faces to the coarser level, one by one.
    pub faces: Option<Arc<ListedFaces<D>>>,
    /// Tiles to update.
    pub tiles: Arc<TilePlan>,
}

/// What the room for the conservation fix depends on, besides plans.
#[derive(Clone, Copy)]
pub(super) struct FixNeeds {
    pub num_aux: usize,
    pub num_sweeps: usize,
    /// There are source terms.
    pub sourced: bool,
    /// Quantities that are kept from being negative.
    pub num_kept: usize,
    /// An engine keeps fluxes and coarse cells, and only the sums are fetched.
    pub by_engine: bool,
    /// Coarse cells are needed here all the same, to send them to other ranks.
    pub sends_cells: bool,
}

/// What a level's step reads and writes of its store.
pub(super) struct StepArrays<'a, R> {
    /// The present state.
    pub q: Shared<'a, R>,
    /// The next one: another array, or the same.
    pub next: Shared<'a, R>,
    pub aux: Shared<'a, R>,
    pub kept: &'a mut [R],
    pub register: &'a mut Register<R>,
    pub source_cache: &'a SourceCache,
}

impl<const D: usize, R: Scalar> LevelStore<D, R> {
    pub fn new(
        mesh: Arc<LevelMesh<D>>,
        geometry: Geometry<D>,
        (rank, partition): (usize, Option<Arc<Partition>>),
        [num_ghost, num_eqn, num_aux]: [usize; 3],
        time: f64,
        pool: &mut Pool<R>,
    ) -> Self {
        let is_local = |k| Partition::owns(partition.as_deref(), rank, k);
        let layout = Arc::new(LevelLayout::of_part(&mesh, num_ghost as i32, is_local));
        let buffers = vec![pool.take(layout.len(num_eqn))];
        let aux = if num_aux > 0 { pool.take(layout.len(num_aux)) } else { Vec::new() };
        let register = Register::default();
        LevelStore {
            mesh,
            partition,
            layout,
            geometry,
            num_eqn,
            buffers,
            states: States::new(time),
            aux,
            aux_time: f64::NAN,
            aux_cache: Vec::new(),
            source_cache: SourceCache::default(),
            kept: Vec::new(),
            register,
            faces: None,
            tiles: Arc::default(),
        }
    }

    /// Gives all memory back.
    pub fn dismantle(self, pool: &mut Pool<R>) {
        self.buffers.into_iter().for_each(|b| pool.give(b));
        let Register { sums, coarse_cells, ghosts, source_cells, allowances } = self.register;
        let others = [self.aux, self.kept, sums, coarse_cells, ghosts, source_cells, allowances];
        others.into_iter().for_each(|b| pool.give(b));
    }

    /// Bytes of what is kept of auxiliary values and source terms.
    pub fn cache_bytes(&self) -> usize {
        let of_source = self.source_cache.iter().filter_map(OnceLock::get).flatten();
        self.aux_cache.iter().chain(of_source).map(|kept| size_of_val(&**kept)).sum()
    }

    /// The present state.
    pub fn q(&self) -> &[R] {
        &self.buffers[self.states.current()]
    }

    /// The values of cells, as [`Queries`](crate::exec::Queries) gives them.
    pub fn values_in_cells(&self, cells: &[CellInPatch<D>], num_aux: usize) -> Vec<f64> {
        let arrays = [(self.q(), self.num_eqn), (&self.aux[..], num_aux)];
        let of_cell = |(patch, cell): &CellInPatch<D>| {
            let (layout, cell) = (&self.layout.patches[*patch], *cell);
            arrays.into_iter().flat_map(move |(array, count)| {
                (0..count).map(move |m| array[layout.offset(count, cell) + m * layout.component()].to_f64())
            })
        };
        cells.iter().flat_map(of_cell).collect()
    }

    /// The array of the present state.
    pub fn q_array(&self) -> &Vec<R> {
        &self.buffers[self.states.current()]
    }

    /// Moves the arrays of the present state and of the auxiliary values out, and continues with copies of them.
    pub fn take_values(&mut self, pool: &mut Pool<R>) -> [Vec<R>; 2] {
        [&mut self.buffers[self.states.current()], &mut self.aux].map(|array| {
            let mut copy = pool.take(array.len());
            copy.copy_from_slice(array);
            pool.forget(array);
            std::mem::replace(array, copy)
        })
    }

    /// The present state, to write.
    pub fn q_mut(&mut self) -> &mut [R] {
        &mut self.buffers[self.states.current()]
    }

    /// The present state, to write, and the auxiliary values.
    pub fn q_mut_and_aux(&mut self) -> (&mut [R], &[R]) {
        (&mut self.buffers[self.states.current()], &self.aux)
    }

    /// The state before the last step, where it is kept.
    pub fn q_old(&self) -> Option<&[R]> {
        self.states.old().map(|k| &*self.buffers[k])
    }

    /// The arrays of a step. If it is `in_place`, the new state overwrites the present one, unless that is the state to return to.
    pub fn arrays_of_step(&mut self, in_place: bool, pool: &mut Pool<R>) -> StepArrays<'_, R> {
        let len = self.layout.len(self.num_eqn);
        let next = self.states.next(self.buffers.len(), in_place);
        if next == self.buffers.len() {
            self.buffers.push(Vec::new());
        }
        if self.buffers[next].len() != len {
            pool.give(std::mem::take(&mut self.buffers[next]));
            self.buffers[next] = pool.take(len);
        }
        let (q, next) = if next == self.states.current() {
            let q = Shared::new(&mut self.buffers[next]);
            (q, q)
        } else {
            let [q, next] = self.buffers.get_disjoint_mut([self.states.current(), next]).expect("two different arrays");
            (Shared::new(q), Shared::new(next))
        };
        let (aux, source_cache) = (Shared::new(&mut self.aux), &self.source_cache);
        StepArrays { q, next, aux, kept: &mut self.kept, register: &mut self.register, source_cache }
    }

    /// What the step has written becomes the present state.
    pub fn advance(&mut self, in_place: bool, dt: f64) {
        self.states.advance(self.states.next(self.buffers.len(), in_place), dt);
    }

    /// Keeps only the state to return to: the level is being replaced, but the step may yet be rejected.
    pub fn keep_saved_alone(&mut self, pool: &mut Pool<R>) {
        self.states.restore();
        self.release_spare(pool);
        let Register { sums, coarse_cells, ghosts, source_cells, allowances } = &mut self.register;
        let others = [&mut self.kept, sums, coarse_cells, ghosts, source_cells, allowances];
        others.into_iter().for_each(|array| pool.give(std::mem::take(array)));
    }

    /// Gives the pool the arrays that hold neither the present state nor the one to return to: the level is being replaced, or no finer
    /// level interpolates between its old and its present state.
    pub fn release_spare(&mut self, pool: &mut Pool<R>) {
        for k in (0..self.buffers.len()).filter(|&k| self.states.is_spare(k)) {
            pool.give(std::mem::take(&mut self.buffers[k]));
        }
        self.states.forget_spare();
    }

    /// Resizes the arrays of kept fluxes and of the conservation fix.
    pub fn make_room(&mut self, plans: &LevelPlans<D>, of: FixNeeds, pool: &mut Pool<R>) {
        let FixNeeds { num_aux, num_sweeps, sourced, num_kept, by_engine, sends_cells } = of;
        let here = |numbers: usize| if by_engine { 0 } else { numbers };
        resize(&mut self.kept, here(self.num_eqn * self.tiles.num_slots()), pool);
        if let Some(reflux) = plans.reflux() {
            let slots = reflux.num_slots;
            resize(&mut self.register.sums, self.num_eqn * slots, pool);
            let cells = num_sweeps * (self.num_eqn + num_aux) * slots;
            resize(&mut self.register.coarse_cells, if sends_cells { cells } else { here(cells) }, pool);
            resize(&mut self.register.allowances, num_kept * slots, pool);
            let source_cells = (2 * self.num_eqn + num_aux) * slots + PACK_OVERRUN;
            resize(&mut self.register.source_cells, if sourced { source_cells } else { 0 }, pool);
        }
    }

    /// Resizes the array of saved ghost cells at the faces to the coarser level; it is empty unless `wanted`.
    pub fn make_room_for_ghosts(&mut self, wanted: bool, pool: &mut Pool<R>) {
        let faces = if wanted { self.tiles.num_fine } else { 0 };
        resize(&mut self.register.ghosts, self.num_eqn * faces, pool);
    }
}

/// Changes an array's length; its numbers are kept if the length is the same.
fn resize<R: Scalar>(array: &mut Vec<R>, len: usize, pool: &mut Pool<R>) {
    if array.len() != len {
        pool.give(std::mem::take(array));
        *array = pool.take(len);
    }
}

impl<R> Register<R> {
    /// Index in `coarse_cells` of component `m`, equations before aux, of the coarse cell beside slot `slot` at the start of sweep
    /// `sweep`.
    pub fn coarse_cell<const D: usize>(
        plan: &RefluxPlan<D>,
        values: usize,
        sweep: usize,
        m: usize,
        slot: usize,
    ) -> usize {
        (sweep * values + m) * plan.num_slots + slot
    }
}
