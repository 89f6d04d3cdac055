//! Source terms: the solver's own, and dq/dt given by a function.

use super::fill::kept_of;
use super::scratch::Scratch;
use super::source_step::{RowSource, RowValues};
use super::store::KeptOfSource;
use crate::fields::{LevelLayout, PatchLayout, Shared};
use crate::index::CellBox;
use crate::mesh::{Geometry, in_space};
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
            let mut buffer = self.scratch.mine();
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
                        let values = RowValues::of(&mut buffer, [self.num_eqn, self.num_aux], len);
                        self.apply_function(RowSource { function, in_steps }, q, patch, row, len, (t, dt), values);
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
        CellRow { geometry: self.geometry, first: cell, len, time }
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
        let aux = match self.num_aux {
            0 => std::ptr::NonNull::dangling().as_ptr(),
            n => self.aux.at(patch.offset(n, cell)).cast_const(),
        };
        let q = q.at(patch.offset(self.num_eqn, cell));
        let (lattice, first) = (self.geometry.in_space(), in_space(cell));
        SourceRow { q, aux, len, component: patch.component(), lattice, first, t, dt }
    }

    /// Advances a row by the function.
    #[allow(clippy::too_many_arguments, reason = "the row, the time and the values of one call site")]
    unsafe fn apply_function(
        &self,
        source: RowSource<'_, D>,
        q: Shared<'_, R>,
        patch: &PatchLayout<D>,
        cell: [i32; D],
        len: usize,
        (t, dt): (f64, f64),
        mut values: RowValues<'_>,
    ) {
        for (a, values) in values.aux.chunks_exact_mut(len).enumerate() {
            let start = patch.offset(self.num_aux, cell) + a * patch.component();
            // SAFETY: nobody writes auxiliary values while sources act.
            let known = unsafe { self.aux.row(start, len) };
            values.iter_mut().zip(known).for_each(|(o, v)| *o = v.to_f64());
        }
        let start = patch.offset(self.num_eqn, cell);
        for (m, state) in values.state.chunks_exact_mut(len).enumerate() {
            // SAFETY: the row is ours by the caller's promise.
            let known = unsafe { q.row(start + m * patch.component(), len) };
            state.iter_mut().zip(known).for_each(|(s, v)| *s = v.to_f64());
        }
        values.advance(source, &self.cells(cell, len, t), dt);
        for (m, state) in values.state.chunks_exact(len).enumerate() {
            // SAFETY: likewise.
            let out = unsafe { q.row_mut(start + m * patch.component(), len) };
            out.iter_mut().zip(state).for_each(|(o, s)| *o = R::from_f64(*s));
        }
    }
}

/// Copies a level's array.
pub(super) fn copy<R: Scalar>(from: Shared<'_, R>, to: Shared<'_, R>, len: usize) {
    // SAFETY: two different arrays of the level, both borrowed by the step.
    unsafe { to.row_mut(0, len).copy_from_slice(from.row(0, len)) };
}
