//! Values that a writer's thread asks its main thread for, since other ranks have them.

use crate::io::frame::{Frame, FramePatch, PatchSource};
use crossbeam::channel::{Receiver, Sender, bounded};
use parking_lot::Mutex;
use std::borrow::Cow;
use std::io;

/// What a patch's values are to be for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Purpose {
    /// A frame: with auxiliary values if the case asks for them, and further fields.
    Frame,
    /// A checkpoint: with auxiliary values.
    Checkpoint,
}

/// A patch of another rank that the writer asks for.
type Question = (Purpose, usize, usize);

/// The writer's end.
pub(super) struct Elsewhere<const D: usize> {
    /// One question at a time.
    channels: Mutex<(Sender<Question>, Receiver<FramePatch<D>>)>,
}

/// The main thread's end.
pub(super) struct Desk<const D: usize> {
    pub questions: Receiver<Question>,
    pub answers: Sender<FramePatch<D>>,
}

impl<const D: usize> Elsewhere<D> {
    /// Both ends.
    pub fn new() -> (Self, Desk<D>) {
        let ((ask, questions), (answers, heard)) = (bounded(1), bounded(1));
        (Elsewhere { channels: Mutex::new((ask, heard)) }, Desk { questions, answers })
    }
}

/// A frame whose values are elsewhere but for those of this rank's patches.
pub(super) struct Outline<'a, const D: usize> {
    pub frame: &'a Frame<D>,
    pub elsewhere: &'a Elsewhere<D>,
    pub purpose: Purpose,
}

impl<const D: usize> PatchSource<D> for Outline<'_, D> {
    fn patch(&self, level: usize, number: usize) -> io::Result<Cow<'_, FramePatch<D>>> {
        let own = &self.frame.levels[level].patches[number];
        if !own.q.is_empty() {
            return Ok(Cow::Borrowed(own));
        }
        let (ask, heard) = &*self.elsewhere.channels.lock();
        let answer = ask.send((self.purpose, level, number)).ok().and_then(|()| heard.recv().ok());
        answer.map(Cow::Owned).ok_or_else(|| io::Error::other("the rank that has the values is lost"))
    }
}
