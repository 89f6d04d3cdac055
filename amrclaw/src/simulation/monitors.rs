//! Monitors: what formulas have been at most, at least and first at points, and what they are at frames. A point has the value of the finest cell that holds it.
//!
//! They look after each step of the level that this cell is on. What a rank finds within a step of the coarsest level it keeps apart, until that step
//! stands. Then all ranks exchange what they have found, so that each knows the whole record and can write it, and a restart with other
//! ranks goes on with the same bits: extremes do not depend on the order in which they are taken.

use super::{RunError, Simulation};
use crate::case::{Case, Extreme, MonitorSettings};
use crate::exec::ExecError;
use crate::frames::derived::Formula;
use crate::frames::{OutputError, RunFolder, monitor};
use crate::index::{CellBox, Level};
use crate::mesh::{Hierarchy, MeshEpoch, Partition};
use crate::physics::{CellBlock, CellRow, StateFunction};
use crate::threads::parallel_map;
use serde::{Deserialize, Serialize};
use std::path::Path;
use std::sync::Arc;

/// The monitors of a run.
pub(super) struct Monitors<const D: usize> {
    all: Vec<Monitor<D>>,
    /// When the present step of the coarsest level began.
    since: f64,
}

impl<const D: usize> Default for Monitors<D> {
    fn default() -> Self {
        Monitors { all: Vec::new(), since: f64::NEG_INFINITY }
    }
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
    /// Of the equations and auxiliary values, with derivatives within patches.
    formulas: Arc<dyn StateFunction<D>>,
    /// How far cells may lie from a point's whose values they need.
    reach: i32,
    looked: Option<u64>,
    /// `[value][point]`; NaN before there is one.
    values: Vec<Vec<f64>>,
    /// What this rank has found since the present step of the coarsest level began.
    found: Vec<Vec<f64>>,
    /// Level, patch and cell of each point, on the mesh of an epoch, and the points by level.
    places: Vec<Place<D>>,
    by_level: Vec<Vec<usize>>,
    epoch: Option<MeshEpoch>,
}

type Place<const D: usize> = (Level, usize, [i32; D]);

impl<const D: usize> Monitors<D> {
    /// The case's monitors, with what a checkpoint knows of them.
    ///
    /// # Errors
    /// The checkpoint has a monitor of that name with other points or values.
    pub fn new(case: &Case, simulation: &Simulation<D>, known: &[MonitorState]) -> Result<Self, RunError> {
        let fields = [simulation.equations(), simulation.aux()].concat();
        let vocabulary = case.vocabulary();
        let one = |(number, settings): (usize, &MonitorSettings)| {
            let formula = |syntax| Formula::of_syntax(syntax, &fields, &vocabulary).expect("checked with the case");
            let formulas: Vec<Formula<D>> = settings.values.iter().map(|(_, value)| formula(&value.syntax)).collect();
            let position = |point: &[f64]| std::array::from_fn(|d| point[d]);
            let points: Vec<[f64; D]> = settings.points.chunks_exact(D).map(position).collect();
            let mut monitor = Monitor {
                values: vec![vec![f64::NAN; points.len()]; formulas.len()],
                found: vec![vec![f64::NAN; points.len()]; formulas.len()],
                // At a patch's sides derivatives are one-sided, of three cells.
                reach: 2 * formulas.iter().map(Formula::reach).max().unwrap_or(0),
                formulas: Formula::within_patches(formulas, simulation.equations().len(), None, None),
                points,
                settings: settings.clone(),
                looked: None,
                places: Vec::new(),
                by_level: Vec::new(),
                epoch: None,
            };
            if let Some(state) = known.iter().find(|state| state.name == settings.name) {
                monitor.go_on(state).ok_or_else(|| {
                    let message = "has other points or values than in the checkpoint";
                    let help = "restart with the case that wrote the checkpoint, or give it another name";
                    RunError::from(case.error(&format!("monitor.{number}"), message, help))
                })?;
            }
            Ok(monitor)
        };
        let all = case.monitor.iter().enumerate().map(one).collect::<Result<_, RunError>>()?;
        Ok(Monitors { all, since: simulation.time() })
    }

