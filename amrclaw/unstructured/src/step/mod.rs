//! Steps of a solution on a mesh: `q_t = −1/V Σ size · (𝒜⁻ΔQ or 𝒜⁺ΔQ)`, see `riemann::cells`.
//!
//! Of second order, states at the faces are `q + φ ∇q · r` in each cell, and the cell gets `f(q_face) · n` too, as the fluctuations between its own
//! state and that at the face: their part `f(q)` vanishes in the sum over a closed cell. Cells add their faces in the order of their list, so the
//! bits do not depend on threads.

mod at_sides;
mod chunks;
mod reconstruct;
mod stencil;

use crate::Mesh;
pub use at_sides::at_sides;
pub use reconstruct::smoothness;
pub use stencil::{Across, stencil};

use chunks::{Shared, for_chunks, largest};
use reconstruct::Reconstruction;
use riemann::cells::{CellFaces, CellSums, Keep, turn_of};
use riemann::lattice::Lattice;
use riemann::patch::{PACK_OVERRUN, PatchSolver, SourceRow};
use std::ops::Range;
use std::sync::Arc;

/// How a step is taken.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Scheme {
    /// 1 or 2.
    pub order: u8,
    /// The stages of a step.
    pub time: TimeStep,
    /// Gradients, at order 2.
    pub gradient: Gradient,
    /// What keeps them from new extremes.
    pub limiter: Limiter,
    /// Who solves a face's Riemann problem, on a device.
    pub solved_by: SolvedBy,
}

/// Who solves a face's Riemann problem on a device. Results are the same to the bit; the processor's threads solve each face once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SolvedBy {
    /// Both cells beside it, each for itself: nothing is stored in between.
    Cells,
    /// The face itself, once; then cells gather.
    Faces,
}

/// Stages of a step: Runge–Kutta methods that are mixtures of forward steps. Shu & Osher 1988, doi:10.1016/0021-9991(88)90177-5.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TimeStep {
    /// One forward step.
    Euler,
    /// Two.
    Rk2,
    /// Three.
    Rk3,
}

impl TimeStep {
    /// For each stage the part of the step at which it starts, and the share of it in the mixture with the state before the step.
    pub const fn stages(self) -> &'static [(f64, f64)] {
        match self {
            TimeStep::Euler => &[(0.0, 1.0)],
            TimeStep::Rk2 => &[(0.0, 1.0), (1.0, 0.5)],
            TimeStep::Rk3 => &[(0.0, 1.0), (1.0, 0.25), (0.5, 2.0 / 3.0)],
        }
    }
}

/// How gradients are made of differences to the neighbours across faces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Gradient {
    /// By least squares, weighted with the inverse squares of distances.
    LeastSquares,
    /// By Gauss' theorem, with the mean of the two cells at each face.
    GreenGauss,
}

/// What limits gradients.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limiter {
    /// Nothing.
    None,
    /// No state at a face is beyond those of the cell and its neighbours. Barth & Jespersen 1989, doi:10.2514/6.1989-366.
    BarthJespersen,
    /// The same smoothly, with extremes of small cells left alone. Venkatakrishnan 1995, doi:10.1006/jcph.1995.1084.
    Venkatakrishnan,
}

/// Where the state beyond a boundary face is wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// At the face.
    Face,
    /// At the mirror image of the cell's centroid.
    Ghost,
}

/// What lies beyond the boundary.
pub trait Outside: Sync {
    /// The state beyond boundary face `face`, where `inside` is that on its inner side.
    fn fill(&self, face: usize, place: Place, time: f64, inside: &[f64], outside: &mut [f64]);
}

/// Values of cells, `[component, cell]`.
#[derive(Clone, Copy, Debug)]
pub struct Field<'a> {
    /// All numbers; [`PACK_OVERRUN`] more than there are values.
    pub values: &'a [f64],
    /// Numbers between components.
    pub component: usize,
}

