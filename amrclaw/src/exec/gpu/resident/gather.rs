//! Numbers that the host reads from the device: outcomes of steps, totals, values at points, snapshots.

use super::{Machine, ResidentExecutor};
use crate::exec::cpu::failure::Searched;
use crate::exec::gpu::device::{TableBuilder, axes, bytes_of_mut, pointer, region};
use crate::exec::step::{agree, stages_left};
use crate::exec::{CellInPatch, ExecError, LevelState, Outcomes, Reduction, StepReport};
use crate::index::{CellBox, Level};
use crate::mesh::Surroundings;
use crate::plan::LevelPlans;
use cuda::CudaError;
use cuda::abi::Pointer;
use cuda::amr::kernels::{GATHER_CELLS, SAMPLE, TOTALS};
use cuda::amr::{self, GatherArgs, PatchReport, SampleArgs, TotalsArgs};

/// Initial capacity for reports of patches, which stay on the device until the driver collects them or the capacity is reached. A
/// level of more patches increases it.
const REPORTS: usize = 1 << 16;
/// Capacity for the numbers of samples.
const MAX_SAMPLES: usize = 1 << 14;
const REPORT: usize = size_of::<PatchReport>();

/// Outcomes of steps and samples, on the device until the driver collects them.
pub(super) struct Reports<N: Machine> {
    /// The first is no patch's: in place of its Courant number kernels [note](Self::refused) refused states.
    reports: N::Memory,
    /// Reports that there is room for.
    room: usize,
    /// What has been fetched of that first one.
    refused: u64,
    samples: N::Memory,
    num_eqn: usize,
    /// Pending steps: their first report, their number of patches, and what the host has found.
    waiting: Vec<(usize, usize, StepReport)>,
    num_samples: usize,
    /// Number of leading reports that may have been written since they were zero.
    written: usize,
    /// All pending steps and samples were enqueued before the device's last mark.
    marked: bool,
    /// Outcomes that have been fetched but not collected.
    fetched: Outcomes,
    host_reports: Vec<PatchReport>,
}

impl<N: Machine> Reports<N> {
    pub fn new(machine: &N, num_eqn: usize) -> Result<Self, CudaError> {
        let reports = machine.allocate(REPORTS * REPORT)?;
        machine.zero(&reports, 0, REPORTS * REPORT)?;
        Ok(Reports {
            reports,
            room: REPORTS,
            refused: 0,
            samples: machine.allocate(MAX_SAMPLES * 8)?,
            num_eqn,
            waiting: Vec::new(),
            num_samples: 0,
            written: 1,
            marked: false,
            fetched: Outcomes::default(),
            host_reports: Vec::new(),
        })
    }

    /// Room for the reports of a step, all zero.
    pub fn begin(&mut self, machine: &N, patches: usize) -> Result<Pointer<PatchReport>, CudaError> {
        if self.waiting.is_empty() && self.written > 1 {
            machine.zero(&self.reports, REPORT, (self.written - 1) * REPORT)?;
            self.written = 1;
        }
        if self.end() + patches > self.room {
            self.fetch(machine)?;
            if 1 + patches > self.room {
                self.room = (1 + patches).next_power_of_two();
                self.reports = machine.allocate(self.room * REPORT)?;
                self.written = self.room;
            }
            machine.zero(&self.reports, 0, self.written * REPORT)?;
            self.written = 1;
        }
        let first = self.end();
        self.waiting.push((first, patches, StepReport::NONE));
        self.marked = false;
        self.written = self.written.max(first + patches);
        Ok(pointer::<_, N>(&self.reports, first * REPORT))
    }

    /// Behind the last pending report.
    fn end(&self) -> usize {
        self.waiting.last().map_or(1, |(first, patches, _)| first + patches)
    }

    /// Where kernels note levels and patches with states that are not finite or not allowed: see `kernels/patch.cuh`.
    pub fn refused(&self) -> Pointer<u64> {
        pointer::<_, N>(&self.reports, 0)
    }

