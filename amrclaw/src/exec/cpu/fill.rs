//! Values from functions of position: initial data and auxiliary values.

use super::CpuExecutor;
use super::interpolate::rows;
use super::store::LevelStore;
use crate::exec::ExecError;
use crate::fields::{PatchLayout, Shared};
use crate::index::{CellBox, Level};
use crate::mesh::{AxisEnds, Beyond, Domain, LevelMesh};
use crate::physics::{Boundary, CellBlock, CellFunction, CellRow};
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

/// What auxiliary values depend on besides the level.
struct AuxSource<'a, const D: usize> {
    domain: &'a Domain<D>,
    function: &'a dyn CellFunction<D>,
    /// What the domain's sides show beyond them.
    sides: [[Beyond; 2]; D],
    /// For each value the axis whose lower face it lives on, as an index.
    faces: Vec<Option<usize>>,
}

/// Fills auxiliary values of all cells, ghost cells included: across periodic sides those of the image, outside the
/// domain those of the cell, or of the cell's face, that the sides name.
fn fill_aux<const D: usize, R: Scalar>(store: &mut LevelStore<D, R>, source: &AuxSource<'_, D>, time: f64) {
    let count = source.function.num_values();
    let inside = store.mesh.domain();
    let ends: [_; D] = std::array::from_fn(|d| AxisEnds { sides: source.sides[d], count: inside.hi[d] });
    // Faces on an upper side that is a mirror belong to cells outside, which are asked for besides.
    let mut asked = inside;
    for d in (0..D).filter(|&d| !store.mesh.periodic()[d] && source.faces.contains(&Some(d))) {
        asked.hi[d] += i32::from(ends[d].origin_of_face(inside.hi[d]) == inside.hi[d]);
    }
    let whole = LevelMesh::new(inside, store.mesh.periodic(), vec![inside]);
    let asked = LevelMesh::new(asked, store.mesh.periodic(), vec![asked]);
    let (layout, dx) = (store.layout.clone(), store.dx);
    let aux = Shared::new(&mut store.aux);
    layout.patches.par_iter().for_each(|patch| {
        for image in asked.images(&patch.with_ghosts()) {
            let origin = (source.domain.lower, dx, time);
            // SAFETY: each patch is written by its own task alone.
            unsafe { fill_cells(aux, patch, &image.part, image.shift, source.function, origin) };
        }
        for cell in whole.uncovered(&patch.with_ghosts()).iter().flat_map(CellBox::cells) {
            for m in 0..count {
                let from = std::array::from_fn(|d| match source.faces.get(m).copied().flatten() == Some(d) {
                    true => ends[d].origin_of_face(cell[d]),
                    false => ends[d].origin(cell[d]).cell,
                });
                let at = |cell| patch.offset(count, cell) + m * patch.component();
                // SAFETY: likewise; the cell named is one of this patch, whose value is the function's.
                unsafe { *aux.at(at(cell)) = *aux.at(at(from)) };
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
        let source = AuxSource {
            domain: &self.problem.domain,
            function: function.as_ref(),
            sides: self.problem.boundary.each_ref().map(|sides| sides.each_ref().map(Boundary::beyond_of_aux)),
            faces: self.solver.aux_face().iter().map(|face| face.map(|axis| axis.index())).collect(),
        };
        fill_aux(&mut self.levels[level.index()], &source, time);
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

    /// Fills auxiliary values afresh, if they change with time: as they are so long after the level's time.
    pub(super) fn refresh_aux(&mut self, level: Level, after: f64) -> Result<(), ExecError> {
        if self.problem.aux.as_ref().is_some_and(|aux| aux.depends_on_time()) {
            let time = self.levels[level.index()].states.time + after;
            self.fill_level_aux(level, time)?;
        }
        Ok(())
    }
}
