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
mod functions;
mod lane;
mod room;
mod tables;

pub use lane::{GpuLane, Lane};

use super::device::{DeviceSweep, KernelOptions, UpdatePlace, bytes_of, bytes_of_mut, tile_shape, update_name};
use super::step::{Computes, LevelCells, LevelSweep, Pass, SweepEngine};
use super::{DevicePhase, DeviceUse, ExecError, StepReport, StreamedUse};
use crate::exec::cpu::CpuExecutor;
use crate::fields::PageLock;
use crate::index::Ratio;
use crate::physics::Problem;
use crate::plan::MeshChange;
use cuda::CudaError;
use cuda::amr::PatchReport;
use cuda::compile::Precision;
use fix::Fix;
use functions::{Functions, OfLevels};
use parking_lot::Mutex;
use riemann::patch::PatchSolver;
use riemann::real::Scalar;
use room::{Room, Rooms};
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::marker::PhantomData;
use std::sync::Arc;
use std::time::Instant;
use tables::LevelTables;

/// Lanes that keep a device and the link to it busy.
pub const LANES: usize = room::COUNT;

/// Bytes of q in a batch at most: long enough that a copy's start-up does not count.
const MOST_BATCH_BYTES: usize = 16 << 20;

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
    rooms: Rooms<L>,
    /// Corrections that the sweep of a level keeps.
    kept: room::Buffer<L>,
    /// What was found in each patch of that level, as it comes and to be read.
    found: L::Pinned,
    reports: Vec<PatchReport>,
    /// By level and sweep.
    tables: HashMap<[usize; 2], LevelTables<D, L>>,
    fix: Fix<L>,
    functions: OfLevels<D, L>,
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
        // Of a limited memory the lanes take half; tables, corrections and the pool's rounding need the rest.
        let of_cell = shape.equations * R::BYTES;
        let of_map = if fix { D * size_of::<u32>() + 1 } else { 0 };
        let per_lane = 2 * of_cell + shape.aux * R::BYTES + of_map;
        let limited = |limit: u64| limit as usize / 2 / lanes.len() * of_cell / per_lane;
        let batch_bytes = memory_limit.map_or(MOST_BATCH_BYTES, |limit| limited(limit).min(MOST_BATCH_BYTES));
        let (kept, found) = (room::Buffer::none(&lanes[0])?, lanes[0].pinned(0)?);
        let functions = OfLevels::new(&lanes[0])?;
        let state = State {
            functions,
            rooms: Rooms::new(lanes, memory_limit)?,
            kept,
            found,
            reports: Vec::new(),
            tables: HashMap::new(),
            fix: Fix::new(fix),
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

    /// Makes tables and room for a sweep, where there are none. Returns the number of lanes to use.
    fn prepare(
        &self,
        state: &mut State<D, L>,
        context: &LevelSweep<'_, D, R>,
        pass: &Pass<'_, D>,
    ) -> Result<usize, CudaError> {
        let key = [pass.level, pass.number];
        if let Entry::Vacant(place) = state.tables.entry(key) {
            let lane = state.rooms.first();
            let shape = tile_shape(&context.sweep, context.num_eqn, Precision::of::<R>());
            let kernel = update_name(context.sweep.axes, self.conservation_fix);
            let tiles = (shape, lane.resident_blocks(kernel, shape.threads())?);
            place.insert(LevelTables::new(lane, context, pass, tiles, self.batch_bytes)?);
        }
        let lane = state.rooms.first();
        if pass.beside.aux_at.is_some() {
            self.prepare_functions(&mut state.functions, lane, &pass.cells)?;
        }
        state.fix.make_registers::<D, R>(lane, [context.num_eqn, context.num_aux], pass)?;
        let tables = &state.tables[&key];
        state.kept.grow(lane, context.num_eqn * tables.num_kept() * R::BYTES)?;
        if state.reports.len() < tables.num_patches {
            state.reports.resize(tables.num_patches, PatchReport { courant: 0, not_finite: 0, padding: 0 });
            state.found = lane.pinned(size_of_val(&*state.reports))?;
        }
        state.rooms.fit(tables.largest(R::BYTES))
    }

    /// Queues the update of a batch in a lane, and what it gives the conservation fix.
    fn sweep_batch(
        &self,
        context: &LevelSweep<'_, D, R>,
        pass: &Pass<'_, D>,
        (tables, fix): (&LevelTables<D, L>, &Fix<L>),
        (number, room): (usize, &Room<L>),
        kept: &room::Buffer<L>,
    ) -> Result<(), CudaError> {
        let batch = &tables.batches[number];
        let sweep = DeviceSweep {
            sweeps: pass.sweeps,
            number: pass.number,
            dt: context.dt,
            patches: tables.patches(0),
            q: room.q.in_level(batch.q.start, R::BYTES),
            aux: room.aux.in_level(batch.aux.start, R::BYTES),
            kept: kept.at(0),
            num_kept: tables.num_kept(),
            num_fine: tables.first_coarse(),
        };
        if let Some(when) = pass.beside.source_before {
            self.apply_sources(&pass.cells, tables, (batch, room), (&room.q, true), when)?;
        }
        let faces = room.face_map(batch);
        let place = UpdatePlace {
            tiles: tables.tiles(batch.tiles.start),
            num_tiles: batch.tiles.len() as u32,
            q_next: room.q_next.in_level(batch.q.start, R::BYTES),
            reports: tables.reports(0),
        };
        let args = sweep.update(place, faces, context.dx, self.num_ghost);
        let update = update_name(context.sweep.axes, tables.keeps(number));
        let shape = tile_shape(&context.sweep, context.num_eqn, Precision::of::<R>());
        // SAFETY: the tables are those of this mesh, tiles are disjoint, and the lane's buffers hold the batch.
        unsafe { room.queue.launch(update, shape.grid(place.num_tiles), &args)? };
        if let Some(when) = pass.beside.source_after {
            self.apply_sources(&pass.cells, tables, (batch, room), (&room.q_next, false), when)?;
        }
        fix.register(pass.level, &sweep, tables, (number, room))
    }

    fn run(&self, context: &LevelSweep<'_, D, R>, pass: &Pass<'_, D>) -> Result<StepReport, CudaError> {
        let state = &mut *self.state.lock();
        let num_lanes = self.prepare(state, context, pass)?;
        let State { rooms, kept, found, reports, tables, fix, functions, used } = state;
        let tables = &tables[&[pass.level, pass.number]];
        let start = Instant::now();
        for (n, batch) in tables.batches.iter().enumerate() {
            let room = &rooms.all[n % num_lanes];
            let lane = &room.queue;
            let of_reports = |patch: usize| patch * size_of::<PatchReport>();
            let in_reports = of_reports(batch.patches.start)..of_reports(batch.patches.end);
            // SAFETY: the level's arrays are this sweep's until it returns, which waits for all lanes; batches are disjoint, and
            // each lane's buffers hold a batch.
            unsafe {
                let q = context.input.row(batch.q.start, batch.q.len());
                lane.upload_async(bytes_of(q), &room.q.memory, 0)?;
                if pass.beside.aux_at.is_none() {
                    let aux = context.aux.row(batch.aux.start, batch.aux.len());
                    lane.upload_async(bytes_of(aux), &room.aux.memory, 0)?;
                    used.bytes_to_device += (batch.aux.len() * R::BYTES) as u64;
                }
                lane.zero(&tables.reports, in_reports.start, in_reports.len())?;
                lane.begin_timing()?;
                if let Some(time) = pass.beside.aux_at {
                    functions.evaluate_aux::<R>(&pass.cells, (n, room), time)?;
                }
                if tables.keeps(n) {
                    fix.map_faces(tables, (n, room))?;
                }
                self.sweep_batch(context, pass, (tables, fix), (n, room), kept)?;
                lane.end_timing()?;
                if pass.beside.aux_at.is_some() {
                    let aux = context.aux.row_mut(batch.aux.start, batch.aux.len());
                    lane.download_async(&room.aux.memory, 0, bytes_of_mut(aux))?;
                    used.bytes_to_host += (batch.aux.len() * R::BYTES) as u64;
                }
                let out = context.output.row_mut(batch.q.start, batch.q.len());
                lane.download_async(&room.q_next.memory, 0, bytes_of_mut(out))?;
                lane.download_async(&tables.reports, in_reports.start, &mut found[in_reports])?;
            }
            used.bytes_to_device += (batch.q.len() * R::BYTES) as u64;
            used.bytes_to_host += (batch.q.len() * R::BYTES) as u64;
        }
        rooms.wait()?;
        used.seconds += start.elapsed().as_secs_f64();
        for room in &rooms.all {
            used.kernel_seconds += room.queue.seconds()?;
        }
        let reports = &mut reports[..tables.num_patches];
        let bytes = size_of_val(reports);
        bytes_of_mut(reports).copy_from_slice(&found[..bytes]);
        let outcome = |patch: usize| {
            let report = &reports[patch];
            StepReport::of(f64::from_bits(report.courant), patch, report.not_finite == 0)
        };
        let swept = tables.batches.iter().flat_map(|batch| batch.patches.clone());
        Ok(swept.map(outcome).fold(StepReport::NONE, StepReport::or))
    }
}

