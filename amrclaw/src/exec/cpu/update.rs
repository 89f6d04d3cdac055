//! One step of a level: source terms, sweeps over tiles, and what the conservation fix keeps of them.

use super::scratch::Scratch;
use super::store::Register;
use super::{CpuExecutor, register, source};
use crate::exec::{ExecError, StepReport};
use crate::fields::{LevelLayout, Pool, Shared};
use crate::index::Level;
use crate::physics::{Problem, SourceSplit, Split};
use crate::plan::{LevelPlans, Tile};
use rayon::prelude::*;
use riemann::patch::{PatchSolver, Scheme, TileArgs, TileReport};
use riemann::real::Scalar;

/// One pass of the update over a level.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in crate::exec) struct Sweep {
    /// Axes swept together.
    pub axes: [bool; 3],
    /// Part of the time step.
    pub fraction: f64,
    /// Ghost cells updated too on both sides along each axis, because later sweeps read them.
    pub grow: [i32; 3],
    /// Which of a tile's lists of taps belongs to the sweep.
    pub taps: usize,
}

/// The passes that make up one step in `D` dimensions.
pub(in crate::exec) fn sweeps<const D: usize>(split: Split) -> Vec<Sweep> {
    let single = |axis: usize, fraction: f64| (axis, fraction);
    let order: Vec<(usize, f64)> = match split {
        Split::Unsplit => {
            let axes = std::array::from_fn(|d| d < D);
            return vec![Sweep { axes, fraction: 1.0, grow: [0; 3], taps: 0 }];
        }
        Split::Godunov => (0..D).map(|d| single(d, 1.0)).collect(),
        Split::Strang => {
            let halves = (0..D - 1).map(|d| single(d, 0.5));
            halves.clone().chain([single(D - 1, 1.0)]).chain(halves.rev()).collect()
        }
    };
    let sweep = |(n, &(axis, fraction)): (usize, &(usize, f64))| {
        let mut grow = [0; 3];
        order[n + 1..].iter().for_each(|&(later, _)| grow[later] += 2);
        Sweep { axes: std::array::from_fn(|d| d == axis), fraction, grow, taps: axis }
    };
    order.iter().enumerate().map(sweep).collect()
}

/// What all tiles of a sweep share.
pub(in crate::exec) struct SweepContext<'a, const D: usize, R> {
    pub layout: &'a LevelLayout<D>,
    pub input: Shared<'a, R>,
    pub output: Shared<'a, R>,
    pub aux: &'a [R],
    pub num_aux: usize,
    pub num_eqn: usize,
    pub dt: f64,
    pub dx: [f64; 3],
    pub scheme: Scheme,
    pub sweep: Sweep,
    pub taps: Shared<'a, R>,
    pub tap_stride: usize,
}

impl<const D: usize, R: Scalar> SweepContext<'_, D, R> {
    fn update_tile(
        &self,
        solver: &dyn PatchSolver<R>,
        tile: &Tile,
        plans: &LevelPlans<D>,
        scratch: &mut [R],
    ) -> TileReport {
        let patch = &self.layout.patches[tile.patch as usize];
        let size = patch.cells.size();
        let (mut lo, mut hi) = (tile.lo, tile.hi);
        for d in 0..D {
            lo[d] -= if lo[d] == 0 { self.sweep.grow[d] } else { 0 };
            hi[d] += if hi[d] == size[d] { self.sweep.grow[d] } else { 0 };
        }
        let start = patch.offset(self.num_eqn, patch.cells.lo);
        let aux = match self.num_aux {
            0 => std::ptr::NonNull::dangling().as_ptr(),
            n => self.aux[patch.offset(n, patch.cells.lo)..].as_ptr(),
        };
        let args = TileArgs {
            q: self.input.at(start),
            q_next: self.output.at(start),
            aux,
            strides: patch.strides(),
            lo,
            hi,
            sweep: self.sweep.axes,
            dt: self.dt * self.sweep.fraction,
            dx: self.dx,
            scheme: &self.scheme,
            taps: &plans.tiles.taps[tile.taps[self.sweep.taps].clone()],
            tap_values: if self.tap_stride == 0 { std::ptr::NonNull::dangling().as_ptr() } else { self.taps.at(0) },
            tap_stride: self.tap_stride,
        };
        // SAFETY: patches have the ghost cells that the sweeps need and arrays the overrun; tiles are disjoint and
        // every slot has one tap, so no two tasks write the same place.
        unsafe { solver.update_tile(&args, scratch) }
    }
}

