//! Source terms: the solver's own, and dq/dt given by a function.

use super::fill::kept_of;
use super::scratch::Scratch;
use super::store::KeptOfSource;
use crate::fields::{LevelLayout, PatchLayout, Shared};
use crate::index::CellBox;
use crate::mesh::Geometry;
use crate::physics::{CachedCellFunction, CellRow, Problem, SourceCentres, StateFunction};
use crate::threads::{parallel_map, parallel_reduce};
use riemann::patch::{PatchSolver, SourceRow};
use riemann::real::Scalar;

/// What source terms read.
pub(super) struct Context<'a, const D: usize, R: Scalar> {
    pub layout: &'a LevelLayout<D>,
    pub aux: Shared<'a, R>,
    pub num_aux: usize,
    pub num_eqn: usize,
    pub geometry: Geometry<D>,
    solver: &'a dyn PatchSolver<R>,
    centres: Option<&'a SourceCentres<D>>,
    function: Option<&'a dyn StateFunction<D>>,
    /// What the function keeps of the level.
    kept: &'a KeptOfSource,
    /// States and rates of one row, per thread.
    scratch: &'a Scratch<f64>,
}

/// The function of a source term for a row of cells.
#[derive(Clone, Copy)]
struct RowSource<'a, const D: usize> {
    function: &'a dyn StateFunction<D>,
    /// The function in two steps, and what it keeps for the row.
    in_steps: Option<(&'a dyn CachedCellFunction<D>, &'a [f64])>,
}

impl<const D: usize> RowSource<'_, D> {
    /// Fills `out` with dq/dt of the row.
    fn fill(&self, row: &CellRow<D>, state: &[f64], aux: &[f64], out: &mut [f64]) {
        match self.in_steps {
            Some((steps, kept)) => steps.fill_row_from(row, kept, [state, aux], out),
            None => self.function.fill_row(row, state, aux, out),
        }
    }
}

impl<'a, const D: usize, R: Scalar> Context<'a, D, R> {
    /// What the problem's sources read of a level.
    pub fn new(
        (problem, solver): (&'a Problem<D>, &'a dyn PatchSolver<R>),
        (layout, aux, geometry): (&'a LevelLayout<D>, Shared<'a, R>, Geometry<D>),
        kept: &'a KeptOfSource,
        scratch: &'a Scratch<f64>,
    ) -> Self {
        Context {
            layout,
            aux,
            num_aux: solver.aux().len(),
            num_eqn: solver.equations().len(),
            geometry,
            solver,
            centres: problem.own_source_at.as_ref(),
            function: problem.source.as_deref(),
            kept,
            scratch,
        }
    }

    /// Applies the source terms for a time `dt` from time `t`, to ghost cells too if `ghosts`. Returns the first patch whose values are
    /// then not all finite and allowed.
    ///
    /// # Safety
    /// Nobody else touches `q` meanwhile, and nobody writes auxiliary values.
    pub unsafe fn apply(&self, q: Shared<'_, R>, ghosts: bool, t: f64, dt: f64) -> Option<usize> {
        let cells_of = |patch: &PatchLayout<D>| if ghosts { patch.with_ghosts() } else { patch.cells };
        let steps = self.function.and_then(StateFunction::in_steps);
        let kept = steps.map(|steps| (steps, self.kept_by(steps, usize::from(ghosts), cells_of)));
        let patches = &self.layout.patches;
        let act = |k: usize| {
            let (patch, cells) = (&patches[k], cells_of(&patches[k]));
            let mut rest = kept.map(|(steps, kept)| (steps, kept[k].as_slice()));
            let len = cells.size()[0] as usize;
            let mut buffers = self.scratch.mine();
            if self.function.is_some() && buffers.len() < (3 * self.num_eqn + self.num_aux) * len {
                buffers.resize((3 * self.num_eqn + self.num_aux) * len, 0.0);
            }
            let mut finite = true;
            for row in cells.rows() {
                // SAFETY: each patch is touched by its own task alone.
                unsafe {
                    if self.solver.has_source() {
                        self.apply_solver(q, patch, row, len, t, dt);
                    }
                    if let Some(function) = self.function {
                        let in_steps = rest.as_mut().map(|(steps, rest)| {
                            let of_row = rest.split_off(..steps.kept_len(len)).expect("each row has its own");
                            (*steps, of_row)
                        });
                        self.apply_function(RowSource { function, in_steps }, q, patch, row, len, t, dt, &mut buffers);
                    }
                    let start = patch.offset(self.num_eqn, row);
                    for m in 0..self.num_eqn {
                        let values = q.row(start + m * patch.component(), len);
                        finite &= values.iter().all(|v| v.to_f64().is_finite());
                    }
                    finite &= self.solver.first_inadmissible(&self.row(q, patch, row, len, t, dt), false).is_none();
                }
            }
            finite
        };
        let broken = |k: usize| if !patches[k].is_local || act(k) { usize::MAX } else { k };
        Some(parallel_reduce(patches.len(), broken, usize::MAX, usize::min)).filter(|&k| k < usize::MAX)
    }