    /// The level and the patch that kernels have refused, as far as that has been fetched.
    pub fn take_refused(&mut self) -> Option<(Level, usize)> {
        let found = std::mem::take(&mut self.refused);
        (found != 0).then(|| (Level((256 - (found >> 32)) as u8), !(found as u32) as usize))
    }

    /// Later work than that before the last mark has outcomes too.
    pub fn expect_more(&mut self) {
        self.marked = false;
    }

    /// Notes what the host has found in the step begun last.
    pub fn note(&mut self, found: StepReport) {
        if let Some((.., known)) = self.waiting.last_mut() {
            *known = known.or(found);
        }
    }

    /// Marks where the work ends that the next fetch must wait for.
    pub fn mark(&mut self, machine: &N) -> Result<(), CudaError> {
        if !self.marked {
            machine.mark()?;
            self.marked = true;
        }
        Ok(())
    }

    /// Discards all outcomes that have not been collected.
    pub fn forget(&mut self, machine: &N) -> Result<(), CudaError> {
        self.waiting.clear();
        self.num_samples = 0;
        self.fetched.clear();
        self.refused = 0;
        machine.zero(&self.reports, 0, REPORT)
    }

    /// Waits for the outcomes so far, and reads them.
    fn fetch(&mut self, machine: &N) -> Result<(), CudaError> {
        let used = self.end();
        self.host_reports.clear();
        self.host_reports.resize(used, PatchReport { courant: 0, not_finite: 0, reverses: 0 });
        self.mark(machine)?;
        machine.download_marked(&self.reports, 0, bytes_of_mut(&mut self.host_reports))?;
        let refused = self.host_reports[0].courant;
        if refused != 0 {
            machine.zero(&self.reports, 0, REPORT)?;
            self.refused = self.refused.max(refused);
        }
        for (first, patches, mut report) in self.waiting.drain(..) {
            for (patch, found) in self.host_reports[first..][..patches].iter().enumerate() {
                let courant = f64::from_bits(found.courant);
                if courant > report.courant {
                    (report.courant, report.patch) = (courant, patch);
                }
                report.reverses |= found.reverses != 0;
                if found.not_finite != 0 {
                    report.broken = Some(report.broken.map_or(patch, |first| first.min(patch)));
                }
            }
            self.fetched.steps.push(report);
        }
        let start = self.fetched.samples.len();
        self.fetched.samples.resize(start + self.num_samples, 0.0);
        if self.num_samples > 0 {
            machine.download_marked(&self.samples, 0, bytes_of_mut(&mut self.fetched.samples[start..]))?;
            self.num_samples = 0;
        }
        Ok(())
    }

    /// Appends the outcomes of steps and samples.
    pub fn collect(&mut self, machine: &N, outcomes: &mut Outcomes) -> Result<(), CudaError> {
        self.fetch(machine)?;
        self.fetched.drain_into(outcomes);
        Ok(())
    }

    /// Room for a sample.
    fn sample(&mut self, machine: &N) -> Result<Pointer<f64>, CudaError> {
        if self.num_samples + self.num_eqn > MAX_SAMPLES {
            self.fetch(machine)?;
        }
        let place = pointer::<_, N>(&self.samples, self.num_samples * 8);
        self.num_samples += self.num_eqn;
        self.marked = false;
        Ok(place)
    }
}

/// The rows of boxes of cells, which totals sum up.
fn in_rows<const D: usize>(boxes: &[CellBox<D>]) -> impl Iterator<Item = CellBox<D>> {
    let rows = |cells: &CellBox<D>| {
        let end = cells.hi[0];
        cells.rows().map(move |lo| {
            let mut row = CellBox::cell(lo);
            row.hi[0] = end;
            row
        })
    };
    boxes.iter().flat_map(rows)
}

