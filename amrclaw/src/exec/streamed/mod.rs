//! Sweeps on a GPU over values that stay in the host's memory: the mode of Qin, LeVeque & Motley 2018, §3.
//!
//! Ghost cells, conservation fix and regridding are the CPU executor's. For a sweep a level's patches go to the GPU in
//! batches of neighbours in memory, the largest first; several streams take turns, so that one batch is copied in while another
//! is updated and a third is copied back. The GPU holds a few batches, the level's fluxes at coarse–fine faces and its
//! tables: a problem may be far larger than its memory.

mod batches;

use super::ExecError;
use super::cpu::update::{Outcome, SweepContext, SweepEngine, sweeps, swept_scheme};
use crate::fields::PageLock;
use crate::mesh::MeshEpoch;
use crate::physics::Problem;
use crate::plan::LevelPlans;
use batches::LevelTables;
use cuda::abi::Pointer;
use cuda::compile::{Precision, Target};
use cuda::update::{PatchReport, Taps, UpdateArgs, UpdateKernel, UpdateOptions};
use cuda::{CudaError, Device, DeviceBuffer, Stream};
use parking_lot::Mutex;
use riemann::device_source::DeviceSource;
use riemann::patch::PatchSolver;
use riemann::real::Scalar;
use std::collections::HashMap;
use std::marker::PhantomData;

/// Batches that are under way at once: one copied in, one updated, one copied back, one to begin with.
const LANES: usize = 4;
/// Bytes of q in a batch, if the memory allows: long enough that a copy's start-up does not count.
const BATCH_BYTES: usize = 16 << 20;

/// A GPU that updates patches which live in the host's memory.
pub struct Streamed<const D: usize, R> {
    device: Device,
    num_ghost: i32,
    /// By the axes swept.
    kernels: Vec<(UpdateOptions, UpdateKernel)>,
    batch_bytes: usize,
    memory_limit: Option<u64>,
    state: Mutex<State>,
    numbers: PhantomData<R>,
}

/// What changes from sweep to sweep.
struct State {
    lanes: Vec<Lane>,
    /// Fluxes of the level being swept.
    taps: DeviceBuffer<u8>,
    /// By level and sweep, with the epoch that they were made for.
    tables: HashMap<[usize; 2], (MeshEpoch, LevelTables)>,
}

