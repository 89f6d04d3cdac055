//! Finds the regridding setting that runs a case fastest without losing the accuracy gained by refinement.
//!
//! A short piece of the case's run is repeated with one setting after another, each in a separate process. A setting is
//! admissible if its solution is as close to that of the finest setting as the solution of the case's own setting, or within
//! a small fraction of what the finest level gains. Among these the fastest is searched, one key at a time.

mod difference;
mod search;
mod trial;

pub use difference::{CoarseState, difference};
pub use search::{Found, Measured, Tried, search};
pub use trial::{MAX_STEPS, Notice, Tune, Tuned, tune};

use crate::case::{Case, ClusterKind};
use std::fmt;

/// How flagged cells are covered with patches, with the key that this leaves to tune.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ClusterSetting {
    /// Berger and Rigoutsos' boxes, with `regrid.cutoff`.
    Boxes(f64),
    /// Tiles of `regrid.tile_size`.
    Tiles(i32),
}

impl ClusterSetting {
    /// The key, without its section.
    pub fn key(&self) -> &'static str {
        match self {
            ClusterSetting::Boxes(_) => "cutoff",
            ClusterSetting::Tiles(_) => "tile_size",
        }
    }

    /// Its value.
    pub fn number(&self) -> f64 {
        match *self {
            ClusterSetting::Boxes(cutoff) => cutoff,
            ClusterSetting::Tiles(size) => f64::from(size),
        }
    }

    /// The one that refines most: a low cutoff, which gives few large patches, or large tiles.
    fn finest(self) -> Self {
        match self {
            ClusterSetting::Boxes(cutoff) => ClusterSetting::Boxes(cutoff.min(0.5)),
            ClusterSetting::Tiles(size) => ClusterSetting::Tiles(size.max(8)),
        }
    }
}

/// The keys that are tuned. None of them changes the problem; all change where it is refined, or into how many patches.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Setting {
    /// `regrid.interval`.
    pub interval: u64,
    /// `regrid.buffer`.
    pub buffer: i32,
    /// How flagged cells are covered with patches.
    pub cover: ClusterSetting,
    /// `regrid.max_patch_size`.
    pub max_patch_size: i32,
}

impl Setting {
    /// The case's own setting.
    pub fn of(case: &Case) -> Self {
        let regrid = &case.regrid;
        Setting {
            interval: regrid.interval,
            buffer: regrid.buffer,
            cover: match regrid.cluster {
                ClusterKind::BergerRigoutsos => ClusterSetting::Boxes(regrid.cutoff),
                ClusterKind::Tiles => ClusterSetting::Tiles(regrid.tile_size),
            },
            max_patch_size: regrid.max_patch_size,
        }
    }

    /// The setting that refines most: frequent regrids, a wide buffer, and large patches.
    pub fn finest(own: &Setting) -> Self {
        Setting { interval: own.interval.min(2), buffer: own.buffer.max(8), cover: own.cover.finest(), ..*own }
    }

    /// Overrides of a case for this setting.
    pub fn overrides(&self) -> Vec<String> {
        self.lines().map(|line| format!("regrid.{}", line.replace(" = ", "="))).to_vec()
    }

    /// The lines of the case file's `[regrid]`.
    pub fn lines(&self) -> [String; 4] {
        [
            format!("interval = {}", self.interval),
            format!("buffer = {}", self.buffer),
            format!("{} = {}", self.cover.key(), self.cover.number()),
            format!("max_patch_size = {}", self.max_patch_size),
        ]
    }
}

impl fmt::Display for Setting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.lines().join(", "))
    }
}