impl<const D: usize, N: Machine> ResidentExecutor<D, N> {
    pub(super) fn sample_patch(&mut self, level: Level, patch: usize, position: [f64; D]) -> Result<(), ExecError> {
        if !self.ranks.is_solo() {
            let is_local = self.levels[level.index()].layout.patches[patch].is_local;
            self.unshared.sampled.push(is_local);
            if !is_local {
                return Ok(());
            }
        }
        let out = self.reports.sample(&self.machine)?;
        let store = &self.levels[level.index()];
        let layout = &store.layout.patches[patch];
        let (first, weights) = match self.on_mesh {
            // The values of the cell alone.
            Some(_) => (store.geometry.cell_at(position), [1.0; 8]),
            None => {
                let Surroundings { cells, weights } = store.geometry.around(position, &layout.with_ghosts());
                (cells.lo, weights)
            }
        };
        let local: [i32; D] = std::array::from_fn(|d| first[d] - layout.cells.lo[d]);
        let args = SampleArgs { view: store.view(), out, weights, patch: patch as u32, cell: axes(local, 0) };
        // SAFETY: the cells around the point lie in the patch and its ghost cells; there is room for the values.
        unsafe { self.machine.run(&SAMPLE, D, self.sizes.num_eqn, &args)? };
        Ok(())
    }

    pub(super) fn level_totals(&self, level: Level, finer: Option<&LevelPlans<D>>) -> Vec<f64> {
        if self.on_mesh.is_some() {
            // One row: on the device a single thread would add it up.
            let fetched = self.fetch_level(level);
            let mut totals = Vec::new();
            let summed = fetched.and_then(|()| self.host.lock().reduce(Reduction::Totals, level, finer, &mut totals));
            return summed.map_or_else(|_| vec![f64::NAN; self.sizes.num_eqn], |()| totals);
        }
        // This fails only if the device is lost; the run has reported that, and its totals are not known.
        self.sum_rows(level, finer).unwrap_or_else(|_| vec![f64::NAN; self.sizes.num_eqn])
    }

    fn sum_rows(&self, level: Level, finer: Option<&LevelPlans<D>>) -> Result<Vec<f64>, ExecError> {
        let store = &self.levels[level.index()];
        let num_eqn = self.sizes.num_eqn;
        let (mut rows, mut ends) = (Vec::new(), Vec::new());
        for (k, patch) in store.layout.patches.iter().enumerate() {
            if patch.is_local {
                let open = LevelPlans::uncovered_cells(finer, k, &patch.cells);
                rows.extend(in_rows(&open).map(|row| region(k as u32, k as u32, &row, [0; D]).0));
            }
            ends.push(rows.len());
        }
        let mut sums = vec![0.0; rows.len() * num_eqn];
        if !rows.is_empty() {
            let mut builder = TableBuilder::default();
            builder.append(rows.iter().copied());
            let memory = builder.send(&self.machine)?;
            let out = self.machine.allocate(sums.len() * 8)?;
            let args = TotalsArgs {
                rows: pointer::<_, N>(&memory, 0),
                view: store.view(),
                sums: pointer::<_, N>(&out, 0),
                num_rows: rows.len() as u32,
            };
            // SAFETY: the rows are interior cells of the level's patches; there is room for a sum of each.
            unsafe { self.machine.run(&TOTALS, D, sums.len(), &args)? };
            self.machine.download(&out, 0, bytes_of_mut(&mut sums))?;
        }
        // Summed in the order of patches and rows, so that the bits do not depend on anything else.
        let mut first = 0;
        let of_patch = |end: usize| {
            let mut of_patch = vec![0.0; num_eqn];
            for row in sums[first * num_eqn..end * num_eqn].chunks_exact(num_eqn) {
                of_patch.iter_mut().zip(row).for_each(|(sum, part)| *sum += part);
            }
            first = end;
            of_patch
        };
        let own: Vec<Vec<f64>> = ends.into_iter().map(of_patch).collect();
        let (volume, mut totals) = (store.geometry.volume(), vec![0.0; num_eqn]);
        for sums in agree::sums_of_all(&self.ranks, store.partition.as_deref(), own) {
            totals.iter_mut().zip(&sums).for_each(|(total, sum): (&mut f64, &f64)| *total += sum * volume);
        }
        Ok(totals)
    }

