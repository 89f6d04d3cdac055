//! States at faces by limited gradients.

use super::admissible::row_is_admissible;
use super::chunks::{CHUNK, Shared, for_chunks};
use super::interpolate::{Interpolation, NUMBERS};
use super::stencil::{renew_stencil, stencil};
use super::{Field, Limiter, MOST_EQUATIONS, Scheme};
use crate::Mesh;
use crate::mesh::Across;
use crate::threads::parts;
use rayon::prelude::*;
use riemann::patch::{PACK_OVERRUN, PatchSolver};
use std::ops::Range;
use std::sync::Arc;

/// Venkatakrishnan's K: extremes of waves longer than some cells stay, where K cells are a tenth of the mesh.
const SMOOTH: f64 = 5.0;

/// Other variables of states, as many as these have components, which are interpolated to faces. Values of `len` states, and their auxiliary
/// values, are `[component, state]`.
pub trait Variables: Send + Sync {
    /// The variables of states.
    fn of_states(&self, len: usize, states: &[f64], aux: &[f64], variables: &mut [f64]);

    /// The states with these variables.
    fn to_states(&self, len: usize, variables: &[f64], aux: &[f64], states: &mut [f64]);
}

/// Tables for states at faces.
pub(super) struct Reconstruction {
    across: Arc<Vec<Across>>,
    limiter: Limiter,
    /// Where the states on the left of faces begin; those on the right follow.
    first_place: usize,
    num_faces: usize,
    /// ε² of Venkatakrishnan's limiter, per square of the states' range.
    smooth: f64,
    variables: Option<Arc<dyn Variables>>,
    /// The variables of cells and ghost cells, as the states: `[state, component]`.
    in_cells: Vec<f64>,
    /// For Venkatakrishnan's limiter, see [`Interpolation::extremes`].
    extremes: Vec<f64>,
}

impl Reconstruction {
    /// `first_place`: of the states at faces, at least a pack behind cells and ghost cells. `variables`: what is interpolated in place of the `num_eqn`
    /// components of states.
    pub fn new(
        mesh: &Mesh,
        scheme: Scheme,
        (first_place, num_eqn): (usize, usize),
        variables: Option<Arc<dyn Variables>>,
    ) -> Self {
        Reconstruction {
            across: stencil(mesh, scheme.gradient),
            limiter: scheme.limiter,
            first_place,
            num_faces: mesh.num_faces(),
            smooth: smoothness((mesh.num_cells(), mesh.dim), scheme.limiter),
            in_cells: vec![0.0; if variables.is_some() { num_eqn * first_place } else { 0 }],
            variables,
            extremes: match scheme.limiter {
                Limiter::Venkatakrishnan => vec![0.0; 2 * num_eqn * mesh.num_cells() + PACK_OVERRUN],
                _ => Vec::new(),
            },
        }
    }

    /// Takes the geometry of the mesh when it has moved.
    pub fn place(&mut self, mesh: &Mesh, scheme: Scheme) {
        renew_stencil(&mut self.across, mesh, scheme.gradient);
    }

    pub fn bytes(&self) -> usize {
        size_of_val(&**self.across) + 8 * (self.in_cells.len() + self.extremes.len())
    }

    /// Where the states on the left and on the right of faces begin.
    pub fn places(&self) -> [usize; 2] {
        [self.first_place, self.first_place + self.num_faces]
    }

