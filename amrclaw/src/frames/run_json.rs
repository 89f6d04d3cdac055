//! `run.json`: what a run did and what it cost, written when it begins and when it ends, whether or not it succeeded.

use super::atomic::{Durability, write_file};
use super::error::{InputError, OutputError};
use super::plot::Plot;
use crate::diagnose::{FallbackSteps, PhaseSeconds};
use serde::{Deserialize, Deserializer, Serialize};
use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};

/// Name of the file in the output folder.
pub const FILE_NAME: &str = "run.json";

/// How a run ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum RunStatus {
    /// Not yet.
    #[default]
    Running,
    /// It reached its end time.
    Done,
    /// It could not go on; [`RunRecord::error`] says why.
    Failed,
    /// The user stopped it.
    Interrupted,
}

/// The contents of `run.json`. Numbers that do not exist (NaN, infinities) are `null` there.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct RunRecord {
    /// The case file.
    pub case: String,
    /// The solver.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub solver: Option<SolverRecord>,
    /// Names and functions that the case defines, with their formulas.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub definitions: Vec<(String, String)>,
    /// How the run ended.
    pub status: RunStatus,
    /// Why it failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// The time that the solution reached.
    #[serde(deserialize_with = "number")]
    pub time: f64,
    /// The key of the case that ended the run before `time.end`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stopped_by: Option<String>,
    /// `cpu`, `cuda` or `cuda-streamed`.
    pub device: String,
    /// CPU threads used.
    pub threads: usize,
    /// `f64` or `f32`.
    pub precision: String,
    /// Seconds from start to end, reading the case and writing files included.
    pub wall_seconds: f64,
    /// Steps on each level.
    pub steps: Vec<u64>,
    /// Cell updates on each level, without those of steps that were taken again.
    pub cells_advanced: Vec<u64>,
    /// Steps on each level that were taken again, besides `steps`.
    #[serde(default)]
    pub steps_repeated: Vec<u64>,
    /// Cell updates of these steps, besides `cells_advanced`.
    #[serde(default)]
    pub cells_repeated: Vec<u64>,
    /// Sum of `cells_advanced`.
    pub cells_advanced_total: u64,
    /// `cells_advanced_total / wall_seconds`: without steps that were taken again.
    pub updates_per_second: f64,
    /// Seconds by phase.
    pub phases: PhaseSeconds,
    /// Seconds spent writing frames and checkpoints, mostly concurrent with the run, which waited only for
    /// `phases.output`.
    #[serde(default)]
    pub writer_seconds: f64,
    /// Patches on each level, averaged over its steps.
    pub patches_mean: Vec<f64>,
    /// Largest Courant number of an accepted step.
    #[serde(deserialize_with = "number")]
    pub courant_max: f64,
    /// What limited steps besides Courant numbers; none if nothing could.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub step_limits: Option<StepLimitsRecord>,
    /// Coarse steps in which faces fell back to first order to keep states admissible, and those of them that were taken without
    /// before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fallback_steps: Option<FallbackSteps>,
    /// Integral of each equation's quantity over the composite grid, at the start.
    #[serde(deserialize_with = "numbers")]
    pub totals_initial: BTreeMap<String, f64>,
    /// Integral of each equation's quantity over the composite grid, at the end.
    #[serde(deserialize_with = "numbers")]
    pub totals_final: BTreeMap<String, f64>,
    /// With `scheme.steady`, the mean change of cells in the last step looked at, relative to their values.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub steady_change: Option<f64>,
    /// The last value of each force: its components.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub forces: BTreeMap<String, Vec<f64>>,
    /// Pictures that the case asks for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub plots: Vec<Plot>,
    /// Memory for values.
    pub memory_bytes: MemoryBytes,
    /// What the device was used for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub device_use: Option<DeviceRecord>,
    /// What each of several ranks had to do.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub ranks: Vec<RankRecord>,
    /// With several ranks, the largest number of cell updates of a rank, divided by the mean.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub imbalance: Option<f64>,
    /// The folder that holds the record; not part of the file.
    #[serde(skip)]
    pub dir: PathBuf,
}

/// What limited the steps of the coarsest level besides Courant numbers and times to reach.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct StepLimitsRecord {
    /// The longest step: `time.dt_max`, or its default where something depends on time; none without a limit.
    pub dt_max: Option<f64>,
    /// The longest step is a default.
    pub dt_max_is_default: bool,
    /// Steps of this length.
    pub steps_at_dt_max: u64,
    /// Steps that were as long as the one before allows.
    pub steps_growing: u64,
}

