//! Finds the setting of regridding that runs a case fastest without losing what refinement gains.
//!
//! A short piece of the case's own run is taken with one setting after the other, each in a process of its own. A setting
//! counts if it stays as close to the finest one as the case's own setting does, or within a small part of what the finest
//! level is worth. Among these the fastest is searched, one key at a time.

mod difference;
mod search;
mod trial;

pub use difference::{CoarseState, difference};
pub use search::{Found, Measured, Tried, search};
pub use trial::{Notice, Tune, Tuned, tune};

use crate::io::config::Case;
use std::fmt;

/// The keys that are tuned. None of them changes the problem; all change where it is refined, or into how many patches.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Setting {
    /// `regrid.interval`.
    pub interval: u64,
    /// `regrid.buffer`.
    pub buffer: i32,
    /// `regrid.cutoff`.
    pub cutoff: f64,
    /// `regrid.max_patch_size`.
    pub max_patch_size: i32,
}

impl Setting {
    /// The case's own.
    pub fn of(case: &Case) -> Self {
        let regrid = &case.regrid;
        Setting {
            interval: regrid.interval,
            buffer: regrid.buffer,
            cutoff: regrid.cutoff,
            max_patch_size: regrid.max_patch_size,
        }
    }

    /// The setting that refines most: every step's flags count at once, with the widest buffer and the fewest, largest
    /// patches.
    pub fn finest(own: &Setting) -> Self {
        Setting { interval: own.interval.min(2), buffer: own.buffer.max(8), cutoff: own.cutoff.min(0.5), ..*own }
    }

    /// Overrides of a case that make this setting.
    pub fn overrides(&self) -> Vec<String> {
        self.lines().map(|line| format!("regrid.{}", line.replace(" = ", "="))).to_vec()
    }

    /// The lines of the case file's `[regrid]`.
    pub fn lines(&self) -> [String; 4] {
        [
            format!("interval = {}", self.interval),
            format!("buffer = {}", self.buffer),
            format!("cutoff = {}", self.cutoff),
            format!("max_patch_size = {}", self.max_patch_size),
        ]
    }
}

impl fmt::Display for Setting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.lines().join(", "))
    }
}
