//! Results of runs, medians over repeats, and the fastest and slowest setting of each device.

use super::{Plan, PlannedRun, Sweep};
use crate::compare::{Norms, Reference, Truth, errors, ranges, relative_error};
use crate::diagnose::PhaseSeconds;
use crate::frames::run_json::RunRecord;
use serde::{Deserialize, Serialize};

/// How a run of a sweep ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum RunResultStatus {
    /// It reached its end.
    Done,
    /// It did not.
    Failed,
}

/// One run and its result.
#[derive(Clone, Debug, PartialEq)]
pub struct RunResult {
    /// Which run.
    pub run: PlannedRun,
    /// How it ended.
    pub status: RunResultStatus,
    /// Why it failed; empty if it did not.
    pub error: String,
    /// Its `run.json`, if it wrote one.
    pub record: Option<RunRecord>,
}

/// Medians over the repeats of one setting on one device that reached their end.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Medians {
    /// Number of the setting.
    #[serde(skip)]
    pub setting: usize,
    /// Number of the device.
    #[serde(skip)]
    pub device: usize,
    /// Runs that reached their end.
    pub done: usize,
    /// Runs that did not.
    pub failed: usize,
    /// Seconds without output, by which settings are ranked. Like all following numbers NaN if no run reached its end.
    pub seconds: f64,
    /// Wall seconds.
    pub wall_seconds: f64,
    /// Least and most wall seconds.
    pub wall_range: [f64; 2],
    /// Cell updates on all levels.
    pub cells_advanced_total: f64,
    /// Cell updates per second of the whole run.
    pub updates_per_second: f64,
    /// Sum over levels of the mean number of patches in a step.
    pub patches_mean: f64,
    /// Seconds by phase.
    pub phases: PhaseSeconds,
    /// Most memory in use on the host, bytes.
    pub memory_host: f64,
    /// Most memory in use on the device, bytes.
    pub memory_device: f64,
    /// Largest relative change of the total of a conserved quantity from start to end. Includes flow through the sides of
    /// the domain and sources.
    pub drift: f64,
    /// Mean error relative to the range of values, if it was requested and could be computed.
    pub error: Option<f64>,
    /// Why it could not be computed.
    pub no_error: Option<String>,
}

/// The fastest and the slowest setting of a device.
#[derive(Clone, Debug, PartialEq)]
pub struct Best {
    /// Number of the device.
    pub device: usize,
    /// The fastest setting.
    pub fastest: Medians,
    /// The slowest setting.
    pub slowest: Medians,
}

impl Best {
    /// Time of the slowest setting divided by that of the fastest.
    pub fn ratio(&self) -> f64 {
        self.slowest.seconds / self.fastest.seconds
    }
}

/// Medians of all settings on all devices.
#[derive(Clone, Debug, PartialEq)]
pub struct Summary {
    /// Per device, per setting, in the plan's order, without settings that have no run yet.
    pub medians: Vec<Medians>,
    /// Per device with at least one run that reached its end.
    pub best: Vec<Best>,
}

impl Summary {
    /// Summarizes the runs so far.
    pub fn new(plan: &Plan, results: &[RunResult]) -> Self {
        let mut medians = Vec::new();
        for device in 0..plan.devices.len() {
            for setting in 0..plan.settings.len() {
                let is_local = |result: &&RunResult| (result.run.device, result.run.setting) == (device, setting);
                let here: Vec<&RunResult> = results.iter().filter(is_local).collect();
                if !here.is_empty() {
                    medians.push(Medians::of(&here, setting, device));
                }
            }
        }
        let best = (0..plan.devices.len()).filter_map(|device| best_of(device, &medians)).collect();
        Summary { medians, best }
    }

