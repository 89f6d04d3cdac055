//! Values from functions of position: initial data and auxiliary values.

use super::CpuExecutor;
use super::former_aux::FormerAux;
use super::store::LevelStore;
use crate::exec::ExecError;
use crate::exec::step::{LevelCells, aux_origins};
use crate::fields::{PatchLayout, Shared};
use crate::index::{CellBox, Level};
use crate::mesh::Geometry;
use crate::physics::{CellBlock, CellFunction, CellRow};
use crate::plan::AuxOrigins;
use rayon::prelude::*;
use riemann::axis::Axis;
use riemann::real::Scalar;
use std::time::Instant;

/// Fills the cells of a patch from a function; `shift` moves the cells to where the function is asked, a periodic image.
///
/// # Safety
/// Nobody else touches these cells meanwhile.
unsafe fn fill_cells<const D: usize, R: Scalar>(
    array: Shared<'_, R>,
    patch: &PatchLayout<D>,
    cells: &CellBox<D>,
    shift: [i32; D],
    function: &dyn CellFunction<D>,
    (geometry, time): (Geometry<D>, f64),
) {
    let (count, len) = (function.num_values(), cells.size()[0] as usize);
    let corner = |cell: [i32; D]| geometry.corner(std::array::from_fn(|d| cell[d] - shift[d]));
    let dx = geometry.dx;
    // `values` hold `stride` numbers a value; the row begins at `first`.
    let store = |row: [i32; D], values: &[f64], stride: usize, first: usize| {
        let start = patch.offset(count, row);
        for m in 0..count {
            // SAFETY: the caller's promise.
            let out = unsafe { array.row_mut(start + m * patch.component(), len) };
            out.iter_mut().zip(&values[m * stride + first..]).for_each(|(o, v)| *o = R::from_f64(*v));
        }
    };
    if let Some(function) = function.by_block() {
        let block = CellBlock { lower: corner(cells.lo), dx, size: cells.size().map(|n| n as usize), time };
        let mut values = vec![0.0; count * block.num_cells()];
        function.fill(&block, &mut values);
        cells.rows().enumerate().for_each(|(r, row)| store(row, &values, block.num_cells(), r * len));
        return;
    }
    let mut values = vec![0.0; count * len];
    for row in cells.rows() {
        function.fill_row(&CellRow { lower: corner(row), dx, len, time }, &mut values);
        store(row, &values, len, 0);
    }
}

/// Cells along a patch's last axis that a thread fills at a time.
const FILLED_AT_A_TIME: i32 = 8;

/// The pieces of a patch that threads share; a single one if it is asked for `whole`.
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

/// Fills auxiliary values of all cells, ghost cells included. `faces`: for each value the axis whose lower face it lives on. `former`: what
/// the level had, if its values still hold.
fn fill_aux<const D: usize, R: Scalar>(
    store: &mut LevelStore<D, R>,
    function: &dyn CellFunction<D>,
    origins: &AuxOrigins<D>,
    faces: &[Option<Axis>],
    (time, former): (f64, Option<&mut FormerAux<D, R>>),
) {
    let count = function.num_values();
    let (layout, geometry) = (store.layout.clone(), store.geometry);
    let aux = Shared::new(&mut store.aux);
    let former = former.map(FormerAux::shared);
    layout.patches.par_iter().filter(|patch| patch.is_here).for_each(|patch| {
        for image in origins.asked(&patch.with_ghosts()) {
            // SAFETY: each patch is written by its own task alone; the former level is only read.
            let open = former
                .map_or_else(|| vec![image.part], |former| unsafe { former.copy(aux, patch, &image.part, count) });
            for part in open {
                // SAFETY: likewise.
                unsafe { fill_cells(aux, patch, &part, image.shift, function, (geometry, time)) };
            }
        }
        for cell in origins.outside(&patch.with_ghosts()) {
            for m in 0..count {
                let from = origins.origin(cell, faces.get(m).copied().flatten().map(Axis::index));
                let at = |cell| patch.offset(count, cell) + m * patch.component();
                // SAFETY: likewise; the cell named is one of this patch, whose value is the function's.
                unsafe { *aux.at(at(cell)) = *aux.at(at(from)) };
            }
        }
    });
}

impl<const D: usize, R: Scalar> CpuExecutor<D, R> {
    /// Notes what a function of the user's has cost on a level, if a device takes the steps.
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
        let pieces = |patch| pieces_of(patch, whole).into_par_iter().map(move |cells| (patch, cells));
        layout.patches.par_iter().filter(|patch| patch.is_here).flat_map(pieces).for_each(|(patch, cells)| {
            // SAFETY: each piece of a patch is written by its own task alone.
            unsafe { fill_cells(q, patch, &cells, [0; D], initial.as_ref(), (geometry, time)) };
        });
        self.note_host("initial data", level, start);
        Ok(())
    }

    /// Fills a level's auxiliary values and checks the capacity.
    pub(super) fn fill_level_aux(&mut self, level: Level, time: f64) -> Result<(), ExecError> {
        let Some(function) = self.problem.aux.clone() else { return Ok(()) };
        let faces = self.solver.aux_face();
        let store = &mut self.levels[level.index()];
        if let Some(engine) = self.engine.as_ref().filter(|engine| engine.computes().aux) {
            let (mesh, layout) = (store.mesh.clone(), store.layout.clone());
            let cells = LevelCells { level: level.index(), mesh: &mesh, layout: &layout, geometry: store.geometry };
            if engine.fill_aux(&cells, time, &mut store.aux)? {
                return Ok(());
            }
        }
        let origins = aux_origins(&self.problem, faces, &store.mesh);
        let start = Instant::now();
        let mut former = self.former_aux[level.index()].take();
        fill_aux(store, function.as_ref(), &origins, faces, (time, former.as_mut()));
        former.into_iter().for_each(|former| self.pool.give(former.values));
        self.note_host("aux", level, start);
        let Ok(capacity) = usize::try_from(self.problem.scheme.capacity) else { return Ok(()) };
        let store = &self.levels[level.index()];
        for (k, patch) in store.layout.here() {
            for cell in patch.cells.cells() {
                let offset = patch.offset(function.num_values(), cell) + capacity * patch.component();
                let value = store.aux[offset].to_f64();
                // Written so that NaN is caught too.
                if !(value > 0.0 && value.is_finite()) {
                    return Err(ExecError::Capacity { value, place: self.place(level, k, cell, time) });
                }
            }
        }
        Ok(())
    }

    /// Fills auxiliary values afresh, if they change with time: as they are so long after the level's time.
    pub(super) fn refresh_aux(&mut self, level: Level, after: f64) -> Result<(), ExecError> {
        if self.problem.aux.as_ref().is_some_and(|aux| aux.depends_on_time()) {
            let time = self.levels[level.index()].states.time + after;
            self.fill_level_aux(level, time)?;
        }
        Ok(())
    }
}
