//! What a simulation holds besides the problem, its mesh and its executor.

use super::growth::GrowthCheck;
use super::stiffness::SourceCheck;
use super::{StepLimit, StepLimits, speeds, steady, whole};
use crate::diagnose::{Counts, LevelCounts, Stopwatch};
use crate::ranks::Ranks;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// What frames and messages name.
pub(super) struct Names {
    pub equations: Vec<String>,
    pub aux: Vec<String>,
    /// Physical coordinates by formulas, on a mapped mesh.
    pub mapping: Vec<String>,
    pub solver: String,
}

/// The next step of the coarsest level.
pub(super) struct NextStep {
    pub dt: f64,
    /// What limits it.
    pub limited_by: StepLimit,
    pub limits: StepLimits,
    /// Coarse steps to come in which faces fall back to first order where states would become inadmissible.
    pub fallback_left: u32,
    /// Levels whose ghost cells have been filled for their next step: by the last regrid, or ahead of the step.
    pub filled: Range<usize>,
}

/// What has been done, and what it took.
pub(super) struct Work {
    pub counts: Counts,
    /// Largest Courant number of the last step of the coarsest level, those of finer levels included.
    pub last_courant: f64,
    /// Work on steps that were taken again, per level.
    pub repeated: Vec<LevelCounts>,
    pub stopwatch: Stopwatch,
    /// With several ranks, cells that this rank has advanced, including steps that were taken again.
    pub own_cells_advanced: u64,
    /// Measured speeds of the ranks.
    pub speeds: speeds::Measured,
    pub most_state_bytes: usize,
}

/// What ends a run before its time.
pub(super) struct Checks<const D: usize> {
    pub growth: GrowthCheck,
    pub sources: SourceCheck,
    pub stop_when: Option<whole::StopCondition<D>>,
    /// It ends in a steady state.
    pub steady: Option<steady::SteadyCheck>,
}

/// Who does the work.
pub(super) struct Crew {
    pub threads: Arc<rayon::ThreadPool>,
    /// Set from another thread to end it.
    pub stop: Arc<AtomicBool>,
    /// The ranks that advance the simulation together.
    pub ranks: Ranks,
}
