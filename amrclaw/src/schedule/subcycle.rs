//! Berger–Oliger subcycling as a state machine that yields steps and receives their Courant numbers.
//!
//! A level is advanced first, then the finer ones catch up with it in substeps, recursively; a level that has caught up
//! is synchronised with the coarser one. The number of substeps is the ratio in time, unless the Courant numbers reported
//! ask for more: Berger & LeVeque 1998, doi:10.1137/S0036142997315974, §3.

use crate::index::Level;
use std::sync::Arc;

/// What to do next.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Step {
    /// Replace all levels finer than `base`; then call [`Subcycle::set_finest`].
    Regrid {
        /// The finest level that stays as it is.
        base: Level,
    },
    /// Advance a level; then call [`Subcycle::report`].
    Advance {
        /// The level.
        level: Level,
        /// Its time.
        time: f64,
        /// Its step.
        dt: f64,
    },
    /// The level finer than `coarse` has caught up with it.
    Synchronize {
        /// The coarser level.
        coarse: Level,
        /// The time of both.
        time: f64,
    },
}

/// Parameters of the schedule.
#[derive(Clone, Debug, PartialEq)]
pub struct StepControl {
    /// Substeps of each finer level in a step of the coarser one: `max levels − 1` entries.
    pub time_ratios: Vec<u32>,
    /// Steps of a level between regrids of the finer ones.
    pub regrid_interval: u64,
    /// Courant number that steps aim for.
    pub cfl_desired: f64,
}

/// A step may exceed the wanted one by this fraction of it.
const TOLERATED_EXCESS: f64 = 0.05;

/// A level's place in the coarse step.
#[derive(Clone, Copy, Debug, PartialEq)]
struct LevelClock {
    time: f64,
    dt: f64,
    /// Steps left until the level has caught up with the coarser one.
    to_go: u32,
    /// Smallest step that the Courant numbers of this coarse step ask for.
    dt_wanted: f64,
    /// Steps since the finer levels were last regridded.
    steps_since_regrid: u64,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Phase {
    BeforeStep,
    Advance,
    /// The level has stepped; finer levels have to catch up.
    Stepped,
    /// No finer level is behind.
    CaughtUp,
    Done,
}

/// The state machine that orders the steps of all levels, one coarse step after another.
#[derive(Debug, PartialEq)]
pub struct Subcycle {
    control: Arc<StepControl>,
    clocks: Vec<LevelClock>,
    finest: usize,
    level: usize,
    phase: Phase,
}

impl Clone for Subcycle {
    fn clone(&self) -> Self {
        Subcycle { control: self.control.clone(), clocks: self.clocks.clone(), ..*self }
    }

    /// Allocates nothing: both have the same number of levels.
    fn clone_from(&mut self, source: &Self) {
        self.control.clone_from(&source.control);
        self.clocks.clone_from(&source.clocks);
        (self.finest, self.level, self.phase) = (source.finest, source.level, source.phase);
    }
}

impl Subcycle {
    /// A schedule that has not begun.
    pub fn new(control: StepControl, finest: Level) -> Self {
        let clock = LevelClock { time: 0.0, dt: 0.0, to_go: 0, dt_wanted: f64::INFINITY, steps_since_regrid: 0 };
        let clocks = vec![clock; control.time_ratios.len() + 1];
        Subcycle { control: Arc::new(control), clocks, finest: finest.index(), level: 0, phase: Phase::Done }
    }

    /// Begins a coarse step of size `dt` at `time`.
    pub fn begin(&mut self, time: f64, dt: f64) {
        for clock in &mut self.clocks {
            (clock.time, clock.dt_wanted) = (time, f64::INFINITY);
        }
        (self.clocks[0].dt, self.clocks[0].to_go) = (dt, 1);
        (self.level, self.phase) = (0, Phase::BeforeStep);
    }

