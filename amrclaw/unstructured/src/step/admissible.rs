//! Which states a step may make, and which may lie at faces.

use super::Field;
use super::chunks::Shared;
use riemann::lattice::Lattice;
use riemann::patch::{LEAST_NONNEGATIVE, PatchSolver, SourceRow};
use std::ops::Range;

/// True if the new states of some cells are finite and allowed. `q`: those before the step, in the same layout.
pub(super) fn is_admissible(
    solver: &dyn PatchSolver<f64>,
    new: Shared<'_>,
    (q, aux): (Field<'_>, Field<'_>),
    cells: Range<usize>,
    first_order: bool,
) -> bool {
    // SAFETY: nobody writes these cells meanwhile.
    let finite = |m: usize| cells.clone().all(|cell| unsafe { new.get(m * q.component + cell) }.is_finite());
    let first = cells.start;
    (0..solver.equations().len()).all(finite)
        && row_is_admissible(solver, (new, q.component, first), (aux, first), cells.len(), false).is_none()
        && stays_nonnegative(solver, new, (q, aux), cells, first_order)
}

/// True if no quantity that must not be negative is below round-off; where steps are of first order, only where it was not so before. What solvers with
/// transfer variables keep from being negative counts as if it were so. `cells.cuh` does the same.
fn stays_nonnegative(
    solver: &dyn PatchSolver<f64>,
    new: Shared<'_>,
    (q, aux): (Field<'_>, Field<'_>),
    mut cells: Range<usize>,
    first_order: bool,
) -> bool {
    let (num_positive, num_nonnegative) = (solver.positive().len(), solver.nonnegative().len());
    if num_nonnegative == 0 || !solver.limits() {
        return true;
    }
    let kept = solver.transfers().unwrap_or_default();
    let (mut state, mut known) = (vec![0.0; solver.equations().len()], vec![0.0; solver.aux().len()]);
    let mut values = vec![0.0; num_positive + num_nonnegative];
    let mut is_wrong = |cell: usize, value: &dyn Fn(usize) -> f64| {
        known.iter_mut().enumerate().for_each(|(a, known)| *known = aux.values[a * aux.component + cell]);
        state.iter_mut().enumerate().for_each(|(m, state)| *state = value(m * q.component + cell));
        kept.iter().for_each(|&m| state[m] = state[m].max(0.0));
        solver.quantities(&state, &known, &mut values);
        // NaN is wrong too.
        !values[num_positive..].iter().all(|value| *value >= LEAST_NONNEGATIVE)
    };
    cells.all(|cell| {
        // SAFETY: nobody writes these cells meanwhile.
        !is_wrong(cell, &|place| unsafe { new.get(place) }) || (first_order && is_wrong(cell, &|place| q.values[place]))
    })
}

/// The first inadmissible state of a row, whose auxiliary values are those from `at` on, `data` as in [`PatchSolver::first_inadmissible`].
pub(super) fn row_is_admissible(
    solver: &dyn PatchSolver<f64>,
    (states, component, first): (Shared<'_>, usize, usize),
    (aux, at): (Field<'_>, usize),
    len: usize,
    data: bool,
) -> Option<usize> {
    debug_assert!(aux.values.is_empty() || aux.component == component, "one stride for states and auxiliary values");
    let aux = if aux.values.is_empty() { std::ptr::NonNull::dangling().as_ptr() } else { aux.values[at..].as_ptr() };
    let lattice = Lattice::point([0.0; 3], [1.0; 3]);
    let q = states.at(first);
    let row = SourceRow { q, aux, len, component, lattice, first: [0; 3], t: 0.0, dt: 0.0 };
    // SAFETY: the row is readable, and not written.
    unsafe { solver.first_inadmissible(&row, data) }
}
