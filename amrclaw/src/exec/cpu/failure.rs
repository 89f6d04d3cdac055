//! What went wrong, and where: cells that are not finite, or whose states the solver does not allow.

use super::CpuExecutor;
use super::store::LevelStore;
use crate::exec::step::stages_left;
use crate::exec::{CellPlace, ExecError};
use crate::fields::PatchLayout;
use crate::index::{CellBox, Level};
use crate::physics::{Boundary, SourceSplit};
use crate::plan::{BoundaryRegion, GhostPlan};
use crate::threads::parallel_map;
use riemann::lattice::Lattice;
use riemann::patch::{LEAST_NONNEGATIVE, SourceRow};
use riemann::real::Scalar;

/// Which cells of a patch are checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::exec) enum Searched {
    /// Its interior cells and this many around them along each axis.
    Grown([i32; 3]),
    /// Its ghost cells alone.
    Ghosts,
}

impl Searched {
    /// The patch's own cells.
    pub const fn interior() -> Self {
        Searched::Grown([0; 3])
    }

    /// The interior cells and this many around them along each axis.
    pub fn grown<const D: usize>(by: [i32; D]) -> Self {
        Searched::Grown(std::array::from_fn(|d| by.get(d).copied().unwrap_or(0)))
    }

    /// Rows of cells along the first axis, in the order of memory: first cells and lengths.
    fn rows<const D: usize>(self, patch: &PatchLayout<D>) -> impl Iterator<Item = ([i32; D], usize)> + use<D> {
        let (region, inside) = match self {
            Searched::Grown(by) => (patch.cells.grow_by(std::array::from_fn(|d| by[d])), None),
            Searched::Ghosts => (patch.with_ghosts(), Some(patch.cells)),
        };
        let from = |row: [i32; D], lo: i32| std::array::from_fn(|d| if d == 0 { lo } else { row[d] });
        let rows = region.rows().flat_map(move |row| {
            let (lo, hi) = (region.lo[0], region.hi[0]);
            let left_out = inside.filter(|inside| inside.contains(from(row, inside.lo[0])));
            let [below, above] = left_out.map_or([hi; 2], |inside| [inside.lo[0], inside.hi[0]]);
            [(lo, below), (above, hi)].map(|(lo, hi)| (from(row, lo), (hi - lo) as usize))
        });
        rows.filter(|&(_, len)| len > 0)
    }
}

/// The cell `i` of the row that begins with `first`.
fn along<const D: usize>(first: [i32; D], i: usize) -> [i32; D] {
    std::array::from_fn(|d| if d == 0 { first[d] + i as i32 } else { first[d] })
}

fn all_finite<R: Scalar>(values: &[R]) -> bool {
    values.iter().fold(true, |finite, value| finite & value.finite())
}

/// A row of cells whose states are only looked at: where it lies in the patch, its first state, and the auxiliary values of the level.
pub(super) struct LookedAt<'a, const D: usize, R> {
    pub layout: &'a PatchLayout<D>,
    pub q: *const R,
    pub aux: &'a [R],
    pub num_aux: usize,
    pub lattice: Lattice,
}

impl<const D: usize, R: Scalar> LookedAt<'_, D, R> {
    /// The `len` cells from `first`, for [`PatchSolver::first_inadmissible`](riemann::patch::PatchSolver::first_inadmissible).
    pub fn row(&self, first: [i32; D], len: usize) -> SourceRow<R> {
        SourceRow {
            q: self.q.cast_mut(),
            aux: self.aux.get(self.layout.offset(self.num_aux, first)..).map_or(std::ptr::null(), <[R]>::as_ptr),
            len,
            component: self.layout.component(),
            lattice: self.lattice,
            first: [0; 3],
            t: 0.0,
            dt: 0.0,
        }
    }
}

impl<const D: usize, R: Scalar> CpuExecutor<D, R> {
    /// The place of a cell at `time`, for messages.
    pub(super) fn place(&self, level: Level, patch: usize, cell: [i32; D], time: f64) -> CellPlace {
        let store = &self.levels[level.index()];
        let centre = self.problem.centre(&store.geometry, cell).to_vec();
        let ghost = !store.layout.patches[patch].cells.contains(cell);
        CellPlace { level, patch, cell: cell.to_vec(), ghost, centre, time }
    }

    /// What is wrong with some cells of a patch, in a state of time `time`: `[equation, cell]` in the level's layout.
    pub(super) fn failure_in(
        &self,
        level: Level,
        patch: usize,
        state: &[R],
        cells: Searched,
        time: f64,
    ) -> Option<ExecError> {
        self.not_finite_in(level, patch, (state, self.solver.equations()), cells, time)
            .or_else(|| self.inadmissible_in(level, patch, state, (cells, LEAST_NONNEGATIVE), time))
    }

