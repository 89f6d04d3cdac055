//! States at faces by limited gradients.

use super::chunks::{CHUNK, Shared, for_chunks, largest};
use super::stencil::{Across, stencil};
use super::{Field, Limiter, MOST_EQUATIONS, Scheme, row_is_admissible};
use crate::Mesh;
use riemann::cells::CellSums;
use riemann::patch::PatchSolver;
use riemann::real::Real;

/// Venkatakrishnan's K: extremes of waves longer than some cells stay, where K cells are a tenth of the mesh.
const SMOOTH: f64 = 5.0;

/// Tables for states at faces.
pub(super) struct Reconstruction {
    across: Vec<Across>,
    limiter: Limiter,
    /// Where the states on the left of faces begin; those on the right follow.
    first_place: usize,
    num_faces: usize,
    /// Of each cell ε² of Venkatakrishnan's limiter, per square of the states' range.
    smooth: Vec<f64>,
}

impl Reconstruction {
    /// `first_place`: of the states at faces, after cells and ghost cells.
    pub fn new(mesh: &Mesh, scheme: Scheme, first_place: usize) -> Self {
        Reconstruction {
            across: stencil(mesh, scheme.gradient, first_place),
            limiter: scheme.limiter,
            first_place,
            num_faces: mesh.num_faces(),
            smooth: smoothness(mesh, scheme.limiter),
        }
    }

    /// Takes the geometry of the mesh when it has moved.
    pub fn place(&mut self, mesh: &Mesh, scheme: Scheme) {
        *self = Reconstruction::new(mesh, scheme, self.first_place);
    }

    pub fn bytes(&self) -> usize {
        size_of_val(&*self.across) + 8 * self.smooth.len()
    }

    /// Where the states on the left and on the right of faces begin.
    pub fn places(&self) -> [usize; 2] {
        [self.first_place, self.first_place + self.num_faces]
    }

    /// Fills the states at faces from those of cells and ghost cells.
    pub fn fill(&self, mesh: &Mesh, states: Shared<'_>, num_eqn: usize) {
        debug_assert!(self.first_place >= mesh.num_cells() && num_eqn <= MOST_EQUATIONS);
        // SAFETY: cells and ghost cells are not written meanwhile.
        let value = |m: usize, cell: u32| unsafe { states.get(cell as usize * num_eqn + m) };
        let mut ranges = [0.0; MOST_EQUATIONS];
        if !self.smooth.is_empty() {
            (0..num_eqn).for_each(|m| ranges[m] = range(mesh.num_cells(), &|cell| value(m, cell)));
        }
        for_chunks(mesh.num_cells(), &|cells| {
            for cell in cells {
                let row = mesh.cell_faces.starts[cell] as usize..mesh.cell_faces.starts[cell + 1] as usize;
                let across = &self.across[row];
                for (m, range) in ranges[..num_eqn].iter().enumerate() {
                    let own = value(m, cell as u32);
                    let smooth = self.smooth.get(cell).map_or(0.0, |smooth| smooth * range * range);
                    let value = |cell: u32| value(m, cell);
                    let (factor, gradient) = limited((mesh.dim, self.limiter), across, (own, smooth), &value);
                    for face in across {
                        let change = CellSums::change(gradient, face.to_face);
                        // SAFETY: a cell's own state at a face is written by it alone, and read later.
                        unsafe {
                            states.set(face.at_face as usize * num_eqn + m, CellSums::at_face(own, factor, change))
                        };
                    }
                }
            }
        });
    }

    /// Moves the states that cells have at their faces by what the cells lose.
    pub fn shift(&self, mesh: &Mesh, (states, lost): (Shared<'_>, Shared<'_>), num_eqn: usize) {
        for_chunks(mesh.num_cells(), &|cells| {
            for cell in cells {
                let row = mesh.cell_faces.starts[cell] as usize..mesh.cell_faces.starts[cell + 1] as usize;
                for (face, m) in self.across[row].iter().flat_map(|face| (0..num_eqn).map(move |m| (face, m))) {
                    let place = face.at_face as usize * num_eqn + m;
                    // SAFETY: a cell's own state at a face is touched by it alone, and read later.
                    unsafe { states.set(place, states.get(place) - lost.get(cell * num_eqn + m)) };
                }
            }
        });
    }

