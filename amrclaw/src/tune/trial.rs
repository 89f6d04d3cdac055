//! Trials: a short piece of the case with one setting after the other.

use super::search::GAIN;
use super::{CoarseState, Found, Measured, Setting, Tried, difference, search};
use crate::case::{self, Case};
use crate::frames::run_json::RunRecord;
use crate::frames::{OutputError, check_output_dir, read};
use crate::sweep::{Launch, RunResultStatus, SweepError};
use std::path::{Path, PathBuf};

/// A setting may lose this fraction of the accuracy that the finest level gains.
const LOSS: f64 = 0.05;
/// Most steps of a trial: more than any run takes, to override a limit in the case.
pub const MAX_STEPS: u64 = 1_000_000_000;

/// Parameters of tuning.
#[derive(Clone, Debug)]
pub struct Tune {
    /// How trials are started.
    pub launch: Launch,
    /// Device, by the name of `--device`.
    pub device: String,
    /// Folder of the trials.
    pub dir: PathBuf,
    /// Length of the piece of the run, in steps of the coarsest level with the case's own setting.
    pub steps: u64,
    /// Most settings to try.
    pub most: usize,
    /// How often the fastest setting and the case's own are compared at the end.
    pub repeats: usize,
}

/// A notice of tuning's progress.
#[derive(Clone, Copy, Debug)]
pub enum Notice<'a> {
    /// A trial begins: its number, and its setting in words.
    Begin(usize, &'a str),
    /// A line of the trial's progress.
    Progress(&'a str),
}

/// The result of tuning.
#[derive(Clone, Debug)]
pub struct Tuned {
    /// Start and end of the piece of the run.
    pub piece: [f64; 2],
    /// The largest admissible error of a setting.
    pub limit: f64,
    /// Difference between the finest setting and a run with one level less: the gain of the finest level. `None` without refinement.
    pub worth: Option<f64>,
    /// All settings tried.
    pub found: Found,
    /// Median seconds per unit of simulated time of the case's own setting and of the fastest, run in turn at the end;
    /// `None` if they are the same.
    pub compared: Option<[f64; 2]>,
}

impl Tuned {
    /// Speedup of the setting found over the case's own; `None` if none was found, or if the comparison at the end did not
    /// confirm it.
    pub fn speedup(&self) -> Option<f64> {
        let [before, after] = self.compared?;
        (after < (1.0 - GAIN) * before).then_some(before / after)
    }

    /// The setting to use.
    pub fn setting(&self) -> Setting {
        let number = if self.speedup().is_some() { self.found.fastest } else { 0 };
        self.found.tried[number].setting
    }
}

/// Searches the fastest setting for `case`.
///
/// # Errors
/// The case fails with its own setting or with the finest, or a file cannot be written.
pub fn tune(case: &Case, tune: &Tune, watch: &mut dyn FnMut(Notice<'_>)) -> Result<Tuned, SweepError> {
    check_output_dir(&tune.dir).map_err(SweepError::Folder)?;
    std::fs::create_dir_all(&tune.dir).map_err(OutputError::io("create", &tune.dir))?;
    let mut trials = Trials { case, tune, end: case.time.end, longest_step: case.time.dt_max, count: 0, watch };
    let own = Setting::of(case);
    let first = trials.must_run(&own, "the case's own setting", &[format!("time.max_steps={}", tune.steps)])?;
    trials.end = first.record.time;
    trials.longest_step = first.record.step_limits.as_ref().and_then(|limits| limits.dt_max);
    let mut reference = first.state.clone();
    let (mut worth, mut limit) = (None, 0.0);
    if case.levels.max > 1 {
        reference = trials.must_run(&Setting::finest(&own), "the finest setting", &[])?.state;
        let coarser = trials.must_run(&own, "one level less", &with_levels(case, case.levels.max - 1))?;
        let gained = difference(&coarser.state, &reference);
        worth = Some(gained);
        limit = difference(&first.state, &reference).max(LOSS * gained);
    }
    let measured = trials.measured(&first, &reference);
    let start = Tried { setting: own, measured };
    let mut ratios: Vec<i32> = case.levels.ratio.iter().take(case.levels.max - 1).flatten().copied().collect();
    ratios.dedup();
    let found = search::<SweepError>(start, limit, &ratios, tune.most, &mut |setting| match trials.run(
        setting,
        &setting.to_string(),
        &[],
    )? {
        Ok(trial) => Ok(trials.measured(&trial, &reference)),
        Err(_) => Ok(Measured { seconds: f64::INFINITY, error: f64::NAN, cells: 0 }),
    })?;
    let compared = match found.fastest {
        0 => None,
        fastest => Some(trials.compare([own, found.tried[fastest].setting])?),
    };
    Ok(Tuned { piece: [case.time.start, trials.end], limit, worth, found, compared })
}

/// A trial that reached its end.
struct Trial {
    record: RunRecord,
    state: CoarseState,
}

struct Trials<'a> {
    case: &'a Case,
    tune: &'a Tune,
    /// End of the piece of the run.
    end: f64,
    /// Longest step, as soon as a trial has told that of the whole run: the piece's own default would be shorter.
    longest_step: Option<f64>,
    count: usize,
    watch: &'a mut dyn FnMut(Notice<'_>),
}

