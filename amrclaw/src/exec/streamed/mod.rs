//! Sweeps on a GPU over values that stay in the host's memory: the mode of Qin, LeVeque & Motley 2018, §3.
//!
//! Ghost cells, applying the conservation fix and regridding are the CPU executor's. For a sweep a level's patches go to the GPU
//! in batches of neighbours in memory, the largest first; several streams take turns, so that one batch is copied in while
//! another is updated and a third is copied back. The GPU holds a few batches, tables, and what the conservation fix sums up at
//! faces between levels (`fix`): of that the sums alone come back, once a step of the coarser level. A problem may be far larger
//! than its memory.

mod batches;
mod faces;
mod fix;
mod lanes;
mod tables;

use super::device::{
    DeviceSweep, KernelOptions, UpdatePlace, bytes_of, bytes_of_mut, compile, tile_shape, update_name,
};
use super::step::{LevelSweep, Pass, SweepEngine};
use super::{DevicePhase, DeviceUse, ExecError, StepReport, StreamedUse};
use crate::exec::cpu::CpuExecutor;
use crate::fields::PageLock;
use crate::index::Ratio;
use crate::physics::Problem;
use crate::plan::MeshChange;
use cuda::abi::Pointer;
use cuda::amr::PatchReport;
use cuda::compile::Precision;
use cuda::{CudaError, Device, DeviceBuffer, Kernel, PinnedBuffer};
use fix::Fix;
use lanes::{Lane, Lanes, grow, in_level};
use parking_lot::Mutex;
use riemann::patch::PatchSolver;
use riemann::real::Scalar;
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::marker::PhantomData;
use std::sync::Arc;
use std::time::Instant;
use tables::LevelTables;

/// Bytes of q in a batch at most: long enough that a copy's start-up does not count.
const MOST_BATCH_BYTES: usize = 16 << 20;

/// A GPU that updates patches which live in the host's memory.
pub struct Streamed<const D: usize, R> {
    device: Device,
    num_ghost: i32,
    /// The kernels of the run, by name.
    kernels: Vec<(&'static str, Kernel)>,
    conservation_fix: bool,
    batch_bytes: usize,
    state: Mutex<State<D>>,
    numbers: PhantomData<R>,
}

/// What changes from sweep to sweep.
struct State<const D: usize> {
    lanes: Lanes,
    /// Corrections that the sweep of a level keeps.
    kept: DeviceBuffer<u8>,
    /// What was found in each patch of that level.
    found: PinnedBuffer<PatchReport>,
    /// By level and sweep.
    tables: HashMap<[usize; 2], LevelTables<D>>,
    fix: Fix<D>,
    used: StreamedUse,
}

/// Page locks of a device for the arrays of a pool.
struct DeviceLocks(cuda::memory::PageLocks);

impl PageLock for DeviceLocks {
    unsafe fn lock(&self, address: usize, bytes: usize) -> bool {
        // SAFETY: the caller's promise.
        unsafe { self.0.lock(address, bytes) }
    }

    unsafe fn unlock(&self, address: usize) {
        // SAFETY: the caller's promise; sweeps wait for their copies.
        unsafe { self.0.unlock(address) }
    }
}

impl<const D: usize, R: Scalar> Streamed<D, R> {
    /// Opens the device with this number and compiles the kernels of a problem. `memory_limit`: bytes of its memory to use at most.
    ///
    /// # Errors
    /// If driver, GPU or NVRTC are missing, or a kernel does not compile.
    pub fn open(ordinal: usize, options: &KernelOptions, memory_limit: Option<u64>) -> Result<Self, CudaError> {
        let device = Device::open(ordinal, memory_limit)?;
        let kernels = compile(&device, &options.texts())?;
        let kernel = |name: &'static str| find(&kernels, name).clone();
        let (shape, fix) = (&options.shape, options.conservation_fix);
        // Of a limited memory the lanes take half; tables, corrections and the pool's rounding need the rest.
        let of_cell = shape.equations * R::BYTES;
        let of_map = if fix { D * size_of::<u32>() + 1 } else { 0 };
        let per_lane = 2 * of_cell + shape.aux * R::BYTES + of_map;
        let limited = |limit: u64| limit as usize / 2 / lanes::COUNT * of_cell / per_lane;
        let state = State {
            lanes: Lanes::new(&device, memory_limit)?,
            kept: device.buffer(0)?,
            found: device.pinned_buffer(0)?,
            tables: HashMap::new(),
            fix: Fix::new(kernel, fix),
            used: StreamedUse::default(),
        };
        Ok(Streamed {
            num_ghost: shape.num_ghost,
            kernels,
            conservation_fix: fix,
            batch_bytes: memory_limit.map_or(MOST_BATCH_BYTES, |limit| limited(limit).min(MOST_BATCH_BYTES)),
            state: Mutex::new(state),
            device,
            numbers: PhantomData,
        })
    }