    /// The next thing to do; `None` at the end of the coarse step.
    pub fn next_step(&mut self) -> Option<Step> {
        loop {
            match self.phase {
                Phase::BeforeStep => {
                    self.phase = Phase::Advance;
                    if let Some(base) = self.regrid_due() {
                        return Some(Step::Regrid { base: Level(base as u8) });
                    }
                }
                Phase::Advance => {
                    let clock = self.clocks[self.level];
                    return Some(Step::Advance { level: Level(self.level as u8), time: clock.time, dt: clock.dt });
                }
                Phase::Stepped if self.level < self.finest => {
                    self.level += 1;
                    self.plan_substeps();
                    self.phase = Phase::BeforeStep;
                }
                Phase::Stepped => self.phase = Phase::CaughtUp,
                Phase::CaughtUp if self.level == 0 => self.phase = Phase::Done,
                Phase::CaughtUp if self.clocks[self.level].to_go > 0 => {
                    self.shorten_substeps();
                    self.phase = Phase::BeforeStep;
                }
                Phase::CaughtUp => {
                    self.level -= 1;
                    let time = self.clocks[self.level].time;
                    self.clocks[self.level + 1].time = time;
                    return Some(Step::Synchronize { coarse: Level(self.level as u8), time });
                }
                Phase::Done => return None,
            }
        }
    }

    /// The base level of a regrid that is due: this level, or one of the next two, so that finer levels are regridded while
    /// all are at the same time.
    fn regrid_due(&self) -> Option<usize> {
        let max = self.clocks.len();
        let candidates = (self.level..max.saturating_sub(1)).take(3);
        let due = |&l: &usize| self.clocks[l].steps_since_regrid >= self.control.regrid_interval;
        candidates.into_iter().find(due).filter(|&base| base <= self.finest)
    }

    /// The current level.
    pub fn level(&self) -> Level {
        Level(self.level as u8)
    }

    /// Reports a regrid: the finest level that now has patches.
    pub fn set_finest(&mut self, base: Level, finest: Level) {
        self.finest = finest.index();
        let time = self.clocks[base.index()].time;
        for clock in &mut self.clocks[base.index()..] {
            clock.steps_since_regrid = 0;
            clock.time = time;
        }
    }

    /// Reports a step: the largest Courant number of the level.
    pub fn report(&mut self, courant: f64) {
        let clock = &mut self.clocks[self.level];
        let wanted = if courant > 0.0 { clock.dt * self.control.cfl_desired / courant } else { f64::INFINITY };
        clock.dt_wanted = clock.dt_wanted.min(wanted);
        clock.time += clock.dt;
        clock.to_go -= 1;
        clock.steps_since_regrid += 1;
        self.phase = Phase::Stepped;
    }

    /// Sets the number and size of the substeps with which a level catches up.
    fn plan_substeps(&mut self) {
        let coarse = self.clocks[self.level - 1];
        let ratio = self.control.time_ratios[self.level - 1];
        let fine = &mut self.clocks[self.level];
        let too_long = coarse.dt - coarse.dt_wanted > TOLERATED_EXCESS * coarse.dt_wanted;
        fine.to_go = if too_long {
            let wanted = coarse.dt_wanted / f64::from(ratio);
            (((coarse.time - fine.time) / wanted + 0.9) as u32).max(1)
        } else {
            ratio
        };
        fine.dt = coarse.dt / f64::from(fine.to_go);
    }

    /// Takes more substeps for the remaining time if the last one was longer than wanted.
    fn shorten_substeps(&mut self) {
        let coarse = self.clocks[self.level - 1];
        let fine = &mut self.clocks[self.level];
        while fine.dt - fine.dt_wanted > TOLERATED_EXCESS * fine.dt_wanted {
            fine.to_go += 1;
            fine.dt = (coarse.time - fine.time) / f64::from(fine.to_go);
        }
    }

    /// The next coarse step that the Courant numbers of this one ask for.
    pub fn dt_wanted(&self) -> f64 {
        let mut wanted = f64::INFINITY;
        for l in (0..=self.finest).rev() {
            let ratio = self.control.time_ratios.get(l).map_or(1.0, |&r| f64::from(r));
            wanted = self.clocks[l].dt_wanted.min(wanted * ratio);
        }
        wanted
    }