impl<const D: usize, R: Scalar> SweepContext<'_, D, R> {
    /// Updates all tiles of the level.
    fn update_all(&self, solver: &dyn PatchSolver<R>, plans: &LevelPlans<D>, scratch: &Scratch<R>) -> Outcome {
        let update = |tile: &Tile| {
            let report = self.update_tile(solver, tile, plans, &mut scratch.mine());
            Outcome { courant: report.courant, patch: tile.patch, finite: report.finite }
        };
        plans.tiles.tiles.par_iter().with_max_len(1).map(update).reduce(|| Outcome::NONE, Outcome::or)
    }
}

/// Carries out sweeps in place of the processor's threads.
pub(in crate::exec) trait SweepEngine<const D: usize, R>: Send + Sync {
    /// Updates all tiles of the level: sweep `number` of its step. The level's arrays are touched no more when it returns.
    fn update_all(
        &self,
        context: &SweepContext<'_, D, R>,
        level: usize,
        number: usize,
        plans: &LevelPlans<D>,
    ) -> Result<Outcome, ExecError>;

    /// Bytes of memory held on the device.
    fn memory_bytes(&self) -> usize;

    /// Number of times that the device's driver was asked for memory.
    fn allocations(&self) -> u64;
}

/// Makes room for states between the parts of a step.
fn make_stages<R: Scalar>(stages: &mut [Vec<R>], len: usize, pool: &mut Pool<R>) {
    for stage in stages.iter_mut().filter(|stage| stage.len() < len) {
        pool.give(std::mem::take(stage));
        *stage = pool.take(len);
    }
}

/// From when and for how long the source terms act after the waves.
pub(in crate::exec) fn source_after_waves(split: SourceSplit, time: f64, dt: f64) -> (f64, f64) {
    match split {
        SourceSplit::None => (time, 0.0),
        SourceSplit::Godunov => (time, dt),
        SourceSplit::Strang => (time + 0.5 * dt, 0.5 * dt),
    }
}

/// Largest Courant number so far, where, and whether all is finite. Combined in any order to the same result.
#[derive(Clone, Copy)]
pub(in crate::exec) struct Outcome {
    pub courant: f64,
    pub patch: u32,
    pub finite: bool,
}

impl Outcome {
    pub const NONE: Outcome = Outcome { courant: 0.0, patch: 0, finite: true };

    pub fn or(self, other: Outcome) -> Outcome {
        let finite = self.finite && other.finite;
        let first = (self.courant, std::cmp::Reverse(self.patch)) >= (other.courant, std::cmp::Reverse(other.patch));
        Outcome { finite, ..if first { self } else { other } }
    }
}

