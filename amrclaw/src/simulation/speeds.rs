//! How fast each of several ranks is, as they have measured it: new levels are shared out by it.

use super::Simulation;
use crate::exec::{DevicePhase, ExecError};
use crate::mesh::Speeds;
use tracing::debug;

/// Seconds that each rank must have worked before its speed is known well enough.
const ENOUGH: f64 = 0.5;

/// What is known of the ranks' speeds, and what this rank has done since they were told.
pub(super) struct Measured {
    pub speeds: Speeds,
    /// Cells that it has advanced.
    cells: u64,
    /// Seconds that this took, without waits for others.
    seconds: f64,
    /// Seconds that a device had worked before.
    device_before: f64,
}

impl Measured {
    /// Ranks begin equally fast.
    pub fn new(ranks: usize) -> Self {
        Measured { speeds: Speeds::equal(ranks), cells: 0, seconds: 0.0, device_before: 0.0 }
    }

    /// A step of this rank's part of a level.
    pub fn note(&mut self, cells: u64, seconds: f64) {
        self.cells += cells;
        self.seconds += seconds;
    }
}

impl<const D: usize> Simulation<D> {
    /// Shares new levels out by these speeds of the ranks until they have measured their own. All ranks are told the same, one for each.
    pub fn assume_speeds(&mut self, speeds: Speeds) {
        self.speeds.speeds = speeds;
    }

    /// Ranks tell one another what they have measured, once it is enough. All call it before they share new levels out.
    pub(super) fn measure_speeds(&mut self) -> Result<(), ExecError> {
        if self.ranks.is_solo() {
            return Ok(());
        }
        let Measured { cells, seconds, device_before, .. } = self.speeds;
        let device = self.seconds_of_device();
        let seconds = device.map_or(seconds, |now| now - device_before);
        let told = self.ranks.gather(&[cells, seconds.to_bits()])?;
        let told: Vec<(u64, f64)> = told.iter().map(|words| (words[0], f64::from_bits(words[1]))).collect();
        if told.iter().any(|&(cells, seconds)| cells > 0 && seconds < ENOUGH) {
            return Ok(());
        }
        let speeds = self.speeds.speeds.measured(&told);
        if speeds != self.speeds.speeds {
            debug!(?speeds, "ranks are unequally fast");
        }
        self.speeds = Measured { speeds, cells: 0, seconds: 0.0, device_before: device.unwrap_or(0.0) };
        Ok(())
    }

    /// Seconds that a device has worked on steps, where the host only orders them; 0 unless it takes its time.
    fn seconds_of_device(&self) -> Option<f64> {
        let phases = || self.exec.device_use().and_then(|device| device.phase_seconds);
        let advance = || phases().map_or(0.0, |seconds| seconds[DevicePhase::Advance as usize]);
        self.exec.works_ahead().then(advance)
    }
}
