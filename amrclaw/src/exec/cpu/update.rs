//! Sweeps over the tiles of a level: along which axes, over what part of the step, and by whom they are carried out.

use super::scratch::Scratch;
use super::turns::in_turns;
use crate::exec::{DeviceUse, ExecError, StepReport};
use crate::fields::{LevelLayout, Shared};
use crate::physics::{Problem, SourceSplit, Split};
use crate::plan::{LevelPlans, RefluxPlan, Tile};
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
    pub(super) fn update_all(
        &self,
        solver: &dyn PatchSolver<R>,
        plans: &LevelPlans<D>,
        scratch: &Scratch<R>,
    ) -> Outcome {
        let tiles = &plans.tiles.tiles;
        let update = |n: usize| {
            let report = self.update_tile(solver, &tiles[n], plans, &mut scratch.mine());
            Outcome::new(report.courant, tiles[n].patch, report.admissible)
        };
        in_turns(tiles.len(), update, Outcome::NONE, Outcome::or)
    }
}

/// Which sweep of which level's step.
#[derive(Clone, Copy)]
pub(in crate::exec) struct Pass<'a, const D: usize> {
    pub level: usize,
    /// Number of the sweep.
    pub number: usize,
    /// All sweeps of the step.
    pub sweeps: &'a [Sweep],
    /// Plans of all levels.
    pub plans: &'a [LevelPlans<D>],
}

/// Carries out sweeps in place of the processor's threads, and keeps what the conservation fix needs of them.
pub(in crate::exec) trait SweepEngine<const D: usize, R>: Send + Sync {
    /// Updates all tiles of the level. The level's arrays are touched no more when it returns.
    fn update_all(&self, context: &SweepContext<'_, D, R>, pass: &Pass<'_, D>) -> Result<Outcome, ExecError>;

    /// Fetches what the cells beside level `fine` must still receive: `Σ Δt (fine flux + C1) − Δt coarse flux`,
    /// `[equation, slot]`.
    fn fetch_sums(&self, fine: usize, plan: &RefluxPlan<D>, sums: &mut [R]) -> Result<(), ExecError>;

    /// What the device has been used for.
    fn usage(&self) -> DeviceUse;
}

/// From when and for how long the source terms act after the waves.
pub(in crate::exec) fn source_after_waves(split: SourceSplit, time: f64, dt: f64) -> (f64, f64) {
    match split {
        SourceSplit::None => (time, 0.0),
        SourceSplit::Godunov => (time, dt),
        SourceSplit::Strang => (time + 0.5 * dt, 0.5 * dt),
    }
}

/// Largest Courant number so far, where, and the first patch that is not finite or not admissible. Combined in any order to the same result.
#[derive(Clone, Copy)]
pub(in crate::exec) struct Outcome {
    pub courant: f64,
    pub patch: u32,
    /// `u32::MAX` where all are.
    broken: u32,
}

impl Outcome {
    pub const NONE: Outcome = Outcome { courant: 0.0, patch: 0, broken: u32::MAX };

    /// What was found in a patch, or a part of it.
    pub fn new(courant: f64, patch: u32, admissible: bool) -> Outcome {
        Outcome { courant, patch, broken: if admissible { u32::MAX } else { patch } }
    }

    pub fn or(self, other: Outcome) -> Outcome {
        let broken = self.broken.min(other.broken);
        let first = (self.courant, std::cmp::Reverse(self.patch)) >= (other.courant, std::cmp::Reverse(other.patch));
        Outcome { broken, ..if first { self } else { other } }
    }

    /// The same with a patch that was found not to be finite.
    pub fn with_broken(self, patch: Option<usize>) -> Outcome {
        Outcome { broken: patch.map_or(self.broken, |patch| self.broken.min(patch as u32)), ..self }
    }

    /// As a report on the step.
    pub fn report(self) -> StepReport {
        let broken = (self.broken < u32::MAX).then_some(self.broken as usize);
        StepReport { courant: self.courant, patch: self.patch as usize, broken }
    }
}

/// The arrays between the parts of a step that still hold values when it has been taken: their numbers, and how far beyond a
/// patch's cells they do. The parts write two arrays in turn; the last writes the new state.
pub(in crate::exec) fn stages_left<const D: usize>(
    sweeps: &[Sweep],
    split: SourceSplit,
    num_ghost: i32,
) -> impl Iterator<Item = (usize, [i32; D])> {
    let source = (split == SourceSplit::Strang).then_some([num_ghost; D]);
    let between = sweeps[..sweeps.len() - 1].iter().map(|sweep| std::array::from_fn(|d| sweep.grow[d]));
    let mut written: Vec<_> = source.into_iter().chain(between).enumerate().map(|(n, grow)| (n % 2, grow)).collect();
    written.drain(..written.len().saturating_sub(2));
    written.into_iter()
}

/// The scheme of a single sweep: one along a single axis has no transverse waves.
pub(in crate::exec) fn swept_scheme<const D: usize>(problem: &Problem<D>) -> Scheme {
    let transverse = if problem.split == Split::Unsplit { problem.scheme.transverse } else { 0 };
    Scheme { transverse, ..problem.scheme }
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
