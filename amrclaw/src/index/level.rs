//! Refinement levels.

use serde::{Deserialize, Serialize};
use std::fmt;

/// A refinement level; 0 is the coarsest. Shown to users from 1, as Clawpack does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Level(pub u8);

impl Level {
    /// The level that covers the whole domain.
    pub const COARSEST: Level = Level(0);

    /// Position in tables of levels.
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// The next finer level.
    pub const fn finer(self) -> Level {
        Level(self.0 + 1)
    }

    /// The next coarser level, if there is one.
    pub const fn coarser(self) -> Option<Level> {
        match self.0 {
            0 => None,
            l => Some(Level(l - 1)),
        }
    }
}

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0 + 1)
    }
}