/// What a step has come to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Outcome {
    /// The largest `Δt/2V Σ size · speed` of a cell: 1 is the limit of stability of first order.
    pub courant: f64,
    /// All new states are finite and allowed.
    pub admissible: bool,
}

/// Numbers of a state's components that are held on the stack.
const MOST_EQUATIONS: usize = 32;

/// Lists over faces for the solver, and the memory of a step.
pub struct Stepper {
    mesh: Arc<Mesh>,
    scheme: Scheme,
    num_eqn: usize,
    /// Of each face the frame, `[coordinate, face]`.
    turn: Vec<f64>,
    /// Numbers between components of arrays over faces.
    face_component: usize,
    /// The states on both sides of each face at order 1: cells, then ghost cells.
    cells_at: [Vec<u32>; 2],
    /// The cells whose auxiliary values belong to them.
    aux_at: [Vec<u32>; 2],
    reconstruction: Option<Reconstruction>,
    /// Cells, ghost cells, at order 2 what is on the left and on the right of each face: `[component, state]`.
    states: Vec<f64>,
    component: usize,
    to_left: Vec<f64>,
    to_right: Vec<f64>,
    speed: Vec<f64>,
}

/// A list with room for a pack beyond its end.
fn padded(list: impl Iterator<Item = u32>) -> Vec<u32> {
    list.chain([0; PACK_OVERRUN]).collect()
}

impl Stepper {
    /// For states of `num_eqn` components.
    ///
    /// # Panics
    /// With more than 32 components.
    pub fn new(mesh: Arc<Mesh>, scheme: Scheme, num_eqn: usize) -> Self {
        assert!(num_eqn <= MOST_EQUATIONS, "states of {num_eqn} components");
        let (cells, faces) = (mesh.num_cells(), mesh.num_faces());
        let face_component = faces.next_multiple_of(PACK_OVERRUN) + PACK_OVERRUN;
        let mut turn = vec![0.0; 3 * face_component];
        for (face, normal) in mesh.faces.normal.iter().enumerate() {
            let values = turn_of(mesh.dim, *normal);
            (0..3).for_each(|d| turn[d * face_component + face] = values[d]);
        }
        let inner = |(&left, &right): (&u32, &u32)| if (right as usize) < cells { right } else { left };
        let (left, right) = (&mesh.faces.left, &mesh.faces.right);
        let reconstruction =
            (scheme.order > 1).then(|| Reconstruction::new(&mesh, scheme, cells + mesh.boundary.len()));
        let component = cells + mesh.boundary.len() + if reconstruction.is_some() { 2 * faces } else { 0 };
        Stepper {
            cells_at: [padded(left.iter().copied()), padded(right.iter().copied())],
            aux_at: [padded(left.iter().copied()), padded(left.iter().zip(right).map(inner))],
            states: vec![0.0; num_eqn * component + PACK_OVERRUN],
            to_left: vec![0.0; num_eqn * face_component],
            to_right: vec![0.0; num_eqn * face_component],
            speed: vec![0.0; face_component],
            num_eqn,
            turn,
            face_component,
            reconstruction,
            component,
            scheme,
            mesh,
        }
    }

    /// The mesh.
    pub fn mesh(&self) -> &Arc<Mesh> {
        &self.mesh
    }

    /// Bytes of memory besides the mesh.
    pub fn bytes(&self) -> usize {
        let numbers = self.states.len() + 2 * self.to_left.len() + self.speed.len() + self.turn.len();
        8 * numbers + 16 * self.cells_at[0].len() + self.reconstruction.as_ref().map_or(0, Reconstruction::bytes)
    }

