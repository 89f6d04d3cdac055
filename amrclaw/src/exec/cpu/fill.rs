//! Values from functions of position: initial data and auxiliary values.

use super::CpuExecutor;
use super::former_aux::FormerAux;
use super::store::LevelStore;
use crate::exec::ExecError;
use crate::exec::step::{LevelCells, aux_origins};
use crate::fields::{PatchLayout, Shared};
use crate::index::{CellBox, Level};
use crate::mesh::Geometry;
use crate::physics::{CachedCellFunction, CellBlock, CellFunction, CellRow, SideSigns};
use crate::plan::AuxOrigins;
use crate::threads::{parallel_for, parallel_map};
use riemann::axis::Axis;
use riemann::real::Scalar;
use std::time::Instant;

/// Cells of a patch, and where functions are evaluated for them: at the cells less `shift`, their periodic image.
#[derive(Clone, Copy)]
struct EvaluatedCells<const D: usize> {
    cells: CellBox<D>,
    shift: [i32; D],
    geometry: Geometry<D>,
    time: f64,
}

impl<const D: usize> EvaluatedCells<D> {
    /// The cell that stands for this one.
    fn image(&self, cell: [i32; D]) -> [i32; D] {
        std::array::from_fn(|d| cell[d] - self.shift[d])
    }

    /// The row of cells that begins with this one.
    fn row(&self, cell: [i32; D]) -> CellRow<D> {
        let len = self.cells.size()[0] as usize;
        CellRow { geometry: self.geometry, first: self.image(cell), len, time: self.time }
    }
}