impl Trials<'_> {
    /// Runs the piece with a setting and further overrides; the message if it fails.
    fn run(&mut self, setting: &Setting, what: &str, more: &[String]) -> Result<Result<Trial, String>, SweepError> {
        self.count += 1;
        (self.watch)(Notice::Begin(self.count, what));
        let folder = self.tune.dir.join(format!("trial_{:03}", self.count));
        let mut overrides = setting.overrides();
        let dt_initial = self.case.time.dt_initial.min(self.longest_step.unwrap_or(f64::INFINITY));
        // Written so that they are read back as the same numbers.
        overrides.extend([
            format!("time.end={:?}", self.end),
            format!("time.dt_initial={dt_initial:?}"),
            format!("time.max_steps={MAX_STEPS}"),
            format!("output.times=[{:?}]", self.end),
            "output.format=[\"vtkhdf\"]".to_owned(),
            "output.checkpoint_every_steps=0".to_owned(),
            "output.checkpoint_every_minutes=0".to_owned(),
            "output.png=false".to_owned(),
        ]);
        overrides.extend(self.longest_step.map(|dt| format!("time.dt_max={dt:?}")));
        overrides.extend_from_slice(more);
        let watch = &mut *self.watch;
        let ended =
            self.tune.launch.run(&self.tune.device, &overrides, &folder, &mut |line| watch(Notice::Progress(line)))?;
        let (RunResultStatus::Done, Some(record)) = (ended.status, ended.record) else { return Ok(Err(ended.error)) };
        let state = CoarseState::read(&folder)?;
        remove_frames(&folder)?;
        Ok(Ok(Trial { record, state }))
    }

    /// As [`Trials::run`]; a failed run is an error, since the comparison needs it.
    fn must_run(&mut self, setting: &Setting, what: &str, more: &[String]) -> Result<Trial, SweepError> {
        self.run(setting, what, more)?.map_err(|reason| SweepError::Run { what: what.to_owned(), reason })
    }

    fn measured(&self, trial: &Trial, reference: &CoarseState) -> Measured {
        Measured {
            seconds: self.seconds(&trial.record),
            error: difference(&trial.state, reference),
            cells: trial.record.cells_advanced_total,
        }
    }

    /// Seconds of stepping per unit of simulated time, which dominate a long run. Start and output are left out.
    fn seconds(&self, record: &RunRecord) -> f64 {
        let p = &record.phases;
        (p.advance + p.ghost + p.reflux + p.average + p.regrid) / (record.time - self.case.time.start)
    }

    /// Median seconds of two settings, run in turn.
    fn compare(&mut self, settings: [Setting; 2]) -> Result<[f64; 2], SweepError> {
        let mut seconds = [Vec::new(), Vec::new()];
        for _ in 0..self.tune.repeats {
            for (setting, seconds) in settings.iter().zip(&mut seconds) {
                let what = format!("once more: {setting}");
                let trial = self.must_run(setting, &what, &[])?;
                seconds.push(self.seconds(&trial.record));
            }
        }
        Ok(seconds.map(|mut seconds| {
            seconds.sort_by(f64::total_cmp);
            seconds[seconds.len() / 2]
        }))
    }
}

/// Overrides for `max` levels: regions cannot name finer ones.
fn with_levels(case: &Case, max: usize) -> Vec<String> {
    let levels = |(k, region): (usize, &case::Region)| {
        let [coarsest, finest] = [region.coarsest, region.finest].map(|level| max.min(level.index() + 1));
        format!("regrid.region.{k}.levels=[{coarsest},{finest}]")
    };
    let regions = case.regrid.region.iter().enumerate().map(levels);
    std::iter::once(format!("levels.max={max}")).chain(regions).collect()
}

/// Frames of large cases would fill the disk: once compared, they are of no use.
fn remove_frames(folder: &Path) -> Result<(), SweepError> {
    for (_, path) in read::list_frames(folder)? {
        std::fs::remove_file(&path).map_err(OutputError::io("remove", &path))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::ClusterSetting;
    use super::*;

    /// The setting found is used if the final comparison confirms it beyond noise; else the case's own setting is.
    #[test]
    fn chance_does_not_change_the_setting() {
        let own = Setting { interval: 8, buffer: 8, cover: ClusterSetting::Boxes(0.7), max_patch_size: 256 };
        let other = Setting { interval: 4, buffer: 4, ..own };
        let outcome = |setting, seconds| Tried { setting, measured: Measured { seconds, error: 0.0, cells: 1 } };
        let found = Found { tried: vec![outcome(own, 2.0), outcome(other, 1.0)], fastest: 1 };
        let setting = |compared| {
            let tuned = Tuned { piece: [0.0, 1.0], limit: 0.0, worth: None, found: found.clone(), compared };
            tuned.setting()
        };
        assert_eq!(setting(Some([2.0, 1.0])), other);
        assert_eq!(setting(Some([2.0, 1.99])), own);
        assert_eq!(setting(None), own);
    }
}
