//! States at the sides of a mesh, as a step has them there: for sums over a side.

use super::chunks::Shared;
use super::reconstruct::{limited, range, smoothness_of};
use super::stencil::add_stencil;
use super::{BoundaryFace, Field, Limiter, Outside, Place, Scheme, row_is_admissible};
use crate::Mesh;
use riemann::cells::CellSums;
use riemann::patch::PatchSolver;

/// Calls `see` with each of the boundary faces and the state on its inner side: at order 2 that which the cell's limited gradient gives, where it is
/// admissible, else the cell's own. `speed`: of boundary faces.
pub fn at_sides(
    (mesh, scheme, speed): (&Mesh, Scheme, &dyn Fn(usize) -> f64),
    (solver, outside): (&dyn PatchSolver<f64>, &dyn Outside),
    (q, aux): (Field<'_>, Field<'_>),
    time: f64,
    faces: impl Iterator<Item = usize>,
    mut see: impl FnMut(usize, &[f64]),
) {
    let (cells, num_eqn, num_aux) = (mesh.num_cells(), solver.equations().len(), solver.aux().len());
    let is_second = scheme.order > 1;
    let limits_smoothly = is_second && scheme.limiter == Limiter::Venkatakrishnan;
    let whole: f64 = if limits_smoothly { mesh.volume.iter().sum() } else { 0.0 };
    let of_cell = |m: usize, cell: usize| q.values[m * q.component + cell];
    let range_of = |m: usize| range(cells, &|cell| of_cell(m, cell as usize));
    let ranges: Vec<f64> = (0..num_eqn).map(|m| if limits_smoothly { range_of(m) } else { 0.0 }).collect();
    let (mut own, mut ghost, mut state) = (vec![0.0; num_eqn], vec![0.0; num_eqn], vec![0.0; num_eqn]);
    let (mut across, mut ghosts) = (Vec::new(), Vec::new());
    for number in faces {
        let face = mesh.first_boundary() + number;
        let cell = mesh.faces.left[face] as usize;
        (0..num_eqn).for_each(|m| own[m] = of_cell(m, cell));
        state.copy_from_slice(&own);
        if is_second {
            across.clear();
            ghosts.clear();
            add_stencil(&mut across, mesh, scheme.gradient, 0, cell);
            for behind in across.iter().map(|face| face.neighbour as usize).filter(|&behind| behind >= cells) {
                let (number, place) = (behind - cells, Place::Ghost);
                let face = BoundaryFace { mesh, number, place, time, speed: speed(number) };
                outside.fill(&face, &own, &mut ghost);
                ghosts.push((behind, ghost.clone()));
            }
            let here = across.iter().position(|seen| seen.at_face as usize == face).expect("a face of the cell");
            for m in 0..num_eqn {
                let value = |cell: u32| {
                    let beyond = ghosts.iter().find(|(ghost, _)| *ghost == cell as usize);
                    beyond.map_or_else(|| of_cell(m, cell as usize), |(_, ghost)| ghost[m])
                };
                let smooth = if limits_smoothly { smoothness_of(mesh, mesh.volume[cell], whole) } else { 0.0 };
                let smooth = smooth * ranges[m] * ranges[m];
                let (factor, gradient) = limited((mesh.dim, scheme.limiter), &across, (own[m], smooth), &value);
                state[m] = CellSums::at_face(own[m], factor, CellSums::change(gradient, across[here].to_face));
            }
            let known: Vec<f64> = (0..num_aux).map(|a| aux.values[a * aux.component + cell]).collect();
            let aux = Field { values: &known, component: 1 };
            if row_is_admissible(solver, (Shared::new(&mut state), 1, 0), (aux, 0), 1, true).is_some() {
                state.copy_from_slice(&own);
            }
        }
        see(number, &state);
    }
}