impl<const D: usize, R: Scalar, L: Lane> Streamed<D, R, L> {
    /// What came of work on arrays of the host's; where it failed, nothing is under way any more.
    fn or_wait<T>(&self, outcome: Result<T, CudaError>) -> Result<T, ExecError> {
        outcome.map_err(|error| {
            // What is still under way must not touch arrays that are about to be dropped.
            let _ = self.state.lock().rooms.wait();
            ExecError::from(error)
        })
    }
}

impl<const D: usize, R: Scalar, L: Lane> SweepEngine<D, R> for Streamed<D, R, L> {
    fn adopt(&self, change: &MeshChange<'_, D>) {
        let state = &mut *self.state.lock();
        // They go before new ones come: their memory is what those take.
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

    fn fetch_sums(&self, fine: usize, sums: &mut [R]) -> Result<(), ExecError> {
        let state = &mut *self.state.lock();
        state.used.bytes_to_host += size_of_val(sums) as u64;
        Ok(state.fix.fetch(state.rooms.first(), fine, bytes_of_mut(sums))?)
    }

    fn fetch_register(&self, fine: usize, [sums, coarse_cells]: [&mut [R]; 2]) -> Result<(), ExecError> {
        let state = &mut *self.state.lock();
        state.used.bytes_to_host += (size_of_val(sums) + size_of_val(coarse_cells)) as u64;
        let (lane, arrays) = (state.rooms.first(), [bytes_of_mut(sums), bytes_of_mut(coarse_cells)]);
        Ok(state.fix.fetch_all(lane, fine, arrays)?)
    }

    fn put_register(&self, fine: usize, [sums, coarse_cells]: [&[R]; 2]) -> Result<(), ExecError> {
        let state = &mut *self.state.lock();
        state.used.bytes_to_device += (size_of_val(sums) + size_of_val(coarse_cells)) as u64;
        let (lane, arrays) = (state.rooms.first(), [bytes_of(sums), bytes_of(coarse_cells)]);
        Ok(state.fix.put_all(lane, fine, arrays)?)
    }

    fn locks(&self) -> Box<dyn PageLock> {
        self.state.lock().rooms.first().locks()
    }

    fn usage(&self) -> DeviceUse {
        let state = self.state.lock();
        let used = state.used;
        let mut seconds = [0.0; DevicePhase::COUNT];
        seconds[DevicePhase::Advance as usize] = used.kernel_seconds;
        DeviceUse { streamed: Some(used), phase_seconds: Some(seconds), ..state.rooms.first().usage() }
    }
}
