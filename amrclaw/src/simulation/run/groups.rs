//! Frames in parts: each group of ranks writes the values of its ranks into a file of its own, all groups at the same time.
//!
//! In a group the first rank writes, and requests the others' values one patch at a time. No part gets its final name before all parts are
//! complete; then the first rank of the run writes the file that combines them.

use super::ranks::agreed;
use super::remote_values::Purpose;
use super::serve::PatchRequests;
use super::{Cause, Driver};
use crate::exec::ExecError;
use crate::exec::comm::Ranks;
use crate::io::atomic::Partial;
use crate::io::config::Case;
use crate::io::frame::{Frame, FramePatch, PatchSource};
use crate::io::run_folder::is_claimed;
use crate::io::vtkhdf::{self, Parts};
use crate::io::{FrameFormat, OutputError};
use crate::mesh::{Partition, Rank};
use crate::simulation::RunError;
use std::borrow::Cow;
use std::io;
use std::ops::Range;
use std::path::{Path, PathBuf};

/// The groups of a run's ranks, seen from one rank.
pub(super) struct Groups {
    rank: Rank,
    count: usize,
    /// The folder into which all write.
    dir: PathBuf,
}

impl Groups {
    /// The groups that a case asks for, if there is more than one. A collective operation. `dir`: the folder, given by the first rank.
    pub fn agree(case: &Case, ranks: &Ranks, dir: Option<&Path>) -> Result<Option<Self>, Cause> {
        let (rank, output) = (ranks.rank(), &case.output);
        let count = output.groups.min(rank.of);
        if count < 2 || !output.format.contains(&FrameFormat::VtkHdf) {
            return Ok(None);
        }
        let own = dir.map(|dir| dir.to_string_lossy().into_owned());
        let told = ranks.first(own.as_ref(), |_| 0).map_err(|lost| RunError::from(ExecError::from(lost)))?;
        let groups = Groups { rank, count, dir: told.map_or(PathBuf::new(), |(_, dir)| dir.into()) };
        let sees = !groups.is_first_of_group() || is_claimed(&groups.dir);
        let seen = if sees { Ok(()) } else { Err(OutputError::NotShared(groups.dir.clone())) };
        agreed(ranks, seen.map_err(Cause::from))?;
        Ok(Some(groups))
    }

    /// The ranks of a group, which are consecutive; sizes of groups differ by at most one.
    fn members(&self, group: usize) -> Range<usize> {
        let start = |group: usize| group * self.rank.of / self.count;
        start(group)..start(group + 1)
    }

    fn of_rank(&self, rank: usize) -> usize {
        (0..self.count).find(|&group| self.members(group).contains(&rank)).expect("each rank is in a group")
    }

    fn own(&self) -> usize {
        self.of_rank(self.rank.number)
    }

    fn is_first_of_group(&self) -> bool {
        self.members(self.own()).start == self.rank.number
    }

    /// Assigns each patch to the part of its owner's group.
    fn parts(&self, partitions: &[&Partition]) -> Parts {
        let group_of: Vec<usize> = (0..self.rank.of).map(|rank| self.of_rank(rank)).collect();
        let level = |level: &&Partition| level.owners().iter().map(|&rank| group_of[rank as usize]).collect();
        Parts::new(self.count, partitions.iter().map(level).collect())
    }
}

/// Values of a group's patches.
struct OfGroup<'a, const D: usize> {
    /// A frame with the values of this rank's patches.
    frame: &'a Frame<D>,
    service: &'a PatchRequests<'a, D>,
}

impl<const D: usize> PatchSource<D> for OfGroup<'_, D> {
    fn patch(&self, level: usize, number: usize) -> io::Result<Cow<'_, FramePatch<D>>> {
        if self.service.partitions[level].owner(number) == self.service.ranks.rank().number {
            return Ok(Cow::Borrowed(&self.frame.levels[level].patches[number]));
        }
        self.service.fetch(Purpose::Frame, level, number).map(Cow::Owned).map_err(io::Error::other)
    }
}

impl<const D: usize> Driver<'_, D> {
    /// Writes each group's part of the next frame, and returns the parts, if the case asks for any. `frame` has the values of this
    /// rank. A collective operation.
    pub(super) fn write_parts(&self, frame: &mut Frame<D>) -> Result<Option<Parts>, Cause> {
        let Some(groups) = &self.groups else { return Ok(None) };
        let ranks = &self.options.comm;
        frame.number = self.frame_number;
        let outline = frame.outline();
        let parts = groups.parts(&self.service(&outline, 0..ranks.rank().of).partitions);
        let listed = self.files.as_ref().map_or(Ok(()), |files| files.folder.announce(&parts.names(frame.number)));
        agreed(ranks, listed.map_err(Cause::from))?;
        let own = groups.own();
        let partial = if groups.is_first_of_group() {
            let service = self.service(&outline, groups.members(own));
            write_part(&service, frame, &groups.dir, (&parts, own)).map(Some)
        } else {
            let answered = self.service(frame, groups.members(own)).answer();
            answered.map(|()| None).map_err(|lost| RunError::from(ExecError::from(lost)).into())
        };
        let partial = agreed(ranks, partial)?;
        agreed(ranks, partial.map_or(Ok(()), Partial::show).map_err(Cause::from))?;
        Ok(Some(parts))
    }
}

/// Writes a group's part of a frame, then tells the group's other ranks that no more requests follow, also after an error.
fn write_part<const D: usize>(
    service: &PatchRequests<'_, D>,
    frame: &mut Frame<D>,
    dir: &Path,
    part: (&Parts, usize),
) -> Result<Partial, Cause> {
    let written = service.content.show(frame, |frame| {
        let values = OfGroup { frame, service };
        vtkhdf::write_part(frame, &values, dir, part)
    });
    let told = service.end_requests();
    let partial = written?;
    told.map_err(|lost| RunError::from(ExecError::from(lost)))?;
    Ok(partial)
}
