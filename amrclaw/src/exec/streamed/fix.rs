//! The conservation fix's terms, kept on the device: what `exec/cpu/register.rs` does, batch by batch.
//!
//! The kernels are those of the resident executor: `face_map` goes before a batch's update in its stream and names the faces whose
//! corrections the update keeps, `register_coarse` and `register_fine` follow it while the batch's states are there. States of coarse cells beside finer patches so lie on the device a level ahead, and C1,
//! C2 and C3 are summed up there; the host fetches the sums when it applies the fix.

use super::faces::CHUNK;
use super::lanes::Lane;
use super::tables::LevelTables;
use crate::exec::device::{DeviceSweep, FaceMapPlace, RegisterPlace, axes};
use crate::exec::step::Pass;
use crate::plan::MeshChange;
use cuda::abi::Pointer;
use cuda::amr::kernels::{FACE_MAP, NUMBER_FACES, REGISTER_COARSE, REGISTER_FINE};
use cuda::amr::{FaceMapArgs, NumberFacesArgs};
use cuda::{CudaError, Device, DeviceBuffer, Kernel, Stream};
use riemann::real::Scalar;

/// Terms of the fix between levels, and the kernels that sum them up.
pub(super) struct Fix<const D: usize> {
    /// None if there is no fix.
    kernels: Option<Kernels>,
    /// By the finer level.
    registers: Vec<Option<Register>>,
}

struct Kernels {
    map: Kernel,
    number: Kernel,
    coarse: Kernel,
    fine: Kernel,
}

/// Terms between a level and the next coarser one.
struct Register {
    /// `Σ Δt (fine flux + C1) − Δt coarse flux` per coarse face: `[equation, slot]`.
    sums: DeviceBuffer<u8>,
    /// State and aux of the coarse cell beside each face, per sweep: `[sweep, equation then aux, slot]`.
    coarse_cells: DeviceBuffer<u8>,
}

