//! What the steps of a finer level may take from the coarse cells beside it, of quantities that are kept from being negative.
//!
//! These steps may take more than the coarse step did, and more than the coarse cell has left: the conservation fix would leave it a debt.
//! A cell that has q after the coarse step, of which I_f came in through face f to a finer patch, can give `q − Σ I_f` whatever the finer
//! steps bring. Each of these faces may take an equal part of it and its own I_f beyond the coarse flux: its allowance. What a finer step takes
//! beyond that returns out of the fine cells behind the face, with the same part of all that they hold, so that velocities stay. Cells that
//! a yet finer level covers return nothing: its averages replace them.
//!
//! Unsplit hardly anything is owed: `q − Σ I_f` is not negative, as no cell gives what flows in during the same step, and the fine cells
//! have at least what the step brought them. Of split sweeps one gives what another brought. See `debt`.

use super::faces::{FaceSlot, ListedFaces};
use super::store::Register;
use crate::fields::{LevelLayout, Shared};
use crate::index::{CellBox, CellIndex};
use crate::plan::FaceRun;
use crate::threads::parallel_for;
use riemann::axis::Side;
use riemann::patch::{PatchSolver, Transfer, TransferRow};
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
    pub unsafe fn value(&self, patch: u32, cell: [i32; D], m: usize) -> *mut R {
        let patch = &self.layout.patches[patch as usize];
        self.q.at(patch.offset(self.num_eqn, cell) + m * patch.component())
    }

    /// Gives a coarse cell what the sums at its faces, which have the slots `of_cell`, hold for it, and puts its new state in order. `free`: the speed up to
    /// which it is not slowed down, or 0. In place of the first slot's sums then lies the state before. False if the new one is not finite.
    ///
    /// # Safety
    /// The caller alone accesses the cell and the slots, and nobody writes auxiliary values.
    pub unsafe fn receive(
        &self,
        solver: &dyn PatchSolver<R>,
        faces: &ListedFaces<D>,
        (patch, of_cell): (u32, &[u32]),
        sums: Shared<'_, R>,
        free: R,
    ) -> bool {
        let (all, first) = (faces.slots(), of_cell[0] as usize);
        let (cell, layout) = (all[first].coarse_cell, &self.layout.patches[patch as usize]);
        let kappa = self.capacity(patch, cell);
        // SAFETY: the caller's promise.
        unsafe {
            for m in 0..self.num_eqn {
                let value = self.value(patch, cell, m);
                let before = *value;
                for &slot in of_cell {
                    let face = &all[slot as usize];
                    let outward = R::constant(f64::from(face.own_side().sign()));
                    let scale = outward / (R::from_f64(self.dx[face.axis.index()]) * kappa);
                    *value += scale * *sums.at(m * all.len() + slot as usize);
                }
                *sums.at(m * all.len() + first) = before;
            }
            let finite = (0..self.num_eqn).all(|m| (*self.value(patch, cell, m)).finite());
            if !self.kept.is_empty() {
                let row = TransferRow {
                    values: self.value(patch, cell, 0),
                    component: layout.component(),
                    aux: match self.num_aux {
                        0 => std::ptr::null(),
                        num_aux => self.aux.at(layout.offset(num_aux, cell)),
                    },
                    aux_component: layout.component(),
                    most: sums.at(first),
                    most_strides: [all.len(), 0],
                    free,
                    len: 1,
                };
                solver.transfer(Transfer::Settle, &row);
            }
            finite
        }
    }

    pub fn capacity(&self, patch: u32, cell: [i32; D]) -> R {
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

    /// After a step of the finer level. `finer`: the faces to a yet finer one.
    pub fn return_excess<const D: usize>(
        &mut self,
        faces: &ListedFaces<D>,
        finer: Option<&ListedFaces<D>>,
        fine: &Stepped<'_, D, R>,
    ) {
        let (sums, allowances) = (Shared::new(&mut self.sums), self.allowances.as_slice());
        parallel_for(faces.plan.runs.num_patches(), |k| {
            if !fine.layout.patches[k].is_local {
                return;
            }
            let covered = fine.layout.patches[k].cells.coarse_from_fine(faces.plan.ratio);
            for slot in faces.fine_range(k) {
                let around = faces_of_block(faces, &covered, slot);
                // One of the faces of a block does all of them.
                if around.as_flattened().iter().flatten().min() == Some(&slot) {
                    Block { faces, finer, fine, sums, allowances, around }.give_back(k as u32);
                }
            }
        });
    }
}

/// The faces to coarser cells around the fine cells of one patch over one coarse cell, by axis and side: at a corner of the patch several.
type Around<const D: usize> = [[Option<usize>; 2]; D];

/// Those of the block behind a face. `covered`: the coarse cells under the patch.
fn faces_of_block<const D: usize>(faces: &ListedFaces<D>, covered: &CellBox<D>, slot: usize) -> Around<D> {
    let face = &faces.slots()[slot];
    let block = behind(faces, face, 0).coarse_from_fine(faces.plan.ratio).lo;
    let beside = |d: usize, side: Side| {
        if (face.axis.index(), face.coarse_side) == (d, side) {
            return Some(slot);
        }
        let mut cell = block;
        cell[d] += side.sign();
        let runs = if covered.contains(cell) { &[] } else { faces.plan.runs.of(face.fine_patch as usize) };
        let of_side = |run: &&FaceRun<D>| run.axis.index() == d && run.coarse_side == side && run.cells.contains(cell);
        runs.iter().find(of_side).map(|run| run.first_slot as usize + run.cells.number_of(cell))
    };
    std::array::from_fn(|d| Side::BOTH.map(|side| beside(d, side)))
}