    /// The last step of a level.
    pub fn dt(&self, level: Level) -> f64 {
        self.clocks[level.index()].dt
    }

    /// Time of a level.
    pub fn time(&self, level: Level) -> f64 {
        self.clocks[level.index()].time
    }

    /// Steps of each level since its finer ones were regridded, for a checkpoint.
    pub fn steps_since_regrid(&self) -> Vec<u64> {
        self.clocks.iter().map(|c| c.steps_since_regrid).collect()
    }

    /// Restores what [`Subcycle::steps_since_regrid`] returned.
    pub fn set_steps_since_regrid(&mut self, steps: &[u64]) {
        self.clocks.iter_mut().zip(steps).for_each(|(clock, &n)| clock.steps_since_regrid = n);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(subcycle: &mut Subcycle, courant: impl Fn(Level, f64) -> f64) -> Vec<String> {
        let mut log = Vec::new();
        while let Some(step) = subcycle.next_step() {
            match step {
                Step::Advance { level, dt, .. } => {
                    log.push(format!("{level}:{dt}"));
                    subcycle.report(courant(level, dt));
                }
                Step::Synchronize { coarse, .. } => log.push(format!("s{coarse}")),
                Step::Regrid { base } => {
                    log.push(format!("r{base}"));
                    let finest = Level(subcycle.finest as u8);
                    subcycle.set_finest(base, finest);
                }
            }
        }
        log
    }

    fn control(time_ratios: Vec<u32>, regrid_interval: u64) -> StepControl {
        StepControl { time_ratios, regrid_interval, cfl_desired: 0.9 }
    }

    /// The order of Berger & Oliger: coarse first, finer levels catch up, each synchronised when it has.
    #[test]
    fn levels_are_advanced_recursively() {
        let mut subcycle = Subcycle::new(control(vec![2, 2], 1000), Level(2));
        subcycle.begin(0.0, 1.0);
        let log = run(&mut subcycle, |_, _| 0.9);
        let expected = "1:1 2:0.5 3:0.25 3:0.25 s2 2:0.5 3:0.25 3:0.25 s2 s1";
        assert_eq!(log.join(" "), expected);
        assert_eq!(subcycle.dt_wanted(), 1.0);
    }

    /// Levels without patches are skipped.
    #[test]
    fn missing_levels_are_passed_over() {
        let mut subcycle = Subcycle::new(control(vec![2, 4], 1000), Level(1));
        subcycle.begin(0.0, 1.0);
        assert_eq!(run(&mut subcycle, |_, _| 0.5).join(" "), "1:1 2:0.5 2:0.5 s1");
    }

    /// A fine level whose waves are faster takes more substeps, and still arrives.
    #[test]
    fn fast_waves_take_more_substeps() {
        let mut subcycle = Subcycle::new(control(vec![2], 1000), Level(1));
        subcycle.begin(0.0, 1.0);
        let log = run(&mut subcycle, |level, dt| if level == Level(1) { 3.6 * dt } else { 0.8 });
        assert_eq!(log.join(" "), "1:1 2:0.5 2:0.25 2:0.25 s1");
    }

    /// Finer levels are regridded every `interval` steps of each level, before a coarse step where it can be.
    #[test]
    fn regrids_follow_the_interval() {
        let mut subcycle = Subcycle::new(control(vec![2, 2], 4), Level(2));
        let mut regrids = Vec::new();
        for step in 0..9 {
            subcycle.begin(f64::from(step), 1.0);
            let log = run(&mut subcycle, |_, _| 0.9);
            regrids.extend(log.into_iter().filter(|l| l.starts_with('r')).map(|l| format!("{step}{l}")));
        }
        // Level 2 reaches four steps after two coarse steps; level 1 after four, which regrids both.
        assert_eq!(regrids.join(" "), "2r2 4r1 6r2 8r1");
    }
}
