//! Monitors: what formulas have been at most, at least and first at points, and what they are at frames. A point has the value of the finest cell that holds it.
//!
//! All ranks know the whole record: after each look they exchange the values of their own points. So every rank can write it, and a
//! restart with other ranks goes on with the same bits.

use super::Cause;
use crate::case::{Case, Extreme, MonitorSettings};
use crate::exec::ExecError;
use crate::formula::RowExpressions;
use crate::frames::derived::Formula;
use crate::frames::{OutputError, RunFolder, monitor};
use crate::index::{CellBox, Level};
use crate::mesh::{Hierarchy, MeshEpoch, Partition};
use crate::physics::CellRow;
use crate::simulation::{RunError, Simulation};
use crate::threads::parallel_map;
use serde::{Deserialize, Serialize};
use std::path::Path;

/// The monitors of a run.
pub(super) struct Monitors<const D: usize> {
    all: Vec<Monitor<D>>,
}

/// The record of a monitor, in a checkpoint.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct MonitorState {
    name: String,
    /// The step of the last look.
    looked: Option<u64>,
    /// The bits of all values, 16 hexadecimal digits each.
    values: String,
}

struct Monitor<const D: usize> {
    settings: MonitorSettings,
    points: Vec<[f64; D]>,
    formulas: RowExpressions<D>,
    looked: Option<u64>,
    /// `[value][point]`; NaN before there is one.
    values: Vec<Vec<f64>>,
    /// Level, patch and cell of each point, on the mesh of an epoch.
    places: Vec<Place<D>>,
    epoch: Option<MeshEpoch>,
}

type Place<const D: usize> = (Level, usize, [i32; D]);

impl<const D: usize> Monitors<D> {
    /// The case's monitors, with what a checkpoint knows of them.
    ///
    /// # Errors
    /// The checkpoint has a monitor of that name with other points or values.
    pub fn new(case: &Case, simulation: &Simulation<D>, known: &[MonitorState]) -> Result<Self, Cause> {
        let fields = [simulation.equations(), simulation.aux()].concat();
        let vocabulary = case.vocabulary();
        let one = |(number, settings): (usize, &MonitorSettings)| {
            let formula = |syntax| Formula::of_syntax(syntax, &fields, &vocabulary).expect("checked with the case");
            let formulas: Vec<Formula<D>> = settings.values.iter().map(|(_, value)| formula(&value.syntax)).collect();
            let position = |point: &[f64]| std::array::from_fn(|d| point[d]);
            let points: Vec<[f64; D]> = settings.points.chunks_exact(D).map(position).collect();
            let mut monitor = Monitor {
                formulas: Formula::together(formulas.iter()),
                values: vec![vec![f64::NAN; points.len()]; formulas.len()],
                points,
                settings: settings.clone(),
                looked: None,
                places: Vec::new(),
                epoch: None,
            };
            if let Some(state) = known.iter().find(|state| state.name == settings.name) {
                monitor.go_on(state).ok_or_else(|| {
                    let message = "has other points or values than in the checkpoint";
                    let help = "restart with the case that wrote the checkpoint, or give it another name";
                    Cause::from(RunError::from(case.error(&format!("monitor.{number}"), message, help)))
                })?;
            }
            Ok(monitor)
        };
        Ok(Monitors { all: case.monitor.iter().enumerate().map(one).collect::<Result<_, Cause>>()? })
    }