    /// The values of cells of the level's patches, as [`Queries`](crate::exec::Queries) gives them.
    pub(super) fn gather_cells(&self, level: Level, cells: &[CellInPatch<D>]) -> Result<Vec<f64>, ExecError> {
        let mut values = vec![0.0; cells.len() * (self.sizes.num_eqn + self.sizes.num_aux)];
        if cells.is_empty() {
            return Ok(values);
        }
        let place = |&(patch, cell): &CellInPatch<D>| amr::CellInPatch { patch: patch as u32, cell: axes(cell, 0) };
        let mut builder = TableBuilder::default();
        builder.append(cells.iter().map(place));
        let (memory, out) = (builder.send(&self.machine)?, self.machine.allocate(values.len() * 8)?);
        let args = GatherArgs {
            cells: pointer::<_, N>(&memory, 0),
            view: self.levels[level.index()].view(),
            out: pointer::<_, N>(&out, 0),
            num_cells: cells.len() as u32,
        };
        // SAFETY: the cells are interior cells of the level's patches; there is room for the values of each.
        unsafe { self.machine.run(&GATHER_CELLS, D, values.len(), &args)? };
        self.machine.download(&out, 0, bytes_of_mut(&mut values))?;
        Ok(values)
    }

    /// The error of the last step of a level, whose result on `patch` is invalid, found by the CPU executor's search, array by
    /// array.
    ///
    /// # Errors
    /// The device's.
    pub(super) fn failure_of_step(&self, level: Level, patch: usize) -> Result<ExecError, ExecError> {
        if let Some(found) = self.failure_before(level, patch)? {
            return Ok(found);
        }
        let store = &self.levels[level.index()];
        let search = |array: &N::Memory, cells, time| self.failure_in((level, patch), array, cells, time);
        let left = stages_left::<D>(&self.split.sweeps, self.problem.source_split, self.sizes.num_ghost);
        let mut left: Vec<_> = left.collect();
        if store.in_place {
            left.drain(..left.len().saturating_sub(1));
            left.iter_mut().for_each(|(stage, _)| *stage = 0);
        }
        for (stage, grow) in left {
            let Some((array, _)) = &self.split.stage[stage] else { continue };
            if let Some(found) = search(array, Searched::grown(grow), store.states.time)? {
                return Ok(found);
            }
        }
        let found = search(store.q(), Searched::interior(), store.states.time)?;
        Ok(found.unwrap_or(ExecError::LostWithinStep { level, patch, time: store.states.time }))
    }

    /// What is wrong with the state with which a level's last step has begun, ghost cells included.
    pub(super) fn failure_before(&self, level: Level, patch: usize) -> Result<Option<ExecError>, ExecError> {
        self.fetch_level(level)?;
        let store = &self.levels[level.index()];
        let Some(before) = store.before() else { return Ok(None) };
        self.failure_in((level, patch), before, Searched::Grown([self.sizes.num_ghost; 3]), store.states.time_old)
    }

    /// What is wrong with cells of a patch, in a state of the level that the host has a copy of.
    pub(super) fn failure_in(
        &self,
        (level, patch): (Level, usize),
        array: &N::Memory,
        cells: Searched,
        time: f64,
    ) -> Result<Option<ExecError>, ExecError> {
        let mut host = self.host.lock();
        self.fetch(array, host.q_of_copy(level))?;
        Ok(host.failure_in_copy(level, patch, cells, time))
    }

    pub(super) fn level_state(&self, level: Level) -> LevelState<D> {
        if self.fetch_level(level).is_err() {
            // The device is lost, and the values with it, as the run has reported. What is written must not look valid.
            self.make_host_copies(level);
            self.host.lock().poison_copy(level);
        }
        self.host.lock().snapshot(level)
    }
}

#[cfg(test)]
pub(super) mod tests;
