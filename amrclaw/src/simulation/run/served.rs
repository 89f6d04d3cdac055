//! Values for the files of several ranks: the first one writes, and asks the others for one patch at a time.
//!
//! Its writer's thread asks its main thread, which alone talks to other ranks; these answer until they are told that there is nothing
//! more to write. So nobody holds more than its own values and a patch of another's.

use super::content::FrameContent;
use super::elsewhere::{Desk, Elsewhere, Purpose};
use super::ranks::agreed;
use super::snapshot::Snapshot;
use super::{Cause, Driver};
use crate::exec::ExecError;
use crate::exec::comm::{CommError, Head, Phase, Ranks};
use crate::index::Level;
use crate::io::frame::{Frame, FramePatch};
use crate::mesh::{MeshEpoch, Partition};
use crate::simulation::RunError;
use std::cell::LazyCell;
use std::ops::Range;
use std::path::PathBuf;
use std::time::Instant;

/// Numbers of a question: purpose, level, patch.
const QUESTION: usize = 3;
/// In the place of a purpose: nothing more is asked.
const NOTHING_MORE: f64 = -1.0;

/// What ranks know of the patches that one of them, who writes, asks the others for.
pub(super) struct Service<'a, const D: usize> {
    pub ranks: &'a Ranks,
    /// The frame; where questions are answered, with values.
    pub frame: &'a Frame<D>,
    pub partitions: Vec<&'a Partition>,
    pub epoch: MeshEpoch,
    pub content: FrameContent,
    /// The ranks that have the values, first the one that writes.
    pub group: Range<usize>,
}

impl<const D: usize> Service<'_, D> {
    fn head(&self, level: usize) -> Head {
        Head { phase: Phase::Output, level: level as u8, epoch: self.epoch.0 }
    }

    /// Names of the fields behind the equations' in a patch for a frame, or for a checkpoint.
    fn num_aux(&self, purpose: Purpose) -> usize {
        match purpose {
            Purpose::Frame => self.content.num_fields(self.frame),
            Purpose::Checkpoint => self.frame.aux.len(),
        }
    }

    /// Answers the writer's thread until it has no more questions; then tells the others.
    fn answer_writer(&self, desk: &Desk<D>) -> Result<(), CommError> {
        for (purpose, level, number) in &desk.questions {
            let patch = self.fetch(purpose, level, number)?;
            if desk.answers.send(patch).is_err() {
                break;
            }
        }
        self.ask_nothing_more()
    }

    /// Tells the others of the group that there are no more questions.
    pub fn ask_nothing_more(&self) -> Result<(), CommError> {
        let mut others = self.group.clone().skip(1);
        others.try_for_each(|rank| self.ranks.post_values(rank, self.head(0), &[NOTHING_MORE, 0.0, 0.0]))
    }

    /// Asks the owner of a patch for its values.
    pub fn fetch(&self, purpose: Purpose, level: usize, number: usize) -> Result<FramePatch<D>, CommError> {
        let owner = self.partitions[level].owner(number);
        let question = [purpose as usize, level, number].map(|n| n as f64);
        self.ranks.post_values(owner, self.head(0), &question)?;
        let cells = self.frame.levels[level].patches[number].cells;
        let [q, aux] = [self.frame.equations.len(), self.num_aux(purpose)].map(|fields| fields * cells.volume());
        let mut values = self.ranks.wait_for_values(owner, self.head(level), q + aux)?;
        let aux = values.split_off(q);
        Ok(FramePatch { cells, q: values, aux })
    }

    /// Answers the rank that writes until it has no more questions.
    pub fn answer(&self) -> Result<(), CommError> {
        let (asker, further) = (self.group.start, LazyCell::new(|| self.content.further(self.frame)));
        loop {
            let question = self.ranks.wait_for_values(asker, self.head(0), QUESTION)?;
            if question[0] == NOTHING_MORE {
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
            self.ranks.post_values(asker, self.head(level), &values)?;
        }
    }
}

impl<const D: usize> Driver<'_, D> {
    /// Lets the writer have a snapshot of several ranks by `send`, and waits until it is written; answers the files. `in_groups`: it is a
    /// frame, of which groups of ranks write parts before if the case asks for that. All ranks call it, the first one with the snapshot.
    pub(super) fn write_of_all(
        &mut self,
        mut snapshot: Option<Box<Snapshot<D>>>,
        in_groups: bool,
        send: impl FnOnce(&mut Self, Option<Box<Snapshot<D>>>) -> Result<(), Cause>,
    ) -> Result<Vec<PathBuf>, Cause> {
        let mut frame = snapshot.as_ref().map_or_else(|| self.simulation.frame(), |snapshot| snapshot.frame.outline());
        let clock = Instant::now();
        let parts = match in_groups && self.groups.is_some() {
            true => self.write_parts(snapshot.as_mut().map_or(&mut frame, |snapshot| &mut snapshot.frame)),
            false => Ok(None),
        };
        self.writer_seconds += clock.elapsed().as_secs_f64();
        let parts = match parts {
            Ok(parts) => parts,
            Err(cause) => {
                self.unwritten = snapshot;
                return Err(cause);
            }
        };
        let (elsewhere, desk) = Elsewhere::new();
        let given = snapshot.map(|snapshot| Box::new(Snapshot { elsewhere: Some(elsewhere), parts, ..*snapshot }));
        let sent = send(self, given);
        if let Some(unsent) = &mut self.unwritten {
            // Nothing is asked for what the writer has not got.
            unsent.elsewhere = None;
        }
        let service = self.service(&frame, 0..self.options.comm.rank().of);
        let answered = match self.options.comm.is_first() {
            true => service.answer_writer(&desk),
            false => service.answer(),
        };
        drop(desk);
        let answered = answered.map_err(|lost| RunError::from(ExecError::from(lost)).into());
        let outcome = sent.and_then(|()| self.settle_files());
        agreed(&self.options.comm, answered.and(outcome))
    }

    /// `group`: the ranks that have the values, first the one that writes.
    pub(super) fn service<'a>(&'a self, frame: &'a Frame<D>, group: Range<usize>) -> Service<'a, D> {
        let partition = |l: usize| self.simulation.partition(Level(l as u8)).expect("several ranks share the patches");
        Service {
            ranks: &self.options.comm,
            frame,
            partitions: (0..frame.levels.len()).map(partition).collect(),
            epoch: self.simulation.hierarchy().epoch(),
            content: FrameContent::of(self.case),
            group,
        }
    }
}
