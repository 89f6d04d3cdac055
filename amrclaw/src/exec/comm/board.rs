//! Where ranks of one process leave for one another what words cannot carry.

use parking_lot::Mutex;
use std::any::Any;
use std::collections::{HashMap, VecDeque};

/// What one rank has left for another.
type Things = VecDeque<Box<dyn Any + Send>>;

/// Things by sender and receiver, in the order in which they were left.
#[derive(Default)]
pub struct Board(Mutex<HashMap<[usize; 2], Things>>);

impl Board {
    /// Leaves a thing of one rank for another.
    pub(super) fn put(&self, from: usize, to: usize, thing: Box<dyn Any + Send>) {
        self.0.lock().entry([from, to]).or_default().push_back(thing);
    }

    /// Takes the first thing that one rank has left for another.
    pub(super) fn take(&self, from: usize, to: usize) -> Option<Box<dyn Any + Send>> {
        self.0.lock().get_mut(&[from, to])?.pop_front()
    }
}
