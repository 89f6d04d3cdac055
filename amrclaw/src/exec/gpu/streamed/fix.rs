//! The conservation fix's terms, kept on the device: what `exec/cpu/register.rs` does, batch by batch.
//!
//! The kernels are those of the resident executor. In a batch's stream `face_map` comes before the update and marks the faces whose
//! corrections the update keeps; `register_coarse` and `register_fine` follow it while the batch's states are there. States of coarse cells
//! beside finer patches thus are on the device before the finer level's step, and C1, C2 and C3 are summed up there; the host fetches the
//! sums when it applies the fix.

use super::lane::Lane;
use super::lane_buffers::LaneBuffers;
use super::tables::LevelTables;
use crate::exec::gpu::device::{DeviceSweep, FaceMapPlace, RegisterPlace, axes, pointer};
use crate::exec::step::Pass;
use crate::plan::MeshChange;
use cuda::CudaError;
use cuda::abi::Pointer;
use cuda::amr::kernels::{FACE_MAP, NUMBER_FACES, REGISTER_COARSE, REGISTER_FINE};
use cuda::amr::{FaceMapArgs, NumberFacesArgs};
use riemann::real::Scalar;

/// Terms of the fix between levels, and the kernels that sum them up.
pub(super) struct Fix<L: Lane> {
    /// The run has a conservation fix.
    is_on: bool,
    /// Steps apply source terms.
    sourced: bool,
    /// By the finer level.
    registers: Vec<Option<Register<L>>>,
}

/// Terms between a level and the next coarser one.
struct Register<L: Lane> {
    /// `Σ Δt (fine flux + C1) − Δt coarse flux` per coarse face: `[equation, slot]`.
    sums: L::Memory,
    /// State and aux of the coarse cell beside each face, per sweep: `[sweep, equation then aux, slot]`.
    coarse_cells: L::Memory,
    /// Where there are source terms, what the host sends of these cells: see [`SweepEngine::put_source_cells`](crate::exec::step::SweepEngine).
    source_cells: Option<L::Memory>,
}

impl<L: Lane> Fix<L> {
    /// No terms yet, of a run with a conservation fix or without.
    pub fn new(conservation_fix: bool, sourced: bool) -> Self {
        Fix { is_on: conservation_fix, sourced, registers: Vec::new() }
    }

    /// Frees the terms at faces that a change of the mesh replaces.
    pub fn adopt<const D: usize>(&mut self, change: &MeshChange<'_, D>) {
        let replaced = self.registers.iter_mut().enumerate().filter(|(fine, _)| change.replaces_faces(*fine));
        replaced.for_each(|(_, register)| *register = None);
    }

    /// Allocates the terms at the edges of a level and of the next finer one, if there are none.
    pub fn make_registers<const D: usize, R: Scalar>(
        &mut self,
        lane: &L,
        [num_eqn, num_aux]: [usize; 2],
        pass: &Pass<'_, D>,
    ) -> Result<(), CudaError> {
        self.registers.resize_with(pass.plans.len(), || None);
        for fine in [pass.level, pass.level + 1] {
            let Some(plan) = pass.plans.get(fine).and_then(|plans| plans.reflux()) else { continue };
            if self.registers[fine].is_some() {
                continue;
            }
            let room = |values: usize| lane.allocate(values * plan.num_slots * R::BYTES);
            let sums = room(num_eqn)?;
            let coarse_cells = room(pass.sweeps.len() * (num_eqn + num_aux))?;
            let source_cells = self.sourced.then(|| room(2 * num_eqn)).transpose()?;
            self.registers[fine] = Some(Register { sums, coarse_cells, source_cells });
        }
        Ok(())
    }

    /// Queues the map of the faces that a batch's sweep keeps.
    pub fn map_faces<const D: usize>(
        &self,
        tables: &LevelTables<D, L>,
        (number, buffers): (usize, &LaneBuffers<L>),
    ) -> Result<(), CudaError> {
        if !self.is_on {
            return Ok(());
        }
        let batch = &tables.batches[number];
        buffers.queue.zero(&buffers.words.memory, 0, batch.map_words() * size_of::<u32>())?;
        Self::mark_faces(tables, (number, buffers), false)?;
        let FaceMapPlace { words, bases, .. } = buffers.face_map(batch);
        let count = buffers.words.at(2 * batch.words.len() * size_of::<u32>());
        let args = NumberFacesArgs { patches: tables.patches(batch.patches.start), words, bases, count };
        // SAFETY: the lane has room for the map of the batch.
        unsafe { buffers.queue.run(&NUMBER_FACES, D, batch.patches.len(), &args)? };
        Self::mark_faces(tables, (number, buffers), true)
    }