    /// The first cell whose state the solver does not allow. `least`: what `nonnegative` quantities must not be below.
    fn inadmissible_in(
        &self,
        level: Level,
        patch: usize,
        state: &[R],
        (cells, least): (Searched, f64),
        time: f64,
    ) -> Option<ExecError> {
        let solver = self.solver.as_ref();
        let positive = solver.positive();
        let names: Vec<_> = positive.iter().chain(solver.nonnegative()).collect();
        if names.is_empty() {
            return None;
        }
        let store = &self.levels[level.index()];
        let layout = &store.layout.patches[patch];
        let arrays = [(state, store.num_eqn), (&*store.aux, solver.aux().len())];
        let mut of_cell = arrays.map(|(_, count)| vec![R::zero(); count]);
        let mut values = vec![R::zero(); names.len()];
        cells.rows(layout).find_map(|(first, len)| {
            let starts = arrays.map(|(_, count)| layout.offset(count, first));
            (0..len).find_map(|i| {
                for ((of_cell, (array, _)), start) in of_cell.iter_mut().zip(arrays).zip(starts) {
                    let at = |m: usize| start + m * layout.component() + i;
                    of_cell.iter_mut().enumerate().for_each(|(m, value)| *value = array[at(m)]);
                }
                solver.quantities(&of_cell[0], &of_cell[1], &mut values);
                let wrong = |k: usize| {
                    let value = values[k].to_f64();
                    // NaN is neither positive nor admissible.
                    if k < positive.len() { value <= 0.0 || value.is_nan() } else { value < least || value.is_nan() }
                };
                let k = (0..names.len()).find(|&k| wrong(k))?;
                let place = self.place(level, patch, along(first, i), time);
                let (quantity, value) = (names[k].to_string(), values[k].to_f64());
                Some(ExecError::Inadmissible { quantity, value, positive: k < positive.len(), place })
            })
        })
    }

    /// An error for the first of a level's auxiliary values that must be positive and is not: in the domain, then in ghost cells, there not of the
    /// capacity, since a mapping may fold beyond the domain's sides.
    pub(super) fn check_positive_aux(&self, level: Level, count: usize, time: f64) -> Result<(), ExecError> {
        let (store, checked) = (&self.levels[level.index()], &self.problem.positive_aux);
        let is_capacity = |m: usize| self.problem.scheme.capacity == m as i32;
        let in_patch = |k: usize| {
            let patch = store.layout.patches.get(k).filter(|patch| patch.is_local)?;
            let len = patch.with_ghosts().size()[0] as usize;
            let in_row = |(m, first): (usize, [i32; D])| {
                let row = &store.aux[patch.offset(count, first) + m * patch.component()..][..len];
                // Written so that NaN is caught too.
                let wrong = |value: &f64| !(*value > 0.0 && value.is_finite());
                let values = row.iter().map(|value| value.to_f64()).enumerate().filter(move |(_, value)| wrong(value));
                values.map(move |(i, value)| (along(first, i), m, value))
            };
            let rows = checked.iter().flat_map(|&m| patch.with_ghosts().rows().map(move |first| (m, first)));
            let wrong = rows.flat_map(in_row).map(|(cell, m, value)| (!patch.cells.contains(cell), k, cell, m, value));
            wrong.filter(|&(is_ghost, _, _, m, _)| !(is_ghost && is_capacity(m))).min_by_key(|found| found.0)
        };
        let len = if checked.is_empty() { 0 } else { store.layout.patches.len() };
        let first = parallel_map(len, in_patch).into_iter().flatten().min_by_key(|found| found.0);
        first.map_or(Ok(()), |(_, k, cell, m, value)| {
            let name = (!is_capacity(m)).then(|| self.solver.aux()[m].to_owned());
            Err(ExecError::Auxiliary { name, value, place: self.place(level, k, cell, time) })
        })
    }

    /// Returns an error if a user's boundary function has filled ghost cells with values that are not finite or not allowed.
    pub(super) fn check_boundaries(&self, level: Level, plan: &GhostPlan<D>) -> Result<(), ExecError> {
        let is_user = |boundary: &Boundary<D>| matches!(boundary, Boundary::User(_));
        if !self.problem.boundary.as_flattened().iter().any(is_user) {
            return Ok(());
        }
        let store = &self.levels[level.index()];
        for (k, patch) in store.layout.patches.iter().enumerate() {
            let of_user =
                |region: &&BoundaryRegion<D>| is_user(&self.problem.boundary[region.axis.index()][region.side.index()]);
            for region in plan.boundaries.of(k).iter().filter(of_user) {
                if !self.is_admissible(store, patch, &region.cells, false) {
                    let (level, patch, time) = (level, k, store.states.time);
                    let found = self.failure_in(level, patch, store.q(), Searched::Ghosts, time);
                    return Err(found.unwrap_or(ExecError::LostWithinStep { level, patch, time }));
                }
            }
        }
        Ok(())
    }