impl fmt::Display for StepLimitsRecord {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let StepLimitsRecord { dt_max, dt_max_is_default, steps_at_dt_max, steps_growing } = self;
        let from = if *dt_max_is_default { " (default, as something depends on time)" } else { "" };
        let at_most = dt_max.map(|dt| format!("{steps_at_dt_max} by time.dt_max = {dt}{from}"));
        let growing = (*steps_growing > 0).then(|| format!("{steps_growing} by the step before"));
        let parts: Vec<String> = at_most.into_iter().chain(growing).collect();
        write!(f, "steps limited not by Courant numbers: {}", parts.join(", "))
    }
}

/// A solver and its parameters.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SolverRecord {
    /// Its name, or the path of its file.
    pub name: String,
    /// All its parameters.
    pub parameters: BTreeMap<String, f64>,
    /// Its own quantities by name, as formulas over the names of its values.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub quantities: Vec<(String, String)>,
}

/// Memory for values, in bytes: states, auxiliary values, what the conservation fix keeps, tables on a device.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct MemoryBytes {
    /// Held on the host at the end.
    pub host: u64,
    /// Held on the device at the end; 0 without one.
    pub device: u64,
    /// Most that was held on the host.
    #[serde(default)]
    pub host_peak: u64,
    /// Most that was in use on the device.
    #[serde(default)]
    pub device_peak: u64,
    /// One copy of the states of all levels, ghost cells included, when that was largest.
    #[serde(default)]
    pub state: u64,
}

/// One of several ranks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct RankRecord {
    /// Cells of its patches at the end.
    pub cells: u64,
    /// Cell updates of this process on its patches, steps that were taken again included.
    #[serde(default)]
    pub cells_advanced: u64,
    /// Seconds that these took, without ghost cells.
    #[serde(default)]
    pub seconds_advancing: f64,
    /// Memory for values, in bytes.
    pub memory_bytes: u64,
    /// Messages of values that it sent.
    pub messages: u64,
    /// Bytes sent with them.
    pub bytes_sent: u64,
    /// Seconds spent in sending, and in waiting for other ranks.
    pub seconds_waited: f64,
}

/// What a run used a device for.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct DeviceRecord {
    /// The pool of its memory.
    pub memory: PoolRecord,
    /// The pool of the host's pinned memory.
    pub pinned: PoolRecord,
    /// With `cuda-streamed`, what its sweeps took.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub streamed: Option<StreamedRecord>,
    /// Seconds of work on the device, by phase; `other` for work of no phase.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub phases: Option<PhaseSeconds>,
    /// What the host computed although a device took the steps.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub host: Vec<HostRecord>,
    /// Who made boxes of new levels and tables of plans.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub regrids: Vec<RegridRecord>,
}

/// Who made the boxes of new levels, or the tables of plans.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct RegridRecord {
    /// `boxes` or `tables`.
    pub what: String,
    /// `device` or `host`.
    pub by: String,
    /// Why the host did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub because: Option<String>,
    /// How often.
    pub times: u64,
}

/// A part of steps or regrids that the host computed, though a device took the steps.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct HostRecord {
    /// What was computed.
    pub what: String,
    /// How often.
    pub times: u64,
    /// Cells in all of these computations together.
    pub cells: u64,
    /// Seconds that it took, copies to and fro included.
    pub seconds: f64,
}

impl fmt::Display for HostRecord {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let HostRecord { what, times, cells, seconds } = self;
        let each = *cells as f64 / (*times).max(1) as f64;
        write!(f, "{what} of {each:.2e} cells computed on the host, {times} times: {seconds:.2} s")
    }
}

/// What a pool of memory did, in bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PoolRecord {
    /// Allocated from the driver.
    pub held: u64,
    /// Most that was in use at once.
    pub peak: u64,
    /// Number of allocations from the driver.
    pub driver_allocations: u64,
    /// Number of allocations from the pool.
    pub requests: u64,
}

/// What sweeps over values in the host's memory took.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct StreamedRecord {
    /// Seconds from the first copy of each sweep to the end of its last.
    pub seconds: f64,
    /// Seconds that kernels took of these.
    pub kernel_seconds: f64,
    /// Bytes copied to the device.
    pub bytes_to_device: u64,
    /// Bytes copied from it.
    pub bytes_to_host: u64,
}

