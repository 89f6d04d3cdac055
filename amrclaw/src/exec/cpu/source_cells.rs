//! Sources and the conservation fix: the coarse cells beside a finer level, advanced by the sources alone.
//!
//! The fluxes of the coarse step are those of its beginning; by the later steps of the finer level sources have changed the state, and with it the
//! fluxes, on both sides of the face. This change must not count as a difference between the levels: see `register.rs`.

use super::faces::ListedFaces;
use super::register::{Gather, STRIDE, along_coarse};
use super::source::{SourceCells, Sources};
use super::store::Register;
use crate::fields::{LevelLayout, Shared};
use crate::plan::{FaceRun, RefluxPlan};
use crate::threads::parallel_for;
use riemann::patch::FaceList;
use riemann::real::Scalar;

/// A row of coarse cells beside faces with consecutive slots.
#[derive(Clone, Copy)]
struct FaceRow<const D: usize> {
    coarse_patch: usize,
    fine_patch: usize,
    cell: [i32; D],
    len: usize,
    slot: usize,
}

/// The rows of a run, in the coarse level's coordinates: cell by cell where they are read backwards.
fn rows_of<const D: usize>(run: &FaceRun<D>) -> impl Iterator<Item = FaceRow<D>> {
    let whole = run.cells.size()[0] as usize;
    let len = if run.shift.turned { 1 } else { whole };
    let row = move |(n, cell): (usize, [i32; D])| FaceRow {
        coarse_patch: run.coarse_patch as usize,
        fine_patch: run.fine_patch as usize,
        cell: run.shift.source(cell),
        len,
        slot: run.first_slot as usize + n * len,
    };
    run.cells.cells().step_by(len).enumerate().map(row)
}

/// Calls `act` for the rows of all faces, in parallel.
fn for_each_row<const D: usize>(plan: &RefluxPlan<D>, act: impl Fn(FaceRow<D>) + Sync + Send) {
    parallel_for(plan.runs.num_patches(), |k| plan.runs.of(k).iter().flat_map(rows_of).for_each(&act));
}

impl<R: Scalar> Register<R> {
    /// Before a coarse step: keeps the coarse cells' states and auxiliary values. `after`: time and duration of the sources that the coarse
    /// step applies before it solves its Riemann problems.
    pub fn keep_source_cells<const D: usize>(
        &mut self,
        plan: &RefluxPlan<D>,
        sources: &Sources<'_, D, R>,
        layout: &LevelLayout<D>,
        [q, aux]: [Shared<'_, R>; 2],
        before_waves: Option<(f64, f64)>,
    ) {
        let (slots, num_eqn, num_aux) = (plan.num_slots, sources.num_eqn, sources.num_aux);
        let kept = Shared::new(&mut self.source_cells);
        for_each_row(plan, |row| {
            let patch = &layout.patches[row.coarse_patch];
            if !patch.is_local {
                return;
            }
            let copy = |from: Shared<'_, R>, (count, m): (usize, usize), component: usize| {
                // SAFETY: each slot is in one row, which one task writes; states and auxiliary values are only read.
                unsafe {
                    let values = from.row(patch.offset(count, row.cell) + m * patch.component(), row.len);
                    kept.row_mut(component * slots + row.slot, row.len).copy_from_slice(values);
                }
            };
            for m in 0..num_eqn {
                copy(q, (num_eqn, m), m);
                copy(q, (num_eqn, m), num_eqn + m);
            }
            (0..num_aux).for_each(|a| copy(aux, (num_aux, a), 2 * num_eqn + a));
            if let Some(when) = before_waves {
                // SAFETY: likewise.
                unsafe { sources.apply(&row.states(kept, num_eqn, [slots, num_eqn]), None, when) };
            }
        });
    }

    /// Advances the states by the sources, from a time and for a duration. `layout`: of the finer level.
    pub fn advance_source_cells<const D: usize>(
        &mut self,
        plan: &RefluxPlan<D>,
        sources: &Sources<'_, D, R>,
        layout: &LevelLayout<D>,
        when: (f64, f64),
    ) {
        let (slots, num_eqn) = (plan.num_slots, sources.num_eqn);
        let kept = Shared::new(&mut self.source_cells);
        for_each_row(plan, |row| {
            if layout.patches[row.fine_patch].is_local {
                // SAFETY: each slot is in one row, which one task writes.
                unsafe { sources.apply(&row.states(kept, 0, [slots, num_eqn]), None, when) };
            }
        });
    }
}

impl<const D: usize, R: Scalar> Gather<'_, D, R> {
    /// Subtracts, at a run of slots for which [`Gather::add_chunk`] has left its auxiliary values in the scratch memory, what sources have changed
    /// in the fluxes of the quantities that they have changed.
    pub fn take_source_changes(
        &self,
        plan: &ListedFaces<D>,
        slots: std::ops::Range<usize>,
        sums: Shared<'_, R>,
        source_cells: &[R],
        scratch: &mut [R],
    ) {
        let (m_count, a_count, stride) = (self.num_eqn, self.num_aux, plan.plan.num_slots);
        let (now, then) = (
            |m: usize, slot: usize| source_cells[m * stride + slot],
            |m: usize, slot: usize| source_cells[(m_count + m) * stride + slot],
        );
        if slots.clone().all(|slot| (0..m_count).all(|m| now(m, slot) == then(m, slot))) {
            return;
        }
        let axis = plan.slots()[slots.start].axis;
        let faces = plan.plan.ratio.faces(axis.index()) as usize;
        let (before, rest) = scratch.split_at_mut((m_count + a_count) * STRIDE);
        let (after, change) = rest.split_at_mut((m_count + a_count) * STRIDE);
        for (n, slot) in slots.clone().enumerate() {
            for m in 0..m_count {
                before[m * STRIDE + n * faces..][..faces].fill(then(m, slot));
                after[m * STRIDE + n * faces..][..faces].fill(now(m, slot));
            }
        }
        let aux = before[m_count * STRIDE..].as_ptr();
        let list = FaceList {
            len: slots.len() * faces,
            ql: before.as_ptr(),
            qr: after.as_ptr(),
            aux_l: aux,
            aux_r: aux,
            sum: change.as_mut_ptr(),
            stride: STRIDE,
        };
        // SAFETY: the scratch memory holds STRIDE numbers for each component of every array.
        unsafe { self.solver.fluctuation_sums(axis, &list) };
        let dt = R::from_f64(self.dt / faces as f64);
        for (n, slot) in slots.enumerate() {
            for m in (0..m_count).filter(|&m| now(m, slot) != then(m, slot)) {
                let mut total = R::default();
                change[m * STRIDE + n * faces..][..faces].iter().for_each(|c| total += *c);
                // SAFETY: as above.
                unsafe { *sums.at(m * stride + slot) -= along_coarse(&plan.slots()[slot], dt) * total };
            }
        }
    }
}

impl<const D: usize> FaceRow<D> {
    /// The row's states, whose first component is number `first` of what is kept.
    fn states<'a, R: Scalar>(
        &self,
        kept: Shared<'a, R>,
        first: usize,
        [slots, num_eqn]: [usize; 2],
    ) -> SourceCells<'a, D, R> {
        let at = |component: usize| (kept, component * slots + self.slot);
        SourceCells { cell: self.cell, len: self.len, q: at(first), aux: at(2 * num_eqn), component: slots }
    }
}