    /// Marks the faces of a batch, or notes their slots once they are `numbered`.
    fn mark_faces<const D: usize>(
        tables: &LevelTables<D, L>,
        (number, buffers): (usize, &LaneBuffers<L>),
        numbered: bool,
    ) -> Result<(), CudaError> {
        let FaceMapPlace { words, bases, slots } = buffers.face_map(&tables.batches[number]);
        for (faces, fine) in tables.faces.iter().zip([true, false]) {
            let Some(faces) = faces.as_ref().filter(|faces| faces.has_faces(number)) else { continue };
            let args = FaceMapArgs {
                table: faces.runs(number),
                patches: tables.patches(0),
                words,
                bases,
                slots,
                fine: u32::from(fine),
                first_slot: tables.first_coarse() as u32,
                numbered: u32::from(numbered),
                ratio: axes(faces.plan.ratio.0, 1),
            };
            // SAFETY: the runs lie along patches of the batch; the lane has room for the map of its cells.
            unsafe { buffers.queue.run(&FACE_MAP, D, args.table.num_chunks as usize, &args)? };
        }
        Ok(())
    }

    /// Queues the kernels that sum up a batch's terms of the fix, behind its sweep in the same lane: as the fine side at the level's
    /// own edge, and as the coarse side at the finer level's edge.
    pub fn register<const D: usize>(
        &self,
        level: usize,
        sweep: &DeviceSweep<'_>,
        tables: &LevelTables<D, L>,
        (number, buffers): (usize, &LaneBuffers<L>),
    ) -> Result<(), CudaError> {
        if !self.is_on {
            return Ok(());
        }
        let [own, finer] = &tables.faces;
        for (faces, fine, kernel) in [(finer, level + 1, REGISTER_COARSE), (own, level, REGISTER_FINE)] {
            let (Some(faces), Some(register)) = (faces, self.registers.get(fine).and_then(Option::as_ref)) else {
                continue;
            };
            let place = RegisterPlace {
                table: faces.runs(number),
                sums: pointer::<_, L>(&register.sums, 0),
                coarse_cells: pointer::<_, L>(&register.coarse_cells, 0),
                source_cells: register.source_cells.as_ref().map_or(Pointer::NULL, |cells| pointer::<_, L>(cells, 0)),
                start: Pointer::NULL,
                centres: Pointer::NULL,
            };
            let args = sweep.register(place, faces.plan.num_slots, faces.plan.ratio);
            // SAFETY: the runs lie along patches of the batch, whose states the lane holds; register and corrections are those of
            // the plans, and every slot belongs to one batch.
            unsafe { buffers.queue.run(&kernel, D, place.table.num_chunks as usize, &args)? };
        }
        Ok(())
    }

    fn of(&self, fine: usize) -> &Register<L> {
        self.registers.get(fine).and_then(Option::as_ref).expect("the coarser level has been swept")
    }

    /// Fetches the sums and the coarse cells at the edge of level `fine`; nothing into an empty slice.
    pub fn fetch(&self, lane: &L, fine: usize, [sums, coarse_cells]: [&mut [u8]; 2]) -> Result<(), CudaError> {
        let register = self.of(fine);
        lane.download(&register.sums, 0, sums)?;
        lane.download(&register.coarse_cells, 0, coarse_cells)
    }

    /// Uploads them again.
    pub fn put(&self, lane: &L, fine: usize, [sums, coarse_cells]: [&[u8]; 2]) -> Result<(), CudaError> {
        let register = self.of(fine);
        lane.upload(sums, &register.sums, 0)?;
        lane.upload(coarse_cells, &register.coarse_cells, 0)
    }

    /// Uploads what the host sends of the coarse cells beside level `fine`.
    pub fn put_source_cells(&self, lane: &L, fine: usize, states: &[u8]) -> Result<(), CudaError> {
        lane.upload(states, self.of(fine).source_cells.as_ref().expect("there are sources"), 0)
    }
}