/// Writes a row's values to a patch's array. Component `m` begins at number `m · stride + first` of `values`.
///
/// # Safety
/// Nobody else touches the row's cells meanwhile.
unsafe fn put_row<const D: usize, R: Scalar>(
    (array, patch, count): (Shared<'_, R>, &PatchLayout<D>, usize),
    (cell, len): ([i32; D], usize),
    values: &[f64],
    (stride, first): (usize, usize),
) {
    let start = patch.offset(count, cell);
    for m in 0..count {
        // SAFETY: the caller's promise.
        let out = unsafe { array.row_mut(start + m * patch.component(), len) };
        out.iter_mut().zip(&values[m * stride + first..]).for_each(|(o, v)| *o = R::from_f64(*v));
    }
}

/// Fills cells of a patch row by row.
///
/// # Safety
/// Nobody else touches these cells meanwhile.
unsafe fn fill_rows<const D: usize, R: Scalar>(
    (array, patch, count): (Shared<'_, R>, &PatchLayout<D>, usize),
    asked: &EvaluatedCells<D>,
    mut fill: impl FnMut(&CellRow<D>, &mut [f64]),
) {
    let len = asked.cells.size()[0] as usize;
    let mut values = vec![0.0; count * len];
    for cell in asked.cells.rows() {
        fill(&asked.row(cell), &mut values);
        // SAFETY: the caller's promise.
        unsafe { put_row((array, patch, count), (cell, len), &values, (len, 0)) };
    }
}

/// Fills cells of a patch from a function.
///
/// # Safety
/// Nobody else touches these cells meanwhile.
unsafe fn fill_cells<const D: usize, R: Scalar>(
    array: Shared<'_, R>,
    patch: &PatchLayout<D>,
    asked: &EvaluatedCells<D>,
    function: &dyn CellFunction<D>,
) {
    let (count, cells) = (function.num_values(), &asked.cells);
    let Some(by_block) = function.by_block() else {
        // SAFETY: the caller's promise.
        return unsafe { fill_rows((array, patch, count), asked, |row, out| function.fill_row(row, out)) };
    };
    let size = cells.size().map(|n| n as usize);
    let block = CellBlock { geometry: asked.geometry, first: asked.image(cells.lo), size, time: asked.time };
    let mut values = vec![0.0; count * block.num_cells()];
    by_block.fill(&block, &mut values);
    for (r, cell) in cells.rows().enumerate() {
        // SAFETY: likewise.
        unsafe { put_row((array, patch, count), (cell, size[0]), &values, (block.num_cells(), r * size[0])) };
    }
}

/// Fills a patch that belongs to no level, ghost cells included.
pub(super) fn fill_patch<const D: usize, R: Scalar>(
    array: &mut [R],
    patch: &PatchLayout<D>,
    geometry: Geometry<D>,
    time: f64,
    function: &dyn CellFunction<D>,
) {
    let asked = EvaluatedCells { cells: patch.with_ghosts(), shift: [0; D], geometry, time };
    // SAFETY: the array is borrowed for this alone.
    unsafe { fill_cells(Shared::new(array), patch, &asked, function) };
}

/// What a function in two steps keeps for the rows of a patch, in their order.
pub(super) fn cache_of<const D: usize>(
    steps: &dyn CachedCellFunction<D>,
    rows: impl Iterator<Item = CellRow<D>>,
) -> Vec<f64> {
    let mut kept = Vec::new();
    for row in rows {
        let start = kept.len();
        kept.resize(start + steps.cache_len(row.len), 0.0);
        steps.fill_kept(&row, &mut kept[start..]);
    }
    kept
}

/// Cells along a patch's last axis that a thread fills at a time.
const FILLED_AT_A_TIME: i32 = 8;

/// The pieces of a patch that threads fill in parallel; a single one if `whole`.
fn pieces_of<const D: usize>(patch: &PatchLayout<D>, whole: bool) -> Vec<CellBox<D>> {
    let (cells, last) = (patch.cells, D - 1);
    let step = if whole || D == 1 { cells.size()[last] } else { FILLED_AT_A_TIME };
    let piece = |from: i32| {
        let mut piece = cells;
        (piece.lo[last], piece.hi[last]) = (from, cells.hi[last].min(from + step));
        piece
    };
    (cells.lo[last]..cells.hi[last]).step_by(step as usize).map(piece).collect()
}

/// Fills auxiliary values of all cells, ghost cells included. `faces`: for each value the axis whose lower face it lives on; `signs`: which
/// change beyond walls. `former`: values of the replaced level, if they are still valid.
fn fill_aux<const D: usize, R: Scalar>(
    store: &mut LevelStore<D, R>,
    function: &dyn CellFunction<D>,
    origins: &AuxOrigins<D>,
    (faces, signs): (&[Option<Axis>], &SideSigns),
    (time, former): (f64, Option<&mut FormerAux<D, R>>),
) {
    let count = function.num_values();
    let (layout, geometry) = (store.layout.clone(), store.geometry);
    let asked = |patch: &PatchLayout<D>| {
        let images = origins.asked(&patch.with_ghosts()).into_iter();
        images.map(move |image| EvaluatedCells { cells: image.part, shift: image.shift.by, geometry, time })
    };
    // What stays from then on need not be kept for other times.
    let steps = function.in_steps().filter(|_| !function.stays(time, f64::INFINITY));
    if let Some(steps) = steps.filter(|_| store.aux_cache.is_empty()) {
        let kept = |k: usize| {
            let patch = &layout.patches[k];
            let rows = asked(patch).flat_map(|asked| asked.cells.rows().map(move |cell| asked.row(cell)));
            if patch.is_local { cache_of(steps, rows) } else { Vec::new() }
        };
        store.aux_cache = parallel_map(layout.patches.len(), kept);
    }
    let kept = &store.aux_cache;
    let aux = Shared::new(&mut store.aux);
    let former = former.map(FormerAux::shared);
    parallel_for(layout.patches.len(), |k| {
        let patch = &layout.patches[k];
        if !patch.is_local {
            return;
        }
        let mut rest = kept.get(k).map_or(&[][..], Vec::as_slice);
        for asked in asked(patch) {
            if let Some(steps) = steps {
                let fill = |row: &CellRow<D>, out: &mut [f64]| {
                    let of_row = rest.split_off(..steps.cache_len(row.len)).expect("each row has its own");
                    steps.fill_row_from(row, of_row, [&[], &[]], out);
                };
                // SAFETY: each patch is written by its own task alone.
                unsafe { fill_rows((aux, patch, count), &asked, fill) };
                continue;
            }
            // SAFETY: likewise; the former level is only read.
            let open = former
                .map_or_else(|| vec![asked.cells], |former| unsafe { former.copy(aux, patch, &asked.cells, count) });
            for cells in open {
                // SAFETY: likewise.
                unsafe { fill_cells(aux, patch, &EvaluatedCells { cells, ..asked }, function) };
            }
        }
        for cell in origins.outside(&patch.with_ghosts()) {
            for m in 0..count {
                let from = origins.origin(cell, faces.get(m).copied().flatten().map(Axis::index));
                let at = |cell| patch.offset(count, cell) + m * patch.component();
                let has_direction = signs.bits()[m] != 0;
                let turns = |axis: &&Axis| has_direction && signs.is_negated(m, **axis, origins.walls(cell, **axis));
                // SAFETY: likewise; the origin is a cell of this patch that the function has filled.
                let value = unsafe { *aux.at(at(from)) };
                let negated = Axis::ALL[..D].iter().filter(turns).count() % 2 == 1;
                // SAFETY: likewise.
                unsafe { *aux.at(at(cell)) = if negated { -value } else { value } };
            }
        }
    });
}

impl<const D: usize, R: Scalar> CpuExecutor<D, R> {
    /// Records what a user's function has cost on a level, if a device takes the steps.
    pub(super) fn note_host(&self, what: &'static str, level: Level, start: Instant) {
        if self.engine.is_some() {
            self.host_works.note(what, self.levels[level.index()].mesh.num_cells(), start);
        }
    }

    /// Fills a level with initial data.
    pub(super) fn fill_initial(&mut self, level: Level) -> Result<(), ExecError> {
        let initial = self.problem.initial.clone();
        let store = &mut self.levels[level.index()];
        if let Some(engine) = self.engine.as_ref().filter(|engine| engine.computes().initial) {
            let (mesh, layout) = (store.mesh.clone(), store.layout.clone());
            let cells = LevelCells { level: level.index(), mesh: &mesh, layout: &layout, geometry: store.geometry };
            return engine.fill_initial(&cells, store.states.time, store.q_mut());
        }
        let start = Instant::now();
        let (layout, geometry, time) = (store.layout.clone(), store.geometry, store.states.time);
        let q = Shared::new(store.q_mut());
        let whole = initial.by_block().is_some();
        let here = layout.patches.iter().filter(|patch| patch.is_local);
        let pieces = here.flat_map(|patch| pieces_of(patch, whole).into_iter().map(move |cells| (patch, cells)));
        let pieces: Vec<_> = pieces.collect();
        parallel_for(pieces.len(), |n| {
            let (patch, cells) = pieces[n];
            // SAFETY: each piece of a patch is written by its own task alone.
            unsafe { fill_cells(q, patch, &EvaluatedCells { cells, shift: [0; D], geometry, time }, initial.as_ref()) };
        });
        self.note_host("initial data", level, start);
        Ok(())
    }

    /// Fills a level's auxiliary values and checks those that must be positive.
    pub(in crate::exec) fn fill_level_aux(&mut self, level: Level, time: f64) -> Result<(), ExecError> {
        let Some(function) = self.problem.aux.clone() else { return Ok(()) };
        let faces = self.solver.aux_face();
        let store = &mut self.levels[level.index()];
        if let Some(engine) = self.engine.as_ref().filter(|engine| engine.computes().aux) {
            let (mesh, layout) = (store.mesh.clone(), store.layout.clone());
            let cells = LevelCells { level: level.index(), mesh: &mesh, layout: &layout, geometry: store.geometry };
            if engine.fill_aux(&cells, time, &mut store.aux)? {
                store.aux_time = time;
                return Ok(());
            }
        }
        let origins = aux_origins(&self.problem, faces, &store.mesh);
        let signs = SideSigns::of_aux::<D>(self.solver.aux_groups(), function.num_values());
        let start = Instant::now();
        let mut former = self.former_aux[level.index()].take();
        let still_holds = |former: &&mut FormerAux<D, R>| function.stays(former.time, time);
        fill_aux(store, function.as_ref(), &origins, (faces, &signs), (time, former.as_mut().filter(still_holds)));
        store.aux_time = time;
        former.into_iter().for_each(|former| self.pool.give(former.values));
        self.note_host("aux", level, start);
        self.check_positive_aux(level, function.num_values(), time)
    }

    /// Fills auxiliary values again if they have changed: those of a time.
    pub(super) fn refresh_aux(&mut self, level: Level, time: f64) -> Result<(), ExecError> {
        let known = self.levels[level.index()].aux_time;
        match self.problem.aux.as_ref().is_some_and(|aux| !aux.stays(known, time)) {
            true => self.fill_level_aux(level, time),
            false => Ok(()),
        }
    }
}
