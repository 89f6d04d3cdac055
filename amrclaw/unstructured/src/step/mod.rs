//! Steps of a solution on a mesh: `q_t = −1/V Σ size · (𝒜⁻ΔQ or 𝒜⁺ΔQ)`, see `riemann::cells`.
//!
//! Of second order, states at the faces are `q + φ ∇q · r` in each cell, and the cell gets `f(q_face) · n` too, as the difference to `f(q)` or the
//! fluctuations between both states: the part `f(q)` vanishes in the sum over a closed cell. Cells add their faces in the order of their list, so the
//! bits do not depend on threads.

mod admissible;
mod at_sides;
mod beyond;
mod blocks;
mod chunks;
mod gradient;
mod interpolate;
mod reconstruct;
mod scheme;
mod stencil;
mod wall;

pub use crate::mesh::Across;
use crate::motion::{MeshInTime, Moved};
use crate::{Mesh, MeshError};
pub use at_sides::at_sides;
pub use beyond::{BoundaryFace, Outside, Place, Surroundings};
pub use gradient::{Neighbours, gradients};
pub use reconstruct::{Variables, smoothness};
pub use scheme::{Gradient, Limiter, Scheme, SolvedBy, TimeStep};
pub use stencil::stencil;
pub(crate) use stencil::{add_stencil, inverse, renewed_stencil};
pub use wall::{Boost, mirror};

use admissible::is_admissible;
use blocks::{Block, Blocks, Entering};
use chunks::{Shared, for_chunks};
use rayon::prelude::*;
use reconstruct::Reconstruction;
use riemann::cells::CellSums;
use riemann::patch::{PACK_OVERRUN, PatchSolver};
use std::sync::Arc;

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

/// Lists for the solver, and the memory of a step.
pub struct Stepper {
    mesh: Arc<Mesh>,
    scheme: Scheme,
    num_eqn: usize,
    reconstruction: Option<Reconstruction>,
    /// Cells, ghost cells, at order 2 what is on the left and on the right of each face: `[state, component]`, so that a state is read at once.
    states: Vec<f64>,
    /// What cells lose in half a step by the fluxes of their own states at faces, `[cell, component]`, for [`TimeStep::Hancock`].
    moved: Vec<f64>,
    blocks: Blocks,
    in_time: Option<Arc<MeshInTime>>,
    /// The motion in this step.
    motion: Option<Moved>,
}

impl Stepper {
    /// For states of `num_eqn` components.
    ///
    /// # Panics
    /// With more than 32 components, or more than 2³² numbers of all states.
    pub fn new(mesh: Arc<Mesh>, scheme: Scheme, num_eqn: usize) -> Self {
        Self::interpolating(mesh, scheme, num_eqn, None)
    }

    /// As [`Stepper::new`]; at order 2 `variables` are interpolated to faces in place of states.
    ///
    /// # Panics
    /// Likewise.
    pub fn interpolating(
        mesh: Arc<Mesh>,
        scheme: Scheme,
        num_eqn: usize,
        variables: Option<Arc<dyn Variables>>,
    ) -> Self {
        assert!(num_eqn <= MOST_EQUATIONS, "states of {num_eqn} components");
        let (cells, faces) = (mesh.num_cells(), mesh.num_faces());
        // Packs of components are read beyond the last ghost cell.
        let first_place = cells + mesh.boundary.len() + PACK_OVERRUN;
        let reconstruction =
            (scheme.order > 1).then(|| Reconstruction::new(&mesh, scheme, (first_place, num_eqn), variables));
        let count = first_place + if reconstruction.is_some() { 2 * faces } else { 0 };
        assert!(u32::try_from(num_eqn * count).is_ok(), "{count} states of {num_eqn} components");
        let predicts = reconstruction.is_some() && scheme.time == TimeStep::Hancock;
        Stepper {
            states: vec![0.0; num_eqn * count + PACK_OVERRUN],
            moved: vec![0.0; if predicts { num_eqn * cells } else { 0 }],
            blocks: Blocks::new(&mesh, num_eqn, reconstruction.as_ref()),
            num_eqn,
            reconstruction,
            scheme,
            mesh,
            in_time: None,
            motion: None,
        }
    }

    /// Lets the mesh move.
    pub fn moving(self, in_time: &Arc<MeshInTime>) -> Self {
        Stepper { in_time: in_time.moves().then(|| in_time.clone()), ..self }
    }

