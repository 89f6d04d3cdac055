//! Source terms: the solver's own, and dq/dt given by a function.

use super::boundary::Outside;
use super::fill::cache_of;
use super::scratch::Scratch;
use super::source_step::{RowSource, RowValues};
use super::store::SourceCache;
use crate::exec::StepReport;
use crate::fields::{LevelLayout, PatchLayout, Shared};
use crate::index::{CellBox, CellIndex};
use crate::mesh::{Geometry, LevelMesh, in_space};
use crate::physics::{CachedCellFunction, CellRow, Problem, SourceCentres, StateFunction};
use crate::threads::{parallel_map, parallel_reduce};
use riemann::patch::{PACK_OVERRUN, PatchSolver, SourceRow};
use riemann::real::Scalar;

/// The source terms of a problem, for cells of one level.
#[derive(Clone, Copy)]
pub(super) struct Sources<'a, const D: usize, R: Scalar> {
    pub num_aux: usize,
    pub num_eqn: usize,
    pub geometry: Geometry<D>,
    solver: &'a dyn PatchSolver<R>,
    centres: Option<&'a SourceCentres<D>>,
    function: Option<&'a dyn StateFunction<D>>,
    /// States and rates of one row, per thread.
    scratch: &'a Scratch<f64>,
}

/// Most cells of a row that a thread takes at a time: whole cache lines, and a row as long as a mesh from a file is shared among threads.
const AT_A_TIME: usize = 1024;

/// A row of cells to which sources are applied, wherever their values lie.
#[derive(Clone, Copy)]
pub(super) struct SourceCells<'a, const D: usize, R> {
    /// The first cell. Beyond a periodic side of the domain, the cell that it is an image of.
    pub cell: [i32; D],
    pub len: usize,
    /// The states, and where the first cell's begin.
    pub q: (Shared<'a, R>, usize),
    /// The auxiliary values, likewise.
    pub aux: (Shared<'a, R>, usize),
    /// Numbers between components.
    pub component: usize,
}

impl<const D: usize, R> SourceCells<'_, D, R> {
    /// Number of pieces that threads take.
    fn num_pieces(&self) -> usize {
        self.len.div_ceil(AT_A_TIME)
    }

    /// One of them.
    fn piece(&self, number: usize) -> Self {
        let first = number * AT_A_TIME;
        let mut cell = self.cell;
        cell[0] += first as i32;
        let (q, aux) = ((self.q.0, self.q.1 + first), (self.aux.0, self.aux.1 + first));
        SourceCells { cell, len: AT_A_TIME.min(self.len - first), q, aux, ..*self }
    }
}

impl<'a, const D: usize, R: Scalar> Sources<'a, D, R> {
    pub fn new(
        problem: &'a Problem<D>,
        solver: &'a dyn PatchSolver<R>,
        geometry: Geometry<D>,
        scratch: &'a Scratch<f64>,
    ) -> Self {
        Sources {
            num_aux: solver.aux().len(),
            num_eqn: solver.equations().len(),
            geometry,
            solver,
            centres: problem.own_source_at.as_ref(),
            function: problem.source.as_deref(),
            scratch,
        }
    }

    /// Applies the source terms for a time `dt` from time `t`. `steps`: the function in two steps, and what it keeps for the row. Returns
    /// whether the values are then all finite and allowed, and whether rates have changed their sign.
    ///
    /// # Safety
    /// Nobody else touches the row's states, and nobody writes auxiliary values. Numbers beyond the row's can be read.
    pub unsafe fn apply(
        &self,
        cells: &SourceCells<'_, D, R>,
        in_steps: Option<(&dyn CachedCellFunction<D>, &[f64])>,
        (t, dt): (f64, f64),
    ) -> (bool, bool) {
        let (row, states) = (self.row(cells, t), self.states(cells, t, dt));
        if self.solver.has_source() {
            // SAFETY: the row is ours by the caller's promise, and arrays have the overrun at their ends.
            let act = |states: &SourceRow<R>| unsafe { self.solver.apply_source(states) };
            match self.centres {
                Some(centres) => centres.rows(&row, &states).for_each(|cell| act(&cell)),
                None => act(&states),
            }
        }
        let (mut finite, mut reverses) = (true, false);
        if let Some(function) = self.function {
            // SAFETY: the caller's promise.
            reverses = unsafe { self.apply_function(RowSource { function, in_steps }, cells, &row, dt) };
        }
        let (q, start) = cells.q;
        for m in 0..self.num_eqn {
            // SAFETY: likewise.
            let values = unsafe { q.row(start + m * cells.component, cells.len) };
            finite &= values.iter().all(|v| v.to_f64().is_finite());
        }
        // SAFETY: likewise.
        finite &= unsafe { self.solver.first_inadmissible(&states, false) }.is_none();
        (finite, reverses)
    }

