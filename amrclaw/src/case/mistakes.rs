//! The mistakes found so far.

use super::error::{CaseError, MAX_REPORTED};
use std::collections::HashSet;

/// The mistakes found: the first [`MAX_REPORTED`] in full, and the keys of all.
#[derive(Debug, Default)]
pub(super) struct Mistakes {
    told: Vec<CaseError>,
    more: usize,
    /// Keys that something is wrong with.
    keys: HashSet<String>,
    /// Paths of the tables and lists around those keys.
    around: HashSet<String>,
}

impl Mistakes {
    /// Notes a mistake in the value of `key`. `error` is called only if the mistake will be reported in full.
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
        if self.told.len() < MAX_REPORTED {
            let error = error();
            if self.told.contains(&error) {
                return;
            }
            self.told.push(error);
        } else {
            self.more += 1;
        }
    }

    /// True if there is a mistake in the value at `path`, within it, or in a table around it.
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

    /// The mistakes to report, and how many more there are.
    pub fn into_parts(self) -> (Vec<CaseError>, usize) {
        (self.told, self.more)
    }
}