    /// The CPU executor with its sweeps on this device.
    pub fn executor(
        self,
        problem: Problem<D>,
        solver: Arc<dyn PatchSolver<R>>,
        ratios: Vec<Ratio<D>>,
        threads: usize,
    ) -> CpuExecutor<D, R> {
        CpuExecutor::with_engine(problem, solver, ratios, threads, Box::new(self))
    }

    fn kernel(&self, axes: [bool; 3], keeps_faces: bool) -> &Kernel {
        find(&self.kernels, update_name(axes, keeps_faces))
    }

    /// Makes tables and room for a sweep, where there are none. Returns the number of lanes to use.
    fn prepare(
        &self,
        state: &mut State<D>,
        context: &LevelSweep<'_, D, R>,
        pass: &Pass<'_, D>,
    ) -> Result<usize, CudaError> {
        let key = [pass.level, pass.number];
        if let Entry::Vacant(place) = state.tables.entry(key) {
            let kernel = self.kernel(context.sweep.axes, self.conservation_fix);
            let shape = tile_shape(&context.sweep, context.num_eqn, Precision::of::<R>());
            let blocks = kernel.blocks_per_multiprocessor(&self.device, shape.threads())?;
            let tiles = (shape, blocks * self.device.info().multiprocessors);
            let made = LevelTables::new(&self.device, context, pass, tiles, self.batch_bytes)?;
            place.insert(made);
        }
        let stream = &state.lanes.all[0].stream;
        state.fix.make_registers::<R>(&self.device, [context.num_eqn, context.num_aux], pass)?;
        let tables = &state.tables[&key];
        grow(&self.device, &mut state.kept, context.num_eqn * tables.num_kept() * R::BYTES, stream)?;
        if state.found.len() < tables.reports.len() {
            state.found = self.device.pinned_buffer(tables.reports.len())?;
        }
        state.lanes.fit(&self.device, tables.largest(R::BYTES))
    }

    /// Queues the update of a batch in a lane, and what it gives the conservation fix.
    fn sweep_batch(
        &self,
        context: &LevelSweep<'_, D, R>,
        pass: &Pass<'_, D>,
        (tables, fix): (&LevelTables<D>, &Fix<D>),
        (number, lane): (usize, &Lane),
        kept: &DeviceBuffer<u8>,
    ) -> Result<(), CudaError> {
        let batch = &tables.batches[number];
        let sweep = DeviceSweep {
            sweeps: pass.sweeps,
            number: pass.number,
            dt: context.dt,
            patches: tables.patches.at(0),
            q: in_level(&lane.q, batch.q.start, R::BYTES),
            aux: in_level(&lane.aux, batch.aux.start, R::BYTES),
            kept: Pointer::new(kept.at(0).address()),
            num_kept: tables.num_kept(),
            num_fine: tables.first_coarse(),
        };
        let faces = lane.face_map(batch);
        let place = UpdatePlace {
            tiles: tables.tiles.at(batch.tiles.start),
            num_tiles: batch.tiles.len() as u32,
            q_next: in_level(&lane.q_next, batch.q.start, R::BYTES),
            reports: tables.reports.at(0),
        };
        let args = sweep.update(place, faces, context.dx, self.num_ghost);
        let update = self.kernel(context.sweep.axes, tables.keeps(number));
        let shape = tile_shape(&context.sweep, context.num_eqn, Precision::of::<R>());
        // SAFETY: the tables are those of this mesh, tiles are disjoint, and the lane's buffers hold the batch.
        unsafe { update.launch(&lane.stream, shape.grid(place.num_tiles), &args)? };
        fix.register(pass.level, &sweep, tables, (number, lane))
    }

