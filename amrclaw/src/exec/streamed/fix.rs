//! The conservation fix's terms, kept on the device: what `exec/cpu/register.rs` does, batch by batch.
//!
//! The kernels are those of the resident executor: `register_coarse` and `register_fine` follow a batch's update in its stream,
//! while the batch's states are there. States of coarse cells beside finer patches so lie on the device a level ahead, and C1,
//! C2 and C3 are summed up there; the host fetches the sums when it applies the fix.

use super::batches::{Batch, LevelTables};
use super::lanes::Lane;
use crate::exec::cpu::update::{Pass, SweepContext};
use crate::exec::cuda::{KernelOptions, face_run, ratios};
use crate::fields::LevelLayout;
use crate::plan::RefluxPlan;
use cuda::abi::{Pointer, Real};
use cuda::compile::Target;
use cuda::regions::{Chunk, FaceRun, Patch, REGISTERS, RegisterArgs};
use cuda::{CudaError, Device, DeviceBuffer, Grid, Kernel, Stream};
use riemann::real::Scalar;
use std::ops::Range;
use std::sync::Arc;

/// Faces of a warp.
const CHUNK: usize = 32;
/// Threads of a block.
const THREADS: u32 = 128;

/// Terms of the fix between levels, and the kernels that sum them up.
pub(super) struct Fix<const D: usize> {
    /// None if there is no fix.
    kernels: Option<Kernels>,
    /// By the finer level.
    registers: Vec<Option<Register<D>>>,
}

struct Kernels {
    coarse: Kernel,
    fine: Kernel,
}

/// Terms between a level and the next coarser one.
struct Register<const D: usize> {
    plan: Arc<RefluxPlan<D>>,
    /// `Σ Δt (fine flux + C1) − Δt coarse flux` per coarse face: `[equation, slot]`.
    sums: DeviceBuffer<u8>,
    /// State and aux of the coarse cell beside each face, per sweep: `[sweep, equation then aux, slot]`.
    coarse_cells: DeviceBuffer<u8>,
}

/// Faces between two levels as one of them sees them: the work on each batch's own.
pub(super) struct FaceTable<const D: usize> {
    pub plan: Arc<RefluxPlan<D>>,
    runs: DeviceBuffer<FaceRun>,
    chunks: DeviceBuffer<Chunk>,
    of_batch: Vec<Range<usize>>,
}

impl<const D: usize> FaceTable<D> {
    /// `fine`: the batches are those of the finer of the plan's two levels.
    pub fn new(
        (device, stream): (&Device, &Stream),
        plan: &Arc<RefluxPlan<D>>,
        batches: &[Batch],
        fine: bool,
    ) -> Result<Self, CudaError> {
        let num_patches = batches.iter().map(|batch| batch.patches.end).max().unwrap_or(0);
        let mut batch_of_patch = vec![0; num_patches];
        for (n, batch) in batches.iter().enumerate() {
            batch_of_patch[batch.patches.clone()].fill(n);
        }
        let mut runs = Vec::with_capacity(plan.runs().all().len());
        let mut chunks = vec![Vec::new(); batches.len()];
        for (number, run) in plan.runs().all().iter().enumerate() {
            let (run, faces) = face_run(run);
            let patch = if fine { run.fine_patch } else { run.coarse_patch };
            let chunk = |first| Chunk { region: number as u32, first: first as u32 };
            chunks[batch_of_patch[patch as usize]].extend((0..faces).step_by(CHUNK).map(chunk));
            runs.push(run);
        }
        let mut start = 0;
        let range = |chunks: &Vec<Chunk>| {
            start += chunks.len();
            start - chunks.len()..start
        };
        let of_batch = chunks.iter().map(range).collect();
        let chunks = chunks.concat();
        let table = FaceTable {
            plan: plan.clone(),
            runs: device.buffer(runs.len())?,
            chunks: device.buffer(chunks.len())?,
            of_batch,
        };
        stream.upload(&runs, &table.runs, 0)?;
        stream.upload(&chunks, &table.chunks, 0)?;
        Ok(table)
    }
}

/// A level's patches as the kernels over faces see them.
pub(super) fn patch_table<const D: usize>(layout: &LevelLayout<D>) -> Vec<Patch> {
    let mut first = 0;
    let entry = |patch: &crate::fields::PatchLayout<D>| {
        let (size, component) = (patch.cells.size(), patch.component());
        first += component as u64;
        Patch {
            first: first - component as u64,
            first_word: 0,
            row: patch.strides().row as i32,
            component: component as i32,
            lo_x: patch.cells.lo[0],
            lo_y: patch.cells.lo.get(1).copied().unwrap_or(0),
            nx: size[0],
            ny: size.get(1).copied().unwrap_or(1),
            padding: 0,
        }
    };
    layout.patches.iter().map(entry).collect()
}

