//! Values of other ranks, which the writer's thread requests from the main thread.

use crate::frames::frame::{Frame, FramePatch, PatchSource};
use crossbeam::channel::{Receiver, Sender, bounded};
use parking_lot::Mutex;
use std::borrow::Cow;
use std::io;

/// The file for which a patch's values are requested.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Purpose {
    /// A frame: with auxiliary values if the case asks for them, and further fields.
    Frame,
    /// A checkpoint: with auxiliary values.
    Checkpoint,
}

/// A request for a patch of another rank: purpose, level, patch.
type PatchRequest = (Purpose, usize, usize);

/// The writer's end of the channels.
pub(super) struct RemoteValues<const D: usize> {
    /// For requests, one at a time, and the patches received.
    channels: Mutex<(Sender<PatchRequest>, Receiver<FramePatch<D>>)>,
}

/// The main thread's end of the channels.
pub(super) struct RemoteValuesServer<const D: usize> {
    pub questions: Receiver<PatchRequest>,
    pub answers: Sender<FramePatch<D>>,
}

impl<const D: usize> RemoteValues<D> {
    /// Both ends.
    pub fn new() -> (Self, RemoteValuesServer<D>) {
        let ((ask, questions), (answers, heard)) = (bounded(1), bounded(1));
        (RemoteValues { channels: Mutex::new((ask, heard)) }, RemoteValuesServer { questions, answers })
    }
}

/// A frame in which only this rank's patches have values; other values are requested.
pub(super) struct FrameWithRemoteValues<'a, const D: usize> {
    pub frame: &'a Frame<D>,
    pub remote: &'a RemoteValues<D>,
    pub purpose: Purpose,
}

impl<const D: usize> PatchSource<D> for FrameWithRemoteValues<'_, D> {
    fn patch(&self, level: usize, number: usize) -> io::Result<Cow<'_, FramePatch<D>>> {
        let own = &self.frame.levels[level].patches[number];
        if !own.q.is_empty() {
            return Ok(Cow::Borrowed(own));
        }
        let (ask, heard) = &*self.remote.channels.lock();
        let answer = ask.send((self.purpose, level, number)).ok().and_then(|()| heard.recv().ok());
        answer.map(Cow::Owned).ok_or_else(|| io::Error::other("the rank that has the values is lost"))
    }
}
