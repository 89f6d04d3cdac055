//! What the steps of a finer level may take from the coarse cells beside it, of quantities that are kept from being negative.
//!
//! These steps may take more than the coarse step did, and more than the coarse cell has left: the conservation fix would leave it a debt.
//! A cell that has q after the coarse step, of which I_f came in through face f to a finer patch, can give `q − Σ I_f` whatever the finer
//! steps bring. Each of these faces may take an equal part of it and its own I_f beyond the coarse flux: its allowance. What a finer step takes
//! beyond that returns out of the fine cells behind the face, with the same part of all that they hold, so that velocities stay.
//!
//! Unsplit nothing is owed: `q − Σ I_f` is not negative, as no cell gives what flows in during the same step, and the fine cells
//! have at least what the step brought them. Of split sweeps one gives what another brought.

use super::faces::{FaceSlot, ListedFaces};
use super::store::Register;
use crate::fields::{LevelLayout, Shared};
use crate::index::CellBox;
use crate::threads::parallel_for;
use riemann::axis::Side;
use riemann::real::Scalar;

/// A level at the end of its step.
pub(super) struct Stepped<'a, const D: usize, R: Scalar> {
    /// Equations whose quantities are kept from being negative.
    pub kept: &'static [usize],
    pub layout: &'a LevelLayout<D>,
    pub q: Shared<'a, R>,
    pub aux: Shared<'a, R>,
    pub num_eqn: usize,
    pub num_aux: usize,
    pub capacity: Option<usize>,
    pub dx: [f64; D],
}

impl<const D: usize, R: Scalar> Stepped<'_, D, R> {
    /// Equation `m` in a cell.
    ///
    /// # Safety
    /// As for the pointer that this returns: nobody else writes the cell.
    unsafe fn value(&self, patch: u32, cell: [i32; D], m: usize) -> *mut R {
        let patch = &self.layout.patches[patch as usize];
        self.q.at(patch.offset(self.num_eqn, cell) + m * patch.component())
    }

    fn capacity(&self, patch: u32, cell: [i32; D]) -> R {
        let patch = &self.layout.patches[patch as usize];
        // SAFETY: nobody writes auxiliary values meanwhile.
        self.capacity.map_or(R::constant(1.0), |c| unsafe {
            *self.aux.at(patch.offset(self.num_aux, cell) + c * patch.component())
        })
    }
}

/// Part of what flows through a cell that is not given away, more than round-off, which would make its rest negative.
fn margin<R: Scalar>() -> R {
    R::constant(if R::BYTES == 8 { 1e-14 } else { 5e-6 })
}

impl<R: Scalar> Register<R> {
    /// After a step of the coarser level.
    pub fn note_allowances<const D: usize>(&mut self, faces: &ListedFaces<D>, coarse: &Stepped<'_, D, R>) {
        let (all, sums) = (faces.slots(), &self.sums);
        let allowances = Shared::new(&mut self.allowances);
        let cell_of = |&slot: &u32| all[slot as usize].coarse_cell;
        parallel_for(faces.plan.num_coarse_patches, |k| {
            if !coarse.layout.patches[k].is_local {
                return;
            }
            for slots in faces.of_coarse_patch(k).chunk_by(|a, b| cell_of(a) == cell_of(b)) {
                let cell = cell_of(&slots[0]);
                let kappa = coarse.capacity(k as u32, cell);
                let width = |slot: u32| R::from_f64(coarse.dx[all[slot as usize].axis.index()]) * kappa;
                for (n, &m) in coarse.kept.iter().enumerate() {
                    // What the fix would add if the finer steps took nothing.
                    let change = |slot: u32| {
                        let outward = R::constant(f64::from(all[slot as usize].coarse_side.sign()));
                        outward * sums[m * all.len() + slot as usize] / width(slot)
                    };
                    let zero = R::constant(0.0);
                    let (mut brought, mut moved) = (zero, zero);
                    for &slot in slots {
                        brought += (-change(slot)).max(zero);
                        moved += change(slot).max(-change(slot));
                    }
                    // SAFETY: nobody writes the state meanwhile.
                    let held = unsafe { *coarse.value(k as u32, cell, m) };
                    let rest = held - brought - margin::<R>() * (held + moved);
                    let part = rest / R::from_f64(slots.len() as f64);
                    for &slot in slots {
                        let allowance = ((-change(slot)).max(zero) + part) * width(slot);
                        // SAFETY: every slot lies beside one coarse patch, whose task alone writes it.
                        unsafe { *allowances.at(n * all.len() + slot as usize) = allowance };
                    }
                }
            }
        });
    }

    /// After a step of the finer level.
    pub fn return_excess<const D: usize>(&mut self, faces: &ListedFaces<D>, fine: &Stepped<'_, D, R>) {
        let (all, allowances) = (faces.slots(), &self.allowances);
        let sums = Shared::new(&mut self.sums);
        parallel_for(faces.plan.runs.num_patches(), |k| {
            if !fine.layout.patches[k].is_local {
                return;
            }
            for slot in faces.fine_range(k) {
                let of_slot = |m: usize| m * all.len() + slot;
                let (face, patch) = (&all[slot], k as u32);
                let (zero, one) = (R::constant(0.0), R::constant(1.0));
                let outward = R::constant(f64::from(face.coarse_side.sign()));
                let width = fine.dx[face.axis.index()] / faces.fine_ghosts(face).volume() as f64;
                let width = R::from_f64(width);
                // Where the cells at the face have too little, all that lie over the coarse cell behind it.
                for depth in [1, faces.plan.ratio.0[face.axis.index()]] {
                    let cells = behind(faces, face, depth);
                    let mut part = zero;
                    for (n, &m) in fine.kept.iter().enumerate() {
                        // SAFETY: every slot, and every cell, belongs to one fine patch, whose task alone changes it.
                        unsafe {
                            let excess = -(outward * *sums.at(of_slot(m))) - allowances[of_slot(n)];
                            let mut held = zero;
                            if excess > held {
                                for cell in cells.cells() {
                                    held += fine.capacity(patch, cell) * *fine.value(patch, cell, m);
                                }
                                part = if held > zero { part.max((excess / (held * width)).min(one)) } else { part };
                            }
                        }
                    }
                    if part == zero {
                        break;
                    }
                    for m in 0..fine.num_eqn {
                        let mut total = zero;
                        // SAFETY: likewise.
                        unsafe {
                            for cell in cells.cells() {
                                let value = fine.value(patch, cell, m);
                                let back = part * *value;
                                *value -= back;
                                total += fine.capacity(patch, cell) * back;
                            }
                            *sums.at(of_slot(m)) += outward * (total * width);
                        }
                    }
                    if part < one {
                        break;
                    }
                }
            }
        });
    }
}

/// The fine cells behind a coarse face, in so many layers.
fn behind<const D: usize>(faces: &ListedFaces<D>, face: &FaceSlot<D>, depth: i32) -> CellBox<D> {
    let ghosts = faces.fine_ghosts(face);
    let (mut lo, mut hi, d) = (ghosts.lo, ghosts.hi, face.axis.index());
    match face.coarse_side {
        Side::Lower => (lo[d], hi[d]) = (ghosts.hi[d], ghosts.hi[d] + depth),
        Side::Upper => (lo[d], hi[d]) = (ghosts.lo[d] - depth, ghosts.lo[d]),
    }
    CellBox::new(lo, hi)
}
