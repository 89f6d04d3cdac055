//! The files of the gauges.

use crate::case::Case;
use crate::frames::derived::Formula;
use crate::frames::{OutputError, SeriesWriter, gauge};
use crate::simulation::Simulation;
use std::path::Path;

/// Writers of all gauges, each with the number of rows written.
pub(super) struct GaugeFiles<const D: usize> {
    writers: Vec<(SeriesWriter, usize)>,
    /// The case's further fields that can be computed from the solution at a point.
    fields: Vec<Formula<D>>,
}

impl<const D: usize> GaugeFiles<D> {
    /// Creates or continues the gauges' files under temporary names: see [`GaugeFiles::show`].
    pub fn open(case: &Case, simulation: &Simulation<D>, dir: &Path, resumed: bool) -> Result<Self, OutputError> {
        let vocabulary = case.vocabulary();
        let formula = |(name, text): (String, String)| {
            let formula = Formula::new(&text, simulation.equations(), &vocabulary).ok()?;
            formula.is_pointwise().then_some((name, formula))
        };
        let (names, fields): (Vec<String>, Vec<_>) = case.output_fields().into_iter().filter_map(formula).unzip();
        let columns = [simulation.equations(), &names].concat();
        let writer = |gauge: &crate::simulation::Gauge<D>| {
            let header = gauge::header(&gauge.name, &gauge.position, &columns);
            let path = dir.join(gauge::file_name(&gauge.name));
            Ok((SeriesWriter::open(path, &header, resumed.then(|| simulation.time()))?, 0))
        };
        let writers = simulation.gauges().iter().map(writer).collect::<Result<_, OutputError>>()?;
        Ok(GaugeFiles { writers, fields })
    }

    /// Renames the files to their final names.
    pub fn show(&mut self) -> Result<(), OutputError> {
        self.writers.iter_mut().try_for_each(|(writer, _)| writer.show())
    }

    /// Names of the files.
    pub fn names(&self) -> Vec<String> {
        self.writers.iter().filter_map(|(writer, _)| writer.name()).collect()
    }

    /// Writes the rows added since the last call.
    pub fn record(&mut self, simulation: &Simulation<D>) -> Result<(), OutputError> {
        for ((writer, written), gauge) in self.writers.iter_mut().zip(simulation.gauges()) {
            for sample in gauge.samples().skip(*written) {
                let mut values = sample.q.to_vec();
                values.extend(self.fields.iter().map(|f| f.at_point(gauge.position, sample.time, sample.q)));
                writer.record(sample.level, sample.time, &values)?;
            }
            *written = gauge.len();
            writer.flush()?;
        }
        Ok(())
    }
}
