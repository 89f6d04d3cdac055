//! Functions of the case that kernels compute, on the patches that lanes have: auxiliary values before a sweep, sources before and after
//! it, and initial data.

use super::Streamed;
use super::batches::{Batch, LaneBytes};
use super::lane::Lane;
use super::lane_buffers::{Buffer, LaneBuffers};
use super::tables::{LevelTables, batches_of};
use crate::exec::gpu::device::{
    EVALUATE_AUX, EVALUATE_INITIAL, EvaluatePlace, FunctionTables, KernelOptions, axes, bytes_of_mut, periodic_bits,
    pointer, sent,
};
use crate::exec::step::{Computes, LevelCells, aux_origins};
use crate::fields::LevelLayout;
use crate::physics::Problem;
use cuda::CudaError;
use cuda::abi::{Plain, Pointer, Real};
use cuda::amr::SourceArgs;
use cuda::amr::kernels::{SOURCE, SOURCE_FUNCTION};
use cuda::amr::tuning::patch_blocks;
use riemann::axis::Axis;
use riemann::patch::PatchSolver;
use riemann::real::Scalar;
use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

/// Which of a problem's functions kernels compute.
pub(super) struct Functions<const D: usize> {
    problem: Problem<D>,
    /// For each auxiliary value the axis whose lower face it lives on.
    aux_faces: Vec<Option<Axis>>,
    pub computes: Computes,
    /// The solver has a source of its own.
    own_source: bool,
    /// Kernels compute the problem's source function.
    source: bool,
}

impl<const D: usize> Functions<D> {
    pub fn of<R: Scalar>(options: &KernelOptions, problem: &Problem<D>, solver: &dyn PatchSolver<R>) -> Self {
        let (functions, own_source) = (&options.functions, solver.has_source());
        let source = functions.source.is_some();
        let computes = Computes {
            initial: functions.initial.is_some(),
            aux: functions.aux.is_some(),
            // Kernels have no physical positions, which the solver's own source is given on a mapped mesh.
            source: problem.own_source_at.is_none() && (source || problem.source.is_none() && own_source),
        };
        Functions { problem: problem.clone(), aux_faces: solver.aux_face().to_vec(), computes, own_source, source }
    }
}

/// What functions of a level's cells need on the device.
pub(super) struct LevelFunctions<const D: usize, L: Lane> {
    /// The layout that they were made for; with another one they are out of date.
    layout: Arc<LevelLayout<D>>,
    batches: Vec<Batch>,
    patches: L::Memory,
    aux: Option<FunctionTables<L::Memory>>,
}

/// Those of all levels, and the word in which kernels mark an invalid value.
pub(super) struct AllLevelFunctions<const D: usize, L: Lane> {
    pub levels: HashMap<usize, LevelFunctions<D, L>>,
    refused: Buffer<L>,
}

impl<const D: usize, L: Lane> AllLevelFunctions<D, L> {
    pub fn new(lane: &L) -> Result<Self, CudaError> {
        let mut refused = Buffer::none(lane)?;
        refused.grow(lane, size_of::<u64>())?;
        Ok(AllLevelFunctions { levels: HashMap::new(), refused })
    }

    /// Queues the auxiliary values of a batch at a time.
    pub fn evaluate_aux<R: Scalar>(
        &self,
        cells: &LevelCells<'_, D>,
        (number, buffers): (usize, &LaneBuffers<L>),
        t: f64,
    ) -> Result<(), CudaError> {
        let level = &self.levels[&cells.level];
        let aux = buffers.aux.in_level(level.batches[number].aux.start, R::BYTES);
        let tables = level.aux.as_ref().expect("made before");
        self.evaluate((buffers, EVALUATE_AUX), tables, number, self.place(level, cells, [aux, aux], t))
    }

    fn place(
        &self,
        level: &LevelFunctions<D, L>,
        cells: &LevelCells<'_, D>,
        [out, aux]: [Pointer<Real>; 2],
        t: f64,
    ) -> EvaluatePlace {
        let (patches, refused) = (pointer::<_, L>(&level.patches, 0), self.refused.at(0));
        EvaluatePlace { patches, out, aux, refused, level: cells.geometry.in_space().into(), t }
    }

    fn evaluate(
        &self,
        (buffers, kernel): (&LaneBuffers<L>, &'static str),
        tables: &FunctionTables<L::Memory>,
        number: usize,
        place: EvaluatePlace,
    ) -> Result<(), CudaError> {
        // SAFETY: the tables are the level's, and the lane has room for the batch.
        unsafe { tables.evaluate((&buffers.queue, kernel, D), number, place) }
    }

    /// True if a kernel has found an invalid value since the last call.
    fn is_refused(&self, lane: &L) -> Result<bool, CudaError> {
        let mut word = [0_u64];
        lane.download(&self.refused.memory, 0, bytes_of_mut(&mut word))?;
        if word[0] != 0 {
            lane.zero(&self.refused.memory, 0, size_of::<u64>())?;
            lane.wait()?;
        }
        Ok(word[0] != 0)
    }
}

/// The patches of batches.
fn groups(batches: &[Batch]) -> Vec<Range<usize>> {
    batches.iter().map(|batch| batch.patches.clone()).collect()
}

impl<const D: usize, R: Scalar, L: Lane> Streamed<D, R, L> {
    /// Makes what functions of a level's cells need, if that has not been done.
    pub(super) fn prepare_functions(
        &self,
        of_levels: &mut AllLevelFunctions<D, L>,
        lane: &L,
        cells: &LevelCells<'_, D>,
    ) -> Result<(), CudaError> {
        let known = of_levels.levels.get(&cells.level);
        if known.is_some_and(|known| Arc::ptr_eq(&known.layout, cells.layout)) {
            return Ok(());
        }
        let (batches, patches) = batches_of(cells.layout, self.components, R::BYTES, self.batch_bytes);
        let Functions { problem, aux_faces, computes, .. } = &self.functions;
        let tables = || {
            let origins = aux_origins(problem, aux_faces, cells.mesh);
            FunctionTables::of_aux(cells.layout, &groups(&batches), (&origins, aux_faces), lane)
        };
        let aux = computes.aux.then(tables).transpose()?;
        let (layout, patches) = (cells.layout.clone(), sent(lane, &patches)?);
        // Other lanes read what a kernel of this one has listed.
        lane.wait()?;
        of_levels.levels.insert(cells.level, LevelFunctions { layout, batches, patches, aux });
        Ok(())
    }

