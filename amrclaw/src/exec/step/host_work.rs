//! What the host computes for an executor on a device, and what that costs.

use parking_lot::Mutex;
use std::time::Instant;

/// A part of a step or regrid that the host computes, though a device takes the steps.
#[derive(Clone, Debug, PartialEq)]
pub struct HostWork {
    /// What is computed: `aux`, `source`, …
    pub what: &'static str,
    /// How often it was computed.
    pub times: u64,
    /// Number of cells, over all times.
    pub cells: u64,
    /// Seconds that it took, copies from and to the device included.
    pub seconds: f64,
}

/// A record of it.
#[derive(Debug, Default)]
pub(in crate::exec) struct HostWorks(Mutex<Vec<HostWork>>);

impl HostWorks {
    /// Adds a piece of work that began at `start` and ends now.
    pub fn note(&self, what: &'static str, cells: usize, start: Instant) {
        let (mut all, seconds) = (self.0.lock(), start.elapsed().as_secs_f64());
        match all.iter_mut().find(|work| work.what == what) {
            Some(work) => {
                work.times += 1;
                work.cells += cells as u64;
                work.seconds += seconds;
            }
            None => all.push(HostWork { what, times: 1, cells: cells as u64, seconds }),
        }
    }

    /// All of it, by what is computed.
    pub fn all(&self) -> Vec<HostWork> {
        self.0.lock().clone()
    }
}
