//! Measured speeds of the ranks, by which new levels are distributed among them.

use super::Simulation;
use crate::exec::{DevicePhase, ExecError};
use crate::mesh::Speeds;
use tracing::debug;

/// Seconds that each rank must have worked for a reliable measurement of its speed.
const ENOUGH: f64 = 0.5;

/// The ranks' speeds, and what this rank has done since they were last measured.
pub(super) struct Measured {
    pub speeds: Speeds,
    /// Cells that this rank has advanced.
    cells: u64,
    /// Seconds that this took, without waits for others.
    seconds: f64,
    /// Seconds that a device had worked before.
    device_before: f64,
}

impl Measured {
    /// Equal speeds of all ranks.
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
    /// Sets the speeds by which new levels are distributed until the ranks have measured theirs. All ranks must set the same speeds.
    pub fn assume_speeds(&mut self, speeds: Speeds) {
        self.work.speeds.speeds = speeds;
    }

    /// Updates the speeds from all ranks' measurements, once these are long enough. A collective operation, before new levels are distributed.
    pub(super) fn measure_speeds(&mut self) -> Result<(), ExecError> {
        if self.crew.ranks.is_solo() {
            return Ok(());
        }
        let Measured { cells, seconds, device_before, .. } = self.work.speeds;
        let device = self.seconds_of_device();
        let seconds = device.map_or(seconds, |now| now - device_before);
        let told = self.crew.ranks.gather(&[cells, seconds.to_bits()])?;
        let told: Vec<(u64, f64)> = told.iter().map(|words| (words[0], f64::from_bits(words[1]))).collect();
        if told.iter().any(|&(cells, seconds)| cells > 0 && seconds < ENOUGH) {
            return Ok(());
        }
        let speeds = self.work.speeds.speeds.measured(&told);
        if speeds != self.work.speeds.speeds {
            debug!(?speeds, "ranks are unequally fast");
        }
        self.work.speeds = Measured { speeds, cells: 0, seconds: 0.0, device_before: device.unwrap_or(0.0) };
        Ok(())
    }

    /// Seconds that a device has spent on steps, if it works asynchronously; 0 if its time is not measured.
    fn seconds_of_device(&self) -> Option<f64> {
        let device = self.exec.usage().device.filter(|device| device.streamed.is_none())?;
        Some(device.phase_seconds.map_or(0.0, |seconds| seconds[DevicePhase::Advance as usize]))
    }
}