    /// What the function keeps for each patch; computed once. `place`: among what is kept of the level.
    fn kept_by(
        &self,
        steps: &dyn CachedCellFunction<D>,
        place: usize,
        cells_of: impl Fn(&PatchLayout<D>) -> CellBox<D> + Sync,
    ) -> &'a [Vec<f64>] {
        let patches = &self.layout.patches;
        let of_patch = |k: usize| {
            let cells = cells_of(&patches[k]);
            let rows = cells.rows().map(|cell| self.cells(cell, cells.size()[0] as usize, 0.0));
            if patches[k].is_local { kept_of(steps, rows) } else { Vec::new() }
        };
        self.kept[place].get_or_init(|| parallel_map(patches.len(), of_patch))
    }

    unsafe fn apply_solver(
        &self,
        q: Shared<'_, R>,
        patch: &PatchLayout<D>,
        cell: [i32; D],
        len: usize,
        t: f64,
        dt: f64,
    ) {
        let row = self.row(q, patch, cell, len, t, dt);
        // SAFETY: the row is ours by the caller's promise, and arrays have the overrun at their ends.
        let act = |row: &SourceRow<R>| unsafe { self.solver.apply_source(row) };
        match self.centres {
            Some(centres) => centres.rows(&self.cells(cell, len, t), &row).for_each(|cell| act(&cell)),
            None => act(&row),
        }
    }

    /// A row of cells as functions take it.
    fn cells(&self, cell: [i32; D], len: usize, time: f64) -> CellRow<D> {
        CellRow { lower: self.geometry.corner(cell), dx: self.geometry.dx, len, time }
    }

    /// A row of cells as the solver takes it.
    fn row(
        &self,
        q: Shared<'_, R>,
        patch: &PatchLayout<D>,
        cell: [i32; D],
        len: usize,
        t: f64,
        dt: f64,
    ) -> SourceRow<R> {
        let mut centre = [0.0; 3];
        centre[..D].copy_from_slice(&self.geometry.row_centre(cell));
        let aux = match self.num_aux {
            0 => std::ptr::NonNull::dangling().as_ptr(),
            n => self.aux.at(patch.offset(n, cell)).cast_const(),
        };
        let q = q.at(patch.offset(self.num_eqn, cell));
        SourceRow { q, aux, len, component: patch.component(), centre, dx: self.geometry.dx[0], t, dt }
    }

    /// One step of the midpoint rule, second order in time.
    #[allow(clippy::too_many_arguments, reason = "the row, the time and the buffers of one call site")]
    unsafe fn apply_function(
        &self,
        function: RowSource<'_, D>,
        q: Shared<'_, R>,
        patch: &PatchLayout<D>,
        cell: [i32; D],
        len: usize,
        t: f64,
        dt: f64,
        buffers: &mut [f64],
    ) {
        let values = self.num_eqn * len;
        let (state, rest) = buffers.split_at_mut(values);
        let (middle, rest) = rest.split_at_mut(values);
        let (rate, rest) = rest.split_at_mut(values);
        let aux = &mut rest[..self.num_aux * len];
        for (a, values) in aux.chunks_exact_mut(len).enumerate() {
            let start = patch.offset(self.num_aux, cell) + a * patch.component();
            // SAFETY: nobody writes auxiliary values while sources act.
            let known = unsafe { self.aux.row(start, len) };
            values.iter_mut().zip(known).for_each(|(o, v)| *o = v.to_f64());
        }
        let row = |time| self.cells(cell, len, time);
        let start = patch.offset(self.num_eqn, cell);
        for m in 0..self.num_eqn {
            // SAFETY: the row is ours by the caller's promise.
            let values = unsafe { q.row(start + m * patch.component(), len) };
            state[m * len..][..len].iter_mut().zip(values).for_each(|(s, v)| *s = v.to_f64());
        }
        function.fill(&row(t), state, aux, rate);
        for (m, (s, r)) in middle.iter_mut().zip(state.iter().zip(rate.iter())) {
            *m = s + 0.5 * dt * r;
        }
        function.fill(&row(t + 0.5 * dt), middle, aux, rate);
        for m in 0..self.num_eqn {
            // SAFETY: likewise.
            let values = unsafe { q.row_mut(start + m * patch.component(), len) };
            for (i, value) in values.iter_mut().enumerate() {
                *value = R::from_f64(state[m * len + i] + dt * rate[m * len + i]);
            }
        }
    }
}

/// Copies a level's array.
pub(super) fn copy<R: Scalar>(from: Shared<'_, R>, to: Shared<'_, R>, len: usize) {
    // SAFETY: two different arrays of the level, both borrowed by the step.
    unsafe { to.row_mut(0, len).copy_from_slice(from.row(0, len)) };
}
