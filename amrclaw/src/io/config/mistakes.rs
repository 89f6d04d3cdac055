//! The mistakes found so far.

use super::error::{CaseError, MOST_TOLD};
use std::collections::HashSet;

/// Mistakes: the first ones whole, of the others only which keys they are about.
#[derive(Debug, Default)]
pub(super) struct Mistakes {
    told: Vec<CaseError>,
    more: usize,
    /// Keys that something is wrong with.
    keys: HashSet<String>,
    /// What those keys are in.
    around: HashSet<String>,
}

impl Mistakes {
    /// Notes a mistake in the value of `key`. `error` is asked for where the mistake will be told.
    pub fn note(&mut self, key: &str, error: impl FnOnce() -> CaseError) {
        if self.keys.insert(key.to_string()) {
            let mut around = key;
            while let Some(end) = around.rfind('.') {
                around = &around[..end];
                if !self.around.insert(around.to_string()) {
                    break;
                }
            }
        }
        if self.told.len() < MOST_TOLD {
            let error = error();
            if self.told.contains(&error) {
                return;
            }
            self.told.push(error);
        } else {
            self.more += 1;
        }
    }

    /// True if something is wrong with the value at `path`, something in it, or what it is in.
    pub fn concern(&self, path: &str) -> bool {
        let mut outer = path;
        loop {
            if self.keys.contains(outer) {
                return true;
            }
            match outer.rfind('.') {
                Some(end) => outer = &outer[..end],
                None => return self.around.contains(path),
            }
        }
    }

    /// The mistakes to tell, and how many more there are.
    pub fn into_parts(self) -> (Vec<CaseError>, usize) {
        (self.told, self.more)
    }
}
