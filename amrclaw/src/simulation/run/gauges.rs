//! The files of the gauges.

use crate::io::{GaugeWriter, OutputError};
use crate::simulation::Simulation;
use std::path::Path;

/// Writers of all gauges, and how many rows of each have been handed to them.
pub(super) struct GaugeFiles {
    writers: Vec<(GaugeWriter, usize)>,
}

impl GaugeFiles {
    /// Begins the gauges' files; a run that goes on continues them instead.
    pub fn open<const D: usize>(simulation: &Simulation<D>, dir: &Path, resumed: bool) -> Result<Self, OutputError> {
        let equations = simulation.equations();
        let writer = |gauge: &crate::simulation::Gauge<D>| {
            // The row of the present time belongs to the step to come.
            let before = simulation.time().next_down();
            let writer = match resumed {
                true => GaugeWriter::resume(dir, &gauge.name, &gauge.position, equations, before)?,
                false => GaugeWriter::create(dir, &gauge.name, &gauge.position, equations)?,
            };
            Ok((writer, 0))
        };
        let writers = simulation.gauges().iter().map(writer).collect::<Result<_, OutputError>>()?;
        Ok(GaugeFiles { writers })
    }

    /// Writes the rows that have come since the last call.
    pub fn record<const D: usize>(&mut self, simulation: &Simulation<D>) -> Result<(), OutputError> {
        for ((writer, written), gauge) in self.writers.iter_mut().zip(simulation.gauges()) {
            for sample in gauge.samples().skip(*written) {
                writer.record(sample.level, sample.time, sample.q)?;
            }
            *written = gauge.len();
            writer.flush()?;
        }
        Ok(())
    }
}
