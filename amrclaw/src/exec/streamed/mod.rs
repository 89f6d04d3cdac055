//! Sweeps on a GPU over values that stay in the host's memory: the mode of Qin, LeVeque & Motley 2018, §3.
//!
//! Ghost cells, applying the conservation fix and regridding are the CPU executor's. For a sweep a level's patches go to the GPU
//! in batches of neighbours in memory, the largest first; several streams take turns, so that one batch is copied in while
//! another is updated and a third is copied back. The GPU holds a few batches, tables, and what the conservation fix sums up at
//! faces between levels (`fix`): of that the sums alone come back, once a step of the coarser level. A problem may be far larger
//! than its memory.

mod batches;
mod fix;
mod lanes;

use super::cpu::update::{Outcome, Pass, SweepContext, SweepEngine, sweeps, swept_scheme};
use super::cuda::KernelOptions;
use super::{DeviceUse, ExecError, StreamedUse};
use crate::fields::PageLock;
use crate::physics::Problem;
use crate::plan::RefluxPlan;
use batches::{Batch, LevelTables};
use cuda::abi::Pointer;
use cuda::compile::{Precision, Target};
use cuda::update::{PatchReport, Taps, UpdateArgs, UpdateKernel, UpdateOptions};
use cuda::{CudaError, Device, DeviceBuffer, PinnedBuffer};
use fix::Fix;
use lanes::{Lane, Lanes, bytes_of, bytes_of_mut, grow};
use parking_lot::Mutex;
use riemann::device_source::DeviceSource;
use riemann::patch::PatchSolver;
use riemann::real::Scalar;
use std::collections::HashMap;
use std::marker::PhantomData;
use std::time::Instant;

/// Bytes of q in a batch at most: long enough that a copy's start-up does not count.
const MOST_BATCH_BYTES: usize = 16 << 20;

/// A GPU that updates patches which live in the host's memory.
pub struct Streamed<const D: usize, R> {
    device: Device,
    num_ghost: i32,
    /// By the axes swept.
    kernels: Vec<(UpdateOptions, UpdateKernel)>,
    batch_bytes: usize,
    state: Mutex<State<D>>,
    numbers: PhantomData<R>,
}

/// What changes from sweep to sweep.
struct State<const D: usize> {
    lanes: Lanes,
    /// Fluxes of the level being swept.
    taps: DeviceBuffer<u8>,
    /// What was found in each patch of that level.
    found: PinnedBuffer<PatchReport>,
    /// By level and sweep.
    tables: HashMap<[usize; 2], LevelTables<D>>,
    fix: Fix<D>,
    used: StreamedUse,
}