impl<const D: usize> Fix<D> {
    /// Compiles the kernels of a run that has a conservation fix.
    pub fn open(device: &Device, options: &KernelOptions) -> Result<Self, CudaError> {
        let KernelOptions { precision, fused, .. } = *options;
        let target = Target { precision, fused, solver: Some(options.solver.clone()) };
        let kernels = || {
            let module = device.compile(&options.shape.registers(true), &target)?;
            let [coarse, fine] = REGISTERS;
            Ok::<_, CudaError>(Kernels { coarse: module.kernel(coarse)?, fine: module.kernel(fine)? })
        };
        let kernels = options.conservation_fix.then(kernels).transpose()?;
        Ok(Fix { kernels, registers: Vec::new() })
    }

    /// Makes room for the terms at the edges of a level and of the next finer one, if their plans are new.
    pub fn make_registers<R: Scalar>(
        &mut self,
        device: &Device,
        [num_eqn, num_aux]: [usize; 2],
        pass: &Pass<'_, D>,
    ) -> Result<(), CudaError> {
        self.registers.resize_with(pass.plans.len(), || None);
        for fine in [pass.level, pass.level + 1] {
            let Some(plan) = pass.plans.get(fine).and_then(|plans| plans.reflux.as_ref()) else { continue };
            if self.registers[fine].as_ref().is_some_and(|register| Arc::ptr_eq(&register.plan, plan)) {
                continue;
            }
            // The old ones go first: their memory is what the new ones take.
            self.registers[fine] = None;
            let room = |values: usize| device.buffer(values * plan.num_slots() * R::BYTES);
            let sums = room(num_eqn)?;
            let coarse_cells = room(pass.sweeps.len() * (num_eqn + num_aux))?;
            self.registers[fine] = Some(Register { plan: plan.clone(), sums, coarse_cells });
        }
        Ok(())
    }

    /// Queues what a batch's sweep gives the fix, behind it in its stream: as the coarser side of the finer level's edge, and at
    /// its own edge.
    pub fn keep<R: Scalar>(
        &self,
        context: &SweepContext<'_, D, R>,
        pass: &Pass<'_, D>,
        tables: &LevelTables<D>,
        (number, lane): (usize, &Lane),
        taps: &DeviceBuffer<u8>,
    ) -> Result<(), CudaError> {
        let Some(kernels) = &self.kernels else { return Ok(()) };
        let batch = &tables.batches[number];
        // Positions in patches count from the level's array; the lane holds a part of it.
        let whole = |part: &DeviceBuffer<u8>, start: usize| {
            Pointer::<Real>::new(part.at(0).address().wrapping_sub((start * R::BYTES) as u64))
        };
        let bits = |axes: [bool; 3]| (0..D).map(|d| u32::from(axes[d]) << d).sum::<u32>();
        let before = pass.sweeps[..pass.number].iter().map(|sweep| bits(sweep.axes)).fold(0, |a, b| a | b);
        let sides = [(&tables.finer, pass.level + 1, &kernels.coarse), (&tables.own, pass.level, &kernels.fine)];
        for (faces, fine, kernel) in sides {
            let (Some(faces), Some(register)) = (faces, self.registers.get(fine).and_then(Option::as_ref)) else {
                continue;
            };
            debug_assert!(Arc::ptr_eq(&register.plan, &faces.plan), "terms of other faces");
            let chunks = faces.of_batch[number].clone();
            let [ratio_x, ratio_y] = ratios(faces.plan.ratio);
            let args = RegisterArgs {
                runs: faces.runs.at(0),
                chunks: faces.chunks.at(chunks.start),
                patches: tables.face_patches.at(0),
                q: whole(&lane.q, batch.q.start),
                aux: whole(&lane.aux, batch.aux.start),
                taps: Pointer::new(taps.at(0).address()),
                sums: Pointer::new(register.sums.at(0).address()),
                coarse_cells: Pointer::new(register.coarse_cells.at(0).address()),
                dt: context.dt * context.sweep.fraction,
                num_chunks: chunks.len() as u32,
                chunk_cells: CHUNK as u32,
                num_slots: faces.plan.num_slots() as u32,
                tap_stride: context.tap_stride as u32,
                first_tap: tables.own.as_ref().map_or(0, |own| own.plan.num_fine()) as u32,
                sweep: pass.number as u32,
                swept: bits(context.sweep.axes),
                first_sweep: !before,
                ratio_x,
                ratio_y,
            };
            let grid =
                Grid { blocks: [(args.num_chunks * 32).div_ceil(THREADS), 1, 1], threads: THREADS, shared_bytes: 0 };
            // SAFETY: the runs lie along patches of the batch, whose states the lane holds; register and taps are those of the
            // plans, and every slot belongs to one batch.
            unsafe { kernel.launch(&lane.stream, grid, &args)? };
        }
        Ok(())
    }

    /// Fetches the sums at the edge of level `fine`.
    pub fn fetch(&self, stream: &Stream, fine: usize, plan: &RefluxPlan<D>, sums: &mut [u8]) -> Result<(), CudaError> {
        let register = self.registers.get(fine).and_then(Option::as_ref).expect("the coarser level has been swept");
        assert!(std::ptr::eq(&*register.plan, plan), "sums of other faces");
        stream.download(&register.sums, 0, sums)
    }
}