    /// As [`Summary::new`], with the errors that the sweep asks for: all at the latest time at which a run ends, and relative to the same
    /// range of values. The finest setting is the one with the most cell updates.
    pub fn of(sweep: &Sweep, results: &[RunResult]) -> Self {
        let mut summary = Self::new(&sweep.plan, results);
        let Some(reference) = &sweep.reference else { return summary };
        let run_of = |m: &Medians| {
            results.iter().find(|result| {
                (result.run.device, result.run.setting, result.status) == (m.device, m.setting, RunResultStatus::Done)
            })
        };
        let folder = |m: &Medians| run_of(m).map(|result| sweep.dir.join(&result.run.folder));
        let by_work = |a: &&Medians, b: &&Medians| a.cells_advanced_total.total_cmp(&b.cells_advanced_total);
        let finest = summary.medians.iter().filter(|m| m.done > 0).max_by(by_work).and_then(folder);
        let times = results.iter().filter_map(|result| result.record.as_ref()).map(|record| record.time);
        let end = times.fold(f64::NEG_INFINITY, f64::max);
        let errors_of = |m: &Medians| {
            let truth = match reference {
                Reference::Exact(formulas) => Truth::Exact(formulas),
                Reference::Finest => Truth::Run(finest.as_deref()?),
            };
            Some(errors(&folder(m)?, &truth, end).map_err(|error| error.to_string()))
        };
        let found: Vec<_> = summary.medians.iter().map(errors_of).collect();
        let ranges = ranges(found.iter().flatten().flatten());
        for (m, found) in summary.medians.iter_mut().zip(found) {
            let relative = |errors: Vec<(String, Norms)>| {
                relative_error(&errors, &ranges)
                    .ok_or_else(|| "what it is compared with is the same everywhere".to_owned())
            };
            match found.map(|found| found.and_then(relative)) {
                Some(Ok(error)) => m.error = Some(error),
                Some(Err(why)) => m.no_error = Some(why),
                None => {}
            }
        }
        let devices = 0..sweep.plan.devices.len();
        summary.best = devices.filter_map(|device| best_of(device, &summary.medians)).collect();
        summary
    }

    /// Settings whose error could not be computed, and why.
    pub fn without_error(&self, plan: &Plan, device: usize) -> Vec<String> {
        let here = self.medians.iter().filter(|m| m.device == device);
        here.filter_map(|m| Some(format!("no error of {}: {}", plan.describe(m.setting), m.no_error.as_ref()?)))
            .collect()
    }

    /// A note if a device's fastest setting is one without refinement while others refine: it is faster only because it does
    /// less work.
    pub fn refinement_note(&self, plan: &Plan, device: usize) -> Option<String> {
        let levels = plan.vary.iter().position(|vary| vary.keys.iter().any(|key| key == "levels.max"))?;
        let value = |m: &Medians| plan.vary[levels].values[plan.settings[m.setting][levels]].trim().to_owned();
        let best = &self.best(device)?.fastest;
        let refined = |m: &&Medians| m.device == device && m.done > 0 && value(m) != "1";
        let by_time = |a: &&Medians, b: &&Medians| a.seconds.total_cmp(&b.seconds);
        let other = self.medians.iter().filter(refined).min_by(by_time)?;
        if value(best) != "1" {
            return None;
        }
        let errors = match (best.error, other.error) {
            (Some(own), Some(others)) => {
                format!("; its error is {own:.2e}, that of {} {others:.2e}", plan.describe(other.setting))
            }
            _ => "; --error gives the errors of both".to_owned(),
        };
        Some(format!(
            "levels.max = 1 is faster only because it refines nothing and does less work: {:.3e} cell updates \
             against {:.3e} with {}{errors}.",
            best.cells_advanced_total,
            other.cells_advanced_total,
            plan.describe(other.setting),
        ))
    }

    /// The fastest setting of a device, if one reached its end there.
    pub fn best(&self, device: usize) -> Option<&Best> {
        self.best.iter().find(|best| best.device == device)
    }
}

fn best_of(device: usize, medians: &[Medians]) -> Option<Best> {
    let done = || medians.iter().filter(|m| m.device == device && m.done > 0);
    let by_time = |a: &&Medians, b: &&Medians| a.seconds.total_cmp(&b.seconds);
    let (fastest, slowest) = (done().min_by(by_time)?.clone(), done().max_by(by_time)?.clone());
    Some(Best { device, fastest, slowest })
}

