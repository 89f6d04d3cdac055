//! Numbers out of the device: what came of steps, totals, values at points, snapshots.

use super::builder::TableBuilder;
use super::machine::{MARKED_BYTES, bytes_of_mut};
use super::store::pointer;
use super::tables::region;
use super::{CudaExecutor, Machine};
use crate::exec::cpu::failure::Searched;
use crate::exec::cpu::update::stages_left;
use crate::exec::{ExecError, LevelState, Outcomes, StepReport};
use crate::index::{CellBox, Level};
use crate::plan::LevelPlans;
use ::cuda::abi::Pointer;
use ::cuda::regions::{BLOCKS_PER_PATCH, LargestArgs, SampleArgs, TotalsArgs};
use ::cuda::update::PatchReport;
use ::cuda::{CudaError, Grid};
use riemann::real::Scalar;

/// Reports of patches that wait on the device at most, before they are fetched.
const MAX_REPORTS: usize = MARKED_BYTES / REPORT;
/// Numbers of samples that do.
const MAX_SAMPLES: usize = 1 << 14;
const REPORT: usize = size_of::<PatchReport>();

/// What came of steps and samples, on the device until the driver asks.
pub(super) struct Reports<N: Machine> {
    reports: N::Memory,
    samples: N::Memory,
    num_eqn: usize,
    /// Steps that wait: their first report, their number of patches, and the first patch that the host found not to be finite.
    waiting: Vec<(usize, usize, Option<usize>)>,
    num_samples: usize,
    /// Reports that were written and are not yet zero again.
    written: usize,
    /// All that wait were asked for before the device's last mark.
    marked: bool,
    /// What has been fetched before it was asked for.
    fetched: Outcomes,
    host_reports: Vec<PatchReport>,
}

impl<N: Machine> Reports<N> {
    pub fn new(machine: &N, num_eqn: usize) -> Result<Self, CudaError> {
        let reports = machine.allocate(MAX_REPORTS * REPORT)?;
        machine.zero(&reports, 0, MAX_REPORTS * REPORT)?;
        Ok(Reports {
            reports,
            samples: machine.allocate(MAX_SAMPLES * 8)?,
            num_eqn,
            waiting: Vec::new(),
            num_samples: 0,
            written: 0,
            marked: false,
            fetched: Outcomes::default(),
            host_reports: Vec::new(),
        })
    }

    /// Room for the reports of a step, all zero.
    pub fn begin(&mut self, machine: &N, patches: usize) -> Result<Pointer<PatchReport>, CudaError> {
        let end = |reports: &Self| reports.waiting.last().map_or(0, |(first, patches, _)| first + patches);
        if self.waiting.is_empty() && self.written > 0 {
            machine.zero(&self.reports, 0, self.written * REPORT)?;
            self.written = 0;
        }
        if end(self) + patches > MAX_REPORTS {
            self.fetch(machine)?;
            machine.zero(&self.reports, 0, self.written * REPORT)?;
            self.written = 0;
            assert!(patches <= MAX_REPORTS, "{patches} patches on a level");
        }
        let first = end(self);
        self.waiting.push((first, patches, None));
        self.marked = false;
        self.written = self.written.max(first + patches);
        Ok(pointer::<_, N>(&self.reports, first * REPORT))
    }

    /// What the host found of the step begun last.
    pub fn note_broken(&mut self, patch: Option<usize>) {
        if let Some((.., known)) = self.waiting.last_mut() {
            *known = known.or(patch);
        }
    }

    /// Says that what is asked for from here on need not be waited for.
    pub fn mark(&mut self, machine: &N) -> Result<(), CudaError> {
        if !self.marked {
            machine.mark()?;
            self.marked = true;
        }
        Ok(())
    }

    /// Forgets what waits.
    pub fn forget(&mut self) {
        self.waiting.clear();
        self.num_samples = 0;
        self.fetched.clear();
    }