impl<const D: usize> Fix<D> {
    /// Takes the kernels that it needs from those of a run, if this has a conservation fix.
    pub fn new(kernel: impl Fn(&'static str) -> Kernel, conservation_fix: bool) -> Self {
        let kernels = || Kernels {
            map: kernel(FACE_MAP.row.name),
            number: kernel(NUMBER_FACES.row.name),
            coarse: kernel(REGISTER_COARSE.row.name),
            fine: kernel(REGISTER_FINE.row.name),
        };
        Fix { kernels: conservation_fix.then(kernels), registers: Vec::new() }
    }

    /// Gives the room for terms at faces back that a change replaces.
    pub fn adopt(&mut self, change: &MeshChange<'_, D>) {
        let replaced = self.registers.iter_mut().enumerate().filter(|(fine, _)| change.replaces_faces(*fine));
        replaced.for_each(|(_, register)| *register = None);
    }

    /// Makes room for the terms at the edges of a level and of the next finer one, if there is none.
    pub fn make_registers<R: Scalar>(
        &mut self,
        device: &Device,
        [num_eqn, num_aux]: [usize; 2],
        pass: &Pass<'_, D>,
    ) -> Result<(), CudaError> {
        self.registers.resize_with(pass.plans.len(), || None);
        for fine in [pass.level, pass.level + 1] {
            let Some(plan) = pass.plans.get(fine).and_then(|plans| plans.reflux.as_ref()) else { continue };
            if self.registers[fine].is_some() {
                continue;
            }
            let room = |values: usize| device.buffer(values * plan.num_slots() * R::BYTES);
            let sums = room(num_eqn)?;
            let coarse_cells = room(pass.sweeps.len() * (num_eqn + num_aux))?;
            self.registers[fine] = Some(Register { sums, coarse_cells });
        }
        Ok(())
    }

    /// Queues the map of the faces that a batch's sweep keeps.
    pub fn map_faces(&self, tables: &LevelTables<D>, (number, lane): (usize, &Lane)) -> Result<(), CudaError> {
        let Some(kernels) = &self.kernels else { return Ok(()) };
        let batch = &tables.batches[number];
        lane.stream.fill(&lane.words, 0, batch.map_words() * size_of::<u32>(), 0)?;
        self.mark_faces(kernels, tables, (number, lane), false)?;
        let FaceMapPlace { words, bases, .. } = lane.face_map(batch);
        let count = Pointer::new(lane.words.at(2 * batch.words.len() * size_of::<u32>()).address());
        let args = NumberFacesArgs { patches: tables.patches.at(batch.patches.start), words, bases, count };
        // SAFETY: the lane has room for the map of the batch.
        unsafe { kernels.number.launch(&lane.stream, NUMBER_FACES.grid(batch.patches.len(), D), &args)? };
        self.mark_faces(kernels, tables, (number, lane), true)
    }

    /// Marks the faces of a batch, or notes their slots once they are `numbered`.
    fn mark_faces(
        &self,
        kernels: &Kernels,
        tables: &LevelTables<D>,
        (number, lane): (usize, &Lane),
        numbered: bool,
    ) -> Result<(), CudaError> {
        let FaceMapPlace { words, bases, slots } = lane.face_map(&tables.batches[number]);
        for (faces, fine) in tables.faces.iter().zip([true, false]) {
            let Some(faces) = faces.as_ref().filter(|faces| faces.has_faces(number)) else { continue };
            let chunks = faces.of_batch[number].clone();
            let args = FaceMapArgs {
                runs: faces.runs.at(0),
                chunks: faces.chunks.at(chunks.start),
                patches: tables.patches.at(0),
                words,
                bases,
                slots,
                num_chunks: chunks.len() as u32,
                chunk_cells: CHUNK as u32,
                fine: u32::from(fine),
                first_slot: tables.first_coarse() as u32,
                numbered: u32::from(numbered),
                ratio: axes(faces.plan.ratio.0, 1),
            };
            // SAFETY: the runs lie along patches of the batch; the lane has room for the map of its cells.
            unsafe { kernels.map.launch(&lane.stream, FACE_MAP.grid(chunks.len(), D), &args)? };
        }
        Ok(())
    }

    /// Queues what a batch's sweep gives the fix, behind it in its stream: at its own edge, and as the coarser side of the finer
    /// level's edge.
    pub fn register(
        &self,
        level: usize,
        sweep: &DeviceSweep<'_>,
        tables: &LevelTables<D>,
        (number, lane): (usize, &Lane),
    ) -> Result<(), CudaError> {
        let Some(kernels) = &self.kernels else { return Ok(()) };
        let [own, finer] = &tables.faces;
        let sides =
            [(finer, level + 1, &kernels.coarse, &REGISTER_COARSE), (own, level, &kernels.fine, &REGISTER_FINE)];
        for (faces, fine, kernel, launcher) in sides {
            let (Some(faces), Some(register)) = (faces, self.registers.get(fine).and_then(Option::as_ref)) else {
                continue;
            };
            let chunks = faces.of_batch[number].clone();
            let place = RegisterPlace {
                runs: faces.runs.at(0),
                chunks: faces.chunks.at(chunks.start),
                num_chunks: chunks.len() as u32,
                chunk_cells: CHUNK as u32,
                sums: Pointer::new(register.sums.at(0).address()),
                coarse_cells: Pointer::new(register.coarse_cells.at(0).address()),
            };
            let args = sweep.register(place, &faces.plan);
            // SAFETY: the runs lie along patches of the batch, whose states the lane holds; register and corrections are those of
            // the plans, and every slot belongs to one batch.
            unsafe { kernel.launch(&lane.stream, launcher.grid(chunks.len(), D), &args)? };
        }
        Ok(())
    }

    /// Fetches the sums at the edge of level `fine`.
    pub fn fetch(&self, stream: &Stream, fine: usize, sums: &mut [u8]) -> Result<(), CudaError> {
        let register = self.registers.get(fine).and_then(Option::as_ref).expect("the coarser level has been swept");
        stream.download(&register.sums, 0, sums)
    }

    /// Fetches the sums and the coarse cells at the edge of level `fine`.
    pub fn fetch_all(
        &self,
        stream: &Stream,
        fine: usize,
        [sums, coarse_cells]: [&mut [u8]; 2],
    ) -> Result<(), CudaError> {
        let Some(register) = self.registers.get(fine).and_then(Option::as_ref) else { return Ok(()) };
        stream.download(&register.sums, 0, sums)?;
        stream.download(&register.coarse_cells, 0, coarse_cells)
    }

    /// Sends them back.
    pub fn put_all(&self, stream: &Stream, fine: usize, [sums, coarse_cells]: [&[u8]; 2]) -> Result<(), CudaError> {
        let Some(register) = self.registers.get(fine).and_then(Option::as_ref) else { return Ok(()) };
        stream.upload(sums, &register.sums, 0)?;
        stream.upload(coarse_cells, &register.coarse_cells, 0)
    }
}
