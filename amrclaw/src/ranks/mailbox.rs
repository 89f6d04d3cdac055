//! A mailbox for ranks of one process, which passes objects that a message of words cannot carry.

use parking_lot::Mutex;
use std::any::Any;
use std::collections::{HashMap, VecDeque};

/// Objects from one rank to another, the oldest first.
type Objects = VecDeque<Box<dyn Any + Send>>;

/// Queues of objects by sender and receiver.
#[derive(Default)]
pub struct Mailbox(Mutex<HashMap<[usize; 2], Objects>>);

impl Mailbox {
    /// Appends an object to the queue from one rank to another.
    pub(super) fn put(&self, from: usize, to: usize, object: Box<dyn Any + Send>) {
        self.0.lock().entry([from, to]).or_default().push_back(object);
    }

    /// Takes the oldest object from one rank to another.
    pub(super) fn take(&self, from: usize, to: usize) -> Option<Box<dyn Any + Send>> {
        self.0.lock().get_mut(&[from, to])?.pop_front()
    }
}