    /// Gives faces the state of their cell where the interpolated one is not admissible.
    pub fn keep_admissible(&self, mesh: &Mesh, (solver, aux): (&dyn PatchSolver<f64>, Field<'_>), states: Shared<'_>) {
        let (num_eqn, num_aux) = (solver.equations().len(), solver.aux().len());
        for side in 0..2 {
            let cells = [&mesh.faces.left, &mesh.faces.right][side];
            for_chunks(if side == 0 { mesh.num_faces() } else { mesh.first_boundary() }, &|faces| {
                // The row of a chunk: states, then auxiliary values, with one stride.
                let (mut own, mut known) = (vec![0.0; num_eqn * CHUNK], vec![0.0; num_aux * CHUNK]);
                for (k, face) in faces.clone().enumerate() {
                    // SAFETY: threads touch the states of their own faces alone.
                    let state = |m: usize| unsafe { states.get((self.places()[side] + face) * num_eqn + m) };
                    (0..num_eqn).for_each(|m| own[m * CHUNK + k] = state(m));
                    let cell = cells[face] as usize;
                    (0..num_aux).for_each(|a| known[a * CHUNK + k] = aux.values[a * aux.component + cell]);
                }
                let row = Shared::new(&mut own);
                let mut at = 0;
                while at < faces.len() {
                    let field = Field { values: &known, component: CHUNK };
                    let found = row_is_admissible(solver, (row, CHUNK, at), (field, at), faces.len() - at, true);
                    let Some(wrong) = found else { break };
                    at += wrong;
                    let (face, cell) = (faces.start + at, cells[faces.start + at] as usize);
                    for m in 0..num_eqn {
                        // SAFETY: likewise; cells are not written.
                        unsafe {
                            states.set((self.places()[side] + face) * num_eqn + m, states.get(cell * num_eqn + m))
                        };
                    }
                    at += 1;
                }
            });
        }
        debug_assert!(num_eqn <= MOST_EQUATIONS);
    }
}

/// The part of a cell's gradient that is left, and the whole gradient.
#[inline(always)]
pub(super) fn limited(
    (dim, limiter): (usize, Limiter),
    across: &[Across],
    (own, smooth): (f64, f64),
    value: &impl Fn(u32) -> f64,
) -> (f64, [f64; 3]) {
    let (mut gradient, mut below, mut above) = ([0.0; 3], 0.0_f64, 0.0_f64);
    for face in across {
        let difference = value(face.neighbour) - own;
        (0..dim).for_each(|d| gradient[d] += face.weight[d] * difference);
        (below, above) = (Real::min(below, difference), Real::max(above, difference));
    }
    let mut factor = 1.0_f64;
    for face in across {
        let change = CellSums::change(gradient, face.to_face);
        factor = match limiter {
            Limiter::None => break,
            Limiter::BarthJespersen => CellSums::barth_jespersen(factor, change, below, above),
            Limiter::Venkatakrishnan => CellSums::venkatakrishnan(factor, change, below, above, smooth),
        };
    }
    (factor, gradient)
}

/// Of each cell ε² of Venkatakrishnan's limiter, per square of the states' range; nothing for others.
pub fn smoothness(mesh: &Mesh, limiter: Limiter) -> Vec<f64> {
    if limiter != Limiter::Venkatakrishnan {
        return Vec::new();
    }
    let whole: f64 = mesh.volume.iter().sum();
    mesh.volume.iter().map(|&volume| smoothness_of(mesh, volume, whole)).collect()
}

/// The same of one cell; `whole`: the volume of all.
pub(super) fn smoothness_of(mesh: &Mesh, volume: f64, whole: f64) -> f64 {
    (SMOOTH * (volume / whole).powf(1.0 / mesh.dim as f64)).powi(3)
}

/// The largest value of cells less the smallest.
pub(super) fn range(cells: usize, value: &(dyn Fn(u32) -> f64 + Sync)) -> f64 {
    let least = value(0);
    let far =
        |sign: f64| largest(cells, &|part| part.map(|cell| sign * (value(cell as u32) - least)).fold(0.0, f64::max));
    far(1.0) + far(-1.0)
}