    /// Allocates memory for the largest of a level's batches and for functions. Returns the number of lanes to use.
    fn make_room(&self, state: &mut super::State<D, L>, cells: &LevelCells<'_, D>) -> Result<usize, CudaError> {
        self.prepare_functions(&mut state.functions, state.lane_buffers.first(), cells)?;
        let batches = &state.functions.levels[&cells.level].batches;
        let largest = |len: fn(&Batch) -> usize| batches.iter().map(len).max().unwrap_or(0) * R::BYTES;
        let (q, aux) = (largest(|batch| batch.q.len()), largest(|batch| batch.aux.len()));
        state.lane_buffers.fit(LaneBytes { q, aux, words: 0, slots: 0 })
    }

    /// See [`SweepEngine::fill_aux`](crate::exec::step::SweepEngine).
    pub(super) fn compute_aux(&self, cells: &LevelCells<'_, D>, t: f64, aux: &mut [R]) -> Result<bool, CudaError> {
        let state = &mut *self.state.lock();
        let num_lanes = self.make_room(state, cells)?;
        for (n, batch) in state.functions.levels[&cells.level].batches.iter().enumerate() {
            let buffers = &state.lane_buffers.all[n % num_lanes];
            state.functions.evaluate_aux::<R>(cells, (n, buffers), t)?;
            // SAFETY: the array is borrowed until all lanes have been waited for.
            unsafe { buffers.queue.download_async(&buffers.aux.memory, 0, bytes_of_mut(&mut aux[batch.aux.clone()]))? };
            state.used.bytes_to_host += (batch.aux.len() * R::BYTES) as u64;
        }
        state.lane_buffers.wait()?;
        let checks = !self.functions.problem.positive_aux.is_empty();
        Ok(!(checks && state.functions.is_refused(state.lane_buffers.first())?))
    }

    /// See [`SweepEngine::fill_initial`](crate::exec::step::SweepEngine). The host checks afterwards whether the states are allowed.
    pub(super) fn compute_initial(&self, cells: &LevelCells<'_, D>, t: f64, q: &mut [R]) -> Result<(), CudaError> {
        let state = &mut *self.state.lock();
        let num_lanes = self.make_room(state, cells)?;
        let level = &state.functions.levels[&cells.level];
        let tables = FunctionTables::of_cells(
            cells.layout,
            &groups(&level.batches),
            |patch| vec![(patch.cells, [0; D])],
            state.lane_buffers.first(),
        )?;
        state.lane_buffers.first().wait()?;
        for (n, batch) in level.batches.iter().enumerate() {
            let buffers = &state.lane_buffers.all[n % num_lanes];
            let (out, aux) =
                (buffers.q.in_level(batch.q.start, R::BYTES), buffers.aux.in_level(batch.aux.start, R::BYTES));
            let place = state.functions.place(level, cells, [out, aux], t);
            state.functions.evaluate((buffers, EVALUATE_INITIAL), &tables, n, place)?;
            // SAFETY: likewise.
            unsafe { buffers.queue.download_async(&buffers.q.memory, 0, bytes_of_mut(&mut q[batch.q.clone()]))? };
            state.used.bytes_to_host += (batch.q.len() * R::BYTES) as u64;
        }
        state.lane_buffers.wait()?;
        state.functions.is_refused(state.lane_buffers.first())?;
        Ok(())
    }

    /// Queues the source terms of a batch from a time and for a duration, for ghost cells too if `ghosts`.
    pub(super) fn apply_sources(
        &self,
        cells: &LevelCells<'_, D>,
        tables: &LevelTables<D, L>,
        (batch, buffers): (&Batch, &LaneBuffers<L>),
        (q, ghosts): (&Buffer<L>, bool),
        [t, dt]: [f64; 2],
    ) -> Result<(), CudaError> {
        let q = q.in_level(batch.q.start, R::BYTES);
        let patches = batch.patches.len();
        let blocks_per_patch = patch_blocks(patches, batch.cells.len());
        let args = SourceArgs {
            patches: tables.patches(batch.patches.start),
            from: q,
            to: q,
            aux: buffers.aux.in_level(batch.aux.start, R::BYTES),
            reports: tables.reports(batch.patches.start),
            level: cells.geometry.in_space().into(),
            domain: axes(cells.mesh.domain().hi, 1),
            periodic: periodic_bits(cells.mesh),
            t,
            dt,
            ghosts: u32::from(ghosts),
            blocks_per_patch,
            num_blocks: patches as u32 * blocks_per_patch,
            ..SourceArgs::ZERO
        };
        let Functions { own_source, source, .. } = self.functions;
        for (kernel, acts) in [(SOURCE, own_source), (SOURCE_FUNCTION, source)] {
            if acts {
                // SAFETY: the lane has the batch's states; each cell has one thread.
                unsafe { buffers.queue.run(&kernel, D, patches * blocks_per_patch as usize, &args)? };
            }
        }
        Ok(())
    }
}