    /// A row of cells as functions take it.
    fn row(&self, cells: &SourceCells<'_, D, R>, time: f64) -> CellRow<D> {
        CellRow { geometry: self.geometry, first: cells.cell, len: cells.len, time }
    }

    /// A row of cells as the solver takes it.
    fn states(&self, cells: &SourceCells<'_, D, R>, t: f64, dt: f64) -> SourceRow<R> {
        let (q, aux) = (cells.q.0.at(cells.q.1), cells.aux);
        let aux = match self.num_aux {
            0 => std::ptr::NonNull::dangling().as_ptr(),
            _ => aux.0.at(aux.1).cast_const(),
        };
        let (lattice, first) = (self.geometry.in_space(), in_space(cells.cell));
        SourceRow { q, aux, len: cells.len, component: cells.component, lattice, first, t, dt }
    }

    /// Advances a row by the function. True if its rates change their sign.
    unsafe fn apply_function(
        &self,
        source: RowSource<'_, D>,
        cells: &SourceCells<'_, D, R>,
        row: &CellRow<D>,
        dt: f64,
    ) -> bool {
        let &SourceCells { len, q, aux, component, .. } = cells;
        let mut buffer = self.scratch.mine();
        let mut values = RowValues::of(&mut buffer, [self.num_eqn, self.num_aux], len);
        for (a, values) in values.aux.chunks_exact_mut(len).enumerate() {
            // SAFETY: nobody writes auxiliary values while sources act.
            let known = unsafe { aux.0.row(aux.1 + a * component, len) };
            values.iter_mut().zip(known).for_each(|(o, v)| *o = v.to_f64());
        }
        for (m, state) in values.state.chunks_exact_mut(len).enumerate() {
            // SAFETY: the row is ours by the caller's promise.
            let known = unsafe { q.0.row(q.1 + m * component, len) };
            state.iter_mut().zip(known).for_each(|(s, v)| *s = v.to_f64());
        }
        let reverses = values.advance(source, row, dt);
        for (m, state) in values.state.chunks_exact(len).enumerate() {
            // SAFETY: likewise.
            let out = unsafe { q.0.row_mut(q.1 + m * component, len) };
            out.iter_mut().zip(state).for_each(|(o, s)| *o = R::from_f64(*s));
        }
        reverses
    }
}

/// What is outside the domain, and the states before sources act, with which it has been filled.
pub(super) type Ghosts<'a, const D: usize, R> = (Outside<'a, D>, Shared<'a, R>);

/// A level's patches, to which source terms are applied.
pub(super) struct SourceLevel<'a, const D: usize, R: Scalar> {
    pub sources: Sources<'a, D, R>,
    pub layout: &'a LevelLayout<D>,
    pub mesh: &'a LevelMesh<D>,
    pub aux: Shared<'a, R>,
    /// What the function keeps of the level.
    pub kept: &'a SourceCache,
}

impl<'a, const D: usize, R: Scalar> SourceLevel<'a, D, R> {
    /// Applies the source terms for a time `dt` from time `t`, and if `ghosts` says what is outside the domain, and which states it has been
    /// filled with, to ghost cells too: beyond periodic sides at the positions of the cells that they are images of, while those outside the
    /// domain are filled again from the cells inside ([`Outside::fill_after_sources`]). Reports the first patch whose values are then not all finite and allowed, and whether rates have changed their sign.
    ///
    /// # Safety
    /// Nobody else touches `q` meanwhile, and nobody writes auxiliary values.
    pub unsafe fn apply(&self, q: Shared<'_, R>, ghosts: Option<Ghosts<'_, D, R>>, t: f64, dt: f64) -> StepReport {
        let outside = ghosts.map(|(outside, _)| outside);
        let steps = self.sources.function.and_then(StateFunction::in_steps);
        let kept = steps.map(|steps| (steps, self.caches(steps, outside)));
        let patches = &self.layout.patches;
        let act = |k: usize| {
            let patch = &patches[k];
            let mut rest = kept.map(|(steps, kept)| (steps, kept[k].as_slice()));
            let mut report = StepReport::NONE;
            for row in self.rows(k, q, outside) {
                let of_row = rest.as_mut().map(|(steps, rest)| {
                    let len = (0..row.num_pieces()).map(|n| steps.cache_len(row.piece(n).len)).sum();
                    (*steps, rest.split_off(..len).expect("each row has its own"))
                });
                let act = |n: usize| {
                    let cells = row.piece(n);
                    let in_steps = of_row.map(|(steps, kept)| {
                        (steps, &kept[n * steps.cache_len(AT_A_TIME)..][..steps.cache_len(cells.len)])
                    });
                    // SAFETY: each piece of a patch's rows is touched by its own task alone.
                    let (finite, reverses) = unsafe { self.sources.apply(&cells, in_steps, (t, dt)) };
                    StepReport { reverses, ..StepReport::of(0.0, k, finite) }
                };
                report = report.or(parallel_reduce(row.num_pieces(), act, StepReport::NONE, StepReport::or));
            }
            if let Some((outside, before)) = &ghosts {
                let len = self.layout.len(self.sources.num_aux);
                // SAFETY: nobody writes auxiliary values.
                let aux = if self.sources.num_aux == 0 { &[] } else { unsafe { self.aux.row(0, len) } };
                // SAFETY: likewise.
                unsafe { outside.fill_after_sources((q, aux), *before, patch, k) };
            }
            report
        };
        let report = |k: usize| if patches[k].is_local { act(k) } else { StepReport::NONE };
        parallel_reduce(patches.len(), report, StepReport::NONE, StepReport::or)
    }