    fn fetch(&mut self, machine: &N) -> Result<(), CudaError> {
        let used = self.waiting.last().map_or(0, |(first, patches, _)| first + patches);
        let nothing = PatchReport { courant: 0, not_finite: 0, padding: 0 };
        self.host_reports.clear();
        self.host_reports.resize(used, nothing);
        self.mark(machine)?;
        if used > 0 {
            machine.download_marked(&self.reports, 0, bytes_of_mut(&mut self.host_reports))?;
        }
        for (first, patches, broken) in self.waiting.drain(..) {
            let mut report = StepReport { courant: 0.0, patch: 0, broken };
            for (patch, found) in self.host_reports[first..][..patches].iter().enumerate() {
                let courant = f64::from_bits(found.courant);
                if courant > report.courant {
                    (report.courant, report.patch) = (courant, patch);
                }
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

    /// Tells what came of steps and samples.
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

/// Cells of a patch that no region covers, row by row: what totals count.
fn open_rows<const D: usize>(patch: CellBox<D>, covered: impl Iterator<Item = CellBox<D>>) -> Vec<CellBox<D>> {
    let mut open = vec![patch];
    for part in covered {
        let mut rest = Vec::new();
        open.iter().for_each(|b| b.subtract_into(&part, &mut rest));
        open = rest;
    }
    let rows = |cells: CellBox<D>| {
        let mut starts = cells;
        if !cells.is_empty() {
            starts.hi[0] = starts.lo[0] + 1;
        }
        starts.cells().map(move |lo| {
            let mut hi = lo.map(|i| i + 1);
            hi[0] = cells.hi[0];
            CellBox::new(lo, hi)
        })
    };
    open.into_iter().flat_map(rows).collect()
}

impl<const D: usize, R: Scalar, N: Machine> CudaExecutor<D, R, N> {
    pub(super) fn sample_patch(&mut self, level: Level, patch: usize, position: [f64; D]) -> Result<(), ExecError> {
        let out = self.reports.sample(&self.machine)?;
        let store = &self.levels[level.index()];
        let layout = &store.layout.patches[patch];
        let lower = self.problem.domain.lower;
        let scaled: [f64; D] = std::array::from_fn(|d| (position[d] - lower[d]) / store.dx[d] - 0.5);
        let reach = layout.with_ghosts();
        let cell: [i32; D] = std::array::from_fn(|d| (scaled[d].floor() as i32).clamp(reach.lo[d], reach.hi[d] - 2));
        let mut weights = [0.0; 4];
        for (weight, corner) in weights.iter_mut().zip(CellBox::new(cell, cell.map(|i| i + 2)).cells()) {
            let along = |d: usize| {
                let above = scaled[d] - f64::from(cell[d]);
                if corner[d] > cell[d] { above } else { 1.0 - above }
            };
            *weight = (0..D).map(along).product();
        }
        let [weight_0, weight_1, weight_2, weight_3] = weights;
        let local = |d: usize| if d < D { cell[d] - layout.cells.lo[d] } else { 0 };
        let args = SampleArgs {
            patches: store.patches(),
            q: store.q_address(),
            out,
            weight_0,
            weight_1,
            weight_2,
            weight_3,
            patch: patch as u32,
            x: local(0),
            y: local(1),
            padding: 0,
        };
        let grid =
            Grid { blocks: [1, 1, 1], threads: (self.sizes.num_eqn as u32).next_multiple_of(32), shared_bytes: 0 };
        // SAFETY: the cells around the point lie in the patch and its ghost cells; there is room for the values.
        unsafe { self.machine.launch("sample", grid, &args)? };
        Ok(())
    }

    pub(super) fn level_totals(&self, level: Level, finer: Option<&LevelPlans<D>>) -> Vec<f64> {
        // The device is lost where this fails; the run has said so, and its totals are not known.
        self.sum_rows(level, finer).unwrap_or_else(|_| vec![f64::NAN; self.sizes.num_eqn])
    }

    /// Largest absolute values of a level's own cells.
    pub(super) fn level_largest(&self, level: Level) -> Result<Vec<f64>, ExecError> {
        let store = &self.levels[level.index()];
        let mut bits = vec![0_u64; self.sizes.num_eqn];
        let bytes = bits.len() * 8;
        let out = self.machine.allocate(bytes)?;
        self.machine.zero(&out, 0, bytes)?;
        let args = LargestArgs { patches: store.patches(), q: store.q_address(), largest: pointer::<_, N>(&out, 0) };
        let blocks = store.mesh.patches().len() as u32 * BLOCKS_PER_PATCH;
        let grid = Grid { blocks: [blocks, 1, 1], threads: 128, shared_bytes: 0 };
        // SAFETY: the array and the patches are those of the level; there is a number for each equation.
        unsafe { self.machine.launch("largest", grid, &args)? };
        self.machine.download(&out, 0, bytes_of_mut(&mut bits))?;
        Ok(bits.into_iter().map(f64::from_bits).collect())
    }

    fn sum_rows(&self, level: Level, finer: Option<&LevelPlans<D>>) -> Result<Vec<f64>, ExecError> {
        let store = &self.levels[level.index()];
        let num_eqn = self.sizes.num_eqn;
        let restrict = finer.and_then(|plans| plans.restrict.as_ref());
        let (mut rows, mut ends) = (Vec::new(), Vec::new());
        for (k, patch) in store.mesh.patches().iter().enumerate() {
            let covered = restrict.map_or(&[][..], |plan| plan.regions(k)).iter().map(|r| r.cells);
            let open = open_rows(*patch, covered);
            rows.extend(open.iter().map(|row| region(k as u32, k as u32, row, [0; D]).0));
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
                patches: store.patches(),
                q: store.q_address(),
                aux: store.aux_address(),
                sums: pointer::<_, N>(&out, 0),
                num_rows: rows.len() as u32,
                padding: 0,
            };
            // SAFETY: the rows are interior cells of the level's patches; there is room for a sum of each.
            unsafe { self.machine.launch("totals", Grid::over(sums.len(), 128), &args)? };
            self.machine.download(&out, 0, bytes_of_mut(&mut sums))?;
        }
        // In the order of patches and rows: the bits do not depend on anything else.
        let volume: f64 = store.dx.iter().product();
        let (mut totals, mut first) = (vec![0.0; num_eqn], 0);
        for end in ends {
            let mut of_patch = vec![0.0; num_eqn];
            for row in sums[first * num_eqn..end * num_eqn].chunks_exact(num_eqn) {
                of_patch.iter_mut().zip(row).for_each(|(sum, part)| *sum += part);
            }
            totals.iter_mut().zip(&of_patch).for_each(|(total, sum): (&mut f64, &f64)| *total += sum * volume);
            first = end;
        }
        Ok(totals)
    }

    /// What went wrong in the step of a level that was taken last, which broke `patch`: the CPU executor's search, array by
    /// array.
    ///
    /// # Errors
    /// The device's.
    pub(super) fn failure_of_step(&self, level: Level, patch: usize) -> Result<ExecError, ExecError> {
        self.fetch_level(level)?;
        let store = &self.levels[level.index()];
        let search = |array: &N::Memory, cells: Searched, time: f64| {
            let mut host = self.host.lock();
            self.fetch(array, host.mirrored_q(level))?;
            Ok::<_, ExecError>(host.mirrored_failure(level, patch, cells, time))
        };
        if let Some(before) = store.before() {
            let all = Searched::Grown([self.sizes.num_ghost; 3]);
            if let Some(found) = search(before, all, store.time_old)? {
                return Ok(found);
            }
        }
        for (stage, grow) in stages_left::<D>(&self.sweeps, self.problem.source_split, self.sizes.num_ghost) {
            let Some((array, _)) = &self.stage[stage] else { continue };
            if let Some(found) = search(array, Searched::grown(grow), store.time)? {
                return Ok(found);
            }
        }
        let found = search(store.q(), Searched::interior(), store.time)?;
        Ok(found.unwrap_or(ExecError::LostWithinStep { level, patch, time: store.time }))
    }

    pub(super) fn level_state(&self, level: Level) -> LevelState<D> {
        if self.fetch_level(level).is_err() {
            // The device is lost, and the values with it: the run has said so. What is written must not look right.
            self.mirror_levels(level);
            self.host.lock().mirrored_q(level).fill(R::from_f64(f64::NAN));
        }
        self.host.lock().mirrored_state(level)
    }
}