    /// Takes a step from `q` at `time`; the new states are those of `new`, which has the layout of `q`. `first_order`: leave out gradients.
    ///
    /// # Panics
    /// The solver is not one for any mesh, or fields are too short.
    pub fn step(
        &mut self,
        (solver, outside): (&dyn PatchSolver<f64>, &dyn Outside),
        (q, aux): (Field<'_>, Field<'_>),
        (time, dt): (f64, f64),
        new: &mut [f64],
        first_order: bool,
    ) -> Outcome {
        let (cells, num_aux) = (self.mesh.num_cells(), solver.aux().len());
        assert!(solver.solves_faces() && solver.equations().len() == self.num_eqn, "not a solver of this mesh");
        assert!(q.values.len() >= (self.num_eqn - 1) * q.component + cells && new.len() >= q.values.len());
        assert!(num_aux == 0 || aux.values.len() >= (num_aux - 1) * aux.component + cells);
        let mut outcome = Outcome { courant: 0.0, admissible: true };
        for (number, &(start, share)) in self.scheme.time.stages().iter().enumerate() {
            let from: &[f64] = if number == 0 { q.values } else { new };
            for m in 0..self.num_eqn {
                self.states[m * self.component..][..cells].copy_from_slice(&from[m * q.component..][..cells]);
            }
            self.solve((solver, outside), aux, time + start * dt, first_order);
            let courant = self.advance((q, share), dt, new);
            outcome.courant = outcome.courant.max(courant);
        }
        outcome.admissible = self.is_admissible(solver, (q.component, aux), new);
        outcome
    }

    /// The fluctuations at all faces.
    fn solve(
        &mut self,
        (solver, outside): (&dyn PatchSolver<f64>, &dyn Outside),
        aux: Field<'_>,
        time: f64,
        first_order: bool,
    ) {
        let (cells, faces, first) = (self.mesh.num_cells(), self.mesh.num_faces(), self.mesh.first_boundary());
        let component = self.component;
        let states = Shared::new(&mut self.states);
        let beyond = |place: Place, inside: &(dyn Fn(usize) -> usize + Sync), to: usize| {
            for_chunks(faces - first, &|range| {
                let (mut own, mut other) = ([0.0; MOST_EQUATIONS], [0.0; MOST_EQUATIONS]);
                for face in range {
                    // SAFETY: each boundary face has a place of its own, which nobody else reads or writes meanwhile.
                    unsafe {
                        (0..self.num_eqn).for_each(|m| own[m] = states.get(m * component + inside(face)));
                        outside.fill(face, place, time, &own[..self.num_eqn], &mut other[..self.num_eqn]);
                        (0..self.num_eqn).for_each(|m| states.set(m * component + to + face, other[m]));
                    }
                }
            });
        };
        beyond(Place::Ghost, &|face| self.mesh.faces.left[first + face] as usize, cells);
        let reconstruction = self.reconstruction.as_ref().filter(|_| !first_order);
        let mut q_at = self.cells_at.each_ref().map(|list| list.as_slice());
        if let Some(reconstruction) = reconstruction {
            reconstruction.fill(&self.mesh, states, component, self.num_eqn);
            if solver.limits() {
                reconstruction.keep_admissible(&self.mesh, (solver, aux), (states, component), &self.aux_at);
            }
            let [left, right] = reconstruction.places();
            beyond(Place::Face, &|face| left + first + face, right + first);
            q_at = reconstruction.faces_at.each_ref().map(|list| list.as_slice());
        }
        let [cell_left, cell_right] = self.cells_at.each_ref().map(|list| list.as_slice());
        let [aux_left, aux_right] = self.aux_at.each_ref().map(|list| list.as_slice());
        let lists = CellFaces {
            first: 0,
            end: 0,
            q: states.start().cast_const(),
            q_component: component,
            q_at: q_at.map(<[u32]>::as_ptr),
            aux: if aux.values.is_empty() { std::ptr::NonNull::dangling().as_ptr() } else { aux.values.as_ptr() },
            aux_component: aux.component,
            aux_at: [aux_left, aux_right].map(<[u32]>::as_ptr),
            turn: self.turn.as_ptr(),
            face_component: self.face_component,
            to_left: self.to_left.as_mut_ptr(),
            to_right: self.to_right.as_mut_ptr(),
            speed: self.speed.as_mut_ptr(),
            keep: Keep::Both,
        };
        let lists = chunks::Lists(lists);
        let pairs = |left: &[u32], right: &[u32]| [left.as_ptr(), right.as_ptr()];
        for_chunks(faces, &|range: Range<usize>| {
            let both = CellFaces { first: range.start, end: range.end, ..*lists.get() };
            // SAFETY: lists and arrays have as many numbers as the faces and a pack beyond, indices are valid, and chunks are disjoint.
            unsafe {
                solver.solve_faces(&both);
                if reconstruction.is_some() {
                    let (q_at, aux_at) = (pairs(cell_left, q_at[0]), pairs(aux_left, aux_left));
                    solver.solve_faces(&CellFaces { q_at, aux_at, keep: Keep::AddToLeft, ..both });
                    let q_at =
                        [reconstruction.map_or(std::ptr::null(), |r| r.faces_at[1].as_ptr()), cell_right.as_ptr()];
                    let aux_at = pairs(aux_right, aux_right);
                    solver.solve_faces(&CellFaces { q_at, aux_at, keep: Keep::AddToRight, ..both });
                }
            }
        });
    }

