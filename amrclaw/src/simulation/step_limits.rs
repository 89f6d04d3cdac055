//! How long a step of the coarsest level may be besides what its Courant number allows.
//!
//! Courant numbers speak of the waves that there are. What begins later, by a source, a side or auxiliary values, must not be
//! jumped over: a step then grows from one to the next by a bounded factor, and where the time itself matters it is bounded too.

use super::Settings;
use crate::diagnose::LimitedSteps;
use crate::physics::{Boundary, Problem, SourceSplit};
use serde::{Deserialize, Serialize};

/// Most that a step may be longer than the one before.
const GROWTH: f64 = 2.0;
/// As [`GROWTH`] for the second step, if its Courant number asks for no more: the first step is a guess.
const GROWTH_FROM_FIRST: f64 = 1000.0;
/// Parts of the run and of the mean time between frames that a step may take by default where something depends on time.
const PARTS: [f64; 2] = [100.0, 4.0];
/// Steps that are taken by default while auxiliary values change, where they do for a while.
const WHILE_MOVING: f64 = 10.0;

/// What limits a step of the coarsest level.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StepLimit {
    /// The Courant number of the step before; a size that the case gives; a time to reach.
    #[default]
    Courant,
    /// The size of the step before.
    Growth,
    /// `time.dt_max`, or its default.
    DtMax,
}

impl StepLimit {
    /// Counts a step that this has limited.
    pub(super) fn count(self, limited: &mut LimitedSteps) {
        match self {
            StepLimit::Courant => {}
            StepLimit::Growth => limited.by_growth += 1,
            StepLimit::DtMax => limited.by_dt_max += 1,
        }
    }
}

/// The limits of a run's steps.
#[derive(Clone, Copy, Debug)]
pub(super) struct StepLimits {
    /// Longest step; infinite without a limit.
    pub longest: f64,
    /// The longest step is that of the case, not a default.
    pub is_given: bool,
    /// Something may set in motion what rests.
    bounds_growth: bool,
    /// When auxiliary values begin and end to change.
    moving: Option<[f64; 2]>,
}

/// The longest step where something depends on time, for `frames` times of frames.
pub(super) fn longest_in_time([start, end]: [f64; 2], frames: &[f64]) -> f64 {
    let mut within: Vec<f64> = frames.iter().copied().filter(|&t| start < t && t < end).collect();
    within.dedup();
    let [of_run, of_interval] = PARTS;
    (end - start) / of_run.max(of_interval * (within.len() + 1) as f64)
}

impl StepLimits {
    /// The limits of a problem. `own_source`: whether the solver has one, `of_time`: whether that or its boundary values change with time.
    pub fn new<const D: usize>(problem: &Problem<D>, settings: &Settings<D>, own_source: bool, of_time: bool) -> Self {
        if settings.dt_fixed.is_some() {
            return StepLimits { longest: f64::INFINITY, is_given: false, bounds_growth: false, moving: None };
        }
        let moving = problem.aux.as_ref().filter(|aux| aux.depends_on_time()).map(|aux| aux.changes_within());
        let for_a_while = moving.filter(|span| span.iter().all(|time| time.is_finite()));
        let acts = problem.source_split != SourceSplit::None;
        let function = problem.source.as_ref().filter(|_| acts);
        let own_source = own_source && acts;
        let side_in_time = |side: &Boundary<D>| matches!(side, Boundary::User(function) if function.depends_on_time());
        let in_time = function.is_some_and(|source| source.depends_on_time())
            || (own_source && of_time)
            || settings.reduced_in_time
            || problem.boundary.as_flattened().iter().any(side_in_time)
            || problem.on_mesh.as_ref().is_some_and(|on_mesh| on_mesh.sides.depend_on_time())
            || moving != for_a_while;
        let default = if in_time { settings.dt_max_in_time } else { f64::INFINITY };
        StepLimits {
            longest: settings.dt_max.unwrap_or(default),
            is_given: settings.dt_max.is_some(),
            bounds_growth: in_time || function.is_some() || own_source || moving.is_some(),
            moving: for_a_while.filter(|_| settings.dt_max.is_none()),
        }
    }