    fn not_finite_in(
        &self,
        level: Level,
        patch: usize,
        (array, names): (&[R], &[&'static str]),
        cells: Searched,
        time: f64,
    ) -> Option<ExecError> {
        let layout = &self.levels[level.index()].layout.patches[patch];
        cells.rows(layout).find_map(|(first, len)| {
            let start = layout.offset(names.len(), first);
            let row = |m: usize| &array[start + m * layout.component()..][..len];
            if (0..names.len()).all(|m| all_finite(row(m))) {
                return None;
            }
            let (i, m) =
                (0..len).flat_map(|i| (0..names.len()).map(move |m| (i, m))).find(|&(i, m)| !row(m)[i].finite())?;
            let place = self.place(level, patch, along(first, i), time);
            Some(ExecError::NotFinite { equation: names[m].to_owned(), value: row(m)[i].to_f64(), place })
        })
    }

    /// Why the last step of a level broke `patch`.
    ///
    /// The state that the step read is searched first, since NaN spreads from ghost cells to the cells beside them. After a step in
    /// place only the ghost cells of that state are left.
    pub(super) fn failure_of_step(&self, level: Level, patch: usize) -> ExecError {
        let store = &self.levels[level.index()];
        let (time_old, time) = (store.states.time_old, store.states.time);
        let (read, cells) = match store.q_old() {
            Some(old) => (old, Searched::Grown([self.num_ghost; 3])),
            None => (store.q(), Searched::Ghosts),
        };
        let between = || {
            let by_engine = self.engine_computes().source;
            let split = if by_engine { SourceSplit::None } else { self.problem.source_split };
            let mut left = stages_left::<D>(&self.sweeps, split, self.num_ghost);
            left.find_map(|(stage, grow)| {
                self.failure_in(level, patch, &self.stage[stage], Searched::grown(grow), time)
            })
        };
        self.failure_in(level, patch, read, cells, time_old)
            .or_else(|| if self.swept_in_place { None } else { between() })
            .or_else(|| self.failure_in(level, patch, store.q(), Searched::interior(), time))
            .unwrap_or(ExecError::LostWithinStep { level, patch, time })
    }

    /// True if cells of a patch hold finite values and states that the solver allows. `given`: they are initial data, with auxiliary values to
    /// check. Checks row by row, which is fast but does not locate the cell.
    fn is_admissible(
        &self,
        store: &LevelStore<D, R>,
        layout: &PatchLayout<D>,
        cells: &CellBox<D>,
        given: bool,
    ) -> bool {
        let len = cells.size()[0] as usize;
        let finite = |array: &[R], count: usize, row| {
            let start = layout.offset(count, row);
            (0..count).all(|m| all_finite(&array[start + m * layout.component()..][..len]))
        };
        let (q, num_aux) = (store.q(), self.solver.aux().len());
        let fine = |row| {
            let states = LookedAt {
                layout,
                q: q[layout.offset(store.num_eqn, row)..].as_ptr(),
                aux: &store.aux,
                num_aux,
                lattice: store.geometry.in_space(),
            };
            // SAFETY: the row lies in the patch, with all its components and the overrun behind it; it is only read.
            let inadmissible = || unsafe { self.solver.first_inadmissible(&states.row(row, len), given) };
            let known = finite(q, store.num_eqn, row) && (!given || finite(&store.aux, num_aux, row));
            known && inadmissible().is_none()
        };
        cells.rows().all(fine)
    }

    /// Returns an error if initial data or auxiliary values are not finite, or not allowed by the solver.
    pub(in crate::exec) fn check_filled(&self, level: Level) -> Result<(), ExecError> {
        let store = &self.levels[level.index()];
        let interior = Searched::interior();
        let in_patch = |patch: usize| {
            let layout = &store.layout.patches[patch];
            if !layout.is_local || self.is_admissible(store, layout, &layout.cells, true) {
                return None;
            }
            let aux = (store.aux.as_slice(), self.solver.aux());
            let time = store.states.time;
            let wrong_aux = || self.not_finite_in(level, patch, aux, interior, time);
            let equations = (store.q(), self.solver.equations());
            self.not_finite_in(level, patch, equations, interior, time)
                .or_else(wrong_aux)
                .or_else(|| self.inadmissible_in(level, patch, store.q(), (interior, 0.0), time))
        };
        let found = parallel_map(store.layout.patches.len(), in_patch).into_iter().flatten().next();
        found.map_or(Ok(()), Err)
    }
}