    /// Looks at the present state where that is due, or at a frame or the end of a run. All ranks call it.
    pub fn look(&mut self, simulation: &mut Simulation<D>, always: bool) -> Result<(), Cause> {
        let (step, time) = (simulation.counts().levels[0].steps, simulation.time());
        let due = |monitor: &&mut Monitor<D>| {
            let [from, to] = monitor.settings.time;
            let is_new = monitor.looked.is_none_or(|looked| looked != step);
            is_new && (from..=to).contains(&time) && (always || step.is_multiple_of(monitor.settings.every_steps))
        };
        let mut due: Vec<&mut Monitor<D>> = self.all.iter_mut().filter(due).collect();
        if due.is_empty() {
            return Ok(());
        }
        if !simulation.aux_stays() {
            simulation.renew_aux()?;
        }
        let owners: Vec<_> = simulation.plans.iter().map(|plans| plans.partition.as_ref()).collect();
        for monitor in &mut due {
            monitor.locate(simulation.hierarchy());
            let number = simulation.crew.ranks.rank().number;
            let is_own = |&(level, patch, _): &Place<D>| {
                Partition::owns(owners[level.index()].map(|owners| &**owners), number, patch)
            };
            let mut found: Vec<(usize, Vec<f64>)> = Vec::new();
            for level in (0..owners.len()).map(|l| Level(l as u8)) {
                let of_level = |k: &usize| monitor.places[*k].0 == level && is_own(&monitor.places[*k]);
                let own: Vec<usize> = (0..monitor.points.len()).filter(of_level).collect();
                found.extend(monitor.values_at(own, level, simulation, time).map_err(RunError::from)?);
            }
            let count = monitor.values.len();
            if simulation.crew.ranks.is_solo() {
                found.iter().for_each(|(k, values)| monitor.take(*k, values, time));
            } else {
                let words =
                    |(k, values): &(usize, Vec<f64>)| [vec![*k as u64], values.iter().map(|v| v.to_bits()).collect()];
                let words: Vec<u64> = found.iter().flat_map(words).flatten().collect();
                let lost = |lost| RunError::from(ExecError::from(lost));
                for part in simulation.crew.ranks.gather(&words).map_err(lost)? {
                    for of_point in part.chunks_exact(1 + count) {
                        let values: Vec<f64> = of_point[1..].iter().map(|bits| f64::from_bits(*bits)).collect();
                        monitor.take(of_point[0] as usize, &values, time);
                    }
                }
            }
            monitor.looked = Some(step);
        }
        Ok(())
    }

    /// What a checkpoint needs.
    pub fn state(&self) -> Vec<MonitorState> {
        let digits = |value: &f64| format!("{:016x}", value.to_bits());
        let of = |monitor: &Monitor<D>| MonitorState {
            name: monitor.settings.name.clone(),
            looked: monitor.looked,
            values: monitor.values.iter().flatten().map(digits).collect(),
        };
        self.all.iter().map(of).collect()
    }

    /// Names of the files that are written anew from frame to frame.
    pub fn names(&self) -> Vec<String> {
        let lasting = self.all.iter().filter(|monitor| monitor.keeps(false));
        lasting.map(|monitor| monitor::file_name(&monitor.settings.name, None, monitor.settings.format)).collect()
    }

    /// Writes all files; with the number and step of a frame also those of the values at it.
    pub fn write(&self, folder: &RunFolder, frame: Option<(usize, u64)>) -> Result<(), OutputError> {
        for monitor in &self.all {
            let MonitorSettings { name, format, .. } = &monitor.settings;
            if monitor.keeps(false) {
                monitor.write(&folder.dir().join(monitor::file_name(name, None, *format)), false)?;
            }
            let looked = |(_, step): &(usize, u64)| monitor.keeps(true) && monitor.looked == Some(*step);
            if let Some((number, _)) = frame.filter(looked) {
                let name = monitor::file_name(name, Some(number), *format);
                folder.announce(std::slice::from_ref(&name))?;
                monitor.write(&folder.dir().join(name), true)?;
            }
        }
        Ok(())
    }
}

impl<const D: usize> Monitor<D> {
    /// Whether it has values of frames, or others.
    fn keeps(&self, of_frames: bool) -> bool {
        self.settings.values.iter().any(|(kind, _)| (*kind == Extreme::Now) == of_frames)
    }

