//! Values from functions of position: initial data and auxiliary values.

use super::CpuExecutor;
use super::interpolate::rows;
use super::store::LevelStore;
use crate::exec::ExecError;
use crate::fields::{PatchLayout, Shared};
use crate::index::{CellBox, Level};
use crate::mesh::{Domain, LevelMesh};
use crate::physics::{CellBlock, CellFunction, CellRow};
use rayon::prelude::*;
use riemann::real::Scalar;

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
    origin: ([f64; D], [f64; D], f64),
) {
    let (lower, dx, time) = origin;
    let (count, len) = (function.num_values(), cells.size()[0] as usize);
    let corner = |cell: [i32; D]| std::array::from_fn(|d| lower[d] + f64::from(cell[d] - shift[d]) * dx[d]);
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
        rows(cells).enumerate().for_each(|(r, row)| store(row, &values, block.num_cells(), r * len));
        return;
    }
    let mut values = vec![0.0; count * len];
    for row in rows(cells) {
        function.fill_row(&CellRow { lower: corner(row), dx, len, time }, &mut values);
        store(row, &values, len, 0);
    }
}

/// Fills auxiliary values of all cells, ghost cells included: across periodic sides those of the image, outside the
/// domain those of the nearest cell inside.
fn fill_aux<const D: usize, R: Scalar>(
    store: &mut LevelStore<D, R>,
    domain: &Domain<D>,
    function: &dyn CellFunction<D>,
    time: f64,
) {
    let count = function.num_values();
    let inside = store.mesh.domain();
    let whole = LevelMesh::new(inside, store.mesh.periodic(), vec![inside]);
    let (layout, dx) = (store.layout.clone(), store.dx);
    let aux = Shared::new(&mut store.aux);
    layout.patches.par_iter().for_each(|patch| {
        for image in whole.images(&patch.with_ghosts()) {
            // SAFETY: each patch is written by its own task alone.
            unsafe { fill_cells(aux, patch, &image.part, image.shift, function, (domain.lower, dx, time)) };
        }
        for cells in whole.uncovered(&patch.with_ghosts()) {
            for cell in cells.cells() {
                let periodic = whole.periodic();
                let nearest = std::array::from_fn(|d| {
                    if periodic[d] { cell[d] } else { cell[d].clamp(inside.lo[d], inside.hi[d] - 1) }
                });
                let (to, from) = (patch.offset(count, cell), patch.offset(count, nearest));
                for m in 0..count {
                    // SAFETY: likewise; the nearest cell inside is a cell of this patch.
                    unsafe { *aux.at(to + m * patch.component()) = *aux.at(from + m * patch.component()) };
                }
            }
        }
    });
}

impl<const D: usize, R: Scalar> CpuExecutor<D, R> {
    /// Fills a level with initial data.
    pub(super) fn fill_initial(&mut self, level: Level) {
        let (lower, initial) = (self.problem.domain.lower, self.problem.initial.clone());
        let store = &mut self.levels[level.index()];
        let (layout, dx, time) = (store.layout.clone(), store.dx, store.states.time);
        let q = Shared::new(store.q_mut());
        layout.patches.par_iter().for_each(|patch| {
            // SAFETY: each patch is written by its own task alone.
            unsafe { fill_cells(q, patch, &patch.cells, [0; D], initial.as_ref(), (lower, dx, time)) };
        });
    }

    /// Fills a level's auxiliary values and checks the capacity.
    pub(super) fn fill_level_aux(&mut self, level: Level, time: f64) -> Result<(), ExecError> {
        let Some(function) = self.problem.aux.clone() else { return Ok(()) };
        let store = &mut self.levels[level.index()];
        fill_aux(store, &self.problem.domain, function.as_ref(), time);
        let Ok(capacity) = usize::try_from(self.problem.scheme.capacity) else { return Ok(()) };
        let store = &self.levels[level.index()];
        for (k, patch) in store.layout.patches.iter().enumerate() {
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

    /// Fills auxiliary values afresh before a step, if they change with time: at the middle of the step.
    pub(super) fn refresh_aux(&mut self, level: Level, half_step: f64) -> Result<(), ExecError> {
        if self.problem.aux.as_ref().is_some_and(|aux| aux.depends_on_time()) {
            let time = self.levels[level.index()].states.time + half_step;
            self.fill_level_aux(level, time)?;
        }
        Ok(())
    }
}
