//! Sweeps of a step: along which axes, over what part of it, and by whom they are carried out.

use super::{DeviceUse, ExecError, StepReport};
use crate::fields::{LevelLayout, PageLock, Shared};
use crate::mesh::{Geometry, LevelMesh};
use crate::physics::{Problem, SourceSplit, Split};
use crate::plan::{LevelPlans, MeshChange, RefluxPlan};
use riemann::patch::Scheme;
use std::sync::Arc;

/// One pass of the update over a level.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in crate::exec) struct Sweep {
    /// Axes swept together.
    pub axes: [bool; 3],
    /// Part of the time step.
    pub fraction: f64,
    /// Ghost cells updated too on both sides along each axis, because later sweeps read them.
    pub grow: [i32; 3],
    /// Which of a tile's lists of kept faces belongs to the sweep.
    pub kept_list: usize,
}

/// The passes that make up one step in `D` dimensions. `looks_beside`: as of [`Problem::looks_beside`].
pub(in crate::exec) fn sweeps<const D: usize>(split: Split, looks_beside: bool) -> Vec<Sweep> {
    let order = split.sweeps::<D>();
    let sweep = |(n, &(axes, fraction)): (usize, &([bool; 3], f64))| {
        let mut grow = [0; 3];
        for &(later, _) in &order[n + 1..] {
            let reach = Split::reach(later, looks_beside);
            (0..D).for_each(|d| grow[d] += reach[d]);
        }
        let axis = axes.iter().position(|&swept| swept).unwrap_or(0);
        Sweep { axes, fraction, grow, kept_list: if order.len() > 1 { axis } else { 0 } }
    };
    order.iter().enumerate().map(sweep).collect()
}

/// Axes as bits, the first axis lowest.
pub(in crate::exec) fn axis_bits(axes: [bool; 3]) -> u32 {
    (0..3).map(|d| u32::from(axes[d]) << d).sum()
}

/// A sweep of a level: what is read and written.
pub(in crate::exec) struct LevelSweep<'a, const D: usize, R> {
    pub layout: &'a LevelLayout<D>,
    pub input: Shared<'a, R>,
    pub output: Shared<'a, R>,
    pub aux: Shared<'a, R>,
    pub num_aux: usize,
    pub num_eqn: usize,
    pub dt: f64,
    pub dx: [f64; 3],
    /// As in [`TileArgs`](riemann::patch::TileArgs).
    pub free: f64,
    pub sweep: Sweep,
    /// As in [`Scheme`](riemann::patch::Scheme).
    pub sharing_faces: u8,
    /// What sources have done before the sweep, if an engine is told.
    pub first_half: Option<FirstHalf<'a, R>>,
}

/// The first half of Strang's splitting, for what an engine fills beyond sides.
#[derive(Clone, Copy)]
pub(in crate::exec) struct FirstHalf<'a, R> {
    /// The states before sources acted.
    pub before: Shared<'a, R>,
    /// Lets them act on a state, a pack longer than it is, in the place of a cell of a row.
    pub act: &'a (dyn Fn(i32, &mut [R]) + Sync),
}

/// The share that states at the time have of what the first half of Strang's splitting makes of them, in a step of `dt` from `start`: waves carry
/// states from which half a step's sources are ahead at its begin, and behind at its end.
pub(in crate::exec) fn share_of_first_half(time: f64, (start, dt): (f64, f64)) -> f64 {
    1.0 - 2.0 * ((time - start) / dt)
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
    pub cells: LevelCells<'a, D>,
    pub beside: SweepFunctions,
    /// Time at the start of the step.
    pub time: f64,
}

/// A level in whose cells functions are evaluated.
#[derive(Clone, Copy)]
pub(in crate::exec) struct LevelCells<'a, const D: usize> {
    pub level: usize,
    pub mesh: &'a LevelMesh<D>,
    pub layout: &'a Arc<LevelLayout<D>>,
    pub geometry: Geometry<D>,
}

/// Which of a case's functions an engine computes.
#[derive(Clone, Copy, Debug, Default)]
pub(in crate::exec) struct Computes {
    pub initial: bool,
    pub aux: bool,
    pub source: bool,
}

/// What an engine computes along with a sweep, while it has the patches.
#[derive(Clone, Copy, Debug, Default)]
pub(in crate::exec) struct SweepFunctions {
    /// Auxiliary values of this time are computed first, and copied to the level's array too.
    pub aux_at: Option<f64>,
    /// Start and duration of the source terms applied next, to ghost cells too.
    pub source_before: Option<[f64; 2]>,
    /// The same after the sweep, for interior cells only.
    pub source_after: Option<[f64; 2]>,
}

