//! What runs gave, medians over repeats, and the best and worst of each device.

use super::{Plan, PlannedRun};
use crate::diagnose::PhaseSeconds;
use crate::io::run_json::RunRecord;
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

/// One run and what it gave.
#[derive(Clone, Debug, PartialEq)]
pub struct RunResult {
    /// Which run.
    pub run: PlannedRun,
    /// How it ended.
    pub status: RunResultStatus,
    /// Why it failed; empty if it did not.
    pub error: String,
    /// Its `run.json`, if it got so far as to write one.
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
    /// Wall seconds. NaN, as all that follow, if no run reached its end.
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
    /// How many times the slowest setting takes as long as the fastest.
    pub fn ratio(&self) -> f64 {
        self.slowest.wall_seconds / self.fastest.wall_seconds
    }
}

/// Medians of all settings on all devices.
#[derive(Clone, Debug, PartialEq)]
pub struct Summary {
    /// Per device, per setting, in the plan's order; those without a single run are absent.
    pub medians: Vec<Medians>,
    /// Per device with at least one run that reached its end.
    pub best: Vec<Best>,
}

impl Summary {
    /// Sums up what has been run so far.
    pub fn new(plan: &Plan, results: &[RunResult]) -> Self {
        let mut medians = Vec::new();
        for device in 0..plan.devices.len() {
            for setting in 0..plan.settings.len() {
                let is_here = |result: &&RunResult| (result.run.device, result.run.setting) == (device, setting);
                let here: Vec<&RunResult> = results.iter().filter(is_here).collect();
                if !here.is_empty() {
                    medians.push(Medians::of(&here, setting, device));
                }
            }
        }
        let best = (0..plan.devices.len()).filter_map(|device| best_of(device, &medians)).collect();
        Summary { medians, best }
    }

    /// The medians of a setting on a device, if it has been run there.
    pub fn at(&self, device: usize, setting: usize) -> Option<&Medians> {
        self.medians.iter().find(|m| (m.device, m.setting) == (device, setting))
    }

    /// The fastest setting of a device, if one reached its end there.
    pub fn best(&self, device: usize) -> Option<&Best> {
        self.best.iter().find(|best| best.device == device)
    }
}

fn best_of(device: usize, medians: &[Medians]) -> Option<Best> {
    let done = || medians.iter().filter(|m| m.device == device && m.done > 0);
    let by_time = |a: &&Medians, b: &&Medians| a.wall_seconds.total_cmp(&b.wall_seconds);
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
            wall_seconds: of(|r| r.wall_seconds),
            wall_range: [walls.clone().fold(f64::NAN, f64::min), walls.fold(f64::NAN, f64::max)],
            cells_advanced_total: of(|r| r.cells_advanced_total as f64),
            updates_per_second: of(|r| r.updates_per_second),
            patches_mean: of(patches),
            phases: PhaseSeconds {
                advance: of(|r| r.phases.advance),
                ghost: of(|r| r.phases.ghost),
                reflux: of(|r| r.phases.reflux),
                update: of(|r| r.phases.update),
                regrid: of(|r| r.phases.regrid),
                output: of(|r| r.phases.output),
                other: of(|r| r.phases.other),
            },
            memory_host: of(|r| r.memory_bytes.host as f64),
            memory_device: of(|r| r.memory_bytes.device as f64),
        }
    }
}

/// Mean number of patches on all levels.
pub(super) fn patches(record: &RunRecord) -> f64 {
    record.patches_mean.iter().sum()
}

/// The middle value, or the mean of the two in the middle; NaN of nothing.
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

    /// A sweep of two settings on two devices, three runs each, whose seconds are set by `seconds(device, setting,
    /// repeat)`; `None` is a run that failed.
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
        let failed = summary.at(1, 0).unwrap();
        assert!(failed.done == 0 && failed.failed == 3 && failed.wall_seconds.is_nan());
        assert_eq!(summary.best(1).unwrap().fastest.setting, 1);
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