    /// The longest step from a time on: not beyond the begin of a motion, and a part of it until it ends.
    pub fn longest_at(&self, time: f64) -> f64 {
        let of_motion = self.moving.filter(|[_, end]| time < *end).map(|[begin, end]| {
            // What is nearer than round-off has been reached.
            let until = if begin - time > 1e-12 * begin.abs() { begin - time } else { 0.0 };
            let while_moving = (end - begin) / WHILE_MOVING;
            if until.max(while_moving) > 0.0 { until.max(while_moving) } else { f64::INFINITY }
        });
        of_motion.map_or(self.longest, |longest| longest.min(self.longest))
    }

    /// The step from `time` on after one of size `dt`, where Courant numbers ask for `wanted`. `is_second`: `dt` was the first.
    pub fn next(&self, time: f64, dt: f64, wanted: f64, is_second: bool) -> (f64, StepLimit) {
        let is_told = is_second && wanted <= GROWTH_FROM_FIRST * dt;
        let grown = if self.bounds_growth && !is_told { GROWTH * dt } else { f64::INFINITY };
        let longest = self.longest_at(time);
        if longest < wanted.min(grown) {
            (longest, StepLimit::DtMax)
        } else if grown < wanted {
            (grown, StepLimit::Growth)
        } else {
            (wanted, StepLimit::Courant)
        }
    }

    /// The step from `time` on with which to go on where the size is not known: after `dt`, the first of a run.
    pub fn or_first(&self, time: f64, known: Option<f64>, first: f64) -> f64 {
        let unlimited = if self.bounds_growth { first } else { f64::INFINITY };
        known.unwrap_or(unlimited).min(self.longest_at(time))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A run of ten units: a hundredth of it, and less where frames are close to one another.
    #[test]
    fn the_default_follows_the_frames() {
        assert_eq!(longest_in_time([0.0, 10.0], &[]), 0.1);
        assert_eq!(longest_in_time([0.0, 10.0], &[0.0, 5.0, 10.0]), 0.1);
        let frames: Vec<f64> = (0..=50).map(|n| 0.2 * f64::from(n)).collect();
        assert_eq!(longest_in_time([0.0, 10.0], &frames), 0.05);
    }

    /// Steps double at most, but for the second, which follows its Courant number if there is one; no step exceeds the longest.
    #[test]
    fn steps_grow_by_two() {
        let limits = StepLimits { longest: 1.0, is_given: true, bounds_growth: true, moving: None };
        assert_eq!(limits.next(0.0, 1e-3, 0.5, true), (0.5, StepLimit::Courant));
        assert_eq!(limits.next(0.0, 1e-3, f64::INFINITY, true), (2e-3, StepLimit::Growth));
        assert_eq!(limits.next(0.0, 1e-3, 0.5, false), (2e-3, StepLimit::Growth));
        assert_eq!(limits.next(0.0, 0.7, 7.0, false), (1.0, StepLimit::DtMax));
        let free = StepLimits { longest: f64::INFINITY, is_given: false, bounds_growth: false, moving: None };
        assert_eq!(free.next(0.0, 1e-3, f64::INFINITY, false), (f64::INFINITY, StepLimit::Courant));
    }
    /// A motion from 100 to 101: a step ends where it begins, the next take tenths of it, and none is limited afterwards. One at an instant
    /// limits nothing but the step before it.
    #[test]
    fn motions_are_not_jumped_over() {
        let limits = |moving| StepLimits { longest: 50.0, is_given: false, bounds_growth: true, moving: Some(moving) };
        let limits = [limits([100.0, 101.0]), limits([100.0, 100.0])];
        let at = |time: f64| limits.map(|limits| limits.longest_at(time));
        assert_eq!(at(0.0), [50.0, 50.0]);
        assert_eq!(at(97.0), [3.0, 3.0]);
        assert_eq!(at(99.99999999999999), [0.1, 50.0]);
        assert_eq!(at(100.0), [0.1, 50.0]);
        assert_eq!(at(101.0), [50.0, 50.0]);
    }
}
