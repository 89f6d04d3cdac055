//! Counts and times of a run.

use serde::{Deserialize, Serialize};
use std::time::{Duration, Instant};

/// What the time of a run is spent on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// Updating patches, including the fluxes kept for the conservation fix.
    Advance,
    /// Filling ghost cells.
    Ghost,
    /// Applying the conservation fix.
    Reflux,
    /// Averaging fine levels onto coarse ones.
    Average,
    /// Flagging, clustering, plans, transfer.
    Regrid,
    /// Writing files.
    Output,
}

/// Seconds per phase; `other` is the rest of the wall time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct PhaseSeconds {
    /// [`Phase::Advance`].
    pub advance: f64,
    /// [`Phase::Ghost`].
    pub ghost: f64,
    /// [`Phase::Reflux`].
    pub reflux: f64,
    /// [`Phase::Average`]; `update` in `run.json`, by Clawpack's name for it.
    #[serde(rename = "update")]
    pub average: f64,
    /// [`Phase::Regrid`].
    pub regrid: f64,
    /// [`Phase::Output`].
    pub output: f64,
    /// Everything else.
    pub other: f64,
}

/// Accumulates the time of phases.
#[derive(Clone, Debug)]
pub struct Stopwatch {
    start: Instant,
    spent: [Duration; 6],
}

impl Default for Stopwatch {
    fn default() -> Self {
        Stopwatch { start: Instant::now(), spent: [Duration::ZERO; 6] }
    }
}

impl Stopwatch {
    /// Runs `work` and books its time under `phase`.
    pub fn time<T>(&mut self, phase: Phase, work: impl FnOnce() -> T) -> T {
        let start = Instant::now();
        let result = work();
        self.spent[phase as usize] += start.elapsed();
        result
    }

    /// Books time measured elsewhere.
    pub fn book(&mut self, phase: Phase, time: Duration) {
        self.spent[phase as usize] += time;
    }

    /// Seconds since the start.
    pub fn wall_seconds(&self) -> f64 {
        self.start.elapsed().as_secs_f64()
    }

    /// Seconds per phase so far.
    pub fn seconds(&self) -> PhaseSeconds {
        let [advance, ghost, reflux, average, regrid, output] = self.spent.map(|d| d.as_secs_f64());
        let booked: f64 = self.spent.iter().map(Duration::as_secs_f64).sum();
        let other = (self.wall_seconds() - booked).max(0.0);
        PhaseSeconds { advance, ghost, reflux, average, regrid, output, other }
    }
}

/// Counts per level.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct LevelCounts {
    /// Steps taken.
    pub steps: u64,
    /// Cells advanced, summed over steps.
    pub cells: u64,
    /// Patches, summed over steps.
    pub patches: u64,
}

impl LevelCounts {
    /// Adds what `done` has more than `before`.
    pub fn add_since(&mut self, done: &LevelCounts, before: &LevelCounts) {
        self.steps += done.steps - before.steps;
        self.cells += done.cells - before.cells;
        self.patches += done.patches - before.patches;
    }

    /// Mean number of patches in a step.
    pub fn patches_mean(&self) -> f64 {
        if self.steps == 0 { 0.0 } else { self.patches as f64 / self.steps as f64 }
    }
}

/// Steps of the coarsest level whose size something other than a Courant number or a time to reach has limited.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LimitedSteps {
    /// By the longest step.
    pub by_dt_max: u64,
    /// By the size of the step before.
    pub by_growth: u64,
}

/// Steps of the coarsest level in which faces fell back to first order where their corrections would have made states inadmissible.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FallbackSteps {
    /// All of them.
    pub taken: u64,
    /// Those that were taken without before, in vain.
    pub repeated: u64,
}

/// What a run has done so far.
#[derive(Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Counts {
    /// Per level, coarsest first.
    pub levels: Vec<LevelCounts>,
    /// Regrids.
    pub regrids: u64,
    /// Coarse steps taken again with a smaller step.
    pub retries: u64,
    /// Steps that Courant numbers have not limited.
    #[serde(default)]
    pub limited: LimitedSteps,
    /// Steps in which faces fell back to first order.
    #[serde(default)]
    pub fallback: FallbackSteps,
    /// Largest Courant number of an accepted step.
    pub courant_max: f64,
}

impl Clone for Counts {
    fn clone(&self) -> Self {
        Counts { levels: self.levels.clone(), ..*self }
    }

    /// Allocates nothing where there are no more levels than before.
    fn clone_from(&mut self, source: &Self) {
        let mut levels = std::mem::take(&mut self.levels);
        levels.clone_from(&source.levels);
        *self = Counts { levels, ..*source };
    }
}

impl Counts {
    /// Zero counts for `levels` levels.
    pub fn new(levels: usize) -> Self {
        Counts { levels: vec![LevelCounts::default(); levels], ..Counts::default() }
    }

    /// Cells advanced on all levels.
    pub fn cells_total(&self) -> u64 {
        self.levels.iter().map(|l| l.cells).sum()
    }
}