impl Medians {
    fn of(results: &[&RunResult], setting: usize, device: usize) -> Self {
        let is_done = |result: &&&RunResult| result.status == RunResultStatus::Done;
        let records: Vec<&RunRecord> = results.iter().filter(is_done).filter_map(|r| r.record.as_ref()).collect();
        let of = |figure: fn(&RunRecord) -> f64| median(records.iter().map(|record| figure(record)).collect());
        let walls = records.iter().map(|record| record.wall_seconds);
        Medians {
            setting,
            device,
            done: records.len(),
            failed: results.len() - records.len(),
            seconds: of(|r| r.wall_seconds - r.phases.output),
            wall_seconds: of(|r| r.wall_seconds),
            wall_range: [walls.clone().fold(f64::NAN, f64::min), walls.fold(f64::NAN, f64::max)],
            cells_advanced_total: of(|r| r.cells_advanced_total as f64),
            updates_per_second: of(|r| r.updates_per_second),
            patches_mean: of(patches),
            phases: PhaseSeconds {
                advance: of(|r| phases(r).advance),
                ghost: of(|r| phases(r).ghost),
                reflux: of(|r| phases(r).reflux),
                average: of(|r| phases(r).average),
                regrid: of(|r| phases(r).regrid),
                output: of(|r| phases(r).output),
                other: of(|r| phases(r).other),
            },
            memory_host: of(|r| r.memory_bytes.host_peak as f64),
            memory_device: of(|r| r.memory_bytes.device as f64),
            drift: of(drift),
            error: None,
            no_error: None,
        }
    }
}

/// Seconds by phase: the device's own if a device that holds all values has measured them, with the rest of the run as `other`; else the host's.
fn phases(record: &RunRecord) -> PhaseSeconds {
    let of_device = record.device_use.as_ref().filter(|used| used.streamed.is_none()).and_then(|used| used.phases);
    let Some(own) = of_device else { return record.phases };
    let worked = own.advance + own.ghost + own.reflux + own.average + own.regrid + own.output;
    PhaseSeconds { other: (record.wall_seconds - worked).max(0.0), ..own }
}

/// Largest relative change of a total, ignoring totals that are round-off compared with the largest.
fn drift(record: &RunRecord) -> f64 {
    let largest =
        record.totals_initial.values().chain(record.totals_final.values()).fold(0.0, |m: f64, v| m.max(v.abs()));
    let change = |(name, initial): (&String, &f64)| {
        let last = record.totals_final.get(name)?;
        let size = initial.abs().max(last.abs());
        (size > 1e-10 * largest).then(|| (last - initial).abs() / size)
    };
    record.totals_initial.iter().filter_map(change).fold(0.0, f64::max)
}

/// Mean number of patches on all levels.
pub(super) fn patches(record: &RunRecord) -> f64 {
    record.patches_mean.iter().sum()
}

