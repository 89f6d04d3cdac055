//! When frames are due.

use crate::case::FrameSchedule;

/// The frames of a run that are still to be written.
pub(super) struct FrameTimes {
    /// In ascending order; the frames still to be written begin at `next`.
    times: Vec<f64>,
    next: usize,
    every_steps: Option<u64>,
    end: f64,
}

impl FrameTimes {
    pub fn new(schedule: &FrameSchedule, start: f64, end: f64) -> Self {
        let every_steps = match schedule {
            FrameSchedule::EverySteps(steps) => Some(*steps),
            FrameSchedule::Times(_) | FrameSchedule::Count(_) => None,
        };
        FrameTimes { times: schedule.times(start, end).unwrap_or_default(), next: 0, every_steps, end }
    }

    /// Whether the state at the start, at `time`, is a frame.
    pub fn due_at_start(&mut self, time: f64) -> bool {
        self.pass(time) || self.every_steps.is_some()
    }

    /// Skips the frames up to `time`, which a restarted run has already written.
    pub fn skip_to(&mut self, time: f64) {
        self.pass(time);
    }

    /// The time that steps must not pass.
    pub fn limit(&self) -> f64 {
        self.times.get(self.next).copied().unwrap_or(self.end)
    }

    /// Whether the state at `time`, after `steps` steps of the coarsest level, is a frame.
    pub fn due(&mut self, time: f64, steps: u64) -> bool {
        let by_steps = self.every_steps.is_some_and(|n| steps.is_multiple_of(n) || time >= self.end);
        self.pass(time) || by_steps
    }

    /// Skips the frames up to `time`; true if there was one.
    fn pass(&mut self, time: f64) -> bool {
        let passed = self.times[self.next..].iter().take_while(|&&t| t <= time).count();
        self.next += passed;
        passed > 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each listed time is due once, the start only if it is listed, and the run then goes on to its end.
    #[test]
    fn listed_times_are_limits_and_due_once() {
        let mut times = FrameTimes::new(&FrameSchedule::Times(vec![0.5, 0.75]), 0.0, 1.0);
        assert!(!times.due_at_start(0.0));
        assert_eq!(times.limit(), 0.5);
        assert!(!times.due(0.4, 1) && times.due(0.5, 2) && !times.due(0.6, 3));
        assert_eq!(times.limit(), 0.75);
        times.skip_to(0.75);
        assert_eq!(times.limit(), 1.0);
    }

    /// A count gives the start and equal intervals; a run that goes on from a frame's time does not write it again.
    #[test]
    fn counted_frames_begin_at_the_start() {
        let mut times = FrameTimes::new(&FrameSchedule::Count(4), 1.0, 2.0);
        assert!(times.due_at_start(1.0));
        assert_eq!(times.limit(), 1.25);
        let mut later = FrameTimes::new(&FrameSchedule::Count(4), 1.0, 2.0);
        later.skip_to(1.5);
        assert_eq!(later.limit(), 1.75);
    }

    /// Frames by steps: the start, every so many, and the end whatever its step.
    #[test]
    fn frames_by_steps_include_start_and_end() {
        let mut times = FrameTimes::new(&FrameSchedule::EverySteps(3), 0.0, 1.0);
        assert!(times.due_at_start(0.0));
        assert_eq!(times.limit(), 1.0);
        let due: Vec<u64> = (1..8).filter(|&n| times.due(0.1 * n as f64, n)).collect();
        assert_eq!(due, [3, 6]);
        assert!(times.due(1.0, 8));
    }
}