/// The fine cells over a coarse one, with the faces that take from it.
struct Block<'a, const D: usize, R: Scalar> {
    faces: &'a ListedFaces<D>,
    finer: Option<&'a ListedFaces<D>>,
    fine: &'a Stepped<'a, D, R>,
    sums: Shared<'a, R>,
    allowances: &'a [R],
    around: Around<D>,
}

impl<const D: usize, R: Scalar> Block<'_, D, R> {
    /// Returns what was taken beyond the allowances. Faces ask the same cells at the same time, which no order of the axes changes.
    fn give_back(&self, patch: u32) {
        let (zero, one) = (R::constant(0.0), R::constant(1.0));
        let (all, ratio) = (self.faces.slots(), self.faces.plan.ratio);
        let Some(&any) = self.around.as_flattened().iter().flatten().next() else { return };
        // Where the cells at the faces have too little, all of the block.
        for whole in [false, true] {
            let deep = |slot: Option<usize>| slot.map_or(0, |slot| if whole { self.layers(patch, slot) } else { 1 });
            let layers = self.around.map(|of_axis| of_axis.map(deep));
            let part = |d: usize, side: usize| {
                self.around[d][side].map_or(zero, |slot| self.part(patch, slot, layers[d][side]))
            };
            let asked: [[R; 2]; D] = std::array::from_fn(|d| [part(d, 0), part(d, 1)]);
            if asked.as_flattened().iter().all(|&part| part == zero) {
                return;
            }
            let cells = behind(self.faces, &all[any], 0).coarse_from_fine(ratio).fine_from_coarse(ratio);
            // The parts of a cell that its faces ask for together.
            let wanted = |cell: CellIndex<D>| {
                (0..D).fold(zero, |sum, d| {
                    let [lower, upper] = layers[d];
                    let [lower, upper] = [cell[d] < cells.lo[d] + lower, cell[d] >= cells.hi[d] - upper];
                    let of = |near: bool, part: R| if near { part } else { zero };
                    sum + (of(lower, asked[d][0]) + of(upper, asked[d][1]))
                })
            };
            for (d, side) in (0..D).flat_map(|d| [(d, 0), (d, 1)]).filter(|&(d, side)| asked[d][side] > zero) {
                let slot = self.around[d][side].expect("it asks");
                let scale = R::constant(f64::from(all[slot].coarse_side.sign())) * self.width(slot);
                for m in 0..self.fine.num_eqn {
                    let mut total = zero;
                    for cell in (0..layers[d][side]).flat_map(|layer| behind(self.faces, &all[slot], layer).cells()) {
                        let part = asked[d][side] / wanted(cell).max(one);
                        // SAFETY: every slot, and every cell, belongs to one fine patch, whose task alone changes it.
                        total += self.fine.capacity(patch, cell) * (part * unsafe { *self.fine.value(patch, cell, m) });
                    }
                    // SAFETY: likewise.
                    unsafe { *self.sums.at(m * all.len() + slot) += scale * total };
                }
            }
            for cell in cells.cells() {
                let part = wanted(cell).min(one);
                for m in 0..self.fine.num_eqn {
                    // SAFETY: likewise.
                    unsafe {
                        let value = self.fine.value(patch, cell, m);
                        *value -= part * *value;
                    }
                }
            }
        }
    }

    /// The size of a fine cell along a face's normal, divided by the number of fine faces.
    fn width(&self, slot: usize) -> R {
        let face = &self.faces.slots()[slot];
        R::from_f64(self.fine.dx[face.axis.index()] / self.faces.fine_ghosts(face).volume() as f64)
    }

    /// How many layers of the cells of the block behind a face no finer patch covers.
    fn layers(&self, patch: u32, slot: usize) -> i32 {
        let face = &self.faces.slots()[slot];
        let (d, inward) = (face.axis.index(), face.coarse_side.opposite());
        let ends = |&layer: &i32| {
            let covered = |finer: &ListedFaces<D>, cell| finer.cover_beside(patch as usize, cell, (d, inward));
            let mut cells = behind(self.faces, face, layer - 1).cells();
            self.finer.is_some_and(|finer| cells.any(|cell| covered(finer, cell)))
        };
        (1..self.faces.plan.ratio.0[d]).find(ends).unwrap_or(self.faces.plan.ratio.0[d])
    }

    /// The part that a face asks for of all that so many layers of cells behind it hold.
    fn part(&self, patch: u32, slot: usize, layers: i32) -> R {
        let (zero, one) = (R::constant(0.0), R::constant(1.0));
        let (all, width) = (self.faces.slots(), self.width(slot));
        let outward = R::constant(f64::from(all[slot].coarse_side.sign()));
        let mut part = zero;
        for (n, &m) in self.fine.kept.iter().enumerate() {
            // SAFETY: as in `give_back`.
            unsafe {
                let excess = -(outward * *self.sums.at(m * all.len() + slot)) - self.allowances[n * all.len() + slot];
                let mut held = zero;
                if excess > held {
                    for cell in (0..layers).flat_map(|layer| behind(self.faces, &all[slot], layer).cells()) {
                        held += self.fine.capacity(patch, cell) * *self.fine.value(patch, cell, m);
                    }
                    part = if held > zero { part.max((excess / (held * width)).min(one)) } else { part };
                }
            }
        }
        part
    }
}

/// The fine cells behind a coarse face, in one layer.
fn behind<const D: usize>(faces: &ListedFaces<D>, face: &FaceSlot<D>, layer: i32) -> CellBox<D> {
    let mut inward = [0; D];
    inward[face.axis.index()] = -face.coarse_side.sign() * (1 + layer);
    faces.fine_ghosts(face).shift(inward)
}

#[cfg(test)]
mod tests;