impl<const D: usize, R: Scalar> CpuExecutor<D, R> {
    pub(super) fn advance_level(
        &mut self,
        level: Level,
        plans: &[LevelPlans<D>],
        dt: f64,
    ) -> Result<StepReport, ExecError> {
        let l = level.index();
        self.refresh_aux(level, 0.5 * dt)?;
        let own = &plans[l];
        let (upto, finer) = self.levels.split_at_mut(l + 1);
        let store = &mut upto[l];
        let mut finer_register = finer.first_mut().map(|f| std::mem::take(&mut f.register));
        let mut own_register = std::mem::take(&mut store.register);
        let mut taps = std::mem::take(&mut store.taps);
        let aux = std::mem::take(&mut store.aux);
        let (layout, time, num_eqn) = (store.layout.clone(), store.time, store.num_eqn);
        let array_len = layout.len(num_eqn);
        make_stages(&mut self.stage[..self.num_stages], array_len, &mut self.pool);
        let mut dx = [1.0; 3];
        dx[..D].copy_from_slice(&store.dx);
        let scheme = swept_scheme(&self.problem);
        let (q, next) = store.q_and_next(&mut self.pool);
        let mut stages = self.stage.each_mut().map(|s| Shared::new(s));
        let mut input = q;
        let sources = source::Context {
            layout: &layout,
            aux: &aux,
            num_aux: self.solver.aux().len(),
            num_eqn,
            dx,
            domain_lower: self.problem.domain.lower,
            solver: self.solver.as_ref(),
            function: self.problem.source.as_deref(),
            scratch: &self.source_scratch,
        };
        let source_split = self.problem.source_split;
        if source_split == SourceSplit::Strang {
            source::copy(input, stages[0], array_len);
            // SAFETY: the stage is ours alone.
            unsafe { sources.apply(stages[0], true, time, 0.5 * dt) };
            input = stages[0];
            stages.swap(0, 1);
        }
        let mut outcome = Outcome::NONE;
        let mut failed = None;
        for (n, sweep) in self.sweeps.iter().enumerate() {
            let output = if n + 1 == self.sweeps.len() { next } else { stages[0] };
            let context = SweepContext {
                layout: &layout,
                input,
                output,
                aux: &aux,
                num_aux: sources.num_aux,
                num_eqn,
                dt,
                dx,
                scheme,
                sweep: *sweep,
                taps: Shared::new(&mut taps),
                tap_stride: own.tiles.num_slots(),
            };
            let (solver, scratch) = (self.solver.as_ref(), &self.scratch);
            let swept = match &self.engine {
                Some(engine) => engine.update_all(&context, l, n, own),
                None => Ok(context.update_all(solver, own, scratch)),
            };
            outcome = swept.as_ref().map_or(outcome, |found| found.or(outcome));
            if let Err(error) = swept {
                failed = Some(error);
                break;
            }
            let gather = register::Gather {
                sweeps: &self.sweeps,
                sweep: n,
                dt: dt * sweep.fraction,
                taps: &taps,
                tiles: &own.tiles,
                layout: &layout,
                q: input,
                aux: &aux,
                num_aux: sources.num_aux,
                num_eqn,
                solver,
                scratch,
            };
            keep_for_fix(&gather, plans, l, finer_register.as_mut(), &mut own_register);
            input = output;
            stages.swap(0, 1);
        }
        let (after_from, after_for) = source_after_waves(source_split, time, dt);
        if after_for > 0.0 && failed.is_none() {
            // SAFETY: the new state is ours alone.
            outcome.finite &= unsafe { sources.apply(next, false, after_from, after_for) };
        }
        store.taps = taps;
        store.aux = aux;
        store.register = own_register;
        if let (Some(finer), Some(register)) = (finer.first_mut(), finer_register) {
            finer.register = register;
        }
        if let Some(error) = failed {
            return Err(error);
        }
        store.advance(dt);
        let Outcome { courant, patch, finite } = outcome;
        Ok(StepReport { courant, patch: patch as usize, finite })
    }
}

/// The scheme of a single sweep: one along a single axis has no transverse waves.
pub(in crate::exec) fn swept_scheme<const D: usize>(problem: &Problem<D>) -> Scheme {
    let transverse = if problem.split == Split::Unsplit { problem.scheme.transverse } else { 0 };
    Scheme { transverse, ..problem.scheme }
}

/// What a level's sweep gives the conservation fix: as the coarser side of the finer level's edge, and at its own edge.
fn keep_for_fix<const D: usize, R: Scalar>(
    gather: &register::Gather<'_, D, R>,
    plans: &[LevelPlans<D>],
    level: usize,
    finer: Option<&mut Register<R>>,
    own: &mut Register<R>,
) {
    if let (Some(reflux), Some(register)) = (finer_reflux(plans, level), finer) {
        gather.as_coarse(reflux, register);
    }
    if let Some(reflux) = &plans[level].reflux {
        gather.as_fine(reflux, own);
    }
}

fn finer_reflux<const D: usize>(plans: &[LevelPlans<D>], level: usize) -> Option<&crate::plan::RefluxPlan<D>> {
    plans.get(level + 1)?.reflux.as_deref()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Fractions of each axis add up to a whole step, and every sweep leaves later ones the ghost cells they read.
    #[test]
    fn sweeps_add_up_to_a_step() {
        for split in [Split::Unsplit, Split::Godunov, Split::Strang] {
            let sweeps = sweeps::<2>(split);
            for axis in 0..2 {
                let total: f64 = sweeps.iter().filter(|s| s.axes[axis]).map(|s| s.fraction).sum();
                assert_eq!(total, 1.0, "{split:?}");
            }
            assert_eq!(sweeps.last().map(|s| s.grow), Some([0; 3]));
        }
        assert_eq!(sweeps::<2>(Split::Strang)[0].grow, [2, 2, 0]);
        assert_eq!(sweeps::<2>(Split::Godunov)[0].grow, [0, 2, 0]);
    }
}