    /// Applies the source terms for a time `dt` from time `t` to a state in the place of a cell of the first patch. `state`: with a pack beyond it.
    pub fn apply_in_place_of(&self, cell: CellIndex<D>, state: &mut [R], when: (f64, f64)) {
        let (patch, num_aux) = (&self.layout.patches[0], self.sources.num_aux);
        // SAFETY: nobody writes auxiliary values.
        let known = |a: usize| unsafe { *self.aux.at(patch.offset(num_aux, cell) + a * patch.component()) };
        let mut aux: Vec<R> = (0..num_aux).map(known).collect();
        aux.resize(num_aux + PACK_OVERRUN, R::default());
        let (q, aux) = ((Shared::new(state), 0), (Shared::new(&mut aux), 0));
        // SAFETY: both are this function's.
        unsafe { self.sources.apply(&SourceCells { cell, len: 1, q, aux, component: 1 }, None, when) };
    }

    /// The rows of a patch in which sources act. Each lies in one period of the domain.
    fn rows<'q>(
        &self,
        k: usize,
        q: Shared<'q, R>,
        ghosts: Option<Outside<'q, D>>,
    ) -> impl Iterator<Item = SourceCells<'q, D, R>>
    where
        'a: 'q,
    {
        let patch = &self.layout.patches[k];
        let own = if ghosts.is_some() { self.mesh.inside_domain(&patch.with_ghosts()) } else { patch.cells };
        let boxes = std::iter::once(own).chain(ghosts.into_iter().flat_map(move |outside| outside.users_cells(k)));
        boxes.flat_map(move |cells| self.rows_of_box(patch, q, cells))
    }

    fn rows_of_box<'q>(
        &self,
        patch: &'a PatchLayout<D>,
        q: Shared<'q, R>,
        cells: CellBox<D>,
    ) -> impl Iterator<Item = SourceCells<'q, D, R>> + use<'q, 'a, D, R>
    where
        'a: 'q,
    {
        let (lo, hi, count) = (cells.lo[0], cells.hi[0], self.mesh.domain().hi);
        let repeats = self.mesh.repeats();
        // Cells that are read backwards are no row: where there may be some, each is one.
        let alone = repeats.folded.is_some() && !self.mesh.domain().contains_box(&cells);
        let step = if alone { 1 } else { count[0] };
        let pieces = if repeats.axes[0] { lo.div_euclid(step)..=(hi - 1).div_euclid(step) } else { 0..=0 };
        let (num_eqn, num_aux, levels_aux) = (self.sources.num_eqn, self.sources.num_aux, self.aux);
        cells.rows().flat_map(move |mut cell| {
            pieces.clone().map(move |piece| {
                let mut end = hi;
                if repeats.axes[0] {
                    cell[0] = lo.max(piece * step);
                    end = hi.min((piece + 1) * step);
                }
                SourceCells {
                    cell: repeats.shift(repeats.turn(cell, count), count).source(cell),
                    len: (end - cell[0]) as usize,
                    q: (q, patch.offset(num_eqn, cell)),
                    aux: (levels_aux, patch.offset(num_aux, cell)),
                    component: patch.component(),
                }
            })
        })
    }

    /// What the function keeps for each patch; computed once.
    fn caches(&self, steps: &dyn CachedCellFunction<D>, ghosts: Option<Outside<'_, D>>) -> &'a [Vec<f64>] {
        let patches = &self.layout.patches;
        let of_patch = |k: usize| {
            let rows = self.rows(k, self.aux, ghosts);
            let pieces = rows.flat_map(|row| (0..row.num_pieces()).map(move |n| row.piece(n)));
            let pieces = pieces.map(|cells| self.sources.row(&cells, 0.0));
            if patches[k].is_local { cache_of(steps, pieces) } else { Vec::new() }
        };
        self.kept[usize::from(ghosts.is_some())].get_or_init(|| parallel_map(patches.len(), of_patch))
    }
}

/// Copies a level's array.
pub(super) fn copy<R: Scalar>(from: Shared<'_, R>, to: Shared<'_, R>, len: usize) {
    // SAFETY: two different arrays of the level, both borrowed by the step.
    unsafe { to.row_mut(0, len).copy_from_slice(from.row(0, len)) };
}