    fn run(&self, context: &LevelSweep<'_, D, R>, pass: &Pass<'_, D>) -> Result<StepReport, CudaError> {
        let state = &mut *self.state.lock();
        let num_lanes = self.prepare(state, context, pass)?;
        let State { lanes, kept, found, tables, fix, used } = state;
        let tables = &tables[&[pass.level, pass.number]];
        let start = Instant::now();
        for (n, batch) in tables.batches.iter().enumerate() {
            let lane = &lanes.all[n % num_lanes];
            let reports = batch.patches.clone();
            // SAFETY: the level's arrays are this sweep's until it returns, which waits for all streams; batches are disjoint, and
            // each lane's buffers hold a batch.
            unsafe {
                lane.stream.upload_async(bytes_of(context.input.row(batch.q.start, batch.q.len())), &lane.q, 0)?;
                lane.stream.upload_async(bytes_of(&context.aux[batch.aux.clone()]), &lane.aux, 0)?;
                lane.stream.fill(&tables.reports, reports.start, reports.len(), 0)?;
                let timer = lanes.timers.begin(&self.device, lane)?;
                if tables.keeps(n) {
                    fix.map_faces(tables, (n, lane))?;
                }
                self.sweep_batch(context, pass, (tables, fix), (n, lane), kept)?;
                lanes.timers.end(timer, lane)?;
                let out = context.output.row_mut(batch.q.start, batch.q.len());
                lane.stream.download_async(&lane.q_next, 0, bytes_of_mut(out))?;
                lane.stream.download_async(&tables.reports, reports.start, &mut found[reports])?;
            }
            used.bytes_to_device += ((batch.q.len() + batch.aux.len()) * R::BYTES) as u64;
            used.bytes_to_host += (batch.q.len() * R::BYTES) as u64;
        }
        lanes.all.iter().try_for_each(|lane| lane.stream.synchronize())?;
        used.seconds += start.elapsed().as_secs_f64();
        used.kernel_seconds += lanes.timers.total()?;
        let outcome = |patch: usize| {
            let report = &found[patch];
            StepReport::of(f64::from_bits(report.courant), patch, report.not_finite == 0)
        };
        let swept = tables.batches.iter().flat_map(|batch| batch.patches.clone());
        Ok(swept.map(outcome).fold(StepReport::NONE, StepReport::or))
    }
}

impl<const D: usize, R: Scalar> SweepEngine<D, R> for Streamed<D, R> {
    fn adopt(&self, change: &MeshChange<'_, D>) {
        let state = &mut *self.state.lock();
        // They go before new ones come: their memory is what those take.
        let stays = |level: usize| !(change.replaces_plans(level) || change.replaces_faces(level + 1));
        state.tables.retain(|&[level, _], _| stays(level));
        state.fix.adopt(change);
    }

    fn update_all(&self, context: &LevelSweep<'_, D, R>, pass: &Pass<'_, D>) -> Result<StepReport, ExecError> {
        self.run(context, pass).map_err(|error| {
            // What is still under way must not touch arrays that are about to be dropped.
            let _ = self.device.synchronize();
            ExecError::from(error)
        })
    }

    fn fetch_sums(&self, fine: usize, sums: &mut [R]) -> Result<(), ExecError> {
        let state = &mut *self.state.lock();
        state.used.bytes_to_host += size_of_val(sums) as u64;
        Ok(state.fix.fetch(&state.lanes.all[0].stream, fine, bytes_of_mut(sums))?)
    }

    fn fetch_register(&self, fine: usize, [sums, coarse_cells]: [&mut [R]; 2]) -> Result<(), ExecError> {
        let state = &mut *self.state.lock();
        state.used.bytes_to_host += (size_of_val(sums) + size_of_val(coarse_cells)) as u64;
        let (stream, arrays) = (&state.lanes.all[0].stream, [bytes_of_mut(sums), bytes_of_mut(coarse_cells)]);
        Ok(state.fix.fetch_all(stream, fine, arrays)?)
    }

    fn put_register(&self, fine: usize, [sums, coarse_cells]: [&[R]; 2]) -> Result<(), ExecError> {
        let state = &mut *self.state.lock();
        state.used.bytes_to_device += (size_of_val(sums) + size_of_val(coarse_cells)) as u64;
        let (stream, arrays) = (&state.lanes.all[0].stream, [bytes_of(sums), bytes_of(coarse_cells)]);
        Ok(state.fix.put_all(stream, fine, arrays)?)
    }

    fn locks(&self) -> Box<dyn PageLock> {
        Box::new(DeviceLocks(self.device.page_locks()))
    }

    fn usage(&self) -> DeviceUse {
        let (memory, pinned) = (self.device.memory().statistics(), self.device.pinned().statistics());
        let used = self.state.lock().used;
        let mut seconds = [0.0; DevicePhase::COUNT];
        seconds[DevicePhase::Advance as usize] = used.kernel_seconds;
        DeviceUse { memory, pinned, streamed: Some(used), phase_seconds: Some(seconds) }
    }
}

/// A kernel of the run.
fn find<'a>(kernels: &'a [(&'static str, Kernel)], name: &str) -> &'a Kernel {
    &kernels.iter().find(|(other, _)| *other == name).expect("compiled at the start").1
}