/// One of the streams that take turns, with room for a batch.
struct Lane {
    stream: Stream,
    q: DeviceBuffer<u8>,
    q_next: DeviceBuffer<u8>,
    aux: DeviceBuffer<u8>,
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
        let lane = || {
            Ok::<_, CudaError>(Lane {
                stream: device.stream()?,
                q: device.buffer(0)?,
                q_next: device.buffer(0)?,
                aux: device.buffer(0)?,
            })
        };
        let lanes = (0..LANES).map(|_| lane()).collect::<Result<_, _>>()?;
        // Of a limited memory the lanes take half; tables, fluxes and the pool's rounding need the rest.
        let per_lane = 2 * solver.equations().len() + solver.aux().len();
        let limited = memory_limit.map(|limit| limit as usize / 2 / LANES * solver.equations().len() / per_lane);
        let state = State { lanes, taps: device.buffer(0)?, tables: HashMap::new() };
        Ok(Streamed {
            num_ghost: problem.num_ghost(),
            kernels,
            batch_bytes: limited.map_or(BATCH_BYTES, |bytes| bytes.min(BATCH_BYTES)),
            memory_limit,
            state: Mutex::new(state),
            device,
            numbers: PhantomData,
        })
    }

    /// Page locks for the arrays that sweeps copy from and to.
    pub fn locks(&self) -> DeviceLocks {
        DeviceLocks(self.device.page_locks())
    }

    /// Gives as many lanes as fit the memory room for the largest batch; at least one. Returns how many.
    fn fit_lanes(&self, lanes: &mut [Lane], tables: &LevelTables) -> Result<usize, CudaError> {
        let largest = |len: fn(&batches::Batch) -> usize| tables.batches.iter().map(len).max().unwrap_or(0) * R::BYTES;
        let (q, aux) = (largest(|batch| batch.q.len()), largest(|batch| batch.aux.len()));
        let fitting = |limit: u64| limit as usize * 3 / 4 / (2 * q + aux).max(1);
        let count = self.memory_limit.map_or(LANES, fitting).clamp(1, LANES);
        if lanes[..count].iter().any(|lane| lane.q.len() < q || lane.aux.len() < aux) {
            // All go before any comes, so that the memory is in one piece again.
            for buffer in lanes.iter_mut().flat_map(|lane| [&mut lane.q, &mut lane.q_next, &mut lane.aux]) {
                *buffer = self.device.buffer(0)?;
            }
            for lane in &mut lanes[..count] {
                for (buffer, bytes) in [(&mut lane.q, q), (&mut lane.q_next, q), (&mut lane.aux, aux)] {
                    grow(&self.device, buffer, bytes, &lane.stream)?;
                }
            }
        }
        Ok(count)
    }

    fn run(
        &self,
        context: &SweepContext<'_, D, R>,
        level: usize,
        number: usize,
        plans: &LevelPlans<D>,
    ) -> Result<Outcome, CudaError> {
        let state = &mut *self.state.lock();
        let axes = [context.sweep.axes[0], context.sweep.axes[1]];
        let (options, kernel) = self.kernels.iter().find(|(o, _)| o.sweep == axes).expect("compiled at the start");
        let tables = &mut state.tables;
        if tables.get(&[level, number]).is_none_or(|(epoch, _)| *epoch != plans.epoch) {
            // The old tables go first: their memory is what the new ones take.
            tables.remove(&[level, number]);
            let made = LevelTables::new(&self.device, context, plans, (options, kernel), self.batch_bytes)?;
            tables.insert([level, number], (plans.epoch, made));
        }
        let tables = &tables[&[level, number]].1;
        let tap_bytes = context.num_eqn * context.tap_stride * R::BYTES;
        grow(&self.device, &mut state.taps, tap_bytes, &state.lanes[0].stream)?;
        state.lanes[0].stream.fill(&tables.reports, 0, tables.reports.len(), 0)?;
        state.lanes[0].stream.synchronize()?;
        let lanes = self.fit_lanes(&mut state.lanes, tables)?;
        for (n, batch) in tables.batches.iter().enumerate() {
            let lane = &mut state.lanes[n % lanes];
            let aux_bytes = batch.aux.len() * R::BYTES;
            let args = UpdateArgs {
                patches: tables.patches.at(0),
                tiles: tables.tiles.at(batch.tiles.start),
                taps: tables.taps.at(0),
                reports: tables.reports.at(0),
                q: Pointer::new(lane.q.at(0).address()),
                q_next: Pointer::new(lane.q_next.at(0).address()),
                aux: Pointer::new(lane.aux.at(0).address()),
                tap_values: Pointer::new(state.taps.at(0).address()),
                tap_stride: context.tap_stride as u64,
                map_words: Pointer::NULL,
                map_slots: Pointer::NULL,
                map_cells: 0,
                dt_over_dx: context.dt * context.sweep.fraction / context.dx[0],
                dt_over_dy: context.dt * context.sweep.fraction / context.dx[1],
                num_tiles: batch.tiles.len() as i32,
                num_ghost: self.num_ghost,
            };
            // SAFETY: the level's arrays are this sweep's until it returns, which waits for all streams; batches are disjoint;
            // the tables are those of this mesh, and each lane's buffers hold a batch.
            unsafe {
                lane.stream.upload_async(bytes_of(context.input.row(batch.q.start, batch.q.len())), &lane.q, 0)?;
                if aux_bytes > 0 {
                    lane.stream.upload_async(bytes_of(&context.aux[batch.aux.clone()]), &lane.aux, 0)?;
                }
                kernel.launch(&lane.stream, &args)?;
                let out = context.output.row_mut(batch.q.start, batch.q.len());
                lane.stream.download_async(&lane.q_next, 0, bytes_of_mut(out))?;
            }
        }
        state.lanes.iter().try_for_each(|lane| lane.stream.synchronize())?;
        if tap_bytes > 0 {
            // SAFETY: the fluxes are this sweep's alone.
            let taps = unsafe { context.taps.row_mut(0, context.num_eqn * context.tap_stride) };
            state.lanes[0].stream.download(&state.taps, 0, bytes_of_mut(taps))?;
        }
        let mut reports = vec![PatchReport { courant: 0, not_finite: 0, padding: 0 }; tables.reports.len()];
        state.lanes[0].stream.download(&tables.reports, 0, &mut reports)?;
        let found = |(patch, report): (usize, &PatchReport)| Outcome {
            courant: f64::from_bits(report.courant),
            patch: patch as u32,
            finite: report.not_finite == 0,
        };
        Ok(reports.iter().enumerate().map(found).fold(Outcome::NONE, Outcome::or))
    }
}

impl<const D: usize, R: Scalar> SweepEngine<D, R> for Streamed<D, R> {
    fn update_all(
        &self,
        context: &SweepContext<'_, D, R>,
        level: usize,
        number: usize,
        plans: &LevelPlans<D>,
    ) -> Result<Outcome, ExecError> {
        self.run(context, level, number, plans).map_err(|error| {
            // What is still under way must not touch arrays that are about to be dropped.
            let _ = self.device.synchronize();
            ExecError::from(error)
        })
    }

    fn memory_bytes(&self) -> usize {
        self.device.memory().statistics().held as usize
    }

    fn allocations(&self) -> u64 {
        self.device.memory().statistics().driver_allocations
    }
}

/// Makes a buffer larger if it has to be; what it held is lost.
fn grow(device: &Device, buffer: &mut DeviceBuffer<u8>, bytes: usize, stream: &Stream) -> Result<(), CudaError> {
    if buffer.len() < bytes {
        stream.synchronize()?;
        *buffer = device.buffer(0)?;
        *buffer = device.buffer(bytes)?;
        // Ghost cells of new states are copied back, and written by nobody before.
        stream.fill(buffer, 0, bytes, 0)?;
    }
    Ok(())
}

fn bytes_of<R: Scalar>(numbers: &[R]) -> &[u8] {
    // SAFETY: any number is so many bytes.
    unsafe { std::slice::from_raw_parts(numbers.as_ptr().cast(), std::mem::size_of_val(numbers)) }
}

fn bytes_of_mut<R: Scalar>(numbers: &mut [R]) -> &mut [u8] {
    // SAFETY: likewise, and any bytes are a number.
    unsafe { std::slice::from_raw_parts_mut(numbers.as_mut_ptr().cast(), std::mem::size_of_val(numbers)) }
}