impl<const D: usize> Pass<'_, D> {
    /// The faces to the coarser level, and those to the finer one.
    pub fn faces(&self) -> [Option<&Arc<RefluxPlan<D>>>; 2] {
        [self.level, self.level + 1].map(|level| self.plans.get(level).and_then(LevelPlans::reflux))
    }
}

/// Carries out sweeps in place of the processor's threads, and keeps what the conservation fix needs of them, if there can be finer levels.
pub(in crate::exec) trait SweepEngine<const D: usize, R>: Send + Sync {
    /// Drops what was built for levels and plans that a change of the mesh replaces.
    fn adopt(&self, _change: &MeshChange<'_, D>) {}

    /// Takes the problem on another mesh from a file.
    fn put_on(&mut self, _problem: &Problem<D>) {
        unreachable!("it sweeps patches")
    }

    /// Which of the case's functions it computes.
    fn computes(&self) -> Computes {
        Computes::default()
    }

    /// Fills a level's auxiliary values for a time, ghost cells included. False if some are invalid: the host then finds which.
    fn fill_aux(&self, _cells: &LevelCells<'_, D>, _time: f64, _aux: &mut [R]) -> Result<bool, ExecError> {
        unreachable!("it computes none")
    }

    /// Fills a level's own cells with initial data.
    fn fill_initial(&self, _cells: &LevelCells<'_, D>, _time: f64, _q: &mut [R]) -> Result<(), ExecError> {
        unreachable!("it computes none")
    }

    /// Updates all patches of the level. No access to the level's arrays is pending when it returns.
    fn update_all(&self, context: &LevelSweep<'_, D, R>, pass: &Pass<'_, D>) -> Result<StepReport, ExecError>;

    /// Fetches, after a sweep of the coarser level, what the conservation fix keeps at the edge of level `fine`: the sums `Σ Δt (fine flux + C1) −
    /// Δt coarse flux`, `[equation, slot]`, and the coarse cells there at the start of each sweep; of either nothing into an empty slice.
    fn fetch_register(&self, _fine: usize, _sums_and_cells: [&mut [R]; 2]) -> Result<(), ExecError> {
        Ok(())
    }

    /// Stores these again, changed.
    fn put_register(&self, _fine: usize, _sums_and_cells: [&[R]; 2]) -> Result<(), ExecError> {
        Ok(())
    }

    /// Stores, before a step of level `fine`, two states of the coarse cells beside it: as sources have advanced them, and as the coarse step
    /// has solved its Riemann problems: `[2 num_eqn, slot]`.
    fn put_source_cells(&self, _fine: usize, _states: &[R]) -> Result<(), ExecError> {
        Ok(())
    }

    /// Page locks for the arrays that sweeps copy from and to, if these are locked.
    fn locks(&self) -> Option<Box<dyn PageLock>> {
        None
    }

    /// Gives the solver's parameters that change from step to step values for sweeps to come, if the solver is not the host's.
    fn set_parameters(&self, _values: &[f64]) -> Result<(), ExecError> {
        Ok(())
    }

    /// What a device has been used for; `None` without one.
    fn usage(&self) -> Option<DeviceUse> {
        None
    }

    /// Bytes that it holds on the host.
    fn host_bytes(&self) -> usize {
        0
    }
}

/// Start and duration of the source terms applied after the waves.
pub(in crate::exec) fn source_after_waves(split: SourceSplit, time: f64, dt: f64) -> (f64, f64) {
    match split {
        SourceSplit::None => (time, 0.0),
        SourceSplit::Godunov => (time, dt),
        SourceSplit::Strang => (time + 0.5 * dt, 0.5 * dt),
    }
}

/// The intermediate arrays that still hold values after a step: their numbers, and how many cells beyond the patches are valid. The parts
/// of a step write two arrays in turn; the last writes the new state.
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

    /// Fractions of each axis add up to a whole step, and every sweep leaves later ones the ghost cells they read: of solvers that look beside
    /// faces along all axes.
    #[test]
    fn sweeps_add_up_to_a_step() {
        let grow = |split, looks_beside| {
            let sweeps = sweeps::<2>(split, looks_beside);
            for axis in 0..2 {
                let total: f64 = sweeps.iter().filter(|s| s.axes[axis]).map(|s| s.fraction).sum();
                assert_eq!(total, 1.0, "{split:?}");
            }
            assert_eq!(sweeps.last().map(|s| s.grow), Some([0; 3]));
            sweeps[0].grow
        };
        assert_eq!(grow(Split::Unsplit, true), [0; 3]);
        assert_eq!([false, true].map(|beside| grow(Split::Strang, beside)), [[2, 2, 0], [3, 3, 0]]);
        assert_eq!([false, true].map(|beside| grow(Split::Godunov, beside)), [[0, 2, 0], [1, 2, 0]]);
    }
}
