//! Values for the files of several ranks: the first rank writes, and requests the others' values one patch at a time.
//!
//! The writer's thread sends requests to its rank's main thread, which alone communicates with other ranks; these serve requests until they
//! are told that no more follow. So no rank holds more than its own values and one patch of another rank.

use super::content::FrameContent;
use super::ranks::agreed;
use super::remote_values::{Purpose, RemoteValues, RemoteValuesServer};
use super::snapshot::Snapshot;
use super::{Cause, Driver};
use crate::exec::ExecError;
use crate::frames::frame::{Frame, FramePatch};
use crate::index::Level;
use crate::mesh::{MeshEpoch, Partition};
use crate::ranks::{CommError, MessageHeader, MessageKind, Ranks};
use crate::simulation::RunError;
use std::cell::LazyCell;
use std::path::PathBuf;

/// Length of a request: purpose, level, patch.
const QUESTION: usize = 3;
/// In place of a purpose: no more requests follow.
const END_OF_REQUESTS: f64 = -1.0;

/// Requests for patches between the rank that writes, the first, and the others.
struct PatchRequests<'a, const D: usize> {
    ranks: &'a Ranks,
    /// The frame; on ranks that serve requests, with values.
    frame: &'a Frame<D>,
    partitions: Vec<&'a Partition>,
    epoch: MeshEpoch,
    content: FrameContent,
}

impl<const D: usize> PatchRequests<'_, D> {
    fn header(&self, level: usize) -> MessageHeader {
        MessageHeader { kind: MessageKind::Output, level: level as u8, epoch: self.epoch.0 }
    }

    /// Number of fields after the equations' quantities in a patch for a frame, or for a checkpoint.
    fn num_aux(&self, purpose: Purpose) -> usize {
        match purpose {
            Purpose::Frame => self.content.num_fields(self.frame),
            Purpose::Checkpoint => self.frame.aux.len(),
        }
    }

    /// Serves the writer's thread until it has no more requests; then tells the other ranks.
    fn serve_writer(&self, desk: &RemoteValuesServer<D>) -> Result<(), CommError> {
        for (purpose, level, number) in &desk.questions {
            let patch = self.fetch(purpose, level, number)?;
            if desk.answers.send(patch).is_err() {
                break;
            }
        }
        self.end_requests()
    }

    /// Tells the other ranks that no more requests follow.
    fn end_requests(&self) -> Result<(), CommError> {
        (1..self.ranks.rank().of)
            .try_for_each(|rank| self.ranks.post_values(rank, self.header(0), &[END_OF_REQUESTS, 0.0, 0.0]))
    }

    /// Requests a patch's values from its owner, and receives them.
    fn fetch(&self, purpose: Purpose, level: usize, number: usize) -> Result<FramePatch<D>, CommError> {
        let owner = self.partitions[level].owner(number);
        let question = [purpose as usize, level, number].map(|n| n as f64);
        self.ranks.post_values(owner, self.header(0), &question)?;
        let cells = self.frame.levels[level].patches[number].cells;
        let [q, aux] = [self.frame.equations.len(), self.num_aux(purpose)].map(|fields| fields * cells.volume());
        let mut values = self.ranks.wait_for_values(owner, self.header(level), q + aux)?;
        let aux = values.split_off(q);
        Ok(FramePatch { cells, q: values, aux })
    }

    /// Serves requests of the rank that writes until no more follow.
    pub fn answer(&self) -> Result<(), CommError> {
        let (asker, further) = (0, LazyCell::new(|| self.content.further(self.frame)));
        loop {
            let question = self.ranks.wait_for_values(asker, self.header(0), QUESTION)?;
            if question[0] == END_OF_REQUESTS {
                return Ok(());
            }
            let [purpose, level, number] = std::array::from_fn(|k| question[k] as usize);
            let of = |frame: &Frame<D>| frame.levels[level].patches[number].clone();
            let own = of(self.frame);
            let mut values = own.q;
            if purpose == Purpose::Checkpoint as usize || self.content.aux {
                values.extend(own.aux);
            }
            if purpose == Purpose::Frame as usize {
                values.extend(of(&further).q);
            }
            self.ranks.post_values(asker, self.header(level), &values)?;
        }
    }
}

impl<const D: usize> Driver<'_, D> {
    /// Passes a snapshot of several ranks to the writer by `send`, waits until it is written, and returns the files. A
    /// collective operation; only the first rank has the snapshot.
    pub(super) fn write_of_all(
        &mut self,
        snapshot: Option<Box<Snapshot<D>>>,
        send: impl FnOnce(&mut Self, Option<Box<Snapshot<D>>>) -> Result<(), Cause>,
    ) -> Result<Vec<PathBuf>, Cause> {
        let frame = snapshot.as_ref().map_or_else(|| self.simulation.frame(), |snapshot| snapshot.frame.outline());
        let (remote, desk) = RemoteValues::new();
        let given = snapshot.map(|snapshot| Box::new(Snapshot { remote: Some(remote), ..*snapshot }));
        let sent = send(self, given);
        if let Some(unsent) = &mut self.unwritten {
            // The writer did not get the snapshot: dropping this end of the channel ends the service.
            unsent.remote = None;
        }
        let service = self.service(&frame);
        let answered = match self.options.comm.is_first() {
            true => service.serve_writer(&desk),
            false => service.answer(),
        };
        drop(desk);
        let answered = answered.map_err(|lost| RunError::from(ExecError::from(lost)).into());
        let outcome = sent.and_then(|()| self.settle_files());
        agreed(&self.options.comm, answered.and(outcome))
    }

    fn service<'a>(&'a self, frame: &'a Frame<D>) -> PatchRequests<'a, D> {
        let partition = |l: usize| self.simulation.partition(Level(l as u8)).expect("several ranks share the patches");
        PatchRequests {
            ranks: &self.options.comm,
            frame,
            partitions: (0..frame.levels.len()).map(partition).collect(),
            epoch: self.simulation.hierarchy().epoch(),
            content: FrameContent::of(self.case),
        }
    }
}