/// The median; NaN if there are no values.
fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    let n = values.len();
    match n {
        0 => f64::NAN,
        _ if n % 2 == 1 => values[n / 2],
        _ => (values[n / 2 - 1] + values[n / 2]) / 2.0,
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::frames::run_json::{DeviceRecord, StreamedRecord};

    /// A sweep of two settings on two devices, three runs each, with wall seconds from `seconds(device, setting, repeat)`;
    /// `None` is a run that failed.
    pub fn sample(seconds: impl Fn(usize, usize, usize) -> Option<f64>) -> (Plan, Vec<RunResult>) {
        let vary = ["regrid.cutoff=0.5,0.9", "regrid.interval=2"].map(|text| text.parse().unwrap());
        let plan = Plan::new(vary.to_vec(), false, vec!["cpu".into(), "cuda".into()], 3, 1).unwrap();
        let result = |run: &PlannedRun| match seconds(run.device, run.setting, run.repeat) {
            Some(seconds) => {
                let mut record = RunRecord { patches_mean: vec![1.0, 2.5], ..RunRecord::default() };
                record.phases =
                    PhaseSeconds { advance: 0.7 * seconds, regrid: 0.3 * seconds, ..PhaseSeconds::default() };
                record.set_work(vec![1_000_000, 2_000_000], seconds);
                RunResult {
                    run: run.clone(),
                    status: RunResultStatus::Done,
                    error: String::new(),
                    record: Some(record),
                }
            }
            None => RunResult {
                run: run.clone(),
                status: RunResultStatus::Failed,
                error: "q is NaN on <level> 2, \"patch\" 1".into(),
                record: None,
            },
        };
        let results = plan.runs.iter().map(result).collect();
        (plan, results)
    }

    /// If a device has measured its own phases, these are used, and the rest of the run is `other`; with values in host memory the phases
    /// are the host's.
    #[test]
    fn phases_are_the_devices_own() {
        let (_, results) = sample(|_, _, _| Some(10.0));
        let mut record = results[0].record.clone().unwrap();
        let host = record.phases;
        assert_eq!(phases(&record), host);
        let own = PhaseSeconds { advance: 4.0, regrid: 1.0, other: 0.5, ..PhaseSeconds::default() };
        let used = DeviceRecord { phases: Some(own), ..DeviceRecord::default() };
        record.device_use = Some(used.clone());
        assert_eq!(phases(&record), PhaseSeconds { other: 5.0, ..own });
        record.device_use = Some(DeviceRecord { streamed: Some(StreamedRecord::default()), ..used });
        assert_eq!(phases(&record), host);
    }

    /// Medians leave outliers and failed runs out; the best is named per device.
    #[test]
    fn medians_over_repeats_name_the_best() {
        let (plan, results) = sample(|device, setting, repeat| match (device, setting, repeat) {
            (0, 0, r) => Some([9.0, 1.0, 2.0][r - 1]),
            (0, 1, 1) => None,
            (0, 1, r) => Some([0.0, 5.0, 7.0][r - 1]),
            (_, 0, _) => None,
            (_, _, _) => Some(0.5),
        });
        let summary = Summary::new(&plan, &results);
        let cpu = summary.best(0).unwrap();
        assert_eq!((cpu.fastest.setting, cpu.fastest.wall_seconds, cpu.fastest.wall_range), (0, 2.0, [1.0, 9.0]));
        assert_eq!((cpu.slowest.setting, cpu.slowest.wall_seconds, cpu.ratio()), (1, 6.0, 3.0));
        assert_eq!((cpu.slowest.done, cpu.slowest.failed), (2, 1));
        assert_eq!((cpu.fastest.patches_mean, cpu.fastest.cells_advanced_total), (3.5, 3e6));
        let failed = summary.medians.iter().find(|m| (m.device, m.setting) == (1, 0)).unwrap();
        assert!(failed.done == 0 && failed.failed == 3 && failed.wall_seconds.is_nan());
        assert_eq!(summary.best(1).unwrap().fastest.setting, 1);
    }

    /// Output does not count in the ranking; changes of totals give the drift; a fastest setting without refinement gets the
    /// note that it does less.
    #[test]
    fn ranking_leaves_output_out_and_says_what_does_less() {
        let vary = vec!["levels.max=1,2".parse().unwrap()];
        let plan = Plan::new(vary, false, vec!["cpu".into()], 1, 1).unwrap();
        let result = |run: &PlannedRun| {
            let mut record = RunRecord::default();
            let coarse = run.setting == 0;
            record.phases = PhaseSeconds { output: if coarse { 5.0 } else { 0.0 }, ..PhaseSeconds::default() };
            record.set_work(vec![if coarse { 100 } else { 900 }], if coarse { 6.0 } else { 2.0 });
            record.totals_initial = [("mass".to_owned(), 2.0), ("momentum".to_owned(), 1e-15)].into();
            record.totals_final = [("mass".to_owned(), 1.5), ("momentum".to_owned(), 3e-15)].into();
            RunResult { run: run.clone(), status: RunResultStatus::Done, error: String::new(), record: Some(record) }
        };
        let results: Vec<_> = plan.runs.iter().map(result).collect();
        let summary = Summary::new(&plan, &results);
        let best = &summary.best(0).unwrap().fastest;
        assert_eq!((best.setting, best.seconds, best.wall_seconds, best.drift), (0, 1.0, 6.0, 0.25));
        let note = summary.refinement_note(&plan, 0).unwrap();
        assert!(note.contains("1.000e2 cell updates against 9.000e2") && note.contains("--error"), "{note}");
    }

    /// A device on which nothing reached its end has no best setting.
    #[test]
    fn a_device_that_failed_has_no_best() {
        let (plan, results) = sample(|device, _, _| (device == 0).then_some(1.0));
        let summary = Summary::new(&plan, &results);
        assert!(summary.best(1).is_none() && summary.best(0).is_some());
        assert_eq!(summary.medians.len(), 4);
        assert!(Summary::new(&plan, &[]).medians.is_empty());
    }
}