    /// Looks at a level within a step of the coarsest level, where a step of the level begins.
    fn look_within(&mut self, simulation: &mut Simulation<D>, level: Level, time: f64) -> Result<(), ExecError> {
        let mut is_renewed = simulation.aux_stays();
        for monitor in self.all.iter_mut().filter(|monitor| monitor.looks_between(time, time)) {
            if !std::mem::replace(&mut is_renewed, true) {
                simulation.exec.renew_aux(level, None)?;
            }
            monitor.look(simulation, level, time)?;
        }
        Ok(())
    }

    /// Forgets what has been found within a step of the coarsest level that is taken again, and where: its regrids may give another mesh.
    pub fn forget(&mut self) {
        for monitor in &mut self.all {
            monitor.found.iter_mut().for_each(|found| found.fill(f64::NAN));
            monitor.epoch = None;
        }
    }

    /// Takes what has been found within a step into the record, and the present state where that is due.
    fn look(&mut self, simulation: &mut Simulation<D>, always: bool) -> Result<(), RunError> {
        let (step, time) = (simulation.counts().levels[0].steps, simulation.time());
        let since = std::mem::replace(&mut self.since, time);
        let is_now = |monitor: &Monitor<D>| {
            let [from, to] = monitor.settings.time;
            let is_new = monitor.looked.is_none_or(|looked| looked != step);
            is_new && (from..=to).contains(&time) && (always || step.is_multiple_of(monitor.settings.every_steps))
        };
        if !simulation.aux_stays() && self.all.iter().any(is_now) {
            simulation.renew_aux()?;
        }
        for monitor in &mut self.all {
            let is_now = is_now(monitor);
            if is_now {
                for l in 0..simulation.hierarchy().num_levels() {
                    monitor.look(simulation, Level(l as u8), time).map_err(RunError::from)?;
                }
                monitor.looked = Some(step);
            }
            if is_now || monitor.looks_between(since, time) {
                monitor.exchange(simulation, is_now)?;
            }
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

    /// Whether it looks within steps of the coarsest level, between two times.
    fn looks_between(&self, since: f64, time: f64) -> bool {
        let [from, to] = self.settings.time;
        self.settings.every_steps == 1 && from <= time && since <= to
    }

    /// Whether the cell that holds a point is in a patch of this rank.
    fn is_own(&self, simulation: &Simulation<D>, k: usize) -> bool {
        let (level, patch, _) = self.places[k];
        let owners = simulation.plans[level.index()].partition.as_deref();
        Partition::owns(owners, simulation.crew.ranks.rank().number, patch)
    }

    /// Looks at this rank's points on a level.
    fn look(&mut self, simulation: &Simulation<D>, level: Level, time: f64) -> Result<(), ExecError> {
        self.locate(simulation.hierarchy());
        let of_level = self.by_level[level.index()].iter().copied();
        let own: Vec<usize> = of_level.filter(|&k| self.is_own(simulation, k)).collect();
        if own.is_empty() {
            return Ok(());
        }
        for (k, values) in self.values_at(own, level, simulation, time)? {
            for ((kept, (kind, _)), value) in self.found.iter_mut().zip(&self.settings.values).zip(values) {
                let is_true = value != 0.0 && !value.is_nan();
                take(&mut kept[k], *kind, if *kind == Extreme::First && is_true { time } else { value }, is_true);
            }
        }
        Ok(())
    }

    /// Takes what all ranks have found into the record. `is_now`: the last look was at the present state.
    fn exchange(&mut self, simulation: &Simulation<D>, is_now: bool) -> Result<(), RunError> {
        let (ranks, count) = (&simulation.crew.ranks, self.values.len());
        let is_present = |k: usize| is_now && self.is_own(simulation, k);
        let seen = |k: &usize| is_present(*k) || self.found.iter().any(|found| !found[*k].is_nan());
        let records = (0..self.points.len()).filter(seen).flat_map(|k| {
            let values = self.found.iter().map(move |found| found[k].to_bits());
            [2 * k as u64 + u64::from(is_present(k))].into_iter().chain(values)
        });
        let records: Vec<u64> = records.collect();
        self.found.iter_mut().for_each(|found| found.fill(f64::NAN));
        let parts = if ranks.is_solo() {
            vec![records]
        } else {
            ranks.gather(&records).map_err(|lost| RunError::from(ExecError::from(lost)))?
        };
        for record in parts.iter().flat_map(|part| part.chunks_exact(1 + count)) {
            let (k, is_present) = ((record[0] / 2) as usize, record[0] % 2 == 1);
            for ((kept, (kind, _)), bits) in self.values.iter_mut().zip(&self.settings.values).zip(&record[1..]) {
                if *kind != Extreme::Now || is_present {
                    take(&mut kept[k], *kind, f64::from_bits(*bits), true);
                }
            }
        }
        Ok(())
    }

    /// Finds the finest cell at each point, unless the mesh is that of the last look.
    fn locate(&mut self, hierarchy: &Hierarchy<D>) {
        if self.epoch == Some(hierarchy.epoch()) {
            return;
        }
        self.places = parallel_map(self.points.len(), |k| hierarchy.finest_at(self.points[k]));
        self.by_level = vec![Vec::new(); hierarchy.num_levels()];
        for (k, (level, ..)) in self.places.iter().enumerate() {
            self.by_level[level.index()].push(k);
        }
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
        let patches = simulation.hierarchy().level(level).patches();
        let around = |k: &usize| {
            let (_, patch, cell) = self.places[*k];
            (patch, CellBox::cell(cell).grow(self.reach).intersect(&patches[patch]))
        };
        let boxes: Vec<(usize, CellBox<D>)> = points.iter().map(around).collect();
        let cells_of =
            |(patch, cells): &(usize, CellBox<D>)| cells.cells().map(|cell| (*patch, cell)).collect::<Vec<_>>();
        let cells: Vec<_> = boxes.iter().flat_map(cells_of).collect();
        let starts = boxes.iter().scan(0, |next, (_, cells)| Some(std::mem::replace(next, *next + cells.volume())));
        let starts: Vec<usize> = starts.collect();
        let fields = simulation.exec.values_in_cells(level, &cells)?;
        let (geometry, count) = (simulation.hierarchy().geometry(level), fields.len() / cells.len().max(1));
        let num_eqn = simulation.equations().len();
        let values = |n: usize| {
            let (all, volume) = (boxes[n].1, boxes[n].1.volume());
            let own = &fields[count * starts[n]..][..count * volume];
            let rows: Vec<f64> = (0..count).flat_map(|field| own.iter().skip(field).step_by(count).copied()).collect();
            let (state, aux) = rows.split_at(num_eqn * volume);
            let mut out = vec![0.0; self.formulas.num_values() * volume];
            match self.formulas.by_block() {
                None => {
                    self.formulas.fill_row(&CellRow { geometry, first: all.lo, len: 1, time }, state, aux, &mut out)
                }
                Some(function) => {
                    let size = all.size().map(|cells| cells as usize);
                    function.fill(&CellBlock { geometry, first: all.lo, size, time }, state, aux, &mut out);
                }
            }
            let (k, here) = (points[n], all.number_of(self.places[points[n]].2));
            (k, out.into_iter().skip(here).step_by(volume).collect())
        };
        Ok(parallel_map(points.len(), values))
    }
}

/// Takes a value, or the time of the first, into a record; of none NaN. Of zeros the positive one is larger.
fn take(kept: &mut f64, kind: Extreme, value: f64, is_true: bool) {
    let is_new = match kind {
        Extreme::Max => value.total_cmp(kept).is_gt(),
        Extreme::Min => value.total_cmp(kept).is_lt(),
        Extreme::First => is_true && value < *kept,
        Extreme::Now => true,
    };
    let is_first = kept.is_nan() && (is_true || kind != Extreme::First);
    if kind == Extreme::Now || (!value.is_nan() && (is_new || is_first)) {
        *kept = value;
    }
}

impl<const D: usize> Simulation<D> {
    /// Lets monitors look at a level that is about to take a step within one of the coarsest level.
    pub(super) fn look_within(&mut self, level: Level, time: f64) -> Result<(), ExecError> {
        if self.monitors.all.is_empty() || time <= self.time {
            return Ok(());
        }
        let mut monitors = std::mem::take(&mut self.monitors);
        let looked = monitors.look_within(self, level, time);
        self.monitors = monitors;
        looked
    }

    /// Lets monitors look after a step of the coarsest level: at the present state where that is due, or `always`, at a frame or the end of a
    /// run. All ranks call it.
    pub(super) fn look(&mut self, always: bool) -> Result<(), RunError> {
        let mut monitors = std::mem::take(&mut self.monitors);
        let looked = monitors.look(self, always);
        self.monitors = monitors;
        looked
    }
}
