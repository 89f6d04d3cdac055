//! States at the sides of a mesh, as a step has them there: for sums over a side.

use super::admissible::row_is_admissible;
use super::chunks::Shared;
use super::interpolate::Interpolation;
use super::reconstruct::{smooth, smoothness};
use super::stencil::{add_stencil, behind as behind_face};
use super::{Field, Limiter, Place, Scheme, Surroundings, Variables};
use crate::Mesh;
use riemann::patch::{PACK_OVERRUN, PatchSolver};
use riemann::real::Real;

/// Calls `see` with each of the boundary faces and the state on its inner side: at order 2 that which the cell's limited gradient gives, where it is
/// admissible, else the cell's own. `variables`: those that are interpolated in place of states.
pub fn at_sides(
    (sides, scheme, variables): (&Surroundings<'_>, Scheme, Option<&dyn Variables>),
    solver: &dyn PatchSolver<f64>,
    (q, aux): (Field<'_>, Field<'_>),
    faces: impl Iterator<Item = usize>,
    mut see: impl FnMut(usize, &[f64]),
) {
    let mesh = sides.mesh;
    let (cells, num_eqn, num_aux) = (mesh.num_cells(), solver.equations().len(), solver.aux().len());
    let variables = variables.filter(|_| scheme.order > 1);
    let of_field = |field: Field<'_>, count: usize, cell: usize| -> Vec<f64> {
        (0..count).map(|m| field.values[m * field.component + cell]).collect()
    };
    let variables_of = |states: &[f64], len: usize, aux: &[f64]| {
        let mut found = states.to_vec();
        if let Some(variables) = variables {
            variables.of_states(len, states, aux, &mut found);
        }
        found
    };
    let rows = |field: Field<'_>, count: usize| -> Vec<f64> {
        (0..count).flat_map(|m| &field.values[m * field.component..][..cells]).copied().collect()
    };
    let in_cells = variables.map(|_| variables_of(&rows(q, num_eqn), cells, &rows(aux, num_aux)));
    let in_cells = in_cells.as_ref().map_or(q, |values| Field { values, component: cells });
    let value = |m: usize, cell: u32| in_cells.values[m * in_cells.component + cell as usize];
    let smoothness = if scheme.order > 1 { smoothness((cells, mesh.dim), scheme.limiter) } else { 0.0 };
    let smooth = smooth(smoothness, (cells, num_eqn), &value);
    let behind = |cell: usize, seen: usize| match seen.checked_sub(cells) {
        None => of_field(in_cells, num_eqn, seen),
        Some(number) => {
            let own = of_field(q, num_eqn, cell);
            let mut ghost = own.clone();
            sides.fill(number, Place::Ghost, &own, &mut ghost);
            variables_of(&ghost, 1, &of_field(aux, num_aux, cell))
        }
    };
    let mut across = Vec::new();
    for number in faces {
        let face = mesh.first_boundary() + number;
        let cell = mesh.faces.left[face] as usize;
        let (own, known) = (of_field(q, num_eqn, cell), of_field(aux, num_aux, cell));
        let mut state = own.clone();
        if scheme.order > 1 {
            across.clear();
            add_stencil(&mut across, mesh, scheme.gradient, cell);
            // The cell, then what is behind its faces.
            let mut from = of_field(in_cells, num_eqn, cell);
            for face in &across {
                from.extend(behind(cell, face.neighbour as usize));
            }
            let has_extremes = scheme.limiter == Limiter::Venkatakrishnan;
            let seen = std::iter::once(cell).chain(across.iter().map(|face| face.neighbour as usize));
            let mut extremes: Vec<f64> = seen
                .take(if has_extremes { usize::MAX } else { 0 })
                .flat_map(|seen| extremes_of(mesh, (cell, seen), &behind))
                .collect();
            let here = across.iter().position(|seen| seen.entry as usize == 2 * face).expect("a face of the cell");
            for (k, face) in (0_u32..).zip(&mut across) {
                (face.neighbour, face.entry) = (k + 1, 2 * k);
            }
            let starts = [0, across.len() as u32];
            let mut to = vec![0.0; num_eqn * across.len()];
            from.resize(from.len() + PACK_OVERRUN, 0.0);
            extremes.resize(extremes.len() + PACK_OVERRUN, 0.0);
            let interpolation = Interpolation {
                dim: mesh.dim,
                limiter: scheme.limiter,
                num_eqn,
                starts: &starts,
                across: &across,
                smooth,
                from: Shared::new(&mut from),
                to: Shared::new(&mut to),
                places: [0; 2],
                extremes: has_extremes.then(|| Shared::new(&mut extremes)),
                num_cells: across.len() + 1,
            };
            // SAFETY: all memory is this function's.
            unsafe { interpolation.fill(0..1) };
            let found = &to[here * num_eqn..][..num_eqn];
            match variables {
                Some(_) if *found == from[..num_eqn] => {}
                Some(variables) => variables.to_states(1, found, &known, &mut state),
                None => state.copy_from_slice(found),
            }
            let aux = Field { values: &known, component: 1 };
            if row_is_admissible(solver, (Shared::new(&mut state), 1, 0), (aux, 0), 1, true).is_some() {
                state.copy_from_slice(&own);
            }
        }
        see(number, &state);
    }
}

/// The least values of what a cell sees, itself or behind a face, and of its neighbours, then the largest; what lies beyond a side has none.
fn extremes_of(
    mesh: &Mesh,
    (cell, seen): (usize, usize),
    values: &dyn Fn(usize, usize) -> Vec<f64>,
) -> impl Iterator<Item = f64> {
    let mut least = values(cell, seen);
    let mut largest = least.clone();
    let faces = if seen < mesh.num_cells() { mesh.cell_faces.row(seen) } else { &[] };
    for &entry in faces {
        for (m, value) in values(seen, behind_face(mesh, entry) as usize).into_iter().enumerate() {
            (least[m], largest[m]) = (Real::min(least[m], value), Real::max(largest[m], value));
        }
    }
    least.into_iter().chain(largest)
}