    /// Writes the points and the values of frames, or the others.
    fn write(&self, path: &Path, of_frames: bool) -> Result<(), OutputError> {
        let axes = (0..D).map(|d| self.points.iter().map(|point| point[d]).collect());
        let (mut names, mut columns): (Vec<&str>, Vec<Vec<f64>>) = ["x", "y", "z"].into_iter().zip(axes).unzip();
        let values = self.settings.values.iter().zip(&self.values);
        for ((_, formula), values) in values.filter(|((kind, _), _)| (*kind == Extreme::Now) == of_frames) {
            names.push(&formula.name);
            columns.push(values.clone());
        }
        monitor::write(path, self.settings.format, &names, &self.settings.shape, &columns)
    }

    /// Goes on from the state in a checkpoint; `None` if that is another monitor's.
    fn go_on(&mut self, state: &MonitorState) -> Option<()> {
        let bits = |digits: &[u8]| u64::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok();
        let words: Vec<u64> = state.values.as_bytes().chunks(16).map(bits).collect::<Option<_>>()?;
        let count = self.points.len();
        if words.len() != count * self.values.len() {
            return None;
        }
        for (values, words) in self.values.iter_mut().zip(words.chunks(count)) {
            values.iter_mut().zip(words).for_each(|(value, word)| *value = f64::from_bits(*word));
        }
        self.looked = state.looked;
        Some(())
    }

    /// Finds the finest cell at each point, unless the mesh is that of the last look.
    fn locate(&mut self, hierarchy: &Hierarchy<D>) {
        if self.epoch == Some(hierarchy.epoch()) {
            return;
        }
        let place = |k: usize| {
            for l in (0..hierarchy.num_levels()).rev() {
                let (level, domain) = (Level(l as u8), hierarchy.level(Level(l as u8)).domain());
                let held = hierarchy.geometry(level).cell_at(self.points[k]);
                let cell = std::array::from_fn(|d| held[d].clamp(domain.lo[d], domain.hi[d] - 1));
                if let Some(image) = hierarchy.level(level).images(&CellBox::cell(cell)).first() {
                    return (level, image.patch, cell);
                }
            }
            unreachable!("the coarsest level covers the domain")
        };
        self.places = parallel_map(self.points.len(), place);
        self.epoch = Some(hierarchy.epoch());
    }

    /// The formulas' values at points in cells of this rank's patches of a level, with the points' numbers.
    fn values_at(
        &self,
        points: Vec<usize>,
        level: Level,
        simulation: &Simulation<D>,
        time: f64,
    ) -> Result<Vec<(usize, Vec<f64>)>, ExecError> {
        let cell_of = |k: usize| (self.places[k].1, self.places[k].2);
        let cells: Vec<_> = points.iter().map(|k| cell_of(*k)).collect();
        let fields = simulation.exec.values_in_cells(level, &cells)?;
        let (geometry, count) = (simulation.hierarchy().geometry(level), fields.len() / points.len().max(1));
        let values = |n: usize| {
            let rows: Vec<&[f64]> = fields[n * count..][..count].iter().map(std::slice::from_ref).collect();
            let mut out = vec![0.0; self.formulas.len()];
            self.formulas.evaluate(&CellRow { geometry, first: cells[n].1, len: 1, time }, &rows, &mut out);
            (points[n], out)
        };
        Ok(parallel_map(points.len(), values))
    }

    /// Takes the values at a point into the record.
    fn take(&mut self, k: usize, found: &[f64], time: f64) {
        for ((kept, (kind, _)), value) in self.values.iter_mut().zip(&self.settings.values).zip(found) {
            let kept = &mut kept[k];
            let (is_new, value) = match kind {
                Extreme::Max => (*value > *kept, *value),
                Extreme::Min => (*value < *kept, *value),
                Extreme::Now => (true, *value),
                Extreme::First => (false, if *value != 0.0 && !value.is_nan() { time } else { f64::NAN }),
            };
            if is_new || kept.is_nan() {
                *kept = value;
            }
        }
    }
}