    /// Fills the states at faces from those of cells and ghost cells.
    pub fn fill(&mut self, mesh: &Mesh, (solver, aux): (&dyn PatchSolver<f64>, Field<'_>), states: Shared<'_>) {
        let (cells, num_eqn) = (mesh.num_cells(), solver.equations().len());
        debug_assert!(self.first_place * num_eqn >= (cells + mesh.boundary.len()) * num_eqn + PACK_OVERRUN);
        let (mut from, places) = (states, self.places());
        if let Some(variables) = &self.variables {
            from = Shared::new(&mut self.in_cells);
            // Ghost cells have the auxiliary values of the cell within.
            let inner = |cell: usize| match cell.checked_sub(cells) {
                Some(number) => mesh.faces.left[mesh.first_boundary() + number] as usize,
                None => cell,
            };
            for_chunks(cells + mesh.boundary.len(), &|range| {
                // SAFETY: cells and ghost cells are not written meanwhile.
                let [own, known] = unsafe { rows((states, 0), (solver, aux), &inner, range.clone()) };
                let mut found = vec![0.0; own.len()];
                variables.of_states(range.len(), &own, &known, &mut found);
                // SAFETY: each cell is in one chunk, which alone writes its variables.
                unsafe { put(from, (range.start, num_eqn), &found) };
            });
        }
        // SAFETY: values of cells are not written meanwhile.
        let value = |m: usize, cell: u32| unsafe { from.get(cell as usize * num_eqn + m) };
        let interpolation = Interpolation {
            dim: mesh.dim,
            limiter: self.limiter,
            num_eqn,
            starts: &mesh.cell_faces.starts,
            across: &self.across,
            smooth: smooth(self.smooth, (cells, num_eqn), &value),
            from,
            to: states,
            places,
            extremes: (!self.extremes.is_empty()).then(|| Shared::new(&mut self.extremes)),
            num_cells: cells,
        };
        if interpolation.extremes.is_some() {
            // SAFETY: a cell's extremes are written by it alone, and read later.
            for_chunks(cells, &|cells| unsafe { interpolation.find_extremes(cells) });
        }
        // SAFETY: a cell's own states at faces are written by it alone, and read later.
        for_chunks(cells, &|cells| unsafe { interpolation.fill(cells) });
        self.complete(mesh, (solver, aux), states, true);
    }

    /// Moves the states that cells have at their faces by what the cells lose.
    pub fn shift(
        &self,
        mesh: &Mesh,
        (solver, aux): (&dyn PatchSolver<f64>, Field<'_>),
        (states, lost): (Shared<'_>, Shared<'_>),
    ) {
        let num_eqn = solver.equations().len();
        for_chunks(mesh.num_cells(), &|cells| {
            for cell in cells {
                let row = mesh.cell_faces.starts[cell] as usize..mesh.cell_faces.starts[cell + 1] as usize;
                for (face, m) in self.across[row].iter().flat_map(|face| (0..num_eqn).map(move |m| (face, m))) {
                    let place = self.places()[(face.entry % 2) as usize] + (face.entry / 2) as usize;
                    let place = place * num_eqn + m;
                    // SAFETY: a cell's own state at a face is touched by it alone, and read later.
                    unsafe { states.set(place, states.get(place) - lost.get(cell * num_eqn + m)) };
                }
            }
        });
        self.complete(mesh, (solver, aux), states, false);
    }

    /// Makes states of the variables at faces, if they are `interpolated` ones; then gives faces the state of their cell where their own is not
    /// admissible.
    fn complete(
        &self,
        mesh: &Mesh,
        (solver, aux): (&dyn PatchSolver<f64>, Field<'_>),
        states: Shared<'_>,
        interpolated: bool,
    ) {
        let num_eqn = solver.equations().len();
        let variables = self.variables.as_ref().filter(|_| interpolated);
        if variables.is_none() && !solver.limits() {
            return;
        }
        for side in 0..2 {
            let cells = [&mesh.faces.left, &mesh.faces.right][side];
            for_chunks(if side == 0 { mesh.num_faces() } else { mesh.first_boundary() }, &|faces| {
                let (len, first) = (faces.len(), self.places()[side]);
                let cell = |face: usize| cells[face] as usize;
                // SAFETY: threads touch the states of their own faces alone; those of cells are not written.
                let [mut own, known] = unsafe { rows((states, first), (solver, aux), &cell, faces.clone()) };
                if let Some(variables) = variables {
                    let at_faces = own;
                    own = vec![0.0; at_faces.len()];
                    variables.to_states(len, &at_faces, &known, &mut own);
                    for (k, cell) in faces.clone().map(cell).enumerate() {
                        let same = |m: usize| at_faces[m * len + k] == self.in_cells[cell * num_eqn + m];
                        if (0..num_eqn).all(same) {
                            // The cell's state to the last bit.
                            // SAFETY: likewise.
                            (0..num_eqn).for_each(|m| own[m * len + k] = unsafe { states.get(cell * num_eqn + m) });
                        }
                    }
                    // SAFETY: likewise.
                    unsafe { put(states, (first + faces.start, num_eqn), &own) };
                }
                let mut at = if solver.limits() { 0 } else { len };
                while at < len {
                    let (row, field) = (Shared::new(&mut own), Field { values: &known, component: len });
                    let found = row_is_admissible(solver, (row, len, at), (field, at), len - at, true);
                    let Some(wrong) = found else { break };
                    at += wrong;
                    let (face, cell) = (first + faces.start + at, cell(faces.start + at));
                    for m in 0..num_eqn {
                        // SAFETY: likewise.
                        unsafe { states.set(face * num_eqn + m, states.get(cell * num_eqn + m)) };
                    }
                    at += 1;
                }
            });
        }
        debug_assert!(num_eqn <= MOST_EQUATIONS);
    }
}

/// The states behind the place `first` whose numbers are in a range, and the auxiliary values of their cells, as rows: `[component, state]`.
///
/// # Safety
/// Nobody writes these states meanwhile.
unsafe fn rows(
    (states, first): (Shared<'_>, usize),
    (solver, aux): (&dyn PatchSolver<f64>, Field<'_>),
    cell: &dyn Fn(usize) -> usize,
    range: Range<usize>,
) -> [Vec<f64>; 2] {
    let (num_eqn, num_aux, len) = (solver.equations().len(), solver.aux().len(), range.len());
    let (mut own, mut known) = (vec![0.0; num_eqn * len], vec![0.0; num_aux * len]);
    for (m, row) in own.chunks_exact_mut(len).enumerate() {
        for (number, value) in range.clone().zip(row) {
            // SAFETY: the caller's promise.
            *value = unsafe { states.get((first + number) * num_eqn + m) };
        }
    }
    for (k, number) in range.enumerate().take(if num_aux > 0 { len } else { 0 }) {
        let cell = cell(number);
        (0..num_aux).for_each(|a| known[a * len + k] = aux.values[a * aux.component + cell]);
    }
    [own, known]
}

/// Puts rows back as states from a place on.
///
/// # Safety
/// Nobody else touches these states meanwhile.
unsafe fn put(states: Shared<'_>, (first, num_eqn): (usize, usize), rows: &[f64]) {
    let len = rows.len() / num_eqn;
    for (m, row) in rows.chunks_exact(len).enumerate() {
        for (k, value) in row.iter().enumerate() {
            // SAFETY: the caller's promise.
            unsafe { states.set((first + k) * num_eqn + m, *value) };
        }
    }
}

/// ε² of Venkatakrishnan's limiter, per square of the states' range; 0 for others. A mesh of so many cells in so many dimensions counts as one of equal cells, since it is fine where waves
/// are short.
pub fn smoothness((cells, dim): (usize, usize), limiter: Limiter) -> f64 {
    if limiter != Limiter::Venkatakrishnan {
        return 0.0;
    }
    (SMOOTH / (cells as f64).powf(1.0 / dim as f64)).powi(3)
}

/// The same for each component, of whose `value` in cells it needs the range.
pub(super) fn smooth(
    smoothness: f64,
    (cells, num_eqn): (usize, usize),
    value: &(dyn Fn(usize, u32) -> f64 + Sync),
) -> [f64; NUMBERS] {
    let mut smooth = [0.0; NUMBERS];
    if smoothness == 0.0 {
        return smooth;
    }
    let first: [f64; MOST_EQUATIONS] = std::array::from_fn(|m| if m < num_eqn { value(m, 0) } else { 0.0 });
    let larger = |mut far: [[f64; MOST_EQUATIONS]; 2], other: [[f64; MOST_EQUATIONS]; 2]| {
        far.iter_mut().flatten().zip(other.iter().flatten()).for_each(|(far, other)| *far = far.max(*other));
        far
    };
    // How far values are above and below that of the first cell.
    let of_part = |part: Range<usize>| {
        let mut far = [[0.0_f64; MOST_EQUATIONS]; 2];
        for (cell, m) in part.flat_map(|cell| (0..num_eqn).map(move |m| (cell, m))) {
            let above = value(m, cell as u32) - first[m];
            (far[0][m], far[1][m]) = (far[0][m].max(above), far[1][m].max(-above));
        }
        far
    };
    let [above, below] = parts(cells, CHUNK).map(of_part).reduce(|| [[0.0; MOST_EQUATIONS]; 2], larger);
    for (m, smooth) in smooth.iter_mut().enumerate().take(num_eqn) {
        let range = above[m] + below[m];
        *smooth = smoothness * range * range;
    }
    smooth
}
