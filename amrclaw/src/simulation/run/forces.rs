//! The files of the forces, of a case on a mesh from a file.

use super::Cause;
use crate::case::{Case, ForceSettings};
use crate::frames::derived::Formula;
use crate::frames::{OutputError, SeriesWriter, force};
use crate::simulation::{Force, Simulation};
use std::collections::BTreeMap;
use std::path::Path;

/// Writers of all forces.
pub(super) struct ForceFiles<const D: usize> {
    series: Vec<Series<D>>,
}

struct Series<const D: usize> {
    name: String,
    force: Force<D>,
    every_steps: u64,
    writer: SeriesWriter,
    /// The step of the last row, and its values.
    last: Option<(u64, [f64; D])>,
}

impl<const D: usize> ForceFiles<D> {
    /// Creates or continues the files under temporary names: see [`ForceFiles::show`].
    pub fn open(case: &Case, simulation: &Simulation<D>, dir: &Path, resumed: bool) -> Result<Self, OutputError> {
        let fields = [simulation.equations(), simulation.aux()].concat();
        let one = |ForceSettings { name, side, every_steps, value }: &ForceSettings| {
            let formula = Formula::of_syntax(&value.syntax, &fields, &case.vocabulary());
            let force = Force { side: side.clone(), formula: formula.expect("checked with the case") };
            let path = dir.join(force::file_name(name));
            let header = force::header(name, &value.text, side, D);
            let writer = SeriesWriter::open(path, &header, resumed.then(|| simulation.time()))?;
            Ok(Series { name: name.clone(), force, every_steps: *every_steps, writer, last: None })
        };
        Ok(ForceFiles { series: case.output.forces.iter().map(one).collect::<Result<_, OutputError>>()? })
    }

    /// Renames the files to their final names.
    pub fn show(&mut self) -> Result<(), OutputError> {
        self.series.iter_mut().try_for_each(|series| series.writer.show())
    }

    /// Names of the files.
    pub fn names(&self) -> Vec<String> {
        self.series.iter().filter_map(|series| series.writer.name()).collect()
    }

    /// Adds a row of the present state to each file where one is due, or to all at the end of a run.
    pub fn record(&mut self, simulation: &mut Simulation<D>, is_end: bool) -> Result<(), Cause> {
        let (step, time) = (simulation.counts().levels[0].steps, simulation.time());
        let due = |series: &&mut Series<D>| {
            series.last.is_none_or(|(last, _)| last != step) && (is_end || step.is_multiple_of(series.every_steps))
        };
        let mut due: Vec<&mut Series<D>> = self.series.iter_mut().filter(due).collect();
        let values = simulation.forces(&due.iter().map(|series| &series.force).collect::<Vec<_>>())?;
        for (series, values) in due.iter_mut().zip(values) {
            series.last = Some((step, values));
            series.writer.record(step, time, &values)?;
            series.writer.flush()?;
        }
        Ok(())
    }

    /// The last row of each.
    pub fn last(&self) -> BTreeMap<String, Vec<f64>> {
        let last = |series: &Series<D>| Some((series.name.clone(), series.last?.1.to_vec()));
        self.series.iter().filter_map(last).collect()
    }
}
