//! Sweeps on a GPU over values that stay in the host's memory: the mode of Qin, LeVeque & Motley 2018, §3.
//!
//! The CPU executor fills ghost cells, applies the conservation fix and regrids. For a sweep a level's patches go to the GPU in batches of
//! neighbours in memory, the largest first; several streams take turns, so that one batch is copied in while another is updated and a third
//! is copied back. The GPU holds a few batches, tables, and the terms of the conservation fix (`fix`), of which only the sums are copied
//! back, once a step of the coarser level. A problem may be far larger than the GPU's memory.

mod batches;
mod faces;
mod fix;
mod functions;
mod lane;
mod lane_buffers;
mod tables;

pub use lane::{GpuLane, Lane};

use super::device::{DeviceSweep, KernelOptions, UpdatePlace, bytes_of, bytes_of_mut, tile_shape, update_name};
use crate::exec::cpu::CpuExecutor;
use crate::exec::step::{Computes, LevelCells, LevelSweep, Pass, SweepEngine};
use crate::exec::{DevicePhase, DeviceUse, ExecError, StepReport, StreamedUse};
use crate::fields::PageLock;
use crate::index::Ratio;
use crate::physics::Problem;
use crate::plan::MeshChange;
use cuda::CudaError;
use cuda::amr::{LevelView, PatchReport};
use fix::Fix;
use functions::{AllLevelFunctions, Functions};
use lane_buffers::{LaneBuffers, LaneSet};
use parking_lot::Mutex;
use riemann::patch::PatchSolver;
use riemann::real::Precision;
use riemann::real::Scalar;
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::marker::PhantomData;
use std::sync::Arc;
use std::time::Instant;
use tables::LevelTables;

/// Lanes that keep a device and the link to it busy.
pub const LANES: usize = lane_buffers::COUNT;

/// Most bytes of q in a batch: enough that the latency of a copy does not matter.
const MAX_BATCH_BYTES: usize = 16 << 20;

/// A GPU that updates patches which live in the host's memory.
pub struct Streamed<const D: usize, R, L: Lane> {
    functions: Functions<D>,
    /// Equations and auxiliary values.
    components: [usize; 2],
    num_ghost: i32,
    conservation_fix: bool,
    batch_bytes: usize,
    state: Mutex<State<D, L>>,
    numbers: PhantomData<R>,
}

/// What changes from sweep to sweep.
struct State<const D: usize, L: Lane> {
    lane_buffers: LaneSet<L>,
    /// Corrections that the sweep of a level keeps.
    kept: lane_buffers::Buffer<L>,
    /// Reports of the level's patches, copied from the device.
    found: L::Pinned,
    reports: Vec<PatchReport>,
    /// By level and sweep.
    tables: HashMap<[usize; 2], LevelTables<D, L>>,
    fix: Fix<L>,
    functions: AllLevelFunctions<D, L>,
    used: StreamedUse,
}