/// Page locks of a device for the arrays of a pool.
pub struct DeviceLocks(cuda::memory::PageLocks);

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
    /// Opens a device and compiles the sweeps of a problem. `memory_limit`: bytes of its memory to use at most.
    ///
    /// # Errors
    /// If driver, GPU or NVRTC are missing, or the update does not compile.
    pub fn open(
        problem: &Problem<D>,
        solver: &dyn PatchSolver<R>,
        text: DeviceSource,
        fused: bool,
        memory_limit: Option<u64>,
    ) -> Result<Self, CudaError> {
        let device = Device::open(0, memory_limit)?;
        let scheme = swept_scheme(problem);
        let fix = Fix::open(&device, &KernelOptions::of(problem, solver, text.clone(), fused))?;
        let target = Target { precision: Precision::of::<R>(), fused, solver: Some(text) };
        let mut kernels: Vec<(UpdateOptions, UpdateKernel)> = Vec::new();
        for sweep in sweeps::<D>(problem.split) {
            let axes = [sweep.axes[0], sweep.axes[1]];
            if kernels.iter().all(|(options, _)| options.sweep != axes) {
                let taps = if problem.conservation_fix { Taps::List } else { Taps::None };
                let options = UpdateOptions::of_scheme(&scheme, solver.num_waves(), axes, taps);
                kernels.push((options.clone(), UpdateKernel::new(&device, &options, &target)?));
            }
        }
        // Of a limited memory the lanes take half; tables, fluxes and the pool's rounding need the rest.
        let per_lane = 2 * solver.equations().len() + solver.aux().len();
        let limited = |limit: u64| limit as usize / 2 / lanes::COUNT * solver.equations().len() / per_lane;
        let state = State {
            lanes: Lanes::new(&device, memory_limit)?,
            taps: device.buffer(0)?,
            found: device.pinned_buffer(0)?,
            tables: HashMap::new(),
            fix,
            used: StreamedUse::default(),
        };
        Ok(Streamed {
            num_ghost: problem.num_ghost(),
            kernels,
            batch_bytes: memory_limit.map_or(MOST_BATCH_BYTES, |limit| limited(limit).min(MOST_BATCH_BYTES)),
            state: Mutex::new(state),
            device,
            numbers: PhantomData,
        })
    }

    /// Page locks for the arrays that sweeps copy from and to.
    pub fn locks(&self) -> DeviceLocks {
        DeviceLocks(self.device.page_locks())
    }

    /// Makes tables and room for a sweep, where the last one's do not serve. Returns the number of lanes to use.
    fn prepare(
        &self,
        state: &mut State<D>,
        context: &SweepContext<'_, D, R>,
        pass: &Pass<'_, D>,
        (options, kernel): (&UpdateOptions, &UpdateKernel),
    ) -> Result<usize, CudaError> {
        let key = [pass.level, pass.number];
        if !state.tables.get(&key).is_some_and(|tables| tables.are_of(pass)) {
            // The old tables go first: their memory is what the new ones take.
            state.tables.retain(|&[level, number], _| [level, number] != key && level < pass.plans.len());
            let made = LevelTables::new(&self.device, context, pass, (options, kernel), self.batch_bytes)?;
            state.tables.insert(key, made);
        }
        let stream = &state.lanes.all[0].stream;
        state.fix.make_registers::<R>(&self.device, [context.num_eqn, context.num_aux], pass)?;
        grow(&self.device, &mut state.taps, context.num_eqn * context.tap_stride * R::BYTES, stream)?;
        let tables = &state.tables[&key];
        if state.found.len() < tables.reports.len() {
            state.found = self.device.pinned_buffer(tables.reports.len())?;
        }
        state.lanes.fit(&self.device, tables.largest(R::BYTES))
    }

    fn update_args(
        &self,
        context: &SweepContext<'_, D, R>,
        tables: &LevelTables<D>,
        batch: &Batch,
        lane: &Lane,
        taps: &DeviceBuffer<u8>,
    ) -> UpdateArgs {
        UpdateArgs {
            patches: tables.patches.at(0),
            tiles: tables.tiles.at(batch.tiles.start),
            taps: tables.taps.at(0),
            reports: tables.reports.at(0),
            q: Pointer::new(lane.q.at(0).address()),
            q_next: Pointer::new(lane.q_next.at(0).address()),
            aux: Pointer::new(lane.aux.at(0).address()),
            tap_values: Pointer::new(taps.at(0).address()),
            tap_stride: context.tap_stride as u64,
            map_words: Pointer::NULL,
            map_slots: Pointer::NULL,
            map_cells: 0,
            dt_over_dx: context.dt * context.sweep.fraction / context.dx[0],
            dt_over_dy: context.dt * context.sweep.fraction / context.dx[1],
            num_tiles: batch.tiles.len() as i32,
            num_ghost: self.num_ghost,
        }
    }

    fn run(&self, context: &SweepContext<'_, D, R>, pass: &Pass<'_, D>) -> Result<Outcome, CudaError> {
        let state = &mut *self.state.lock();
        let axes = [context.sweep.axes[0], context.sweep.axes[1]];
        let (options, kernel) = self.kernels.iter().find(|(o, _)| o.sweep == axes).expect("compiled at the start");
        let num_lanes = self.prepare(state, context, pass, (options, kernel))?;
        let State { lanes, taps, found, tables, fix, used } = state;
        let tables = &tables[&[pass.level, pass.number]];
        let start = Instant::now();
        for (n, batch) in tables.batches.iter().enumerate() {
            let lane = &lanes.all[n % num_lanes];
            let reports = batch.patches.clone();
            // SAFETY: the level's arrays are this sweep's until it returns, which waits for all streams; batches are disjoint;
            // the tables are those of this mesh, and each lane's buffers hold a batch.
            unsafe {
                lane.stream.upload_async(bytes_of(context.input.row(batch.q.start, batch.q.len())), &lane.q, 0)?;
                lane.stream.upload_async(bytes_of(&context.aux[batch.aux.clone()]), &lane.aux, 0)?;
                lane.stream.fill(&tables.reports, reports.start, reports.len(), 0)?;
                let timer = lanes.timers.begin(&self.device, lane)?;
                kernel.launch(&lane.stream, &self.update_args(context, tables, batch, lane, taps))?;
                fix.keep(context, pass, tables, (n, lane), taps)?;
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
        let outcome = |(patch, report): (usize, &PatchReport)| {
            Outcome::new(f64::from_bits(report.courant), patch as u32, report.not_finite == 0)
        };
        Ok(found[..tables.reports.len()].iter().enumerate().map(outcome).fold(Outcome::NONE, Outcome::or))
    }
}

impl<const D: usize, R: Scalar> SweepEngine<D, R> for Streamed<D, R> {
    fn update_all(&self, context: &SweepContext<'_, D, R>, pass: &Pass<'_, D>) -> Result<Outcome, ExecError> {
        self.run(context, pass).map_err(|error| {
            // What is still under way must not touch arrays that are about to be dropped.
            let _ = self.device.synchronize();
            ExecError::from(error)
        })
    }

    fn fetch_sums(&self, fine: usize, plan: &RefluxPlan<D>, sums: &mut [R]) -> Result<(), ExecError> {
        let state = &mut *self.state.lock();
        state.used.bytes_to_host += size_of_val(sums) as u64;
        Ok(state.fix.fetch(&state.lanes.all[0].stream, fine, plan, bytes_of_mut(sums))?)
    }

    fn usage(&self) -> DeviceUse {
        let (memory, pinned) = (self.device.memory().statistics(), self.device.pinned().statistics());
        DeviceUse { memory, pinned, streamed: Some(self.state.lock().used) }
    }
}
