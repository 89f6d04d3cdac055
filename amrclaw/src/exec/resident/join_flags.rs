//! Tags of all ranks, joined on each rank's device, so that each makes the boxes of all of them.

use super::flags::Flags;
use super::{Machine, ResidentExecutor};
use crate::exec::comm::{Phase, RunLengths};
use crate::exec::device::{bytes_of, pointer, words_of};
use crate::exec::{ExecError, RefineRequest};
use crate::index::Level;
use crate::mesh::Rank;
use cuda::CudaError;
use cuda::abi::Pointer;
use cuda::amr::JoinFlagsArgs;
use cuda::amr::kernels::JOIN_FLAGS;
use riemann::real::Scalar;

impl<N: Machine> Flags<N> {
    /// The tags, and behind them, if they matter too, the cells that patches cover.
    fn bits(&self, covered_too: bool) -> impl Iterator<Item = &N::Memory> {
        std::iter::once(&self.tags).chain(Some(&self.covered).filter(|_| covered_too))
    }
}

impl<const D: usize, R: Scalar, N: Machine> ResidentExecutor<D, R, N> {
    /// Joins the tags of all ranks, and where boxes might not nest also what patches of the base level cover. All ranks call it.
    pub(super) fn join_flags(&mut self, request: &RefineRequest<'_, D>) -> Result<(), ExecError> {
        if self.ranks.is_solo() {
            return Ok(());
        }
        let nests_all = request.hierarchy.level(request.base).covers_domain();
        let mut levels = (request.base.index()..=request.finest.index())
            .map(|l| (Level(l as u8), l == request.base.index() && !nests_all));
        if !self.ranks.share_process() {
            return levels.try_for_each(|(level, covered_too)| self.gather_flags(level, covered_too));
        }
        // All are told before any is waited for.
        levels.clone().try_for_each(|(level, covered_too)| self.hand_flags(level, covered_too))?;
        levels.try_for_each(|(level, covered_too)| self.take_flags(level, covered_too))
    }

    /// The tags of a level that are to be joined.
    fn flags_of(&self, level: Level) -> &Flags<N> {
        self.levels[level.index()].flags.as_ref().expect("flags are asked for before they are joined")
    }

    fn other_ranks(&self) -> impl Iterator<Item = usize> + use<D, R, N> {
        let Rank { number, of } = self.ranks.rank();
        (0..of).filter(move |&rank| rank != number)
    }

    /// Hands other ranks of the process a copy of this one's.
    fn hand_flags(&self, level: Level, covered_too: bool) -> Result<(), ExecError> {
        let flags = self.flags_of(level);
        let bytes = flags.bits(covered_too).count() * flags.bytes;
        let places = self.other_ranks().map(|rank| (rank, 0..bytes));
        self.hand_out(self.head(Phase::Flags, level), bytes, places, |message| {
            flags.bits(covered_too).enumerate().try_for_each(|(k, bits)| {
                let own = pointer::<_, N>(bits, 0);
                self.join([own, own], pointer::<_, N>(message, k * flags.bytes), flags.bytes)
            })
        })
    }

    /// Joins what other ranks of the process hand over to this one's.
    fn take_flags(&self, level: Level, covered_too: bool) -> Result<(), ExecError> {
        let (flags, head) = (self.flags_of(level), self.head(Phase::Flags, level));
        let bytes = flags.bits(covered_too).count() * flags.bytes;
        self.other_ranks().try_for_each(|rank| {
            self.with_handed(rank, head, bytes, |message, at| {
                Ok(flags.bits(covered_too).enumerate().try_for_each(|(k, bits)| {
                    let own = pointer::<_, N>(bits, 0);
                    self.join([own, pointer::<_, N>(message, at + k * flags.bytes)], own, flags.bytes)
                })?)
            })
        })
    }

    /// Joins those of other processes, by way of the host.
    fn gather_flags(&mut self, level: Level, covered_too: bool) -> Result<(), ExecError> {
        let mut words = std::mem::take(&mut self.flag_words);
        let (flags, head) = (self.flags_of(level), self.head(Phase::Flags, level));
        words.resize(flags.bytes / size_of::<u64>(), 0);
        for bits in flags.bits(covered_too) {
            let download = self.machine.begin_download(bits, flags.bytes)?;
            let own = self.machine.finish_download(download, |bytes| RunLengths::new(words_of(bytes)))?;
            RunLengths::join(&self.ranks.gather_runs(head, own)?, &mut words);
            self.machine.upload(bytes_of(&words), bits, 0)?;
        }
        self.flag_words = words;
        Ok(())
    }

    fn join(&self, [own, other]: [Pointer<u64>; 2], joined: Pointer<u64>, bytes: usize) -> Result<(), CudaError> {
        let num_words = bytes / size_of::<u64>();
        let args = JoinFlagsArgs { own, other, joined, num_words: num_words as u32, padding: 0 };
        // SAFETY: there are so many words in each place; a thread reads where it writes before it does.
        unsafe { self.machine.run(&JOIN_FLAGS, D, num_words, &args) }
    }
}