impl RunRecord {
    /// Sets the work done on each level, and with it the sum and the rate.
    pub fn set_work(&mut self, cells_advanced: Vec<u64>, wall_seconds: f64) {
        self.cells_advanced_total = cells_advanced.iter().sum();
        self.cells_advanced = cells_advanced;
        self.wall_seconds = wall_seconds;
        self.updates_per_second =
            if wall_seconds > 0.0 { self.cells_advanced_total as f64 / wall_seconds } else { 0.0 };
    }

    /// Writes `run.json` into the folder `dir`.
    ///
    /// # Errors
    /// Names the file and the cause.
    pub fn write(&self, dir: &Path) -> Result<PathBuf, OutputError> {
        let path = dir.join(FILE_NAME);
        write_file(&path, Durability::Program, |out| Ok(serde_json::to_writer_pretty(out, self)?))?;
        Ok(path)
    }

    /// Reads a record.
    ///
    /// # Errors
    /// The file cannot be read or is no record of a run.
    pub fn read(path: &Path) -> Result<Self, InputError> {
        let text = std::fs::read(path).map_err(InputError::io(path))?;
        let mut record: RunRecord = serde_json::from_slice(&text).map_err(|error| InputError::Kind {
            path: path.to_owned(),
            expected: "the record of a run",
            reason: error.to_string(),
        })?;
        record.dir = path.parent().unwrap_or(Path::new("")).to_owned();
        Ok(record)
    }
}

/// A number, or NaN for `null`.
fn number<'de, T: Deserializer<'de>>(from: T) -> Result<f64, T::Error> {
    Ok(Option::deserialize(from)?.unwrap_or(f64::NAN))
}

/// Numbers by name, NaN for `null`.
fn numbers<'de, T: Deserializer<'de>>(from: T) -> Result<BTreeMap<String, f64>, T::Error> {
    let map: BTreeMap<String, Option<f64>> = Deserialize::deserialize(from)?;
    Ok(map.into_iter().map(|(name, value)| (name, value.unwrap_or(f64::NAN))).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record() -> RunRecord {
        let mut record = RunRecord {
            case: "case.toml".into(),
            status: RunStatus::Done,
            time: 0.1 + 0.2,
            device: "cpu".into(),
            threads: 2,
            precision: "f64".into(),
            steps: vec![3, 6],
            phases: PhaseSeconds { advance: 1.0 / 3.0, ..PhaseSeconds::default() },
            totals_initial: [("pressure".into(), 1.0)].into(),
            totals_final: [("pressure".into(), 1.0)].into(),
            ..RunRecord::default()
        };
        record.set_work(vec![300, 600], 2.0);
        record
    }

    /// The keys are part of the command line's interface: programs that read `run.json` rely on them.
    #[test]
    fn the_keys_are_those_of_the_contract() {
        let dir = tempfile::tempdir().unwrap();
        let text = std::fs::read(record().write(dir.path()).unwrap()).unwrap();
        let json: serde_json::Value = serde_json::from_slice(&text).unwrap();
        for key in "device threads precision wall_seconds steps cells_advanced cells_advanced_total updates_per_second \
                    phases patches_mean courant_max totals_initial totals_final memory_bytes status time case"
            .split_whitespace()
        {
            assert!(json.get(key).is_some(), "{key} is missing");
        }
        for phase in ["advance", "ghost", "reflux", "update", "regrid", "output", "other"] {
            assert!(json["phases"][phase].is_f64(), "{phase} is missing");
        }
        assert_eq!((&json["status"], &json["cells_advanced_total"]), (&"done".into(), &900.into()));
        assert_eq!(json["updates_per_second"], 450.0);
        assert!(json.get("error").is_none());
    }

    /// What is read is what was written, also when the run failed with a solution that is not a number.
    #[test]
    fn records_round_trip() {
        let dir = tempfile::tempdir().unwrap();
        let mut written = RunRecord { dir: dir.path().to_owned(), ..record() };
        assert_eq!(RunRecord::read(&written.write(dir.path()).unwrap()).unwrap(), written);
        written.status = RunStatus::Failed;
        written.error = Some("not a number on level 2".into());
        written.totals_final.insert("pressure".into(), f64::NAN);
        let read = RunRecord::read(&written.write(dir.path()).unwrap()).unwrap();
        assert!(read.totals_final["pressure"].is_nan() && read.error == written.error);
    }
}