impl<const D: usize, R: Scalar, L: Lane> Streamed<D, R, L> {
    /// Sweeps in lanes of one device, which has the kernels of a problem. `memory_limit`: bytes of its memory to use at most.
    ///
    /// # Errors
    /// If the device fails.
    pub fn new(
        lanes: Vec<L>,
        options: &KernelOptions,
        (problem, solver): (&Problem<D>, &dyn PatchSolver<R>),
        memory_limit: Option<u64>,
    ) -> Result<Self, CudaError> {
        let (shape, fix) = (&options.shape, options.conservation_fix);
        // The lanes take half of a limited memory; tables, corrections and the pool's rounding need the rest.
        let of_cell = shape.equations * R::BYTES;
        let of_map = if fix { D * size_of::<u32>() + 1 } else { 0 };
        let per_lane = 2 * of_cell + shape.aux * R::BYTES + of_map;
        let limited = |limit: u64| limit as usize / 2 / lanes.len() * of_cell / per_lane;
        let batch_bytes = memory_limit.map_or(MAX_BATCH_BYTES, |limit| limited(limit).min(MAX_BATCH_BYTES));
        let (kept, found) = (lane_buffers::Buffer::none(&lanes[0])?, lanes[0].pinned(0)?);
        let functions = AllLevelFunctions::new(&lanes[0])?;
        let state = State {
            functions,
            lane_buffers: LaneSet::new(lanes, memory_limit)?,
            kept,
            found,
            reports: Vec::new(),
            tables: HashMap::new(),
            fix: Fix::new(fix, shape.sourced),
            used: StreamedUse::default(),
        };
        Ok(Streamed {
            functions: Functions::of(options, problem, solver),
            components: [shape.equations, shape.aux],
            num_ghost: shape.num_ghost,
            conservation_fix: fix,
            batch_bytes,
            state: Mutex::new(state),
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

    /// Makes the tables and allocates the memory of a sweep, where there are none. Returns the number of lanes to use.
    fn prepare(
        &self,
        state: &mut State<D, L>,
        context: &LevelSweep<'_, D, R>,
        pass: &Pass<'_, D>,
    ) -> Result<usize, CudaError> {
        let key = [pass.level, pass.number];
        if let Entry::Vacant(place) = state.tables.entry(key) {
            let lane = state.lane_buffers.first();
            let shape = tile_shape(&context.sweep, context.num_eqn, Precision::of::<R>());
            let kernel = update_name(context.sweep.axes, self.conservation_fix);
            let tiles = (shape, lane.resident_blocks(kernel, shape.threads())?);
            place.insert(LevelTables::new(lane, context, pass, tiles, self.batch_bytes)?);
        }
        let lane = state.lane_buffers.first();
        if pass.beside.aux_at.is_some() {
            self.prepare_functions(&mut state.functions, lane, &pass.cells)?;
        }
        state.fix.make_registers::<D, R>(lane, [context.num_eqn, context.num_aux], pass)?;
        let tables = &state.tables[&key];
        state.kept.grow(lane, context.num_eqn * tables.num_kept() * R::BYTES)?;
        if state.reports.len() < tables.num_patches {
            state.reports.resize(tables.num_patches, PatchReport { courant: 0, not_finite: 0, reverses: 0 });
            state.found = lane.pinned(size_of_val(&*state.reports))?;
        }
        state.lane_buffers.fit(tables.largest(R::BYTES))
    }

    /// Queues the update of a batch in a lane, and its terms of the conservation fix.
    fn sweep_batch(
        &self,
        context: &LevelSweep<'_, D, R>,
        pass: &Pass<'_, D>,
        (tables, fix): (&LevelTables<D, L>, &Fix<L>),
        (number, buffers): (usize, &LaneBuffers<L>),
        kept: &lane_buffers::Buffer<L>,
    ) -> Result<(), CudaError> {
        let batch = &tables.batches[number];
        let sweep = DeviceSweep {
            sweeps: pass.sweeps,
            number: pass.number,
            dt: context.dt,
            free: context.free,
            sharing_faces: context.sharing_faces,
            view: LevelView {
                patches: tables.patches(0),
                q: buffers.q.in_level(batch.q.start, R::BYTES),
                aux: buffers.aux.in_level(batch.aux.start, R::BYTES),
            },
            kept: kept.at(0),
            num_kept: tables.num_kept(),
            num_fine: tables.first_coarse(),
        };
        if let Some(when) = pass.beside.source_before {
            self.apply_sources(&pass.cells, tables, (batch, buffers), (&buffers.q, true), when)?;
        }
        let faces = buffers.face_map(batch);
        let place = UpdatePlace {
            tiles: tables.tiles(batch.tiles.start),
            num_tiles: batch.tiles.len() as u32,
            q_next: buffers.q_next.in_level(batch.q.start, R::BYTES),
            reports: tables.reports(0),
        };
        let args = sweep.update(place, faces, context.dx, self.num_ghost);
        let update = update_name(context.sweep.axes, tables.keeps(number));
        let shape = tile_shape(&context.sweep, context.num_eqn, Precision::of::<R>());
        // SAFETY: the tables are those of this mesh, tiles are disjoint, and the lane's buffers hold the batch.
        unsafe { buffers.queue.launch(update, shape.grid(place.num_tiles), &args)? };
        if let Some(when) = pass.beside.source_after {
            self.apply_sources(&pass.cells, tables, (batch, buffers), (&buffers.q_next, false), when)?;
        }
        fix.register(pass.level, &sweep, tables, (number, buffers))
    }

    fn run(&self, context: &LevelSweep<'_, D, R>, pass: &Pass<'_, D>) -> Result<StepReport, CudaError> {
        let state = &mut *self.state.lock();
        let num_lanes = self.prepare(state, context, pass)?;
        let State { lane_buffers, kept, found, reports, tables, fix, functions, used } = state;
        let tables = &tables[&[pass.level, pass.number]];
        let start = Instant::now();
        for (n, batch) in tables.batches.iter().enumerate() {
            let buffers = &lane_buffers.all[n % num_lanes];
            let lane = &buffers.queue;
            let of_reports = |patch: usize| patch * size_of::<PatchReport>();
            let in_reports = of_reports(batch.patches.start)..of_reports(batch.patches.end);
            // SAFETY: the level's arrays are this sweep's until it returns, which waits for all lanes; batches are disjoint, and
            // each lane's buffers hold a batch.
            unsafe {
                let q = context.input.row(batch.q.start, batch.q.len());
                lane.upload_async(bytes_of(q), &buffers.q.memory, 0)?;
                if pass.beside.aux_at.is_none() {
                    let aux = context.aux.row(batch.aux.start, batch.aux.len());
                    lane.upload_async(bytes_of(aux), &buffers.aux.memory, 0)?;
                    used.bytes_to_device += (batch.aux.len() * R::BYTES) as u64;
                }
                lane.zero(&tables.reports, in_reports.start, in_reports.len())?;
                lane.begin_timing()?;
                if let Some(time) = pass.beside.aux_at {
                    functions.evaluate_aux::<R>(&pass.cells, (n, buffers), time)?;
                }
                if tables.keeps(n) {
                    fix.map_faces(tables, (n, buffers))?;
                }
                self.sweep_batch(context, pass, (tables, fix), (n, buffers), kept)?;
                lane.end_timing()?;
                if pass.beside.aux_at.is_some() {
                    let aux = context.aux.row_mut(batch.aux.start, batch.aux.len());
                    lane.download_async(&buffers.aux.memory, 0, bytes_of_mut(aux))?;
                    used.bytes_to_host += (batch.aux.len() * R::BYTES) as u64;
                }
                let out = context.output.row_mut(batch.q.start, batch.q.len());
                lane.download_async(&buffers.q_next.memory, 0, bytes_of_mut(out))?;
                lane.download_async(&tables.reports, in_reports.start, &mut found[in_reports])?;
            }
            used.bytes_to_device += (batch.q.len() * R::BYTES) as u64;
            used.bytes_to_host += (batch.q.len() * R::BYTES) as u64;
        }
        lane_buffers.wait()?;
        used.seconds += start.elapsed().as_secs_f64();
        for buffers in &lane_buffers.all {
            used.kernel_seconds += buffers.queue.seconds()?;
        }
        let reports = &mut reports[..tables.num_patches];
        let bytes = size_of_val(reports);
        bytes_of_mut(reports).copy_from_slice(&found[..bytes]);
        let outcome = |patch: usize| {
            let report = &reports[patch];
            let of_patch = StepReport::of(f64::from_bits(report.courant), patch, report.not_finite == 0);
            StepReport { reverses: report.reverses != 0, ..of_patch }
        };
        let swept = tables.batches.iter().flat_map(|batch| batch.patches.clone());
        Ok(swept.map(outcome).fold(StepReport::NONE, StepReport::or))
    }
}

impl<const D: usize, R: Scalar, L: Lane> Streamed<D, R, L> {
    /// Returns the outcome of work on the host's arrays; after a failure only when no lane works on them any more.
    fn or_wait<T>(&self, outcome: Result<T, CudaError>) -> Result<T, ExecError> {
        outcome.map_err(|error| {
            // Pending copies must not touch arrays that are about to be dropped.
            let _ = self.state.lock().lane_buffers.wait();
            ExecError::from(error)
        })
    }
}

impl<const D: usize, R: Scalar, L: Lane> SweepEngine<D, R> for Streamed<D, R, L> {
    fn adopt(&self, change: &MeshChange<'_, D>) {
        let state = &mut *self.state.lock();
        // Old tables are dropped before new ones take their memory.
        let stays = |level: usize| !(change.replaces_plans(level) || change.replaces_faces(level + 1));
        state.tables.retain(|&[level, _], _| stays(level));
        let num_levels = change.hierarchy().num_levels();
        state.functions.levels.retain(|&level, _| level < num_levels);
        state.fix.adopt(change);
    }

    fn computes(&self) -> Computes {
        self.functions.computes
    }

    fn fill_aux(&self, cells: &LevelCells<'_, D>, time: f64, aux: &mut [R]) -> Result<bool, ExecError> {
        self.or_wait(self.compute_aux(cells, time, aux))
    }

    fn fill_initial(&self, cells: &LevelCells<'_, D>, time: f64, q: &mut [R]) -> Result<(), ExecError> {
        self.or_wait(self.compute_initial(cells, time, q))
    }

    fn update_all(&self, context: &LevelSweep<'_, D, R>, pass: &Pass<'_, D>) -> Result<StepReport, ExecError> {
        self.or_wait(self.run(context, pass))
    }

    fn fetch_register(&self, fine: usize, [sums, coarse_cells]: [&mut [R]; 2]) -> Result<(), ExecError> {
        let state = &mut *self.state.lock();
        state.used.bytes_to_host += (size_of_val(sums) + size_of_val(coarse_cells)) as u64;
        let (lane, arrays) = (state.lane_buffers.first(), [bytes_of_mut(sums), bytes_of_mut(coarse_cells)]);
        Ok(state.fix.fetch(lane, fine, arrays)?)
    }

    fn put_register(&self, fine: usize, [sums, coarse_cells]: [&[R]; 2]) -> Result<(), ExecError> {
        let state = &mut *self.state.lock();
        state.used.bytes_to_device += (size_of_val(sums) + size_of_val(coarse_cells)) as u64;
        let (lane, arrays) = (state.lane_buffers.first(), [bytes_of(sums), bytes_of(coarse_cells)]);
        Ok(state.fix.put(lane, fine, arrays)?)
    }

    fn put_source_cells(&self, fine: usize, states: &[R]) -> Result<(), ExecError> {
        let state = &mut *self.state.lock();
        state.used.bytes_to_device += size_of_val(states) as u64;
        Ok(state.fix.put_source_cells(state.lane_buffers.first(), fine, bytes_of(states))?)
    }

    fn locks(&self) -> Option<Box<dyn PageLock>> {
        Some(self.state.lock().lane_buffers.first().locks())
    }

    fn set_parameters(&self, values: &[f64]) -> Result<(), ExecError> {
        Ok(self.state.lock().lane_buffers.first().set_parameters(values)?)
    }

    fn usage(&self) -> Option<DeviceUse> {
        let state = self.state.lock();
        let used = state.used;
        let mut seconds = [0.0; DevicePhase::COUNT];
        seconds[DevicePhase::Advance as usize] = used.kernel_seconds;
        Some(DeviceUse { streamed: Some(used), phase_seconds: Some(seconds), ..state.lane_buffers.first().usage() })
    }
}