    /// The states after a stage, whose share is mixed with the states before the step; returns the largest Courant number.
    fn advance(&self, (q, share): (Field<'_>, f64), dt: f64, new: &mut [f64]) -> f64 {
        let (mesh, new) = (&self.mesh, Shared::new(new));
        let (size, rows) = (&mesh.faces.size, &mesh.cell_faces);
        largest(mesh.num_cells(), &|range| {
            let mut most = 0.0_f64;
            for cell in range {
                let (mut sums, mut speeds) = ([0.0; MOST_EQUATIONS], 0.0);
                for &entry in rows.row(cell) {
                    let face = (entry / 2) as usize;
                    let into = if entry % 2 == 0 { &self.to_left } else { &self.to_right };
                    speeds += size[face] * self.speed[face];
                    for (m, sum) in sums[..self.num_eqn].iter_mut().enumerate() {
                        *sum += size[face] * into[m * self.face_component + face];
                    }
                }
                let per_volume = dt / mesh.volume[cell];
                most = most.max(0.5 * per_volume * speeds);
                for (m, sum) in sums[..self.num_eqn].iter().enumerate() {
                    let (before, now) = (q.values[m * q.component + cell], self.states[m * self.component + cell]);
                    // SAFETY: each cell is in one chunk, which alone writes it.
                    unsafe {
                        let mixed = CellSums::mixed(before, now, per_volume * sum, share);
                        new.set(m * q.component + cell, mixed);
                    }
                }
            }
            most
        })
    }

    /// True if all new states are finite and allowed.
    fn is_admissible(
        &self,
        solver: &dyn PatchSolver<f64>,
        (component, aux): (usize, Field<'_>),
        new: &mut [f64],
    ) -> bool {
        let (cells, start) = (self.mesh.num_cells(), Shared::new(new));
        let wrong = largest(cells, &|range| {
            // SAFETY: nobody writes meanwhile.
            let finite = |m: usize| range.clone().all(|cell| unsafe { start.get(m * component + cell) }.is_finite());
            let fine = (0..self.num_eqn).all(finite)
                && row_is_admissible(solver, (start, component, range.start), (aux, range.start), range.len(), false)
                    .is_none();
            f64::from(u8::from(!fine))
        });
        wrong == 0.0
    }
}

/// The first inadmissible state of a row, whose auxiliary values are those from `at` on, `data` as in [`PatchSolver::first_inadmissible`].
fn row_is_admissible(
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

#[cfg(test)]
mod tests;
#[cfg(test)]
mod verification;
