//! How long the device works on each phase: a pair of timed events around every copy and kernel.
//!
//! The time between two pieces of work, when the device waits for the host, is in none of them. With events between them kernels are
//! not started ahead: the sum is the device's own time, and the run takes a little longer than without.

use crate::exec::DevicePhase;
use cuda::{CudaError, Device, Event, Stream};
use parking_lot::Mutex;
use std::collections::VecDeque;

/// Number of pending pieces of work at which the times of the oldest are read.
const UNDER_WAY: usize = 512;

/// Accumulates the time that a stream's work takes, by phase.
#[derive(Debug, Default)]
pub(super) struct DeviceTimes(Mutex<Times>);

#[derive(Debug, Default)]
struct Times {
    phase: DevicePhase,
    seconds: [f64; DevicePhase::COUNT],
    /// In the order of the stream.
    under_way: VecDeque<(DevicePhase, [Event; 2])>,
    /// Events for reuse.
    spare: Vec<[Event; 2]>,
}

impl DeviceTimes {
    /// Work enqueued from now on belongs to a phase.
    pub fn enter(&self, phase: DevicePhase) {
        self.0.lock().phase = phase;
    }

    /// Measures the time of what `work` enqueues.
    pub fn time<T>(
        &self,
        (device, stream): (&Device, &Stream),
        work: impl FnOnce() -> Result<T, CudaError>,
    ) -> Result<T, CudaError> {
        let times = &mut *self.0.lock();
        if times.under_way.len() >= UNDER_WAY {
            times.take(UNDER_WAY / 2)?;
        }
        let pair = match times.spare.pop() {
            Some(pair) => pair,
            None => [device.event(true)?, device.event(true)?],
        };
        stream.record(&pair[0])?;
        let outcome = work()?;
        stream.record(&pair[1])?;
        times.under_way.push_back((times.phase, pair));
        Ok(outcome)
    }

    /// Seconds by phase so far. Waits for the device; the last work of a failed device is not counted.
    pub fn seconds(&self) -> [f64; DevicePhase::COUNT] {
        let times = &mut *self.0.lock();
        // The run itself reports the failure.
        let _ = times.take(usize::MAX);
        times.seconds
    }
}

impl Times {
    /// Waits for the oldest pieces of work, so many of them, and counts their time.
    fn take(&mut self, count: usize) -> Result<(), CudaError> {
        for _ in 0..count.min(self.under_way.len()) {
            let (phase, pair) = self.under_way.pop_front().expect("counted");
            pair[1].synchronize()?;
            self.seconds[phase as usize] += pair[1].milliseconds_since(&pair[0])? * 1e-3;
            self.spare.push(pair);
        }
        Ok(())
    }
}