    /// The mesh.
    pub fn mesh(&self) -> &Arc<Mesh> {
        &self.mesh
    }

    /// Bytes of memory besides the mesh.
    pub fn bytes(&self) -> usize {
        8 * (self.states.len() + self.moved.len())
            + self.blocks.bytes()
            + self.reconstruction.as_ref().map_or(0, Reconstruction::bytes)
    }

    /// Takes a step from `q` at `time`; the new states are those of `new`, which has the layout of `q`. `first_order`: leave out gradients.
    ///
    /// # Errors
    /// Where the mesh moves, that a cell would be folded; nothing is changed then.
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
    ) -> Result<Outcome, MeshError> {
        if let Some(in_time) = self.in_time.clone() {
            self.motion = in_time.step((time, dt), self.motion.take())?;
            self.place();
        }
        let (cells, num_aux) = (self.mesh.num_cells(), solver.aux().len());
        assert!(solver.solves_faces() && solver.equations().len() == self.num_eqn, "not a solver of this mesh");
        assert!(q.values.len() >= (self.num_eqn - 1) * q.component + cells && new.len() >= q.values.len());
        assert!(num_aux == 0 || aux.values.len() >= (num_aux - 1) * aux.component + cells);
        let mut outcome = Outcome { courant: 0.0, admissible: true };
        let stages = self.scheme.time.stages();
        for (number, &(start, share)) in stages.iter().enumerate() {
            let from: &[f64] = if number == 0 { q.values } else { new };
            let (num_eqn, states) = (self.num_eqn, Shared::new(&mut self.states));
            for_chunks(cells, &|range| {
                for cell in range {
                    // SAFETY: each cell is in one chunk, which alone writes its state.
                    (0..num_eqn).for_each(|m| unsafe { states.set(cell * num_eqn + m, from[m * q.component + cell]) });
                }
            });
            let second_order = self.reconstruction.is_some() && !first_order;
            self.fill((solver, outside), aux, (time + start * dt, dt), second_order);
            let is_last = number + 1 == stages.len();
            let found = self.advance((solver, second_order), (q, aux), (dt, (start, share)), (new, is_last));
            outcome = Outcome { courant: outcome.courant.max(found.courant), ..found };
        }
        Ok(outcome)
    }

    /// Takes the geometry half way of the step.
    fn place(&mut self) {
        let Some(Moved { middle, speed, .. }) = &self.motion else { return };
        self.blocks.blocks.par_iter_mut().for_each(|block| block.place(middle, speed));
        if let Some(reconstruction) = &mut self.reconstruction {
            reconstruction.place(middle, self.scheme);
        }
    }

    /// The states beyond the boundary and, at order 2, at faces, in a step `dt` that begins at `time`.
    fn fill(
        &mut self,
        (solver, outside): (&dyn PatchSolver<f64>, &dyn Outside),
        aux: Field<'_>,
        (time, dt): (f64, f64),
        second_order: bool,
    ) {
        let (cells, faces, first) = (self.mesh.num_cells(), self.mesh.num_faces(), self.mesh.first_boundary());
        let num_eqn = self.num_eqn;
        let states = Shared::new(&mut self.states);
        let (mesh, speeds) = self.motion.as_ref().map_or((&*self.mesh, &[][..]), |m| (&m.middle, &m.speed[first..]));
        let beyond = |(place, time): (Place, f64), inside: &(dyn Fn(usize) -> usize + Sync), to: usize| {
            let sides = Surroundings { mesh, outside, time, speeds };
            let at_once: Vec<_> = (0..mesh.boundary.names.len()).filter(|&name| outside.at_once(name)).collect();
            let at_once: Vec<_> = at_once.into_iter().map(|name| mesh.boundary.of_name(name)).collect();
            for faces in &at_once {
                let numbers = |to: usize| (0..num_eqn).map(move |m| to * num_eqn + m);
                // SAFETY: no other thread is at work.
                let of_face = |face: usize| numbers(inside(face)).map(|at| unsafe { states.get(at) });
                let mut found: Vec<f64> = faces.clone().flat_map(of_face).collect();
                outside.fill_all(&sides, place, faces.clone(), &mut found);
                // SAFETY: likewise.
                faces
                    .clone()
                    .flat_map(|face| numbers(to + face))
                    .zip(found)
                    .for_each(|(at, v)| unsafe { states.set(at, v) });
            }
            for_chunks(faces - first, &|range| {
                let (mut own, mut other) = ([0.0; MOST_EQUATIONS], [0.0; MOST_EQUATIONS]);
                for face in range.filter(|face| !at_once.iter().any(|faces| faces.contains(face))) {
                    // SAFETY: each boundary face has a place of its own, which nobody else reads or writes meanwhile.
                    unsafe {
                        (0..num_eqn).for_each(|m| own[m] = states.get(inside(face) * num_eqn + m));
                        sides.fill(face, place, &own[..num_eqn], &mut other[..num_eqn]);
                        (0..num_eqn).for_each(|m| states.set((to + face) * num_eqn + m, other[m]));
                    }
                }
            });
        };
        beyond((Place::Ghost, time), &|face| self.mesh.faces.left[first + face] as usize, cells);
        if let Some(reconstruction) = self.reconstruction.as_mut().filter(|_| second_order) {
            reconstruction.fill(&self.mesh, (solver, aux), states);
            let predicts = !self.moved.is_empty();
            if predicts {
                let moved = Shared::new(&mut self.moved);
                self.blocks.move_faces(mesh, (solver, aux), (states, moved), 0.5 * dt);
                reconstruction.shift(&self.mesh, (solver, aux), (states, moved));
            }
            let [left, right] = reconstruction.places();
            let time = if predicts { time + 0.5 * dt } else { time };
            beyond((Place::Face, time), &|face| left + first + face, right + first);
        }
    }

    /// The states after a stage, whose share is mixed with the states before the step; those after the last stage are checked.
    fn advance(
        &mut self,
        (solver, second_order): (&dyn PatchSolver<f64>, bool),
        (q, aux): (Field<'_>, Field<'_>),
        (dt, (start, share)): (f64, (f64, f64)),
        (new, is_last): (&mut [f64], bool),
    ) -> Outcome {
        let (mesh, num_eqn, is_local) = (&self.mesh, self.num_eqn, self.scheme.is_local);
        let (from_before, moved) = (self.scheme.time.from_before(), self.motion.as_ref());
        let (states, new) = (Shared::new(&mut self.states), Shared::new(new));
        let of_block = |block: &Block, entering: &mut Entering| {
            let faces = block.list(states.start().cast_const(), aux, entering, second_order);
            // SAFETY: lists and arrays have as many numbers as the faces and a pack beyond, indices are valid, and the memory is this thread's.
            unsafe { solver.solve_faces(&faces) };
            let mut courant = 0.0_f64;
            block.sums(mesh, entering, num_eqn, |cell, sums, speeds| {
                let volumes = moved.map(|moved| moved.volumes(cell, (start, share), from_before));
                let per_volume = match is_local {
                    false => dt / volumes.map_or(mesh.volume[cell], |[_, after]| after),
                    true if speeds > 0.0 => 2.0 * dt / speeds,
                    true => 0.0,
                };
                courant = courant.max(0.5 * per_volume * speeds);
                for (m, sum) in sums.iter().enumerate() {
                    // SAFETY: each cell is in one block, which alone writes it; states are not written.
                    unsafe {
                        let before = q.values[m * q.component + cell];
                        let mixed = match volumes {
                            None => {
                                let now = if from_before { before } else { states.get(cell * num_eqn + m) };
                                CellSums::mixed(before, now, per_volume * sum, share)
                            }
                            // The volume that a state has been in before the stage counts, in part that of the step's begin.
                            Some([then, after]) => {
                                let gone = states.get(cell * num_eqn + m) - before;
                                before + share * (then / after * gone - per_volume * sum)
                            }
                        };
                        new.set(m * q.component + cell, mixed);
                    }
                }
            });
            let admissible = !is_last || is_admissible(solver, new, (q, aux), block.cells.clone(), !second_order);
            Outcome { courant, admissible }
        };
        let both = |a: Outcome, b: Outcome| Outcome {
            courant: a.courant.max(b.courant),
            admissible: a.admissible && b.admissible,
        };
        let outcomes =
            self.blocks.blocks.par_iter().map(|block| self.blocks.with_memory(|memory| of_block(block, memory)));
        outcomes.reduce(|| Outcome { courant: 0.0, admissible: true }, both)
    }
}

#[cfg(test)]
pub(crate) mod tests;
#[cfg(test)]
mod verification;
